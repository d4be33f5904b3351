/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the two live objectives share: kernels (live_kernel.c) and programs (live_program.c). */

#ifndef OPEVO_LIVE_INTERNAL_H
#define OPEVO_LIVE_INTERNAL_H

#include <opevo/live.h>

#include "pool_internal.h"

typedef struct opevo_i_live opevo_i_live;

struct opevo_i_live {
    opevo_objective super;
    char *name;
    opevo_i_pool pool;
    size_t batch;
    opevo_i_task *tasks; /* of the last evaluation; outcomes point into them */
    size_t task_count;
    /* Fill the job of a point, or its result and DONE when there is nothing to measure. */
    opevo_status (*prepare)(const opevo_i_live *self, opevo_index point, opevo_i_task *task,
                            opevo_error *err);
    /* Fitness and time of a task that succeeded; its samples may be converted in place. */
    void (*value)(const opevo_i_live *self, opevo_i_task *task, opevo_outcome *out);
    void (*release)(opevo_i_live *self);
};

extern const opevo_objective_ops opevo_i_live_kernel_ops, opevo_i_live_program_ops;

opevo_status opevo_i_live_evaluate(opevo_objective *objective, const opevo_index *points,
                                   size_t count, opevo_outcome *outcomes, opevo_error *err);
void opevo_i_live_destroy(opevo_objective *objective);
/* NULL for any other objective. */
opevo_i_live *opevo_i_live_of(opevo_objective *objective);

/* Measure `count` points, or OPEVO_LIVE_LIBRARY in the place of one: on one worker, one sample each, when `brief`. */
opevo_status opevo_i_live_measure(opevo_i_live *self, const opevo_index *points, size_t count,
                                  bool brief, opevo_outcome *outcomes, opevo_error *err);

/* The members of the pool from the options; `device` is what a worker started here is told. Errors:
 * INVALID for a command that cannot be split; NOMEM. */
opevo_status opevo_i_live_workers(opevo_i_pool *pool, const opevo_workers *workers,
                                  const char *device, opevo_error *err);

#endif
