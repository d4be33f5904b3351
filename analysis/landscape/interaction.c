/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functional ANOVA. Where every point is a node, the averages over the single parameters commute,
 * and splitting f along each parameter into its average and the deviation from it leaves one piece
 * for each set of parameters; pieces of different sets are orthogonal. A piece that was averaged
 * is smaller by that factor, so all of them cost prod (1 + size_i) additions together. */

#include <opevo/landscape_analysis.h>

#include <opevo/memory.h>

#include "interaction_internal.h"

#include <math.h>
#include <string.h>

/* ---- All orders, on a full product ---- */

typedef struct splitting {
    const opevo_i_analysis_axis *axes;
    size_t axis_count;
    long double *order; /* sums of mean squares */
} splitting;

/* mean[o][r] = average of x[o][.][r]; x becomes the deviation from it. */
static void split(double *x, size_t outer, size_t size, size_t rest, double *mean)
{
    for (size_t o = 0; o < outer; o++) {
        double *block = x + o * size * rest;
        double *average = mean + o * rest;

        memset(average, 0, rest * sizeof *average);
        for (size_t v = 0; v < size; v++) {
            for (size_t r = 0; r < rest; r++)
                average[r] += block[v * rest + r];
        }
        for (size_t r = 0; r < rest; r++)
            average[r] /= (double)size;
        for (size_t v = 0; v < size; v++) {
            for (size_t r = 0; r < rest; r++)
                block[v * rest + r] -= average[r];
        }
    }
}

/* x has `outer` combinations of the parameters before `at` that it still depends on, times all of
 * those from `at` on. It is overwritten. */
static opevo_status descend(const splitting *self, size_t at, double *x, size_t outer, size_t order,
                            opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double *mean = NULL;
    size_t size = 0, rest = 1;

    if (at == self->axis_count) {
        long double squares = 0;

        for (size_t i = 0; i < outer; i++)
            squares += (long double)x[i] * x[i];
        self->order[order] += squares / (long double)outer;
        return OPEVO_OK;
    }
    size = self->axes[at].size;
    rest = self->axes[at].stride;
    mean = opevo_malloc(outer * rest, sizeof *mean);
    OPEVO_NEED_OR_RETURN(mean, "splitting the variance");
    split(x, outer, size, rest, mean);
    status = descend(self, at + 1, mean, outer, order, err);
    opevo_free(mean);
    if (status == OPEVO_OK && size > 1)
        status = descend(self, at + 1, x, outer * size, order + 1, err);
    return status;
}

static opevo_status split_all(const opevo_i_analysis_axis *axes, size_t axis_count, double *values,
                              double variance, opevo_interaction *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    splitting self = {.axes = axes, .axis_count = axis_count};

    self.order = opevo_calloc(axis_count + 1, sizeof *self.order);
    OPEVO_NEED_OR_RETURN(self.order, "splitting the variance");
    status = descend(&self, 0, values, 1, 0, err);
    for (size_t k = 1; k <= axis_count && status == OPEVO_OK; k++)
        out->order[k] = (double)(self.order[k] / variance);
    out->exact = true;
    opevo_free(self.order);
    return status;
}

/* ---- Single parameters, on any set of nodes ---- */

/* Mean square over the nodes of `values` less their mean over the nodes with the same key, the key
 * being the vertex of a parameter or all others. */
static opevo_status within(const opevo_landscape_graph *graph, const opevo_i_analysis_axis *axis,
                           bool by_vertex, const double *values, double *out, opevo_error *err)
{
    size_t count = by_vertex ? axis->size : graph->table->size / axis->size;
    opevo_status status = OPEVO_OK;
    double *sum = opevo_calloc(count, sizeof *sum);
    uint32_t *nodes = opevo_calloc(count, sizeof *nodes);
    long double squares = 0;

    OPEVO_NEED(sum && nodes, "the importance of a parameter");
    for (int pass = 0; pass < 2; pass++) {
        for (size_t u = 0; u < graph->count; u++) {
            size_t point = graph->point[u];
            size_t key = by_vertex ? point / axis->stride % axis->size
                                   : point / (axis->stride * axis->size) * axis->stride +
                                         point % axis->stride;

            if (pass == 0) {
                sum[key] += values[u];
                nodes[key]++;
            } else {
                double off = values[u] - sum[key] / nodes[key];

                squares += (long double)off * off;
            }
        }
    }
    *out = (double)(squares / (long double)graph->count);
cleanup:
    opevo_free(sum);
    opevo_free(nodes);
    return status;
}

