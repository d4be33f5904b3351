/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The launcher of a cluster. */

#ifndef OPEVO_CLI_LAUNCHER_INTERNAL_H
#define OPEVO_CLI_LAUNCHER_INTERNAL_H

#include <opevo/status.h>

#include <stdbool.h>
#include <stdint.h>

/* A number from the environment, `fallback` if it is not set. Errors: INVALID. */
opevo_status opevo_i_cli_launcher_number(const char *name, uint64_t fallback, uint64_t *out,
                                         opevo_error *err);
/* The place of this process among those that mpirun or srun started. Where both are there, mpirun
 * was started last. A batch script itself is not a step, though it is told how many tasks there
 * could be. Errors: INVALID. */
opevo_status opevo_i_cli_launcher_rank(uint64_t *index, uint64_t *count, const char **by,
                                       opevo_error *err);
/* Whether it is one of several. Where one of them ends with another status than 0, mpirun, and srun
 * if asked to, kill the others. */
bool opevo_i_cli_is_one_of_several(void);

#endif
