/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Descent by first improvement, solved exactly. Moves lead to strictly larger fitness, so one pass
 * over the nodes from the best to the worst knows everything about a node's better neighbours, and
 * one from the worst to the best carries the searches that start everywhere to where they end.
 *
 * Let a node have d neighbours, b of them better. In random order the first better one is uniform
 * among them and independent of its place N, with
 *
 *     E N = (d+1)/(b+1),   E N(N+1) = 2 (d+1)(d+2) / ((b+1)(b+2)).
 *
 * So with X the looks of one attempt and F the event that it fails, the mean a = E X, c = P(F),
 * s = E X^2 and e = E X 1_F of a node follow from the averages over its better neighbours; at a
 * local optimum a = d, c = 1, s = d^2, e = d; at a target all are 0.
 *
 * On lines the sums over better neighbours are kept by line: nodes are added group by group of
 * equal fitness, after the group has been read. */

#include <opevo/landscape_analysis.h>

#include <opevo/memory.h>

#include "landscape_graph_internal.h"

#include <math.h>
#include <stdlib.h>

/* What is summed over better neighbours; long doubles would double the memory for digits that
 * nobody reads. */
typedef struct moments {
    double looks;        /* a */
    double looks_square; /* s */
    double reach;        /* 1 - c, kept so because it may be tiny */
    double looks_failed; /* e */
    double moves;        /* to a local optimum, targets passed */
    double count;
} moments;

typedef struct descent {
    const opevo_landscape_graph *graph;
    double threshold;
    moments *node;   /* `count` holds the number of better neighbours */
    moments *line;   /* sums over the nodes of each line that were read */
    uint32_t *equal; /* neighbours of equal fitness */
    uint32_t *peers; /* of each line: nodes of the group being read */
    double equal_ok; /* edges between points that are ok: equal, and all; twice */
    double edges_ok;
} descent;

static void add(moments *sum, const moments *other)
{
    sum->looks += other->looks;
    sum->looks_square += other->looks_square;
    sum->reach += other->reach;
    sum->looks_failed += other->looks_failed;
    sum->moves += other->moves;
    sum->count += 1;
}

static void add_sums(moments *sum, const moments *other)
{
    sum->looks += other->looks;
    sum->looks_square += other->looks_square;
    sum->reach += other->reach;
    sum->looks_failed += other->looks_failed;
    sum->moves += other->moves;
    sum->count += other->count;
}

static bool is_ok(const opevo_landscape_graph *graph, size_t node)
{
    return graph->table->state[graph->point[node]] == OPEVO_POINT_OK;
}

/* Sums over the better neighbours of a node, and the number of its equals. */
static moments gather(const descent *self, uint32_t u, uint32_t *equal)
{
    const opevo_landscape_graph *graph = self->graph;
    const moments *line = self->line;
    const uint32_t *peers = self->peers;
    moments sum = {0};

    *equal = 0;
    for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++) {
        uint32_t v = graph->target[k];

        if (graph->level[v] > graph->level[u])
            add(&sum, &self->node[v]);
        *equal += graph->level[v] == graph->level[u];
    }
    for (size_t k = 0; k < graph->line_count; k++) {
        uint32_t at = graph->lines[k].of[u];

        add_sums(&sum, &line[at]);
        *equal += peers[at] - 1;
        line += graph->lines[k].count;
        peers += graph->lines[k].count;
    }
    return sum;
}

static moments solve(const descent *self, uint32_t u, const moments *sum)
{
    double d = self->graph->degree[u], b = sum->count;
    double mean = (d + 1) / (b + 1);
    double square = 2 * (d + 1) * (d + 2) / ((b + 1) * (b + 2)) - mean;
    moments out = {.count = b};

    out.moves = b > 0 ? 1 + sum->moves / b : 0;
    if (opevo_i_analysis_node_fitness(self->graph, u) >= self->threshold) {
        out.reach = 1;
        return out;
    }
    if (b == 0) {
        out.looks = out.looks_failed = d;
        out.looks_square = d * d;
        return out;
    }
    out.looks = mean + sum->looks / b;
    out.looks_square = square + 2 * mean * sum->looks / b + sum->looks_square / b;
    out.reach = sum->reach / b;
    out.looks_failed = mean * (1 - out.reach) + sum->looks_failed / b;
    return out;
}

