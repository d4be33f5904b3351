/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Always true: told <= asked <= count, and neither stands on a repeat: both step over repeats as
 * soon as they reach them. */

#include "rounds_internal.h"

#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <assert.h>

typedef struct entry {
    opevo_index point;
    const char *origin;
    double fitness; /* of a repeat from the start, otherwise once told */
    bool repeat;
} entry;

struct opevo_i_rounds {
    const opevo_space *space;
    opevo_i_tried *tried;
    entry *entries;
    size_t capacity;
    size_t count;
    size_t asked;
    size_t told;
    uint64_t repeats;
    uint64_t repeats_in_a_row;
    opevo_index *starts; /* added in the place of uniform points */
    size_t start_capacity, start_count, next_start;
};

opevo_i_rounds *opevo_i_rounds_create(const opevo_space *space)
{
    opevo_i_rounds *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->space = space;
    self->tried = opevo_i_tried_create(space);
    if (!self->tried) {
        opevo_free(self);
        return NULL;
    }
    return self;
}

void opevo_i_rounds_destroy(opevo_i_rounds *rounds)
{
    if (!rounds)
        return;
    opevo_i_tried_destroy(rounds->tried);
    opevo_free(rounds->entries);
    opevo_free(rounds->starts);
    opevo_free(rounds);
}

bool opevo_i_rounds_has(const opevo_i_rounds *rounds, opevo_index point)
{
    return opevo_i_tried_get(rounds->tried, point, NULL);
}

static bool is_in(const void *rounds, opevo_index point)
{
    return opevo_i_rounds_has(rounds, point);
}

bool opevo_i_rounds_nearest(const opevo_i_rounds *rounds, const opevo_index *vertices,
                            opevo_index *point)
{
    return opevo_space_nearest_listed(rounds->space, vertices, is_in, rounds, point);
}

opevo_status opevo_i_rounds_know(opevo_i_rounds *rounds, const opevo_trial *trials, size_t count,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = opevo_i_tried_tell(rounds->tried, trials[i].proposal.point,
                                    trials[i].outcome.fitness, err);
    return status;
}

opevo_status opevo_i_rounds_begin_with(opevo_i_rounds *rounds, const opevo_trial *trials,
                                       size_t count, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&rounds->starts, &rounds->start_capacity,
                                       rounds->start_count + count, sizeof *rounds->starts),
                         "%zu trials", count);
    for (size_t i = 0; i < count; i++)
        rounds->starts[rounds->start_count++] = trials[i].proposal.point;
    return opevo_i_rounds_know(rounds, trials, count, err);
}

void opevo_i_rounds_begin(opevo_i_rounds *rounds)
{
    assert(opevo_i_rounds_complete(rounds));
    rounds->count = rounds->asked = rounds->told = 0;
}

static size_t skip_repeats(const opevo_i_rounds *self, size_t i)
{
    while (i < self->count && self->entries[i].repeat)
        i++;
    return i;
}

opevo_status opevo_i_rounds_add(opevo_i_rounds *rounds, opevo_index point, const char *origin,
                                opevo_error *err)
{
    opevo_i_rounds *self = rounds;
    entry added = {.point = point, .origin = origin};

    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->entries, &self->capacity, self->count + 1,
                                       sizeof *self->entries),
                         "a round of proposals");
    added.repeat = opevo_i_tried_get(self->tried, point, &added.fitness);
    if (added.repeat) {
        self->repeats++;
        self->repeats_in_a_row++;
    } else {
        opevo_status status = opevo_i_tried_propose(self->tried, point, err);

        if (status != OPEVO_OK)
            return status;
        self->repeats_in_a_row = 0;
    }
    self->entries[self->count++] = added;
    self->asked = skip_repeats(self, self->asked);
    self->told = skip_repeats(self, self->told);
    return OPEVO_OK;
}

opevo_status opevo_i_rounds_add_uniform(opevo_i_rounds *rounds, opevo_rng *rng, const char *origin,
                                        const char **reason, opevo_error *err)
{
    opevo_index point = 0;
    opevo_status status = OPEVO_OK;

    *reason = NULL;
    if (rounds->next_start < rounds->start_count)
        return opevo_i_rounds_add(rounds, rounds->starts[rounds->next_start++], origin, err);
    status = opevo_i_tried_draw(rounds->tried, rng, &point, reason, err);
    if (status != OPEVO_OK || *reason)
        return status;
    return opevo_i_rounds_add(rounds, point, origin, err);
}

void opevo_i_rounds_reverse(opevo_i_rounds *rounds)
{
    for (size_t i = 0; i < rounds->count / 2; i++) {
        entry *other = &rounds->entries[rounds->count - 1 - i];
        entry first = rounds->entries[i];

        rounds->entries[i] = *other;
        *other = first;
    }
    rounds->asked = rounds->told = skip_repeats(rounds, 0);
}

size_t opevo_i_rounds_count(const opevo_i_rounds *rounds)
{
    return rounds->count;
}

opevo_index opevo_i_rounds_point(const opevo_i_rounds *rounds, size_t i)
{
    return rounds->entries[i].point;
}

double opevo_i_rounds_fitness(const opevo_i_rounds *rounds, size_t i)
{
    return rounds->entries[i].fitness;
}

bool opevo_i_rounds_complete(const opevo_i_rounds *rounds)
{
    return rounds->told == rounds->count;
}

uint64_t opevo_i_rounds_repeats(const opevo_i_rounds *rounds)
{
    return rounds->repeats;
}

uint64_t opevo_i_rounds_repeats_in_a_row(const opevo_i_rounds *rounds)
{
    return rounds->repeats_in_a_row;
}

size_t opevo_i_rounds_ask(opevo_i_rounds *rounds, opevo_proposal *proposals, size_t capacity)
{
    size_t given = 0;

    while (given < capacity && rounds->asked < rounds->count) {
        const entry *asked = &rounds->entries[rounds->asked];

        proposals[given].point = asked->point;
        proposals[given].origin = asked->origin;
        given++;
        rounds->asked = skip_repeats(rounds, rounds->asked + 1);
    }
    return given;
}

opevo_status opevo_i_rounds_tell(opevo_i_rounds *rounds, const opevo_trial *trials, size_t count,
                                 opevo_error *err)
{
    for (size_t i = 0; i < count; i++) {
        entry *told = &rounds->entries[rounds->told];
        opevo_status status = OPEVO_OK;

        if (trials[i].proposal.point != told->point)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "A tuner must be told outcomes in the order of its proposals.");
        status = opevo_i_tried_tell(rounds->tried, told->point, trials[i].outcome.fitness, err);
        if (status != OPEVO_OK)
            return status;
        opevo_i_tried_get(rounds->tried, told->point, &told->fitness);
        rounds->told = skip_repeats(rounds, rounds->told + 1);
    }
    return OPEVO_OK;
}
