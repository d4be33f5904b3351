/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The individuals of one point form a list, its last one in a table under the point. */

#include "individuals_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#define NONE SIZE_MAX

typedef struct individual {
    opevo_index founders; /* as the number of a point */
    uint64_t brood;
    size_t next; /* of the same point; NONE: the last */
    bool told;
} individual;

struct opevo_i_opevo_individuals {
    opevo_index_map *first; /* point -> number of an individual */
    individual *all;
    size_t count;
    size_t capacity;
};

opevo_i_opevo_individuals *opevo_i_opevo_individuals_create(void)
{
    opevo_i_opevo_individuals *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->first = opevo_index_map_create();
    if (!self->first) {
        opevo_free(self);
        return NULL;
    }
    return self;
}

void opevo_i_opevo_individuals_destroy(opevo_i_opevo_individuals *individuals)
{
    if (!individuals)
        return;
    opevo_index_map_destroy(individuals->first);
    opevo_free(individuals->all);
    opevo_free(individuals);
}

static size_t first_of(const opevo_i_opevo_individuals *self, opevo_index point)
{
    uint64_t number = 0;

    return opevo_index_map_get(self->first, point, &number) ? (size_t)number : NONE;
}

bool opevo_i_opevo_individuals_has(const opevo_i_opevo_individuals *individuals, opevo_index point,
                                   opevo_index founders, uint64_t brood)
{
    size_t number = first_of(individuals, point);

    while (number != NONE) {
        const individual *one = &individuals->all[number];

        if (one->founders == founders && (one->told || one->brood == brood))
            return true;
        number = one->next;
    }
    return false;
}

bool opevo_i_opevo_individuals_add(opevo_i_opevo_individuals *individuals, opevo_index point,
                                   opevo_index founders, uint64_t brood, size_t *number)
{
    opevo_i_opevo_individuals *self = individuals;
    individual added = {
        .founders = founders, .brood = brood, .next = first_of(self, point), .told = false};

    if (!opevo_reserve((void **)&self->all, &self->capacity, self->count + 1, sizeof *self->all) ||
        !opevo_index_map_put(self->first, point, self->count))
        return false;
    *number = self->count;
    self->all[self->count++] = added;
    return true;
}

void opevo_i_opevo_individuals_tell(opevo_i_opevo_individuals *individuals, size_t number)
{
    individuals->all[number].told = true;
}
