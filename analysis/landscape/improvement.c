/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child on all points of a space, and what it gains. Redrawing takes two products with
 * the kernel. For continuing, the expected visits y of the points of S solve y (I - K_SS) = P_S.
 * With w = y mu^-1/2 that is (I - M_SS) w = mu^-1/2 P_S, symmetric positive definite, because the
 * eigenvalues of M lie in (0, 1] and S misses a point of each region that is solved for: conjugate
 * gradients, on the matrix M_SS itself where S is small,
 * otherwise by products with M on all points.
 *
 * Certificate: what y leaves of P_S, rho, changes the law by |rho|_1 at most, and rows of K that
 * are off by delta by |y|_1 delta (distributions/child_duplicates.c has the argument). */

#include <opevo/improvement.h>

#include <opevo/memory.h>

#include "generation_internal.h"
#include "mutation_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

enum { DENSE_MAX = 2048, ROUNDS = 5000 };

static const double tolerance = 1e-6;

typedef struct child {
    const opevo_landscape_table *table;
    const opevo_space *space;
    const opevo_generation *generation;
    opevo_i_analysis_mutation kernel;
    size_t size;
    double best;    /* of the seen points */
    bool *taken;    /* S */
    bool *escapes;  /* by region: it holds a point of T */
    uint32_t *live; /* the points of S from which T is reached */
    size_t live_count;
    double *dense;    /* M on the live points, or NULL */
    double *law;      /* result; before that the law after one mutation */
    double *whole;    /* scratch: a number a point */
    double *solution; /* w, and the vectors of conjugate gradients: a number a live point */
    double *residual, *direction, *image;
    double off;
} child;

static void release(child *self)
{
    opevo_i_analysis_mutation_release(&self->kernel);
    opevo_free(self->taken);
    opevo_free(self->escapes);
    opevo_free(self->live);
    opevo_free(self->dense);
    opevo_free(self->whole);
    opevo_free(self->solution);
    opevo_free(self->residual);
    opevo_free(self->direction);
    opevo_free(self->image);
}

static opevo_status no_memory(const child *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the law of a child on %zu points.",
                      self->size);
}

/* ---- What is taken ---- */

static opevo_status mark_taken(child *self, opevo_error *err)
{
    const opevo_generation *g = self->generation;

    for (size_t x = 0; x < self->size; x++)
        self->taken[x] = self->table->state[x] == OPEVO_POINT_FORBIDDEN;
    self->best = 0;
    for (size_t i = 0; i < g->seen_count; i++) {
        if (g->seen[i] >= self->size)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Point %zu of the population lies outside the space.", i);
        self->taken[(size_t)g->seen[i]] = true;
        self->best = fmax(self->best, self->table->fitness[(size_t)g->seen[i]]);
    }
    return OPEVO_OK;
}

static opevo_status find_live(child *self, opevo_error *err)
{
    self->escapes =
        opevo_calloc(opevo_i_analysis_mutation_region_count(&self->kernel), sizeof *self->escapes);
    self->live = opevo_malloc(self->size, sizeof *self->live);
    if (!self->escapes || !self->live)
        return no_memory(self, err);
    for (size_t x = 0; x < self->size; x++) {
        if (!self->taken[x])
            self->escapes[opevo_i_analysis_mutation_region(&self->kernel, x)] = true;
    }
    for (size_t x = 0; x < self->size; x++) {
        if (self->taken[x] && self->escapes[opevo_i_analysis_mutation_region(&self->kernel, x)])
            self->live[self->live_count++] = (uint32_t)x;
    }
    return OPEVO_OK;
}

static opevo_status init(child *self, const opevo_landscape_table *table, const opevo_space *space,
                         const opevo_generation *generation, double q, unsigned threads,
                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->table = table;
    self->space = space;
    self->generation = generation;
    self->size = table->size;
    if (opevo_space_size(space) != table->size)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The points of the space differ from those of the landscape.");
    if (generation->seen_count == 0 || generation->children == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A generation needs points seen before, and at least one child.");
    status = opevo_i_analysis_mutation_init(space, q, threads, &self->kernel, err);
    if (status != OPEVO_OK)
        return status;
    self->taken = opevo_malloc(self->size, sizeof *self->taken);
    self->whole = opevo_malloc(self->size, sizeof *self->whole);
    if (!self->taken || !self->whole)
        return no_memory(self, err);
    status = mark_taken(self, err);
    return status == OPEVO_OK ? find_live(self, err) : status;
}

/* ---- Continuing ---- */

static opevo_status allocate_vectors(child *self, opevo_error *err)
{
    size_t n = self->live_count;

    self->solution = opevo_calloc(n, sizeof *self->solution);
    self->residual = opevo_malloc(n, sizeof *self->residual);
    self->direction = opevo_malloc(n, sizeof *self->direction);
    self->image = opevo_malloc(n, sizeof *self->image);
    if (!self->solution || !self->residual || !self->direction || !self->image)
        return no_memory(self, err);
    if (n > DENSE_MAX)
        return OPEVO_OK;
    self->dense = opevo_malloc(n * n, sizeof *self->dense);
    if (!self->dense)
        return no_memory(self, err);
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++)
            self->dense[a * n + b] =
                opevo_i_analysis_mutation_entry(&self->kernel, self->live[a], self->live[b]);
    }
    return OPEVO_OK;
}

