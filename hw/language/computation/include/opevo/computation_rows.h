/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations of two products in a row, of which the second reads what becomes of the first row by
 * row, as attention is: scores S = Q K^T, something of each row of them such as a softmax, and its
 * product with V. In this form a block of rows can be computed as a whole, one after the other, so
 * that nothing but a block of the scores is ever stored.
 *
 * Source: Dao et al., "FlashAttention", NeurIPS 2022, section 3.1, without dividing a row. */

#ifndef OPEVO_COMPUTATION_ROWS_H
#define OPEVO_COMPUTATION_ROWS_H

#include <opevo/computation.h>

OPEVO_BEGIN_C

enum {
    OPEVO_ROWS_TENSORS = 32, /* most tensors of such a computation */
    OPEVO_ROWS_LEAST = 16    /* rows: fewer do not fill a vector */
};

/* How the definitions of such a computation are computed by blocks of rows. */
typedef struct opevo_row_blocks {
    int row;        /* axis of the output, the last definition */
    unsigned outer; /* of its axes, as bits: those of loops around a block, that of the rows too */
    /* Of each definition before the output: its axes inside a block, the rows included; 0 where it
     * has no rows and is read in its place. */
    unsigned inside[OPEVO_ROWS_TENSORS];
} opevo_row_blocks;

/* Whether a computation is in the form that opevo_computation_rows makes: rows are the last
 * dimension of all that comes before the second product. */
bool opevo_computation_row_blocks(const opevo_computation *computation, opevo_row_blocks *out);

/* Bring a computation to that form. Dimensions of what lies between are put in another order, rows
 * last, so that vectors run along rows, and maxima and sums of rows need no neighbours of a vector.
 * A factor or divisor of all scores is multiplied into the operand of the first product that has
 * the rows, and a divisor of the rows of the second product divides its result; so results differ
 * by roundings.
 *
 * The computation has one output, and two sums of products of two tensors. The second reads what is
 * computed from the first at the same rows, by sums or maxima of rows among others; the other
 * operands of both depend on neither, and are not constant. Nothing is summed over other axes of
 * the scores that the result has too, such as heads, and its last axis has more than one element.
 *
 *   out  a new computation with the same inputs and output; the caller destroys it
 *
 * Errors: INVALID where a computation is of another kind, or has fewer than OPEVO_ROWS_LEAST rows;
 * NOMEM. Cost: linear. */
opevo_status opevo_computation_rows(const opevo_computation *from, opevo_computation **out,
                                    opevo_error *err);

OPEVO_END_C

#endif
