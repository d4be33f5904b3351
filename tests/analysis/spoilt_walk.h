/* SPDX-License-Identifier: GPL-3.0-or-later */

/* q-random walks with a defect: drawn as such a program would draw, and, independently, their exact
 * laws by powers of the defective transition matrix. */

#ifndef OPEVO_TESTS_SPOILT_WALK_H
#define OPEVO_TESTS_SPOILT_WALK_H

#include <opevo/graph.h>
#include <opevo/random.h>

#include <string.h>

enum { SPOILT_MAX = 64 }; /* vertices at most */

typedef struct spoilt_walk {
    const opevo_graph *graph;
    size_t start;
    double q;
    unsigned slots;     /* draws one of so many directions and stays if it has none; 0: no */
    bool at_least_once; /* takes the first step without asking */
    bool is_cut;        /* stops after `cut` steps for certain */
    uint64_t cut;
    bool misses_edge; /* between `from` and `to` */
    uint32_t from, to;
    unsigned bits; /* picks neighbours by a number of so many bits, modulo the degree; 0: exactly */
} spoilt_walk;

/* Neighbours that the walk knows of; returns their number. */
static inline unsigned spoilt_neighbours(const spoilt_walk *self, size_t vertex, uint32_t *out)
{
    unsigned count = 0;

    for (uint64_t e = self->graph->offset[vertex]; e < self->graph->offset[vertex + 1]; e++) {
        uint32_t w = self->graph->target[e];

        if (self->misses_edge &&
            ((vertex == self->from && w == self->to) || (vertex == self->to && w == self->from)))
            continue;
        out[count++] = w;
    }
    return count;
}

static inline opevo_index spoilt_draw(void *context, opevo_rng *rng)
{
    const spoilt_walk *self = context;
    size_t vertex = self->start;

    for (uint64_t steps = 0; !self->is_cut || steps < self->cut; steps++) {
        uint32_t neighbours[SPOILT_MAX];
        unsigned count = 0, slots = 0;
        uint64_t k = 0;

        if (!(self->at_least_once && steps == 0) && opevo_rng_unit(rng) >= self->q)
            break;
        count = spoilt_neighbours(self, vertex, neighbours);
        slots = self->slots ? self->slots : count;
        if (count == 0)
            continue;
        if (self->bits)
            k = (opevo_rng_u64(rng) >> (64 - self->bits)) % slots;
        else
            k = opevo_rng_below(rng, slots);
        if (k < count)
            vertex = neighbours[k];
    }
    return vertex;
}

static inline double spoilt_slot(const spoilt_walk *self, unsigned k, unsigned slots)
{
    uint64_t all = UINT64_C(1) << self->bits, numbers = 0;

    if (!self->bits)
        return 1.0 / slots;
    numbers = all / slots + (k < all % slots);
    return (double)numbers / (double)all;
}

static inline void spoilt_step(const spoilt_walk *self, const double *now, double *next)
{
    memset(next, 0, self->graph->vertex_count * sizeof *next);
    for (size_t v = 0; v < self->graph->vertex_count; v++) {
        uint32_t neighbours[SPOILT_MAX];
        unsigned count = spoilt_neighbours(self, v, neighbours);
        unsigned slots = self->slots ? self->slots : count;

        for (unsigned k = 0; k < slots; k++)
            next[k < count ? neighbours[k] : v] += now[v] * spoilt_slot(self, k, slots);
        if (slots == 0)
            next[v] += now[v];
    }
}

/* The exact law, up to the terms of the series below 1e-18. */
static inline void spoilt_law(const spoilt_walk *self, double *law)
{
    size_t n = self->graph->vertex_count;
    double now[SPOILT_MAX] = {0}, next[SPOILT_MAX], weight = 1;

    memset(law, 0, n * sizeof *law);
    now[self->start] = 1;
    for (uint64_t k = 0; weight > 1e-18; k++) {
        bool last = self->is_cut && k == self->cut;
        bool forced = self->at_least_once && k == 0;
        double stop = last ? 1 : forced ? 0 : 1 - self->q;

        for (size_t v = 0; v < n; v++)
            law[v] += weight * stop * now[v];
        if (last)
            return;
        weight *= forced ? 1 : self->q;
        spoilt_step(self, now, next);
        memcpy(now, next, sizeof now);
    }
}

#endif
