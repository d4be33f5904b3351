/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Components and distances by breadth-first search. A line is a clique: whoever first reaches one
 * of its nodes reaches all of them, so each line is opened once. */

#include <opevo/landscape_analysis.h>

#include <opevo/memory.h>

#include "landscape_graph_internal.h"

#include <math.h>

static const uint32_t unreached = UINT32_MAX;

typedef struct search {
    const opevo_landscape_graph *graph;
    uint32_t *distance; /* of each node; `unreached` */
    uint32_t *queue;
    size_t read, written;
    bool *opened; /* of each line */
} search;

static void release(search *self)
{
    opevo_free(self->distance);
    opevo_free(self->queue);
    opevo_free(self->opened);
}

static opevo_status init(search *self, const opevo_landscape_graph *graph, opevo_error *err)
{
    self->graph = graph;
    self->distance = opevo_malloc(graph->count, sizeof *self->distance);
    self->queue = opevo_malloc(graph->count, sizeof *self->queue);
    self->opened = opevo_calloc(opevo_i_analysis_line_total(graph), sizeof *self->opened);
    OPEVO_NEED_OR_RETURN(self->distance && self->queue && self->opened, "searching %zu nodes",
                         graph->count);
    for (size_t u = 0; u < graph->count; u++)
        self->distance[u] = unreached;
    return OPEVO_OK;
}

static void reach(search *self, uint32_t node, uint32_t distance)
{
    if (self->distance[node] != unreached)
        return;
    self->distance[node] = distance;
    self->queue[self->written++] = node;
}

static void run(search *self)
{
    const opevo_landscape_graph *graph = self->graph;

    while (self->read < self->written) {
        uint32_t u = self->queue[self->read++];
        uint32_t next = self->distance[u] + 1;
        size_t base = 0;

        for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++)
            reach(self, graph->target[k], next);
        for (size_t k = 0; k < graph->line_count; k++) {
            const opevo_i_analysis_line_reader *lines = &graph->lines[k];
            uint32_t line = lines->of[u];

            for (uint32_t i = lines->start[line];
                 !self->opened[base + line] && i < lines->start[line + 1]; i++)
                reach(self, lines->member[i], next);
            self->opened[base + line] = true;
            base += lines->count;
        }
    }
}

opevo_status opevo_landscape_connectedness(const opevo_landscape_graph *graph,
                                           opevo_connectedness *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_connectedness result = {0};
    uint32_t best = graph->order[opevo_i_analysis_group_begin(graph, graph->count)];
    search self = {.read = 0};

    OPEVO_TRY(init(&self, graph, err));
    for (size_t u = 0; u < graph->count; u++) {
        size_t before = self.written;

        if (self.distance[u] != unreached)
            continue;
        reach(&self, (uint32_t)u, 0);
        run(&self);
        result.components++;
        result.isolated += graph->degree[u] == 0;
        if (self.written - before > result.largest)
            result.largest = self.written - before;
        if (result.optimum == 0 && self.distance[best] != unreached)
            result.optimum = self.written - before;
    }
    *out = result;
cleanup:
    release(&self);
    return status;
}

/* ---- Fitness and distance ---- */

typedef struct sums {
    long double n, x, y, xx, yy, xy;
} sums;

static double correlation(const sums *s)
{
    long double xx = s->xx - s->x * s->x / s->n, yy = s->yy - s->y * s->y / s->n;
    long double xy = s->xy - s->x * s->y / s->n;

    if (!(xx > 1e-15L * s->xx) || !(yy > 1e-15L * s->yy))
        return NAN;
    return (double)(xy / sqrtl(xx * yy));
}

static void add(sums *s, double x, double y)
{
    s->n += 1;
    s->x += x;
    s->y += y;
    s->xx += (long double)x * x;
    s->yy += (long double)y * y;
    s->xy += (long double)x * y;
}

