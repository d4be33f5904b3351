/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The power of a walk's verification: a wrong q, a walk that is cut, a missing edge. */

#include <opevo/verify.h>

#include <opevo/graph.h>
#include <opevo/memory.h>

#include "verify_internal.h"

#include <math.h>
#include <string.h>

static const uint64_t edge_sample = 64;
static const opevo_index graph_vertex_limit = (opevo_index)1 << 20;
static const opevo_index graph_edge_limit = (opevo_index)1 << 22;
static const uint64_t cut_limit = 100000;

/* A defect's law is wanted to far less than the law itself: what is caught differs by 1e-6. */
static const opevo_law_options defect_options = {.tolerance = 1e-9};

typedef struct power {
    const opevo_parameter *parameter;
    double q;
    opevo_index start;
    opevo_i_verify_units units;
    opevo_i_verify_detector detector;
    opevo_graph *graph;              /* NULL: too large */
    double *p0, *law, *step, *other; /* vertex_count numbers; `law` holds that of a defect */
    double *unit_sum;                /* units.count numbers */
} power;

/* ---- A wrong q ---- */

static opevo_status catches_q(void *context, double q, bool *caught, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    power *self = context;
    opevo_law *law = NULL;

    if (self->graph) {
        OPEVO_TRY(opevo_law_solve(self->graph, q, self->p0, &defect_options, self->law, NULL, err));
        *caught = opevo_i_verify_detector_catches(&self->detector, self->law);
        return OPEVO_OK;
    }
    OPEVO_TRY(opevo_law_create(self->parameter, q, self->start, &defect_options, &law, err));
    memset(self->unit_sum, 0, self->units.count * sizeof *self->unit_sum);
    for (size_t i = 0; self->units.vertices && i < self->units.count; i++)
        self->unit_sum[i] = opevo_law_probability(law, i);
    for (size_t i = 0; i < self->units.class_count; i++) {
        const opevo_i_verify_class *c = &self->units.classes[i];

        self->unit_sum[c->unit] +=
            (double)c->law_class.size * opevo_law_probability(law, c->law_class.representative);
    }
    *caught = opevo_i_verify_detector_catches(&self->detector, self->unit_sum);
cleanup:
    opevo_law_destroy(law);
    return status;
}

/* ---- A walk that is cut ---- */

/* next = W^T now: one step of the walk. */
static void walk_step(const opevo_graph *graph, const double *now, double *next)
{
    memset(next, 0, graph->vertex_count * sizeof *next);
    for (size_t v = 0; v < graph->vertex_count; v++) {
        uint64_t degree = opevo_graph_degree(graph, v);

        if (degree == 0)
            next[v] += now[v];
        for (uint64_t e = graph->offset[v]; e < graph->offset[v + 1]; e++)
            next[graph->target[e]] += now[v] / (double)degree;
    }
}

/* The law of a walk cut after k steps is (1 - q) sum_{j<k} q^j W^j p0 + q^k W^k p0. It lies within
 * 2 q^(k+1) of the law in the 1-norm, so the noncentrality is below 4 N q^(2k+2) / min p; from the
 * k on where that is too small, no cut is caught, and the search ends. */
static uint64_t detect_cut(power *self)
{
    const opevo_i_verify_cells *cells = &self->detector.cells;
    size_t n = self->graph->vertex_count;
    double weight = 1, least = 1; /* weight = q^k */
    uint64_t largest = 0;
    double *now = self->other, *next = self->step, *sum = self->unit_sum;

    for (size_t i = 0; i < cells->count; i++)
        least = fmin(least, cells->probability[i]);
    memcpy(now, self->p0, n * sizeof *now);
    memset(sum, 0, n * sizeof *sum);
    for (uint64_t k = 0; k < cut_limit; k++) {
        double reach = 2 * weight * self->q;
        double *swap = now;

        if ((double)cells->draws * reach * reach / least < self->detector.noncentrality)
            break;
        for (size_t v = 0; v < n; v++)
            self->law[v] = sum[v] + weight * now[v];
        if (opevo_i_verify_detector_catches(&self->detector, self->law))
            largest = k;
        for (size_t v = 0; v < n; v++)
            sum[v] += (1 - self->q) * weight * now[v];
        walk_step(self->graph, now, next);
        now = next;
        next = swap;
        weight *= self->q;
    }
    return largest;
}

/* ---- A missing edge ---- */

/* Copies `from` without the edge between a and b into `to`, which has room for it. */
static void remove_edge(const opevo_graph *from, uint32_t a, uint32_t b, opevo_graph *to)
{
    uint64_t kept = 0;

    to->vertex_count = from->vertex_count;
    for (size_t v = 0; v < from->vertex_count; v++) {
        to->offset[v] = kept;
        for (uint64_t e = from->offset[v]; e < from->offset[v + 1]; e++) {
            uint32_t w = from->target[e];

            if (!((v == a && w == b) || (v == b && w == a)))
                to->target[kept++] = w;
        }
    }
    to->offset[from->vertex_count] = kept;
}

