/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The numbers by which Ansor describes each statement of a program to its cost model: 164 for each
 * buffer that is stored to. The program is described plainly, so that any lowering can give it:
 * loops, buffers, and stores with their loops, their accesses and their operations.
 *
 * The program is looked at as TVM lowers it for this purpose: loops of one iteration stay,
 * annotated loops and thread axes are loops like others, and a reduction has a store of its initial
 * value before that of its update.
 *
 * Source: TVM v0.8, src/auto_scheduler/feature.cc; Zheng et al., "Ansor", OSDI 2020, appendix B. */

#ifndef OPEVO_STATEMENT_FEATURES_H
#define OPEVO_STATEMENT_FEATURES_H

#include <opevo/loop.h>
#include <opevo/loop_tree.h>
#include <opevo/status.h>

#include <stddef.h>

OPEVO_BEGIN_C

enum { OPEVO_STATEMENT_FEATURES = 164 };

/* "float_mad", ..., "B0.acc_type.kRead", ..., "auto_unroll_max_step", as in TVM; i < 164. The name
 * is in a buffer of the caller of at least 48 bytes. Hook of tests. */
void opevo_statement_feature_name(size_t i, char *name);

/* ---- A program ---- */

typedef struct opevo_statement_loop {
    int64_t extent; /* at least 1; the loop runs from 0 */
    opevo_annotation kind;
} opevo_statement_loop;

/* stride * (loop / divisor % modulus), with integer division; divisor 1 and modulus 0 are a plain
 * loop, others the parts of a fused one. */
typedef struct opevo_statement_term {
    size_t loop; /* number in the program; not one that is around the store: counts as fixed */
    int64_t stride;
    int64_t divisor; /* at least 1 */
    int64_t modulus; /* 0: none */
} opevo_statement_term;

/* offset + sum of terms: the index in one dimension. */
typedef struct opevo_statement_index {
    int64_t offset;
    const opevo_statement_term *terms;
    size_t term_count;
} opevo_statement_index;

typedef struct opevo_statement_access {
    size_t buffer;
    const opevo_statement_index *indices; /* one for each dimension of the buffer */
} opevo_statement_access;

typedef struct opevo_statement_buffer {
    const int64_t *shape; /* as declared, outermost first */
    size_t dimension_count;
    size_t element_bytes;
    /* Where the program itself allocates it, and inside how many of the loops of its stores (those
     * outside); operands are not allocated. */
    bool allocated;
    int64_t allocated_elements;
    size_t allocated_inside;
} opevo_statement_buffer;

/* Operations in the value of a store, those on indices included as integer operations. */
#define OPEVO_STATEMENT_OP_LIST(X)                                                                 \
    X(FLOAT_MAD, "float_mad")                                                                      \
    X(FLOAT_ADD, "float_addsub")                                                                   \
    X(FLOAT_MULTIPLY, "float_mul")                                                                 \
    X(FLOAT_DIVIDE, "float_divmod")                                                                \
    X(FLOAT_COMPARE, "float_cmp")                                                                  \
    X(FLOAT_FUNCTION, "float_math_func")                                                           \
    X(FLOAT_OTHER, "float_other_func")                                                             \
    X(INT_MAD, "int_mad")                                                                          \
    X(INT_ADD, "int_addsub")                                                                       \
    X(INT_MULTIPLY, "int_mul")                                                                     \
    X(INT_DIVIDE, "int_divmod")                                                                    \
    X(INT_COMPARE, "int_cmp")                                                                      \
    X(INT_FUNCTION, "int_math_func")                                                               \
    X(INT_OTHER, "int_other_func")                                                                 \
    X(BOOL, "bool_op")                                                                             \
    X(SELECT, "select_op")

typedef enum opevo_statement_op {
#define OPEVO_STATEMENT_ENUM(suffix, name) OPEVO_STATEMENT_##suffix,
    OPEVO_STATEMENT_OP_LIST(OPEVO_STATEMENT_ENUM) OPEVO_STATEMENT_OP_COUNT
#undef OPEVO_STATEMENT_ENUM
} opevo_statement_op;

