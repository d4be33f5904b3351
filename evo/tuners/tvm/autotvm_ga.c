/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `autotvm-ga`: GATuner of TVM v0.6. A generation of knob vectors is measured whole; parents are
 * drawn from it and from the elite by fitness, a child is the head of one and the tail of the
 * other, each knob is re-drawn with a small probability, and while the child was seen before a
 * random knob is re-drawn.
 *
 * Deliberate deviations: a child that a constraint forbids is re-drawn like one that was seen, as
 * in later versions; a child that 8192 re-draws do not make new is replaced by a uniform new point,
 * and the search goes on until the space is exhausted. Fitness in GFLOP/s stands where TVM has
 * FLOP/s, which matters only for the 1e-8 that keeps a generation of failures drawable. */

#include <opevo/diagram.h>
#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <string.h>

#include "rounds_internal.h"

enum { REDRAWS_MOST = 8192 };

typedef struct genetic {
    opevo_tuner super;
    const opevo_space *space;
    const opevo_diagram *diagram; /* that makes allowed points of children; NULL: none */
    size_t width;
    size_t population;
    size_t elite;
    double mutation;
    opevo_rng rng;
    opevo_i_rounds *rounds;
    bool begun;

    /* Parents: the generation just measured, then the elite before it. */
    size_t elite_count;
    size_t parent_count;
    double *fitness;       /* population + elite of each */
    double *below;         /* running sums of the weights */
    opevo_index *vertices; /* `width` for each parent */
    opevo_index *kept;     /* the next elite: `width` for each */
    double *kept_fitness;
    opevo_index *child;
} genetic;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("population", genetic, population, 100, 1, 10000, "points of a generation",
                    .batch = OPEVO_BATCH_FIXED),
    OPEVO_ROW_COUNT("elite", genetic, elite, 3, 0, 10000,
                    "fittest points that remain parents, at most one generation"),
    OPEVO_ROW_REAL("mutation", genetic, mutation, 0.1, 0, 1,
                   "probability that a parameter of a child is re-drawn"),
};

