/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points of a run that its tuner did not propose. A tuner that proposes one of them later is told
 * the known outcome, and the proposal is not handed out. A tuner is told outcomes in the order of
 * its proposals, so a known outcome waits until all before it are told.
 *
 * Always true: `queue` from `first` on has an entry for each proposal that the tuner was not told
 * of, in their order, and its first entry is not a known one. */

#include "port_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <stdint.h>

/* Of the queue: a proposal whose outcome comes from outside. */
enum { UNKNOWN = 0 };

typedef struct observed {
    opevo_index_map *places; /* point -> place in `trials`, from 1 */
    opevo_trial *trials;
    size_t count, capacity;
    uint64_t *queue; /* UNKNOWN, or a place in `trials`, from 1 */
    size_t first, end, queue_capacity;
} observed;

void opevo_i_port_observed_free(opevo_tuner *tuner)
{
    observed *self = tuner->observed;

    if (!self)
        return;
    opevo_index_map_destroy(self->places);
    opevo_free(self->trials);
    opevo_free(self->queue);
    opevo_free(self);
    tuner->observed = NULL;
}

static opevo_status ensure_observed(opevo_tuner *tuner, opevo_error *err)
{
    observed *self = tuner->observed;

    if (self)
        return OPEVO_OK;
    OPEVO_NEW_OR_RETURN(self, 1, "trials");
    tuner->observed = self;
    self->places = opevo_index_map_create();
    if (!self->places) {
        opevo_i_port_observed_free(tuner);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for trials.");
    }
    return OPEVO_OK;
}

opevo_status opevo_i_port_observed_add(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                       opevo_error *err)
{
    opevo_status status = ensure_observed(tuner, err);
    observed *self = tuner->observed;

    if (status != OPEVO_OK)
        return status;
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->trials, &self->capacity, self->count + count,
                                       sizeof *self->trials),
                         "%zu trials", count);
    for (size_t i = 0; i < count; i++) {
        opevo_index point = trials[i].proposal.point;
        opevo_trial *kept = &self->trials[self->count];
        uint64_t place = 0;

        if (opevo_index_map_get(self->places, point, &place))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Trial %llu is at a point told before.",
                              (unsigned long long)trials[i].number);
        OPEVO_NEED_OR_RETURN(opevo_index_map_put(self->places, point, self->count + 1),
                             "%zu trials", count);
        *kept = trials[i];
        kept->outcome.samples_s = NULL;
        kept->outcome.sample_count = 0;
        kept->outcome.message = NULL;
        self->count++;
    }
    return OPEVO_OK;
}

/* Tell the known outcomes whose turn it is. */
static opevo_status answer(opevo_tuner *tuner, opevo_error *err)
{
    observed *self = tuner->observed;

    while (self->first < self->end && self->queue[self->first] != UNKNOWN) {
        const opevo_trial *known = &self->trials[self->queue[self->first] - 1];
        opevo_status status = tuner->ops->tell(tuner, known, 1, err);

        if (status != OPEVO_OK)
            return status;
        self->first++;
    }
    return OPEVO_OK;
}

/* Room for `count` more entries; those left move to the front. */
static bool make_room(observed *self, size_t count)
{
    for (size_t i = self->first; i < self->end; i++)
        self->queue[i - self->first] = self->queue[i];
    self->end -= self->first;
    self->first = 0;
    return opevo_reserve((void **)&self->queue, &self->queue_capacity, self->end + count,
                         sizeof *self->queue);
}

opevo_status opevo_i_port_observed_ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t *count,
                                       opevo_error *err)
{
    observed *self = tuner->observed;
    size_t given = *count;

    if (!self)
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(make_room(self, given), "another %zu trials", given);
    *count = 0;
    for (size_t i = 0; i < given; i++) {
        uint64_t place = UNKNOWN;

        if (!opevo_index_map_get(self->places, proposals[i].point, &place))
            proposals[(*count)++] = proposals[i];
        self->queue[self->end++] = place;
    }
    return answer(tuner, err);
}

opevo_status opevo_i_port_observed_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                        opevo_error *err)
{
    observed *self = tuner->observed;
    opevo_status status = OPEVO_OK;

    while (count > 0 && status == OPEVO_OK) {
        size_t next = 0; /* that the tuner waits for before a known one */

        while (next < count && (!self || self->queue[self->first + next] == UNKNOWN))
            next++;
        status = tuner->ops->tell(tuner, trials, next, err);
        if (status != OPEVO_OK)
            return status;
        tuner->pending -= next;
        trials += next;
        count -= next;
        if (self) {
            self->first += next;
            status = answer(tuner, err);
        }
    }
    return status;
}
