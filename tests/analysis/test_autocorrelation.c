/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Autocorrelation and spectrum against powers of the walk's matrix, LAPACK's eigenvalues, and the
 * known spectrum of complete graphs. */

#include "landscape_fixture.h"

#include <lapacke.h>
#undef I

/* r(s) from its definition, with dense vectors. */
static double correlation_at(const small_landscape *self, const double *f, int steps)
{
    size_t n = self->count;
    double *mu = calloc(n, sizeof *mu), *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    double sum = 0, mean = 0, variance = 0, covariance = 0;

    assert_true(mu && x && y);
    for (size_t u = 0; u < n; u++) {
        for (size_t v = 0; v < n; v++)
            mu[u] += self->adjacent[u * n + v];
        sum += mu[u];
        mean += mu[u] * f[u];
    }
    mean /= sum;
    for (size_t u = 0; u < n; u++)
        x[u] = f[u] - mean;
    for (int s = 0; s < steps; s++) {
        for (size_t u = 0; u < n; u++) {
            y[u] = 0;
            for (size_t v = 0; v < n; v++)
                y[u] += self->adjacent[u * n + v] ? x[v] / mu[u] : 0;
        }
        memcpy(x, y, n * sizeof *x);
    }
    for (size_t u = 0; u < n; u++) {
        variance += mu[u] * (f[u] - mean) * (f[u] - mean);
        covariance += mu[u] * (f[u] - mean) * x[u];
    }
    free(mu);
    free(x);
    free(y);
    return covariance / variance;
}

CHECK_TEST(test_powers)
{
    for (size_t i = 0; i < SMALL_LANDSCAPES; i++) {
        small_landscape self = small_landscape_number(i);
        bool positive = true;
        double *f = malloc(self.count * sizeof *f);
        opevo_autocorrelation a;

        assert_non_null(f);
        for (size_t u = 0; u < self.count; u++)
            positive = positive && self.fitness[u] > 0;
        for (size_t u = 0; u < self.count; u++)
            f[u] = positive ? log(self.fitness[u]) : self.fitness[u];
        /* Six steps have the moments up to 11; they are then those of the default, too. */
        for (size_t steps = 0; steps <= 6; steps += 6) {
            CHECK_OK(opevo_landscape_autocorrelation(
                self.graph, positive ? OPEVO_SCALE_LOG : OPEVO_SCALE_LINEAR, steps, 2, &a, &err));
            assert_true(a.defined);
            for (int s = 0; s <= OPEVO_LAGS; s++)
                CHECK_CLOSE(a.r[s], correlation_at(&self, f, s), 1e-10);
            CHECK_CLOSE(a.length, -1 / log(fabs(a.r[1])), 1e-12);
            opevo_autocorrelation_release(&a);
        }
        free(f);
        small_landscape_free(&self);
    }
}

/* Share of the variance at eigenvalues >= x, from all eigenvectors. */
static double share_above(const small_landscape *self, const double *value, const double *vector,
                          double x)
{
    size_t n = self->count;
    double above = 0, all = 0, mean = 0, sum = 0, *mu = calloc(n, sizeof *mu);

    assert_non_null(mu);
    for (size_t u = 0; u < n; u++) {
        for (size_t v = 0; v < n; v++)
            mu[u] += self->adjacent[u * n + v];
        sum += mu[u];
        mean += mu[u] * self->fitness[u];
    }
    for (size_t p = 0; p < n; p++) {
        double a = 0;

        for (size_t u = 0; u < n; u++)
            a += sqrt(mu[u]) * (self->fitness[u] - mean / sum) * vector[p * n + u];
        all += a * a;
        above += value[p] >= x ? a * a : 0;
    }
    free(mu);
    return above / all;
}

static double *eigenvectors(const small_landscape *self, double *value)
{
    size_t n = self->count;
    double *matrix = calloc(n * n, sizeof *matrix), *degree = calloc(n, sizeof *degree);

    assert_true(matrix && degree);
    for (size_t u = 0; u < n * n; u++)
        degree[u / n] += self->adjacent[u];
    for (size_t u = 0; u < n * n; u++)
        matrix[u] = self->adjacent[u] ? 1 / sqrt(degree[u / n] * degree[u % n]) : 0;
    assert_int_equal(
        LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)n, matrix, (lapack_int)n, value), 0);
    free(degree);
    return matrix;
}

