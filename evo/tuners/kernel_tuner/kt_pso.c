/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `kt-pso`: particle swarm. Particles move in a continuous space in which each value of a parameter
 * is an interval of the same length, and are evaluated where they snap to.
 *
 * Source: Kernel Tuner 1.4.0, strategies/pso.py. Kept from the source: the speeds to begin with are
 * drawn from the same range for all parameters, however few values one has; a particle on a point
 * that a constraint forbids is not repaired, it costs as much as a failure; and a particle that has
 * only met failures is pulled to a random position, forbidden or not. Positions are
 * measured in values here (the source divides them by the length of the longest list), which
 * changes nothing. Deviations: those of kt_search.c (a new swarm begins after the last iteration).
 */

#include "kt_internal.h"

#include <opevo/memory.h>

#include <math.h>

typedef struct pso {
    opevo_i_kt base;
    size_t particles;
    size_t iterations;
    double w, c1, c2;

    size_t iteration; /* iterations told; 0: no swarm */
    double *position; /* `width` numbers for each particle; value v is [v, v + 1) */
    double *speed;
    double *best_position;
    double *best_cost;
    double *swarm_position; /* `width` numbers: best of the swarm */
    double swarm_cost;
    opevo_index *rows; /* vertices of the particles */
} pso;

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("particles", pso, particles, 50, 1, 10000, "particles of the swarm",
                    .batch = OPEVO_BATCH_AT_MOST),
    OPEVO_ROW_COUNT("iterations", pso, iterations, 190, 1, 1000000,
                    "moves of a swarm before a new one begins"),
    OPEVO_ROW_REAL("w", pso, w, 0.5, 0, 1,
                   "inertia: fraction of its velocity that a particle keeps"),
    OPEVO_ROW_REAL("c1", pso, c1, 3.5, 0, 10, "pull to the best point of the particle"),
    OPEVO_ROW_REAL("c2", pso, c2, 1, 0, 10, "pull to the best point of the swarm"),
};

static void clear(opevo_i_kt *base)
{
    pso *self = (pso *)base;

    opevo_free(self->position);
    opevo_free(self->speed);
    opevo_free(self->best_position);
    opevo_free(self->best_cost);
    opevo_free(self->swarm_position);
    opevo_free(self->rows);
}

static void restart(opevo_i_kt *base)
{
    ((pso *)base)->iteration = 0;
}

/* Particles on different allowed points, as far as there are so many, with random speeds. */
static bool begin(pso *self)
{
    opevo_i_kt_space *space = &self->base.space;
    opevo_rng *rng = &self->base.rng;
    size_t count = opevo_i_kt_start_many(&self->base, self->particles, self->rows);
    opevo_index longest = 1;

    for (size_t i = 0; i < space->width; i++)
        longest = space->sizes[i] > longest ? space->sizes[i] : longest;
    for (size_t k = count; k < self->particles; k++) {
        if (!opevo_i_kt_start(&self->base, self->rows + k * space->width))
            return false;
    }
    for (size_t n = 0; n < self->particles * space->width; n++) {
        self->position[n] = (double)self->rows[n] + 0.5;
        self->best_position[n] = self->position[n];
        self->speed[n] = (2 * opevo_rng_unit(rng) - 1) * (double)longest;
    }
    for (size_t k = 0; k < self->particles; k++)
        self->best_cost[k] = OPEVO_I_KT_FAILED;
    self->swarm_cost = OPEVO_I_KT_FAILED;
    return true;
}

/* Set the particle's speed, move it, and keep it inside. */
static void move(pso *self, size_t particle)
{
    opevo_i_kt_space *space = &self->base.space;
    size_t first = particle * space->width;
    double own = self->c1 * opevo_rng_unit(&self->base.rng);
    double social = self->c2 * opevo_rng_unit(&self->base.rng);

    for (size_t i = 0; i < space->width; i++) {
        size_t n = first + i;
        double size = (double)space->sizes[i];
        double x = self->position[n];

        self->speed[n] = self->w * self->speed[n] + own * (self->best_position[n] - x) +
                         social * (self->swarm_position[i] - x);
        x = fmax(fmin(x + self->speed[n], size), 0);
        self->position[n] = x;
        self->rows[n] = opevo_i_kt_place(x, space->sizes[i]);
    }
}

static opevo_status propose(opevo_i_kt *base, opevo_error *err)
{
    pso *self = (pso *)base;
    opevo_status status = OPEVO_OK;

    if (self->iteration == 0 || self->iteration >= self->iterations) {
        self->iteration = 0;
        base->origin = "initial";
        if (!begin(self))
            return OPEVO_OK;
    } else {
        base->origin = "particle";
        for (size_t k = 0; k < self->particles; k++)
            move(self, k);
    }
    for (size_t k = 0; k < self->particles && status == OPEVO_OK; k++)
        status = opevo_i_kt_want(base, self->rows + k * base->space.width, err);
    return status;
}

/* Where a particle is pulled until it meets a success: a uniform position, if it began with a
 * failure. */
static void draw_best_positions(pso *self)
{
    opevo_i_kt *base = &self->base;
    size_t width = base->space.width;

    for (size_t n = 0; n < self->particles * width; n++) {
        if (!(base->costs[n / width] < OPEVO_I_KT_FAILED))
            self->best_position[n] =
                opevo_rng_unit(&base->rng) * (double)base->space.sizes[n % width];
    }
}

static opevo_status take(opevo_i_kt *base, opevo_error *err)
{
    pso *self = (pso *)base;
    size_t width = base->space.width;

    (void)err;
    if (self->iteration == 0)
        draw_best_positions(self);
    for (size_t k = 0; k < self->particles; k++) {
        const double *position = self->position + k * width;
        double cost = base->costs[k];
        bool own = cost < self->best_cost[k];
        bool social = cost <= self->swarm_cost;

        for (size_t i = 0; own && i < width; i++)
            self->best_position[k * width + i] = position[i];
        for (size_t i = 0; social && i < width; i++)
            self->swarm_position[i] = position[i];
        self->best_cost[k] = own ? cost : self->best_cost[k];
        self->swarm_cost = social ? cost : self->swarm_cost;
    }
    self->iteration++;
    return OPEVO_OK;
}

static bool prepare(opevo_i_kt *base)
{
    pso *self = (pso *)base;
    size_t width = base->space.width;
    size_t count = self->particles;

    self->position = opevo_malloc(count, width * sizeof *self->position);
    self->speed = opevo_malloc(count, width * sizeof *self->speed);
    self->best_position = opevo_malloc(count, width * sizeof *self->best_position);
    self->best_cost = opevo_malloc(count, sizeof *self->best_cost);
    self->swarm_position = opevo_malloc(width, sizeof *self->swarm_position);
    self->rows = opevo_malloc(count, width * sizeof *self->rows);
    return self->position && self->speed && self->best_position && self->best_cost &&
           self->swarm_position && self->rows;
}

static const opevo_i_kt_strategy strategy = {sizeof(pso), prepare, propose, take, restart, clear};

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_kt_create(&opevo_i_kt_pso_ops, &strategy, settings, space, rng, out, err);
}

const opevo_tuner_ops opevo_i_kt_pso_ops = {
    .name = "kt-pso",
    .summary = "Kernel Tuner's particle swarm on lists of values",
    .source = "Kernel Tuner 1.4.0, strategies/pso.py",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    OPEVO_I_KT_FUNCTIONS,
};
