/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The two TreeGRUs as cost models. */

#include "tree_gru_model_internal.h"

#include "tree_gru_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

#define RATE 1e-3

typedef struct model {
    opevo_i_model super;
    opevo_i_tree_gru *network;
    opevo_i_model_loss loss;
    size_t hidden, slots;
    bool trained;
} model;

static opevo_i_model *create(const opevo_i_model_ops *ops, const opevo_i_model_plan *plan,
                             size_t slots)
{
    size_t hidden = plan->hidden ? plan->hidden : OPEVO_I_TREE_GRU_HIDDEN;
    const opevo_i_tree_gru_shape shape = {.hidden = hidden,
                                          .slots = slots,
                                          .batch = OPEVO_I_MODEL_BATCH,
                                          .updates = plan->updates,
                                          .rate = RATE};
    model *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->super.ops = ops;
    self->loss = plan->loss;
    self->hidden = hidden;
    self->slots = slots;
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

static const char *loss_name(opevo_i_model_loss loss)
{
    return loss == OPEVO_I_LOSS_RANK ? "rank" : "reg";
}

static opevo_status give(opevo_i_model *super, opevo_cost_model **out, opevo_error *err)
{
    model *self = (model *)super;
    size_t count = opevo_i_tree_gru_weight_count(self->network);
    const opevo_i_real *weights = opevo_i_tree_gru_weights(self->network);
    opevo_cost_model *stored = opevo_calloc(1, sizeof *stored);

    if (stored)
        stored->weights = opevo_malloc(count, sizeof *stored->weights);
    if (!stored || !stored->weights) {
        opevo_cost_model_destroy(stored);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a copy of a cost model.");
    }
    snprintf(stored->kind, sizeof stored->kind, "%s", super->ops->name);
    snprintf(stored->loss, sizeof stored->loss, "%s", loss_name(self->loss));
    stored->hidden = self->hidden;
    stored->slots = self->slots;
    stored->weight_count = count;
    for (size_t i = 0; i < count; i++)
        stored->weights[i] = (float)weights[i];
    *out = stored;
    return OPEVO_OK;
}

static opevo_status take(opevo_i_model *super, const opevo_cost_model *stored, opevo_error *err)
{
    model *self = (model *)super;
    size_t count = opevo_i_tree_gru_weight_count(self->network);
    opevo_i_real *weights = opevo_i_tree_gru_weights(self->network);

    if (strcmp(stored->kind, super->ops->name) != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The stored model is of the kind %s: use model=%s, or learn one of the "
                          "kind %s with opevo learn.",
                          stored->kind, stored->kind, super->ops->name);
    if (strcmp(stored->loss, loss_name(self->loss)) != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The stored model was learned with loss=%s, and the tuner learns with "
                          "loss=%s: learn one with that loss with opevo learn.",
                          stored->loss, loss_name(self->loss));
    if (stored->hidden != self->hidden || stored->slots != self->slots ||
        stored->weight_count != count)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The stored model has %zu weights, of %zu numbers a state and %zu slots, "
                          "and a model %s has %zu: learn it again with opevo learn.",
                          stored->weight_count, stored->hidden, stored->slots, super->ops->name,
                          count);
    for (size_t i = 0; i < count; i++)
        weights[i] = (opevo_i_real)stored->weights[i];
    self->trained = true;
    return OPEVO_OK;
}

#define OPS(called, made)                                                                          \
    {                                                                                              \
        .name = called, .reads_trees = true, .create = (made), .destroy = destroy, .train = train, \
        .is_trained = is_trained, .predict = predict, .give = give, .take = take                   \
    }

const opevo_i_model_ops opevo_i_tree_gru_ops = OPS("treegru", create_by_names);
const opevo_i_model_ops opevo_i_tree_gru_context_ops = OPS("treegru-context", create_by_context);
