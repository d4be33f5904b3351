/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "walk_feature_internal.h"

#include <opevo/memory.h>

#include <lapacke.h>

#include <math.h>
#include <stdlib.h>

/* Two values side by side on a path of two correlate by q itself; in the middle of a path of
 * sixteen by .15, .33, .5, .63, .79, .89, .96, .986 and .999. */
const double opevo_i_qgp_level_q[OPEVO_I_LEVELS] = {.3, .6, .8, .9, .97, .99, .997, .999, .9999};

/* ---- Classes ---- */

static void classify_values(opevo_i_qgp_walk_feature *self, size_t size)
{
    for (size_t v = 0; v < size; v++)
        self->class_of[v] = (uint16_t)v;
    self->classes = size;
}

static void classify_kinds(opevo_i_qgp_walk_feature *self, const opevo_parameter *parameter,
                           size_t size)
{
    size_t others = 0;

    for (size_t v = 0; v < size; v++) {
        opevo_value value;
        int64_t number = 0;

        opevo_parameter_value(parameter, v, &value);
        number = value.kind == OPEVO_VALUE_INTEGER ? value.as.integer : 0;
        self->class_of[v] = number <= 0 || (number & (number - 1)) != 0;
        others += self->class_of[v];
    }
    self->classes = others == 0 || others == size ? 1 : 2;
}

typedef struct placed {
    opevo_value value;
    size_t vertex;
} placed;

static int compare_placed(const void *a, const void *b)
{
    return opevo_value_compare(((const placed *)a)->value, ((const placed *)b)->value);
}

static bool classify_component(opevo_i_qgp_walk_feature *self, const opevo_parameter *parameter,
                               size_t size, size_t component)
{
    opevo_value *values = opevo_malloc(opevo_parameter_arity(parameter), sizeof *values);
    placed *sorted = opevo_malloc(size, sizeof *sorted);
    bool fine = values && sorted;

    for (size_t v = 0; fine && v < size; v++) {
        opevo_parameter_value(parameter, v, values);
        sorted[v] = (placed){values[component], v};
    }
    if (fine)
        qsort(sorted, size, sizeof *sorted, compare_placed);
    for (size_t i = 0; fine && i < size; i++) {
        self->classes += i == 0 || compare_placed(&sorted[i - 1], &sorted[i]) != 0;
        self->class_of[sorted[i].vertex] = (uint16_t)(self->classes - 1);
    }
    opevo_free(values);
    opevo_free(sorted);
    return fine;
}

/* ---- Tables ---- */

/* Edges between classes, each counted from both of its ends. */
static bool count_edges(const opevo_i_qgp_walk_feature *self, const opevo_parameter *parameter,
                        size_t size, double *edges)
{
    size_t n = self->classes;
    opevo_index *neighbours = NULL;
    size_t capacity = 0;
    bool fine = true;

    for (size_t i = 0; i < n * n; i++)
        edges[i] = 0;
    for (size_t u = 0; fine && u < size; u++) {
        size_t degree = (size_t)opevo_parameter_degree(parameter, u);

        fine = opevo_reserve((void **)&neighbours, &capacity, degree, sizeof *neighbours);
        if (fine)
            opevo_parameter_neighbours(parameter, u, neighbours);
        for (size_t k = 0; fine && k < degree; k++)
            edges[self->class_of[u] * n + self->class_of[neighbours[k]]] += 1;
    }
    opevo_free(neighbours);
    return fine;
}

/* A to N = D^-1/2 A D^-1/2; `degrees` is scratch. */
static void scale_edges(size_t n, double *edges, double *degrees)
{
    for (size_t a = 0; a < n; a++) {
        degrees[a] = 0;
        for (size_t b = 0; b < n; b++)
            degrees[a] += edges[a * n + b];
    }
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            if (edges[a * n + b] > 0)
                edges[a * n + b] /= sqrt(degrees[a] * degrees[b]);
        }
    }
}

/* The spectrum of I - q N is within [1 - q, 1 + q], so the factorisation cannot fail. */
static void fill_table(const double *scaled, double q, size_t n, double *matrix, float *table)
{
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b <= a; b++)
            matrix[a * n + b] = (a == b) - q * scaled[a * n + b];
    }
    (void)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, matrix, (int)n);
    (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (int)n, matrix, (int)n);
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b <= a; b++) {
            double scale = sqrt(matrix[a * n + a] * matrix[b * n + b]);

            table[a * n + b] = table[b * n + a] = (float)(matrix[a * n + b] / scale);
        }
    }
}

