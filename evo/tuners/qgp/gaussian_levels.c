/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Posterior draws of q and of the noise on their grids. */

#include "gaussian_struct_internal.h"

#include <opevo/memory.h>

#include <cblas.h>
#include <lapacke.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    TRIED = 4 /* levels looked at, the current one included */
};

/* Matrices are lower triangles, n numbers a row. */
typedef struct work {
    const opevo_i_qgp_points *points;
    const double *z;
    size_t n;
    double scale;
    double *rest;   /* correlations by all features but one */
    double *matrix; /* covariance, then its factor */
    double *sides;  /* z and 1, whitened */
    float *row;
    size_t *coordinates; /* features; as many as there are stands for the noise */
} work;

static void work_clear(work *self)
{
    opevo_free(self->rest);
    opevo_free(self->matrix);
    opevo_free(self->sides);
    opevo_free(self->row);
    opevo_free(self->coordinates);
}

static opevo_status work_init(work *self, const opevo_i_qgp_gaussian *gaussian,
                              const opevo_i_qgp_points *points, const double *z, opevo_error *err)
{
    size_t n = points->count;

    *self = (work){.points = points, .z = z, .n = n, .scale = opevo_i_qgp_gaussian_scale(z, n)};
    self->rest = opevo_malloc(n * n, sizeof *self->rest);
    self->matrix = opevo_malloc(n * n, sizeof *self->matrix);
    self->sides = opevo_malloc(2 * n, sizeof *self->sides);
    self->row = opevo_malloc(n, sizeof *self->row);
    self->coordinates = opevo_malloc(opevo_i_qgp_walk_kernel_features(gaussian->kernel) + 1,
                                     sizeof *self->coordinates);
    if (!self->rest || !self->matrix || !self->sides || !self->row || !self->coordinates) {
        work_clear(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to fit a model to %zu points.", n);
    }
    return OPEVO_OK;
}

/* ---- The density of the targets ---- */

/* With L L' = C + noise I, a = L^-1 z, b = L^-1 1, and z's residual r = a - (a'b / b'b) b:
 * - log p = log det L + log(b'b) / 2 + (1 + (n - 1) / 2) log(scale / 2 + r'r / 2) + constant. */
static double minus_log_density(work *self, double noise)
{
    size_t n = self->n;
    double *a = self->sides;
    double *b = self->sides + n;
    double density = 0;
    double squares = 0;
    double share = 0;

    for (size_t i = 0; i < n; i++) {
        self->matrix[i * n + i] += noise;
        a[i] = self->z[i];
        b[i] = 1;
    }
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, self->matrix, (int)n) != 0 ||
        isnan(self->matrix[n * n - 1]))
        return DBL_MAX;
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, self->matrix, (int)n,
                a, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, self->matrix, (int)n,
                b, 1);
    for (size_t i = 0; i < n; i++)
        density += log(self->matrix[i * n + i]);
    squares = cblas_ddot((int)n, b, 1, b, 1);
    share = cblas_ddot((int)n, a, 1, b, 1) / squares;
    cblas_daxpy((int)n, -share, b, 1, a, 1);
    return density + 0.5 * log(squares) +
           0.5 * (double)(n + 1) * log(0.5 * (self->scale + cblas_ddot((int)n, a, 1, a, 1)));
}

/* The correlations by one feature into `matrix`, times what is there. */
static void multiply(const opevo_i_qgp_gaussian *gaussian, work *self, size_t feature,
                     double *matrix)
{
    for (size_t i = 0; i < self->n; i++) {
        for (size_t j = 0; j <= i; j++)
            self->row[j] = 1;
        opevo_i_qgp_walk_kernel_multiply(
            gaussian->kernel, feature, gaussian->levels[feature], self->points, i,
            (opevo_i_qgp_point_range){self->points, 0, i + 1}, self->row);
        for (size_t j = 0; j <= i; j++)
            matrix[i * self->n + j] *= (double)self->row[j];
    }
}

/* `rest` of all features but one; `but` may be their number, for none. */
static void fill_rest(const opevo_i_qgp_gaussian *gaussian, work *self, size_t but)
{
    size_t count = opevo_i_qgp_walk_kernel_features(gaussian->kernel);

    for (size_t i = 0; i < self->n * self->n; i++)
        self->rest[i] = 1;
    for (size_t f = 0; f < count; f++) {
        if (f != but)
            multiply(gaussian, self, f, self->rest);
    }
}

