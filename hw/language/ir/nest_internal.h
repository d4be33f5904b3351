/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A schedule lowered to statements: loops, barriers, guards and, as leaves, statements on single
 * elements. Bound loops have no node; blocks and threads are variables. */

#ifndef OPEVO_NEST_INTERNAL_H
#define OPEVO_NEST_INTERNAL_H

#include <opevo/computation.h>

#include <opevo/kernel.h>

#include "loops_internal.h"

enum { OPEVO_I_GUARDS = 10, OPEVO_I_BUFFERS = 96, OPEVO_I_FACTORS = 16 };

/* least <= value < limit. `omits`: where it fails, a term of a sum is left out of an element that
 * is kept, and not the element. */
typedef struct opevo_i_nest_guard {
    opevo_i_affine value;
    int64_t least, limit;
    bool omits;
} opevo_i_nest_guard;

typedef struct opevo_i_nest_guards {
    int count;
    opevo_i_nest_guard item[OPEVO_I_GUARDS];
} opevo_i_nest_guards;

typedef struct opevo_i_nest_access {
    int buffer;
    opevo_i_affine address;
} opevo_i_nest_access;

/* Of values: each compares `whole`, or x with y, with 0 or with each other; in int32 where both
 * are. */
typedef struct opevo_i_nest_value opevo_i_nest_value;
typedef struct opevo_i_nest_condition opevo_i_nest_condition;
struct opevo_i_nest_condition {
    opevo_condition_kind kind;
    const opevo_i_nest_condition *left, *right; /* AND, OR */
    bool is_whole;
    opevo_i_affine whole; /* whole `kind` 0, where is_whole */
    const opevo_i_nest_value *x, *y;
};

/* An expression of elements. Its operands `left` and `right` and its condition are as in
 * opevo_expression; those of int32 become float32 where the expression is. */
struct opevo_i_nest_value {
    opevo_expression_kind kind;
    opevo_element
        type; /* in which it is computed, FLOAT32 or INT32; elements are converted to it */
    const opevo_i_nest_value *left, *right;
    const opevo_i_nest_condition *condition; /* SELECT */
    int read;                                /* READ: a factor of the leaf */
    double number;                           /* NUMBER; may be infinite */
    opevo_i_affine whole;                    /* WHOLE */
};

typedef enum opevo_i_nest_leaf_kind {
    OPEVO_I_ZERO,  /* to = 0 */
    OPEVO_I_COPY,  /* to = factor */
    OPEVO_I_ADD,   /* to += factor */
    OPEVO_I_MAC,   /* to += product of two factors or more */
    OPEVO_I_STORE, /* to = value, here and below of the factors */
    OPEVO_I_SUM,   /* to += value */
    OPEVO_I_MAX,   /* to = max(to, value) */
    OPEVO_I_MIN    /* to = min(to, value) */
} opevo_i_nest_leaf_kind;

/* What is assigned is converted to the type of the target; a sum goes to float32 or int32, and its
 * factors are converted to that first. */
typedef struct opevo_i_nest_leaf {
    opevo_i_nest_leaf_kind kind;
    bool stream;
    int64_t prefetch; /* elements after the factor; 0: none */
    opevo_i_nest_access to;
    int factors; /* 0, 1, 1, 2 or more; as many as are read */
    opevo_i_nest_access factor[OPEVO_I_FACTORS];
    const opevo_i_nest_value *value; /* from STORE on; borrowed from the nest */
    opevo_i_nest_guards keep;        /* nothing is done unless all hold */
    opevo_i_nest_guards inside;      /* COPY: 0 takes the place of the factor unless all hold */
} opevo_i_nest_leaf;

/* per ceil(argument / tile) iterations, of an argument by its number; `tile` is 0: all of them. */
typedef struct opevo_i_nest_count {
    int argument;
    int64_t per, tile;
} opevo_i_nest_count;