/* Values about their mean, so that sums of squares lose no digits. */
static double pearson(const search *self, const double *values)
{
    const opevo_landscape_graph *graph = self->graph;
    long double mean = 0;
    sums s = {0};

    for (size_t i = 0; i < self->written; i++)
        mean += values[self->queue[i]] / (long double)self->written;
    for (size_t u = 0; u < graph->count; u++) {
        if (self->distance[u] != unreached)
            add(&s, values[u] - (double)mean, self->distance[u]);
    }
    return correlation(&s);
}

/* Ranks of equal values are their mean rank. Distances are small numbers, so they are counted. */
static double spearman(const search *self, const opevo_fitness_distance *result)
{
    const opevo_landscape_graph *graph = self->graph;
    size_t before = 0;
    sums s = {0};

    for (size_t first = 0; first < graph->count;) {
        size_t end = opevo_i_analysis_group_end(graph, first), count = 0;
        double rank = 0;

        for (size_t i = first; i < end; i++)
            count += self->distance[graph->order[i]] != unreached;
        rank = (double)before + ((double)count - 1) / 2 - ((double)self->written - 1) / 2;
        before += count;
        for (size_t i = first; i < end; i++) {
            uint32_t distance = self->distance[graph->order[i]];
            double place = -((double)self->written - 1) / 2;

            if (distance == unreached)
                continue;
            for (uint32_t d = 0; d < distance; d++)
                place += (double)result->shell[d].nodes;
            add(&s, rank, place + ((double)result->shell[distance].nodes - 1) / 2);
        }
        first = end;
    }
    return correlation(&s);
}

/* Nodes stand in the queue by ascending distance, so that shells follow each other there. */
static opevo_status fill_shells(const search *self, opevo_fitness_distance *out, opevo_error *err)
{
    size_t count = self->distance[self->queue[self->written - 1]] + (size_t)1;

    out->shell = opevo_calloc(count, sizeof *out->shell);
    OPEVO_NEED_OR_RETURN(out->shell, "%zu distances", count);
    out->shell_count = count;
    for (size_t i = 0, end = 0; i < self->written; i = end) {
        opevo_distance_shell *shell = &out->shell[self->distance[self->queue[i]]];
        long double sum = 0, squares = 0;

        for (end = i; end < self->written &&
                      self->distance[self->queue[end]] == self->distance[self->queue[i]];
             end++)
            sum += opevo_i_analysis_node_fitness(self->graph, self->queue[end]);
        shell->nodes = end - i;
        shell->mean = (double)(sum / (long double)shell->nodes);
        for (size_t k = i; k < end; k++) {
            double off = opevo_i_analysis_node_fitness(self->graph, self->queue[k]) - shell->mean;

            squares += (long double)off * off;
        }
        shell->sd =
            shell->nodes > 1 ? (double)sqrtl(squares / ((long double)shell->nodes - 1)) : NAN;
    }
    return OPEVO_OK;
}

opevo_status opevo_landscape_fitness_distance(const opevo_landscape_graph *graph, opevo_scale scale,
                                              opevo_fitness_distance *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_fitness_distance result = {.shell = NULL};
    search self = {.read = 0};
    double *values = opevo_malloc(graph->count, sizeof *values);

    OPEVO_NEED(values, "%zu nodes", graph->count);
    OPEVO_TRY(opevo_i_analysis_node_values(graph, scale, values, err));
    OPEVO_TRY(init(&self, graph, err));
    for (size_t i = opevo_i_analysis_group_begin(graph, graph->count); i < graph->count; i++)
        reach(&self, graph->order[i], 0);
    run(&self);
    result.unreachable = graph->count - self.written;
    OPEVO_TRY(fill_shells(&self, &result, err));
    result.pearson = pearson(&self, values);
    result.spearman = spearman(&self, &result);
    *out = result;
    result.shell = NULL; /* handed over */
cleanup:
    opevo_fitness_distance_release(&result);
    release(&self);
    opevo_free(values);
    return status;
}

void opevo_fitness_distance_release(opevo_fitness_distance *self)
{
    opevo_free(self->shell);
    self->shell = NULL;
}
