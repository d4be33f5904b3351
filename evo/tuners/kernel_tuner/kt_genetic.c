/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `kt-genetic`: parents are drawn by rank, crossed over at one place, repaired, and now and then
 * moved to a Hamming neighbour; children replace their parents, the best one included.
 *
 * Source: Kernel Tuner 1.4.0, strategies/genetic_algorithm.py. Deviations: those of kt_search.c (it
 * begins anew after the last generation); and a generation that finds no other child after many
 * attempts is left smaller, where the source tries for ever. */

#include "kt_internal.h"

#include <opevo/memory.h>

#include <math.h>

/* Attempts to make a child, for each individual of a generation. */
enum { ATTEMPTS_MOST = 100 };

typedef struct genetic {
    opevo_i_kt base;
    size_t most; /* individuals of a full generation */
    size_t population, generations;
    double mutation;

    size_t generation; /* generations told since the beginning; 0: none */
    size_t count;      /* parents */
    opevo_index *parents;
    opevo_index *next;
    opevo_index *points; /* their numbers */
    size_t made;         /* individuals of the next generation */
    size_t *order;       /* parents by rising cost */
    opevo_index *pair;   /* two children */
} genetic;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("population", genetic, population, 26, 2, 10000, "individuals of a generation",
                    .batch = OPEVO_BATCH_AT_MOST),
    OPEVO_ROW_COUNT("generations", genetic, generations, 90, 1, 1000000,
                    "generations before a restart"),
    OPEVO_ROW_REAL("mutation", genetic, mutation, 1.0 / 55, 0, 1,
                   "probability that a child moves to a Hamming neighbour"),
};

static void clear(opevo_i_kt *base)
{
    genetic *self = (genetic *)base;

    opevo_free(self->parents);
    opevo_free(self->next);
    opevo_free(self->points);
    opevo_free(self->order);
    opevo_free(self->pair);
}

static void restart(opevo_i_kt *base)
{
    ((genetic *)base)->generation = 0;
}

/* A rank, 0 the best: that of a beta(1, 2.5) distributed number laid on the ranks. Its distribution
 * function 1 - (1 - x)^2.5 is inverted. */
static size_t draw_rank(genetic *self)
{
    double x = 1 - pow(1 - opevo_rng_unit(&self->base.rng), 1 / 2.5);
    size_t rank = (size_t)(x * (double)self->count);

    return rank < self->count ? rank : self->count - 1;
}

/* Cross two parents of different rank over; the children are what stands in `pair`. */
static void cross(genetic *self)
{
    size_t width = self->base.space.width;
    size_t place = (size_t)opevo_rng_below(&self->base.rng, width);
    size_t first = draw_rank(self);
    size_t second = draw_rank(self);
    const opevo_index *a = NULL;
    const opevo_index *b = NULL;

    while (second == first)
        second = draw_rank(self);
    a = self->parents + self->order[first] * width;
    b = self->parents + self->order[second] * width;
    for (size_t i = 0; i < width; i++) {
        self->pair[i] = i < place ? a[i] : b[i];
        self->pair[width + i] = i < place ? b[i] : a[i];
    }
}

static bool is_made(const genetic *self, opevo_index point)
{
    for (size_t i = 0; i < self->made; i++) {
        if (self->points[i] == point)
            return true;
    }
    return false;
}

/* Repair and mutate a child; it joins the next generation if it is new there. */
static void finish_child(genetic *self, opevo_index *child)
{
    opevo_i_kt_space *space = &self->base.space;
    opevo_rng *rng = &self->base.rng;
    bool allowed = opevo_i_kt_repair(space, rng, child);
    opevo_index point = 0;

    if (opevo_rng_unit(rng) < self->mutation)
        allowed = opevo_i_kt_step(space, OPEVO_I_KT_HAMMING, rng, child) || allowed;
    point = opevo_i_kt_encode(space, child);
    if (!allowed || is_made(self, point))
        return;
    self->points[self->made] = point;
    opevo_i_kt_copy(space, self->next + self->made * space->width, child);
    self->made++;
}

static void breed(genetic *self)
{
    size_t attempts = ATTEMPTS_MOST * self->most;

    self->made = 0;
    for (size_t i = 0; i < attempts && self->made < self->most; i++) {
        cross(self);
        for (size_t k = 0; k < 2 && self->made < self->most; k++)
            finish_child(self, self->pair + k * self->base.space.width);
    }
}

static opevo_status propose(opevo_i_kt *base, opevo_error *err)
{
    genetic *self = (genetic *)base;
    opevo_status status = OPEVO_OK;

    if (self->generation == 0 || self->count < 2 || self->generation >= self->generations) {
        self->generation = 0;
        self->made = opevo_i_kt_start_many(base, self->most, self->next);
        base->origin = "initial";
    } else {
        breed(self);
        base->origin = "child";
    }
    for (size_t i = 0; i < self->made && status == OPEVO_OK; i++)
        status = opevo_i_kt_want(base, self->next + i * base->space.width, err);
    return status;
}

static opevo_status take(opevo_i_kt *base, opevo_error *err)
{
    genetic *self = (genetic *)base;
    opevo_index *old = self->parents;

    (void)err;
    self->parents = self->next;
    self->next = old;
    self->count = base->wanted;
    opevo_i_kt_rank(base->costs, self->order, self->count);
    self->generation++;
    return OPEVO_OK;
}

/* A population that is large for the space is cut, as in the source. */
static size_t fit_population(const genetic *self, size_t most)
{
    double allowed = (double)self->base.space.count;
    double cut = rint(allowed / (double)self->generations * 3);

    if ((double)most <= floor(allowed / 2))
        return most;
    cut = cut > 2 ? cut : 2;
    return cut < (double)most ? (size_t)cut : most;
}

static bool prepare(opevo_i_kt *base)
{
    genetic *self = (genetic *)base;
    size_t width = base->space.width;

    self->most = fit_population(self, self->population);
    self->parents = opevo_malloc(self->most, width * sizeof *self->parents);
    self->next = opevo_malloc(self->most, width * sizeof *self->next);
    self->points = opevo_malloc(self->most, sizeof *self->points);
    self->order = opevo_malloc(self->most, sizeof *self->order);
    self->pair = opevo_malloc(2, width * sizeof *self->pair);
    return self->parents && self->next && self->points && self->order && self->pair;
}

static const opevo_i_kt_strategy strategy = {sizeof(genetic), prepare, propose, take,
                                             restart,         clear};

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_kt_create(&opevo_i_kt_genetic_ops, &strategy, settings, space, rng, out, err);
}

const opevo_tuner_ops opevo_i_kt_genetic_ops = {
    .name = "kt-genetic",
    .summary = "Kernel Tuner's genetic algorithm: rank selection, one-point crossover, repair",
    .source = "Kernel Tuner 1.4.0, strategies/genetic_algorithm.py",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    OPEVO_I_KT_FUNCTIONS,
};
