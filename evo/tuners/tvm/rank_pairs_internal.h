/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pairwise ranking loss that AutoTVM trains its cost model for: rank:pairwise of XGBoost up to
 * 1.7, all rows in one group. Later versions of the library give this name to another loss, so the
 * gradients are computed here, and are the same with every version. */

#ifndef OPEVO_RANK_PAIRS_INTERNAL_H
#define OPEVO_RANK_PAIRS_INTERNAL_H

#include <stddef.h>

#include <opevo/status.h>

typedef struct opevo_i_tvm_rank_pairs opevo_i_tvm_rank_pairs;

/* `labels` of `count` rows, finite, `count` below 2^31. NULL without memory. Cost: O(count log
 * count). */
opevo_i_tvm_rank_pairs *opevo_i_tvm_rank_pairs_create(const float *labels, size_t count);
void opevo_i_tvm_rank_pairs_destroy(opevo_i_tvm_rank_pairs *pairs);

/* Gradients and second derivatives of the loss
 *
 *     sum over pairs (a, b) of log(1 + exp(s_b - s_a)),   a the row with the larger label,
 *
 * by the predictions s of the rows. Each row draws one partner, uniform among the rows with another
 * label. With p = 1 / (1 + exp(s_b - s_a)) a pair adds p - 1 to the gradient of a, 1 - p to that of
 * b, and 2 max(p (1 - p), 1e-16) to both second derivatives.
 *
 *   round        of boosting, from 0: seeds the draws
 *   predictions  of all rows, finite
 *   first, second  out: gradient and second derivative of each row;
 *   all 0 where all labels are equal
 *
 * Rows draw by falling label, then by falling prediction, then by row, from the generator
 * minstd_rand (48271 x mod 2^31 - 1) with seed 1111 (round + 1), so that they draw what XGBoost
 * drew; sums are of 32 bits, in that order. Cost: O(count log count).
 * Source: XGBoost 1.7, LambdaRankObj in src/objective/rank_obj.cu; uniform_int_distribution of
 * libstdc++. */
void opevo_i_tvm_rank_pairs_gradients(opevo_i_tvm_rank_pairs *pairs, unsigned round,
                                      const float *predictions, float *first, float *second);

#endif
