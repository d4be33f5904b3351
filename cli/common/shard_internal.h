/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which share of a study or a recording this process does, and the files of the shares. */

#ifndef OPEVO_SHARD_INTERNAL_H
#define OPEVO_SHARD_INTERNAL_H

#include <opevo/study.h>

enum { OPEVO_I_SHARDS_MAX = 1 << 20 };

/* From the option ("2/8"), or where that is NULL from what Slurm and Open MPI say, of `shares`
 * unless that is 0; `by` says which of them, and stays empty for the option and for a process that
 * is alone. */
opevo_status opevo_i_cli_shard_of(const char *option, uint64_t shares, opevo_shard *out,
                                  opevo_text *by, opevo_error *err);
/* "study.db" as "study.2-of-8.db"; unchanged for a share of everything. */
void opevo_i_cli_shard_path(const char *file, opevo_shard shard, opevo_text *out);

/* Paths of files; a plain value, start from {0}. */
typedef struct opevo_i_cli_paths {
    char **items;
    size_t count;
} opevo_i_cli_paths;

void opevo_i_cli_paths_free(opevo_i_cli_paths *paths);
/* The shares that stand beside the file, sorted. Errors: IO; NOMEM. */
opevo_status opevo_i_cli_shards_find(const char *file, opevo_i_cli_paths *out, opevo_error *err);
/* Refuse a number of shares that the launcher states if there is a share of another number beside
 * the file: a launcher does not know of how many shares the tasks are that are started again. */
opevo_status opevo_i_cli_shards_check(const char *file, opevo_shard shard, opevo_error *err);

#endif
