/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Laws with one probability for each vertex: by any start distribution, on a parameter's graph or
 * on an explicit one. */

#include "law_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

/* Solving keeps about twelve numbers a vertex. */
bool opevo_i_law_fits(opevo_index vertex_count)
{
    return (double)vertex_count * 12 * sizeof(double) <= (double)opevo_memory_limit() / 2;
}

static opevo_status solve_explicit(const opevo_parameter *parameter, double q, const double *p0,
                                   bool dense, double tolerance, double *law, double *bound,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_graph *graph = NULL;

    OPEVO_TRY(opevo_graph_create(parameter, 0, &graph, err));
    OPEVO_TRY(opevo_i_law_graph_solve(graph, q, p0, dense, tolerance, law, bound, err));
cleanup:
    opevo_graph_destroy(graph);
    return status;
}

typedef struct problem {
    const opevo_parameter *parameter;
    double q, tolerance;
    const double *p0;
    opevo_law_method method;
    bool automatic; /* another method may be taken */
} problem;

/* The method becomes the one that was taken. */
static opevo_status solve_by(problem *self, double *law, double *bound, opevo_error *err)
{
    const opevo_parameter *parameter = self->parameter;
    size_t n = (size_t)opevo_parameter_size(parameter);
    bool dense = self->method == OPEVO_LAW_CHOLESKY;
    opevo_status status = OPEVO_OK;

    if (self->method == OPEVO_LAW_TRIDIAGONAL)
        return opevo_i_law_path_solve(n, self->q, self->p0, self->tolerance, law, bound, err);
    if (self->method != OPEVO_LAW_CG_IMPLICIT) {
        status =
            solve_explicit(parameter, self->q, self->p0, dense, self->tolerance, law, bound, err);
        if (status != OPEVO_LIMIT || !self->automatic)
            return status;
        self->method = OPEVO_LAW_CG_IMPLICIT; /* the graph does not fit, its vertices do */
    }
    return opevo_i_law_implicit_solve(parameter, self->q, self->p0, self->tolerance, law, bound,
                                      err);
}

opevo_status opevo_i_law_solve_parameter(const opevo_parameter *parameter, double q,
                                         const double *p0, const opevo_law_options *options,
                                         double *law, double *bound, opevo_error *err)
{
    problem self = {
        .parameter = parameter, .q = q, .p0 = p0, .automatic = opevo_i_law_is_automatic(options)};
    opevo_status status = opevo_i_law_check(q, options, &self.tolerance, err);

    if (status != OPEVO_OK)
        return status;
    self.method = self.automatic ? opevo_i_law_choose(parameter) : options->method;
    if (self.method == OPEVO_LAW_TRIDIAGONAL &&
        opevo_parameter_family(parameter) != OPEVO_FAMILY_PATH)
        return opevo_i_law_misfit(self.method, parameter, "paths", err);
    return solve_by(&self, law, bound, err);
}

/* ---- A law that starts at one vertex ---- */

static size_t vertex_class_of(const opevo_law *law, opevo_index vertex)
{
    (void)law;
    return (size_t)vertex;
}

static opevo_law_class vertex_class_get(const opevo_law *law, size_t i)
{
    return (opevo_law_class){i, 1, law->probability[i]};
}

static const opevo_i_law_symmetry no_symmetry = {vertex_class_of, vertex_class_get};

opevo_status opevo_i_law_by_vertex(opevo_law *law, bool automatic, double tolerance,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index n = opevo_parameter_size(law->parameter);
    double *p0 = NULL;
    problem solved;

    if (!opevo_i_law_fits(n))
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "The law of %s takes a number for each of its %.3g vertices, which do not "
            "fit in memory; complete graphs and transpositions have laws that do.",
            opevo_parameter_text(law->parameter), (double)n);
    law->symmetry = &no_symmetry;
    OPEVO_TRY(opevo_i_law_allocate(law, (size_t)n, err));
    OPEVO_NEW(p0, (size_t)n, "a law of %zu vertices", (size_t)n);
    p0[(size_t)law->start] = 1;
    solved = (problem){law->parameter, law->q, tolerance, p0, law->method, automatic};
    OPEVO_TRY(solve_by(&solved, law->probability, &law->bound, err));
    law->method = solved.method;
cleanup:
    opevo_free(p0);
    return status;
}

/* ---- Any start distribution on an explicit graph ---- */

static opevo_status check_start_law(const double *p0, size_t count, opevo_error *err)
{
    long double sum = 0;

    for (size_t v = 0; v < count; v++) {
        if (!(p0[v] >= 0.0))
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "The start distribution gives vertex %zu the probability %g; it must not be "
                "negative.",
                v, p0[v]);
        sum += p0[v];
    }
    if (!(fabsl(sum - 1) <= 1e-9L))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The start distribution sums to %.12Lg; it must sum to 1.", sum);
    return OPEVO_OK;
}

opevo_status opevo_law_solve_sized(const opevo_graph *graph, double q, const double *p0,
                                   const opevo_law_options *options, size_t size, double *law,
                                   double *bound, opevo_error *err)
{
    opevo_law_options known;
    opevo_status status = OPEVO_OK;
    double *found = NULL;
    double tolerance = 0, certificate = 0;

    OPEVO_TRY(opevo_i_law_options_read(options, size, &known, err));
    OPEVO_TRY(opevo_i_law_check(q, &known, &tolerance, err));
    OPEVO_TRY(check_start_law(p0, graph->vertex_count, err));
    if (known.method != OPEVO_LAW_AUTO && known.method != OPEVO_LAW_CHOLESKY &&
        known.method != OPEVO_LAW_CG)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The method %s does not work from a graph alone; use cg or cholesky.",
                          opevo_law_method_name(known.method));
    found = opevo_malloc(graph->vertex_count, sizeof *found);
    OPEVO_NEED_OR_RETURN(found, "a law of %zu vertices", graph->vertex_count);
    OPEVO_TRY(opevo_i_law_graph_solve(graph, q, p0, known.method == OPEVO_LAW_CHOLESKY, tolerance,
                                      found, &certificate, err));
    memcpy(law, found, graph->vertex_count * sizeof *law);
    if (bound)
        *bound = certificate;
cleanup:
    opevo_free(found);
    return status;
}
