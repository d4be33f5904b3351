/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The posterior. Factors are kept in double precision; what is kept for each watched point is in
 * single precision, for reading it is what a trial costs. */

#include "gaussian_struct_internal.h"

#include <opevo/memory.h>

#include <cblas.h>
#include <lapacke.h>

#include <math.h>
#include <string.h>

enum {
    START_NOISE = 2,
    ATTEMPTS = 10 /* the last adds more than the points that memory holds can need */
};

/* Relative to s^2. */
const double opevo_i_qgp_noise[OPEVO_I_NOISES] = {1e-5, 1e-4, 1e-3, 1e-2, .03, .1, .3};

opevo_i_qgp_gaussian *opevo_i_qgp_gaussian_create(const opevo_i_qgp_walk_kernel *kernel)
{
    opevo_i_qgp_gaussian *self = opevo_calloc(1, sizeof *self);
    size_t features = opevo_i_qgp_walk_kernel_features(kernel);

    if (!self)
        return NULL;
    self->kernel = kernel;
    self->noise = START_NOISE;
    self->levels = opevo_malloc(features, sizeof *self->levels);
    if (!self->levels) {
        opevo_free(self);
        return NULL;
    }
    for (size_t f = 0; f < features; f++)
        self->levels[f] = opevo_i_qgp_walk_kernel_start(kernel, f);
    return self;
}

void opevo_i_qgp_gaussian_destroy(opevo_i_qgp_gaussian *self)
{
    if (!self)
        return;
    opevo_free(self->levels);
    opevo_free(self->factor);
    opevo_free(self->one);
    opevo_free(self->white);
    opevo_free(self->single);
    opevo_free(self->rows);
    opevo_free(self->squares);
    opevo_free(self->ones);
    opevo_free(self);
}

const unsigned char *opevo_i_qgp_gaussian_levels(const opevo_i_qgp_gaussian *self)
{
    return self->levels;
}

unsigned opevo_i_qgp_gaussian_noise(const opevo_i_qgp_gaussian *self)
{
    return self->noise;
}

void opevo_i_qgp_gaussian_set(opevo_i_qgp_gaussian *self, const unsigned char *levels,
                              unsigned char noise)
{
    memcpy(self->levels, levels,
           opevo_i_qgp_walk_kernel_features(self->kernel) * sizeof *self->levels);
    self->noise = noise;
}

double opevo_i_qgp_gaussian_scale(const double *z, size_t count)
{
    double mean = 0;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        mean += z[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        sum += (z[i] - mean) * (z[i] - mean);
    return fmax(sum / (double)count, 1e-12);
}

/* ---- Conditioning ---- */

/* Room for `count` points, what is there kept. */
static opevo_status make_room(opevo_i_qgp_gaussian *self, size_t count, opevo_error *err)
{
    size_t capacity = count + count / 2 + 16;
    double *factor = NULL;
    double *one = NULL;
    double *white = NULL;
    float *single = NULL;

    if (count <= self->capacity)
        return OPEVO_OK;
    factor = opevo_malloc(capacity * capacity, sizeof *factor);
    one = opevo_malloc(capacity, sizeof *one);
    white = opevo_malloc(capacity, sizeof *white);
    single = opevo_malloc(capacity, sizeof *single);
    if (!factor || !one || !white || !single) {
        opevo_free(factor);
        opevo_free(one);
        opevo_free(white);
        opevo_free(single);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a model of %zu points.", capacity);
    }
    for (size_t i = 0; i < self->count; i++) {
        memcpy(factor + i * capacity, self->factor + i * self->capacity, (i + 1) * sizeof *factor);
        one[i] = self->one[i];
        white[i] = self->white[i];
    }
    opevo_free(self->factor);
    opevo_free(self->one);
    opevo_free(self->white);
    opevo_free(self->single);
    self->factor = factor;
    self->one = one;
    self->white = white;
    self->single = single;
    self->capacity = capacity;
    return OPEVO_OK;
}

static void fill_covariance(opevo_i_qgp_gaussian *self, const opevo_i_qgp_points *points,
                            double noise)
{
    size_t features = opevo_i_qgp_walk_kernel_features(self->kernel);

    for (size_t i = 0; i < points->count; i++) {
        double *row = self->factor + i * self->capacity;

        for (size_t j = 0; j <= i; j++)
            self->single[j] = 1;
        for (size_t f = 0; f < features; f++)
            opevo_i_qgp_walk_kernel_multiply(self->kernel, f, self->levels[f], points, i,
                                             (opevo_i_qgp_point_range){points, 0, i + 1},
                                             self->single);
        for (size_t j = 0; j <= i; j++)
            row[j] = (double)self->single[j];
        row[i] += noise;
    }
}

/* Factor C + noise I. What is not a number spreads to the last element of the factor, where a
 * library does not refuse it. */
static bool factorise(opevo_i_qgp_gaussian *self, const opevo_i_qgp_points *points, double noise)
{
    size_t n = points->count;

    fill_covariance(self, points, noise);
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, self->factor, (int)self->capacity) ==
               0 &&
           isfinite(self->factor[(n - 1) * (self->capacity + 1)]);
}

