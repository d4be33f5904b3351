/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The connected components of the graph of allowed points, in which two points are neighbours when
 * they differ in one parameter, by neighbouring vertices of its topology: whether walks that stay
 * among allowed points can reach all of them. */

#ifndef OPEVO_DIAGRAM_COMPONENTS_H
#define OPEVO_DIAGRAM_COMPONENTS_H

#include <opevo/diagram.h>

OPEVO_BEGIN_C

/* Steps that counting may take, of about 10 ns; they are counted, not measured. */
#define OPEVO_COMPONENTS_WORK_MOST (UINT64_C(1) << 25)

/* How many there are; 0 of a space without allowed points.
 *
 *   work_most  0: that above
 *   decided    out: whether they were counted; not so of spaces with branches, where that takes
 *              more work, where a parameter's own graph is too large to be looked at, and for more
 *              than 2^128 - 1 of them
 *
 * The parameters of different groups move independently, so that the graph is a Cartesian product
 * and its components are the product of those of the groups. Errors: NOMEM. Cost: for each node of
 * the diagram, and each two neighbouring vertices of its parameter there, a comparison of what is
 * behind them, which is made once for each two nodes. */
opevo_status opevo_diagram_components(const opevo_diagram *diagram, uint64_t work_most,
                                      bool *decided, opevo_index *components, opevo_error *err);

OPEVO_END_C

#endif
