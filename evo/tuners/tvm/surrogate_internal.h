/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A cost model of the points of a space, learned from the trials of a run: features of a point,
 * the observations, boosted trees, and what earlier runs taught. Labels are fitness over the best
 * fitness seen, so that a failure has label 0. */

#ifndef OPEVO_SURROGATE_INTERNAL_H
#define OPEVO_SURROGATE_INTERNAL_H

#include <opevo/random.h>
#include <opevo/tuner.h>

#include "cost_model_internal.h"
#include "models_internal.h"

typedef struct opevo_i_tvm_surrogate opevo_i_tvm_surrogate;

/* What the score of a point is. Other than MEAN, from five models, each trained on a bootstrap
 * sample of the observations, with m and s the mean and the standard deviation of their
 * predictions; 1 is the label of the best observation:
 *
 *   EI   (m - 1) Phi(z) + s phi(z),  z = (m - 1) / s
 *   UCB  m + s
 *
 * Source: Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, section 3.3 and
 *         figure 7, which leaves the weight of s open. */
typedef enum opevo_i_tvm_acquisition {
    OPEVO_I_ACQUISITION_MEAN,
    OPEVO_I_ACQUISITION_EI,
    OPEVO_I_ACQUISITION_UCB
} opevo_i_tvm_acquisition;
/* Hook of tests. */
double opevo_i_tvm_acquisition_value(opevo_i_tvm_acquisition acquisition, double mean,
                                     double deviation);

/* What a surrogate is made of; everything outlives it. */
typedef struct opevo_i_tvm_surrogate_plan {
    opevo_i_tvm_model_choice choice;
    const opevo_feature_source *features, *trees; /* of the objective; NULL: none */
    opevo_i_model_plan how;                       /* but for its width, which is that of the rows */
    size_t batch_most;                            /* points that are predicted in one call */
    opevo_i_tvm_acquisition acquisition;
} opevo_i_tvm_surrogate_plan;

/* Errors: those of opevo_i_tvm_model_check; NOMEM. */
opevo_status opevo_i_tvm_surrogate_create(const opevo_space *space,
                                          const opevo_i_tvm_surrogate_plan *plan,
                                          opevo_i_tvm_surrogate **out, opevo_error *err);
void opevo_i_tvm_surrogate_destroy(opevo_i_tvm_surrogate *surrogate);

/* Remember an observation; a fitness that is not positive and finite counts as 0. Errors: NOMEM. */
opevo_status opevo_i_tvm_surrogate_observe(opevo_i_tvm_surrogate *surrogate, opevo_index point,
                                           double fitness, opevo_error *err);
/* Remember a trial of another run with its label, fitness over the best of that run; before the
 * first observation. Errors: NOMEM. */
opevo_status opevo_i_tvm_surrogate_teach(opevo_i_tvm_surrogate *surrogate, opevo_index point,
                                         double label, opevo_error *err);
/* Whether there is a success to learn from. */
bool opevo_i_tvm_surrogate_can_fit(const opevo_i_tvm_surrogate *surrogate);
size_t opevo_i_tvm_surrogate_count(const opevo_i_tvm_surrogate *surrogate);
double
opevo_i_tvm_surrogate_best(const opevo_i_tvm_surrogate *surrogate); /* largest fitness, or 0 */

/* Where the rows of a learned run's margins stand when rows are permuted before training. */
typedef enum opevo_i_tvm_margin_rule {
    OPEVO_I_MARGIN_INTENDED, /* each with its row */
    OPEVO_I_MARGIN_SHIPPED /* in the order observed, while the rows are permuted: as AutoTVM v0.6 */
} opevo_i_tvm_margin_rule;

typedef struct opevo_i_tvm_fit {
    opevo_rng *permutation; /* draws the order of the rows; NULL: as observed */
    bool weighted;          /* a row weighs as much as its label */
    opevo_i_tvm_margin_rule margin;
    double half_life; /* observations that halve the weight of what earlier runs taught */
} opevo_i_tvm_fit;

/* Train on all observations; opevo_i_tvm_surrogate_can_fit must hold. Errors: as
 * opevo_i_tvm_cost_model_train. */
opevo_status opevo_i_tvm_surrogate_fit(opevo_i_tvm_surrogate *surrogate, const opevo_i_tvm_fit *fit,
                                       opevo_error *err);

/* Train a model of its own, `how` but for its width, on the trials of earlier runs. Until the first
 * fit it alone predicts; a fit with n observations starts from its predictions times
 * 2^(-n / half_life), and forgets it once that is below 0.05. Source: TVM v0.6,
 * XGBoostCostModel.fit and fit_log. */
opevo_status opevo_i_tvm_surrogate_learn(opevo_i_tvm_surrogate *surrogate,
                                         const opevo_i_model_plan *how, const opevo_i_tvm_fit *fit,
                                         const opevo_trial *trials, size_t count, opevo_error *err);

/* The same from loop trees of runs on other spaces. Errors: as
 * opevo_i_tvm_model_check_transfer, too. */
opevo_status opevo_i_tvm_surrogate_learn_trees(opevo_i_tvm_surrogate *surrogate,
                                               const opevo_i_model_plan *how,
                                               const opevo_i_tvm_fit *fit,
                                               const opevo_earlier_tree *trees, size_t count,
                                               opevo_error *err);
/* Take over what was learned and stored, in the place of that model. Errors: INVALID for another
 * kind of model; NOMEM. */
opevo_status opevo_i_tvm_surrogate_take(opevo_i_tvm_surrogate *surrogate,
                                        const opevo_i_model_plan *how,
                                        const opevo_cost_model *stored, opevo_error *err);
/* As opevo_i_tvm_surrogate_teach, all of them. */
opevo_status opevo_i_tvm_surrogate_teach_trees(opevo_i_tvm_surrogate *surrogate,
                                               const opevo_earlier_tree *trees, size_t count,
                                               opevo_error *err);

/* Whether it can predict. */
bool opevo_i_tvm_surrogate_is_ready(const opevo_i_tvm_surrogate *surrogate);
/* Whether it knows points by their numbers, not by their vertices alone. */
bool opevo_i_tvm_surrogate_needs_numbers(const opevo_i_tvm_surrogate *surrogate);
/* Score points that the source of features has no rows for -INFINITY, not as a row of zeros. */
void opevo_i_tvm_surrogate_refuse_missing(opevo_i_tvm_surrogate *surrogate);
/* Whether the source of features has rows for a point; true without a source. Errors: NOMEM. */
opevo_status opevo_i_tvm_surrogate_knows(opevo_i_tvm_surrogate *surrogate, opevo_index point,
                                         const opevo_index *vertices, bool *out, opevo_error *err);
/* Predicted scores of `count` points, `vertices` one row for each; the larger the better. Errors:
 * as opevo_i_tvm_cost_model_predict. */
opevo_status opevo_i_tvm_surrogate_predict(opevo_i_tvm_surrogate *surrogate,
                                           const opevo_index *points, const opevo_index *vertices,
                                           size_t count, float *scores, opevo_error *err);

#endif
