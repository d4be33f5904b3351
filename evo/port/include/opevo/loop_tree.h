/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loop tree of a candidate: what an objective says of the program behind a point to cost models
 * that read programs. It is a feature source (opevo/objective.h) whose rows are loops, of
 * OPEVO_LOOP_COLUMNS numbers each, every loop after the one around it. A loop of one iteration is
 * not listed; a program without any other loop is one row of extent 1.
 *
 * Source: Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, figure 3 and table 2.
 */

#ifndef OPEVO_LOOP_TREE_H
#define OPEVO_LOOP_TREE_H

#include <stddef.h>

#include <opevo/objective.h>

OPEVO_BEGIN_C

/* What the rows are, by which stored models are refused: another number with each change of their
 * meaning. */
#define OPEVO_LOOP_TREE_FEATURES "loop-tree 1"

/* What a loop becomes; copies of the text are unrolled loops. The numbers are part of stored
 * models: append only. */
#define OPEVO_LOOP_KIND_LIST(X)                                                                    \
    X(SERIAL)                                                                                      \
    X(UNROLL)                                                                                      \
    X(VECTORIZE)                                                                                   \
    X(PARALLEL)                                                                                    \
    X(VTHREAD)                                                                                     \
    X(BLOCK_X)                                                                                     \
    X(BLOCK_Y)                                                                                     \
    X(BLOCK_Z)                                                                                     \
    X(THREAD_X)                                                                                    \
    X(THREAD_Y)                                                                                    \
    X(THREAD_Z)

typedef enum opevo_loop_kind {
#define OPEVO_LOOP_KIND_ENUM(suffix) OPEVO_LOOP_##suffix,
    OPEVO_LOOP_KIND_LIST(OPEVO_LOOP_KIND_ENUM) OPEVO_LOOP_KIND_COUNT
#undef OPEVO_LOOP_KIND_ENUM
} opevo_loop_kind;

enum {
    OPEVO_LOOP_TREE_ROWS = 128, /* loops of a tree, at most */
    OPEVO_LOOP_NAMES = 256,     /* different names of loop variables */
    OPEVO_LOOP_BUFFERS = 6      /* of a program, in the order in which it touches them first */
};

/* The numbers of a row. Lengths are numbers of iterations. */
enum {
    OPEVO_LOOP_PARENT, /* how many rows before this one the loop around it is; 0: a root */
    OPEVO_LOOP_NAME, /* of its variable, below OPEVO_LOOP_NAMES; it says which loop of the schedule
                          this is, so that candidates of one space share names */
    OPEVO_LOOP_KIND,
    OPEVO_LOOP_EXTENT,    /* log2 of the length */
    OPEVO_LOOP_TOP_DOWN,  /* log2 of the product of this length and those around */
    OPEVO_LOOP_BOTTOM_UP, /* log2 of the most iterations of a statement inside that one turn of the
                             loops around makes */
    OPEVO_LOOP_TOUCHES,   /* the first of 3 numbers a buffer, x as log2(1 + x), 0 where the loop
                             does not touch it: elements touched; reuse, those iterations over these
                             elements; stride, elements between two iterations of this loop */
    OPEVO_LOOP_COLUMNS = OPEVO_LOOP_TOUCHES + 3 * OPEVO_LOOP_BUFFERS
};

typedef struct opevo_loop_touch {
    double elements; /* at least 1; 0: the buffer is not touched */
    double reuse;    /* at least 0 */
    double stride;   /* 0: the access does not depend on the loop */
} opevo_loop_touch;

typedef struct opevo_loop_node {
    size_t parent; /* its row; SIZE_MAX: a root */
    unsigned name;
    opevo_loop_kind kind;
    double extent, top_down, bottom_up; /* at least 1 */
    opevo_loop_touch touches[OPEVO_LOOP_BUFFERS];
} opevo_loop_node;

/* Write a loop as row number `row` of its tree; `out` has room for OPEVO_LOOP_COLUMNS numbers. */
OPEVO_API void opevo_loop_node_write(const opevo_loop_node *node, size_t row, float *out);

OPEVO_END_C

#endif
