/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The product graph of a landscape: built by counting each node's neighbours, adding up the counts,
 * and writing the neighbours, each node on its own, so that rows do not depend on the threads. */

#include <opevo/landscape_analysis.h>

#include <opevo/graph.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>

#include "landscape_graph_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t absent = UINT32_MAX;

enum { CHUNK = 4096 };

static const char *const names[] = {"ok", "allowed", "all"};

const char *opevo_nodes_name(opevo_nodes nodes)
{
    return names[nodes];
}

bool opevo_nodes_parse(const char *name, opevo_nodes *nodes)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *nodes = (opevo_nodes)i;
            return true;
        }
    }
    return false;
}

/* One parameter of the space while the graph is built. */
typedef struct axis {
    size_t size;
    size_t stride;
    opevo_graph *graph; /* NULL for the complete topology */
} axis;

typedef struct building {
    opevo_landscape_graph *graph;
    const opevo_landscape_table *table;
    axis *axes;
    size_t axis_count;
    uint32_t *node_of; /* of each point; `absent` */
    unsigned threads;
} building;

static void lines_release(opevo_i_analysis_line_reader *lines)
{
    opevo_free(lines->of);
    opevo_free(lines->start);
    opevo_free(lines->member);
}

void opevo_landscape_graph_destroy(opevo_landscape_graph *graph)
{
    if (!graph)
        return;
    for (size_t k = 0; graph->lines && k < graph->line_count; k++)
        lines_release(&graph->lines[k]);
    opevo_free(graph->lines);
    opevo_free(graph->point);
    opevo_free(graph->order);
    opevo_free(graph->level);
    opevo_free(graph->degree);
    opevo_free(graph->offset);
    opevo_free(graph->target);
    opevo_free(graph);
}

/* ---- Nodes ---- */

static bool is_node(const opevo_landscape_table *table, opevo_nodes nodes, size_t point)
{
    return table->state[point] == OPEVO_POINT_OK || nodes == OPEVO_NODES_ALL ||
           (nodes == OPEVO_NODES_ALLOWED && table->state[point] == OPEVO_POINT_FAILED);
}