/* image = (I - M_SS) x */
static opevo_status multiply(child *self, const double *x, opevo_error *err)
{
    size_t n = self->live_count;
    opevo_status status = OPEVO_OK;

    if (self->dense) {
        memcpy(self->image, x, n * sizeof *x);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, -1, self->dense, (int)n, x, 1, 1,
                    self->image, 1);
        return OPEVO_OK;
    }
    memset(self->whole, 0, self->size * sizeof *self->whole);
    for (size_t a = 0; a < n; a++)
        self->whole[self->live[a]] = x[a];
    status = opevo_i_analysis_mutation_apply(&self->kernel, self->whole, err);
    for (size_t a = 0; a < n && status == OPEVO_OK; a++)
        self->image[a] = x[a] - self->whole[self->live[a]];
    return status;
}

static double dot(const double *x, const double *y, size_t n)
{
    return cblas_ddot((int)n, x, 1, y, 1);
}

/* 1-norm of what is left of P_S. */
static double left(const child *self)
{
    double sum = 0;

    for (size_t a = 0; a < self->live_count; a++)
        sum += fabs(self->residual[a]) * self->kernel.root[self->live[a]];
    return sum;
}

static opevo_status solve(child *self, opevo_error *err)
{
    size_t n = self->live_count;
    double square = 0;
    opevo_status status = allocate_vectors(self, err);

    for (size_t a = 0; a < n && status == OPEVO_OK; a++) {
        size_t x = self->live[a];

        self->residual[a] = self->law[x] / self->kernel.root[x];
    }
    if (status != OPEVO_OK || n == 0)
        return status;
    memcpy(self->direction, self->residual, n * sizeof *self->direction);
    square = dot(self->residual, self->residual, n);
    for (int round = 0; round < ROUNDS && square > 0 && left(self) > 1e-13; round++) {
        double step = 0, before = square;

        status = multiply(self, self->direction, err);
        if (status != OPEVO_OK)
            return status;
        step = square / dot(self->direction, self->image, n);
        for (size_t a = 0; a < n; a++) {
            self->solution[a] += step * self->direction[a];
            self->residual[a] -= step * self->image[a];
        }
        square = dot(self->residual, self->residual, n);
        for (size_t a = 0; a < n; a++)
            self->direction[a] = self->residual[a] + square / before * self->direction[a];
    }
    return OPEVO_OK;
}

/* What the solution, negative rounding taken away, really leaves of P_S. */
static opevo_status certify(child *self, double *visits, opevo_error *err)
{
    size_t n = self->live_count;
    double unit = (double)(n + 64) * DBL_EPSILON;
    opevo_status status = OPEVO_OK;

    *visits = 0;
    if (n == 0)
        return OPEVO_OK;
    for (size_t a = 0; a < n; a++)
        self->solution[a] = fmax(self->solution[a], 0);
    status = multiply(self, self->solution, err);
    if (status != OPEVO_OK)
        return status;
    for (size_t a = 0; a < n; a++) {
        double root = self->kernel.root[self->live[a]];

        *visits += self->solution[a] * root;
        self->residual[a] = self->law[self->live[a]] / root - self->image[a];
    }
    self->off += left(self) + *visits * (self->kernel.bound + (self->dense ? unit : DBL_EPSILON));
    return OPEVO_OK;
}

static opevo_status continue_on(child *self, double *mutations, opevo_error *err)
{
    double visits = 0;
    opevo_status status = solve(self, err);

    if (status == OPEVO_OK)
        status = certify(self, &visits, err);
    if (status != OPEVO_OK)
        return status;
    *mutations = 1 + visits;
    if (self->live_count == 0)
        return OPEVO_OK;
    memset(self->whole, 0, self->size * sizeof *self->whole);
    for (size_t a = 0; a < self->live_count; a++)
        self->whole[self->live[a]] = self->solution[a];
    status = opevo_i_analysis_mutation_apply(&self->kernel, self->whole, err);
    for (size_t x = 0; x < self->size && status == OPEVO_OK; x++)
        self->law[x] += self->whole[x] * self->kernel.root[x];
    return status;
}

/* ---- Drawing again ---- */

/* Law of the child after recombination, into `law`. */
static opevo_status recombine(child *self, opevo_error *err)
{
    const opevo_parents *parents = &self->generation->parents;
    size_t axes = self->kernel.axis_count;
    double **marginal = opevo_calloc(axes, sizeof *marginal);
    long double weights = 0;
    opevo_status status = OPEVO_OK;

    for (size_t j = 0; j < parents->count; j++)
        weights += parents->weights[j];
    for (size_t i = 0; marginal && i < axes && status == OPEVO_OK; i++) {
        const opevo_i_analysis_mutation_axis *axis = &self->kernel.axes[i];

        marginal[i] = opevo_calloc(axis->size, sizeof **marginal);
        for (size_t j = 0; marginal[i] && j < parents->count; j++)
            marginal[i][(size_t)parents->points[j] / axis->stride % axis->size] +=
                (double)(parents->weights[j] / weights);
        if (!marginal[i])
            status = no_memory(self, err);
    }
    if (!marginal)
        status = no_memory(self, err);
    if (status == OPEVO_OK)
        opevo_i_analysis_mutation_product(&self->kernel, (const double *const *)marginal,
                                          self->law);
    for (size_t i = 0; marginal && i < axes; i++)
        opevo_free(marginal[i]);
    opevo_free(marginal);
    return status;
}

