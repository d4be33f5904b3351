/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A run: one tuner, one objective, one seed, one budget. It is a session, which is created, stepped
 * and ended; opevo_run does that in one call. Where the outcomes come from the caller, it is
 * created, asked and told, and ended. */

#ifndef OPEVO_RUN_H
#define OPEVO_RUN_H

#include <opevo/api.h>
#include <opevo/interrupt.h>
#include <opevo/store.h>
#include <opevo/tuner.h>

OPEVO_BEGIN_C

/* The run ends with the first trial that reaches a limit; at least one must be set, except for an
 * external objective, whose caller may end it at any time. */
typedef struct opevo_budget {
    uint64_t trials; /* 0: no limit */
    double seconds;  /* sum of the trials' costs, simulated or measured; 0: no limit */
    double target;   /* fitness at which to stop; 0: none */
} opevo_budget;

typedef enum opevo_stop {
    OPEVO_STOP_TRIALS,
    OPEVO_STOP_SECONDS,
    OPEVO_STOP_TARGET,
    OPEVO_STOP_SEARCH_OVER, /* the tuner has nothing left; its reason says why */
    OPEVO_STOP_INTERRUPTED, /* or ended before it was over */
    OPEVO_STOP_GAVE_UP      /* nothing succeeded, and one kind of failure came too often */
} opevo_stop; /* where one trial reaches several limits: target, seconds, trials, giving up */
/* "trials", "seconds", "target", "search-over", "interrupted", "gave-up". */
OPEVO_API const char *opevo_stop_name(opevo_stop stop);

/* Called after each trial is stored and before the tuner is told; `resumed` when it came from the
 * store. */
typedef void (*opevo_run_observer)(void *context, const opevo_trial *trial, bool resumed);

typedef struct opevo_run_options {
    const opevo_tuner_ops *tuner;        /* required */
    const opevo_setting_value *settings; /* one for each row of the tuner's table; NULL: defaults */
    uint64_t seed;
    /* Trials of earlier runs on the same space for the tuner to learn from, run after run, each in
     * the order of its numbers; 0: none. They are part of what identifies the run in a store.
     * Origins do not matter. */
    const opevo_trial *earlier;
    size_t earlier_count;
    /* The same of runs on other spaces, by loop trees; 0: none, as where `earlier` has trials. */
    const opevo_earlier_tree *earlier_trees;
    size_t earlier_tree_count;
    /* A cost model to begin with; NULL: none, as where there are earlier trials. Part of what
     * identifies the run. */
    const opevo_cost_model *model;
    /* What to search by; NULL: the fitness alone. Of a tuner that searches by criteria they are
     * part of what identifies the run. The best trial and the target are of the fitness all the
     * same. */
    const opevo_criteria *criteria;
    /* What trials must fulfil: others are INFEASIBLE. Part of what identifies the run. */
    const opevo_requirement *requirements;
    size_t requirement_count;
    opevo_budget budget;
    /* End the run when so many trials have failed in one way and none has succeeded; 0: never.
     * Points that are rejected or infeasible do not count: they say nothing of the rest. */
    uint64_t give_up;
    /* Points evaluated together; 0: opevo_objective_wanted. Does not change the trials. */
    size_t batch;
    unsigned threads;          /* for objectives that allow it; 0: 1. Does not change the trials */
    opevo_store *store;        /* NULL: keep nothing */
    opevo_objective_note note; /* for the store */
    const char *settings_more; /* in the store, after the settings; NULL: nothing */
    opevo_run_observer observer; /* may be NULL */
    void *observer_context;
    /* Ends the run before the next batch, and any measurement within a second; may be NULL. */
    const opevo_interrupt *interrupt;
    /* Points of trials 1 and following, whose outcomes the tuner is told before it is asked; a
     * point that stands there twice is evaluated once. NULL: those of the objective; none if the
     * count is 0. The store keeps them with the run: one that it has goes on with its own. */
    const opevo_starts *starts;
    /* For the store: how the caller was asked for this run, a text of the caller's own; NULL:
     * nothing. It is not part of what identifies the run, and a later one takes its place. */
    const char *call;
} opevo_run_options;

/* The settings, what is searched by where the tuner sees more than the fitness, and the
 * requirements: "lambda=8 criteria=fitness,energy require=error<=0.01". Identifies a run in a
 * store. Nothing for options that opevo_session_create refuses for a member that it does not
 * know. */
OPEVO_API void opevo_run_print_settings_sized(const opevo_objective *objective,
                                              const opevo_run_options *options, size_t size,
                                              opevo_text *out);
static inline void opevo_run_print_settings(const opevo_objective *objective,
                                            const opevo_run_options *options, opevo_text *out)
{
    opevo_run_print_settings_sized(objective, options, sizeof *options, out);
}

typedef struct opevo_run_result {
    opevo_stop stop;
    const char *reason; /* the tuner's, when stop is SEARCH_OVER */
    int64_t run;        /* its number in the store; 0 without one */
    uint64_t trials;
    uint64_t resumed; /* of them, taken from the store */
    uint64_t failed;  /* of them, not OK */
    uint64_t failed_by_class[OPEVO_OUTCOME_CLASS_COUNT];
    double cost_s;
    /* The best trial; number 0 when every trial failed. Samples and message are not kept. */
    opevo_trial best;
} opevo_run_result;