/* A short rule bounds the share at every place; a long one is the measure. */
CHECK_TEST(test_spectrum)
{
    for (size_t i = 3; i < SMALL_LANDSCAPES; i += 5) {
        small_landscape self = small_landscape_number(i);
        double *value = malloc(self.count * sizeof *value), *vector = NULL, low = 0, high = 0;
        opevo_autocorrelation brief, whole;

        assert_non_null(value);
        vector = eigenvectors(&self, value);
        CHECK_OK(
            opevo_landscape_autocorrelation(self.graph, OPEVO_SCALE_LINEAR, 8, 1, &brief, &err));
        CHECK_OK(
            opevo_landscape_autocorrelation(self.graph, OPEVO_SCALE_LINEAR, 1000, 1, &whole, &err));
        for (int k = -22; k <= 22; k++) {
            double x = (k + 0.5) / 21.37, /* not 0, which may be an eigenvalue */
                exact = share_above(&self, value, vector, x);

            opevo_autocorrelation_above(&brief, x, &low, &high);
            assert_true(low <= exact + 1e-10 && exact <= high + 1e-10);
            opevo_autocorrelation_above(&whole, x, &low, &high);
            if (whole.complete)
                CHECK_CLOSE(low, exact, 1e-8);
        }
        assert_int_equal(brief.node_count, 8);
        opevo_autocorrelation_release(&brief);
        opevo_autocorrelation_release(&whole);
        free(value);
        free(vector);
        small_landscape_free(&self);
    }
}

/* Nodes of a rule that claims to be the measure: no more than the matrix has eigenvalues, and each
 * of them one; and in any case r[0] is 1, and no rule has more nodes than there are eigenvalues. */
static void check_nodes(const small_landscape *self)
{
    double *value = malloc(self->count * sizeof *value), *vector = NULL;
    opevo_autocorrelation a;
    size_t distinct = 1;

    assert_non_null(value);
    vector = eigenvectors(self, value);
    for (size_t i = 1; i < self->count; i++)
        distinct += value[i] - value[i - 1] > 1e-8;
    CHECK_OK(opevo_landscape_autocorrelation(self->graph, OPEVO_SCALE_LINEAR, 0, 1, &a, &err));
    assert_true(a.defined && a.node_count <= distinct);
    CHECK_CLOSE(a.r[0], 1, 0);
    for (size_t i = 0; i < a.node_count && a.complete; i++) {
        double nearest = INFINITY;

        for (size_t k = 0; k < self->count; k++)
            nearest = fmin(nearest, fabs(value[k] - a.eigenvalue[i]));
        assert_true(nearest < 1e-8);
    }
    opevo_autocorrelation_release(&a);
    free(value);
    free(vector);
}

CHECK_TEST(test_nodes)
{
    static const char *const spaces[] = {
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7]},"
        " \"b\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7]},"
        " \"c\": {\"_type\": \"choice\", \"_value\": [0, 1, 2]}}",
        "{\"a\": {\"_type\": \"permutation\", \"_value\": [4]},"
        " \"b\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}}",
        "{\"a\": {\"_type\": \"factor\", \"_value\": [16, 3]},"
        " \"b\": {\"_type\": \"factor\", \"_value\": [8, 2]}}"};

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        for (uint64_t seed = 0; seed < 5; seed++) {
            small_landscape self = small_landscape_of(spaces[i], OPEVO_NODES_OK, 0, 0, seed);

            check_nodes(&self);
            small_landscape_free(&self);
        }
    }
}

/* D complete graphs on m vertices: the interactions of order k lie at 1 - k m / (D (m - 1)), so the
 * spectral measure is the variance by order. */
CHECK_TEST(test_interactions_of_complete_graphs)
{
    small_landscape self =
        small_landscape_of("{\"a\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3]},"
                           " \"b\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3]},"
                           " \"c\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3]}}",
                           OPEVO_NODES_OK, 0, 0, 7);
    opevo_autocorrelation a;
    opevo_interaction v;

    CHECK_OK(opevo_landscape_autocorrelation(self.graph, OPEVO_SCALE_LINEAR, 0, 1, &a, &err));
    CHECK_OK(opevo_landscape_interaction(self.graph, OPEVO_SCALE_LINEAR, 3, &v, &err));
    assert_true(a.complete && a.node_count == 3 && v.exact);
    for (size_t k = 1; k <= 3; k++) {
        CHECK_CLOSE(a.eigenvalue[3 - k], 1 - (double)k * 4 / 9, 1e-12);
        CHECK_CLOSE(a.share[3 - k], v.order[k], 1e-12);
    }
    opevo_autocorrelation_release(&a);
    opevo_interaction_release(&v);
    small_landscape_free(&self);
}

CHECK_TEST(test_refused)
{
    small_landscape failures = small_landscape_of(path_space, OPEVO_NODES_ALLOWED, 0, 3, 1);
    small_landscape flat = small_landscape_of(path_space, OPEVO_NODES_OK, 1, 0, 1);
    opevo_autocorrelation a;

    CHECK_FAILS(OPEVO_INVALID, "logarithm",
                opevo_landscape_autocorrelation(failures.graph, OPEVO_SCALE_LOG, 0, 1, &a, &err));
    CHECK_OK(opevo_landscape_autocorrelation(flat.graph, OPEVO_SCALE_LINEAR, 0, 1, &a, &err));
    assert_false(a.defined);
    opevo_autocorrelation_release(&a);
    small_landscape_free(&failures);
    small_landscape_free(&flat);
}