/* Edges are numbered in the order of their smaller vertex; every edges/tried-th is removed. */
static opevo_status try_edges(power *self, opevo_graph *scratch, uint64_t edges, uint64_t tried,
                              uint64_t *caught, opevo_error *err)
{
    const opevo_graph *graph = self->graph;
    uint64_t edge = 0, next = 0;

    for (size_t v = 0; v < graph->vertex_count; v++) {
        for (uint64_t e = graph->offset[v]; e < graph->offset[v + 1]; e++) {
            opevo_status status = OPEVO_OK;

            if (graph->target[e] <= v || next >= tried)
                continue;
            if (edge++ != next * edges / tried)
                continue;
            next++;
            remove_edge(graph, (uint32_t)v, graph->target[e], scratch);
            status =
                opevo_law_solve(scratch, self->q, self->p0, &defect_options, self->law, NULL, err);
            if (status != OPEVO_OK)
                return status;
            *caught += opevo_i_verify_detector_catches(&self->detector, self->law);
        }
    }
    return OPEVO_OK;
}

static opevo_status detect_edge(power *self, opevo_fit *fit, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_graph scratch = {0};
    uint64_t entries = self->graph->offset[self->graph->vertex_count];
    uint64_t edges = entries / 2, tried = edges < edge_sample ? edges : edge_sample;
    uint64_t caught = 0;

    if (edges == 0)
        return OPEVO_OK;
    OPEVO_NEW(scratch.offset, self->graph->vertex_count + 1, "a graph with an edge removed");
    OPEVO_NEW(scratch.target, entries, "a graph with an edge removed");
    OPEVO_TRY(try_edges(self, &scratch, edges, tried, &caught, err));
    fit->detectable_edge = (double)caught / (double)tried;
    fit->edges_tried = tried;
cleanup:
    opevo_free(scratch.offset);
    opevo_free(scratch.target);
    return status;
}

/* ---- All of them ---- */

/* Whether the explicit graph is worth building: it has few vertices, and at most so many edges. */
static bool is_explicit(const opevo_parameter *parameter, opevo_index start)
{
    opevo_index size = opevo_parameter_size(parameter);

    return size <= graph_vertex_limit &&
           opevo_parameter_degree(parameter, start) * size / 2 <= graph_edge_limit;
}

static opevo_status prepare(power *self, uint64_t draws, double alpha, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_law *law = NULL;
    size_t n = 0;

    OPEVO_TRY(opevo_law_create(self->parameter, self->q, self->start, NULL, &law, err));
    OPEVO_TRY(opevo_i_verify_units_create(law, &self->units, err));
    n = self->units.count;
    OPEVO_TRY(opevo_i_verify_detector_init(self->units.probability, n, draws, alpha,
                                           &self->detector, err));
    if (self->units.vertices && is_explicit(self->parameter, self->start))
        OPEVO_TRY(opevo_graph_create(self->parameter, 0, &self->graph, err));
    OPEVO_NEW(self->p0, n, "the power of a verification");
    OPEVO_NEW(self->law, n, "the power of a verification");
    OPEVO_NEW(self->step, n, "the power of a verification");
    OPEVO_NEW(self->other, n, "the power of a verification");
    OPEVO_NEW(self->unit_sum, n, "the power of a verification");
    if (self->graph)
        self->p0[(size_t)self->start] = 1;
cleanup:
    opevo_law_destroy(law);
    return status;
}

static void release(power *self)
{
    opevo_i_verify_units_destroy(&self->units);
    opevo_i_verify_detector_release(&self->detector);
    opevo_graph_destroy(self->graph);
    opevo_free(self->p0);
    opevo_free(self->law);
    opevo_free(self->step);
    opevo_free(self->other);
    opevo_free(self->unit_sum);
}

opevo_status opevo_verify_power(const opevo_parameter *parameter, double q, opevo_index start,
                                uint64_t draws, opevo_fit *out, opevo_error *err)
{
    return opevo_verify_power_at(parameter, q, start, draws, OPEVO_VERIFY_ALPHA, out, err);
}

opevo_status opevo_verify_power_at(const opevo_parameter *parameter, double q, opevo_index start,
                                   uint64_t draws, double alpha, opevo_fit *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    power self = {.parameter = parameter, .q = q, .start = start};
    opevo_fit fit = *out;

    fit.detectable_q = fit.detectable_edge = NAN;
    fit.detectable_cut = fit.edges_tried = 0;
    OPEVO_TRY(prepare(&self, draws, alpha, err));
    OPEVO_TRY(opevo_i_verify_detect_q(q, catches_q, &self, &fit.detectable_q, err));
    if (self.graph) {
        fit.detectable_cut = detect_cut(&self);
        OPEVO_TRY(detect_edge(&self, &fit, err));
    }
    *out = fit;
cleanup:
    release(&self);
    return status;
}