static opevo_status measure_parameters(const opevo_landscape_graph *graph,
                                       const opevo_i_analysis_axis *axes, const double *values,
                                       double variance, opevo_interaction *out, opevo_error *err)
{
    for (size_t i = 0; i < out->parameter_count; i++) {
        double left = 0, total = 0;
        opevo_status status = within(graph, &axes[i], true, values, &left, err);

        if (status == OPEVO_OK)
            status = within(graph, &axes[i], false, values, &total, err);
        if (status != OPEVO_OK)
            return status;
        out->first[i] = 1 - left / variance;
        out->total[i] = total / variance;
    }
    return OPEVO_OK;
}

/* ---- All of it ---- */

static double centre(double *values, size_t count)
{
    long double sum = 0, squares = 0;

    for (size_t u = 0; u < count; u++)
        sum += values[u];
    for (size_t u = 0; u < count; u++) {
        values[u] -= (double)(sum / (long double)count);
        squares += (long double)values[u] * values[u];
    }
    return (double)(squares / (long double)count);
}

static opevo_status fit_orders(const opevo_landscape_graph *graph,
                               const opevo_i_analysis_axis *axes, size_t order_max,
                               const double *values, opevo_interaction *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t active_count = 0;
    opevo_i_analysis_axis *active = opevo_malloc(out->parameter_count, sizeof *active);
    double before = 0;

    OPEVO_NEED_OR_RETURN(active, "fitting interactions");
    for (size_t i = 0; i < out->parameter_count; i++) {
        if (axes[i].size > 1)
            active[active_count++] = axes[i];
    }
    for (size_t k = 1; k <= order_max && k <= active_count; k++) {
        double explained = 0, change = 0;

        status = opevo_i_analysis_interaction_fit(graph, active, active_count, k, values,
                                                  &explained, &change, err);

        if (status != OPEVO_OK)
            break;
        out->order[k] = explained - before;
        out->order_count = k + 1;
        out->bound = fmax(out->bound, change);
        before = explained;
    }
    out->rest = 1 - before;
    opevo_free(active);
    return status == OPEVO_LIMIT ? OPEVO_OK : status; /* the rest stays in one piece */
}

static opevo_status allocate(opevo_interaction *self, opevo_error *err)
{
    self->order = opevo_calloc(self->parameter_count + 1, sizeof *self->order);
    self->first = opevo_calloc(self->parameter_count, sizeof *self->first);
    self->total = opevo_calloc(self->parameter_count, sizeof *self->total);
    OPEVO_NEED_OR_RETURN(self->order && self->first && self->total, "the importance of parameters");
    return OPEVO_OK;
}

void opevo_interaction_release(opevo_interaction *self)
{
    opevo_free(self->order);
    opevo_free(self->first);
    opevo_free(self->total);
    *self = (opevo_interaction){0};
}

opevo_status opevo_landscape_interaction(const opevo_landscape_graph *graph, opevo_scale scale,
                                         size_t order_max, opevo_interaction *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_interaction result = {.order_count = 1,
                                .parameter_count = opevo_space_parameter_count(graph->space)};
    double *values = opevo_malloc(graph->count, sizeof *values);
    opevo_i_analysis_axis *axes = opevo_malloc(result.parameter_count, sizeof *axes);
    double variance = 0, scatter = 0;
    size_t stride = 1;

    OPEVO_NEED(values && axes, "splitting the variance");
    OPEVO_TRY(opevo_i_analysis_node_values(graph, scale, values, err));
    OPEVO_TRY(allocate(&result, err));
    for (size_t i = result.parameter_count; i-- > 0; stride *= axes[i].size)
        axes[i] = (opevo_i_analysis_axis){
            (size_t)opevo_parameter_size(opevo_space_parameter(graph->space, i)), stride};
    for (size_t u = 0; u < graph->count; u++)
        scatter = fmax(scatter, fabs(values[u]));
    variance = centre(values, graph->count);
    result.defined = variance > 1e-26 * scatter * scatter;
    if (order_max > result.parameter_count)
        order_max = result.parameter_count;
    if (result.defined) {
        OPEVO_TRY(measure_parameters(graph, axes, values, variance, &result, err));
        if (graph->count == graph->table->size) {
            result.order_count = result.parameter_count + 1;
            OPEVO_TRY(split_all(axes, result.parameter_count, values, variance, &result, err));
        } else {
            OPEVO_TRY(fit_orders(graph, axes, order_max, values, &result, err));
        }
    }
    *out = result;
    result = (opevo_interaction){0}; /* handed over */
cleanup:
    opevo_free(values);
    opevo_free(axes);
    opevo_interaction_release(&result);
    return status;
}
