/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A graph file. */

#ifndef OPEVO_GRAPH_READ_H
#define OPEVO_GRAPH_READ_H

#include <opevo/graph.h>

#include "value_list.h"

/* The form follows from the ending: .txt, .edges, .el (two vertex numbers from 0 on each line; a
 * line that begins with # is a comment), .graphml, .xml. Directions and weights are dropped, edges
 * given twice count once. A vertex is called by its attribute `name`, or else its identifier, where
 * that is a different, non-empty text for each vertex, and by its number from 0 otherwise.
 *
 * `values` starts from {0} and is to be released even after a failure; `parameter` is the name for
 * messages. Errors: INVALID for an unknown ending, what graph_text.h refuses, no vertex at all;
 * LIMIT above 64 MiB and for large numbers; IO; NOMEM. Cost: O(n log n) for n nodes and edges. */
opevo_status opevo_i_topology_graph_read(const char *path, const char *parameter,
                                         opevo_graph **graph, opevo_i_topology_value_list *values,
                                         opevo_error *err);

#endif
