/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A cost model of trees alone: samples of all runs, one training, and what was learned. */

#include <opevo/learn.h>

#include <opevo/memory.h>

#include <string.h>

#include "models_internal.h"

/* Samples that own their arrays. */
typedef struct lesson {
    opevo_i_model_samples samples;
    float *features, *labels;
    size_t *rows;
} lesson;

static void release(lesson *self)
{
    opevo_free(self->features);
    opevo_free(self->labels);
    opevo_free(self->rows);
}

static bool allocate(lesson *self, const opevo_earlier_tree *trees, size_t count)
{
    size_t rows = 0;

    for (size_t i = 0; i < count; i++)
        rows += trees[i].row_count;
    self->features = opevo_malloc(rows, OPEVO_LOOP_COLUMNS * sizeof *self->features);
    self->labels = opevo_malloc(count, sizeof *self->labels);
    self->rows = opevo_malloc(count, sizeof *self->rows);
    return self->features && self->labels && self->rows;
}

static void add(lesson *self, const opevo_earlier_tree *tree, double label, float **at)
{
    size_t numbers = tree->row_count * OPEVO_LOOP_COLUMNS;

    memcpy(*at, tree->rows, numbers * sizeof **at);
    *at += numbers;
    self->labels[self->samples.count] = (float)label;
    self->rows[self->samples.count++] = tree->row_count;
}

static opevo_status prepare(lesson *self, const opevo_earlier_tree *trees, size_t count,
                            opevo_error *err)
{
    float *at = NULL;

    OPEVO_NEED_OR_RETURN(allocate(self, trees, count), "learning from %zu loop trees", count);
    at = self->features;
    for (size_t first = 0, end = 0; first < count; first = end) {
        double best = 0;

        for (end = first; end < count && trees[end].run == trees[first].run; end++)
            best = trees[end].fitness > best ? trees[end].fitness : best;
        for (size_t i = first; i < end && best > 0; i++)
            add(self, &trees[i], trees[i].fitness > 0 ? trees[i].fitness / best : 0, &at);
    }
    self->samples.features = self->features;
    self->samples.labels = self->labels;
    self->samples.rows = self->rows;
    if (self->samples.count > 0)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID, "No trial has succeeded, so there is no order to learn.");
}

opevo_status opevo_cost_model_learn(const opevo_learn_plan *plan, const opevo_earlier_tree *trees,
                                    size_t count, opevo_cost_model **out, opevo_error *err)
{
    opevo_i_tvm_model_choice choice = {.model = 0};
    const opevo_i_model_ops *ops = NULL;
    bool ranks = !strcmp(plan->loss, "rank");
    opevo_i_model_plan how = {.width = OPEVO_LOOP_COLUMNS,
                              .loss = ranks ? OPEVO_I_LOSS_RANK : OPEVO_I_LOSS_SQUARED,
                              .hidden = plan->hidden};
    opevo_status status = OPEVO_OK;
    opevo_cost_model *learned = NULL;
    opevo_i_model *model = NULL;
    lesson all = {.features = NULL};
    opevo_rng rng;

    status = opevo_i_tvm_model_find(plan->kind, &choice.model, err);
    if (status != OPEVO_OK)
        return status;
    ops = opevo_i_tvm_model_of(&choice);
    if (!ranks && strcmp(plan->loss, "reg") != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The loss %s is neither rank nor reg.", plan->loss);
    OPEVO_TRY(prepare(&all, trees, count, err));
    opevo_rng_init(&rng, plan->seed, "model", 0);
    how.rng = &rng;
    how.updates =
        (plan->passes * all.samples.count + OPEVO_I_MODEL_BATCH - 1) / OPEVO_I_MODEL_BATCH;
    model = ops->create(&how);
    OPEVO_NEED(model, "a cost model");
    OPEVO_TRY(ops->train(model, &all.samples, err));
    OPEVO_TRY(ops->give(model, &learned, err));
    learned->trees = all.samples.count;
    *out = learned;
cleanup:
    if (model)
        ops->destroy(model);
    release(&all);
    return status;
}