opevo_status opevo_i_qgp_gaussian_condition(opevo_i_qgp_gaussian *self,
                                            const opevo_i_qgp_points *points, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t n = points->count;
    bool done = false;

    self->count = 0;
    self->watched = 0;
    self->added = opevo_i_qgp_noise[self->noise];
    OPEVO_TRY(make_room(self, n, err));
    /* Tables in single precision may leave C + noise I indefinite by about 1e-6. */
    for (int left = ATTEMPTS; left > 0 && !done; left--) {
        done = factorise(self, points, self->added);
        if (!done)
            self->added *= 10;
    }
    if (!done) {
        status = OPEVO_FAIL(err, OPEVO_TOLERANCE,
                            "The correlations of %zu points do not make a covariance matrix.", n);
        goto cleanup;
    }
    for (size_t i = 0; i < n; i++)
        self->one[i] = 1;
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, self->factor,
                (int)self->capacity, self->one, 1);
    self->count = n;
cleanup:
    return status;
}

void opevo_i_qgp_gaussian_target(opevo_i_qgp_gaussian *self, const double *z)
{
    size_t n = self->count;
    double squares = 0;

    memcpy(self->white, z, n * sizeof *z);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, self->factor,
                (int)self->capacity, self->white, 1);
    self->one_squared = cblas_ddot((int)n, self->one, 1, self->one, 1);
    self->mean = cblas_ddot((int)n, self->one, 1, self->white, 1) / self->one_squared;
    for (size_t i = 0; i < n; i++) {
        self->white[i] -= self->mean * self->one[i];
        squares += self->white[i] * self->white[i];
    }
    /* The scale of the Student law that the inverse gamma posterior leaves. */
    self->variance = (opevo_i_qgp_gaussian_scale(z, n) + squares) / (double)(n + 1);
}

/* ---- Predicting ---- */

/* From a point's column v of L^-1 C: the posterior variance of mu + f over s^2 is
 * 1 - |v|^2 + (1 - v'L^-1 1)^2 / |L^-1 1|^2. */
static float deviation_of(const opevo_i_qgp_gaussian *self, float squares, float ones)
{
    double left = 1 - (double)ones;
    double share = 1 - (double)squares + left * left / self->one_squared;

    return (float)sqrt(fmax(share, 1e-9) * self->variance);
}

static void add_row(const float *row, double one, size_t count, float *squares, float *ones)
{
    for (size_t j = 0; j < count; j++) {
        squares[j] += row[j] * row[j];
        ones[j] += (float)one * row[j];
    }
}

/* L^-1 C(points, at) into `rows`, and what add_row sums of it. Errors: NOMEM. */
static opevo_status project(opevo_i_qgp_gaussian *self, const opevo_i_qgp_points *points,
                            opevo_i_qgp_point_range at, float *rows, float *squares, float *ones,
                            opevo_error *err)
{
    size_t n = self->count;
    size_t count = at.count;
    float *factor = opevo_malloc(n * n, sizeof *factor);

    OPEVO_NEED_OR_RETURN(factor, "predicting from %zu points", n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++)
            factor[i * n + j] = (float)self->factor[i * self->capacity + j];
        opevo_i_qgp_walk_kernel_row(self->kernel, self->levels, points, i, at, rows + i * count);
    }
    cblas_strsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n,
                (int)count, 1, factor, (int)n, rows, (int)count);
    opevo_free(factor);
    memset(squares, 0, count * sizeof *squares);
    memset(ones, 0, count * sizeof *ones);
    for (size_t i = 0; i < n; i++)
        add_row(rows + i * count, self->one[i], count, squares, ones);
    return OPEVO_OK;
}

/* mean[j] = mu + column j of `rows` times the whitened targets. */
static void means(const opevo_i_qgp_gaussian *self, const float *rows, size_t count, float *mean)
{
    for (size_t i = 0; i < self->count; i++)
        self->single[i] = (float)self->white[i];
    for (size_t j = 0; j < count; j++)
        mean[j] = (float)self->mean;
    cblas_sgemv(CblasRowMajor, CblasTrans, (int)self->count, (int)count, 1, rows, (int)count,
                self->single, 1, 1, mean, 1);
}

opevo_status opevo_i_qgp_gaussian_predict(opevo_i_qgp_gaussian *self,
                                          const opevo_i_qgp_points *points,
                                          const opevo_i_qgp_points *at, size_t first, size_t count,
                                          float *mean, float *deviation, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    float *rows = opevo_malloc((self->count + 1) * count, sizeof *rows);

    OPEVO_NEED_OR_RETURN(rows, "predicting at %zu points", count);
    /* The deviation has room for one of the sums until it is written. */
    OPEVO_TRY(project(self, points, (opevo_i_qgp_point_range){at, first, count}, rows, deviation,
                      rows + self->count * count, err));
    means(self, rows, count, mean);
    for (size_t j = 0; j < count; j++)
        deviation[j] = deviation_of(self, deviation[j], rows[self->count * count + j]);
cleanup:
    opevo_free(rows);
    return status;
}

