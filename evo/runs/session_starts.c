/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The start points of a session: trials 1 and following, before the tuner is asked. A stored run
 * keeps those that it was begun with, whatever it is offered later. */

#include "session_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include "store_internal.h"

static opevo_status check(const opevo_session *self, const opevo_proposal *start, opevo_error *err)
{
    const opevo_space *space = self->objective->space;

    if (space &&
        (!opevo_space_has(space, start->point) || !opevo_space_allows(space, start->point)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A start point of %.200s is not an allowed point of its space.",
                          self->objective->name);
    return OPEVO_OK;
}

/* Copy what is offered, each point once. */
static opevo_status copy_offered(const opevo_session *self, const opevo_starts *offered,
                                 opevo_proposal *out, size_t *count, opevo_error *err)
{
    opevo_index_set *met = opevo_index_set_create();
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(met, "start points");
    *count = 0;
    for (size_t i = 0; i < offered->count; i++) {
        OPEVO_TRY(check(self, &offered->points[i], err));
        if (opevo_index_set_has(met, offered->points[i].point))
            continue;
        OPEVO_NEED(opevo_index_set_add(met, offered->points[i].point), "start points");
        out[(*count)++] = offered->points[i];
    }
cleanup:
    opevo_index_set_destroy(met);
    return status;
}

static opevo_status settle_stored(opevo_session *self, opevo_error *err)
{
    opevo_proposal *kept = NULL;
    size_t count = 0;
    opevo_status status = opevo_i_store_settle_starts(
        self->options.store, self->result.run, self->starts, self->start_count, &kept, &count, err);

    if (status != OPEVO_OK)
        return status;
    opevo_free(self->starts);
    self->starts = kept;
    self->start_count = count;
    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = check(self, &kept[i], err);
    return status;
}

opevo_status opevo_i_session_take_starts(opevo_session *self, opevo_error *err)
{
    const opevo_starts *offered =
        self->options.starts ? self->options.starts : self->objective->starts;
    opevo_status status = OPEVO_OK;

    if (offered && offered->count > 0) {
        self->starts = opevo_malloc(offered->count, sizeof *self->starts);
        OPEVO_NEED_OR_RETURN(self->starts, "%zu start points", offered->count);
        status = copy_offered(self, offered, self->starts, &self->start_count, err);
    }
    if (status == OPEVO_OK && self->options.store)
        status = settle_stored(self, err);
    return status;
}

opevo_status opevo_i_session_propose(opevo_session *self, size_t capacity, size_t *count,
                                     opevo_error *err)
{
    if (self->starts_told == self->start_count)
        return opevo_tuner_ask(self->tuner, self->proposals, capacity, count, err);
    for (*count = 0; *count < capacity && self->starts_asked < self->start_count; ++*count)
        self->proposals[*count] = self->starts[self->starts_asked++];
    return OPEVO_OK;
}

opevo_status opevo_i_session_tell(opevo_session *self, const opevo_trial *trials, size_t count,
                                  opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (self->starts_told == self->start_count)
        return opevo_tuner_tell(self->tuner, trials, count, err);
    status = opevo_tuner_observe(self->tuner, trials, count, err);
    if (status == OPEVO_OK)
        self->starts_told += count;
    return status;
}

bool opevo_i_session_waits(const opevo_session *self)
{
    return self->tuner->pending > 0 || self->starts_told < self->starts_asked;
}
