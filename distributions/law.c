/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of the walk: choice of the method, and the law object. */

#include "law_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

static const char *const method_names[] = {
    [OPEVO_LAW_AUTO] = "auto",
    [OPEVO_LAW_CLOSED_FORM] = "closed-form",
    [OPEVO_LAW_TRIDIAGONAL] = "tridiagonal",
    [OPEVO_LAW_CHOLESKY] = "cholesky",
    [OPEVO_LAW_CG] = "cg",
    [OPEVO_LAW_CG_IMPLICIT] = "cg-implicit",
    [OPEVO_LAW_LUMPED] = "lumped",
};

enum { METHOD_COUNT = sizeof method_names / sizeof *method_names };

const char *opevo_law_method_name(opevo_law_method method)
{
    return (unsigned)method < METHOD_COUNT ? method_names[method] : "unknown";
}

bool opevo_law_method_parse(const char *name, opevo_law_method *method)
{
    for (unsigned i = 0; i < METHOD_COUNT; i++) {
        if (strcmp(name, method_names[i]) == 0) {
            *method = (opevo_law_method)i;
            return true;
        }
    }
    return false;
}

opevo_status opevo_i_law_check(double q, const opevo_law_options *options, double *tolerance,
                               opevo_error *err)
{
    double asked = options ? options->tolerance : 0;

    if (!(q >= 0.0 && q < 1.0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "q is %g; it must be at least 0 and below 1.", q);
    if (!(asked >= 0.0 && asked < 1.0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The tolerance is %g; it must be positive and below 1, or 0 for 1e-12.",
                          asked);
    if (options && (unsigned)options->method >= METHOD_COUNT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown method number %d.", (int)options->method);
    *tolerance = asked > 0 ? asked : 1e-12;
    return OPEVO_OK;
}

static opevo_status misfit(opevo_law_method method, const opevo_parameter *parameter,
                           const char *what, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "The method %s is for %s, which the topology %s of %s is not; use auto.",
                      opevo_law_method_name(method), what, opevo_parameter_topology(parameter),
                      opevo_parameter_text(parameter));
}

/* ---- Methods that give one probability a vertex ---- */

static size_t vertex_class_of(const opevo_law *law, opevo_index vertex)
{
    (void)law;
    return (size_t)vertex;
}

static opevo_law_class vertex_class_get(const opevo_law *law, size_t i)
{
    return (opevo_law_class){i, 1, law->probability[i]};
}

static const opevo_i_symmetry no_symmetry = {vertex_class_of, vertex_class_get};

opevo_status opevo_i_law_allocate(opevo_law *law, size_t class_count, opevo_error *err)
{
    law->class_count = class_count;
    law->probability = opevo_calloc(class_count, sizeof *law->probability);
    if (!law->probability)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a law of %zu probabilities.",
                          class_count);
    return OPEVO_OK;
}

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
    OPEVO_TRY(opevo_i_graph_solve(graph, q, p0, dense, tolerance, law, bound, err));
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
        return opevo_i_path_solve(n, self->q, self->p0, self->tolerance, law, bound, err);
    if (self->method != OPEVO_LAW_CG_IMPLICIT) {
        status =
            solve_explicit(parameter, self->q, self->p0, dense, self->tolerance, law, bound, err);
        if (status != OPEVO_LIMIT || !self->automatic)
            return status;
        self->method = OPEVO_LAW_CG_IMPLICIT; /* the graph does not fit, its vertices do */
    }
    return opevo_i_implicit_solve(parameter, self->q, self->p0, self->tolerance, law, bound, err);
}

static bool is_automatic(const opevo_law_options *options)
{
    return !options || options->method == OPEVO_LAW_AUTO;
}

opevo_status opevo_i_law_solve_parameter(const opevo_parameter *parameter, double q,
                                         const double *p0, const opevo_law_options *options,
                                         double *law, double *bound, opevo_error *err)
{
    problem self = {.parameter = parameter, .q = q, .p0 = p0, .automatic = is_automatic(options)};
    opevo_status status = opevo_i_law_check(q, options, &self.tolerance, err);

    if (status != OPEVO_OK)
        return status;
    self.method = self.automatic ? opevo_i_law_choose(parameter) : options->method;
    if (self.method == OPEVO_LAW_TRIDIAGONAL &&
        opevo_parameter_family(parameter) != OPEVO_FAMILY_PATH)
        return misfit(self.method, parameter, "paths", err);
    return solve_by(&self, law, bound, err);
}

static opevo_status create_by_vertex(opevo_law *law, bool automatic, double tolerance,
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
    p0 = opevo_calloc((size_t)n, sizeof *p0);
    if (!p0) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a law of %zu vertices.", (size_t)n);
        goto cleanup;
    }
    p0[(size_t)law->start] = 1;
    solved = (problem){law->parameter, law->q, tolerance, p0, law->method, automatic};
    OPEVO_TRY(solve_by(&solved, law->probability, &law->bound, err));
    law->method = solved.method;
cleanup:
    opevo_free(p0);
    return status;
}

/* ---- Choice of the method ---- */

opevo_law_method opevo_i_law_choose(const opevo_parameter *parameter)
{
    switch (opevo_parameter_family(parameter)) {
    case OPEVO_FAMILY_COMPLETE:
    case OPEVO_FAMILY_CYCLE:
    case OPEVO_FAMILY_TRANSPOSITIONS:
        return OPEVO_LAW_CLOSED_FORM;
    case OPEVO_FAMILY_PATH:
        return OPEVO_LAW_TRIDIAGONAL;
    case OPEVO_FAMILY_GENERAL:
        break;
    }
    return OPEVO_LAW_CG;
}

