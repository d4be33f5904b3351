/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `gbfs`: greedy best-first search on the neighbours of points.
 *
 * Source: Zhang, Cheng, Zang, Park, "Compiler-Level Matrix Multiplication Optimization for Deep
 * Learning", 2019 (arXiv 1909.10616), G-BFS; Gao et al., "OpEvo", section 2 and appendix B. The
 * best visited point that was not yet expanded is taken from a priority queue; rho of its
 * neighbours, drawn without replacement, are visited unless they were before, and enter the queue.
 * A neighbour changes one parameter by one step of its topology. The search starts at the
 * configuration without tiling: every factor whole in its first place.
 *
 * Deliberate deviations and what the source leaves open:
 * - Any parameter takes part by the neighbours of its topology, from its first value; the originals
 *   know factorisations only. A neighbour in another branch is the first point of that branch.
 * - Among equally fit points the newest is expanded first.
 * - A forbidden neighbour is not visited, like a state that the source calls not legitimate. A
 *   forbidden start is replaced by a uniform allowed point. Where allowed points are rare, both are
 *   made allowed by the space's diagram.
 * - Points that were measured before the search enter the queue in the place of the start.
 * - An expansion is evaluated whole before the next begins.
 * - With an empty queue the source ends; here a uniform point that was never visited enters it. */

#include "gbfs_internal.h"

#include <opevo/diagram.h>
#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <string.h>

#include "rounds_internal.h"

/* In a row and without anything new, after which the reference is taken to go round in circles. */
enum { REPEATS_MOST = 1024 };

typedef struct state {
    double fitness;
    uint64_t age; /* states that entered the queue before */
    opevo_index point;
} state;

typedef struct gbfs {
    opevo_tuner super;
    const opevo_space *space;
    const opevo_diagram *diagram; /* that uniform draws come from; NULL: they do not */
    size_t width;                 /* parameters of the space */
    size_t rho;
    bool reference;
    bool begun;
    opevo_rng rng;
    opevo_i_rounds *rounds;

    state *queue; /* a binary heap, the first to expand on top */
    size_t queue_count;
    size_t queue_capacity;
    uint64_t entered;

    opevo_index *vertices; /* scratch: of the point that is expanded */
    opevo_index *moved;    /* scratch: of its neighbour, with branches */
    opevo_index *degrees;  /* likewise */
    opevo_index *chosen;   /* scratch: `rho` numbers of neighbours */
} gbfs;

const opevo_setting opevo_i_gbfs_settings[OPEVO_I_GBFS_SETTING_COUNT] = {
    OPEVO_ROW_COUNT("rho", gbfs, rho, 5, 1, 1000, "neighbours drawn when a point is expanded",
                    .batch = OPEVO_BATCH_AT_MOST),
};

void opevo_i_gbfs_destroy(opevo_tuner *tuner)
{
    gbfs *self = (gbfs *)tuner;

    opevo_i_rounds_destroy(self->rounds);
    opevo_free(self->queue);
    opevo_free(self->vertices);
    opevo_free(self->moved);
    opevo_free(self->degrees);
    opevo_free(self->chosen);
    opevo_free(self);
}

opevo_status opevo_i_gbfs_create(const opevo_space *space, const opevo_setting_value *settings,
                                 const opevo_rng *rng, bool reference, opevo_tuner **out,
                                 opevo_error *err)
{
    gbfs *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "greedy best-first search");
    self->space = space;
    self->diagram = opevo_space_draws_from(space);
    self->width = opevo_space_parameter_count(space);
    OPEVO_SETTINGS_READ(opevo_i_gbfs_settings, settings, self);
    self->reference = reference;
    self->rng = *rng;
    self->rounds = opevo_i_rounds_create(space);
    self->vertices = opevo_malloc(self->width, sizeof *self->vertices);
    self->moved = opevo_malloc(self->width, sizeof *self->moved);
    self->degrees = opevo_malloc(self->width, sizeof *self->degrees);
    self->chosen = opevo_malloc(self->rho, sizeof *self->chosen);
    if (!self->rounds || !self->vertices || !self->moved || !self->degrees || !self->chosen) {
        opevo_i_gbfs_destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for greedy best-first search.");
    }
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- The queue ---- */

