/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The way of every trial of a session from the tuner through the store and back. Outcomes are
 * settled one at a time in the order proposed, whatever the step, the batch, the number of threads
 * and the order in which they arrive, and the run ends exactly at the trial that reaches a limit,
 * so that neither result nor store depends on how the work was cut. */

#include "session_internal.h"

#include <opevo/memory.h>
#include <opevo/store.h>

#include <string.h>

void opevo_i_session_slot_clear(opevo_i_session_slot *slot)
{
    opevo_free(slot->message);
    opevo_free(slot->samples_s);
    *slot = (opevo_i_session_slot){.known = false};
}

bool opevo_i_session_slot_keep(opevo_i_session_slot *slot, opevo_outcome *outcome)
{
    size_t count = outcome->samples_s ? outcome->sample_count : 0;

    slot->message = outcome->message ? opevo_strdup(outcome->message) : NULL;
    slot->samples_s = count ? opevo_malloc(count, sizeof *slot->samples_s) : NULL;
    if ((outcome->message && !slot->message) || (count && !slot->samples_s)) {
        opevo_i_session_slot_clear(slot);
        return false;
    }
    if (count)
        memcpy(slot->samples_s, outcome->samples_s, count * sizeof *slot->samples_s);
    outcome->message = slot->message;
    outcome->samples_s = slot->samples_s;
    outcome->sample_count = count;
    return true;
}

size_t opevo_i_session_known_until(const opevo_session *self)
{
    size_t until = self->settled;

    while (until < self->end && self->slots[until].known)
        until++;
    return until;
}

void opevo_i_session_stop(opevo_session *self, opevo_stop stop)
{
    self->ended = true;
    self->result.stop = stop;
}

/* Room at the end of the queue; what stands in it moves to the front where that is enough. */
static opevo_status make_room(opevo_session *self, size_t count, opevo_error *err)
{
    size_t kept = self->end - self->first;

    if (self->first >= kept && self->first > 0) {
        memcpy(self->trials, self->trials + self->first, kept * sizeof *self->trials);
        memcpy(self->slots, self->slots + self->first, kept * sizeof *self->slots);
        self->settled -= self->first;
        self->begun -= self->begun < self->first ? self->begun : self->first;
        self->first = 0;
        self->end = kept;
    }
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->trials, &self->trial_capacity,
                                       self->end + count, sizeof *self->trials) &&
                             opevo_reserve((void **)&self->slots, &self->slot_capacity,
                                           self->end + count, sizeof *self->slots),
                         "another %zu trials", count);
    return OPEVO_OK;
}

opevo_status opevo_i_session_ask(opevo_session *self, uint64_t most, opevo_error *err)
{
    size_t capacity = most < self->batch ? (size_t)most : self->batch;
    uint64_t last = self->result.trials + (self->end - self->settled);
    opevo_status status = make_room(self, capacity, err);
    size_t count = 0;

    if (status == OPEVO_OK)
        status = opevo_i_session_propose(self, capacity, &count, err);
    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        self->trials[self->end] = (opevo_trial){
            .number = ++last,
            .proposal = self->proposals[i],
            .outcome = opevo_outcome_failed(OPEVO_OUTCOME_UNRECORDED), /* nothing yet */
        };
        self->slots[self->end++] = (opevo_i_session_slot){.known = false};
    }
    return OPEVO_OK;
}

/* As a person reads it. */
static void print_candidate(const opevo_session *self, opevo_index candidate, opevo_text *out)
{
    const opevo_space *space = self->objective->space;

    if (space && opevo_space_has(space, candidate))
        opevo_space_print(space, candidate, out);
    else if (space)
        opevo_text_add(out, "a point outside the space");
    else if (!opevo_domain_print(self->objective->domain, candidate, out))
        opevo_text_add(out, "an unknown candidate");
}

opevo_status opevo_i_session_fail_mismatch(const opevo_session *self, const opevo_trial *stored,
                                           const opevo_trial *expected, opevo_error *err)
{
    opevo_text was = {0};
    opevo_text is = {0};

    print_candidate(self, stored->proposal.point, &was);
    print_candidate(self, expected->proposal.point, &is);
    OPEVO_FAIL(
        err, OPEVO_MISMATCH,
        "%s: trial %llu of run %lld is %s, but the tuner proposes %s as trial %llu: the store "
        "is damaged or of another program; use another store.",
        opevo_store_path(self->options.store), (unsigned long long)stored->number,
        (long long)self->result.run, opevo_text_string(&was), opevo_text_string(&is),
        (unsigned long long)expected->number);
    opevo_text_free(&was);
    opevo_text_free(&is);
    return OPEVO_MISMATCH;
}

