/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A learned cost model: boosted trees of the XGBoost library, trained anew on (features, label)
 * whenever there is more to learn from. One thread at all times: results are then the same on every
 * run, and idle OpenMP threads of the library do not spin on cores that are needed elsewhere. */

#ifndef OPEVO_COST_MODEL_INTERNAL_H
#define OPEVO_COST_MODEL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <opevo/tuner.h>

#include "model_internal.h"

/* How to boost; lambda 1 and alpha 0 throughout. */
typedef struct opevo_i_tvm_boosting {
    opevo_i_model_loss loss;
    unsigned depth;
    double gamma, child_weight, eta;
    unsigned rounds;    /* at most */
    unsigned patience;  /* rounds without a better score on the training rows before it stops */
    unsigned stride;    /* the score is looked at in every stride-th round */
    size_t recall_size; /* score: average recall of as many, the larger the better; 0: root mean
                           square error, the smaller the better; in six decimals, as TVM reads it
                           from a text of XGBoost's Python interface */
    bool by_rows; /* as in Ansor: the base score counts for each row of a candidate, and a candidate
                     as often in the mean square as it has rows */
    bool histograms; /* splits from sums of up to 256 values of a feature, in place of exact ones:
                          on 200 features 4 to 15 times as fast, but for rounding the same splits of
                          features of so few values */
} opevo_i_tvm_boosting;

typedef struct opevo_i_tvm_cost_model opevo_i_tvm_cost_model;

/* `width` features in a row. NULL without memory. */
opevo_i_tvm_cost_model *opevo_i_tvm_cost_model_create(size_t width,
                                                      const opevo_i_tvm_boosting *boosting);
void opevo_i_tvm_cost_model_destroy(opevo_i_tvm_cost_model *model);

/* The score of a candidate is
 *
 *     f(first row) + sum over its other rows of (f(row) - base score),
 *
 * so that the trees are summed over its rows and the base score counts once, or with by_rows
 *
 *     sum over its rows of f(row).
 *
 * The loss is one of scores, and its gradient is the same for all rows of a candidate: with labels
 * y, weights w and scores s it is 1/2 sum w (s - y)^2, whose derivatives by the prediction of a row
 * are w (s - y) and w. Source: Zheng et al., "Ansor", OSDI 2020, section 5.2; TVM v0.8,
 * pack_sum_square_error. */

/* First and second derivatives of that squared loss by the prediction of each row, given the scores
 * of the candidates. Hook of tests. */
void opevo_i_tvm_squared_gradients(const opevo_i_model_samples *samples, const float *scores,
                                   float *first, float *second);

/* Forget the trees and grow new ones. The trees that were grown after the best score stay: so does
 * AutoTVM, whose stopping rule this is.
 *
 * Errors: NOMEM; LIMIT with the library's own sentence for whatever else it reports. The model is
 * then untrained. Cost: docs/tuners/model-based.md. */
opevo_status opevo_i_tvm_cost_model_train(opevo_i_tvm_cost_model *model,
                                          const opevo_i_model_samples *samples, opevo_error *err);
bool opevo_i_tvm_cost_model_is_trained(const opevo_i_tvm_cost_model *model);
/* Rounds of the last training, and the best score met. Hook of tests. */
unsigned opevo_i_tvm_cost_model_rounds(const opevo_i_tvm_cost_model *model);
double opevo_i_tvm_cost_model_score(const opevo_i_tvm_cost_model *model);

/* Predictions for `count` rows into `out`: base score plus trees, without the margins of the
 * training. The model must be trained. Errors: as above. */
opevo_status opevo_i_tvm_cost_model_predict(opevo_i_tvm_cost_model *model, const float *features,
                                            size_t count, float *out, opevo_error *err);
/* The scores of `count` candidates with rows[i] rows each (NULL: one),
 * in the order of `features`. */
opevo_status opevo_i_tvm_cost_model_predict_sums(opevo_i_tvm_cost_model *model,
                                                 const float *features, const size_t *rows,
                                                 size_t count, float *out, opevo_error *err);

/* XGBoost, and whether it grows the trees of 1.7 and 3.0, bit for bit, from a small table. Cost:
 * about 2 ms. */
void opevo_i_tvm_cost_model_library(opevo_tuner_library *out);

/* Average recall at `size` of an order of `count` rows by falling prediction:
 *
 *     1 / size  sum_{i < size} #{j < i : rank_j <= i} / (i + 1),
 *
 * where rank_j is the rank by falling label, from 0, of the row that the prediction puts at j; rows
 * of equal label are ranked in the order predicted, and of equal predictions the later row stands
 * first. For a perfect order it is 1 - H_size / size, H the harmonic numbers: 0.92588 at 64. Sums
 * stop at `count`. `above[row]` is the number of rows with a larger label
 * (opevo_i_tvm_rank_labels); `scratch` has room for 2 * size + 1 numbers. Cost: O(count + size^2
 * log(count / size)).
 *
 * Source: TVM v0.6, python/tvm/autotvm/tuner/metric.py and xgboost_cost_model.py. Hook of tests. */
double opevo_i_tvm_average_recall(const float *predictions, const size_t *above, size_t count,
                                  size_t size, size_t *scratch);
/* above[row] = #{other rows with a larger label}; `order` is scratch for `count` numbers.
 * Hook of tests. */
void opevo_i_tvm_rank_labels(const float *labels, size_t count, size_t *order, size_t *above);

#endif