/* law = sum_x origin(x) K(x, .) / K(x, T): the first product has K(x, T) for every x. */
static opevo_status redraw(child *self, double *mutations, opevo_error *err)
{
    opevo_i_analysis_mutation *kernel = &self->kernel;
    opevo_status status = recombine(self, err);

    for (size_t x = 0; x < self->size && status == OPEVO_OK; x++)
        self->whole[x] = self->taken[x] ? 0 : kernel->root[x];
    if (status == OPEVO_OK)
        status = opevo_i_analysis_mutation_apply(kernel, self->whole, err);
    *mutations = 0;
    for (size_t x = 0; x < self->size && status == OPEVO_OK; x++) {
        double root = kernel->root[x], accepted = self->whole[x] / root;

        self->whole[x] = 0;
        if (self->law[x] == 0 || !self->escapes[opevo_i_analysis_mutation_region(kernel, x)])
            continue;
        self->whole[x] = self->law[x] / accepted / root;
        self->off += self->law[x] * 2 * kernel->bound / accepted;
        *mutations += self->law[x] / accepted;
    }
    if (status == OPEVO_OK)
        status = opevo_i_analysis_mutation_apply(kernel, self->whole, err);
    for (size_t x = 0; x < self->size && status == OPEVO_OK; x++)
        self->law[x] = self->whole[x] * kernel->root[x];
    return status;
}

/* ---- Both ---- */

static opevo_status mutate_once(child *self, double q, opevo_error *err)
{
    opevo_child_law *once = NULL;
    size_t axes = self->kernel.axis_count;
    const double **marginal = opevo_malloc(axes, sizeof(double *));
    opevo_status status = OPEVO_OK;

    if (!marginal)
        return no_memory(self, err);
    status = opevo_child_law_create(self->space, &self->generation->parents, q, NULL, &once, err);
    for (size_t i = 0; i < axes && status == OPEVO_OK; i++)
        marginal[i] = opevo_child_law_marginal(once, i);
    if (status == OPEVO_OK) {
        opevo_i_analysis_mutation_product(&self->kernel, marginal, self->law);
        self->off += opevo_child_law_bound(once);
    }
    opevo_child_law_destroy(once);
    opevo_free(marginal);
    return status;
}

/* The points whose law is 0, and the probability that is lost. */
static double clear_taken(child *self)
{
    long double sum = 0;

    for (size_t x = 0; x < self->size; x++) {
        self->law[x] = self->taken[x] ? 0 : fmax(self->law[x], 0);
        sum += self->law[x];
    }
    return fmax(0, (double)(1 - sum));
}

/* ---- What others see ---- */

opevo_status opevo_improvement_law(const opevo_landscape_table *table, const opevo_space *space,
                                   const opevo_generation *generation, double q, unsigned threads,
                                   double *law, opevo_improvement *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_improvement result = {.q = q};
    child self = {.law = law};

    OPEVO_TRY(init(&self, table, space, generation, q, threads, err));
    self.off = (double)(generation->parents.count + 4) * (double)(self.kernel.axis_count + 1) *
               DBL_EPSILON;
    OPEVO_TRY(mutate_once(&self, q, err));
    if (generation->rule == OPEVO_DUPLICATE_REDRAW)
        OPEVO_TRY(redraw(&self, &result.mutations, err));
    else
        OPEVO_TRY(continue_on(&self, &result.mutations, err));
    if (!(self.off <= tolerance)) {
        status = OPEVO_FAIL(err, OPEVO_TOLERANCE,
                            "At q = %g the law of a child is known only within %.3g: new points "
                            "are too improbable; use a larger q.",
                            q, self.off);
        goto cleanup;
    }
    result.lost = clear_taken(&self);
    if (result.lost <= self.off)
        result.lost = 0;
    result.bound = self.off;
    OPEVO_TRY(opevo_i_analysis_generation_gain(table, law, self.best, generation->children, &result,
                                               err));
    *out = result;
cleanup:
    release(&self);
    return status;
}

opevo_status opevo_improvement_curve(const opevo_landscape_table *table, const opevo_space *space,
                                     const opevo_generation *generation, const double *q,
                                     size_t count, unsigned threads, opevo_improvement *out,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double *law = opevo_malloc(table->size, sizeof *law);

    OPEVO_NEED_OR_RETURN(law, "the law of a child on %zu points", table->size);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = opevo_improvement_law(table, space, generation, q[i], threads, law, &out[i], err);
    opevo_free(law);
    return status;
}
