/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <opevo/igraph_view.h>

#include "igraph_guard.h"

/* Each edge once, from its smaller end. */
static void list_edges(const opevo_graph *graph, igraph_vector_int_t *edges)
{
    igraph_integer_t at = 0;

    for (size_t v = 0; v < graph->vertex_count; v++) {
        for (uint64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
            if (graph->target[i] < v)
                continue;
            VECTOR(*edges)[at++] = (igraph_integer_t)v;
            VECTOR(*edges)[at++] = (igraph_integer_t)graph->target[i];
        }
    }
}

opevo_status opevo_graph_to_igraph(const opevo_graph *graph, igraph_t *out, opevo_error *err)
{
    igraph_vector_int_t edges;
    igraph_error_t code = IGRAPH_SUCCESS;
    igraph_integer_t ends = (igraph_integer_t)graph->offset[graph->vertex_count];

    opevo_i_topology_igraph_enter();
    code = igraph_vector_int_init(&edges, ends);
    if (code == IGRAPH_SUCCESS) {
        list_edges(graph, &edges);
        code = igraph_create(out, &edges, (igraph_integer_t)graph->vertex_count, IGRAPH_UNDIRECTED);
        igraph_vector_int_destroy(&edges);
    }
    opevo_i_topology_igraph_leave();
    igraph_set_error_handler(igraph_error_handler_ignore);
    if (code == IGRAPH_SUCCESS)
        return OPEVO_OK;
    return OPEVO_FAIL(err, code == IGRAPH_ENOMEM ? OPEVO_NOMEM : OPEVO_LIMIT,
                      "igraph cannot hold a graph of %zu vertices: %s.", graph->vertex_count,
                      igraph_strerror(code));
}
