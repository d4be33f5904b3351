/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Groups of runs in a store: the tasks that were tuned within one budget, such as those of a
 * network, which task was given which round, and what memory their kernels take. A group says
 * nothing that a run needs: runs are resumed without it. */

#ifndef OPEVO_STORE_GROUPS_H
#define OPEVO_STORE_GROUPS_H

#include <opevo/store.h>

OPEVO_BEGIN_C

typedef struct opevo_group_task {
    int64_t run;
    char *name;     /* for readers */
    double weight;  /* >= 0 */
    double scale_s; /* time of one execution = scale_s / fitness; > 0 */
} opevo_group_task;

/* After a round: its task, and how many trials that task has. */
typedef struct opevo_group_round {
    size_t task;
    uint64_t trials;
} opevo_group_round;

/* Of the kernel of a trial, within the memory of the whole. */
typedef struct opevo_group_kernel {
    size_t task;
    uint64_t trial;
    int64_t packed_bytes;  /* constants in layouts of the kernel: they add up over tasks */
    int64_t scratch_bytes; /* scratch memory, which tasks share */
} opevo_group_kernel;

typedef struct opevo_group {
    char *name;      /* of the model, or of all tasks */
    bool is_network; /* otherwise separate operators */
    char *aim;       /* opevo_aim_name */
    opevo_group_task *tasks;
    size_t count;
    opevo_group_round *rounds; /* in order */
    size_t round_count;
    bool has_memory;
    int64_t arena_bytes, weight_bytes; /* that the whole needs besides kernels */
    opevo_group_kernel *kernels;       /* by task and trial */
    size_t kernel_count;
} opevo_group;

/* Find the group with this name, aim and these tasks, or make it; rounds and kernels are not read.
 * The tasks of a network may have had other weights, which these replace.
 * Errors: INVALID for a store opened to read; IO; NOMEM. */
opevo_status opevo_store_begin_group(opevo_store *store, const opevo_group *group, int64_t *number,
                                     opevo_error *err);
/* Note round `place`, from 0. If another one is stored there, the rounds after it belong to another
 * course, and are removed. Errors: IO; NOMEM. */
opevo_status opevo_store_put_round(opevo_store *store, int64_t group, size_t place,
                                   const opevo_group_round *round, opevo_error *err);
/* Note the memory of the whole, and of kernels, each of which replaces what was known of the trial.
 * One transaction. Errors: IO; NOMEM. */
opevo_status opevo_store_put_memory(opevo_store *store, int64_t group, int64_t arena_bytes,
                                    int64_t weight_bytes, const opevo_group_kernel *kernels,
                                    size_t count, opevo_error *err);

/* All groups, in the order in which they were made; release with opevo_store_groups_free. Errors:
 * INVALID for a damaged file; IO; NOMEM. */
opevo_status opevo_store_groups(opevo_store *store, opevo_group **out, size_t *count,
                                opevo_error *err);
void opevo_store_groups_free(opevo_group *groups, size_t count);

OPEVO_END_C

#endif
