/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What kernels are compared with: each operator in plain loops, and by OpenBLAS. */

#ifndef OPEVO_REFERENCE_H
#define OPEVO_REFERENCE_H

#include <opevo/operator.h>

OPEVO_BEGIN_C

/* Elements of an operand, counted from 0. */
int64_t opevo_operand_elements(const opevo_operator *op, int operand);

/* Hook of tests. These judge kernels by an evaluator of their own. The results in plain loops with
 * double accumulation, rounded once; and, where `magnitudes` is not NULL, the same sums of absolute
 * values for each element of each output. Cost: about a nanosecond a term, ten times that for
 * contractions. */
void opevo_reference_compute(const opevo_operator *op, const float *const *inputs,
                             float *const *outputs, double *const *magnitudes);

/* Hook of tests. The roundings that a term of an element of output number `output` goes through,
 * which are K + F - 2 for K terms of F factors. */
double opevo_reference_roundings(const opevo_operator *op, int output);

/* Hook of tests. The largest difference from the exact sum that any order of single-precision
 * additions, fused or not, can make:
 *
 *     |c - exact| <= (R + 1) u / (1 - (R + 1) u) * magnitude,  R roundings, u = 2^-24.
 *
 * The one more is for the rounding of the reference itself. Source: Higham, "Accuracy and Stability
 * of Numerical Algorithms", 2nd edition, section 3.1. */
double opevo_reference_bound(const opevo_operator *op, int output, double magnitude);

/* The result by OpenBLAS, sgemv where a factor is a vector and sgemm otherwise, convolutions by
 * unfolding the image (im2col) first; on as many threads as OpenBLAS is set to. It has no
 * contractions. Errors: NOMEM; LIMIT for sizes above 2^31 - 1. */
opevo_status opevo_reference_blas(const opevo_operator *op, const float *const *inputs,
                                  float *const *outputs, opevo_error *err);
/* "sgemm" or "sgemv": what that calls. */
const char *opevo_reference_blas_routine(const opevo_operator *op);
/* The processor that OpenBLAS takes this one for, such as "SkylakeX"; a static string. Settings in
 * the environment can make it a slower one, so it belongs beside every number. */
const char *opevo_reference_blas_core(void);

OPEVO_END_C

#endif
