/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files that print C for a CPU share. */

#ifndef OPEVO_PRINT_CPU_INTERNAL_H
#define OPEVO_PRINT_CPU_INTERNAL_H

#include "print_internal.h"

enum { OPEVO_I_ASSUMED = 8 };

typedef struct opevo_i_print_vector_loop {
    const opevo_i_nest_leaf *leaf;
    int lane;
    int64_t width;
    /* Of values: selects whose conditions hold in all lanes as far as they differ among them, which
     * is so where these guards do; and a variable whose bits say in which lanes elements may be
     * read, NULL: in all. */
    const opevo_i_nest_value *assumed[OPEVO_I_ASSUMED];
    int assumed_count;
    opevo_i_nest_guards assumed_guards;
    const char *lanes;
} opevo_i_print_vector_loop;

static inline bool opevo_i_print_is_vector_width(int64_t width)
{
    return width == 2 || width == 4 || width == 8 || width == 16;
}

/* Take back what was printed since the text had this length. */
static inline void opevo_i_print_take_back(opevo_text *text, size_t length)
{
    if (!text->data)
        return;
    text->length = length;
    text->data[length] = '\0';
}

/* print_lanes.c: how an index moves with the lane as long as no quotient or remainder in it wraps
 * around, false where one moves by a different rule; the factor of an atom if it is the same
 * everywhere, outside quotients and remainders, false otherwise; an expression at the first lane;
 * an operand for all lanes as values of a type, alone or as part of a product. */
bool opevo_i_print_lane_factor(const opevo_i_print_printer *self, const opevo_i_affine *a, int lane,
                               int64_t *factor);
bool opevo_i_print_plain_factor(const opevo_i_print_printer *self, const opevo_i_affine *a,
                                int atom, int64_t *factor);
void opevo_i_print_at_first(opevo_i_print_printer *self, const opevo_i_affine *a, int lane);
void opevo_i_print_operand(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                           const opevo_i_nest_access *access, opevo_element type, bool splat_alone);

/* print_vector_values.c: find the selects of a leaf's value that are worth an assumption: those
 * that keep elements from being read; the value for all lanes, with the assumptions of the loop. */
void opevo_i_print_find_assumed(const opevo_i_print_printer *self, opevo_i_print_vector_loop *loop);
/* "(a && b)": those comparisons of a condition that are the same in all lanes; "1" without one. */
void opevo_i_print_common(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                          const opevo_i_nest_condition *condition);
void opevo_i_print_vector_value(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop);

/* print_lanes.c: whether it is a loop over the lanes of one statement. */
bool opevo_i_print_is_vector_loop(const opevo_i_nest_node *node);

/* print_masks.c: those lanes of a vector to memory that are to be written. print_rows.c: a loop
 * over a copy as one row, or a sum of neighbours in halves of vectors. False where that cannot be,
 * as with other types than float32 in memory that is written. */
bool opevo_i_print_masked(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop);
bool opevo_i_print_row(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                       const opevo_i_nest_leaf *leaf);
bool opevo_i_print_lane_sum(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                            const opevo_i_nest_leaf *leaf);

/* print_transposed.c: a loop over vectors whose lanes are rows of what they are copied from; the
 * functions that it and opevo_i_print_scattered call. */
bool opevo_i_print_transposed(opevo_i_print_printer *self, const opevo_i_nest_node *node);
/* `streams`: whose stores bypass the caches. */
void opevo_i_print_transpose_head(opevo_text *out, bool streams);
void opevo_i_print_scatter_head(opevo_text *out);

#endif
