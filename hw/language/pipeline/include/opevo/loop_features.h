/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers that describe a pipeline's loop nest for a learned cost model: AutoTVM's. The nest is
 * looked at as TVM lowers it for this purpose: loops of one iteration stay, virtual threads are
 * loops, setting sums to zero is left out.
 *
 * Source: TVM v0.6, src/autotvm/touch_extractor.{h,cc}; Chen et al., "Learning to optimize tensor
 * programs", NeurIPS 2018. */

#ifndef OPEVO_LOOP_FEATURES_H
#define OPEVO_LOOP_FEATURES_H

#include <opevo/pipeline.h>

OPEVO_BEGIN_C

/* A growing row, that of the one statement that a pipeline is; start from {0}, and release `number`
 * with opevo_free. */
typedef struct opevo_feature_row {
    float *number;
    size_t count, capacity;
    bool failed; /* no memory */
} opevo_feature_row;

/* "itervar": for each loop, in the order of their first occurrence: its length, depth, the product
 * of the lengths around it, the most that an access inside touches; which kind of loop it is, one
 * of eleven; additions, multiplications and divisions of single precision directly inside; and for
 * each access inside, by name: stride, -1, distinct elements, repetitions, and both for one thread.
 * With `log` everything but the depth and the kind is log2(x + 1), or -log2(1 - x) below 0.
 * Errors: INVALID for a pipeline that cannot be lowered, or computes more than one stage beside
 * copies; LIMIT; NOMEM. */
opevo_status opevo_features_itervar(const opevo_pipeline *pipeline, bool log,
                                    opevo_feature_row *out, opevo_error *err);

/* "curve": for each tensor accessed in the innermost loops, how repetitions, elements and lengths
 * grow with one another from the inside out, in log2, at `samples` points: 8 samples numbers a
 * tensor. Errors: NOMEM. Hook of tests. */
opevo_status opevo_features_curve(const opevo_pipeline *pipeline, int samples,
                                  opevo_feature_row *out, opevo_error *err);

OPEVO_END_C

#endif
