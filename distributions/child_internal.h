/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the two files of the child law share. */

#ifndef OPEVO_CHILD_INTERNAL_H
#define OPEVO_CHILD_INTERNAL_H

#include <opevo/child.h>

/* Weights w_j = f_j / sum f into shares[0 .. count - 1]. Errors: INVALID for no parents, a point
 * outside the space, a negative or infinite weight, or weights that are all zero. */
opevo_status opevo_i_parents_shares(const opevo_space *space, const opevo_parents *parents,
                                    double *shares, opevo_error *err);

/* Vertex of parameter i in a point. Cost: O(parameters). */
opevo_index opevo_i_point_vertex(const opevo_space *space, opevo_index point, size_t i);

#endif
