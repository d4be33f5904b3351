/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The same explicit graph as an igraph object: an independent implementation to test against. */

#ifndef OPEVO_TESTS_IGRAPH_VIEW_H
#define OPEVO_TESTS_IGRAPH_VIEW_H

#include <igraph.h>

#include <opevo/graph.h>

/* An undirected igraph graph with the same vertex numbers; the caller releases it with
 * igraph_destroy. Whether igraph made it; its error handler then returns codes, so that the
 * caller's own calls do not abort the program either. */
static inline bool igraph_view(const opevo_graph *graph, igraph_t *out)
{
    igraph_vector_int_t edges;
    igraph_integer_t at = 0;
    igraph_error_t code = IGRAPH_SUCCESS;

    igraph_set_error_handler(igraph_error_handler_ignore);
    if (igraph_vector_int_init(&edges, (igraph_integer_t)graph->offset[graph->vertex_count]) !=
        IGRAPH_SUCCESS)
        return false;
    for (size_t v = 0; v < graph->vertex_count; v++) {
        for (uint64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
            if (graph->target[i] < v)
                continue;
            VECTOR(edges)[at++] = (igraph_integer_t)v;
            VECTOR(edges)[at++] = (igraph_integer_t)graph->target[i];
        }
    }
    code = igraph_create(out, &edges, (igraph_integer_t)graph->vertex_count, IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&edges);
    return code == IGRAPH_SUCCESS;
}

#endif
