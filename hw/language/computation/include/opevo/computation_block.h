/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Blocked layouts: tensors whose channels are cut into blocks, as vectors read and write them.
 *
 * Source: Liu, Wang, Yu, Sharma, Wang, "Optimizing CNN Model Inference on CPUs", USENIX ATC 2019,
 * section 3.1 (NCHW[x]c). */

#ifndef OPEVO_COMPUTATION_BLOCK_H
#define OPEVO_COMPUTATION_BLOCK_H

#include <opevo/computation.h>

OPEVO_BEGIN_C

/* What may become of a tensor. */
typedef enum opevo_layout_choice {
    OPEVO_LAYOUT_PLAIN,   /* as it is */
    OPEVO_LAYOUT_BLOCKED, /* T[n, c, ...] becomes T[n, c // block, ..., c % block] */
    OPEVO_LAYOUT_FREE     /* any order of its elements, with as many of them: constants */
} opevo_layout_choice;

/* What became of a FREE tensor: dimension d is that of number from[d] before; where that was cut,
 * its blocks (*inner false), or the places inside (true). */
typedef struct opevo_tensor_cut {
    int dims; /* 0: the tensor is as it was */
    int from[OPEVO_COMPUTATION_DIMS];
    bool inner[OPEVO_COMPUTATION_DIMS];
    int64_t extent[OPEVO_COMPUTATION_DIMS];
} opevo_tensor_cut;

/* The same computation over blocked tensors.
 *
 *   block   length of a block; it divides the extent of dimension 1 of every BLOCKED tensor
 *   choice  of each tensor
 *   out     with the same tensors under the same names; other names of axes. An axis that runs
 *           along blocked channels is cut: its blocks stay in its place, the places inside come
 *           last, of the spatial axes or of those that are reduced
 *   cut     receives what became of each tensor
 *
 * A FREE tensor that is read once, at axes alone, is cut as these are, its dimensions in the order
 * of the axes and places inside a block of results last. Sums are in another order; values are
 * otherwise equal.
 *
 * Errors: INVALID where a definition reads a BLOCKED tensor at channels that are not whole blocks
 * and one place inside; LIMIT for too many dimensions or axes; NOMEM. */
opevo_status opevo_computation_block(const opevo_computation *from, int64_t block,
                                     const opevo_layout_choice *choice, opevo_computation **out,
                                     opevo_tensor_cut *cut, opevo_error *err);

OPEVO_END_C

#endif
