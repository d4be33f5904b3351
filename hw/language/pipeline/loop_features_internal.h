/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The walk through the loops of a pipeline that AutoTVM's features are made of. */

#ifndef OPEVO_LOOP_FEATURES_INTERNAL_H
#define OPEVO_LOOP_FEATURES_INTERNAL_H

#include "lower_pipeline_internal.h"

enum {
    OPEVO_I_TOUCHES = 24, /* of one loop */
    OPEVO_I_VARIABLES = 128
};

typedef struct opevo_i_loop_touch {
    char name[OPEVO_I_NAME + 8];
    double stride, count, reuse, thread_count, thread_reuse;
} opevo_i_loop_touch;

/* One row of the features. */
typedef struct opevo_i_loop_variable {
    int64_t length;
    int depth;
    opevo_annotation kind;
    double topdown, bottomup;
    double adds, multiplies;
    int touches;
    opevo_i_loop_touch touched[OPEVO_I_TOUCHES];
} opevo_i_loop_variable;

typedef struct opevo_i_loop_walk {
    opevo_i_pipeline_lowering low;
    int compute; /* the key of the stage that is not a copy */
    opevo_i_loop_variable *row;
    int rows;
    int stack[OPEVO_I_LOOPS * 2]; /* keys of the open loops */
    int depth;
    int row_of[4096];                        /* of a key: an atom, or a thread axis above them */
    int keys;                                /* first key of a thread axis */
    int accesses[OPEVO_PIPELINE_STAGES + 1]; /* of stages, and of registers that gather sums */
    double topdown;
    int reads; /* of the statement */
    bool failed;
} opevo_i_loop_walk;

/* The rows of a pipeline; start from zeroed memory, and destroy in any case (NULL is allowed).
 * Errors: INVALID, LIMIT, NOMEM. */
opevo_status opevo_i_loop_walk_all(const opevo_pipeline *pipeline, opevo_i_loop_walk *self,
                                   opevo_error *err);
void opevo_i_loop_walk_destroy(opevo_i_loop_walk *self);
/* What a row says of an access, NULL if nothing. */
opevo_i_loop_touch *opevo_i_loop_find_touch(opevo_i_loop_variable *row, const char *name);

#endif