static bool fill_tables(opevo_i_qgp_walk_feature *self, const opevo_parameter *parameter,
                        size_t size)
{
    size_t n = self->classes;
    double *scaled = opevo_malloc(n * n, sizeof *scaled);
    double *matrix = opevo_malloc(n * n, sizeof *matrix);
    bool fine = false;

    self->tables = opevo_malloc(OPEVO_I_LEVELS * n * n, sizeof *self->tables);
    fine = scaled && matrix && self->tables && count_edges(self, parameter, size, scaled);
    if (fine)
        scale_edges(n, scaled, matrix);
    for (size_t level = 0; fine && level < OPEVO_I_LEVELS; level++)
        fill_table(scaled, opevo_i_qgp_level_q[level], n, matrix, self->tables + level * n * n);
    opevo_free(scaled);
    opevo_free(matrix);
    return fine;
}

/* ---- All of it ---- */

opevo_status opevo_i_qgp_walk_feature_init(opevo_i_qgp_walk_feature *self,
                                           const opevo_parameter *parameter, int what,
                                           opevo_error *err)
{
    size_t size = (size_t)opevo_parameter_size(parameter);
    bool fine = false;

    *self = (opevo_i_qgp_walk_feature){.class_of = opevo_malloc(size, sizeof *self->class_of)};
    fine = self->class_of != NULL;
    if (fine && what == OPEVO_I_FEATURE_VALUE)
        classify_values(self, size);
    else if (fine && what == OPEVO_I_FEATURE_KIND)
        classify_kinds(self, parameter, size);
    else if (fine)
        fine = classify_component(self, parameter, size, (size_t)what);
    if (fine && self->classes > 1)
        fine = fill_tables(self, parameter, size);
    if (!fine) {
        opevo_i_qgp_walk_feature_clear(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the correlations of a parameter.");
    }
    return OPEVO_OK;
}

/* Copy one level's table of n classes to one of n + 1; `weights` are shares of the values. */
static void extend_table(const float *from, const double *weights, size_t n, float *to)
{
    size_t wide = n + 1;

    for (size_t a = 0; a < n; a++) {
        double mean = 0;

        for (size_t b = 0; b < n; b++) {
            to[a * wide + b] = from[a * n + b];
            mean += weights[b] * (double)from[a * n + b];
        }
        to[a * wide + n] = to[n * wide + a] = (float)mean;
    }
    to[n * wide + n] = 1;
}

opevo_status opevo_i_qgp_walk_feature_add_inactive(opevo_i_qgp_walk_feature *self, size_t size,
                                                   opevo_error *err)
{
    size_t n = self->classes;
    double *weights = opevo_calloc(n, sizeof *weights);
    float *tables = opevo_malloc(OPEVO_I_LEVELS * (n + 1) * (n + 1), sizeof *tables);
    uint16_t *class_of = opevo_malloc(size + 1, sizeof *class_of);

    if (!weights || !tables || !class_of) {
        opevo_free(weights);
        opevo_free(tables);
        opevo_free(class_of);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the correlations of a parameter.");
    }
    for (size_t v = 0; v < size; v++) {
        class_of[v] = self->class_of[v];
        weights[class_of[v]] += 1 / (double)size;
    }
    class_of[size] = (uint16_t)n;
    for (size_t level = 0; level < OPEVO_I_LEVELS; level++)
        extend_table(self->tables + level * n * n, weights, n, tables + level * (n + 1) * (n + 1));
    opevo_free(weights);
    opevo_i_qgp_walk_feature_clear(self);
    *self = (opevo_i_qgp_walk_feature){.classes = n + 1, .class_of = class_of, .tables = tables};
    return OPEVO_OK;
}

void opevo_i_qgp_walk_feature_clear(opevo_i_qgp_walk_feature *self)
{
    if (!self->borrowed) {
        opevo_free(self->class_of);
        opevo_free(self->tables);
    }
    *self = (opevo_i_qgp_walk_feature){0};
}
