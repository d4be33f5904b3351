/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Walks that are put off. What is asked of one parameter says nothing about the walks of another,
 * so these may be drawn later; and where walks end depends on where they begin alone, so that many
 * are drawn as one. */

#include <opevo/mutation.h>

#include <opevo/memory.h>

#include <string.h>

struct opevo_mutation {
    const opevo_diagram *diagram;
    opevo_walker *const *walkers;
    size_t width;
    uint32_t added;        /* mutations so far */
    uint32_t *made;        /* those that each parameter has walked */
    opevo_index *vertices; /* the caller's */
    opevo_rng *rng;        /* while the diagram asks */
};

opevo_mutation *opevo_mutation_create(const opevo_diagram *diagram, opevo_walker *const *walkers,
                                      size_t width)
{
    opevo_mutation *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->diagram = diagram;
    self->walkers = walkers;
    self->width = width;
    self->made = opevo_malloc(width, sizeof *self->made);
    if (!self->made) {
        opevo_free(self);
        return NULL;
    }
    return self;
}

void opevo_mutation_destroy(opevo_mutation *mutation)
{
    if (!mutation)
        return;
    opevo_free(mutation->made);
    opevo_free(mutation);
}

void opevo_mutation_begin(opevo_mutation *mutation, opevo_index *vertices)
{
    mutation->vertices = vertices;
    mutation->added = 0;
    memset(mutation->made, 0, mutation->width * sizeof *mutation->made);
}

void opevo_mutation_add(opevo_mutation *mutation)
{
    mutation->added++;
}

static opevo_index bring_up(void *context, size_t parameter)
{
    opevo_mutation *self = context;
    uint32_t left = self->added - self->made[parameter];
    opevo_index *vertex = &self->vertices[parameter];

    if (left) {
        *vertex = opevo_walker_draw_many(self->walkers[parameter], *vertex, left, self->rng);
        self->made[parameter] = self->added;
    }
    return *vertex;
}

bool opevo_mutation_is_allowed(opevo_mutation *mutation, opevo_rng *rng)
{
    mutation->rng = rng;
    return opevo_diagram_allows_asked(mutation->diagram, bring_up, mutation);
}

void opevo_mutation_finish(opevo_mutation *mutation, opevo_rng *rng)
{
    mutation->rng = rng;
    for (size_t i = 0; i < mutation->width; i++)
        bring_up(mutation, i);
}
