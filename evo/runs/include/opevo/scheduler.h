/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The task scheduler: several runs, called tasks, share one budget. It is divided in rounds of
 * trials, each given to the task from which the common aim is expected to gain most. The aim is the
 * sum of weight x time, or the weighted geometric mean of the times, where the time of a task is
 * that of its best trial.
 *
 * A task is a run like any other: its first n trials are those of a run alone, whatever the
 * scheduler decides. Decisions depend on seed, options and outcomes only, so that nothing but the
 * runs is stored: a scheduler that was killed makes the same decisions again from the stored
 * outcomes.
 *
 * The gradient rule. Let g_i(t) be the best time of task i after t rounds, t_i its rounds so far,
 * C_i its FLOP and V the highest FLOP/s that it or a task similar to it has reached. The next round
 * goes to the task with the least
 *
 *   df/dg_i (alpha (g_i(t_i) - g_i(t_i - w)) / w
 *            + (1 - alpha) (min(g_i (1 - 1 / t_i), beta C_i / V) - g_i))
 *
 * where df/dg_i is the weight for a sum and proportional to weight / g_i for a geometric mean. A
 * uniform choice decides among equals. The backward difference counts as 0 until round w, and beta
 * C_i / V as infinite for a task that is similar to no other. Each task gets one round first; those
 * of positive weight that have no success yet get more before any other.
 *
 * Tasks are similar if they have the same kind and the same integer part of log_phi(FLOP + 1), phi
 * = 1.618. A task leaves its group when it reaches less than V / beta and has been given over 5
 * rounds more than each of the others.
 *
 * A task is given no more rounds when its run is over; when none of its first 64 trials succeeded;
 * or when `patience` is set and more trials than that have followed its best one.
 *
 * Source: Zheng et al., "Ansor", OSDI 2020, section 6 and appendix A; constants, groups and the end
 * of tasks as in TVM 0.18, auto_scheduler/task_scheduler.py, except that the derivative is exact
 * and that a task whose rounds are shorter has 64 trials to succeed, too. */

#ifndef OPEVO_SCHEDULER_H
#define OPEVO_SCHEDULER_H

#include <opevo/api.h>
#include <opevo/run.h>

OPEVO_BEGIN_C

typedef enum opevo_allocation {
    OPEVO_ALLOCATION_GRADIENT,
    OPEVO_ALLOCATION_ROUND_ROBIN /* rounds in turns */
} opevo_allocation;
/* "gradient", "round-robin". */
OPEVO_API const char *opevo_allocation_name(opevo_allocation allocation);

typedef enum opevo_aim {
    OPEVO_AIM_SUM,           /* sum of weight x time */
    OPEVO_AIM_GEOMETRIC_MEAN /* exp(sum of weight x ln(time) / sum of weights) */
} opevo_aim;
/* "sum", "geometric-mean". */
OPEVO_API const char *opevo_aim_name(opevo_aim aim);
/* The value for these times and weights, of which one is positive; tasks of weight 0 count for
 * nothing, whatever their time. NAN and INFINITY are passed on. */
OPEVO_API double opevo_aim_value(opevo_aim aim, const double *times_s, const double *weights,
                                 size_t count);

enum { OPEVO_SCHEDULER_ROUND = 64 }; /* trials of a round at most, unless told otherwise */

/* Of the three limits at least one must be set. The scheduler ends with the first trial that
 * reaches one. */
typedef struct opevo_scheduler_options {
    opevo_allocation allocation;
    opevo_aim aim;
    uint64_t seed;     /* of random decisions */
    uint64_t trials;   /* of all tasks together, at least one for each; 0: no limit */
    double seconds;    /* sum of the trials' costs; 0: no limit */
    double target_s;   /* value of the aim at which to stop; 0: none */
    uint64_t round;    /* trials of a round; 0: OPEVO_SCHEDULER_ROUND or, if that is less,
                          trials / number of tasks */
    uint64_t patience; /* 0: unlimited */
    double alpha;      /* <= 1; 0: 0.2; negative: no backward difference */
    double beta;       /* > 0; 0: 2 */
    uint64_t window;   /* w, in rounds; 0: 3 */
    double epsilon;    /* probability that a round goes to a uniform choice of the tasks */
} opevo_scheduler_options;

/* "allocate=gradient alpha=0.2 beta=2 window=3 epsilon=0 aim=sum round=64 patience=0", defaults
 * filled in, for so many tasks. Nothing for options that opevo_scheduler_create refuses for a
 * member that it does not know. */
OPEVO_API void opevo_scheduler_print_options_sized(const opevo_scheduler_options *options,
                                                   size_t size, size_t tasks, opevo_text *out);
static inline void opevo_scheduler_print_options(const opevo_scheduler_options *options,
                                                 size_t tasks, opevo_text *out)
{
    opevo_scheduler_print_options_sized(options, sizeof *options, tasks, out);
}

typedef enum opevo_task_state {
    OPEVO_TASK_OPEN,    /* may be given more rounds */
    OPEVO_TASK_OVER,    /* its run is over; stop and reason of its result say why */
    OPEVO_TASK_FAILING, /* none of its first trials succeeded */
    OPEVO_TASK_STALLED  /* no improvement for longer than `patience` */
} opevo_task_state;
/* "open", "over", "failing", "stalled". */
OPEVO_API const char *opevo_task_state_name(opevo_task_state state);

