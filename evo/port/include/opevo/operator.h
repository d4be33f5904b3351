/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tensor operator with its shapes, and the search space that the OpEvo paper tunes it over. Both
 * simulated and live objectives compute operators, so their types are in the port that both know.
 *
 * Source: "OpEvo" appendix B; spaces as in the authors' published search-space files. */

#ifndef OPEVO_OPERATOR_H
#define OPEVO_OPERATOR_H

#include <opevo/api.h>
#include <opevo/space.h>

OPEVO_BEGIN_C

typedef enum opevo_operator_kind {
    OPEVO_MATMUL,       /* Z[n,m] = sum_k X[n,k] Y[k,m], either input possibly stored transposed */
    OPEVO_BATCH_MATMUL, /* the same for each of `batch` matrices */
    OPEVO_CONV2D,       /* NCHW, direct */
    OPEVO_CONTRACTION   /* what an opevo_contraction says */
} opevo_operator_kind;

/* What a kernel of an operator is called with: dense arrays, the last dimension innermost. */
enum {
    OPEVO_OPERANDS = 8,
    OPEVO_OPERAND_DIMS = 4,
    OPEVO_OPERAND_NAME = 8,
    OPEVO_CONTRACTION_AXES = 8
};

/* Operators compute on float32; computations (computation.h) name the others. */
typedef enum opevo_element {
    OPEVO_FLOAT32,
    OPEVO_FLOAT16,
    OPEVO_BFLOAT16,
    OPEVO_INT8,
    OPEVO_INT32
} opevo_element;

typedef enum opevo_role {
    OPEVO_ROLE_INPUT,
    OPEVO_ROLE_CONSTANT, /* an input known long before, whose layout is free */
    OPEVO_ROLE_OUTPUT,
    OPEVO_ROLE_INTERMEDIATE /* of computations */
} opevo_role;

typedef struct opevo_operand {
    char name[OPEVO_OPERAND_NAME]; /* "A" */
    opevo_element type;
    opevo_role role;
    int dims;
    int64_t extent[OPEVO_OPERAND_DIMS];
} opevo_operand;

/* In the order of a kernel's arguments: inputs and constants, then outputs. */
typedef struct opevo_operand_list {
    int count, inputs; /* operands; those before the first output */
    opevo_operand item[OPEVO_OPERANDS];
} opevo_operand_list;

/* Sums of products over named axes, the Einstein summation of any number of operands:
 *
 *     out[axes of out] = sum over the other axes of  prod over its factors f of  f[axes of f].
 *
 * Operands are in the order of opevo_operand_list, and each axis is in one of them; the first row
 * without a name ends each list. */
typedef struct opevo_contraction {
    struct {
        char name;
        int64_t extent;
    } axis[OPEVO_CONTRACTION_AXES];
    struct {
        char name[OPEVO_OPERAND_NAME];
        char axes[OPEVO_OPERAND_DIMS + 1]; /* a letter for each dimension: "ik" */
        opevo_role role;
        unsigned factors; /* of an output: bit i for operand i */
    } operand[OPEVO_OPERANDS];
} opevo_contraction;

/* The number of an axis that there is; and whether the output at `operand` is a sum over it, since
 * a factor has it and the output has not. */
OPEVO_API int opevo_contraction_axis(const opevo_contraction *contraction, char name);
OPEVO_API bool opevo_contraction_reduces(const opevo_contraction *contraction, int operand,
                                         int axis);

/* Shapes in elements; unused members are 0. Single precision. */
typedef struct opevo_operator {
    opevo_operator_kind kind;
    int64_t batch;                 /* BATCH_MATMUL, CONV2D */
    int64_t n, m, k;               /* MATMUL, BATCH_MATMUL: Z is n x m, k is the reduction axis */
    bool transpose_x, transpose_y; /* X is stored k x n; Y is stored m x k */
    int64_t in_channels, height, width, out_channels, kernel_height, kernel_width; /* CONV2D */
    int64_t stride, padding;
    opevo_contraction contraction; /* CONTRACTION */
} opevo_operator;

/* The operands: A (left matrix, image), B (right matrix, weights) and C (the result), or those of
 * the contraction. */
OPEVO_API void opevo_operator_operands(const opevo_operator *op, opevo_operand_list *out);
/* Products that are summed in one element of output number `output`, counted from 0; and factors of
 * each of them. */
OPEVO_API int64_t opevo_operator_terms(const opevo_operator *op, int output);
OPEVO_API int opevo_operator_factors(const opevo_operator *op, int output);

/* Output height and width of a convolution: floor((in + 2 padding - kernel) / stride) + 1. */
OPEVO_API int64_t opevo_operator_out_height(const opevo_operator *op);
OPEVO_API int64_t opevo_operator_out_width(const opevo_operator *op);
/* Output pixels of an image and a channel: their product. */
OPEVO_API int64_t opevo_operator_out_pixels(const opevo_operator *op);
/* Whether a convolution is a matrix product as it stands: a kernel of one pixel, stride 1,
 * no padding. */
OPEVO_API bool opevo_operator_is_pointwise(const opevo_operator *op);
/* Floating-point operations, a multiply-add counted as two: for each output its elements times
 * terms times factors. */
OPEVO_API double opevo_operator_flop(const opevo_operator *op);

/* The operators known by name: the paper's mm1-3, bmm1-3, c1, c2; and the convolutions of
 * ResNet-18, resnet18-c1 to -c12, of Chen et al., "Learning to optimize tensor programs", NeurIPS
 * 2018, table 1 (padded by half the kernel). */
typedef struct opevo_named_operator {
    const char *name;
    const char *summary; /* shapes in one line */
    opevo_operator op;
} opevo_named_operator;
OPEVO_API size_t opevo_operator_count(void);
OPEVO_API const opevo_named_operator *opevo_operator_get(size_t i);

/* A name of the table, that of a convolution also with another number of images ("c2(16)"), or a
 * form with shapes: "matmul(N,K,M)", "batch_matmul(B,N,K,M)", each with
 * an optional last argument NN, NT, TN or TT (T: the input is stored transposed), and
 * "conv2d(B,Cin,H,W,Cout,KH,KW,stride,padding)"; or a contraction, such as
 * "contraction(i=24,j=40,k=32;A[ik],const B[kj];C[ij]=A*B)": extents of axes, inputs, outputs with
 * their factors. Errors: INVALID with the known names or the usage.
 */
OPEVO_API opevo_status opevo_operator_parse(const char *text, opevo_operator *out,
                                            opevo_error *err);
/* The form with shapes. */
OPEVO_API void opevo_operator_print(const opevo_operator *op, opevo_text *out);

/* The space that the paper tunes the operator over:
 *   matmul        K factor(k,3), X factor(n,4), Y factor(m,4)
 *   batch_matmul  B factor(batch,2), K, X, Y
 *   conv2d        tile_f factor(Cout,4), tile_y factor(Hout,4), tile_x factor(Wout,4), tile_rc
 * factor(Cin,2), tile_ry factor(KH,2), tile_rx factor(KW,2), auto_unroll_max_step
 * discrete(0,125,256), unroll_explicit categorical(0,1)
 * Errors: INVALID for a contraction; NOMEM. */
OPEVO_API opevo_status opevo_operator_space(const opevo_operator *op, opevo_space **out,
                                            opevo_error *err);

OPEVO_END_C

#endif
