/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sessions whose outcomes come from the caller. A call takes all that it is told or nothing:
 * outcomes are copied and checked, what can be settled is settled, and the store commits it in one
 * transaction together with what has to wait for others; if any of this fails, the session is
 * as before. */

#include "session_internal.h"

#include <opevo/memory.h>

#include "store_internal.h"

#include <assert.h>

/* ---- Resuming ------------------------------------------------------------------------------- */

/* The tuner is asked for as many trials as the store has next, so that none is asked for that the
 * caller is not given. */
static opevo_status replay(opevo_session *self, opevo_error *err)
{
    opevo_trial next[16];
    opevo_status status = OPEVO_OK;
    size_t count = 0;
    size_t known = 0;

    OPEVO_TRY(opevo_store_read(self->options.store, self->result.run, self->result.trials, next,
                               sizeof next / sizeof *next, &count, err));
    self->stored_remain = count > 0;
    if (count == 0)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_session_ask(self, count, err));
    if (self->first == self->end) {
        self->result.reason = self->tuner->reason;
        opevo_i_session_stop(self, OPEVO_STOP_SEARCH_OVER);
        return OPEVO_OK;
    }
    OPEVO_TRY(opevo_i_session_recall(self, self->first, &known, err));
    OPEVO_TRY(opevo_i_session_take(self, known, true, err));
    OPEVO_TRY(opevo_i_session_pass_on(self, err));
cleanup:
    return status;
}

/* ---- Settling ------------------------------------------------------------------------------- */

/* Those that were told by this call and have to wait, `count` of them; the caller frees the
 * list. */
static opevo_status list_waiting(const opevo_session *self, size_t count, opevo_trial **out,
                                 opevo_error *err)
{
    opevo_trial *waiting = opevo_malloc(count, sizeof *waiting);

    OPEVO_NEED_OR_RETURN(waiting, "%zu outcomes", count);
    for (size_t i = self->settled, got = 0; got < count; i++) {
        if (self->slots[i].fresh)
            waiting[got++] = self->trials[i];
    }
    *out = waiting;
    return OPEVO_OK;
}

/* Commit what is settled and what was told besides, `told` outcomes in all. */
static opevo_status commit(opevo_session *self, size_t told, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_trial *waiting = NULL;
    size_t count = told;

    if (!self->options.store || (told == 0 && self->first == self->settled))
        return OPEVO_OK;
    for (size_t i = self->first; i < self->settled; i++)
        count -= self->slots[i].fresh;
    if (count > 0)
        OPEVO_TRY(list_waiting(self, count, &waiting, err));
    OPEVO_TRY(opevo_i_store_append_early(self->options.store, self->result.run,
                                         self->trials + self->first, self->settled - self->first,
                                         waiting, count, err));
cleanup:
    opevo_free(waiting);
    return status;
}

/* Settle and commit, with `told` outcomes of the call at work, or leave the session as it was. */
static opevo_status settle(opevo_session *self, size_t told, opevo_error *err)
{
    opevo_run_result before = self->result;
    bool ended = self->ended;
    opevo_status status = OPEVO_OK;

    opevo_i_session_settle(self, opevo_i_session_known_until(self));
    status = commit(self, told, err);
    if (status == OPEVO_OK)
        return OPEVO_OK;
    self->result = before;
    self->ended = ended;
    self->settled = self->first;
    return status;
}

/* After the commit nothing can be taken back: a failure ends the session. */
static opevo_status pass_on(opevo_session *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (self->first == self->settled)
        return OPEVO_OK;
    opevo_i_session_show(self, self->first, false);
    status = opevo_i_session_pass_on(self, err);
    self->failed = status != OPEVO_OK;
    return status;
}

static opevo_status settle_and_pass_on(opevo_session *self, opevo_error *err)
{
    opevo_status status = settle(self, 0, err);

    return status == OPEVO_OK ? pass_on(self, err) : status;
}

/* ---- Asking --------------------------------------------------------------------------------- */

static opevo_status check_usable(const opevo_session *self, opevo_error *err)
{
    if (!opevo_objective_is_external(self->objective))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%.200s evaluates its points itself: step the session.",
                          self->objective->name);
    if (self->failed)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A session that failed can only be ended; create it again.");
    return OPEVO_OK;
}

/* How many trials the budget has left to ask for. */
static uint64_t trials_left(const opevo_session *self)
{
    uint64_t asked = self->result.trials + (self->end - self->settled);
    uint64_t budget = self->options.budget.trials;

    return !budget ? UINT64_MAX : asked < budget ? budget - asked : 0;
}

/* Ask the tuner for at most so many, settle those whose outcomes are known, and append the others
 * to `trials`. *done says that there are no more for now. */
static opevo_status ask_more(opevo_session *self, uint64_t most, opevo_trial *trials, size_t *count,
                             bool *done, opevo_error *err)
{
    size_t from = self->end - self->first;
    uint64_t left = trials_left(self);
    opevo_status status = OPEVO_OK;

    *done = true;
    if (left == 0)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_session_ask(self, most < left ? most : left, err));
    from += self->first; /* the queue may have moved */
    if (from == self->end) {
        if (!opevo_i_session_waits(self)) {
            self->result.reason = self->tuner->reason;
            opevo_i_session_stop(self, OPEVO_STOP_SEARCH_OVER);
        }
        return OPEVO_OK;
    }
    *done = false;
    OPEVO_TRY(opevo_i_session_recall_early(self, from, err));
    for (size_t i = from; i < self->end; i++) {
        if (self->slots[i].known)
            continue;
        assert(trials); /* who gives none asks for known ones only */
        trials[(*count)++] = self->trials[i];
    }
    return settle_and_pass_on(self, err);
