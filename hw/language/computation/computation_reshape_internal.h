/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of reshaping share. */

#ifndef OPEVO_COMPUTATION_RESHAPE_INTERNAL_H
#define OPEVO_COMPUTATION_RESHAPE_INTERNAL_H

#include "computation_internal.h"

enum { OPEVO_I_UNSHAPED = -1 };

/* How one tensor takes part. */
typedef struct opevo_i_comp_shaped {
    int dim;  /* that changes, the first of two where they merge; OPEVO_I_UNSHAPED */
    int axis; /* of its definition, likewise */
    opevo_tensor *made;
} opevo_i_comp_shaped;

/* The names of the axes that one or two become. */
typedef struct opevo_i_comp_renamed {
    const char *first, *second; /* `second` is NULL where one is divided */
    const char *made[2];
} opevo_i_comp_renamed;

/* Names that are equal are one, as in a computation that was read. */
typedef struct opevo_i_comp_kept_name opevo_i_comp_kept_name;

typedef struct opevo_i_comp_reshaper {
    opevo_i_comp_arena arena;
    const opevo_computation *from;
    int64_t length;              /* that a dimension is divided by; 0: two merge */
    opevo_i_comp_shaped *tensor; /* by number */
    opevo_i_comp_renamed *name;
    int names;
    opevo_i_comp_kept_name *kept;
    const opevo_definition *definition; /* being looked at or copied, */
    int own;                            /* of this tensor */
    bool changed;
    const opevo_tensor *bad; /* read in another way; NULL */
    bool alone;              /* an axis is needed by itself */
} opevo_i_comp_reshaper;

/* Copy all tensors, reshaped, into the arena and the list. `alone` says that it is not possible.
 * Errors: NOMEM. */
opevo_status opevo_i_comp_reshape_copy(opevo_i_comp_reshaper *self, const opevo_tensor **list,
                                       opevo_error *err);

#endif
