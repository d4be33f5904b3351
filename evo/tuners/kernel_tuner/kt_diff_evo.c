/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `kt-diff-evo`: differential evolution (best1bin) on the places of values in their lists.
 *
 * Source: Kernel Tuner 1.4.0, strategies/diff_evo.py. Kept from the source: once three generations,
 * not necessarily in a row, have changed nobody, every further generation is a new Latin hypercube.
 * Parameters of one value do not count as dimensions. Deviations: those of kt_search.c (it begins
 * anew after the last generation). */

#include "kt_internal.h"

#include <opevo/memory.h>

#include <math.h>

enum {
    POPULATION_LEAST = 5, /* for best1bin to have somebody to choose from */
    STUCK_MOST = 20,      /* mutants in a row that are in the generation already */
    STABLE_MOST = 2       /* generations that changed nobody before they are drawn anew */
};

typedef struct diff_evo {
    opevo_i_kt base;
    size_t count; /* individuals */
    size_t population, generations;
    double f, cr;

    size_t generation; /* generations told; 0: none */
    size_t stable;     /* of them, those that changed nobody */
    size_t made;       /* mutants of the next generation */
    opevo_index *rows; /* the population */
    double *costs;
    opevo_index *mutants;
    opevo_index *best; /* vertices of the best so far */
    double best_cost;
} diff_evo;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("population", diff_evo, population, 16, 1, 100,
                    "individuals for each parameter of more than one value",
                    .batch = OPEVO_BATCH_FIXED),
    OPEVO_ROW_COUNT("generations", diff_evo, generations, 200, 1, 1000000,
                    "generations before a restart"),
    OPEVO_ROW_REAL("f", diff_evo, f, 0.7, 0, 10, "weight of the difference of two individuals"),
    OPEVO_ROW_REAL("cr", diff_evo, cr, 0.6, 0, 1,
                   "probability that a parameter is taken from the mutant"),
};

static void clear(opevo_i_kt *base)
{
    diff_evo *self = (diff_evo *)base;

    opevo_free(self->rows);
    opevo_free(self->costs);
    opevo_free(self->mutants);
    opevo_free(self->best);
}

static void restart(opevo_i_kt *base)
{
    ((diff_evo *)base)->generation = 0;
}

static bool is_among(const diff_evo *self, const opevo_index *one, const opevo_index *rows,
                     size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (opevo_i_kt_equal(&self->base.space, one, rows + k * self->base.space.width))
            return true;
    }
    return false;
}

/* Move individual k to the nearest allowed point; one that is there already goes anywhere. */
static void place(diff_evo *self, size_t k)
{
    opevo_i_kt *base = &self->base;
    opevo_index *vertices = self->mutants + k * base->space.width;

    if (!opevo_i_kt_nearest(&base->space, vertices))
        opevo_i_kt_repair(&base->space, &base->rng, vertices);
    if (is_among(self, vertices, self->mutants, k))
        opevo_i_kt_start(base, vertices);
}

/* A generation from a Latin hypercube, moved to allowed points; its first individuals are points
 * measured before. */
static opevo_status draw_generation(diff_evo *self, opevo_error *err)
{
    opevo_i_kt *base = &self->base;
    opevo_status status =
        opevo_i_kt_latin_hypercube(&base->space, &base->rng, self->count, self->mutants, err);

    for (size_t k = 0; k < self->count && status == OPEVO_OK; k++) {
        if (!opevo_i_kt_next_start(base, self->mutants + k * base->space.width))
            place(self, k);
    }
    self->made = self->count;
    return status;
}

/* best + f (b - c), rounded half to even and kept inside the list. */
static opevo_index mix(const diff_evo *self, size_t i, opevo_index b, opevo_index c)
{
    double difference = b >= c ? (double)(b - c) : -(double)(c - b);

    return opevo_i_kt_place(rint((double)self->best[i] + self->f * difference),
                            self->base.space.sizes[i]);
}

/* The mutant of individual `target` into `to`: the best one and the difference of two others,
 * crossed over with the target, and repaired. */
