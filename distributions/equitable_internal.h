/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Equitable partitions of a graph's vertices. */

#ifndef OPEVO_EQUITABLE_INTERNAL_H
#define OPEVO_EQUITABLE_INTERNAL_H

#include <opevo/graph.h>

/* The coarsest partition in which `start` is alone and any two vertices of a class have equally
 * many neighbours in each class.
 *
 *   class_of     out: the class of each vertex, numbered from 0; release with opevo_free
 *   class_count  out
 *
 * Errors: NOMEM. Cost: O((n + edges) log^2 n) time.
 * Source: Paige and Tarjan, "Three partition refinement algorithms", SIAM J. Comput. 16 (1987),
 * with counts as in Cardon and Crochemore, "Partitioning a graph in O(|A| log |V|)", TCS 19 (1982).
 */
opevo_status opevo_i_law_equitable_partition(const opevo_graph *graph, size_t start,
                                             uint32_t **class_of, size_t *class_count,
                                             opevo_error *err);

#endif