static bool before(const state *a, const state *b)
{
    return a->fitness > b->fitness || (a->fitness == b->fitness && a->age > b->age);
}

static opevo_status push(gbfs *self, opevo_index point, double fitness, opevo_error *err)
{
    state entering = {.fitness = fitness, .age = self->entered, .point = point};
    size_t hole = self->queue_count;

    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->queue, &self->queue_capacity,
                                       self->queue_count + 1, sizeof *self->queue),
                         "the queue of a best-first search");
    self->entered++;
    self->queue_count++;
    while (hole > 0 && before(&entering, &self->queue[(hole - 1) / 2])) {
        self->queue[hole] = self->queue[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    self->queue[hole] = entering;
    return OPEVO_OK;
}

/* The queue is not empty. */
static opevo_index pop(gbfs *self)
{
    opevo_index top = self->queue[0].point;
    const state *last = &self->queue[--self->queue_count];
    size_t hole = 0;

    for (;;) {
        size_t child = 2 * hole + 1;

        if (child + 1 < self->queue_count && before(&self->queue[child + 1], &self->queue[child]))
            child++;
        if (child >= self->queue_count || !before(&self->queue[child], last))
            break;
        self->queue[hole] = self->queue[child];
        hole = child;
    }
    self->queue[hole] = *last;
    return top;
}

/* ---- Expansion ---- */

/* Draw `count` of 0 .. total - 1 into `chosen` without replacement, in random order. */
static void choose(gbfs *self, opevo_index total, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool again = true;

        while (again) {
            self->chosen[i] = opevo_rng_below_wide(&self->rng, total);
            again = false;
            for (size_t k = 0; k < i && !again; k++)
                again = self->chosen[k] == self->chosen[i];
        }
    }
}

/* The point with another vertex of parameter i; in another branch the first there. A diagram makes
 * an allowed one of it. */
static opevo_index point_at(gbfs *self, size_t i, opevo_index vertex)
{
    opevo_index from = self->vertices[i];
    opevo_index point = 0;

    if (self->diagram || opevo_space_has_branches(self->space)) {
        memcpy(self->moved, self->vertices, self->width * sizeof *self->moved);
        self->moved[i] = vertex;
        opevo_space_settle(self->space, i, self->moved);
        if (self->diagram)
            opevo_diagram_settle(self->diagram, self->moved);
        return opevo_space_encode(self->space, self->moved);
    }
    self->vertices[i] = vertex;
    point = opevo_space_encode(self->space, self->vertices);
    self->vertices[i] = from;
    return point;
}

/* The k-th neighbour of the point in `vertices`: those of the first parameter come first. */
static opevo_index neighbour(gbfs *self, opevo_index k)
{
    size_t i = 0;

    while (k >= self->degrees[i])
        k -= self->degrees[i++];
    return point_at(
        self, i,
        opevo_parameter_neighbour(opevo_space_parameter(self->space, i), self->vertices[i], k));
}

