/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which task is given the next round (scheduler_rule.c), apart from how it is run (scheduler.c). */

#ifndef OPEVO_SCHEDULER_INTERNAL_H
#define OPEVO_SCHEDULER_INTERNAL_H

#include <opevo/scheduler.h>

/* A task, and what the rule knows of it. */
typedef struct opevo_i_scheduler_task_entry {
    opevo_task shown;
    opevo_session *session;
    const opevo_objective *objective;
    double *history_s; /* best time after each of its rounds */
    size_t history_capacity;
    char *kind; /* NULL: similar to no other, or no longer */
    int size_class;
    uint64_t round; /* trials of its rounds at most; 0: those of all */
} opevo_i_scheduler_task_entry;

struct opevo_scheduler {
    opevo_scheduler_options options; /* with defaults filled in, `round` at the first step */
    opevo_scheduler_result result;
    opevo_i_scheduler_task_entry *tasks;
    size_t count, capacity;
    bool failed, over;
    opevo_store *store; /* that has the group; NULL: none */
    int64_t group;
};

/* Note the last round, of this task, in the store, if there is one (scheduler_store.c). */
opevo_status opevo_i_scheduler_store_round(opevo_scheduler *self, size_t task, opevo_error *err);

/* alpha, beta and window where they are 0, and alpha where it is negative. */
void opevo_i_scheduler_fill_in(opevo_scheduler_options *options);
/* Trials of a round among so many tasks. */
uint64_t opevo_i_scheduler_round(const opevo_scheduler_options *options, size_t tasks);
/* Value of the aim. */
double opevo_i_scheduler_aim_s(const opevo_scheduler *self);
/* The best time of a task with which, the others staying as they are, the aim is at the target; 0
 * if that cannot be. */
double opevo_i_scheduler_needed_s(const opevo_scheduler *self, size_t task);
/* The task of the next round; `count` if there is none. */
size_t opevo_i_scheduler_choose(const opevo_scheduler *self);
/* After a round of the task, its history complete: whether it stays open, and in its group. */
void opevo_i_scheduler_judge(opevo_scheduler *self, size_t task);
/* The integer part of log_phi(flop + 1). */
int opevo_i_scheduler_size_class(double flop);

#endif
