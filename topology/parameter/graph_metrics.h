/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Distances in an explicit graph. */

#ifndef OPEVO_GRAPH_METRICS_H
#define OPEVO_GRAPH_METRICS_H

#include <stdbool.h>

#include <opevo/graph.h>

typedef struct opevo_i_topology_distances {
    size_t components; /* connected components */
    uint32_t diameter; /* the largest distance inside one of them */
    bool diameter_known;
} opevo_i_topology_distances;

/* Components by breadth-first search; the diameter exactly, unless it takes more than `work`
 * look-ups of vertices and neighbours. Errors: NOMEM, with *out untouched.
 *
 * Searches from well-chosen vertices bound the distances from all others until no vertex can exceed
 * the largest one found; the worst case is a search from each vertex. Source: Takes and Kosters,
 * "Determining the diameter of small world networks", CIKM 2011. */
opevo_status opevo_i_topology_graph_distances(const opevo_graph *graph, double work,
                                              opevo_i_topology_distances *out, opevo_error *err);

#endif