cleanup:
    self->failed = true;
    return status;
}

/* How many of the next trials have outcomes that were told ahead of their turn. */
static uint64_t early_in_turn(const opevo_session *self)
{
    uint64_t next = self->result.trials + (self->end - self->settled) + 1;
    size_t i = self->early_next;

    while (i < self->early_count && self->early[i].number == next + (i - self->early_next))
        i++;
    return i - self->early_next;
}

/* Ask for the trials whose outcomes are known, so that they are complete as soon as all before them
 * are. */
static opevo_status ask_known(opevo_session *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t known = 0;
    size_t count = 0;
    bool done = false;

    while (status == OPEVO_OK && !done && !self->ended && (known = early_in_turn(self)) > 0)
        status = ask_more(self, known, NULL, &count, &done, err);
    return status;
}

opevo_status opevo_i_session_resume(opevo_session *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    while (self->stored_remain && !self->ended)
        OPEVO_TRY(replay(self, err));
    if (!self->options.store)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_session_read_early(self, err));
    OPEVO_TRY(ask_known(self, err));
cleanup:
    return status;
}

opevo_status opevo_session_ask(opevo_session *session, opevo_trial *trials, size_t capacity,
                               size_t *count, opevo_error *err)
{
    opevo_session *self = session;
    opevo_status status = check_usable(self, err);
    size_t got = 0;
    bool done = false;

    if (status == OPEVO_OK)
        status = settle_and_pass_on(self, err); /* what a store did not take before */
    if (status != OPEVO_OK)
        return status;
    while (got < capacity && !self->ended && !done) {
        status = ask_more(self, capacity - got, trials, &got, &done, err);
        if (status != OPEVO_OK)
            return status;
    }
    *count = got;
    return OPEVO_OK;
}

size_t opevo_session_pending(const opevo_session *session, opevo_trial *trials, size_t capacity)
{
    size_t count = 0;

    for (size_t i = session->settled; i < session->end; i++) {
        if (session->slots[i].known)
            continue;
        if (count < capacity)
            trials[count] = session->trials[i];
        count++;
    }
    return count;
}

bool opevo_session_is_over(const opevo_session *session)
{
    return session->ended;
}

/* ---- Telling -------------------------------------------------------------------------------- */

/* Where the trial of that number stands in the queue. */
static opevo_status find(const opevo_session *self, uint64_t number, size_t *place,
                         opevo_error *err)
{
    uint64_t settled = self->result.trials;
    unsigned long long shown = number;

    if (number == 0 || number > settled + (self->end - self->settled))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Trial %llu was never asked for.", shown);
    *place = self->settled + (size_t)(number - settled - 1);
    if (number <= settled || self->slots[*place].known)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Trial %llu was told before.", shown);
    return OPEVO_OK;
}

static opevo_status take_one(opevo_session *self, const opevo_trial *told, opevo_error *err)
{
    opevo_outcome outcome = told->outcome;
    opevo_error inner = {OPEVO_OK, ""};
    size_t place = 0;
    opevo_status status = find(self, told->number, &place, err);

    if (status != OPEVO_OK)
        return status;
    if (opevo_external_check(self->objective, &outcome, &inner) != OPEVO_OK)
        return OPEVO_FAIL(err, inner.status, "Trial %llu: %s", (unsigned long long)told->number,
                          inner.message);
    OPEVO_NEED_OR_RETURN(opevo_i_session_slot_keep(&self->slots[place], &outcome),
                         "the outcome of trial %llu", (unsigned long long)told->number);
    self->slots[place].known = self->slots[place].fresh = true;
    self->trials[place].outcome = outcome;
    return OPEVO_OK;
}

/* What was told by this call is no longer new; or, to `undo` it, was never told. */
static void finish(opevo_session *self, const opevo_trial *trials, size_t count, bool undo)
{
    for (size_t i = 0; i < count; i++) {
        size_t place = self->settled + (size_t)(trials[i].number - self->result.trials - 1);

        if (trials[i].number <= self->result.trials)
            continue; /* it has left the queue */
        self->slots[place].fresh = false;
        if (undo)
            opevo_i_session_slot_clear(&self->slots[place]);
    }
}

opevo_status opevo_session_tell(opevo_session *session, const opevo_trial *trials, size_t count,
                                opevo_error *err)
{
    opevo_session *self = session;
    opevo_status status = check_usable(self, err);
    size_t taken = 0;

    while (taken < count && status == OPEVO_OK) {
        status = take_one(self, &trials[taken], err);
        taken += status == OPEVO_OK;
    }
    if (status == OPEVO_OK)
        status = settle(self, count, err);
    if (status == OPEVO_OK)
        status = pass_on(self, err);
    finish(self, trials, taken, status != OPEVO_OK && !self->failed);
    if (status == OPEVO_OK)
        ask_known(self, NULL); /* what was told is taken; a failure shows at the next call */
    return status;
}