typedef enum opevo_i_nest_node_kind {
    OPEVO_I_LIST,
    OPEVO_I_LOOP,
    OPEVO_I_LET, /* a variable with a value */
    OPEVO_I_IF,
    OPEVO_I_SYNC,
    OPEVO_I_LEAF
} opevo_i_nest_node_kind;

typedef struct opevo_i_nest_node opevo_i_nest_node;
struct opevo_i_nest_node {
    opevo_i_nest_node_kind kind;
    opevo_i_nest_node *first, *last; /* inside */
    opevo_i_nest_node *otherwise;    /* of an IF: a list */
    opevo_i_nest_node *next;         /* beside */
    opevo_i_nest_node *made_before;  /* all nodes, for release */
    int atom;                        /* LOOP, LET */
    int64_t extent;                  /* LOOP */
    opevo_i_nest_count count;        /* LOOP: nothing is done in iterations from there on */
    opevo_annotation annotation;
    opevo_i_affine value; /* LET */
    opevo_i_nest_guards guards;
    opevo_i_nest_leaf *leaf;
};

typedef struct opevo_i_nest_buffer {
    opevo_scope scope;
    opevo_element element;
    int64_t size;     /* elements; of one thread if local; 0: not used, or an operand */
    int64_t readable; /* elements of an operand; 0: not known */
    bool parallel;    /* made inside a parallel loop: each thread has its own */
    bool whole;       /* packed: lives as long as the call, so on a GPU it is global memory */
    int launch;       /* shared, local: the launch that has it */
} opevo_i_nest_buffer;

/* An operand that the kernel reads in a layout of its own: element (p0, p1, ...) of the pieces,
 * each (index / divisor) % extent of its dimension, is that of the dense tensor, or 0 outside
 * it. */
typedef struct opevo_i_nest_packing {
    int operand, dims;
    int64_t extent[OPEVO_I_DIMS];
    int pieces;
    opevo_i_nest_piece piece[OPEVO_I_PIECES];
} opevo_i_nest_packing;

/* What one launch of a GPU computes; a CPU runs all in their order. */
typedef struct opevo_i_nest_launch {
    const opevo_i_nest_node *body;
    int bound[OPEVO_ANNOTATION_COUNT];            /* atom of each block and thread axis, or -1 */
    int64_t bound_extent[OPEVO_ANNOTATION_COUNT]; /* 1 where not bound */
    opevo_i_nest_count count[OPEVO_ANNOTATION_COUNT]; /* likewise, of blocks */
} opevo_i_nest_launch;

enum { OPEVO_I_LAUNCHES = 64 };

typedef struct opevo_i_nest_chunk opevo_i_nest_chunk;

/* An extent that is an argument of the kernel. */
typedef struct opevo_i_nest_argument {
    char name[OPEVO_COMPUTATION_NAME + 1];
    int atom;
    int64_t most;
} opevo_i_nest_argument;

typedef struct opevo_i_nest {
    opevo_i_affine_atoms atoms;
    int arguments;
    opevo_i_nest_argument argument[OPEVO_KERNEL_ARGUMENTS];
    int operands, inputs; /* arguments of the kernel, the first buffers; those before the outputs */
    int packings;
    opevo_i_nest_packing packing[OPEVO_OPERANDS];
    double reach; /* no address of an operand is as large as this */
    bool streams; /* whether any leaf does */
    bool trimmed; /* has the versions of bodies already that it is to have */
    opevo_i_nest_node *root, *nodes;
    opevo_i_nest_chunk *chunks; /* memory of values and conditions */
    opevo_i_nest_buffer buffer[OPEVO_I_BUFFERS];
    int launches;
    opevo_i_nest_launch launch[OPEVO_I_LAUNCHES];
} opevo_i_nest;

void opevo_i_nest_destroy(opevo_i_nest *nest);
/* Memory that lives as long as the nest, zeroed; NULL without. */
void *opevo_i_nest_take(opevo_i_nest *nest, size_t bytes);

/* A new last node of `parent`, or a root for NULL; NULL without memory. */
opevo_i_nest_node *opevo_i_nest_add(opevo_i_nest *nest, opevo_i_nest_node *parent,
                                    opevo_i_nest_node_kind kind);
