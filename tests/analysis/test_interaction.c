/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variance by order and importance of parameters: against Walsh coefficients, averages taken
 * literally, and LAPACK's least squares. */

#include "landscape_fixture.h"

#include <lapacke.h>
#undef I

static double variance_of(const double *f, size_t n)
{
    double mean = 0, square = 0;

    for (size_t u = 0; u < n; u++)
        mean += f[u] / (double)n;
    for (size_t u = 0; u < n; u++)
        square += (f[u] - mean) * (f[u] - mean) / (double)n;
    return square;
}

/* Hypercube: the variance of order k is the sum of the squared coefficients of the sets of k. */
CHECK_TEST(test_walsh)
{
    small_landscape self = small_landscape_of(
        "{\"a\": {\"_type\": \"choice\", \"_value\": [0, 1]}, \"b\": {\"_type\": \"choice\","
        " \"_value\": [0, 1]}, \"c\": {\"_type\": \"choice\", \"_value\": [0, 1]}, \"d\": "
        "{\"_type\":"
        " \"choice\", \"_value\": [0, 1]}, \"e\": {\"_type\": \"choice\", \"_value\": [0, 1]}}",
        OPEVO_NODES_ALLOWED, 0, 2, 3);
    double order[6] = {0}, first[5], total[5] = {0}, variance = variance_of(self.fitness, 32);
    opevo_interaction v;

    for (unsigned set = 1; set < 32; set++) {
        double c = 0;

        for (unsigned x = 0; x < 32; x++)
            c += (__builtin_popcount(set & x) % 2 ? -1 : 1) * self.fitness[x] / 32;
        order[__builtin_popcount(set)] += c * c / variance;
        for (unsigned i = 0; i < 5; i++) {
            if (set == 1U << (4 - i))
                first[i] = c * c / variance;
            total[i] += set >> (4 - i) & 1 ? c * c / variance : 0;
        }
    }
    CHECK_OK(opevo_landscape_interaction(self.graph, OPEVO_SCALE_LINEAR, 5, &v, &err));
    assert_true(v.defined && v.exact && v.order_count == 6 && v.parameter_count == 5);
    for (size_t k = 1; k <= 5; k++)
        CHECK_CLOSE(v.order[k], order[k], 1e-12);
    for (size_t i = 0; i < 5; i++) {
        CHECK_CLOSE(v.first[i], first[i], 1e-12);
        CHECK_CLOSE(v.total[i], total[i], 1e-12);
    }
    opevo_interaction_release(&v);
    small_landscape_free(&self);
}

/* Vertices of a node's point. */
static void vertices_of(const small_landscape *self, size_t u, opevo_index *vertices)
{
    opevo_space_decode(self->objective.space, opevo_landscape_graph_point(self->graph, u),
                       vertices);
}

/* 1 - mean square about the means of the nodes that agree in the parameters of `set`. */
static double explained_by_means(const small_landscape *self, unsigned set)
{
    size_t n = self->count, parameters = opevo_space_parameter_count(self->objective.space);
    double left = 0;

    for (size_t u = 0; u < n; u++) {
        double sum = 0, count = 0;
        opevo_index x[16], y[16];

        vertices_of(self, u, x);
        for (size_t v = 0; v < n; v++) {
            bool same = true;

            vertices_of(self, v, y);
            for (size_t i = 0; i < parameters; i++)
                same = same && (!(set >> i & 1) || x[i] == y[i]);
            sum += same ? self->fitness[v] : 0;
            count += same;
        }
        left += pow(self->fitness[u] - sum / count, 2) / (double)n;
    }
    return 1 - left / variance_of(self->fitness, n);
}

/* Number of the vertices of a node in the parameters of `set`. */
static size_t cell_of(const small_landscape *self, size_t u, unsigned set)
{
    const opevo_space *space = self->objective.space;
    opevo_index x[16];
    size_t cell = 0;

    vertices_of(self, u, x);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        if (set >> i & 1)
            cell =
                cell * (size_t)opevo_parameter_size(opevo_space_parameter(space, i)) + (size_t)x[i];
    }
    return cell;
}

