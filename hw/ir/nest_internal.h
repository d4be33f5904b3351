/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A schedule lowered to statements: loops, barriers, guards and, as leaves, moves and
 * multiplications of single elements. Bound loops have no node;
 * blocks and threads are variables. */

#ifndef OPEVO_NEST_INTERNAL_H
#define OPEVO_NEST_INTERNAL_H

#include "schedule_internal.h"

enum {
    OPEVO_I_GUARDS = 10,
    OPEVO_I_BUFFERS = 2 * OPEVO_I_STAGES /* stages, then the registers of staged copies */
};

/* least <= value < limit */
typedef struct opevo_i_guard {
    opevo_i_affine value;
    int64_t least, limit;
} opevo_i_guard;

typedef struct opevo_i_guards {
    int count;
    opevo_i_guard item[OPEVO_I_GUARDS];
} opevo_i_guards;

typedef struct opevo_i_access {
    int buffer;
    opevo_i_affine address;
} opevo_i_access;

typedef enum opevo_i_leaf_kind {
    OPEVO_I_ZERO, /* to = 0 */
    OPEVO_I_COPY, /* to = factor */
    OPEVO_I_ADD,  /* to += factor */
    OPEVO_I_MAC   /* to += product of two factors or more */
} opevo_i_leaf_kind;

typedef struct opevo_i_leaf {
    opevo_i_leaf_kind kind;
    bool stream;
    int64_t prefetch; /* elements after the factor; 0: none */
    opevo_i_access to;
    int factors; /* 0, 1, 1, 2 or more */
    opevo_i_access factor[OPEVO_OPERANDS - 1];
    opevo_i_guards keep;   /* nothing is done unless all hold */
    opevo_i_guards inside; /* COPY: 0 takes the place of the factor unless all hold */
} opevo_i_leaf;

typedef enum opevo_i_node_kind {
    OPEVO_I_LIST,
    OPEVO_I_LOOP,
    OPEVO_I_LET, /* a variable with a value */
    OPEVO_I_IF,
    OPEVO_I_SYNC,
    OPEVO_I_LEAF
} opevo_i_node_kind;

typedef struct opevo_i_node opevo_i_node;
struct opevo_i_node {
    opevo_i_node_kind kind;
    opevo_i_node *first, *last; /* inside */
    opevo_i_node *otherwise;    /* of an IF: a list */
    opevo_i_node *next;         /* beside */
    opevo_i_node *made_before;  /* all nodes, for release */
    int atom;                   /* LOOP, LET */
    int64_t extent;             /* LOOP */
    opevo_annotation annotation;
    opevo_i_affine value; /* LET */
    opevo_i_guards guards;
    opevo_i_leaf *leaf;
};

typedef struct opevo_i_buffer {
    opevo_scope scope;
    int64_t size;  /* elements; of one thread if local; 0: not used */
    bool parallel; /* made inside a parallel loop: each thread has its own */
} opevo_i_buffer;

typedef struct opevo_i_nest {
    opevo_schedule *schedule; /* a copy of its own */
    opevo_i_node *root, *nodes;
    opevo_i_buffer buffer[OPEVO_I_BUFFERS];
    int bound[OPEVO_ANNOTATION_COUNT];            /* atom of each block and thread axis, or -1 */
    int64_t bound_extent[OPEVO_ANNOTATION_COUNT]; /* 1 where not bound */
} opevo_i_nest;

/* Errors: NOMEM; LIMIT for an index of too many parts; INVALID where the schedule cannot be
 * lowered, with a sentence that says why. */
opevo_status opevo_i_nest_create(const opevo_schedule *schedule, opevo_i_nest **out,
                                 opevo_error *err);
void opevo_i_nest_destroy(opevo_i_nest *nest);

/* Whether there is a barrier in it. */
bool opevo_i_node_has_sync(const opevo_i_node *node);
/* The only leaf of a loop, NULL when there is anything else in it. */
const opevo_i_leaf *opevo_i_node_only_leaf(const opevo_i_node *node);

/* The pass that auto_unroll stands for: loops get the annotation UNROLL or EXPAND. */
void opevo_i_nest_auto_unroll(opevo_i_nest *nest);

/* False, with a sentence in `why`, where a dialect or a limit forbids the nest. */
bool opevo_i_nest_check(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                        const opevo_limits *limits, opevo_text *why);

#endif
