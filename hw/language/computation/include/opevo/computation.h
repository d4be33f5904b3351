/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A computation: a graph of tensors, each an input or defined by an expression over axes, such as
 *
 *     A[m:512, k:1024]; const B[k, n:512]
 *     C[m, n] = sum(k) A[m, k]*B[k, n]
 *     D[m, n] = max(C[m, n], 0)
 *
 * docs/formats/computation.md has the grammar and the meaning. A computation is immutable: any
 * number of threads may read it, and all that it points to lives until
 * opevo_computation_destroy. */

#ifndef OPEVO_COMPUTATION_H
#define OPEVO_COMPUTATION_H

#include <opevo/element.h>

OPEVO_BEGIN_C

enum {
    OPEVO_COMPUTATION_NAME = 31,      /* characters of a name */
    OPEVO_COMPUTATION_DIMS = 8,       /* of a tensor */
    OPEVO_COMPUTATION_AXES = 16,      /* of a definition */
    OPEVO_COMPUTATION_TERMS = 24,     /* of an integer, those inside divisions included */
    OPEVO_COMPUTATION_TENSORS = 4096, /* of a computation */
    OPEVO_COMPUTATION_NODES = 65536,  /* expressions and conditions of a computation */
    OPEVO_COMPUTATION_DEPTH = 200     /* of nested expressions */
};
#define OPEVO_COMPUTATION_EXTENT INT64_C(2147483647)  /* largest extent */
#define OPEVO_COMPUTATION_ELEMENTS (INT64_C(1) << 40) /* most elements of a tensor */
#define OPEVO_COMPUTATION_POINTS 0x1p60               /* most points of a definition */
#define OPEVO_COMPUTATION_TEXT ((size_t)4 << 20)      /* most bytes of a text */

typedef struct opevo_affine opevo_affine;
typedef struct opevo_expression opevo_expression;
typedef struct opevo_condition opevo_condition;
typedef struct opevo_tensor opevo_tensor;

/* ---- Integer index expressions ---- */

typedef enum opevo_atom {
    OPEVO_ATOM_AXIS,  /* an axis of the definition */
    OPEVO_ATOM_FLOOR, /* floor(inner / divisor) */
    OPEVO_ATOM_MODULO /* inner - divisor floor(inner / divisor), from 0 to divisor - 1 */
} opevo_atom;

typedef struct opevo_term {
    int64_t factor; /* not 0 */
    opevo_atom atom;
    int axis;                  /* AXIS: number among the definition's axes */
    const opevo_affine *inner; /* FLOOR, MODULO */
    int64_t divisor;           /* at least 2 */
} opevo_term;

/* constant + sum_i factor_i atom_i. The form is canonical: axes ascend and come first, no atom is
 * twice. No value that the axes give it, nor any inside a division, is beyond 2^60. */
struct opevo_affine {
    int64_t constant;
    int count;
    const opevo_term *term;
};

/* ---- Expressions ---- */

typedef enum opevo_expression_kind {
    OPEVO_EXPR_READ,   /* an element of a tensor */
    OPEVO_EXPR_NUMBER, /* finite */
    OPEVO_EXPR_WHOLE,  /* an integer of axes as a value */
    OPEVO_EXPR_ADD,    /* operands `left` and `right` from here on */
    OPEVO_EXPR_SUBTRACT,
    OPEVO_EXPR_MULTIPLY,
    OPEVO_EXPR_DIVIDE,
    OPEVO_EXPR_MAX,
    OPEVO_EXPR_MIN,
    OPEVO_EXPR_SELECT, /* `left` where the condition holds, otherwise `right` */
    OPEVO_EXPR_NEGATE, /* operand `left` from here on */
    OPEVO_EXPR_EXP,
    OPEVO_EXPR_SQRT,
    OPEVO_EXPR_TANH,
    OPEVO_EXPR_ERF,
    OPEVO_EXPR_LOG,    /* natural */
    OPEVO_EXPR_SIGMOID /* 1 / (1 + exp(-x)) */
} opevo_expression_kind;

struct opevo_expression {
    opevo_expression_kind kind;
    unsigned line, column; /* in the text, from 1 */
    const opevo_expression *left, *right;
    const opevo_condition *condition; /* SELECT */
    const opevo_tensor *tensor;       /* READ */
    const opevo_affine *index;        /* READ: one for each dimension; WHOLE: the number */
    double number;                    /* NUMBER */
};

typedef enum opevo_condition_kind {
    OPEVO_COND_AND, /* of `left` and `right`; each is evaluated without regard to the other */
    OPEVO_COND_OR,
    OPEVO_COND_LESS,       /* a < b */
    OPEVO_COND_LESS_EQUAL, /* a <= b */
    OPEVO_COND_EQUAL,
    OPEVO_COND_NOT_EQUAL
} opevo_condition_kind;

/* A comparison is of integers where `a` is not NULL, otherwise of the values x and y. */
struct opevo_condition {
    opevo_condition_kind kind;
    const opevo_condition *left, *right;
    const opevo_affine *a, *b;
    const opevo_expression *x, *y;
};

