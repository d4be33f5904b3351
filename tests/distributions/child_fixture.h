/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Small spaces, and the child step by enumeration in extended precision. */

#ifndef OPEVO_TESTS_CHILD_FIXTURE_H
#define OPEVO_TESTS_CHILD_FIXTURE_H

#include "law_fixture.h"

#include <opevo/child.h>

enum { WIDTH_MAX = 8 };

/* A space of up to WIDTH_MAX parameters, texts as for opevo_parameter_parse. */
static inline opevo_space *space_of(const char *const *texts, size_t count)
{
    opevo_parameter *parameters[WIDTH_MAX];
    opevo_space *space = NULL;

    for (size_t i = 0; i < count; i++) {
        char name[2] = {(char)('a' + i), '\0'};

        CHECK_OK(opevo_parameter_parse(name, texts[i], NULL, &parameters[i], &err));
    }
    CHECK_OK(opevo_space_create(parameters, count, NULL, 0, OPEVO_DIALECT_C, "test", &space, &err));
    return space;
}

/* A path of so many points. */
static inline opevo_space *path_of(int count)
{
    opevo_text text = {0};
    const char *path = NULL;
    opevo_space *space = NULL;

    opevo_text_add(&text, "discrete(0");
    for (int i = 1; i < count; i++)
        opevo_text_printf(&text, ",%d", i);
    opevo_text_add(&text, ")");
    path = opevo_text_string(&text);
    space = space_of(&path, 1);
    opevo_text_free(&text);
    return space;
}

/* Laws of one parameter from all of its vertices, row by row. */
static inline long double *rows_by_series(const opevo_parameter *parameter, double q)
{
    size_t n = (size_t)opevo_parameter_size(parameter);
    long double *rows = calloc(n * n, sizeof *rows);
    double *p0 = calloc(n, sizeof *p0);
    opevo_graph *graph = NULL;

    CHECK_OK(opevo_graph_create(parameter, 0, &graph, &err));
    for (size_t u = 0; u < n; u++) {
        p0[u] = 1;
        law_by_series(graph, q, p0, rows + u * n);
        p0[u] = 0;
    }
    opevo_graph_destroy(graph);
    free(p0);
    return rows;
}

/* One mutation on points, row by row. */
static inline long double *kernel_by_series(const opevo_space *space, double q)
{
    size_t n = (size_t)opevo_space_size(space), width = opevo_space_parameter_count(space);
    long double *kernel = calloc(n * n, sizeof *kernel), *rows[WIDTH_MAX];
    opevo_index from[WIDTH_MAX], to[WIDTH_MAX];

    for (size_t i = 0; i < width; i++)
        rows[i] = rows_by_series(opevo_space_parameter(space, i), q);
    for (size_t x = 0; x < n; x++) {
        opevo_space_decode(space, x, from);
        for (size_t y = 0; y < n; y++) {
            long double product = 1;

            opevo_space_decode(space, y, to);
            for (size_t i = 0; i < width; i++) {
                size_t size = (size_t)opevo_parameter_size(opevo_space_parameter(space, i));

                product *= rows[i][(size_t)from[i] * size + (size_t)to[i]];
            }
            kernel[x * n + y] = product;
        }
    }
    for (size_t i = 0; i < width; i++)
        free(rows[i]);
    return kernel;
}

/* Law of the recombined child: every choice of one parent for each parameter, one by one. */
static inline long double *recombined_by_choices(const opevo_space *space,
                                                 const opevo_parents *parents)
{
    size_t width = opevo_space_parameter_count(space);
    long double *law = calloc((size_t)opevo_space_size(space), sizeof *law), sum = 0;
    opevo_index vertices[WIDTH_MAX], child[WIDTH_MAX];
    size_t choices = 1;

    for (size_t i = 0; i < width; i++)
        choices *= parents->count;
    for (size_t j = 0; j < parents->count; j++)
        sum += parents->weights[j];
    for (size_t c = 0; c < choices; c++) {
        long double weight = 1;
        size_t rest = c;

        for (size_t i = 0; i < width; i++, rest /= parents->count) {
            size_t j = rest % parents->count;

            opevo_space_decode(space, parents->points[j], vertices);
            child[i] = vertices[i];
            weight *= parents->weights[j] / sum;
        }
        law[(size_t)opevo_space_encode(space, child)] += weight;
    }
    return law;
}

#endif