/* R^2 of the sums of functions of `order` parameters, by LAPACK's rank-deficient solver. */
static double explained_by_lapack(const small_landscape *self, unsigned order)
{
    size_t n = self->count, parameters = opevo_space_parameter_count(self->objective.space);
    size_t most = 4000, columns = 0;
    double *a = calloc(n * most, sizeof *a), *b = malloc((n + most) * sizeof *b), left = 0;
    double *singular = malloc((n + most) * sizeof *singular);
    lapack_int rank = 0;

    assert_true(a && b && singular);
    for (unsigned set = 0; set < 1U << parameters; set++) {
        size_t cells = 1;

        if ((unsigned)__builtin_popcount(set) != order)
            continue;
        for (size_t i = 0; i < parameters; i++)
            cells *=
                set >> i & 1
                    ? (size_t)opevo_parameter_size(opevo_space_parameter(self->objective.space, i))
                    : 1;
        assert_true(columns + cells <= most);
        for (size_t u = 0; u < n; u++)
            a[(columns + cell_of(self, u, set)) * n + u] = 1;
        columns += cells;
    }
    memcpy(b, self->fitness, n * sizeof *b);
    {
        double *copy = malloc((n * columns + 1) * sizeof *copy);

        assert_non_null(copy);
        memcpy(copy, a, n * columns * sizeof *copy);
        assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)columns, 1,
                                        copy, (lapack_int)n, b,
                                        (lapack_int)(n > columns ? n : columns), singular, 1e-10,
                                        &rank),
                         0);
        free(copy);
    }
    for (size_t u = 0; u < n; u++) {
        double fit = 0;

        for (size_t k = 0; k < columns; k++)
            fit += a[k * n + u] * b[k];
        left += pow(self->fitness[u] - fit, 2) / (double)n;
    }
    free(a);
    free(b);
    free(singular);
    return 1 - left / variance_of(self->fitness, n);
}

CHECK_TEST(test_against_averages_and_lapack)
{
    for (size_t i = 0; i < SMALL_LANDSCAPES; i++) {
        small_landscape self = small_landscape_number(i);
        size_t parameters = opevo_space_parameter_count(self.objective.space);
        unsigned all = (1U << parameters) - 1;
        double sum = 0;
        opevo_interaction v;

        CHECK_OK(opevo_landscape_interaction(self.graph, OPEVO_SCALE_LINEAR, 9, &v, &err));
        assert_int_equal(v.exact, self.count == self.table->size);
        assert_true(v.defined && v.bound < 1e-9);
        for (unsigned k = 1; k < v.order_count; k++) {
            sum += v.order[k];
            CHECK_CLOSE(sum, k < parameters ? explained_by_lapack(&self, k) : 1, 1e-8);
        }
        CHECK_CLOSE(sum + v.rest, 1, 1e-12);
        for (unsigned k = 0; k < parameters; k++) {
            CHECK_CLOSE(v.first[k], explained_by_means(&self, 1U << k), 1e-12);
            CHECK_CLOSE(v.total[k], 1 - explained_by_means(&self, all & ~(1U << k)), 1e-12);
        }
        opevo_interaction_release(&v);
        small_landscape_free(&self);
    }
}

/* A sum of functions of single parameters has no interactions, whatever points are missing. */
CHECK_TEST(test_additive)
{
    fake self = fake_landscape(mixed_space, 0, 4, 1);
    opevo_landscape_table *table = NULL;
    opevo_landscape_graph *graph = NULL;
    opevo_interaction v;

    CHECK_OK(opevo_landscape_table_create(&self.super, 1, &table, &err));
    for (size_t x = 0; x < table->size; x++) {
        opevo_index at[4];

        opevo_space_decode(self.space, x, at);
        if (table->state[x] == OPEVO_POINT_OK)
            table->fitness[x] = 1 + (double)(at[0] * at[0]) + 3 * (double)(at[1] % 2) +
                                0.25 * (double)at[2] + exp((double)at[3]);
    }
    CHECK_OK(opevo_landscape_graph_create(table, self.space, OPEVO_NODES_OK, 0, 1, &graph, &err));
    CHECK_OK(opevo_landscape_interaction(graph, OPEVO_SCALE_LINEAR, 2, &v, &err));
    assert_false(v.exact);
    CHECK_CLOSE(v.order[1], 1, 1e-10);
    CHECK_CLOSE(v.order[2], 0, 1e-10);
    opevo_interaction_release(&v);
    opevo_landscape_graph_destroy(graph);
    opevo_landscape_table_destroy(table);
    opevo_space_destroy(self.space);
}