/* Add 1 (or take it away) for each node of a group to the peers on its lines. */
static void mark_peers(descent *self, size_t first, size_t end, uint32_t change)
{
    const opevo_landscape_graph *graph = self->graph;
    uint32_t *peers = self->peers;

    for (size_t k = 0; k < graph->line_count; k++) {
        for (size_t i = first; i < end; i++)
            peers[graph->lines[k].of[graph->order[i]]] += change;
        peers += graph->lines[k].count;
    }
}

static void add_to_lines(descent *self, size_t first, size_t end)
{
    const opevo_landscape_graph *graph = self->graph;
    moments *line = self->line;

    for (size_t k = 0; k < graph->line_count; k++) {
        for (size_t i = first; i < end; i++)
            add(&line[graph->lines[k].of[graph->order[i]]], &self->node[graph->order[i]]);
        line += graph->lines[k].count;
    }
}

static void read_backwards(descent *self)
{
    const opevo_landscape_graph *graph = self->graph;

    for (size_t end = graph->count; end > 0;) {
        size_t first = opevo_i_analysis_group_begin(graph, end);

        mark_peers(self, first, end, 1);
        for (size_t i = first; i < end; i++) {
            uint32_t u = graph->order[i];
            moments sum = gather(self, u, &self->equal[u]);

            self->node[u] = solve(self, u, &sum);
            if (is_ok(graph, u)) {
                /* Better points of a point that is ok are ok, so each edge is counted once. */
                self->edges_ok += sum.count + 0.5 * self->equal[u];
                self->equal_ok += 0.5 * self->equal[u];
            }
        }
        mark_peers(self, first, end, (uint32_t)-1);
        add_to_lines(self, first, end);
        end = first;
    }
}

static void release(descent *self)
{
    opevo_free(self->node);
    opevo_free(self->line);
    opevo_free(self->equal);
    opevo_free(self->peers);
}

static opevo_status init(descent *self, const opevo_landscape_graph *graph, double threshold,
                         opevo_error *err)
{
    size_t lines = opevo_i_analysis_line_total(graph);

    if (!(threshold > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "A target needs a fitness above 0.");
    self->graph = graph;
    self->threshold = threshold;
    self->node = opevo_malloc(graph->count, sizeof *self->node);
    self->line = opevo_calloc(lines, sizeof *self->line);
    self->equal = opevo_malloc(graph->count, sizeof *self->equal);
    self->peers = opevo_calloc(lines, sizeof *self->peers);
    OPEVO_NEED_OR_RETURN(self->node && self->line && self->equal && self->peers,
                         "descending from %zu nodes", graph->count);
    read_backwards(self);
    return OPEVO_OK;
}

/* ---- Basins ---- */

/* mass[u] = 1/n + sum over worse neighbours v of mass[v] / b(v); mass[] is divided by b where it
 * flows on. `flow` holds the sums on lines. */
static void carry(const descent *self, double *mass, double *flow)
{
    const opevo_landscape_graph *graph = self->graph;

    for (size_t first = 0; first < graph->count;) {
        size_t end = opevo_i_analysis_group_end(graph, first);
        double *line = flow;

        for (size_t i = first; i < end; i++) {
            uint32_t u = graph->order[i];
            double sum = 1 / (double)graph->count;

            for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++) {
                if (graph->level[graph->target[k]] < graph->level[u])
                    sum += mass[graph->target[k]];
            }
            line = flow;
            for (size_t k = 0; k < graph->line_count; k++) {
                sum += line[graph->lines[k].of[u]];
                line += graph->lines[k].count;
            }
            mass[u] = self->node[u].count > 0 ? sum / self->node[u].count : sum;
        }
        line = flow;
        for (size_t k = 0; k < graph->line_count; k++) {
            for (size_t i = first; i < end; i++) {
                uint32_t u = graph->order[i];

                line[graph->lines[k].of[u]] += self->node[u].count > 0 ? mass[u] : 0;
            }
            line += graph->lines[k].count;
        }
        first = end;
    }
}

