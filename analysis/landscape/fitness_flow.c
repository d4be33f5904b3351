/* SPDX-License-Identifier: GPL-3.0-or-later */

/* PageRank of the fitness flow graph. Nodes without an edge jump to a uniform node, so their share
 * only scales the solution: pi is proportional to x = 1 + damping W^T x. Edges to better nodes form
 * no cycle, so one pass from the worst to the best solves for x, group of equal fitness by group;
 * only inside a group, where edges lead both ways, is it iterated. An iteration that changes x by
 * delta in the 1-norm leaves a residual of at most damping delta, and (I - damping W^T)^-1 has the
 * 1-norm 1 / (1 - damping) at most, so all residuals together bound the error of x. */

#include <opevo/landscape_analysis.h>

#include <opevo/memory.h>

#include "landscape_graph_internal.h"

#include <math.h>

enum { ROUNDS = 1000 }; /* inside a group, at most */

typedef struct flow_graph {
    const opevo_landscape_graph *graph;
    double damping;
    double *rank;      /* x */
    double *base;      /* of the group being solved: 1 + what worse nodes give */
    uint32_t *out;     /* edges that leave a node */
    bool *better;      /* the node has a better neighbour */
    bool *tied;        /* and an equal one */
    double *line;      /* of each line: what the nodes read so far give */
    double *line_peer; /* and those of the group */
    uint32_t *seen;    /* nodes of the line read so far, while edges are counted */
    uint32_t *peers;
    double residual;
} flow_graph;

static void release(flow_graph *self)
{
    opevo_free(self->rank);
    opevo_free(self->base);
    opevo_free(self->out);
    opevo_free(self->better);
    opevo_free(self->tied);
    opevo_free(self->line);
    opevo_free(self->line_peer);
    opevo_free(self->seen);
    opevo_free(self->peers);
}

static opevo_status allocate(flow_graph *self, opevo_error *err)
{
    size_t n = self->graph->count, lines = opevo_i_analysis_line_total(self->graph);

    self->rank = opevo_malloc(n, sizeof *self->rank);
    self->base = opevo_malloc(n, sizeof *self->base);
    self->out = opevo_calloc(n, sizeof *self->out);
    self->better = opevo_calloc(n, sizeof *self->better);
    self->tied = opevo_calloc(n, sizeof *self->tied);
    self->line = opevo_calloc(lines, sizeof *self->line);
    self->line_peer = opevo_calloc(lines, sizeof *self->line_peer);
    self->seen = opevo_calloc(lines, sizeof *self->seen);
    self->peers = opevo_calloc(lines, sizeof *self->peers);
    OPEVO_NEED_OR_RETURN(self->rank && self->base && self->out && self->better && self->tied &&
                             self->line && self->line_peer && self->seen && self->peers,
                         "the centrality of %zu nodes", n);
    return OPEVO_OK;
}

/* ---- Edges that leave a node ---- */

static void count_edges(flow_graph *self, uint32_t u)
{
    const opevo_landscape_graph *graph = self->graph;
    uint32_t better = 0, equal = 0;
    size_t at = 0;

    for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++) {
        better += graph->level[graph->target[k]] > graph->level[u];
        equal += graph->level[graph->target[k]] == graph->level[u];
    }
    for (size_t k = 0; k < graph->line_count; k++) {
        uint32_t line = graph->lines[k].of[u];

        better += self->seen[at + line];
        equal += self->peers[at + line] - 1;
        at += graph->lines[k].count;
    }
    self->out[u] = better + equal;
    self->better[u] = better > 0;
    self->tied[u] = equal > 0;
}

static void count_all_edges(flow_graph *self)
{
    const opevo_landscape_graph *graph = self->graph;

    for (size_t end = graph->count; end > 0;) {
        size_t first = opevo_i_analysis_group_begin(graph, end), at = 0;

        for (size_t k = 0; k < graph->line_count; k++) {
            for (size_t i = first; i < end; i++)
                self->peers[at + graph->lines[k].of[graph->order[i]]]++;
            at += graph->lines[k].count;
        }
        for (size_t i = first; i < end; i++)
            count_edges(self, graph->order[i]);
        at = 0;
        for (size_t k = 0; k < graph->line_count; k++) {
            for (size_t i = first; i < end; i++) {
                uint32_t line = graph->lines[k].of[graph->order[i]];

                self->peers[at + line] = 0;
                self->seen[at + line]++;
            }
            at += graph->lines[k].count;
        }
        end = first;
    }
}

/* ---- The solution ---- */

static double gives(const flow_graph *self, uint32_t u)
{
    return self->out[u] ? self->damping * self->rank[u] / self->out[u] : 0;
}

/* Add what the nodes of a group give to sums by line. */
static void add_to_lines(const flow_graph *self, size_t first, size_t end, double *sums)
{
    const opevo_landscape_graph *graph = self->graph;

    for (size_t k = 0; k < graph->line_count; k++) {
        for (size_t i = first; i < end; i++)
            sums[graph->lines[k].of[graph->order[i]]] += gives(self, graph->order[i]);
        sums += graph->lines[k].count;
    }
}

