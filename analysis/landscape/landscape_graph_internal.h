/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The inside of a landscape graph, for the files that walk on it.
 *
 * Always true: `order` lists the nodes by ascending fitness, equal ones by ascending number, and
 * level[u] < level[v] exactly when u has the smaller fitness. */

#ifndef OPEVO_LANDSCAPE_GRAPH_INTERNAL_H
#define OPEVO_LANDSCAPE_GRAPH_INTERNAL_H

#include <opevo/landscape_analysis.h>

/* The nodes that agree in all parameters but one of complete topology: a clique. */
typedef struct opevo_i_analysis_line_reader {
    size_t count;
    uint32_t *of;     /* line of each node */
    uint32_t *start;  /* count + 1 places in member */
    uint32_t *member; /* nodes of each line, ascending */
} opevo_i_analysis_line_reader;

struct opevo_landscape_graph {
    const opevo_landscape_table *table;
    const opevo_space *space;
    size_t count;
    uint32_t *point;
    uint32_t *order;
    uint32_t *level;
    uint32_t *degree; /* rows and lines together */
    uint64_t *offset; /* rows: neighbours through parameters that are not complete */
    uint32_t *target;
    size_t line_count; /* parameters of complete topology */
    opevo_i_analysis_line_reader *lines;
    double edges;
};

static inline double opevo_i_analysis_node_fitness(const opevo_landscape_graph *graph, size_t node)
{
    return graph->table->fitness[graph->point[node]];
}

/* End of the group of equal fitness that begins at place `first` of `order`. */
static inline size_t opevo_i_analysis_group_end(const opevo_landscape_graph *graph, size_t first)
{
    size_t end = first + 1;

    while (end < graph->count &&
           graph->level[graph->order[end]] == graph->level[graph->order[first]])
        end++;
    return end;
}

/* Begin of the group that ends before place `end`. */
static inline size_t opevo_i_analysis_group_begin(const opevo_landscape_graph *graph, size_t end)
{
    size_t first = end - 1;

    while (first > 0 &&
           graph->level[graph->order[first - 1]] == graph->level[graph->order[end - 1]])
        first--;
    return first;
}

/* Lines of all complete parameters, numbered through: those of lines[k] start at the returned
 * place of arrays of opevo_i_analysis_line_total numbers. */
static inline size_t opevo_i_analysis_line_base(const opevo_landscape_graph *graph, size_t k)
{
    size_t base = 0;

    for (size_t i = 0; i < k; i++)
        base += graph->lines[i].count;
    return base;
}

static inline size_t opevo_i_analysis_line_total(const opevo_landscape_graph *graph)
{
    return opevo_i_analysis_line_base(graph, graph->line_count);
}

/* Fitness of each node on a scale. Errors: INVALID for the logarithm of 0. */
opevo_status opevo_i_analysis_node_values(const opevo_landscape_graph *graph, opevo_scale scale,
                                          double *values, opevo_error *err);

#endif
