/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuning and its tasks. */

#ifndef OPEVO_NETWORK_TUNING_INTERNAL_H
#define OPEVO_NETWORK_TUNING_INTERNAL_H

#include <opevo/network_tuning.h>

/* What only the files of this folder see of a plan: the network before the passes with a choice,
 * and the mask of these. */
typedef struct opevo_i_tuning_plan {
    opevo_network_plan super;
    opevo_network_inference *passed, *fused;
    uint32_t late;
} opevo_i_tuning_plan;

/* The steps of a plan with choices as these are; only once. Errors: those of passes
 * (network_plan.c). */
opevo_status opevo_i_tuning_turn(opevo_i_tuning_plan *self, opevo_error *err);

typedef struct opevo_i_tuning_task {
    opevo_network_task_run super;
    opevo_run_options run;
    opevo_run_result result; /* once the scheduler has ended */
    opevo_setting_value *settings;
    opevo_live_starts starts;
    opevo_finals *finals;
    opevo_text what;                      /* the definitions in one line */
    const opevo_computation *computation; /* of the library or the choices */
    char *name;                           /* owned */
    int candidate;                        /* of the choices; -1: none */
    opevo_network_tuning *whole;
} opevo_i_tuning_task;

struct opevo_network_tuning {
    opevo_network_plan *plan;
    opevo_network_tuning_options options;
    opevo_scheduler_options limits;
    opevo_i_tuning_task *tasks;
    size_t count, own;          /* own: of the network as it was given */
    size_t network_tasks;       /* as it is chosen, also those without sketches */
    uint64_t probe;             /* trials of a round of the others */
    double *time_s, *worth;     /* of each candidate */
    opevo_scheduler *scheduler; /* until it has ended */
    opevo_scheduler_result ended;
    int64_t group; /* in the store */
};

/* ---- One task (network_tuning_task.c) ---- */

/* One more task, of the library or, with -1, of the choices. */
opevo_status opevo_i_tuning_add_task(opevo_network_tuning *self,
                                     const opevo_computation *computation, const char *operation,
                                     int task, int candidate, int count, opevo_error *err);
/* Open its objective and prepare its run. Errors: INVALID for a name that a task before it has;
 * those of sketches, objectives and settings. */
opevo_status opevo_i_tuning_task_open(opevo_i_tuning_task *task, opevo_kernel_dialect dialect,
                                      opevo_error *err);
void opevo_i_tuning_task_free(opevo_i_tuning_task *task);

/* ---- Choices (network_tuning_choices.c) ---- */

/* The computations that might take the place of tasks, if there are trials for them: add those that
 * have sketches by `add`. */
opevo_status opevo_i_tuning_add_others(opevo_network_tuning *self,
                                       const opevo_network_library *library, opevo_error *err);
/* The candidate that is this computation; -1: none. */
int opevo_i_tuning_candidate(const opevo_network_tuning *self,
                             const opevo_computation *computation);
/* Whether there is something that times may choose. */
bool opevo_i_tuning_chooses(const opevo_network_tuning *self);
/* Decide by the best times so far, and weigh tasks anew. */
opevo_status opevo_i_tuning_decide(opevo_network_tuning *self, opevo_error *err);
/* The library of the network as it is chosen in the place of the one before, where that is another
 * network. */
opevo_status opevo_i_tuning_apply(opevo_network_tuning *self,
                                  const opevo_network_library_options *options,
                                  opevo_network_library **library, opevo_error *err);
/* ---- Memory (network_tuning_memory.c) ---- */

/* Put into the store what the library needs in memory, and what the kernel of each successful trial
 * would add. */
opevo_status opevo_i_tuning_store_memory(opevo_network_tuning *self, opevo_network_library *library,
                                         opevo_error *err);

#endif
