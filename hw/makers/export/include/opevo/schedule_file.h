/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A schedule as a file: a head of comments that say what it is of, then its steps; or a record of
 * TVM. */

#ifndef OPEVO_SCHEDULE_FILE_H
#define OPEVO_SCHEDULE_FILE_H

#include <opevo/kernel.h>
#include <opevo/pipeline.h>

OPEVO_BEGIN_C

/* A plain value: start from {0}. */
typedef struct opevo_schedule_file {
    opevo_workload *work;         /* that it is of */
    opevo_kernel_dialect dialect; /* OPEVO_KERNEL_COUNT where nothing says it */
    unsigned threads;             /* likewise 0 */
    char *maker, *configuration;  /* as the head says them; NULL where it does not */
    opevo_pipeline *pipeline;
} opevo_schedule_file;
/* Read a file as --emit writes it ("kernel.schedule"), or one that begins with '{' or '[', the
 * record of TVM of a computation, which `wanted` names, or its list of steps. Lines "# operator:
 * FORM", "# computation: TEXT" and "# dialect: NAME" of its head must agree with `wanted` and
 * `dialect` where these are given (NULL: are not); without such a line the given ones count.
 * `wanted` must outlive `out`. Errors: those of opevo_file_read; INVALID and LIMIT as "path:line:
 * sentence"; NOMEM. */
opevo_status opevo_schedule_file_read(const char *path, const opevo_workload *wanted,
                                      const opevo_kernel_dialect *dialect, opevo_schedule_file *out,
                                      opevo_error *err);
void opevo_schedule_file_free(opevo_schedule_file *file);

OPEVO_END_C

#endif
