/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points that are nearest to wanted values: how a configuration of one space is carried over to a
 * space with other extents. */

#ifndef OPEVO_NEAREST_H
#define OPEVO_NEAREST_H

#include <opevo/space.h>

OPEVO_BEGIN_C

/* The vertex whose value is nearest to `wanted` (arity components):
 *
 *   factor    P_k = product of the components from the k-th on, k >= 1: the smallest
 *             sum_k 2^k (log2 P_k - log2 Q_k)^2 with Q_k of `wanted`; so inner lengths are kept,
 *             the innermost first, and the first component is what is left
 *   numbers   the smallest |log2 (1 + |a|) - log2 (1 + |b|)| with the same sign
 *   others    an equal value
 *
 * Of equally near ones the first. False, with *vertex untouched, where there is none, and for a
 * parameter of more than 2^20 vertices that has no equal value. Cost: a look at every vertex. */
bool opevo_parameter_nearest(const opevo_parameter *parameter, const opevo_value *wanted,
                             opevo_index *vertex);

/* The allowed point that the fewest moves of neighbours lead to from the vertices of a point, of
 * several the first found. Other branches come last; what they activate has its first values.
 * False, with *point untouched, if none of the nearest 2^14 points is. Errors: NOMEM.
 * Cost: O(points looked at times their neighbours). */
opevo_status opevo_space_nearest_allowed(const opevo_space *space, const opevo_index *vertices,
                                         bool *found, opevo_index *point, opevo_error *err);

/* Put the values of a point of another space into `vertices` of this one, a point of it: for each
 * parameter of the same name and as many components the nearest value, where there is one; other
 * vertices stay. In a space with branches names are those within a branch. Of the branches that a
 * parameter chooses among, the one that has most parameters in common with the point is taken; of
 * several with the same number, the one in the same place among them. Parameters that become active
 * without a counterpart get their first value. Returns the number of parameters that were found,
 * those that choose branches not counted. Cost: as opevo_parameter_nearest for each parameter; for
 * each branch the product of both numbers of parameters. */
size_t opevo_space_carry(const opevo_space *from, opevo_index point, const opevo_space *space,
                         opevo_index *vertices);

OPEVO_END_C

#endif
