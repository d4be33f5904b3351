/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Autocorrelation and spectrum of the fitness along the simple random walk. N = D^-1/2 A D^-1/2 is
 * similar to W and symmetric; Lanczos from v = D^1/2 f / |D^1/2 f| finds the Gauss rule of the
 * spectral measure, whose nodes are the eigenvalues of the tridiagonal matrix and whose weights are
 * the squares of the first components of its eigenvectors.
 * Source: Golub, Meurant, "Matrices, Moments and Quadrature", 2010, chapters 3 and 6. */

#include <opevo/landscape_analysis.h>

#include <opevo/memory.h>

#include "lanczos_internal.h"
#include "landscape_graph_internal.h"

#include <math.h>

typedef struct walk {
    const opevo_landscape_graph *graph;
    unsigned threads;
    double *root;   /* 1 / sqrt(degree), 0 without neighbours */
    double *scaled; /* scratch */
} walk;

static opevo_status multiply(void *context, const double *x, double *y, opevo_error *err)
{
    walk *self = context;
    opevo_status status = OPEVO_OK;

    for (size_t u = 0; u < self->graph->count; u++)
        self->scaled[u] = self->root[u] * x[u];
    status = opevo_landscape_graph_multiply(self->graph, self->scaled, y, self->threads, err);
    for (size_t u = 0; u < self->graph->count && status == OPEVO_OK; u++)
        y[u] *= self->root[u];
    return status;
}

/* start = D^1/2 (f - mean under mu), of norm 1; false where that is 0. */
static bool make_start(const walk *self, double *start)
{
    const opevo_landscape_graph *graph = self->graph;
    long double sum = 0, degrees = 0, norm = 0, size = 0;

    for (size_t u = 0; u < graph->count; u++) {
        sum += (long double)graph->degree[u] * start[u];
        degrees += graph->degree[u];
    }
    for (size_t u = 0; u < graph->count && degrees > 0; u++) {
        double deviation = (double)(start[u] - sum / degrees);

        size += (long double)graph->degree[u] * start[u] * start[u];
        start[u] = self->root[u] > 0 ? deviation / self->root[u] : 0;
        norm += (long double)start[u] * start[u];
    }
    if (!(norm > 1e-26L * size))
        return false;
    for (size_t u = 0; u < graph->count; u++)
        start[u] /= (double)sqrtl(norm);
    return true;
}

static size_t choose_steps(size_t wanted, size_t n)
{
    size_t most = ((size_t)1 << 30) / (8 * n);

    if (wanted == 0)
        wanted = 48;
    if (most < OPEVO_LAGS / 2 + 1)
        most = OPEVO_LAGS / 2 + 1;
    wanted = wanted < most ? wanted : most;
    return wanted < n ? wanted : n;
}

/* The shares sum to 1 up to the rounding of the rule. */
static void fill_lags(opevo_autocorrelation *self)
{
    double sum = 0;

    for (size_t i = 0; i < self->node_count; i++)
        sum += self->share[i];
    for (size_t i = 0; i < self->node_count; i++)
        self->share[i] /= sum;
    self->r[0] = 1;
    for (int s = 1; s <= OPEVO_LAGS; s++) {
        self->r[s] = 0;
        for (size_t i = 0; i < self->node_count; i++)
            self->r[s] += self->share[i] * pow(self->eigenvalue[i], s);
    }
    self->length = -1 / log(fabs(self->r[1]));
}

opevo_status opevo_landscape_autocorrelation(const opevo_landscape_graph *graph, opevo_scale scale,
                                             size_t steps, unsigned threads,
                                             opevo_autocorrelation *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_autocorrelation result = {.defined = true};
    walk self = {.graph = graph, .threads = threads};
    double *start = opevo_malloc(graph->count, sizeof *start);

    self.root = opevo_malloc(graph->count, sizeof *self.root);
    self.scaled = opevo_malloc(graph->count, sizeof *self.scaled);
    steps = choose_steps(steps, graph->count);
    result.eigenvalue = opevo_malloc(steps, sizeof *result.eigenvalue);
    result.share = opevo_malloc(steps, sizeof *result.share);
    OPEVO_NEED(start && self.root && self.scaled && result.eigenvalue && result.share,
               "the autocorrelation of %zu nodes", graph->count);
    OPEVO_TRY(opevo_i_analysis_node_values(graph, scale, start, err));
    for (size_t u = 0; u < graph->count; u++)
        self.root[u] = graph->degree[u] ? 1 / sqrt(graph->degree[u]) : 0;
    result.defined = make_start(&self, start);
    if (result.defined) {
        opevo_i_analysis_gauss_rule rule = {.node = result.eigenvalue, .weight = result.share};

        OPEVO_TRY(
            opevo_i_analysis_lanczos(multiply, &self, start, graph->count, steps, &rule, err));
        result.node_count = rule.count;
        result.complete = rule.complete;
        fill_lags(&result);
    }
    *out = result;
    result = (opevo_autocorrelation){0}; /* handed over */
cleanup:
    opevo_free(start);
    opevo_free(self.root);
    opevo_free(self.scaled);
    opevo_autocorrelation_release(&result);
    return status;
}

void opevo_autocorrelation_release(opevo_autocorrelation *self)
{
    opevo_free(self->eigenvalue);
    opevo_free(self->share);
    *self = (opevo_autocorrelation){0};
}

/* With ascending nodes, F(node[k] - 0) >= sum of the shares before k, and F(node[k]) <= that sum
 * with share[k]. */
void opevo_autocorrelation_above(const opevo_autocorrelation *self, double x, double *low,
                                 double *high)
{
    size_t at = 0; /* nodes below x */
    double below = 0;

    while (at < self->node_count && self->eigenvalue[at] < x)
        below += self->share[at++];
    if (self->complete) {
        *low = *high = 1 - below;
        return;
    }
    *low = fmax(0, 1 - below - (at < self->node_count ? self->share[at] : 0));
    *high = fmin(1, 1 - below + (at > 0 ? self->share[at - 1] : 0));
}
