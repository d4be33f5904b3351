/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a graph file says, before it is a graph. */

#ifndef OPEVO_GRAPH_TEXT_H
#define OPEVO_GRAPH_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <opevo/status.h>

typedef struct opevo_i_topology_graph_text {
    const char *path;
    char *data; /* ends with a zero byte that `size` does not count */
    size_t size;
} opevo_i_topology_graph_text;

typedef struct opevo_i_topology_graph_node {
    char *id;
    char *name; /* NULL for none */
    size_t line;
} opevo_i_topology_graph_node;

/* Starts from {0}; opevo_i_topology_graph_rows_free releases it, also after a failure. */
typedef struct opevo_i_topology_graph_rows {
    size_t vertices;
    opevo_i_topology_graph_node *nodes; /* one for each vertex; NULL: vertices have numbers only */
    size_t node_capacity;
    uint32_t *ends; /* two for each edge */
    size_t end_count, end_capacity;
} opevo_i_topology_graph_rows;

/* Two vertex numbers from 0 on each line that is neither blank nor a comment. A file has at most as
 * many vertices as bytes, and always 2^16: a short file that names a large vertex takes no memory.
 * Errors: INVALID for a zero byte, for another line, and for an edge from a vertex to itself; LIMIT
 * for a larger number; NOMEM. */
opevo_status opevo_i_topology_edge_list_read(const opevo_i_topology_graph_text *text,
                                             opevo_i_topology_graph_rows *rows, opevo_error *err);
/* The nodes and edges of the first graph of a GraphML file, without the graphs nested in its nodes.
 * The name of a node is its attribute `name`, where a key of type string declares one. Errors:
 * INVALID for what is not well-formed XML, for a node without an identifier or with that of another
 * one, and for an edge without an end, to a node that is not declared, or to where it comes from;
 * NOMEM. */
opevo_status opevo_i_topology_graphml_read(const opevo_i_topology_graph_text *text,
                                           opevo_i_topology_graph_rows *rows, opevo_error *err);

#endif
