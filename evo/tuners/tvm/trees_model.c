/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Boosted trees as a cost model of the table. */

#include "trees_model_internal.h"

#include <opevo/memory.h>

#include "cost_model_internal.h"

typedef struct model {
    opevo_i_model super;
    opevo_i_tvm_cost_model *trees;
} model;

static opevo_i_model *create(const opevo_i_model_plan *plan)
{
    model *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->super.ops = &opevo_i_trees_ops;
    self->trees = opevo_i_tvm_cost_model_create(plan->width, plan->boosting);
    if (self->trees)
        return &self->super;
    opevo_free(self);
    return NULL;
}

static void destroy(opevo_i_model *super)
{
    opevo_i_tvm_cost_model_destroy(((model *)super)->trees);
    opevo_free(super);
}

static opevo_status train(opevo_i_model *super, const opevo_i_model_samples *samples,
                          opevo_error *err)
{
    return opevo_i_tvm_cost_model_train(((model *)super)->trees, samples, err);
}

static bool is_trained(const opevo_i_model *super)
{
    return opevo_i_tvm_cost_model_is_trained(((const model *)super)->trees);
}

static opevo_status predict(opevo_i_model *super, const float *features, const size_t *rows,
                            size_t count, float *out, opevo_error *err)
{
    return opevo_i_tvm_cost_model_predict_sums(((model *)super)->trees, features, rows, count, out,
                                               err);
}

const opevo_i_model_ops opevo_i_trees_ops = {.name = "trees",
                                             .create = create,
                                             .destroy = destroy,
                                             .train = train,
                                             .is_trained = is_trained,
                                             .predict = predict};
