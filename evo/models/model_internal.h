/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The contract of a learned cost model: trained on samples, it predicts scores, the larger the
 * better. A model is one row of a table of functions; tuners that learn know no other of it.
 * A candidate is one or more rows of features; what they mean is agreed between their source and
 * the model. */

#ifndef OPEVO_MODEL_INTERNAL_H
#define OPEVO_MODEL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <opevo/cost_model.h>
#include <opevo/random.h>
#include <opevo/status.h>

/* What to train on: `count` candidates, each with one or more rows of finite features, and for each
 * candidate what follows. */
typedef struct opevo_i_model_samples {
    size_t count;
    const float *features;
    const size_t *rows; /* how many rows each has; NULL: one */
    const float *labels;
    const float *weights; /* at least 0; NULL: 1 */
    const float *margins; /* prediction to start from; NULL: the base score */
} opevo_i_model_samples;

/* Rows of `count` candidates that have rows[i] each; NULL: one. */
size_t opevo_i_model_row_count(const size_t *rows, size_t count);

typedef enum opevo_i_model_loss {
    OPEVO_I_LOSS_RANK,   /* of pairs: log(1 + exp(s_b - s_a)) where a should stand above b */
    OPEVO_I_LOSS_SQUARED /* w (s - y)^2 / 2 */
} opevo_i_model_loss;

/* The prediction of a model that has learned nothing. */
#define OPEVO_I_BASE_SCORE 0.5f

/* Samples of a step, of models that are trained so. */
enum { OPEVO_I_MODEL_BATCH = 50 };

struct opevo_i_tvm_boosting;

/* What a model is made for. */
typedef struct opevo_i_model_plan {
    size_t width; /* features in a row */
    opevo_i_model_loss loss;
    const opevo_rng *rng; /* from which the first weights are drawn; copied */
    size_t updates;       /* of the weights in a training, of models that are trained so */
    size_t hidden;        /* numbers of a state, of networks; 0: as many as they have by default */
    const struct opevo_i_tvm_boosting *boosting; /* of models of trees */
} opevo_i_model_plan;

typedef struct opevo_i_model opevo_i_model;

typedef struct opevo_i_model_ops {
    const char *name; /* as the setting `model` has it */
    bool reads_trees; /* its rows are those of a loop tree (opevo/loop_tree.h) */
    /* NULL without memory. */
    opevo_i_model *(*create)(const opevo_i_model_plan *plan);
    void (*destroy)(opevo_i_model *self);
    /* Learn from all samples; what was learned before is forgotten or goes on. Errors: NOMEM; LIMIT
     * with the sentence of a library. The model is then untrained. */
    opevo_status (*train)(opevo_i_model *self, const opevo_i_model_samples *samples,
                          opevo_error *err);
    bool (*is_trained)(const opevo_i_model *self);
    /* Scores of `count` candidates with rows[i] rows each (NULL: one), without the margins of the
     * training. The model must be trained. Errors: as above. */
    opevo_status (*predict)(opevo_i_model *self, const float *features, const size_t *rows,
                            size_t count, float *out, opevo_error *err);
    /* A copy of what was learned, and the same taken over, after which the model is trained; NULL:
     * such models are not stored. What the copy was trained on is up to the caller. Errors: NOMEM;
     * INVALID for weights of another kind or number than the model has. */
    opevo_status (*give)(opevo_i_model *self, opevo_cost_model **out, opevo_error *err);
    opevo_status (*take)(opevo_i_model *self, const opevo_cost_model *stored, opevo_error *err);
} opevo_i_model_ops;

/* First member, `super`, of every implementation. */
struct opevo_i_model {
    const opevo_i_model_ops *ops;
};

#endif
