/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Changes of workers, from the facts that the objective has of them. */

#include "workers_since_internal.h"

#include <opevo/memory.h>
#include <opevo/store_workers.h>

#include <string.h>

opevo_status opevo_i_workers_note(const opevo_objective *objective, opevo_i_workers_since *out,
                                  opevo_error *err)
{
    opevo_worker_facts facts;

    for (size_t i = 0; opevo_objective_worker(objective, i, &facts); i++) {
        OPEVO_NEED_OR_RETURN(
            opevo_reserve((void **)&out->done, &out->capacity, i + 1, sizeof *out->done),
            "workers");
        out->done[i] = (opevo_i_workers_done){.trials = facts.trials, .faults = facts.faults};
        out->count = i + 1;
    }
    return OPEVO_OK;
}

static bool is_in_trouble(const char *state)
{
    return !strcmp(state, "down") || !strcmp(state, "suspended");
}

/* What is added to a worker in the store; false: nothing. */
static bool compare(opevo_i_workers_done before, const opevo_worker_facts *facts, bool measured,
                    opevo_stored_worker *out)
{
    uint64_t faults = facts->faults - before.faults;
    bool troubled = is_in_trouble(facts->state);

    *out = (opevo_stored_worker){.by = {facts->command, facts->host, facts->device, true},
                                 .faults = faults,
                                 .state = facts->state,
                                 .words = faults || troubled ? facts->words : ""};
    return faults || (measured && (facts->trials > before.trials || troubled));
}

opevo_status opevo_i_workers_store(const opevo_i_workers_since *since,
                                   const opevo_objective *objective, bool measured,
                                   opevo_store *store, int64_t run, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_stored_worker *stored = NULL;
    opevo_worker_facts facts;
    size_t count = 0, used = 0;

    while (opevo_objective_worker(objective, count, &facts))
        count++;
    if (!store || count == 0)
        return OPEVO_OK;
    OPEVO_NEW_OR_RETURN(stored, count, "%zu workers", count);
    /* Of equal ones of a host the store has one row, with the state that comes last. */
    for (int troubled = 0; troubled < 2; troubled++) {
        for (size_t i = 0; opevo_objective_worker(objective, i, &facts) && i < count; i++) {
            opevo_i_workers_done before =
                i < since->count ? since->done[i] : (opevo_i_workers_done){0};
            opevo_stored_worker one;

            if (is_in_trouble(facts.state) == (bool)troubled &&
                compare(before, &facts, measured, &one))
                stored[used++] = one;
        }
    }
    if (used)
        status = opevo_store_put_workers(store, run, stored, used, err);
    opevo_free(stored);
    return status;
}

void opevo_i_workers_free(opevo_i_workers_since *since)
{
    opevo_free(since->done);
    *since = (opevo_i_workers_since){.done = NULL};
}
