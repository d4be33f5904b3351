/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The system of the walk on an explicit graph. */

#include "law_internal.h"

#include <opevo/memory.h>

#include <math.h>

/* Lower *lo and raise *hi to the least and greatest neighbours of rows from .. to - 1. */
static void reach(const opevo_graph *graph, size_t from, size_t to, size_t *lo, size_t *hi)
{
    for (size_t v = from; v < to; v++) {
        uint64_t first = graph->offset[v], end = graph->offset[v + 1];

        if (first == end)
            continue;
        if (graph->target[first] < *lo)
            *lo = graph->target[first];
        if (graph->target[end - 1] >= *hi)
            *hi = (size_t)graph->target[end - 1] + 1;
    }
}

/* Make the range hold the neighbours of all its rows. */
static void widen(const opevo_graph *graph, opevo_i_law_range *range)
{
    size_t lo = range->lo, hi = range->hi;

    reach(graph, range->lo, range->seen_lo, &lo, &hi);
    reach(graph, range->seen_hi, range->hi, &lo, &hi);
    *range = (opevo_i_law_range){lo, hi, range->lo, range->hi};
}

static double apply(const opevo_i_law_system *super, const double *z, double *out,
                    opevo_i_law_range *range)
{
    const opevo_graph *graph = ((const opevo_i_law_graph_system *)super)->graph;
    const uint64_t *offset = graph->offset;
    const uint32_t *target = graph->target;
    double q = super->q, product = 0;

    widen(graph, range);
    for (size_t v = range->lo; v < range->hi; v++) {
        uint64_t end = offset[v + 1];
        double degree = (double)(end - offset[v]), sum = 0;

        for (uint64_t k = offset[v]; k < end; k++)
            sum += z[target[k]];
        out[v] = degree > 0 ? degree * z[v] - q * sum : (1 - q) * z[v];
        product += z[v] * out[v];
    }
    return product;
}

static opevo_status residual(const opevo_i_law_system *super, const double *law, double *r,
                             opevo_i_law_residual *out, opevo_error *err)
{
    const opevo_i_law_graph_system *self = (const opevo_i_law_graph_system *)super;
    const opevo_graph *graph = self->graph;
    const long double q = super->q;
    long double *share = opevo_malloc(super->count, sizeof *share);

    OPEVO_NEED_OR_RETURN(share, "certifying the law of %zu vertices", super->count);
    for (size_t v = 0; v < super->count; v++) {
        uint64_t degree = opevo_graph_degree(graph, v);

        share[v] = (long double)law[v] / (long double)(degree ? degree : 1);
    }
    *out = (opevo_i_law_residual){.longest = (double)self->degree_max};
    for (size_t v = 0; v < super->count; v++) {
        uint64_t first = graph->offset[v], end = graph->offset[v + 1];
        long double sum = first == end ? share[v] : 0, row = 0;

        for (uint64_t k = first; k < end; k++)
            sum += share[graph->target[k]];
        row = (1 - q) * super->p0[v] - law[v] + q * sum;
        out->norm += fabsl(row);
        out->terms += (1 - q) * super->p0[v] + law[v] + q * sum;
        r[v] = (double)row;
    }
    opevo_free(share);
    return OPEVO_OK;
}

opevo_status opevo_i_law_graph_system_init(const opevo_graph *graph, double q, bool dense,
                                           opevo_i_law_graph_system *out, opevo_error *err)
{
    opevo_i_law_graph_system self = {
        .super = {.count = graph->vertex_count,
                  .q = q,
                  .apply = apply,
                  .solve = dense ? opevo_i_law_dense_solve : opevo_i_law_cg_solve,
                  .residual = residual},
        .graph = graph,
    };
    opevo_status status = OPEVO_OK;

    self.inverse_degree = opevo_malloc(graph->vertex_count, sizeof *self.inverse_degree);
    OPEVO_NEED_OR_RETURN(self.inverse_degree, "solving for the law of %zu vertices",
                         graph->vertex_count);
    for (size_t v = 0; v < graph->vertex_count; v++) {
        uint64_t degree = opevo_graph_degree(graph, v);

        self.inverse_degree[v] = 1 / (double)(degree ? degree : 1);
        if (degree > self.degree_max)
            self.degree_max = degree;
    }
    self.super.inverse_degree = self.inverse_degree;
    if (dense)
        status = opevo_i_law_dense_factor(&self, err);
    if (status != OPEVO_OK)
        opevo_i_law_graph_system_release(&self);
    else
        *out = self;
    return status;
}

void opevo_i_law_graph_system_release(opevo_i_law_graph_system *self)
{
    opevo_free(self->inverse_degree);
    opevo_free(self->factor);
}

opevo_status opevo_i_law_graph_solve(const opevo_graph *graph, double q, const double *p0,
                                     bool dense, double tolerance, double *law, double *bound,
                                     opevo_error *err)
{
    opevo_i_law_graph_system system = {0};
    opevo_status status = opevo_i_law_graph_system_init(graph, q, dense, &system, err);

    if (status != OPEVO_OK)
        return status;
    system.super.p0 = p0;
    status = opevo_i_law_refine(&system.super, tolerance, law, bound, err);
    opevo_i_law_graph_system_release(&system);
    return status;
}