opevo_i_nest_node *opevo_i_nest_add_loop(opevo_i_nest *nest, opevo_i_nest_node *parent, int atom,
                                         int64_t extent, opevo_annotation annotation);
opevo_i_nest_node *opevo_i_nest_add_leaf(opevo_i_nest *nest, opevo_i_nest_node *parent,
                                         const opevo_i_nest_leaf *leaf);
/* A loop over the virtual threads that a leaf depends on, or else the parent. */
opevo_i_nest_node *opevo_i_nest_add_vthread(opevo_i_nest *nest, opevo_i_nest_node *parent,
                                            const opevo_i_nest_leaf *leaf,
                                            const opevo_i_affine_atoms *atoms, int atom,
                                            int64_t extent);

/* least <= value < limit, unless it always holds. False where there are too many already. */
bool opevo_i_nest_guards_add(const opevo_i_affine_atoms *atoms, opevo_i_nest_guards *guards,
                             const opevo_i_affine *value, int64_t least, int64_t limit);

/* One more launch, nothing of which is bound. */
opevo_i_nest_launch *opevo_i_nest_add_launch(opevo_i_nest *nest, const opevo_i_nest_node *body);

/* Whether there is a barrier in it. */
bool opevo_i_nest_node_has_sync(const opevo_i_nest_node *node);
/* Whether a node, or one inside it, gives a variable of an expression its values. */
bool opevo_i_nest_node_binds(const opevo_i_affine_atoms *atoms, const opevo_i_nest_node *node,
                             const opevo_i_affine *a);
bool opevo_i_nest_node_binds_inside(const opevo_i_affine_atoms *atoms,
                                    const opevo_i_nest_node *node, const opevo_i_affine *a);
/* The only leaf of a loop, NULL when there is anything else in it. */
const opevo_i_nest_leaf *opevo_i_nest_node_only_leaf(const opevo_i_nest_node *node);
/* Leaves after unrolling, lanes counted once. */
double opevo_i_nest_node_statements(const opevo_i_nest_node *node);

/* The largest absolute value that an index, a guard, an integer or a condition can have as it
 * is computed, in any order of its terms, or the largest extent of a loop. */
double opevo_i_nest_largest_number(const opevo_i_nest *nest);

/* The pass that auto_unroll stands for: loops of up to `limit` statements get the annotation
 * `what`, UNROLL or EXPAND. */
void opevo_i_nest_node_auto_unroll(opevo_i_nest_node *node, int64_t limit, opevo_annotation what);

/* Vectorized loops over one statement become loops of 2, 4, 8 and 16, for C. False without memory;
 * the nest is then worthless. */
bool opevo_i_nest_split_vectors(opevo_i_nest *nest);

/* Bodies of loops in a version without a guard that most iterations meet, and one for the edge, for
 * C. False without memory; the nest is then worthless. */
bool opevo_i_nest_make_versions(opevo_i_nest *nest);

/* What a whole part of a nest is done under, asked once ahead of it, for C: the guards that all its
 * statements have, of values that no loop in it changes. False without memory; the nest is then
 * worthless. */
bool opevo_i_nest_hoist_guards(opevo_i_nest *nest);

/* Whether a node does nothing that matters outside `body` where the guard does not hold. */
bool opevo_i_nest_is_guarded(const opevo_i_nest *nest, const opevo_i_nest_node *body,
                             const opevo_i_nest_node *node, const opevo_i_nest_guard *guard);
/* In the statements of a node, put another guard in the place of one, or take it away (NULL). */
void opevo_i_nest_node_replace_guard(opevo_i_nest_node *node, const opevo_i_nest_guard *old,
                                     const opevo_i_nest_guard *now);

/* False, with a sentence in `why`, where a dialect or a limit forbids the nest. */
bool opevo_i_nest_check(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                        const opevo_limits *limits, opevo_text *why);

#endif