/* A run that proceeds step by step, so that a caller can divide trials among many. */
typedef struct opevo_session opevo_session;

/* Ready for trial 1. The options are copied; what they point to, the objective and the store must
 * outlive the session. With a store, trials already there for the same (objective name, tuner,
 * settings, seed) are told instead of evaluated, so a run that was killed resumes as if
 * uninterrupted, and a larger budget continues a finished one.
 *
 * Of an external objective, that is done here already.
 *
 * Errors: INVALID without a limit, for earlier trials that the tuner cannot use, or for a start
 * point that is not an allowed point of the space; MISMATCH for a
 * stored run of another version, space or landscape; NOMEM; whatever the store reports. */
OPEVO_API opevo_status opevo_session_create_sized(opevo_objective *objective,
                                                  const opevo_run_options *options, size_t size,
                                                  opevo_session **out, opevo_error *err);
static inline opevo_status opevo_session_create(opevo_objective *objective,
                                                const opevo_run_options *options,
                                                opevo_session **out, opevo_error *err)
{
    return opevo_session_create_sized(objective, options, sizeof *options, out, err);
}
/* Ask, evaluate, store, tell, for exactly `trials` more trials (UINT64_MAX: to the end), or fewer
 * where the run is over before; those taken from the store count. *over says whether it is: then
 * further steps do nothing.
 *
 * However a run is cut into steps, its trials and what the store holds are the same; they do not
 * depend on the batch either: what was evaluated beyond the trial that ends the run is not counted
 * and not stored. A computed batch is stored whole; each measured trial is stored, and shown, as
 * soon as it and all before it are there. Steps shorter than the batch leave the objective less to
 * do at once.
 *
 * Errors: MISMATCH if the stored trials are not the ones that the tuner proposes; whatever the
 * objective or the store report; INVALID after an error. Stored trials survive every error, with
 * *over untouched.
 *
 * Cost: at most 2 microseconds a trial beside the objective's and the store's own cost. */
OPEVO_API opevo_status opevo_session_step(opevo_session *session, uint64_t trials, bool *over,
                                          opevo_error *err);
/* ---- Sessions of an external objective: outcomes come from the caller ---- */

/* Up to `capacity` trials for the caller to evaluate: number and proposal of each. There are fewer,
 * also none, where the tuner waits for outcomes of trials that are pending, or the budget has been
 * asked for, or the run is over (opevo_session_is_over); ask again after the next tell. Trials
 * whose outcomes are known already, from the store, are not among them.
 *
 * The trials are those of a run that evaluates one point after the other, however asks and tells
 * are cut. Numbers follow each other from 1. What was asked for and never told is asked for again
 * when a stored run is resumed.
 *
 * Errors: INVALID for an objective that is not external; those of the store, where the session goes
 * on and opevo_session_pending has what was asked for meanwhile. MISMATCH as opevo_session_step,
 * NOMEM and those of the tuner: it can only be ended, and every further call is INVALID. */
OPEVO_API opevo_status opevo_session_ask(opevo_session *session, opevo_trial *trials,
                                         size_t capacity, size_t *count, opevo_error *err);
/* Tell the outcomes of pending trials, in any order: number and outcome of each are looked at,
 * samples and messages are copied. All of them are taken, or none. Requirements and budgets are
 * applied to trials in the order of their numbers, each as soon as all before it are there; then it
 * is stored, and the tuner told. An outcome out of order waits; with a store it is committed
 * all the same. One of a trial beyond the end of the run waits for a larger budget.
 *
 * Errors: INVALID, naming the trial, for one that was told before or never asked for and for an
 * outcome that is not valid (opevo_external_check); those of the store: the session is as it was
 * and may be told again. Those of the tuner, and NOMEM there: it can only be ended; what was told
 * is in the store. */
OPEVO_API opevo_status opevo_session_tell(opevo_session *session, const opevo_trial *trials,
                                          size_t count, opevo_error *err);
/* How many trials are asked for and not told; the first `capacity` of them are put into `trials`,
 * in the order of their numbers. Cost: O(trials asked for that are not complete). */
OPEVO_API size_t opevo_session_pending(const opevo_session *session, opevo_trial *trials,
                                       size_t capacity);
/* Whether a limit is reached or the search is over: nothing more will be asked for. `stop` and
 * `reason` of the result say why. */
OPEVO_API bool opevo_session_is_over(const opevo_session *session);

/* ---- Any session ---- */

/* What has come of the run so far; borrowed until the session is ended. */
OPEVO_API const opevo_run_result *opevo_session_result(const opevo_session *session);
/* Release the session, which may be NULL, in any state and also on failure. The store notes why the
 * run ended, unless it was interrupted or is not over; the same options go on with it. `result` may
 * be NULL. Errors: those of the store, with *result untouched. */
OPEVO_API opevo_status opevo_session_end(opevo_session *session, opevo_run_result *result,
                                         opevo_error *err);

/* Create, step to the end of the run, and end, in one. Errors: theirs. */
OPEVO_API opevo_status opevo_run_sized(opevo_objective *objective, const opevo_run_options *options,
                                       size_t size, opevo_run_result *result, opevo_error *err);
static inline opevo_status opevo_run(opevo_objective *objective, const opevo_run_options *options,
                                     opevo_run_result *result, opevo_error *err)
{
    return opevo_run_sized(objective, options, sizeof *options, result, err);
}

OPEVO_END_C

#endif
