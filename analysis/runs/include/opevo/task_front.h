/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The whole of several tasks, by time and memory: which choices of one candidate for each task no
 * other choice dominates. */

#ifndef OPEVO_TASK_FRONT_H
#define OPEVO_TASK_FRONT_H

#include <opevo/status.h>

#include <stddef.h>
#include <stdint.h>

OPEVO_BEGIN_C

typedef struct opevo_task_candidate {
    size_t task;
    double time_s;        /* with the weight of the task */
    int64_t own_bytes;    /* memory that adds up over tasks, >= 0 */
    int64_t shared_bytes; /* memory that tasks use one after the other, >= 0 */
} opevo_task_candidate;

typedef struct opevo_task_choice {
    double time_s;
    int64_t bytes;
} opevo_task_choice;

/* A choice c takes one candidate of each of the tasks 0 .. tasks - 1:
 *
 *     time(c) = sum of time_s,   bytes(c) = sum of own_bytes + largest shared_bytes.
 *
 * `out` gets the choices that no other dominates in (time, bytes), by ascending bytes and so by
 * descending time; opevo_free it. No choices if a task has no candidate.
 *
 * For each value S of shared_bytes, the candidates with at most S are reduced to the front of each
 * task in (time, own), and the fronts are added task by task; dominated sums are dropped at once,
 * which loses nothing, as what is added later is the same for all. The union over all S is reduced
 * again. If more than `limit` (at least 2) sums are left, bytes are rounded up until they are not:
 * then each point of `out` is reached with at most its bytes, and no choice that is as fast needs
 * less than its bytes - *excess_bytes. *excess_bytes is 0 where the front is exact (times up to
 * rounding).
 *
 * Errors: NOMEM. Cost: O(v t k limit log(k limit)) for v values of shared_bytes, t tasks and fronts
 * of k candidates; O(k limit) memory. */
opevo_status opevo_task_front(const opevo_task_candidate *candidates, size_t count, size_t tasks,
                              size_t limit, opevo_task_choice **out, size_t *out_count,
                              int64_t *excess_bytes, opevo_error *err);

OPEVO_END_C

#endif