/* ---- Definitions and tensors ---- */

typedef enum opevo_reducer {
    OPEVO_REDUCER_NONE,
    OPEVO_REDUCER_SUM,
    OPEVO_REDUCER_MAX,
    OPEVO_REDUCER_MIN
} opevo_reducer;

typedef struct opevo_axis {
    const char *name;
    int64_t extent; /* values are 0 .. extent - 1 */
} opevo_axis;

/* tensor[axis 0, ..., axis spatial - 1] = reducer over the other axes of value. */
typedef struct opevo_definition {
    int axes, spatial; /* the spatial axes come first, one a dimension */
    opevo_axis axis[OPEVO_COMPUTATION_AXES];
    opevo_reducer reducer; /* NONE where axes == spatial */
    const opevo_expression *value;
} opevo_definition;

struct opevo_tensor {
    const char *name;
    int number; /* in the computation */
    opevo_element element;
    opevo_role role;
    int dims; /* 0 is one element */
    int64_t extent[OPEVO_COMPUTATION_DIMS];
    const char *dim_name[OPEVO_COMPUTATION_DIMS]; /* the axis that the text names, or NULL */
    const opevo_definition *definition;           /* NULL for inputs and constants */
    int readers,
        producers; /* the tensors whose definitions read it, and those that it reads: each */
    const opevo_tensor *const *reader, *const *producer; /* once, in the order of the text */
};

/* Tensors are in the order of the text: a definition comes after all that it reads. */
typedef struct opevo_computation {
    int tensors;
    const opevo_tensor *const *tensor;
    const char *name; /* by which opevo_computation_read knows it; NULL: only its text */
} opevo_computation;

/* ---- Text ---- */

/* A number that a text may use by name. */
typedef struct opevo_binding {
    const char *name;
    int64_t value;
} opevo_binding;

/* Read a computation.
 *
 *   source    what messages begin with: a path, or such as "computation"
 *   bindings  `count` names that the text takes as numbers; may be NULL
 *
 * Errors: INVALID, as "source:line:column: sentence."; LIMIT for what is above the limits; NOMEM.
 * Cost: linear in the text for a bounded number of comparisons around each read. */
opevo_status opevo_computation_parse(const char *text, const char *source,
                                     const opevo_binding *bindings, size_t count,
                                     opevo_computation **out, opevo_error *err);
/* A computation may have several owners, also in several threads: each that shares it destroys it,
 * and the last one frees it. */
opevo_computation *opevo_computation_share(const opevo_computation *computation);
void opevo_computation_destroy(opevo_computation *computation); /* NULL is allowed */

/* The canonical text, statements separated by `between`: "\n" or "; ". It reads back equal, and
 * printing that gives the same text. */
void opevo_computation_print(const opevo_computation *computation, const char *between,
                             opevo_text *out);
/* Parts of it: a tensor's declaration or definition on its own, with all extents. */
void opevo_tensor_print(const opevo_tensor *tensor, opevo_text *out);

/* FNV-1a of the canonical text: equal exactly for equal computations, up to collisions of 64 bits.
 * 0 without memory. */
uint64_t opevo_computation_signature(const opevo_computation *computation);

/* ---- Identity (computation_identity.c) ---- */

/* Whether two computations differ in no more than the names of tensors and axes: tensor by tensor
 * in the order of their texts. Cost: linear. */
bool opevo_computation_same(const opevo_computation *a, const opevo_computation *b);
/* Equal for computations that are the same, and else only where 64 bits collide. It is the same on
 * every machine. */
uint64_t opevo_computation_hash(const opevo_computation *computation);

/* ---- Tensors ---- */

/* By name, NULL for none. */
const opevo_tensor *opevo_computation_find(const opevo_computation *computation, const char *name);
int64_t opevo_tensor_elements(const opevo_tensor *tensor);

/* ---- Counts (computation_count.c) ---- */

/* Operations; `exact` or else an upper bound. */
typedef struct opevo_flop {
    double count;
    bool exact;
} opevo_flop;

/* Arithmetic operations of a definition: each of + - * / max min, unary minus and functions counts
 * 1 for each point at which it is evaluated, and so does the reducer. Comparisons of values count
 * 1, comparisons of integers and indices nothing. An operand of select is evaluated where its
 * condition holds (`left`) or does not (`right`). Where a sum's term is select with 0 as an
 * operand, the points of that 0 are skipped: there is no addition.
 *
 * The share of points of a condition is exact for comparisons of integers, as long as the axes
 * that comparisons have in common have at most 2^20 points, and all of a definition 2^24 together;
 * otherwise operations count everywhere, and the result is an upper bound. Equal to
 * opevo_operator_flop for operators that sum. */
opevo_flop opevo_tensor_flop(const opevo_tensor *tensor); /* 0 for inputs */
opevo_flop opevo_computation_flop(const opevo_computation *computation);
/* Points of a definition: the product of the extents of all its axes. */
double opevo_tensor_points(const opevo_tensor *tensor);
/* Bytes of inputs, constants and outputs together. */
double opevo_computation_bytes(const opevo_computation *computation);

OPEVO_END_C

#endif
