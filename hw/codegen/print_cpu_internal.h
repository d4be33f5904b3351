/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files that print C for a CPU share. */

#ifndef OPEVO_PRINT_CPU_INTERNAL_H
#define OPEVO_PRINT_CPU_INTERNAL_H

#include "print_internal.h"

typedef struct opevo_i_vector_loop {
    const opevo_i_leaf *leaf;
    int lane;
    int64_t width;
} opevo_i_vector_loop;

static inline bool opevo_i_is_vector_width(int64_t width)
{
    return width == 2 || width == 4 || width == 8 || width == 16;
}

/* print_lanes.c: how an index moves with the lane as long as no quotient or remainder in it wraps
 * around, false where one moves by a different rule; the factor of an atom if it is the same
 * everywhere, outside quotients and remainders, false otherwise; an expression at the first lane;
 * an operand for all lanes, alone or as part of a product. */
bool opevo_i_lane_factor(const opevo_i_printer *self, const opevo_i_affine *a, int lane,
                         int64_t *factor);
bool opevo_i_plain_factor(const opevo_i_printer *self, const opevo_i_affine *a, int atom,
                          int64_t *factor);
void opevo_i_print_at_first(opevo_i_printer *self, const opevo_i_affine *a, int lane);
void opevo_i_print_operand(opevo_i_printer *self, const opevo_i_vector_loop *loop,
                           const opevo_i_access *access, bool splat_alone);

/* print_masks.c: those lanes of a vector to memory that are to be written. print_rows.c: a loop
 * over a copy as one row. False where that cannot be. */
bool opevo_i_print_masked(opevo_i_printer *self, const opevo_i_vector_loop *loop);
bool opevo_i_print_row(opevo_i_printer *self, const opevo_i_node *node, const opevo_i_leaf *leaf);

#endif
