/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The workers of a session's objective: the store of the run gets what became of them meanwhile, in
 * whatever way the session ends. An objective may have measured for other runs before. */

#include "session_internal.h"

#include <opevo/memory.h>
#include <opevo/store_workers.h>

#include <string.h>

opevo_status opevo_i_session_note_workers(opevo_session *self, opevo_error *err)
{
    opevo_worker_facts facts;

    for (size_t i = 0; opevo_objective_worker(self->objective, i, &facts); i++) {
        if (!opevo_reserve((void **)&self->workers, &self->worker_capacity, i + 1,
                           sizeof *self->workers))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for workers.");
        self->workers[i] = (opevo_i_session_worker){.trials = facts.trials, .faults = facts.faults};
        self->worker_count = i + 1;
    }
    return OPEVO_OK;
}

static bool is_in_trouble(const char *state)
{
    return !strcmp(state, "down") || !strcmp(state, "suspended");
}

/* What the session adds to the i-th worker in the store; false: nothing. */
static bool compare(const opevo_session *self, size_t i, opevo_stored_worker *out)
{
    opevo_i_session_worker before = {0};
    opevo_worker_facts facts;
    uint64_t faults = 0;
    bool measured = self->result.trials > self->result.resumed;

    if (!opevo_objective_worker(self->objective, i, &facts))
        return false;
    if (i < self->worker_count) /* others have come since */
        before = self->workers[i];
    faults = facts.faults - before.faults;
    *out = (opevo_stored_worker){.by = {facts.command, facts.host, facts.device, true},
                                 .faults = faults,
                                 .state = facts.state,
                                 .words = faults || is_in_trouble(facts.state) ? facts.words : ""};
    return faults || (measured && (facts.trials > before.trials || is_in_trouble(facts.state)));
}

opevo_status opevo_i_session_store_workers(opevo_session *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_stored_worker *stored = NULL;
    opevo_worker_facts facts;
    size_t count = 0, used = 0;

    while (opevo_objective_worker(self->objective, count, &facts))
        count++;
    if (!self->options.store || count == 0)
        return OPEVO_OK;
    stored = opevo_calloc(count, sizeof *stored);
    if (!stored)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu workers.", count);
    /* Of equal ones of a host the store has one row, with the state that comes last. */
    for (int troubled = 0; troubled < 2; troubled++) {
        for (size_t i = 0; i < count; i++) {
            opevo_stored_worker one;

            if (compare(self, i, &one) && is_in_trouble(one.state) == (bool)troubled)
                stored[used++] = one;
        }
    }
    if (used)
        status = opevo_store_put_workers(self->options.store, self->result.run, stored, used, err);
    opevo_free(stored);
    return status;
}
