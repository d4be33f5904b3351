/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of one and three inputs and of two outputs,
 * for tests of what takes any number of operands. */

#ifndef OPEVO_TESTS_CONTRACTIONS_H
#define OPEVO_TESTS_CONTRACTIONS_H

#include <opevo/operator.h>

enum { ROWS_I = 24, COLUMNS_J = 40, SUMMED_K = 32 };

/* D[i,j] = sum_k A[i,k] B[k,j] S[j]: the columns of a product scaled. */
static const opevo_operator scaled_op = {
    .kind = OPEVO_CONTRACTION,
    .contraction = {
        .axis = {{'i', ROWS_I}, {'j', COLUMNS_J}, {'k', SUMMED_K}},
        .operand = {{"A", "ik", OPEVO_ROLE_INPUT, 0},
                    {"B", "kj", OPEVO_ROLE_CONSTANT, 0},
                    {"S", "j", OPEVO_ROLE_INPUT, 0},
                    {"D", "ij", OPEVO_ROLE_OUTPUT, 7}},
    }};
/* C[i,j] = sum_k A[i,k] B[k,j] and R[i] = sum_k A[i,k]: a product and the sums of the left rows. */
static const opevo_operator paired_op = {
    .kind = OPEVO_CONTRACTION,
    .contraction = {
        .axis = {{'i', ROWS_I}, {'j', COLUMNS_J}, {'k', SUMMED_K}},
        .operand = {{"A", "ik", OPEVO_ROLE_INPUT, 0},
                    {"B", "kj", OPEVO_ROLE_INPUT, 0},
                    {"C", "ij", OPEVO_ROLE_OUTPUT, 3},
                    {"R", "i", OPEVO_ROLE_OUTPUT, 1}},
    }};
/* R[i] = sum_k A[i,k]: one input. */
static const opevo_operator sums_op = {
    .kind = OPEVO_CONTRACTION,
    .contraction = {
        .axis = {{'i', ROWS_I}, {'k', SUMMED_K}},
        .operand = {{"A", "ik", OPEVO_ROLE_INPUT, 0}, {"R", "i", OPEVO_ROLE_OUTPUT, 1}},
    }};

#define CONTRACTION_HEAD "enum { I = 24, J = 40, K = 32 };\n"
/* Kernels for them; SPOIL is a factor of the last output. */
#define SCALED_SOURCE                                                                              \
    CONTRACTION_HEAD                                                                               \
    "void kernel(const float *a, const float *b, const float *s, float *d, float *scratch) {\n"    \
    "  for (int i = 0; i < I; i++) for (int j = 0; j < J; j++) {\n"                                \
    "    float sum = 0; for (int k = 0; k < K; k++) sum += a[i*K+k] * b[k*J+j] * s[j];\n"          \
    "    d[i*J+j] = sum * SPOIL; } }\n"
#define PAIRED_SOURCE                                                                              \
    CONTRACTION_HEAD                                                                               \
    "void kernel(const float *a, const float *b, float *c, float *r, float *scratch) {\n"          \
    "  for (int i = 0; i < I; i++) { float row = 0;\n"                                             \
    "    for (int k = 0; k < K; k++) row += a[i*K+k];\n"                                           \
    "    r[i] = row * SPOIL;\n"                                                                    \
    "    for (int j = 0; j < J; j++) { float sum = 0;\n"                                           \
    "      for (int k = 0; k < K; k++) sum += a[i*K+k] * b[k*J+j];\n"                              \
    "      c[i*J+j] = sum; } } }\n"

#endif
