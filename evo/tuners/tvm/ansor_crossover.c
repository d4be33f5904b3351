/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Crossings are collected until their exchanges fill a batch of predictions. */

#include "ansor_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* The parameters of one stage, brought from one parent to another. */
typedef struct opevo_i_tvm_exchange {
    size_t child; /* number of the crossing within the batch */
    size_t stage;
    size_t to, from; /* places of the parents in the generation */
} exchange;

bool opevo_i_tvm_crossing_init(opevo_i_tvm_crossing *self, double probability, size_t capacity,
                               size_t width)
{
    self->probability = probability;
    if (!(probability > 0))
        return true;
    self->capacity = capacity;
    self->exchanges = opevo_malloc(capacity, sizeof *self->exchanges);
    self->points = opevo_malloc(capacity, sizeof *self->points);
    self->vertices = opevo_malloc(capacity, width * sizeof *self->vertices);
    self->scores = opevo_malloc(capacity, sizeof *self->scores);
    return self->exchanges && self->points && self->vertices && self->scores;
}

void opevo_i_tvm_crossing_release(opevo_i_tvm_crossing *self)
{
    opevo_free(self->exchanges);
    opevo_free(self->points);
    opevo_free(self->vertices);
    opevo_free(self->scores);
}

static const opevo_index *row_of(const opevo_i_tvm_ansor *self, size_t place)
{
    return self->super.vertices + place * self->super.width;
}

static bool match(const opevo_i_tvm_ansor *self, size_t a, size_t b)
{
    const opevo_index *first = row_of(self, a), *second = row_of(self, b);

    for (size_t i = 0; i < self->super.width; i++) {
        if ((first[i] == OPEVO_INACTIVE) != (second[i] == OPEVO_INACTIVE))
            return false;
    }
    return true;
}

/* Copy the parameters of a stage; whether one differs. */
static bool copy_stage(const opevo_i_tvm_ansor *self, size_t stage, const opevo_index *from,
                       opevo_index *to)
{
    bool differs = false;

    for (size_t i = 0; i < self->super.width; i++) {
        if (opevo_i_tvm_genome_stage(self->genome, i) != stage || from[i] == to[i])
            continue;
        to[i] = from[i];
        differs = true;
    }
    return differs;
}

/* The exchanges of one crossing; those that change nothing or are forbidden are left out. */
static void add_exchanges(opevo_i_tvm_ansor *self, size_t child, size_t to, size_t from)
{
    opevo_i_tvm_evolution *evolution = &self->super;
    opevo_i_tvm_crossing *batch = &self->crossing;

    for (size_t stage = 0; stage < opevo_i_tvm_genome_stage_count(self->genome); stage++) {
        opevo_index *row = batch->vertices + batch->count * evolution->width;

        memcpy(row, row_of(self, to), evolution->width * sizeof *row);
        if (!copy_stage(self, stage, row_of(self, from), row))
            continue;
        if (opevo_i_tvm_evolution_settle(evolution, row, &batch->points[batch->count]))
            batch->exchanges[batch->count++] =
                (exchange){.child = child, .stage = stage, .to = to, .from = from};
    }
}

/* Score the exchanges, and make the children of the crossings that have any. */
static opevo_status finish_batch(opevo_i_tvm_ansor *self, size_t *made, opevo_error *err)
{
    opevo_i_tvm_evolution *evolution = &self->super;
    opevo_i_tvm_crossing *batch = &self->crossing;
    opevo_status status = opevo_i_tvm_evolution_score(evolution, batch->points, batch->vertices,
                                                      batch->count, batch->scores, err);

    for (size_t i = 0; status == OPEVO_OK && i < batch->count;) {
        const exchange *first = &batch->exchanges[i];
        opevo_index *child = evolution->next_vertices + *made * evolution->width;

        memcpy(child, row_of(self, first->to), evolution->width * sizeof *child);
        for (; i < batch->count && batch->exchanges[i].child == first->child; i++) {
            if (batch->scores[i] > evolution->scores[first->to])
                copy_stage(self, batch->exchanges[i].stage, row_of(self, first->from), child);
        }
        *made += opevo_i_tvm_evolution_settle(evolution, child, &evolution->next_points[*made]);
    }
    batch->count = 0;
    return status;
}

opevo_status opevo_i_tvm_ansor_cross(opevo_i_tvm_ansor *self, size_t *made, opevo_error *err)
{
    opevo_i_tvm_evolution *evolution = &self->super;
    opevo_i_tvm_crossing *batch = &self->crossing;
    size_t stages = opevo_i_tvm_genome_stage_count(self->genome);
    opevo_status status = OPEVO_OK;

    if (!(batch->probability > 0) || stages > batch->capacity)
        return OPEVO_OK;
    for (size_t child = 0; child < evolution->plan.population && status == OPEVO_OK; child++) {
        size_t to = 0, from = 0;

        if (opevo_rng_unit(&evolution->rng) >= batch->probability)
            continue;
        to = opevo_i_tvm_evolution_parent(evolution);
        from = opevo_i_tvm_evolution_parent(evolution);
        if (evolution->scores[from] > evolution->scores[to]) {
            size_t better = from;

            from = to;
            to = better;
        }
        if (!match(self, to, from))
            continue;
        if (batch->count + stages > batch->capacity)
            status = finish_batch(self, made, err);
        add_exchanges(self, child, to, from);
    }
    return status == OPEVO_OK ? finish_batch(self, made, err) : status;
}
