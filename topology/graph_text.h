/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is checked in the text of a graph file before igraph reads it: what igraph would accept
 * silently, and mistakes whose line it does not tell. Whatever else is wrong is left to igraph. */

#ifndef OPEVO_GRAPH_TEXT_H
#define OPEVO_GRAPH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/status.h>

typedef struct opevo_i_graph_text {
    const char *path;
    char *data; /* ends with a zero byte that `size` does not count */
    size_t size;
} opevo_i_graph_text;

/* How many vertices a file may have: as many as it has bytes, and always 2^16. igraph takes some 50
 * bytes for each vertex, also for those that the file skips over. */
uint64_t opevo_i_graph_vertex_limit(const opevo_i_graph_text *text);

/* A vertex number at *at, and step over it and the blanks before it; false when none stands there
 * or it runs into other text. */
bool opevo_i_graph_vertex(const char **at, uint64_t *vertex);
/* INVALID when the text holds a zero byte. */
opevo_status opevo_i_graph_text_check(const opevo_i_graph_text *text, opevo_error *err);

/* Each line is an edge, blank, or a comment; comments are blanked out for igraph. */
opevo_status opevo_i_edge_list_check(opevo_i_graph_text *text, opevo_error *err);
/* Vertex numbers outside 1 .. n, vertices that stand twice or are not all listed, labels whose
 * quotes are not closed, edges that are not two numbers or join a vertex to itself, a matrix that
 * is not complete, anything but *Network before *Vertices, a second *Vertices, and sections that
 * are not of vertices or edges. Line ends become \n and blank lines comments for igraph; lines keep
 * their numbers. */
opevo_status opevo_i_pajek_check(opevo_i_graph_text *text, opevo_error *err);
/* Nodes without an identifier or with that of another one; edges without an end, to a node that is
 * not declared, or to where they come from. Looked at is the first graph, as igraph does, without
 * the graphs nested in it. */
opevo_status opevo_i_graphml_check(const opevo_i_graph_text *text, opevo_error *err);

#endif
