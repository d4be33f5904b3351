/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is found of a computation by rows. */

#ifndef OPEVO_COMPUTATION_ROWS_INTERNAL_H
#define OPEVO_COMPUTATION_ROWS_INTERNAL_H

#include "computation_internal.h"

#include <opevo/computation_access.h>
#include <opevo/computation_rows.h>

typedef struct opevo_i_comp_rows {
    const opevo_computation *from;
    const opevo_tensor *scores, *product; /* the two sums of products */
    /* What they read: the operand with rows and the other one. */
    const opevo_expression *query, *key, *weight, *value;
    int query_axis, row; /* the axes of rows in `scores` and in `product` */
    /* A number for each axis of each definition, the same for axes along which they read each
     * other. */
    int label[OPEVO_ROWS_TENSORS][OPEVO_COMPUTATION_AXES];
    bool ahead[OPEVO_ROWS_TENSORS];  /* of the scores, or made of them before the second product */
    bool behind[OPEVO_ROWS_TENSORS]; /* made of the second product */
    bool plain;                      /* while it is found: definitions read each other at axes */
    const opevo_tensor *reader;
} opevo_i_comp_rows;

/* False where the computation is of another kind. */
bool opevo_i_comp_rows_find(const opevo_computation *from, opevo_i_comp_rows *out);
/* The axis of a definition that is its rows; -1: it has none. */
int opevo_i_comp_rows_axis(const opevo_i_comp_rows *self, const opevo_tensor *tensor);
/* Whether the rows of a definition come last. */
static inline bool opevo_i_comp_rows_turns(const opevo_i_comp_rows *self,
                                           const opevo_tensor *tensor)
{
    return tensor->definition && tensor != self->product && !self->behind[tensor->number] &&
           opevo_i_comp_rows_axis(self, tensor) >= 0;
}

#endif
