/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sessions that evaluate their trials themselves, and the run as one such session. What was
 * evaluated beyond the trial that ends the run is dropped.
 *
 * What is computed is asked for, settled and told a batch at a time. What is measured is asked for
 * as soon as the objective has room and the tuner a proposal, stored as soon as it is there, and
 * told as soon as it and all before it are: proposals depend on outcomes alone, and not on when
 * they are asked for. */

#include "session_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/store_workers.h>

#include <assert.h>

#include "store_internal.h"

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

/* Settle, store and tell all trials that have all their predecessors; the processor times are of
 * the first of them. */
static opevo_status take_known(opevo_session *self, const double *processor_s, opevo_error *err)
{
    const opevo_run_options *options = &self->options;
    opevo_status status = OPEVO_OK;
    size_t from = self->settled;

    opevo_i_session_settle(self, opevo_i_session_known_until(self));
    if (self->begun < self->settled)
        self->begun = self->settled;
    if (options->store && from < self->settled)
        OPEVO_TRY(opevo_i_store_append_measured(options->store, self->result.run,
                                                self->trials + from, self->settled - from, NULL,
                                                processor_s, err));
    for (size_t i = from; i < self->settled; i++) {
        self->result.resumed += self->slots[i].resumed;
        if (options->observer)
            options->observer(options->observer_context, &self->trials[i], self->slots[i].resumed);
    }
    OPEVO_TRY(opevo_i_session_pass_on(self, err));
cleanup:
    return status;
}

/* It has to wait for its predecessors, but is measured and stays so. */
static opevo_status keep_early(opevo_session *self, size_t place, const double *processor_s,
                               opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(
        opevo_i_session_slot_keep(&self->slots[place], &self->trials[place].outcome),
        "the outcome of trial %llu", (unsigned long long)self->trials[place].number);
    self->slots[place].known = true;
    return !self->options.store
               ? OPEVO_OK
               : opevo_i_store_append_measured(self->options.store, self->result.run, NULL, 0,
                                               &self->trials[place], processor_s, err);
}

static opevo_status arrive(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    opevo_session *self = context;
    size_t place = self->settled + (size_t)(self->given[i] - self->result.trials - 1);
    const double *processor_s = opevo_objective_processor_times(self->objective, outcome);
    const opevo_measurer *by = opevo_objective_measurer(self->objective);
    opevo_status status = OPEVO_OK;

    if (self->ended)
        return OPEVO_OK;
    if (by && self->options.store)
        OPEVO_TRY(opevo_store_note_measurer(self->options.store, self->result.run, self->given[i],
                                            by, err));
    self->trials[place].outcome = *outcome;
    if (place > self->settled)
        return keep_early(self, place, processor_s, err);
    self->slots[place].known = true;
    status = take_known(self, processor_s, err);
cleanup:
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

/* How many trials may be asked for now: up to the end of the step, and not too far ahead. */
static uint64_t room(const opevo_session *self)
{
    uint64_t waiting = self->end - self->settled;
    uint64_t left = self->until - self->result.trials - waiting;
    uint64_t ahead =
        self->options.batch ? self->options.batch : opevo_objective_ahead(self->objective);

    return waiting >= ahead ? 0 : left < ahead - waiting ? left : ahead - waiting;
}

/* Move `begun` to the next trial to measure; to `end` if all are measured or outstanding. */
static opevo_status find_next(opevo_session *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    while (status == OPEVO_OK && !self->ended) {
        size_t before = 0;

        while (self->begun < self->end && self->slots[self->begun].known)
            self->begun++;
        if (self->begun < self->end || room(self) == 0)
            break;
        before = self->end - self->first;
        note_best(self);
        OPEVO_TRY(opevo_i_session_ask(self, 1, err));
        if (self->end - self->first == before)
            break; /* none before outcomes are told, or none at all */
        OPEVO_TRY(opevo_i_session_recall_early(self, self->end - 1, err));
        status = take_known(self, NULL, err);
    }
cleanup:
    return status;
}

static opevo_status next_points(void *context, opevo_index *points, size_t capacity, size_t *count,
                                bool *over, opevo_error *err)
{
    opevo_session *self = context;
    opevo_status status = OPEVO_OK;

    for (*count = 0; *count < capacity; ++*count) {
        OPEVO_TRY(find_next(self, err));
        if (self->ended || self->begun == self->end)
            break;
        OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->given, &self->given_capacity,
                                           self->given_count + 1, sizeof *self->given),
                             "another trial");
        self->given[self->given_count++] = self->trials[self->begun].number;
        points[*count] = self->trials[self->begun++].proposal.point;
    }
    *over = self->ended;
cleanup:
    return status;
}

/* Measure what is left of the queue, and all that is asked for meanwhile, to the end of the
 * step. */
static opevo_status measure(opevo_session *self, opevo_error *err)
{
    const opevo_point_source source = {.next = next_points, .context = self};
    opevo_status status = OPEVO_OK;

    self->given_count = 0;
    note_best(self);
    OPEVO_TRY(opevo_i_session_recall_early(self, self->begun, err));
    OPEVO_TRY(take_known(self, NULL, err));
    status = opevo_objective_measure_from(self->objective, &source, self->options.interrupt, arrive,
                                          self, err);
    if (status == OPEVO_INTERRUPTED) {
        status = OPEVO_OK;
        if (!self->ended)
            opevo_i_session_stop(self, OPEVO_STOP_INTERRUPTED);
    }
cleanup:
    return status;
}

static opevo_status compute_rest(opevo_session *self, opevo_error *err)
{
    size_t count = self->end - self->begun;

    for (size_t i = 0; i < count; i++)
        self->points[i] = self->trials[self->begun + i].proposal.point;
    return compute(self, count, err);
}

/* ---- Stepping ------------------------------------------------------------------------------- */

/* Ask, recall or evaluate, store, tell: one batch, of at most so many trials; or, where they are
 * measured, as many. */
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
        OPEVO_TRY(self->objective->concurrent ? compute_rest(self, err) : measure(self, err));
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
    uint64_t last = self->until = end_of_step(self, trials);
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