/* Start a round with up to rho neighbours of the point; it may stay empty. */
static opevo_status expand(gbfs *self, opevo_index point, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index total = 0;
    size_t count = self->rho;
    bool sparse = false;

    opevo_space_decode(self->space, point, self->vertices);
    for (size_t i = 0; i < self->width; i++) {
        self->degrees[i] =
            self->vertices[i] == OPEVO_INACTIVE
                ? 0
                : opevo_parameter_degree(opevo_space_parameter(self->space, i), self->vertices[i]);
        total += self->degrees[i];
    }
    if (total <= self->rho) {
        count = (size_t)total;
        for (size_t i = 0; i < count; i++)
            self->chosen[i] = i;
    } else {
        choose(self, total, count);
    }
    sparse = opevo_space_is_sparse(self->space);
    opevo_i_rounds_begin(self->rounds);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        opevo_index next = neighbour(self, self->chosen[i]);

        if (sparse) {
            opevo_space_decode(self->space, next, self->moved);
            if (!opevo_i_rounds_nearest(self->rounds, self->moved, &next))
                continue;
        }
        if (next != point && (self->diagram || opevo_space_allows(self->space, next)) &&
            (self->reference || !opevo_i_rounds_has(self->rounds, next)))
            status = opevo_i_rounds_add(self->rounds, next, "neighbour", err);
    }
    if (self->reference)
        opevo_i_rounds_reverse(self->rounds);
    return status;
}

/* The states of the complete round enter the queue, the first of it first. */
static opevo_status collect(gbfs *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < opevo_i_rounds_count(self->rounds) && status == OPEVO_OK; i++)
        status = push(self, opevo_i_rounds_point(self->rounds, i),
                      opevo_i_rounds_fitness(self->rounds, i), err);
    return status;
}

/* The first round, or one after the queue ran empty. */
static opevo_status start(gbfs *self, opevo_error *err)
{
    bool first = !self->begun;
    opevo_index origin = opevo_space_start(self->space);

    self->begun = true;
    opevo_i_rounds_begin(self->rounds);
    if (first && (self->diagram || opevo_space_allows(self->space, origin)))
        return opevo_i_rounds_add(self->rounds, origin, "initial", err);
    return opevo_i_rounds_add_uniform(self->rounds, &self->rng, "restart", &self->super.reason,
                                      err);
}

/* The last round is complete: make rounds until one has something to ask for, or there is none. */
static opevo_status advance(gbfs *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    while (opevo_i_rounds_complete(self->rounds) && !self->super.reason) {
        OPEVO_TRY(collect(self, err));
        if (opevo_i_rounds_repeats_in_a_row(self->rounds) > REPEATS_MOST)
            self->queue_count = 0;
        if (self->queue_count > 0)
            OPEVO_TRY(expand(self, pop(self), err));
        else
            OPEVO_TRY(start(self, err));
    }
cleanup:
    return status;
}

opevo_status opevo_i_gbfs_ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                              size_t *count, opevo_error *err)
{
    gbfs *self = (gbfs *)tuner;
    opevo_status status = advance(self, err);

    if (status == OPEVO_OK)
        *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
    return status;
}

opevo_status opevo_i_gbfs_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                               opevo_error *err)
{
    return opevo_i_rounds_tell(((gbfs *)tuner)->rounds, trials, count, err);
}

opevo_status opevo_i_gbfs_observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                  opevo_error *err)
{
    gbfs *self = (gbfs *)tuner;
    opevo_status status = opevo_i_rounds_know(self->rounds, trials, count, err);

    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = push(self, trials[i].proposal.point, trials[i].outcome.fitness, err);
    self->begun = true;
    return status;
}

uint64_t opevo_i_gbfs_repeats(const opevo_tuner *tuner)
{
    return opevo_i_rounds_repeats(((const gbfs *)tuner)->rounds);
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_gbfs_create(space, settings, rng, false, out, err);
}

const opevo_tuner_ops opevo_i_gbfs_ops = {
    .name = "gbfs",
    .summary = "greedy best-first search over neighbours, from the point without tiling",
    .source = "Zhang et al., arXiv 1909.10616, G-BFS; \"OpEvo\", section 2 and appendix B",
    .settings = opevo_i_gbfs_settings,
    .setting_count = OPEVO_I_GBFS_SETTING_COUNT,
    .works_on_branches = true,
    .create = create,
    .ask = opevo_i_gbfs_ask,
    .tell = opevo_i_gbfs_tell,
    .destroy = opevo_i_gbfs_destroy,
    .observe = opevo_i_gbfs_observe,
};