static opevo_status list_nodes(building *self, opevo_nodes nodes, opevo_error *err)
{
    opevo_landscape_graph *graph = self->graph;
    size_t most = nodes == OPEVO_NODES_OK        ? self->table->ok
                  : nodes == OPEVO_NODES_ALLOWED ? self->table->allowed
                                                 : self->table->size;

    if (most == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The landscape has no successful point.");
    graph->point = opevo_malloc(most, sizeof *graph->point);
    self->node_of = opevo_malloc(self->table->size, sizeof *self->node_of);
    OPEVO_NEED_OR_RETURN(graph->point && self->node_of, "the nodes of a landscape");
    for (size_t point = 0; point < self->table->size; point++) {
        self->node_of[point] = absent;
        if (!is_node(self->table, nodes, point))
            continue;
        self->node_of[point] = (uint32_t)graph->count;
        graph->point[graph->count++] = (uint32_t)point;
    }
    return OPEVO_OK;
}

typedef struct ranked {
    double fitness;
    uint32_t node;
} ranked;

static int by_fitness(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;

    if (x->fitness != y->fitness)
        return x->fitness < y->fitness ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static opevo_status rank_nodes(opevo_landscape_graph *graph, opevo_error *err)
{
    ranked *sorted = opevo_malloc(graph->count, sizeof *sorted);
    uint32_t level = 0;

    graph->order = opevo_malloc(graph->count, sizeof *graph->order);
    graph->level = opevo_malloc(graph->count, sizeof *graph->level);
    if (!sorted || !graph->order || !graph->level) {
        opevo_free(sorted);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to rank %zu nodes.", graph->count);
    }
    for (size_t u = 0; u < graph->count; u++)
        sorted[u] = (ranked){opevo_i_analysis_node_fitness(graph, u), (uint32_t)u};
    qsort(sorted, graph->count, sizeof *sorted, by_fitness);
    for (size_t i = 0; i < graph->count; i++) {
        level += i > 0 && sorted[i].fitness != sorted[i - 1].fitness;
        graph->order[i] = sorted[i].node;
        graph->level[sorted[i].node] = level;
    }
    opevo_free(sorted);
    return OPEVO_OK;
}

/* ---- Rows ---- */

static uint64_t visit_row(const building *self, size_t node, uint32_t *target)
{
    size_t point = self->graph->point[node];
    uint64_t found = 0;

    for (size_t i = 0; i < self->axis_count; i++) {
        const axis *a = &self->axes[i];
        size_t vertex = point / a->stride % a->size;
        size_t base = point - vertex * a->stride;

        if (!a->graph)
            continue;
        for (uint64_t k = a->graph->offset[vertex]; k < a->graph->offset[vertex + 1]; k++) {
            uint32_t neighbour = self->node_of[base + a->graph->target[k] * a->stride];

            if (neighbour == absent)
                continue;
            if (target)
                target[found] = neighbour;
            found++;
        }
    }
    return found;
}

static opevo_status count_rows(void *context, size_t index, unsigned worker, opevo_error *err)
{
    building *self = context;
    size_t end = (index + 1) * CHUNK;

    (void)worker;
    (void)err;
    for (size_t u = index * CHUNK; u < end && u < self->graph->count; u++)
        self->graph->offset[u + 1] = visit_row(self, u, NULL);
    return OPEVO_OK;
}

static opevo_status fill_rows(void *context, size_t index, unsigned worker, opevo_error *err)
{
    building *self = context;
    size_t end = (index + 1) * CHUNK;

    (void)worker;
    (void)err;
    for (size_t u = index * CHUNK; u < end && u < self->graph->count; u++)
        visit_row(self, u, self->graph->target + self->graph->offset[u]);
    return OPEVO_OK;
}

static opevo_status build_rows(building *self, size_t limit_bytes, opevo_error *err)
{
    opevo_landscape_graph *graph = self->graph;
    size_t chunks = (graph->count + CHUNK - 1) / CHUNK;
    opevo_status status = OPEVO_OK;
    double bytes = 0;

    graph->offset = opevo_calloc(graph->count + 1, sizeof *graph->offset);
    OPEVO_NEED_OR_RETURN(graph->offset, "the rows of %zu nodes", graph->count);
    status = opevo_parallel_for(chunks, self->threads, count_rows, self, err);
    if (status != OPEVO_OK)
        return status;
    for (size_t u = 0; u < graph->count; u++)
        graph->offset[u + 1] += graph->offset[u];
    bytes = 4.0 * (double)graph->offset[graph->count] + 40.0 * (double)graph->count;
    if (bytes > (double)limit_bytes)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The graph of %zu points would take %.3g bytes of at most %.3g.",
                          graph->count, bytes, (double)limit_bytes);
    graph->target = opevo_malloc((size_t)graph->offset[graph->count], sizeof *graph->target);
    OPEVO_NEED_OR_RETURN(graph->target, "the edges of %zu nodes", graph->count);
    return opevo_parallel_for(chunks, self->threads, fill_rows, self, err);
}

/* ---- Lines ---- */

/* Number the lines of one parameter in the order in which the nodes meet them. */
static opevo_status find_lines(const building *self, const axis *a,
                               opevo_i_analysis_line_reader *lines, opevo_error *err)
{
    const opevo_landscape_graph *graph = self->graph;
    size_t possible = self->table->size / a->size;
    uint32_t *number = opevo_malloc(possible, sizeof *number);

    lines->of = opevo_malloc(graph->count, sizeof *lines->of);
    if (!number || !lines->of) {
        opevo_free(number);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the lines of a landscape.");
    }
    for (size_t line = 0; line < possible; line++)
        number[line] = absent;
    for (size_t u = 0; u < graph->count; u++) {
        size_t point = graph->point[u];
        size_t line = point / (a->stride * a->size) * a->stride + point % a->stride;

        if (number[line] == absent)
            number[line] = (uint32_t)lines->count++;
        lines->of[u] = number[line];
    }
    opevo_free(number);
    return OPEVO_OK;
}

static opevo_status fill_lines(opevo_landscape_graph *graph, opevo_i_analysis_line_reader *lines,
                               opevo_error *err)
{
    lines->start = opevo_calloc(lines->count + 1, sizeof *lines->start);
    lines->member = opevo_malloc(graph->count, sizeof *lines->member);
    OPEVO_NEED_OR_RETURN(lines->start && lines->member, "%zu lines of a landscape", lines->count);
    for (size_t u = 0; u < graph->count; u++)
        lines->start[lines->of[u] + 1]++;
    for (size_t line = 0; line < lines->count; line++)
        lines->start[line + 1] += lines->start[line];
    for (size_t u = 0; u < graph->count; u++)
        lines->member[lines->start[lines->of[u]]++] = (uint32_t)u;
    /* Each start has moved to the end of its line, which is the start of the next. */
    for (size_t line = lines->count; line > 0; line--)
        lines->start[line] = lines->start[line - 1];
    lines->start[0] = 0;
    return OPEVO_OK;
}

static opevo_status build_lines(building *self, opevo_error *err)
{
    opevo_landscape_graph *graph = self->graph;
    opevo_status status = OPEVO_OK;
    size_t k = 0;

    graph->lines = opevo_calloc(graph->line_count, sizeof *graph->lines);
    OPEVO_NEED_OR_RETURN(graph->lines, "the lines of a landscape");
    for (size_t i = 0; i < self->axis_count && status == OPEVO_OK; i++) {
        if (self->axes[i].graph)
            continue;
        status = find_lines(self, &self->axes[i], &graph->lines[k], err);
        if (status == OPEVO_OK)
            status = fill_lines(graph, &graph->lines[k], err);
        k++;
    }
    return status;
}

static opevo_status count_degrees(opevo_landscape_graph *graph, opevo_error *err)
{
    graph->degree = opevo_malloc(graph->count, sizeof *graph->degree);
    OPEVO_NEED_OR_RETURN(graph->degree, "the degrees of %zu nodes", graph->count);
    for (size_t u = 0; u < graph->count; u++) {
        uint64_t degree = graph->offset[u + 1] - graph->offset[u];

        for (size_t k = 0; k < graph->line_count; k++) {
            const opevo_i_analysis_line_reader *lines = &graph->lines[k];

            degree += lines->start[lines->of[u] + 1] - lines->start[lines->of[u]] - 1;
        }
        graph->degree[u] = (uint32_t)degree;
        graph->edges += (double)degree / 2;
    }
    return OPEVO_OK;
}

/* ---- All of it ---- */

static opevo_status make_axes(building *self, opevo_error *err)
{
    const opevo_space *space = self->graph->space;
    size_t stride = 1;

    self->axis_count = opevo_space_parameter_count(space);
    OPEVO_NEW_OR_RETURN(self->axes, self->axis_count, "the graph of a landscape");
    for (size_t i = self->axis_count; i-- > 0;) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_status status = OPEVO_OK;

        self->axes[i].size = (size_t)opevo_parameter_size(parameter);
        self->axes[i].stride = stride;
        stride *= self->axes[i].size;
        if (opevo_parameter_family(parameter) == OPEVO_FAMILY_COMPLETE)
            self->graph->line_count++;
        else
            status = opevo_graph_create(parameter, 0, &self->axes[i].graph, err);
        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

opevo_status opevo_landscape_graph_create(const opevo_landscape_table *table,
                                          const opevo_space *space, opevo_nodes nodes,
                                          size_t limit_bytes, unsigned threads,
                                          opevo_landscape_graph **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    building self = {.table = table, .threads = threads};

    if (opevo_space_size(space) != table->size)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The points of the space differ from those of the landscape; give a "
                          "space that differs only in topologies.");
    if (opevo_space_has_branches(space))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The analysis under topologies does not support spaces with branches; "
                          "omit its options.");
    OPEVO_NEW(self.graph, 1, "the graph of a landscape");
    self.graph->table = table;
    self.graph->space = space;
    OPEVO_TRY(make_axes(&self, err));
    OPEVO_TRY(list_nodes(&self, nodes, err));
    OPEVO_TRY(rank_nodes(self.graph, err));
    OPEVO_TRY(build_rows(&self, limit_bytes ? limit_bytes : (size_t)opevo_memory_limit() / 2, err));
    OPEVO_TRY(build_lines(&self, err));
    OPEVO_TRY(count_degrees(self.graph, err));
    *out = self.graph;
    self.graph = NULL; /* handed over */
cleanup:
    for (size_t i = 0; self.axes && i < self.axis_count; i++)
        opevo_graph_destroy(self.axes[i].graph);
    opevo_free(self.axes);
    opevo_free(self.node_of);
    opevo_landscape_graph_destroy(self.graph);
    return status;
}

/* ---- What others see ---- */

size_t opevo_landscape_graph_count(const opevo_landscape_graph *graph)
{
    return graph->count;
}

double opevo_landscape_graph_edges(const opevo_landscape_graph *graph)
{
    return graph->edges;
}

opevo_index opevo_landscape_graph_point(const opevo_landscape_graph *graph, size_t node)
{
    return graph->point[node];
}

double opevo_landscape_graph_fitness(const opevo_landscape_graph *graph, size_t node)
{
    return opevo_i_analysis_node_fitness(graph, node);
}

double opevo_landscape_graph_degree(const opevo_landscape_graph *graph, size_t node)
{
    return graph->degree[node];
}

opevo_status opevo_i_analysis_node_values(const opevo_landscape_graph *graph, opevo_scale scale,
                                          double *values, opevo_error *err)
{
    for (size_t u = 0; u < graph->count; u++) {
        double fitness = opevo_i_analysis_node_fitness(graph, u);

        if (scale == OPEVO_SCALE_LOG && !(fitness > 0))
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "The logarithm of a fitness of 0 is not finite; take the linear scale "
                "or only successful nodes.");
        values[u] = scale == OPEVO_SCALE_LOG ? log(fitness) : fitness;
    }
    return OPEVO_OK;
}
