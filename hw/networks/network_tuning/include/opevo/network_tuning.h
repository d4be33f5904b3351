/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From a network to a library with tuned kernels: its passes, the kernels of its tasks tuned on a
 * device within one budget, and, where passes have a choice, what measured times say about it.
 *
 * A task is a computation of the network that has sketches. It is a run like that of its
 * computation alone, and weighs as much as it occurs: the task scheduler makes the predicted
 * latency, the sum over tasks of count x time, small. */

#ifndef OPEVO_NETWORK_TUNING_H
#define OPEVO_NETWORK_TUNING_H

#include <opevo/finals.h>
#include <opevo/live.h>
#include <opevo/live_starts.h>
#include <opevo/network_choices.h>
#include <opevo/network_library.h>
#include <opevo/scheduler.h>

OPEVO_BEGIN_C

/* ---- The passes ---- */

/* The passes of a library: all, without `block` for a GPU, and without what is for vectors if it is
 * freestanding; or `only` some; but those of `without`; names with commas between, or NULL. Errors:
 * INVALID for another name; NOMEM. */
opevo_status opevo_network_plan_passes(opevo_kernel_dialect dialect, bool freestanding,
                                       const char *only, const char *without, uint32_t *mask,
                                       opevo_error *err);
/* Whether an `error` above 0 has a meaning for these passes. Errors: INVALID, as "error ...";
 * NOMEM. */
opevo_status opevo_network_plan_check_error(uint32_t mask, opevo_error *err);

typedef struct opevo_network_plan_options {
    uint32_t passes; /* the mask of those to run */
    double error;    /* of the pass `winograd`; 0: it replaces nothing */
    /* Measured times may leave out what `block` and `winograd` do; the sketches of libraries are
     * kept for the tuning. */
    bool chooses;
} opevo_network_plan_options;

/* What a library is made of. */
typedef struct opevo_network_plan {
    opevo_network_inference *inference; /* after the passes, as they are chosen */
    /* Whose results the test of the library expects: the network without what changes them; NULL:
     * those of the same. */
    opevo_network_inference *reference;
    opevo_network_choices *choices; /* NULL: none */
    /* Of its libraries and tunings, which share them; NULL: each makes its own. */
    struct opevo_sketch_store *sketches;
} opevo_network_plan;

/* The network must outlive the plan. Errors: those of the passes; NOMEM. Cost: that of the passes,
 * and of opevo_network_choices_create. */
opevo_status opevo_network_plan_create(const opevo_network *network,
                                       const opevo_network_plan_options *options,
                                       opevo_network_plan **out, opevo_error *err);
/* That of a network whose passes have run, which must outlive it; with `tunes` sketches are kept
 * for a tuning. Errors: NOMEM. */
opevo_status opevo_network_plan_of(opevo_network_inference *inference, bool tunes,
                                   opevo_network_plan **out, opevo_error *err);
void opevo_network_plan_destroy(opevo_network_plan *plan); /* NULL is allowed */
/* Its library, which the plan must outlive, with untuned kernels; `reference` of the options is
 * that of the plan. Errors: those of opevo_network_library_create. */
opevo_status opevo_network_plan_library(const opevo_network_plan *plan,
                                        const opevo_network_library_options *options,
                                        opevo_network_library **out, opevo_error *err);

/* ---- Tuning ---- */

/* Trials for each task where no limit is set. */
enum { OPEVO_NETWORK_TASK_TRIALS = 500 };

typedef struct opevo_network_tuning opevo_network_tuning;

/* What a tuning tells while it runs; each function may be NULL. */
typedef struct opevo_network_watch {
    void *context;
    void (*begun)(void *context, const opevo_network_tuning *tuning); /* before the first round */
    /* As opevo_run_observer, of a task. */
    void (*trial)(void *context, const opevo_network_tuning *tuning, size_t task,
                  const opevo_trial *trial, bool resumed);
    /* Before the finals of a task. */
    void (*finals)(void *context, const opevo_network_tuning *tuning, size_t task);
} opevo_network_watch;

