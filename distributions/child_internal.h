/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the child law share. */

#ifndef OPEVO_CHILD_INTERNAL_H
#define OPEVO_CHILD_INTERNAL_H

#include <opevo/child.h>

/* The parents of a child, decoded and weighted. */
typedef struct opevo_i_law_inheritance {
    size_t width;          /* parameters */
    size_t count;          /* parents */
    opevo_index *vertices; /* `width` of each parent */
    double *shares;        /* w_j = f_j / sum f */
    double *active; /* of each parameter: the shares of the parents in which it is active, together;
                       0 where it is active in none of positive weight */
} opevo_i_law_inheritance;

/* Errors: INVALID for no parents, a point outside the space, a negative or infinite weight, or
 * weights that are all zero; NOMEM. */
opevo_status opevo_i_law_inheritance_init(const opevo_space *space, const opevo_parents *parents,
                                          opevo_i_law_inheritance *out, opevo_error *err);
void opevo_i_law_inheritance_release(opevo_i_law_inheritance *self);
/* Probability that parameter i, where it is active, comes from parent j, and the parent's vertex; 0
 * where it is not active in that parent. */
double opevo_i_law_inherited(const opevo_i_law_inheritance *self, size_t i, size_t j,
                             opevo_index *vertex);

#endif
