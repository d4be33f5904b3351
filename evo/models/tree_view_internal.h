/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loop trees as one row of numbers, for models of rows: figure 3b of AutoTVM's paper and the
 * relation features of its section 4. */

#ifndef OPEVO_TREE_VIEW_INTERNAL_H
#define OPEVO_TREE_VIEW_INTERNAL_H

#include <opevo/loop_tree.h>

typedef enum opevo_i_tree_view_kind {
    /* The rows of the loops one after the other, without their parents: one place a name, in the
     * order in which names are met, 32 at most. A loop that is not there has zeros. */
    OPEVO_I_VIEW_LOOPS,
    /* On the path to the loop with most iterations around it: with Z the numbers of its loops, and
     * for each buffer that is touched there,
     *
     *     R_t(i, j) = max over loops k with Z_kj < t + 1/2 of Z_ki,  t = 0 ... 23,
     *
     * or 0 without such a loop, for (i, j) = (reuse, elements) and (top-down, elements), numbers in
     * log2. It does not depend on how many loops there are, or on their names. */
    OPEVO_I_VIEW_RELATION
} opevo_i_tree_view_kind;

const char *opevo_i_tree_view_name(unsigned kind);

typedef struct opevo_i_tree_view opevo_i_tree_view;

/* `trees` outlives it. NULL without memory. */
opevo_i_tree_view *opevo_i_tree_view_create(opevo_i_tree_view_kind kind,
                                            const opevo_feature_source *trees);
void opevo_i_tree_view_destroy(opevo_i_tree_view *view);
const opevo_feature_source *opevo_i_tree_view_source(const opevo_i_tree_view *view);
/* The row of a tree. */
void opevo_i_tree_view_row(opevo_i_tree_view *view, const float *rows, size_t count, float *out);

#endif