static int by_basin(const void *a, const void *b)
{
    const opevo_local_optimum *x = a;
    const opevo_local_optimum *y = b;

    if (x->basin != y->basin)
        return x->basin < y->basin ? 1 : -1;
    return (x->point > y->point) - (x->point < y->point);
}

static opevo_status list_optima(const descent *self, opevo_descent *out, opevo_error *err)
{
    const opevo_landscape_graph *graph = self->graph;
    opevo_status status = OPEVO_OK;
    double *mass = opevo_malloc(graph->count, sizeof *mass);
    double *flow = opevo_calloc(opevo_i_analysis_line_total(graph), sizeof *flow);
    size_t count = 0;

    for (size_t u = 0; u < graph->count; u++)
        count += self->node[u].count == 0;
    out->optima = opevo_malloc(count, sizeof *out->optima);
    OPEVO_NEED(mass && flow && out->optima, "%zu local optima", count);
    carry(self, mass, flow);
    for (size_t u = 0; u < graph->count; u++) {
        if (self->node[u].count > 0)
            continue;
        out->strict_count += self->equal[u] == 0;
        out->failed_count += !is_ok(graph, u);
        out->optima[out->optimum_count++] = (opevo_local_optimum){
            graph->point[u], opevo_i_analysis_node_fitness(graph, u), mass[u], !is_ok(graph, u)};
    }
    qsort(out->optima, count, sizeof *out->optima, by_basin);
cleanup:
    opevo_free(mass);
    opevo_free(flow);
    return status;
}

/* ---- What others see ---- */

/* With Y = 1 + X one attempt, all trials T = Y + 1_F T' give E T = E Y / (1 - c) and
 * E T^2 = (E Y^2 + 2 E[Y 1_F] E T) / (1 - c). */
static void total(const descent *self, opevo_descent *out)
{
    const opevo_landscape_graph *graph = self->graph;
    long double looks = 0, square = 0, reach = 0, failed = 0, moves = 0;
    double n = (double)graph->count;

    for (size_t u = 0; u < graph->count; u++) {
        const moments *m = &self->node[u];

        looks += 1 + (long double)m->looks;
        square += 1 + 2 * (long double)m->looks + m->looks_square;
        reach += m->reach;
        failed += 1 - (long double)m->reach + m->looks_failed;
        moves += m->moves;
        out->targets += opevo_i_analysis_node_fitness(graph, u) >= self->threshold;
    }
    out->reach = (double)reach / n;
    out->cost = reach > 0 ? (double)(looks / reach) : INFINITY;
    out->cost_sd = INFINITY;
    if (reach > 0) {
        double second = (double)((square + 2 * failed * (looks / reach)) / reach);

        out->cost_sd = sqrt(fmax(0, second - out->cost * out->cost));
    }
    out->random_cost = (n + 1) / ((double)out->targets + 1);
    if (out->targets == 0)
        out->random_cost = INFINITY;
    out->length = (double)moves / n;
    out->neutral = self->edges_ok > 0 ? self->equal_ok / self->edges_ok : 0;
}

void opevo_descent_release(opevo_descent *self)
{
    opevo_free(self->optima);
    self->optima = NULL;
}

opevo_status opevo_landscape_descend(const opevo_landscape_graph *graph, double threshold,
                                     opevo_descent *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_descent result = {.optima = NULL};
    descent self = {.node = NULL};

    OPEVO_TRY(init(&self, graph, threshold, err));
    total(&self, &result);
    OPEVO_TRY(list_optima(&self, &result, err));
    *out = result;
    result.optima = NULL; /* handed over */
cleanup:
    opevo_descent_release(&result);
    release(&self);
    return status;
}

opevo_status opevo_landscape_committor(const opevo_landscape_graph *graph, double threshold,
                                       double *committor, double *trials, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    descent self = {.node = NULL};

    OPEVO_TRY(init(&self, graph, threshold, err));
    for (size_t u = 0; u < graph->count; u++) {
        if (committor)
            committor[u] = self.node[u].reach;
        if (trials)
            trials[u] = self.node[u].looks;
    }
cleanup:
    release(&self);
    return status;
}
