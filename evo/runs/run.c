/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sessions that evaluate their trials themselves, and the run as one such session. What was
 * evaluated beyond the trial that ends the run is dropped. What is computed is stored a batch at a
 * time, what is measured trial by trial. */

#include "session_internal.h"

#include <opevo/parallel.h>

#include <assert.h>

static const char *const stop_names[] = {
    [OPEVO_STOP_TRIALS] = "trials",           [OPEVO_STOP_SECONDS] = "seconds",
    [OPEVO_STOP_TARGET] = "target",           [OPEVO_STOP_SEARCH_OVER] = "search-over",
    [OPEVO_STOP_INTERRUPTED] = "interrupted", [OPEVO_STOP_GAVE_UP] = "gave-up",
};

const char *opevo_stop_name(opevo_stop stop)
{
    return stop_names[stop];
}

/* ---- Outcomes ------------------------------------------------------------------------------- */

static opevo_status compute_one(void *context, size_t i, unsigned worker, opevo_error *err)
{
    opevo_session *self = context;

    (void)worker;
    return opevo_objective_evaluate(self->objective, &self->points[i], 1, &self->outcomes[i], err);
}

/* Compute what is left of the batch, and settle it together. */
static opevo_status compute(opevo_session *self, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (self->options.threads > 1 && count > 1)
        status = opevo_parallel_for(count, self->options.threads, compute_one, self, err);
    else
        status =
            opevo_objective_evaluate(self->objective, self->points, count, self->outcomes, err);
    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        self->trials[self->begun + i].outcome = self->outcomes[i];
    return opevo_i_session_take(self, self->end, false, err);
}

/* Keep the outcome, and settle what now has all its predecessors, each trial by itself. */
static opevo_status arrive(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    opevo_session *self = context;
    opevo_status status = OPEVO_OK;

    self->trials[self->begun + i].outcome = *outcome;
    self->slots[self->begun + i].known = true;
    while (status == OPEVO_OK && !self->ended && self->settled < self->end &&
           self->slots[self->settled].known) {
        opevo_outcome *settled = &self->trials[self->settled].outcome;

        status = opevo_i_session_take(self, self->settled + 1, false, err);
        settled->samples_s = NULL; /* may go with the next measurement */
        settled->sample_count = 0;
        settled->message = NULL;
    }
    return status;
}

/* A trial that is far from the best in the fitness may be good in another criterion. */
static void note_best(opevo_session *self)
{
    const opevo_criteria *criteria = self->options.criteria;
    bool fitness_alone = !criteria || (criteria->count == 1 && criteria->chosen[0].index == 0);

    opevo_objective_note_best(self->objective, fitness_alone && self->result.best.number > 0
                                                   ? self->result.best.outcome.fitness
                                                   : 0);
}

/* Measure what is left of the batch, and settle each trial as soon as it and all before it are
 * there. */
static opevo_status measure(opevo_session *self, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    note_best(self);
    status = opevo_objective_measure(self->objective, self->points, count, self->options.interrupt,
                                     arrive, self, err);

    if (status != OPEVO_INTERRUPTED)
        return status;
    if (!self->ended)
        opevo_i_session_stop(self, OPEVO_STOP_INTERRUPTED);
    return OPEVO_OK;
}

static opevo_status evaluate(opevo_session *self, opevo_error *err)
{
    size_t count = self->end - self->begun;

    for (size_t i = 0; i < count; i++)
        self->points[i] = self->trials[self->begun + i].proposal.point;
    return self->objective->concurrent ? compute(self, count, err) : measure(self, count, err);
}

/* ---- Stepping ------------------------------------------------------------------------------- */

/* Ask, recall or evaluate, store, tell: one batch, of at most so many trials. */
static opevo_status turn(opevo_session *self, uint64_t most, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    assert(self->first == self->end);
    OPEVO_TRY(opevo_i_session_ask(self, most, err));
    if (self->first == self->end) {
        assert(self->tuner->pending == 0);
        self->result.reason = self->tuner->reason;
        opevo_i_session_stop(self, OPEVO_STOP_SEARCH_OVER);
        return OPEVO_OK;
    }
    OPEVO_TRY(opevo_i_session_recall(self, self->first, &self->begun, err));
    OPEVO_TRY(opevo_i_session_take(self, self->begun, true, err));
    if (!self->ended && self->begun < self->end)
        OPEVO_TRY(evaluate(self, err));
    OPEVO_TRY(opevo_i_session_pass_on(self, err));
cleanup:
    return status;
}

/* At which trial the step ends, if nothing ends the run before. */
static uint64_t end_of_step(const opevo_session *self, uint64_t trials)
{
    uint64_t budget = self->options.budget.trials ? self->options.budget.trials : UINT64_MAX;

    return trials < budget - self->result.trials ? self->result.trials + trials : budget;
}

opevo_status opevo_session_step(opevo_session *session, uint64_t trials, bool *over,
                                opevo_error *err)
{
    opevo_session *self = session;
    uint64_t last = end_of_step(self, trials);
    opevo_status status = OPEVO_OK;

    if (self->failed)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A run with a failed step can only be ended.");
    if (opevo_objective_is_external(self->objective))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "The outcomes of %.200s come from the caller: ask for trials and tell their "
            "outcomes.",
            self->objective->name);
    while (!self->ended && self->result.trials < last && status == OPEVO_OK) {
        if (opevo_interrupt_is_raised(self->options.interrupt))
            opevo_i_session_stop(self, OPEVO_STOP_INTERRUPTED);
        else
            status = turn(self, last - self->result.trials, err);
    }
    self->failed = status != OPEVO_OK;
    if (!self->failed)
        *over = self->ended;
    return status;
}

opevo_status opevo_run_sized(opevo_objective *objective, const opevo_run_options *options,
                             size_t size, opevo_run_result *result, opevo_error *err)
{
    opevo_session *session = NULL;
    opevo_status status = opevo_session_create_sized(objective, options, size, &session, err);
    bool over = false;

    while (status == OPEVO_OK && !over)
        status = opevo_session_step(session, UINT64_MAX, &over, err);
    if (status == OPEVO_OK)
        return opevo_session_end(session, result, err);
    opevo_session_end(session, NULL, NULL);
    return status;
}
