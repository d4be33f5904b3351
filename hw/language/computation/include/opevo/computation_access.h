/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How the definitions of a computation read each other: the predicates by which sketches are made.
 * A computation's tensors are in topological order, and each knows its readers and producers.
 *
 * Source: Zheng et al., "Ansor: Generating High-Performance Tensor Programs for Deep Learning",
 * OSDI 2020, section 4; TVM 0.8, compute_dag.cc, which fixes the details. */

#ifndef OPEVO_COMPUTATION_ACCESS_H
#define OPEVO_COMPUTATION_ACCESS_H

#include <opevo/computation.h>

OPEVO_BEGIN_C

/* How a definition reads a tensor, over all its reads of it. A read is simple where every index is
 * a constant, or a spatial axis plus a constant; the other members are about the spatial axes of
 * simple reads, and false where a read is not simple. */
typedef struct opevo_access {
    bool simple;
    bool same_order;      /* the axes of each read do not descend */
    bool axis_missing;    /* some read lacks some axis */
    bool axis_duplicated; /* some read has an axis twice */
} opevo_access;

/* False, with *out untouched, where the reader does not read it. Hook of tests. */
bool opevo_tensor_access(const opevo_tensor *reader, const opevo_tensor *read, opevo_access *out);

/* Whether a definition costs nothing where it is read instead of stored: all its reads are simple,
 * in the same order and without an axis twice, and it has no select, no exp, log, tanh, erf or
 * sigmoid, and no reduction. So do definitions that read nothing. False for inputs. */
bool opevo_tensor_is_strictly_inlineable(const opevo_tensor *tensor);

/* Whether a definition reuses what it reads: the number of producers in none of whose indices some
 * spatial axis of extent above 1 occurs is at least 2, or at least 1 with a reduction. */
bool opevo_tensor_needs_tiling(const opevo_tensor *tensor);

/* Whether a read by a definition is at the place that it defines: the tensor has its shape, and
 * index d is axis d; where the extent is 1 it may be 0. */
bool opevo_reads_own_place(const opevo_definition *reader, const opevo_expression *read);

/* Whether the chain of only readers from `tensor` to `target` keeps the shape and reads each
 * element at its own place, up to constants. True for target == tensor. */
bool opevo_tensor_matches_elementwise(const opevo_tensor *tensor, const opevo_tensor *target);

/* Leading dimensions that are the same loops all the way from `tensor` to its reader `target`, the
 * least over all paths: equal extents, and every read's index is that axis plus a constant. 0
 * without a path. `computation` is that of both. Errors: NOMEM. Cost: the reads of the
 * definitions between. */
opevo_status opevo_tensor_common_outer(const opevo_computation *computation,
                                       const opevo_tensor *tensor, const opevo_tensor *target,
                                       int *out, opevo_error *err);

/* Whether two reads of one definition are of the same element of a tensor, wherever that is. */
bool opevo_reads_same_element(const opevo_expression *a, const opevo_expression *b);

/* The axes that an integer depends on: bit a for axis a. */
unsigned opevo_affine_axes(const opevo_affine *affine);

/* Call `each` with every read of a definition, those in conditions included, in the order of the
 * text.
 */
typedef void (*opevo_read_function)(void *context, const opevo_expression *read);
void opevo_expression_reads(const opevo_expression *expression, opevo_read_function each,
                            void *context);

OPEVO_END_C

#endif