static opevo_status create_closed_form(opevo_law *law, double tolerance, opevo_error *err)
{
    switch (opevo_parameter_family(law->parameter)) {
    case OPEVO_FAMILY_COMPLETE:
        return opevo_i_law_complete(law, tolerance, err);
    case OPEVO_FAMILY_CYCLE:
        return opevo_i_law_cycle(law, tolerance, err);
    case OPEVO_FAMILY_TRANSPOSITIONS:
        return opevo_i_law_transpositions(law, tolerance, err);
    default:
        return misfit(law->method, law->parameter, "complete graphs, cycles and transpositions",
                      err);
    }
}

static opevo_status create_by_method(opevo_law *law, bool automatic, double tolerance,
                                     opevo_error *err)
{
    switch (law->method) {
    case OPEVO_LAW_CLOSED_FORM:
        return create_closed_form(law, tolerance, err);
    case OPEVO_LAW_LUMPED:
        return opevo_i_law_lumped(law, tolerance, err);
    case OPEVO_LAW_TRIDIAGONAL:
        if (opevo_parameter_family(law->parameter) != OPEVO_FAMILY_PATH)
            return misfit(law->method, law->parameter, "paths", err);
        return create_by_vertex(law, automatic, tolerance, err);
    default:
        return create_by_vertex(law, automatic, tolerance, err);
    }
}

opevo_status opevo_law_create(const opevo_parameter *parameter, double q, opevo_index start,
                              const opevo_law_options *options, opevo_law **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_law *self = NULL;
    double tolerance = 0;

    OPEVO_TRY(opevo_i_law_check(q, options, &tolerance, err));
    if (start >= opevo_parameter_size(parameter))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The start lies outside the values of %s.",
                          opevo_parameter_text(parameter));
    self = opevo_calloc(1, sizeof *self);
    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a law.");
    self->parameter = parameter;
    self->q = q;
    self->start = start;
    self->method = is_automatic(options) ? opevo_i_law_choose(parameter) : options->method;
    OPEVO_TRY(create_by_method(self, is_automatic(options), tolerance, err));
    *out = self;
    self = NULL; /* handed over */
cleanup:
    opevo_law_destroy(self);
    return status;
}

void opevo_law_destroy(opevo_law *law)
{
    if (!law)
        return;
    opevo_free(law->probability);
    opevo_free(law->class_of);
    opevo_free(law->representative);
    opevo_free(law->size);
    opevo_free(law->partitions);
    opevo_free(law);
}

/* ---- Reading a law ---- */

opevo_law_method opevo_law_get_method(const opevo_law *law)
{
    return law->method;
}

double opevo_law_bound(const opevo_law *law)
{
    return law->bound;
}

double opevo_law_q(const opevo_law *law)
{
    return law->q;
}

opevo_index opevo_law_start(const opevo_law *law)
{
    return law->start;
}

const opevo_parameter *opevo_law_parameter(const opevo_law *law)
{
    return law->parameter;
}

double opevo_law_probability(const opevo_law *law, opevo_index vertex)
{
    return law->probability[law->symmetry->class_of(law, vertex)];
}

size_t opevo_law_class_count(const opevo_law *law)
{
    return law->class_count;
}

opevo_law_class opevo_law_class_get(const opevo_law *law, size_t i)
{
    return law->symmetry->class_get(law, i);
}

/* ---- Any start law on an explicit graph ---- */

static opevo_status check_start_law(const double *p0, size_t count, opevo_error *err)
{
    long double sum = 0;

    for (size_t v = 0; v < count; v++) {
        if (!(p0[v] >= 0.0))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "The start law gives vertex %zu the probability %g; it must not be "
                              "negative.",
                              v, p0[v]);
        sum += p0[v];
    }
    if (!(fabsl(sum - 1) <= 1e-9L))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The start law adds up to %.12Lg; it must add up to 1.", sum);
    return OPEVO_OK;
}

opevo_status opevo_law_solve(const opevo_graph *graph, double q, const double *p0,
                             const opevo_law_options *options, double *law, double *bound,
                             opevo_error *err)
{
    opevo_law_method method = options ? options->method : OPEVO_LAW_AUTO;
    opevo_status status = OPEVO_OK;
    double *found = NULL;
    double tolerance = 0, certificate = 0;

    OPEVO_TRY(opevo_i_law_check(q, options, &tolerance, err));
    OPEVO_TRY(check_start_law(p0, graph->vertex_count, err));
    if (method != OPEVO_LAW_AUTO && method != OPEVO_LAW_CHOLESKY && method != OPEVO_LAW_CG)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The method %s does not work from a graph alone; use cg or cholesky.",
                          opevo_law_method_name(method));
    found = opevo_malloc(graph->vertex_count, sizeof *found);
    if (!found)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a law of %zu vertices.",
                          graph->vertex_count);
    OPEVO_TRY(opevo_i_graph_solve(graph, q, p0, method == OPEVO_LAW_CHOLESKY, tolerance, found,
                                  &certificate, err));
    memcpy(law, found, graph->vertex_count * sizeof *law);
    if (bound)
        *bound = certificate;
cleanup:
    opevo_free(found);
    return status;
}