static void destroy(opevo_tuner *tuner)
{
    genetic *self = (genetic *)tuner;

    opevo_i_rounds_destroy(self->rounds);
    opevo_free(self->fitness);
    opevo_free(self->below);
    opevo_free(self->vertices);
    opevo_free(self->kept);
    opevo_free(self->kept_fitness);
    opevo_free(self->child);
    opevo_free(self);
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    genetic *self = opevo_calloc(1, sizeof *self);
    size_t row = opevo_space_parameter_count(space) * sizeof(opevo_index);
    size_t most = 0;

    OPEVO_NEED_OR_RETURN(self, "the tuner autotvm-ga");
    self->space = space;
    self->diagram = opevo_space_draws_from(space);
    self->width = opevo_space_parameter_count(space);
    OPEVO_SETTINGS_READ(settings_table, settings, self);
    if (self->elite > self->population)
        self->elite = self->population;
    self->rng = *rng;
    most = self->population + self->elite;
    self->rounds = opevo_i_rounds_create(space);
    self->fitness = opevo_malloc(most, sizeof *self->fitness);
    self->below = opevo_malloc(most, sizeof *self->below);
    self->vertices = opevo_malloc(most, row);
    self->kept = opevo_malloc(self->elite, row);
    self->kept_fitness = opevo_malloc(self->elite, sizeof *self->kept_fitness);
    self->child = opevo_malloc(1, row);
    if (!self->rounds || !self->fitness || !self->below || !self->vertices || !self->kept ||
        !self->kept_fitness || !self->child) {
        destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner autotvm-ga.");
    }
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- Parents ---- */

/* The generation just measured, followed by the elite so far. */
static void gather_parents(genetic *self)
{
    size_t count = opevo_i_rounds_count(self->rounds);

    for (size_t i = 0; i < count; i++) {
        opevo_space_decode(self->space, opevo_i_rounds_point(self->rounds, i),
                           self->vertices + i * self->width);
        self->fitness[i] = opevo_i_rounds_fitness(self->rounds, i);
    }
    memcpy(self->vertices + count * self->width, self->kept,
           self->elite_count * self->width * sizeof *self->kept);
    memcpy(self->fitness + count, self->kept_fitness,
           self->elite_count * sizeof *self->kept_fitness);
    self->parent_count = count + self->elite_count;
}

/* The `elite` fittest of the parents, the first of equals, become the elite. */
static void keep_elite(genetic *self)
{
    size_t row = self->width * sizeof *self->kept;
    size_t kept = 0;

    for (size_t i = 0; i < self->parent_count && self->elite; i++) {
        size_t at = kept;

        if (kept == self->elite && !(self->fitness[i] > self->kept_fitness[kept - 1]))
            continue;
        if (kept == self->elite)
            at--;
        else
            kept++;
        for (; at > 0 && self->kept_fitness[at - 1] < self->fitness[i]; at--) {
            self->kept_fitness[at] = self->kept_fitness[at - 1];
            memcpy(self->kept + at * self->width, self->kept + (at - 1) * self->width, row);
        }
        self->kept_fitness[at] = self->fitness[i];
        memcpy(self->kept + at * self->width, self->vertices + i * self->width, row);
    }
    self->elite_count = kept;
}

/* below[i] = sum of the weights of the parents 0 .. i. */
static void weigh_parents(genetic *self)
{
    double most = 0;
    double sum = 0;

    for (size_t i = 0; i < self->parent_count; i++)
        most = self->fitness[i] > most ? self->fitness[i] : most;
    most += 1e-8;
    for (size_t i = 0; i < self->parent_count; i++) {
        sum += (self->fitness[i] + 1e-8) / most;
        self->below[i] = sum;
    }
}

/* Another than `first`, by the weights of the rest. One that outweighs all others by far is found
 * by drawing again, which ends after a while with any other. */
static size_t draw_other_parent(genetic *self, size_t first)
{
    if (self->parent_count == 1)
        return first;
    for (int i = 0; i < REDRAWS_MOST; i++) {
        size_t second = opevo_rng_weighted(&self->rng, self->below, self->parent_count);

        if (second != first)
            return second;
    }
    return (first + 1 + (size_t)opevo_rng_below(&self->rng, self->parent_count - 1)) %
           self->parent_count;
}

/* ---- Children ---- */

static void redraw(genetic *self, size_t i)
{
    self->child[i] = opevo_rng_below_wide(
        &self->rng, opevo_parameter_size(opevo_space_parameter(self->space, i)));
}

/* With branches: what the child's branches need and its parents did not have is drawn. */
static void complete(genetic *self)
{
    for (size_t i = 0; opevo_space_has_branches(self->space) && i < self->width; i++) {
        if (!opevo_space_is_active(self->space, i, self->child))
            self->child[i] = OPEVO_INACTIVE;
        else if (self->child[i] == OPEVO_INACTIVE)
            redraw(self, i);
    }
}

/* Add one child to the round, or a uniform point where none is new. */
static opevo_status add_child(genetic *self, const char **exhausted, opevo_error *err)
{
    size_t first = opevo_rng_weighted(&self->rng, self->below, self->parent_count);
    size_t second = draw_other_parent(self, first);
    size_t cut = (size_t)opevo_rng_below(&self->rng, self->width);

    for (size_t i = 0; i < self->width; i++) {
        self->child[i] = self->vertices[(i < cut ? first : second) * self->width + i];
        if (opevo_rng_unit(&self->rng) < self->mutation)
            redraw(self, i);
    }
    if (opevo_space_is_sparse(self->space)) {
        opevo_index point = 0;

        complete(self);
        if (opevo_i_rounds_nearest(self->rounds, self->child, &point))
            return opevo_i_rounds_add(self->rounds, point, "child", err);
        return opevo_i_rounds_add_uniform(self->rounds, &self->rng, "uniform", exhausted, err);
    }
    for (int draws = 0; draws < REDRAWS_MOST; draws++) {
        opevo_index point = 0;

        complete(self);
        if (self->diagram)
            opevo_diagram_settle(self->diagram, self->child);
        point = opevo_space_encode(self->space, self->child);
        if (!opevo_i_rounds_has(self->rounds, point) &&
            (self->diagram || opevo_space_allows(self->space, point)))
            return opevo_i_rounds_add(self->rounds, point, "child", err);
        redraw(self, (size_t)opevo_rng_below(&self->rng, self->width));
    }
    return opevo_i_rounds_add_uniform(self->rounds, &self->rng, "uniform", exhausted, err);
}

/* The next generation; an empty one says that the search is over. */
static opevo_status breed(genetic *self, opevo_error *err)
{
    const char *exhausted = NULL;
    opevo_status status = OPEVO_OK;
    size_t made = 0;

    if (self->begun) {
        gather_parents(self);
        keep_elite(self);
        weigh_parents(self);
    }
    opevo_i_rounds_begin(self->rounds);
    for (; made < self->population && !exhausted && status == OPEVO_OK; made++)
        status = self->begun ? add_child(self, &exhausted, err)
                             : opevo_i_rounds_add_uniform(self->rounds, &self->rng, "initial",
                                                          &exhausted, err);
    self->begun = true;
    if (status == OPEVO_OK && opevo_i_rounds_count(self->rounds) == 0)
        self->super.reason = exhausted;
    return status;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    genetic *self = (genetic *)tuner;
    opevo_status status = OPEVO_OK;

    while (status == OPEVO_OK && opevo_i_rounds_complete(self->rounds) && !tuner->reason)
        status = breed(self, err);
    if (status == OPEVO_OK)
        *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
    return status;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    return opevo_i_rounds_tell(((genetic *)tuner)->rounds, trials, count, err);
}

/* They are among the first uniform points. */
static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    return opevo_i_rounds_begin_with(((genetic *)tuner)->rounds, trials, count, err);
}

const opevo_tuner_ops opevo_i_autotvm_ga_ops = {
    .name = "autotvm-ga",
    .summary = "genetic algorithm over knob vectors with an elite",
    .source = "TVM v0.6, python/tvm/autotvm/tuner/ga_tuner.py, GATuner",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .works_on_branches = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .observe = observe,
};