/* ---- Watched points ---- */

static opevo_status make_rows(opevo_i_qgp_gaussian *self, size_t rows, size_t count,
                              opevo_error *err)
{
    size_t capacity = (rows + rows / 4 + 16) * count;
    float *grown = NULL;

    if (rows * count <= self->row_capacity)
        return OPEVO_OK;
    grown = opevo_realloc(self->rows, capacity, sizeof *grown);
    OPEVO_NEED_OR_RETURN(grown, "watching %zu points", count);
    self->rows = grown;
    self->row_capacity = capacity;
    return OPEVO_OK;
}

opevo_status opevo_i_qgp_gaussian_watch(opevo_i_qgp_gaussian *self,
                                        const opevo_i_qgp_points *points,
                                        const opevo_i_qgp_points *watched, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = watched->count;
    float *squares = opevo_realloc(self->squares, count, sizeof *squares);
    float *ones = NULL;

    self->watched = 0;
    self->squares = squares ? squares : self->squares;
    ones = opevo_realloc(self->ones, count, sizeof *ones);
    self->ones = ones ? ones : self->ones;
    OPEVO_NEED_OR_RETURN(squares && ones, "watching %zu points", count);
    OPEVO_TRY(make_rows(self, self->count + 1, count, err));
    OPEVO_TRY(project(self, points, (opevo_i_qgp_point_range){watched, 0, count}, self->rows,
                      self->squares, self->ones, err));
    self->watched = count;
cleanup:
    return status;
}

/* The next row of L: L l = C(points, new), and the root of what is left of the new point's own
 * variance, which is returned; NAN where a correlation is not a number. */
static double extend_factor(opevo_i_qgp_gaussian *self, const opevo_i_qgp_points *points)
{
    size_t n = self->count;
    size_t features = opevo_i_qgp_walk_kernel_features(self->kernel);
    double *row = self->factor + n * self->capacity;
    double left = 1 + self->added;

    for (size_t j = 0; j < n; j++)
        self->single[j] = 1;
    for (size_t f = 0; f < features; f++)
        opevo_i_qgp_walk_kernel_multiply(self->kernel, f, self->levels[f], points, n,
                                         (opevo_i_qgp_point_range){points, 0, n}, self->single);
    for (size_t j = 0; j < n; j++)
        row[j] = (double)self->single[j];
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, self->factor,
                (int)self->capacity, row, 1);
    left -= cblas_ddot((int)n, row, 1, row, 1);
    if (isnan(left))
        return left;
    row[n] = sqrt(fmax(left, 1e-6));
    self->one[n] = (1 - cblas_ddot((int)n, row, 1, self->one, 1)) / row[n];
    for (size_t j = 0; j < n; j++)
        self->single[j] = (float)row[j];
    return row[n];
}

opevo_status opevo_i_qgp_gaussian_append(opevo_i_qgp_gaussian *self,
                                         const opevo_i_qgp_points *points,
                                         const opevo_i_qgp_points *watched, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t n = self->count;
    size_t count = self->watched;
    double root = 0;
    float *row = NULL;

    OPEVO_TRY(make_room(self, n + 1, err));
    OPEVO_TRY(make_rows(self, n + 1, count, err));
    row = self->rows + n * count;
    root = extend_factor(self, points);
    if (isnan(root)) {
        status = OPEVO_FAIL(
            err, OPEVO_TOLERANCE,
            "The correlations of point %zu with those before it are not finite numbers.", n);
        goto cleanup;
    }
    opevo_i_qgp_walk_kernel_row(self->kernel, self->levels, points, n,
                                (opevo_i_qgp_point_range){watched, 0, count}, row);
    cblas_sgemv(CblasRowMajor, CblasTrans, (int)n, (int)count, (float)(-1 / root), self->rows,
                (int)count, self->single, 1, (float)(1 / root), row, 1);
    add_row(row, self->one[n], count, self->squares, self->ones);
    self->one_squared += self->one[n] * self->one[n];
    self->white[n] = 0;
    self->count = n + 1;
cleanup:
    return status;
}

void opevo_i_qgp_gaussian_retract(opevo_i_qgp_gaussian *self, size_t count)
{
    while (self->count > count) {
        const float *row = self->rows + --self->count * self->watched;
        double one = self->one[self->count];

        self->one_squared -= one * one;
        for (size_t j = 0; j < self->watched; j++) {
            self->squares[j] -= row[j] * row[j];
            self->ones[j] -= (float)one * row[j];
        }
    }
}

void opevo_i_qgp_gaussian_read(const opevo_i_qgp_gaussian *self, float *mean, float *deviation)
{
    if (mean)
        means(self, self->rows, self->watched, mean);
    for (size_t j = 0; j < self->watched; j++)
        deviation[j] = deviation_of(self, self->squares[j], self->ones[j]);
}
