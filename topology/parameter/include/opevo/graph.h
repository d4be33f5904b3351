/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An explicit undirected graph in compressed rows, for the linear algebra of walks. Vertices are
 * numbered as in the parameter that it was built from; each edge is in two rows; rows ascend.
 */

#ifndef OPEVO_GRAPH_H
#define OPEVO_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include <opevo/api.h>
#include <opevo/parameter.h>

OPEVO_BEGIN_C

typedef struct opevo_graph {
    size_t vertex_count;
    uint64_t *offset; /* vertex_count + 1 row starts in target */
    uint32_t *target; /* offset[vertex_count] neighbours */
} opevo_graph;

/* Memory that a graph of this many vertices and edges takes, in bytes: 8 (n + 1) + 8 edges. */
OPEVO_API double opevo_graph_bytes(double vertices, double edges);

/* The whole graph of a parameter. Errors: LIMIT above 2^32 - 1 vertices or when the graph would
 * take more than `limit_bytes` (0: half of opevo_memory_limit); NOMEM. Cost: one degree and all
 * neighbours of each vertex. */
OPEVO_API opevo_status opevo_graph_create(const opevo_parameter *parameter, size_t limit_bytes,
                                          opevo_graph **out, opevo_error *err);

/* From `edge_count` pairs of vertices, edges[2 e] and edges[2 e + 1]; an edge given twice counts
 * once. Errors: INVALID for a vertex out of range or an edge from a vertex to itself. */
OPEVO_API opevo_status opevo_graph_from_edges(size_t vertex_count, const uint32_t *edges,
                                              size_t edge_count, opevo_graph **out,
                                              opevo_error *err);
OPEVO_API void opevo_graph_destroy(opevo_graph *graph);

static inline uint64_t opevo_graph_degree(const opevo_graph *graph, size_t vertex)
{
    return graph->offset[vertex + 1] - graph->offset[vertex];
}

OPEVO_END_C

#endif
