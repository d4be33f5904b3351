/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What kernels are compared with: each operator in plain loops, and by OpenBLAS. */

#ifndef OPEVO_REFERENCE_H
#define OPEVO_REFERENCE_H

#include <opevo/operator.h>

/* A plain implementation of an operator to check kernels against: operands as in kernel.h. Errors:
 * NOMEM. */
typedef opevo_status (*opevo_reference_function)(const opevo_operator *op, const float *a,
                                                 const float *b, float *c, opevo_error *err);

/* Elements of operand 0 (A: left matrix, image), 1 (B: right matrix, kernel) or 2 (C: the result). */
int64_t opevo_operand_elements(const opevo_operator *op, int operand);
/* Terms in the sum that one element of the result is. */
int64_t opevo_operator_terms(const opevo_operator *op);

/* The result in plain loops with double accumulation, rounded once; and, where `magnitude` is not
 * NULL, the same sum of absolute values for each element. Cost: about a nanosecond a term. */
void opevo_reference_compute(const opevo_operator *op, const float *a, const float *b, float *c,
                             double *magnitude);

/* Largest difference from the exact sum that any order of single-precision additions, fused or not,
 * can make: |c - exact| <= (K + 1) u / (1 - (K + 1) u) * magnitude with K terms and u = 2^-24. The
 * one more is for the rounding of the reference itself. Source: Higham, "Accuracy and Stability of
 * Numerical Algorithms", 2nd edition, section 3.1. */
double opevo_reference_bound(const opevo_operator *op, double magnitude);

/* The result by OpenBLAS sgemm, convolutions by unfolding the image (im2col) first; on as many
 * threads as OpenBLAS is set to. Errors: NOMEM; LIMIT for sizes above 2^31 - 1. */
opevo_status opevo_reference_blas(const opevo_operator *op, const float *a, const float *b,
                                  float *c, opevo_error *err);
/* The processor that OpenBLAS takes this one for, such as "SkylakeX"; a static string. Settings in
 * the environment can make it a slower one, so it belongs beside every number. */
const char *opevo_reference_blas_core(void);

#endif
