/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The same explicit graph as an igraph object: an independent implementation to test against, and
 * the source of layouts and metrics. A target that includes this header links igraph itself. */

#ifndef OPEVO_IGRAPH_VIEW_H
#define OPEVO_IGRAPH_VIEW_H

#include <igraph.h>

#include <opevo/graph.h>

OPEVO_BEGIN_C

/* An undirected igraph graph with the same vertex numbers; the caller releases it with
 * igraph_destroy. Leaves igraph with the error handler that returns the code, so that the caller's
 * own calls do not abort the program either. Debian's igraph keeps global state: only one thread at
 * a time may be in it, this function and the reading of graph files included.
 *
 * Errors: NOMEM; LIMIT when igraph refuses the size. Cost: about 0.3 s for 6 million edges. */
opevo_status opevo_graph_to_igraph(const opevo_graph *graph, igraph_t *out, opevo_error *err);

OPEVO_END_C

#endif