static void mutate(diff_evo *self, size_t target, opevo_index *to)
{
    opevo_i_kt_space *space = &self->base.space;
    opevo_rng *rng = &self->base.rng;
    size_t b = (size_t)opevo_rng_below(rng, self->count - 1);
    size_t c = (size_t)opevo_rng_below(rng, self->count - 2);
    size_t forced = (size_t)opevo_rng_below(rng, space->width);
    bool crossed = false;

    c += c >= b; /* two different ones of those that are not the target */
    b += b >= target;
    c += c >= target;
    opevo_i_kt_copy(space, to, self->rows + target * space->width);
    for (size_t i = 0; i < space->width; i++) {
        if (opevo_rng_unit(rng) < self->cr) {
            to[i] =
                mix(self, i, self->rows[b * space->width + i], self->rows[c * space->width + i]);
            crossed = true;
        }
    }
    if (!crossed)
        to[forced] = mix(self, forced, self->rows[b * space->width + forced],
                         self->rows[c * space->width + forced]);
    opevo_i_kt_repair(space, rng, to);
}

/* A generation of different mutants; one that cannot be had is replaced by a random point. */
static void breed(diff_evo *self)
{
    size_t stuck = 0;

    self->made = 0;
    while (self->made < self->count) {
        opevo_index *to = self->mutants + self->made * self->base.space.width;

        mutate(self, self->made, to);
        stuck = is_among(self, to, self->mutants, self->made) ? stuck + 1 : 0;
        if (stuck == STUCK_MOST) {
            stuck = 0;
            if (!opevo_i_kt_start(&self->base, to))
                return;
        }
        self->made += stuck == 0;
    }
}

static opevo_status propose(opevo_i_kt *base, opevo_error *err)
{
    diff_evo *self = (diff_evo *)base;
    opevo_status status = OPEVO_OK;

    if (self->generation >= self->generations)
        self->generation = 0;
    if (self->generation == 0 || self->stable > STABLE_MOST) {
        base->origin = "initial";
        status = draw_generation(self, err);
    } else {
        base->origin = "mutant";
        breed(self);
    }
    for (size_t k = 0; k < self->made && status == OPEVO_OK; k++)
        status = opevo_i_kt_want(base, self->mutants + k * base->space.width, err);
    return status;
}

/* Individual k becomes the mutant, and perhaps the best. */
static void keep(diff_evo *self, size_t k, double cost)
{
    opevo_i_kt_space *space = &self->base.space;
    const opevo_index *mutant = self->mutants + k * space->width;

    opevo_i_kt_copy(space, self->rows + k * space->width, mutant);
    self->costs[k] = cost;
}

static opevo_status take(opevo_i_kt *base, opevo_error *err)
{
    diff_evo *self = (diff_evo *)base;
    bool first = self->generation == 0;
    bool changed = false;

    (void)err;
    if (first) {
        self->stable = 0;
        self->best_cost = INFINITY;
    }
    for (size_t k = 0; k < base->wanted; k++) {
        const opevo_index *mutant = self->mutants + k * base->space.width;
        double cost = base->costs[k];

        if (!first && cost > self->costs[k])
            continue;
        if (first || !is_among(self, mutant, self->rows, self->count)) {
            keep(self, k, cost);
            changed = true;
        }
        if (cost < self->best_cost) {
            self->best_cost = cost;
            opevo_i_kt_copy(&base->space, self->best, mutant);
        }
    }
    self->stable += !changed;
    self->generation++;
    return OPEVO_OK;
}

static bool prepare(opevo_i_kt *base)
{
    diff_evo *self = (diff_evo *)base;
    size_t row = base->space.width * sizeof *self->rows;

    self->count = self->population * base->space.free_count;
    self->count = self->count > POPULATION_LEAST ? self->count : POPULATION_LEAST;
    self->rows = opevo_malloc(self->count, row);
    self->costs = opevo_malloc(self->count, sizeof *self->costs);
    self->mutants = opevo_malloc(self->count, row);
    self->best = opevo_malloc(1, row);
    return self->rows && self->costs && self->mutants && self->best;
}

static const opevo_i_kt_strategy strategy = {sizeof(diff_evo), prepare, propose, take,
                                             restart,          clear};

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_kt_create(&opevo_i_kt_diff_evo_ops, &strategy, settings, space, rng, out, err);
}

const opevo_tuner_ops opevo_i_kt_diff_evo_ops = {
    .name = "kt-diff-evo",
    .summary = "Kernel Tuner's differential evolution (best1bin) on lists of values",
    .source = "Kernel Tuner 1.4.0, strategies/diff_evo.py",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    OPEVO_I_KT_FUNCTIONS,
};