opevo_status opevo_i_session_recall(opevo_session *self, size_t from, size_t *known,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = self->end - from;
    opevo_trial *found = NULL;
    size_t got = 0;

    *known = from;
    if (!self->stored_remain || count == 0)
        return OPEVO_OK;
    found = opevo_malloc(count, sizeof *found);
    OPEVO_NEED_OR_RETURN(found, "reading stored trials");
    OPEVO_TRY(opevo_store_read(self->options.store, self->result.run, self->trials[from].number - 1,
                               found, count, &got, err));
    for (size_t i = 0; i < got; i++) {
        opevo_trial *trial = &self->trials[from + i];

        if (found[i].number != trial->number || found[i].proposal.point != trial->proposal.point) {
            status = opevo_i_session_fail_mismatch(self, &found[i], trial, err);
            goto cleanup;
        }
        trial->outcome = found[i].outcome;
        self->slots[from + i].known = true;
    }
    self->stored_remain = got == count;
    *known = from + got;
cleanup:
    opevo_free(found);
    return status;
}

/* Whether the run has failed so often in the way of this trial, without a success,
 * that it gives up. */
static bool is_hopeless(const opevo_session *self, opevo_outcome_class kind)
{
    uint64_t most = self->options.give_up;

    return most > 0 && kind != OPEVO_OUTCOME_REJECTED && kind != OPEVO_OUTCOME_INFEASIBLE &&
           self->result.failed == self->result.trials && self->result.failed_by_class[kind] >= most;
}

/* Judge one trial by the requirements, count it, and end the run if it reaches a limit. */
static void settle_one(opevo_session *self, opevo_trial *trial)
{
    const opevo_run_options *options = &self->options;
    const opevo_budget *budget = &options->budget;
    const opevo_outcome *outcome = &trial->outcome;
    opevo_run_result *result = &self->result;
    bool ok = false;

    opevo_requirements_apply(options->requirements, options->requirement_count,
                             self->objective->unit, &trial->outcome);
    ok = outcome->kind == OPEVO_OUTCOME_OK;
    result->trials++;
    result->failed += !ok;
    result->failed_by_class[outcome->kind] += !ok;
    result->cost_s += opevo_outcome_cost_s(outcome);
    if (ok && (result->best.number == 0 || outcome->fitness > result->best.outcome.fitness)) {
        result->best = *trial;
        result->best.outcome.samples_s = NULL;
        result->best.outcome.sample_count = 0;
        result->best.outcome.message = NULL;
    }
    if (budget->target > 0 && outcome->fitness >= budget->target)
        opevo_i_session_stop(self, OPEVO_STOP_TARGET);
    else if (budget->seconds > 0 && result->cost_s >= budget->seconds)
        opevo_i_session_stop(self, OPEVO_STOP_SECONDS);
    else if (budget->trials > 0 && result->trials >= budget->trials)
        opevo_i_session_stop(self, OPEVO_STOP_TRIALS);
    else if (is_hopeless(self, outcome->kind))
        opevo_i_session_stop(self, OPEVO_STOP_GAVE_UP);
}

void opevo_i_session_settle(opevo_session *self, size_t until)
{
    while (self->settled < until && !self->ended)
        settle_one(self, &self->trials[self->settled++]);
}

void opevo_i_session_show(opevo_session *self, size_t from, bool resumed)
{
    const opevo_run_options *options = &self->options;

    for (size_t i = from; options->observer && i < self->settled; i++)
        options->observer(options->observer_context, &self->trials[i], resumed);
}

opevo_status opevo_i_session_take(opevo_session *self, size_t until, bool resumed, opevo_error *err)
{
    const opevo_run_options *options = &self->options;
    opevo_status status = OPEVO_OK;
    size_t from = self->settled;

    opevo_i_session_settle(self, until);
    if (resumed)
        self->result.resumed += self->settled - from;
    else if (options->store && from < self->settled)
        OPEVO_TRY(opevo_store_append(options->store, self->result.run, self->trials + from,
                                     self->settled - from, err));
    opevo_i_session_show(self, from, resumed);
cleanup:
    return status;
}

opevo_status opevo_i_session_pass_on(opevo_session *self, opevo_error *err)
{
    opevo_status status =
        opevo_i_session_tell(self, self->trials + self->first, self->settled - self->first, err);

    if (status != OPEVO_OK)
        return status;
    while (self->first < self->settled)
        opevo_i_session_slot_clear(&self->slots[self->first++]);
    return OPEVO_OK;
}