static void clear_lines(const flow_graph *self, size_t first, size_t end, double *sums)
{
    const opevo_landscape_graph *graph = self->graph;

    for (size_t k = 0; k < graph->line_count; k++) {
        for (size_t i = first; i < end; i++)
            sums[graph->lines[k].of[graph->order[i]]] = 0;
        sums += graph->lines[k].count;
    }
}

/* What the neighbours of u give that are worse (equal = false) or equal. */
static double receives(const flow_graph *self, uint32_t u, bool equal, const double *line)
{
    const opevo_landscape_graph *graph = self->graph;
    double sum = 0;

    for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++) {
        uint32_t v = graph->target[k];

        if (equal ? graph->level[v] == graph->level[u] : graph->level[v] < graph->level[u])
            sum += gives(self, v);
    }
    for (size_t k = 0; k < graph->line_count; k++) {
        sum += line[graph->lines[k].of[u]] - (equal ? gives(self, u) : 0);
        line += graph->lines[k].count;
    }
    return sum;
}

/* One round inside a group; the new values wait in `next`. Returns the change in the 1-norm. */
static double iterate(flow_graph *self, size_t first, size_t end, double *next)
{
    const opevo_landscape_graph *graph = self->graph;
    double change = 0;

    add_to_lines(self, first, end, self->line_peer);
    for (size_t i = first; i < end; i++) {
        uint32_t u = graph->order[i];

        next[i - first] =
            self->base[i] + (self->tied[u] ? receives(self, u, true, self->line_peer) : 0);
    }
    clear_lines(self, first, end, self->line_peer);
    for (size_t i = first; i < end; i++) {
        change += fabs(next[i - first] - self->rank[graph->order[i]]);
        self->rank[graph->order[i]] = next[i - first];
    }
    return change;
}

static void solve_group(flow_graph *self, size_t first, size_t end, double *next)
{
    const opevo_landscape_graph *graph = self->graph;
    bool tied = false;
    double sum = 0, change = INFINITY;

    for (size_t i = first; i < end; i++) {
        uint32_t u = graph->order[i];

        self->base[i] = 1 + receives(self, u, false, self->line);
        self->rank[u] = self->base[i];
        sum += self->base[i];
        tied = tied || self->tied[u];
    }
    for (int round = 0; tied && round < ROUNDS && change > 1e-14 * sum; round++)
        change = iterate(self, first, end, next);
    if (tied)
        self->residual += self->damping * change;
    add_to_lines(self, first, end, self->line);
}

/* As in the source: a failure without a better neighbour stands among failures only,
 * and is not a local optimum. */
static bool is_optimum(const flow_graph *self, size_t u)
{
    return !self->better[u] && opevo_i_analysis_node_fitness(self->graph, u) > 0;
}

static void summarise(const flow_graph *self, const double *threshold, size_t count, double *share,
                      double *bound, double *pagerank)
{
    const opevo_landscape_graph *graph = self->graph;
    long double all = 0, optima = 0;

    for (size_t u = 0; u < graph->count; u++) {
        all += self->rank[u];
        optima += is_optimum(self, u) ? self->rank[u] : 0;
    }
    for (size_t i = 0; i < count; i++) {
        long double strong = 0;

        for (size_t u = 0; u < graph->count; u++) {
            if (is_optimum(self, u) && opevo_i_analysis_node_fitness(graph, u) >= threshold[i])
                strong += self->rank[u];
        }
        share[i] = (double)(strong / optima);
    }
    for (size_t u = 0; pagerank && u < graph->count; u++)
        pagerank[u] = (double)(self->rank[u] / all);
    if (bound) /* numerator and denominator each off by the error, rounding added */
        *bound = (double)((2 * (long double)self->residual / (1 - self->damping) + 1e-14 * all) /
                          optima);
}

opevo_status opevo_landscape_centrality(const opevo_landscape_graph *graph, double damping,
                                        const double *threshold, size_t count, double *share,
                                        double *bound, double *pagerank, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    flow_graph self = {.graph = graph, .damping = damping};
    double *next = NULL;

    if (!(damping >= 0 && damping < 1))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The damping %g is not in [0, 1).", damping);
    OPEVO_TRY(allocate(&self, err));
    next = opevo_malloc(graph->count, sizeof *next);
    OPEVO_NEED(next, "the centrality of %zu nodes", graph->count);
    count_all_edges(&self);
    for (size_t first = 0; first < graph->count;) {
        size_t end = opevo_i_analysis_group_end(graph, first);

        solve_group(&self, first, end, next);
        first = end;
    }
    summarise(&self, threshold, count, share, bound, pagerank);
cleanup:
    opevo_free(next);
    release(&self);
    return status;
}
