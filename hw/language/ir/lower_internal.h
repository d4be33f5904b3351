/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files that lower schedules share. */

#ifndef OPEVO_LOWER_INTERNAL_H
#define OPEVO_LOWER_INTERNAL_H

#include "nest_internal.h"

/* Failures are remembered here and looked at once, in the end. */
typedef struct opevo_i_nest_lowering {
    opevo_i_nest *nest;
    opevo_schedule *schedule;
    const opevo_i_nest_stage *compute;
    int output;                 /* the stage of the computation */
    int reads[OPEVO_OPERANDS];  /* the stage that it reads each input from */
    int write;                  /* the copy that it writes, or `output` */
    opevo_i_nest_stage *zeroed; /* C itself, where its sums gather there */
    int zeroed_at;
    int slice; /* thread axis over parts of a sum, -1: none; and how many */
    int64_t slices;
    opevo_status status;
    opevo_error *err;
} opevo_i_nest_lowering;

#define OPEVO_I_REFUSE(self, ...)                                                                  \
    do {                                                                                           \
        if ((self)->status == OPEVO_OK)                                                            \
            (self)->status = OPEVO_FAIL((self)->err, OPEVO_INVALID, __VA_ARGS__);                  \
    } while (0)

static inline bool opevo_i_nest_is_tensor(const opevo_i_nest_stage *stage)
{
    return stage->kind == OPEVO_I_TENSOR || stage->kind == OPEVO_I_COMPUTE;
}

/* The files that lower, each using those before it only: lower_nodes, lower_access, lower_copies,
 * lower_tail, lower_loops, lower. */

/* ---- lower_nodes.c ---- */

/* A new last node of `parent`, NULL without memory. */
opevo_i_nest_node *opevo_i_nest_lower_add_node(opevo_i_nest_lowering *self,
                                               opevo_i_nest_node *parent,
                                               opevo_i_nest_node_kind kind);
opevo_i_nest_node *opevo_i_nest_lower_add_loop(opevo_i_nest_lowering *self,
                                               opevo_i_nest_node *parent, int atom, int64_t extent,
                                               opevo_annotation annotation);
/* Loops over the virtual threads that a leaf depends on; returns what it goes into. And a leaf. */
opevo_i_nest_node *opevo_i_nest_lower_add_vthreads(opevo_i_nest_lowering *self,
                                                   opevo_i_nest_node *parent,
                                                   const opevo_i_nest_leaf *leaf);
void opevo_i_nest_lower_add_leaf(opevo_i_nest_lowering *self, opevo_i_nest_node *parent,
                                 const opevo_i_nest_leaf *leaf);

/* ---- lower_access.c ---- */

/* least <= value < limit, unless it always holds; and that an index lies inside its tensor. */
void opevo_i_nest_lower_add_guard(opevo_i_nest_lowering *self, opevo_i_nest_guards *guards,
                                  const opevo_i_affine *value, int64_t least, int64_t limit);
void opevo_i_nest_lower_bound_index(opevo_i_nest_lowering *self, opevo_i_nest_guards *guards,
                                    int tensor, const opevo_i_affine *index);
/* Make room in a buffer for all that an access may touch. */
void opevo_i_nest_lower_grow(opevo_i_nest_lowering *self, const opevo_i_nest_access *access);
/* What selects the copy of a virtual thread, and the half of a double buffer; `iteration` is the
 * number of the iteration that the half belongs to. */
opevo_i_affine opevo_i_nest_lower_select_copy(opevo_i_nest_lowering *self,
                                              const opevo_i_nest_stage *stage,
                                              const opevo_i_affine *iteration);
/* The element of a stage at an index of its tensor, or at the axes of a written copy. */
opevo_i_nest_access opevo_i_nest_lower_access_of(opevo_i_nest_lowering *self, int number,
                                                 const opevo_i_affine *index);

/* ---- lower_copies.c ---- */

/* What is done with a copy: fill it; bring its elements to registers and put them there; set it to
 * zero; write it to C, or add it to C; send it to another thread, and add what came. */
typedef enum opevo_i_nest_copy_kind {
    OPEVO_I_FILL,
    OPEVO_I_FETCH,
    OPEVO_I_PUT,
    OPEVO_I_CLEAR,
    OPEVO_I_WRITE,
    OPEVO_I_GATHER,
    OPEVO_I_SEND,
    OPEVO_I_RECEIVE
} opevo_i_nest_copy_kind;
/* The loops of a copy around one statement; `iteration` replaces the loop that it is attached at
 * (NULL: does not). */
void opevo_i_nest_lower_add_nest(opevo_i_nest_lowering *self, opevo_i_nest_node *parent, int number,
                                 opevo_i_nest_copy_kind kind, const opevo_i_affine *iteration);

/* ---- lower_tail.c ---- */

/* The body of loop `at` of C, once with all iterations of the trimmed loop of the written copy and
 * once without those that bring nothing, for where the loops around it are near their end. */
void opevo_i_nest_lower_trimmed(opevo_i_nest_lowering *self, opevo_i_nest_node *parent, int at,
                                void (*sums)(opevo_i_nest_lowering *self, opevo_i_nest_node *into,
                                             int at));

/* ---- lower_loops.c ---- */

/* Loops `at` and inner of C, and all that is attached there. */
void opevo_i_nest_lower_loops(opevo_i_nest_lowering *self, opevo_i_nest_node *parent, int at);

#endif
