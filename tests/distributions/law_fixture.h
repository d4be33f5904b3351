/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Helpers shared by the tests of distributions/: vertices from text, and a law by brute force. */

#ifndef OPEVO_TESTS_LAW_FIXTURE_H
#define OPEVO_TESTS_LAW_FIXTURE_H

#include "fit.h"
#include "parameters.h"

#include <opevo/law.h>

#include <stdlib.h>

static inline opevo_index vertex_of(const opevo_parameter *parameter, const char *text)
{
    opevo_index vertex = 0;

    CHECK_OK(opevo_parameter_read(parameter, text, &vertex, &err));
    return vertex;
}

/* The law by summing its series, (1-q) sum of q^k W^k p0, in extended precision over the rows of an
 * explicit graph: nothing in common with the solvers. Cut where q^k is below 1e-19. */
static inline void law_by_series(const opevo_graph *graph, double q, const double *p0,
                                 long double *law)
{
    size_t n = graph->vertex_count;
    long double *now = calloc(n, sizeof *now), *next = calloc(n, sizeof *next);
    long double left = 1;

    for (size_t v = 0; v < n; v++) {
        now[v] = p0[v];
        law[v] = (1 - (long double)q) * p0[v];
    }
    while ((left *= q) > 1e-19L) {
        memset(next, 0, n * sizeof *next);
        for (size_t v = 0; v < n; v++) {
            uint64_t degree = opevo_graph_degree(graph, v);

            if (degree == 0)
                next[v] += now[v];
            for (uint64_t k = graph->offset[v]; k < graph->offset[v + 1]; k++)
                next[graph->target[k]] += now[v] / (long double)degree;
        }
        memcpy(now, next, n * sizeof *now);
        for (size_t v = 0; v < n; v++)
            law[v] += (1 - (long double)q) * left * now[v];
    }
    free(now);
    free(next);
}

#endif
