/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The same computation with tensors of other shapes: neighbouring dimensions joined to one, or one
 * divided into two. Elements stay at their places in memory, so that a program for one computation
 * computes the other. Tensors keep their names and numbers. */

#ifndef OPEVO_COMPUTATION_RESHAPE_H
#define OPEVO_COMPUTATION_RESHAPE_H

#include <opevo/computation.h>

OPEVO_BEGIN_C

/* Make one dimension of dimensions `dim` and `dim` + 1 of a tensor, of extent E F for extents E and
 * F: element (x, y) becomes x F + y. The axes by which it is defined and read become one as well,
 * and so do the dimensions of all tensors that are defined or read along these. Axes x and y become
 * the axis x_y; an axis of extent 1 beside them in an index is left out.
 *
 *   tensor  number of a defined tensor
 *   out     a new computation of as many tensors; the caller destroys it
 *
 * Errors: INVALID, with a sentence that names the tensor, where one of them is read in another way
 * than row by row, or an axis is needed by itself; NOMEM. Cost: linear in the computation, for each
 * tensor on the way. */
opevo_status opevo_computation_merge(const opevo_computation *computation, int tensor, int dim,
                                     opevo_computation **out, opevo_error *err);

/* Make two dimensions of dimension `dim` of a tensor, of extents E / length and length for extent
 * E: element x becomes (x // length, x % length). The axis x by which it is defined becomes the
 * axes x_0 and x_1, and so do the axes and dimensions of all definitions that read it along an
 * axis, and the dimensions of inputs and constants that are read along such axes only. Every other
 * index has length x_0 + x_1 in the place of x.
 *
 *   length  a divisor of E
 *
 * Errors: INVALID, with a sentence, where a definition reads one of these tensors in another way,
 * or has no room for the dimension; NOMEM. Cost: as of merging. */
opevo_status opevo_computation_divide(const opevo_computation *computation, int tensor, int dim,
                                      int64_t length, opevo_computation **out, opevo_error *err);

OPEVO_END_C

#endif
