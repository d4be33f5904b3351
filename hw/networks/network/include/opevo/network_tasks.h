/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tasks of a network: its different computations, and the steps that each stands for. */

#ifndef OPEVO_NETWORK_TASKS_H
#define OPEVO_NETWORK_TASKS_H

#include <opevo/network_inference.h>

OPEVO_BEGIN_C

/* Whether steps with these definitions are one task: they are the same, and the inputs X<i> and
 * outputs Y<i> have the same numbers. */
bool opevo_network_is_same_task(const opevo_computation *a, const opevo_computation *b);

typedef struct opevo_network_task {
    const opevo_computation *computation; /* the definitions: those of its first step */
    int step;                             /* the first */
    int count;                            /* steps */
    opevo_flop flop;                      /* of one */
} opevo_network_task;

typedef struct opevo_network_tasks {
    opevo_network_task *task; /* in the order of their first steps */
    int count;
    int *of_step; /* of each step of the inference its task; -1: it is of another kind than COMPUTE,
                   * or depends on constants only and is computed before any run */
} opevo_network_tasks;

/* The definitions belong to the steps: the list is valid until a pass changes them. Free it with
 * opevo_network_tasks_free, also after a failure. Errors: NOMEM. Cost: linear in the
 * definitions of all steps, and opevo_computation_flop of each task. */
opevo_status opevo_network_inference_tasks(const opevo_network_inference *inference,
                                           opevo_network_tasks *out, opevo_error *err);
void opevo_network_tasks_free(opevo_network_tasks *tasks);

OPEVO_END_C

#endif