typedef struct opevo_task {
    const opevo_run_result *result; /* once the scheduler has ended, so has the run: of a task that
                                       could have gone on, `stop` is that of the scheduler */
    double weight;
    double best_s; /* time of its best trial; INFINITY without a success */
    uint64_t rounds;
    opevo_task_state state;
} opevo_task;

typedef struct opevo_scheduler_result {
    opevo_stop stop; /* SEARCH_OVER: no task may be given more rounds */
    uint64_t trials, resumed, failed, rounds;
    double cost_s;
    double aim_s; /* INFINITY while a task of positive weight has no success */
} opevo_scheduler_result;

typedef struct opevo_scheduler opevo_scheduler;

/* Errors: INVALID without a limit, and for options outside their domain; NOMEM. */
OPEVO_API opevo_status opevo_scheduler_create_sized(const opevo_scheduler_options *options,
                                                    size_t size, opevo_scheduler **out,
                                                    opevo_error *err);
static inline opevo_status opevo_scheduler_create(const opevo_scheduler_options *options,
                                                  opevo_scheduler **out, opevo_error *err)
{
    return opevo_scheduler_create_sized(options, sizeof *options, out, err);
}

/* Add a task, before the first step. The objective and what the options point to must outlive the
 * scheduler. The tasks of one store differ in objective, tuner, settings or seed.
 *
 *   run     options of its run; its budget is that of the scheduler, and must be 0 here
 *   weight  >= 0, such as how often the operator is executed; at least one must be positive
 *   kind    what makes tasks similar, such as operator and device; NULL: similar to no other
 *
 * Errors: INVALID for such a budget or weight, for an external objective, and for one whose time is
 * unknown (opevo_objective_time_s); those of opevo_session_create. */
OPEVO_API opevo_status opevo_scheduler_add_sized(opevo_scheduler *scheduler,
                                                 opevo_objective *objective,
                                                 const opevo_run_options *run, size_t size,
                                                 double weight, const char *kind, opevo_error *err);
static inline opevo_status opevo_scheduler_add(opevo_scheduler *scheduler,
                                               opevo_objective *objective,
                                               const opevo_run_options *run, double weight,
                                               const char *kind, opevo_error *err)
{
    return opevo_scheduler_add_sized(scheduler, objective, run, sizeof *run, weight, kind, err);
}

/* Another weight of a task, from the next step on, such as 0 for one that the whole turns out not
 * to need. Where the caller derives it from seed and outcomes alone, a scheduler that was killed
 * makes the same decisions again.
 *
 *   round  trials of a round of the task at most, also of its first; 0: as the options say
 *
 * Errors: INVALID for a task that is not there, and for a weight below 0 or not finite. */
OPEVO_API opevo_status opevo_scheduler_weigh(opevo_scheduler *scheduler, size_t task, double weight,
                                             uint64_t round, opevo_error *err);

/* A larger limit of the trials of all tasks together, in place of that of the options. A scheduler
 * that ended by it goes on with the next step, in rounds of the same length. Errors: INVALID for a
 * scheduler without such a limit, and for a smaller one. */
OPEVO_API opevo_status opevo_scheduler_extend(opevo_scheduler *scheduler, uint64_t trials,
                                              opevo_error *err);

/* How readers of a store know the tasks of a scheduler. */
typedef struct opevo_task_group_options {
    const char *name;         /* of the whole; NULL: the names of the tasks */
    bool is_network;          /* its tasks may have had other weights in an earlier call */
    const char *const *names; /* of each task */
    const double *weights;    /* of each in the whole, >= 0; NULL: those of the scheduler */
} opevo_task_group_options;
/* Keep the tasks as one group in the store of their runs, and from now on which task was given
 * which round; a further call gives a network other weights. It says nothing that a run needs: a
 * scheduler resumes without it. *group, which may be NULL, gets its number in the store. Errors:
 * those of the store; NOMEM. */
OPEVO_API opevo_status opevo_scheduler_keep_sized(opevo_scheduler *scheduler, opevo_store *store,
                                                  const opevo_task_group_options *options,
                                                  size_t size, int64_t *group, opevo_error *err);
static inline opevo_status opevo_scheduler_keep(opevo_scheduler *scheduler, opevo_store *store,
                                                const opevo_task_group_options *options,
                                                int64_t *group, opevo_error *err)
{
    return opevo_scheduler_keep_sized(scheduler, store, options, sizeof *options, group, err);
}

/* One round of one task. *over says whether the scheduler has ended: then further steps do nothing.
 * Errors: INVALID without a task, without a positive weight, for fewer trials than tasks, and after
 * an error; those of opevo_session_step. Cost: O(tasks) beside that of the session. */
OPEVO_API opevo_status opevo_scheduler_step(opevo_scheduler *scheduler, bool *over,
                                            opevo_error *err);

/* Borrowed until the scheduler is ended. Tasks are numbered from 0, in the order added. */
OPEVO_API const opevo_scheduler_result *opevo_scheduler_state(const opevo_scheduler *scheduler);
OPEVO_API const opevo_task *opevo_scheduler_task(const opevo_scheduler *scheduler, size_t task);
OPEVO_API size_t opevo_scheduler_count(const opevo_scheduler *scheduler);

/* Release the scheduler, which may be NULL, with the sessions of its tasks, in any state and also
 * on failure. Stores note why each run ended, as after opevo_session_end. Errors: those of the
 * stores. */
OPEVO_API opevo_status opevo_scheduler_end(opevo_scheduler *scheduler, opevo_error *err);

OPEVO_END_C

#endif