typedef struct opevo_statement_store {
    const size_t *loops; /* around it, outermost first: numbers in the program */
    size_t loop_count;
    opevo_statement_access target;
    const opevo_statement_access *reads; /* all loads of the value, in their order */
    size_t read_count;
    unsigned ops[OPEVO_STATEMENT_OP_COUNT];
    int64_t auto_unroll; /* largest number of steps that are unrolled; 0: none */
} opevo_statement_store;

typedef struct opevo_statement_program {
    const opevo_statement_loop *loops; /* those of different statements have different numbers */
    size_t loop_count;
    const opevo_statement_buffer *buffers;
    size_t buffer_count;
    const opevo_statement_store *stores; /* in the order of the program */
    size_t store_count;
} opevo_statement_program;

/* ---- Features ---- */

/* The rows of a program, OPEVO_STATEMENT_FEATURES numbers each: one for each buffer that is stored
 * to, in the order of their first stores. Several stores to a buffer share a row, in which the last
 * overwrites the others. Unless the name is said to be raw below, a number x is given as log2(1 +
 * x) (numbers are not negative). With "lengths" products of the extents of loops:
 *
 *     float_..., int_..., bool_op, select_op     operations times the lengths around the store
 *     vec_, unroll_, parallel_: num, prod, len   loops of the kind, product of their extents, and
 *                                                extent of the innermost; 0 without one
 *     ..._type                                   None without a loop of the kind, otherwise Mixed
 *     is_gpu, blockIdx_x_len, ..., vthread_len   extents of thread axes, 1 without one
 *     B0 ... B4                                  the five buffers with most lines, then bytes
 *         acc_type                               read, written, or both
 *         bytes, unique_bytes                    accessed; of the region that all loops touch
 *         lines, unique_lines                    cache lines of 64 bytes
 *         reuse_type, reuse_dis_iter, reuse_dis_bytes, reuse_ct
 *                                                the innermost loop that repeats accesses, how many
 *                                                iterations and bytes are between, how often
 *         ..._d_reuse_ct                         over reuse_ct; twice the number without reuse
 *         stride                                 of the innermost loop, in elements
 *     arith_intensity_curve (raw)                log2 of operations over log2 of bytes touched, at
 *                                                ten points of the log2 of operations
 *     alloc_size, alloc_prod, alloc_outer_prod, alloc_inner_prod
 *                                                bytes; elements times the lengths outside; these
 *                                                lengths; those inside
 *     outer_prod, num_loops, auto_unroll_max_step
 *
 * The region of an access at a loop is the bounding box of its indices when this loop and those
 * inside it run and the others are fixed.
 *
 *   rows   out: room for one row per store
 *   count  out: number of rows
 *
 * Kept from TVM, although odd: regions of earlier stores inside the same loop count as reuse of a
 * buffer (SerialMultipleReadWrite); the lines of an access skip inner loops without a stride by the
 * extent of the innermost one each; whether lines are continuous is judged by the region of the
 * last buffer of the statement.
 *
 * Errors: INVALID for more than 64 loops around a store, or more than 16 dimensions or accesses;
 * NOMEM. Cost: O(loops accesses dimensions) per store; about 1 microsecond each. */
opevo_status opevo_statement_features(const opevo_statement_program *program, float *rows,
                                      size_t *count, opevo_error *err);

/* The loop tree of a program (opevo/loop_tree.h), whose loops have these names. Stores that begin a
 * sum are left out, as TVM leaves them out of features of loops. A loop's touches are those of the
 * store inside it that touches most of a buffer.
 *
 *   names  of each loop of the program
 *   rows   out: room for OPEVO_LOOP_TREE_ROWS rows
 *   count  out: number of rows
 *
 * Errors: as opevo_statement_features; LIMIT for more loops. Cost: as there. */
opevo_status opevo_statement_tree(const opevo_statement_program *program, const unsigned *names,
                                  float *rows, size_t *count, opevo_error *err);

OPEVO_END_C

#endif
