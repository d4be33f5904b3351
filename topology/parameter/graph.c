/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Explicit graphs in compressed rows, built from a parameter or from edges. */

#include <opevo/graph.h>

#include <opevo/memory.h>

#include <stdlib.h>

double opevo_graph_bytes(double vertices, double edges)
{
    return 8 * (vertices + 1) + 8 * edges;
}

void opevo_graph_destroy(opevo_graph *graph)
{
    if (!graph)
        return;
    opevo_free(graph->offset);
    opevo_free(graph->target);
    opevo_free(graph);
}

static opevo_graph *allocate_rows(size_t vertex_count)
{
    opevo_graph *graph = opevo_calloc(1, sizeof *graph);

    if (!graph)
        return NULL;
    graph->vertex_count = vertex_count;
    graph->offset = opevo_calloc(vertex_count + 1, sizeof *graph->offset);
    if (graph->offset)
        return graph;
    opevo_graph_destroy(graph);
    return NULL;
}

static int compare_targets(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Rows are mostly short or nearly ascending; insertion is then the fastest. */
static void sort_row(uint32_t *row, size_t count)
{
    if (count > 64) {
        qsort(row, count, sizeof *row, compare_targets);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        uint32_t target = row[i];
        size_t j = i;

        for (; j > 0 && row[j - 1] > target; j--)
            row[j] = row[j - 1];
        row[j] = target;
    }
}

static bool is_ascending(const uint32_t *row, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (row[i - 1] > row[i])
            return false;
    }
    return true;
}

/* Row starts from the degrees; the largest degree in *widest. */
static opevo_status lay_out_rows(const opevo_parameter *parameter, double limit_bytes,
                                 opevo_graph *graph, size_t *widest, opevo_error *err)
{
    size_t n = graph->vertex_count;

    for (size_t v = 0; v < n; v++) {
        size_t degree = (size_t)opevo_parameter_degree(parameter, v);

        graph->offset[v + 1] = graph->offset[v] + degree;
        if (degree > *widest)
            *widest = degree;
        if (opevo_graph_bytes((double)n, (double)graph->offset[v + 1] / 2) > limit_bytes)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "Parameter %s: the graph of %s (%s) takes more than the %.3g MB of "
                              "memory that it may.",
                              opevo_parameter_name(parameter), opevo_parameter_text(parameter),
                              opevo_parameter_topology(parameter), limit_bytes / 1e6);
    }
    return OPEVO_OK;
}

static void fill_rows(const opevo_parameter *parameter, opevo_graph *graph, opevo_index *neighbours)
{
    for (size_t v = 0; v < graph->vertex_count; v++) {
        uint32_t *row = graph->target + graph->offset[v];
        size_t degree = (size_t)opevo_graph_degree(graph, v);

        opevo_parameter_neighbours(parameter, v, neighbours);
        for (size_t k = 0; k < degree; k++)
            row[k] = (uint32_t)neighbours[k];
        if (!is_ascending(row, degree))
            sort_row(row, degree);
    }
}

opevo_status opevo_graph_create(const opevo_parameter *parameter, size_t limit_bytes,
                                opevo_graph **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_graph *graph = NULL;
    opevo_index *neighbours = NULL;
    opevo_index size = opevo_parameter_size(parameter);
    double limit = limit_bytes ? (double)limit_bytes : (double)opevo_memory_limit() / 2;
    size_t widest = 0;

    if (size > UINT32_MAX || opevo_graph_bytes((double)size, 0) > limit)
        return OPEVO_FAIL(
            err, OPEVO_LIMIT, "Parameter %s: %s has %.4g values, too many for an explicit graph.",
            opevo_parameter_name(parameter), opevo_parameter_text(parameter), (double)size);
    graph = allocate_rows((size_t)size);
    if (!graph)
        goto no_memory;
    OPEVO_TRY(lay_out_rows(parameter, limit, graph, &widest, err));
    graph->target = opevo_malloc(graph->offset[graph->vertex_count], sizeof *graph->target);
    neighbours = opevo_malloc(widest, sizeof *neighbours);
    if (!graph->target || !neighbours)
        goto no_memory;
    fill_rows(parameter, graph, neighbours);
    *out = graph;
    graph = NULL;
cleanup:
    opevo_free(neighbours);
    opevo_graph_destroy(graph);
    return status;
no_memory:
    status = OPEVO_FAIL(err, OPEVO_NOMEM, "Parameter %s: no memory for the graph of %s.",
                        opevo_parameter_name(parameter), opevo_parameter_text(parameter));
    goto cleanup;
}

/* Drop repeated targets of ascending rows and move the rows together. */
static void merge_repeated(opevo_graph *graph)
{
    uint64_t kept = 0, start = 0;

    for (size_t v = 0; v < graph->vertex_count; v++) {
        uint64_t end = graph->offset[v + 1];

        for (uint64_t i = start; i < end; i++) {
            if (i == start || graph->target[i] != graph->target[i - 1])
                graph->target[kept++] = graph->target[i];
        }
        start = end;
        graph->offset[v + 1] = kept;
    }
}

/* Count, place and sort; `next` is the place for the next neighbour in each row. */
static void place_edges(opevo_graph *graph, const uint32_t *edges, size_t edge_count,
                        uint64_t *next)
{
    for (size_t i = 0; i < 2 * edge_count; i++)
        graph->offset[(size_t)edges[i] + 1]++;
    for (size_t v = 0; v < graph->vertex_count; v++) {
        graph->offset[v + 1] += graph->offset[v];
        next[v] = graph->offset[v];
    }
    for (size_t e = 0; e < edge_count; e++) {
        uint32_t a = edges[2 * e], b = edges[2 * e + 1];

        graph->target[next[a]++] = b;
        graph->target[next[b]++] = a;
    }
    for (size_t v = 0; v < graph->vertex_count; v++)
        sort_row(graph->target + graph->offset[v], (size_t)opevo_graph_degree(graph, v));
    merge_repeated(graph);
}

opevo_status opevo_graph_from_edges(size_t vertex_count, const uint32_t *edges, size_t edge_count,
                                    opevo_graph **out, opevo_error *err)
{
    opevo_graph *graph = NULL;
    uint64_t *next = NULL;

    for (size_t e = 0; e < edge_count; e++) {
        uint32_t a = edges[2 * e], b = edges[2 * e + 1];

        if (a >= vertex_count || b >= vertex_count)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Edge %zu joins %lu and %lu, but there are %zu vertices.", e,
                              (unsigned long)a, (unsigned long)b, vertex_count);
        if (a == b)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Edge %zu joins vertex %lu to itself.", e,
                              (unsigned long)a);
    }
    graph = allocate_rows(vertex_count);
    if (graph)
        graph->target = opevo_malloc(2 * edge_count, sizeof *graph->target);
    next = opevo_malloc(vertex_count, sizeof *next);
    if (!graph || !graph->target || !next) {
        opevo_graph_destroy(graph);
        opevo_free(next);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a graph of %zu edges.", edge_count);
    }
    place_edges(graph, edges, edge_count, next);
    opevo_free(next);
    *out = graph;
    return OPEVO_OK;
}
