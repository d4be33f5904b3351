/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Individuals lie in slots and never move; a list of slots is kept in order of rank. */

#include "population_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

struct opevo_i_opevo_population {
    size_t capacity;
    size_t width;
    size_t count;
    size_t *slot;          /* by rank */
    double *fitness;       /* by slot */
    opevo_index *vertices; /* by slot, `width` each */
};

opevo_i_opevo_population *opevo_i_opevo_population_create(size_t capacity, size_t width)
{
    opevo_i_opevo_population *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->capacity = capacity;
    self->width = width;
    self->slot = opevo_malloc(capacity, sizeof *self->slot);
    self->fitness = opevo_malloc(capacity, sizeof *self->fitness);
    self->vertices = opevo_malloc(capacity, width * sizeof *self->vertices);
    if (!self->slot || !self->fitness || !self->vertices) {
        opevo_i_opevo_population_destroy(self);
        return NULL;
    }
    return self;
}

void opevo_i_opevo_population_destroy(opevo_i_opevo_population *population)
{
    if (!population)
        return;
    opevo_free(population->slot);
    opevo_free(population->fitness);
    opevo_free(population->vertices);
    opevo_free(population);
}

size_t opevo_i_opevo_population_count(const opevo_i_opevo_population *population)
{
    return population->count;
}

const opevo_index *opevo_i_opevo_population_get(const opevo_i_opevo_population *population,
                                                size_t rank, double *fitness)
{
    size_t slot = population->slot[rank];

    if (fitness)
        *fitness = population->fitness[slot];
    return population->vertices + slot * population->width;
}

/* How many are fitter than `fitness`. */
static size_t count_fitter(const opevo_i_opevo_population *self, double fitness)
{
    size_t low = 0;
    size_t high = self->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (self->fitness[self->slot[middle]] > fitness)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void opevo_i_opevo_population_add(opevo_i_opevo_population *population, double fitness,
                                  const opevo_index *vertices)
{
    opevo_i_opevo_population *self = population;
    size_t rank = 0;
    size_t slot = self->count;

    if (!(fitness > 0 && isfinite(fitness)))
        return;
    rank = count_fitter(self, fitness);
    if (rank == self->capacity)
        return;
    if (self->count == self->capacity)
        slot = self->slot[self->capacity - 1];
    else
        self->count++;
    memmove(self->slot + rank + 1, self->slot + rank,
            (self->count - 1 - rank) * sizeof *self->slot);
    self->slot[rank] = slot;
    self->fitness[slot] = fitness;
    memcpy(self->vertices + slot * self->width, vertices, self->width * sizeof *vertices);
}
