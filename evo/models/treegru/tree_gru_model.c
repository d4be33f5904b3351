/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The two TreeGRUs as cost models. */

#include "tree_gru_model_internal.h"

#include "tree_gru_internal.h"

#include <opevo/memory.h>

#define RATE 1e-3

typedef struct model {
    opevo_i_model super;
    opevo_i_tree_gru *network;
    bool trained;
} model;

static opevo_i_model *create(const opevo_i_model_ops *ops, const opevo_i_model_plan *plan,
                             size_t slots)
{
    const opevo_i_tree_gru_shape shape = {.hidden = OPEVO_I_TREE_GRU_HIDDEN,
                                          .slots = slots,
                                          .batch = OPEVO_I_MODEL_BATCH,
                                          .updates = plan->updates,
                                          .rate = RATE};
    model *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->super.ops = ops;
    if (opevo_i_tree_gru_create(&shape, plan->loss, plan->rng, &self->network, NULL) == OPEVO_OK)
        return &self->super;
    opevo_free(self);
    return NULL;
}

static opevo_i_model *create_by_names(const opevo_i_model_plan *plan)
{
    return create(&opevo_i_tree_gru_ops, plan, 0);
}

static opevo_i_model *create_by_context(const opevo_i_model_plan *plan)
{
    return create(&opevo_i_tree_gru_context_ops, plan, OPEVO_I_TREE_GRU_SLOTS);
}

static void destroy(opevo_i_model *super)
{
    model *self = (model *)super;

    opevo_i_tree_gru_destroy(self->network);
    opevo_free(self);
}

static opevo_status train(opevo_i_model *super, const opevo_i_model_samples *samples,
                          opevo_error *err)
{
    model *self = (model *)super;
    opevo_status status = opevo_i_tree_gru_train(self->network, samples, err);

    self->trained = status == OPEVO_OK;
    return status;
}

static bool is_trained(const opevo_i_model *super)
{
    return ((const model *)super)->trained;
}

static opevo_status predict(opevo_i_model *super, const float *features, const size_t *rows,
                            size_t count, float *out, opevo_error *err)
{
    return opevo_i_tree_gru_predict(((model *)super)->network, features, rows, count, out, err);
}

#define OPS(called, made)                                                                          \
    {                                                                                              \
        .name = called, .reads_trees = true, .create = made, .destroy = destroy, .train = train,   \
        .is_trained = is_trained, .predict = predict                                               \
    }

const opevo_i_model_ops opevo_i_tree_gru_ops = OPS("treegru", create_by_names);
const opevo_i_model_ops opevo_i_tree_gru_context_ops = OPS("treegru-context", create_by_context);