opevo_status opevo_i_qgp_gaussian_evidence(const opevo_i_qgp_gaussian *self,
                                           const opevo_i_qgp_points *points, const double *z,
                                           double *minus_log, opevo_error *err)
{
    work scratch;
    opevo_status status = work_init(&scratch, self, points, z, err);

    if (status != OPEVO_OK)
        return status;
    fill_rest(self, &scratch, opevo_i_qgp_walk_kernel_features(self->kernel));
    memcpy(scratch.matrix, scratch.rest, scratch.n * scratch.n * sizeof *scratch.rest);
    *minus_log = minus_log_density(&scratch, opevo_i_qgp_noise[self->noise]);
    work_clear(&scratch);
    return OPEVO_OK;
}

/* ---- Drawing ---- */

/* The current level first, then different others, uniform. */
static void draw_levels(unsigned current, unsigned count, opevo_rng *rng, unsigned *levels)
{
    unsigned all[OPEVO_I_LEVELS]; /* there are fewer noises */

    for (unsigned i = 0; i < count; i++)
        all[i] = i;
    all[current] = 0;
    all[0] = current;
    opevo_rng_choose(rng, all + 1, count - 1, TRIED - 1, sizeof *all);
    for (unsigned i = 0; i < TRIED; i++)
        levels[i] = all[i];
}

/* A place drawn with probability proportional to exp(- minus_logs). */
static size_t draw_place(const double *minus_logs, size_t count, opevo_rng *rng)
{
    double least = DBL_MAX;
    double sum = 0;
    double left = 0;

    for (size_t i = 0; i < count; i++)
        least = fmin(least, minus_logs[i]);
    for (size_t i = 0; i < count; i++)
        sum += exp(least - minus_logs[i]);
    left = opevo_rng_unit(rng) * sum;
    for (size_t i = 0; i + 1 < count; i++) {
        left -= exp(least - minus_logs[i]);
        if (left < 0)
            return i;
    }
    return count - 1;
}

/* - log of the prior of the current level, up to a constant. */
static double minus_log_prior(const opevo_i_qgp_gaussian *gaussian, size_t feature)
{
    if (gaussian->levels[feature] < OPEVO_I_LEVELS - 1 ||
        !opevo_i_qgp_walk_kernel_is_optional(gaussian->kernel, feature))
        return 0;
    return -log(OPEVO_I_LEVELS - 1);
}

static void draw_coordinate(opevo_i_qgp_gaussian *gaussian, work *self, size_t at, opevo_rng *rng)
{
    bool is_noise = at == opevo_i_qgp_walk_kernel_features(gaussian->kernel);
    unsigned char *level = is_noise ? &gaussian->noise : &gaussian->levels[at];
    unsigned levels[TRIED];
    double minus_logs[TRIED];

    fill_rest(gaussian, self, at);
    draw_levels(*level, is_noise ? (unsigned)OPEVO_I_NOISES : (unsigned)OPEVO_I_LEVELS, rng,
                levels);
    for (size_t i = 0; i < TRIED; i++) {
        *level = (unsigned char)levels[i];
        memcpy(self->matrix, self->rest, self->n * self->n * sizeof *self->rest);
        if (!is_noise)
            multiply(gaussian, self, at, self->matrix);
        minus_logs[i] = minus_log_density(self, opevo_i_qgp_noise[gaussian->noise]) +
                        (is_noise ? 0 : minus_log_prior(gaussian, at));
    }
    *level = (unsigned char)levels[draw_place(minus_logs, TRIED, rng)];
}

opevo_status opevo_i_qgp_gaussian_sweep(opevo_i_qgp_gaussian *self,
                                        const opevo_i_qgp_points *points, const double *z,
                                        opevo_rng *rng, opevo_error *err)
{
    work scratch;
    opevo_status status = work_init(&scratch, self, points, z, err);
    size_t count = opevo_i_qgp_walk_kernel_features(self->kernel) + 1;

    if (status != OPEVO_OK)
        return status;
    opevo_rng_order(rng, scratch.coordinates, count);
    for (size_t i = 0; i < count; i++)
        draw_coordinate(self, &scratch, scratch.coordinates[i], rng);
    work_clear(&scratch);
    return OPEVO_OK;
}