typedef struct opevo_network_tuning_options {
    opevo_live_options live; /* where and how kernels are measured */
    unsigned threads;        /* that kernels for a CPU are made for, at least 1 */
    const opevo_tuner_ops *tuner;
    const char *const *settings; /* of the tuner, "KEY=VALUE", each key at most once */
    size_t setting_count;        /* the others have their defaults for the number of workers */
    uint64_t seed;
    uint64_t trials;  /* of all tasks; both 0: OPEVO_NETWORK_TASK_TRIALS for each */
    double seconds;   /* sum of the trials' costs; 0: no limit */
    uint64_t give_up; /* as in opevo_run_options */
    opevo_finals_options finals;
    opevo_start_words starts;
    opevo_store *store; /* NULL: keep nothing */
    const char *name;   /* of the network in the store */
    const opevo_interrupt *interrupt;
    opevo_network_watch watch;
} opevo_network_tuning_options;

/* A task, or a computation that a choice would put in the place of one. */
typedef struct opevo_network_task_run {
    const char *name; /* "Conv (3)": operation and number in the library that was given */
    opevo_objective *objective;
    const opevo_run_options *run;
    const opevo_run_result *result; /* NULL before it runs */
    const opevo_finals *finals;
    double weight; /* steps that compute it in the network as it is chosen */
    int task;      /* in the library; -1: it is not part of it */
    double best;   /* fitness, of its trials so far */
    uint64_t failed;
    /* Of sizes that are not known: none of the best schedules can take them, so that the library
     * keeps its kernel. */
    bool kept;
} opevo_network_task_run;

typedef struct opevo_network_tuning_state {
    const opevo_scheduler_result *result;
    size_t tasks;     /* of the network as it is chosen, also those without sketches */
    size_t tuned;     /* of them, those with sketches */
    size_t known;     /* of these, those with a success */
    double latency_s; /* sum of weight x best time of these; NAN without one */
    uint64_t trials;  /* the limits in force; 0: none */
    double seconds;
    bool tries; /* there are trials for what might take the place of tasks */
} opevo_network_tuning_state;

/* Open the objectives of all tasks. What is given must outlive the tuning.
 *
 * Where the plan has choices, computations that might take the place of tasks are tuned, too: each
 * has first a probe of 8 trials, less where that would take more than a quarter of all trials or
 * leave a task without one, and none where that is not even one. Its time counts as 3 % longer than
 * the best trial says, as best times of few trials are noisy, and it is given more trials only
 * where a time shorter by a quarter would pay (opevo_network_choices_weigh).
 *
 * Errors: INVALID without a task that has sketches, for settings that the tuner refuses and start
 * points that there are not; those of opevo_live_open; NOMEM. */
opevo_status opevo_network_tuning_create(opevo_network_plan *plan,
                                         const opevo_network_library *library,
                                         const opevo_network_tuning_options *options,
                                         opevo_network_tuning **out, opevo_error *err);
void opevo_network_tuning_destroy(opevo_network_tuning *tuning); /* NULL is allowed */

size_t opevo_network_tuning_count(const opevo_network_tuning *tuning);
/* Borrowed; tasks of the network as it was given come first. */
const opevo_network_task_run *opevo_network_tuning_task(const opevo_network_tuning *tuning,
                                                        size_t task);
opevo_network_tuning_state opevo_network_tuning_state_of(const opevo_network_tuning *tuning);

/* Tune the tasks, hold the finals of each, and give the library the best kernel of each that has a
 * success. Where times choose otherwise than the passes, the inference of the plan is another one,
 * and *library is replaced by one made by these options. The store gets the tasks as a group, and
 * what memory the kernel of each successful trial would take. An interrupt ends it early: the
 * library has the best kernels so far.
 *
 * Errors: INVALID for fewer trials than tasks; those of opevo_scheduler_step, of the finals, and of
 * making a library. */
opevo_status opevo_network_tuning_run(opevo_network_tuning *tuning,
                                      const opevo_network_library_options *options,
                                      opevo_network_library **library, opevo_error *err);

OPEVO_END_C

#endif
