/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of observations are kept as they were computed; training copies them into the order in which
 * the library shall see them. */

#include "surrogate_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

#include "features_internal.h"
#include "surrogate_ensemble_internal.h"

#define FORGOTTEN_BELOW 0.05 /* weight of earlier runs */

/* Observations with their rows and fitness, in the order observed. */
typedef struct table {
    size_t count;
    size_t row_count;
    size_t row_capacity;
    size_t rows_of_capacity;
    size_t fitness_capacity;
    float *rows;     /* one after the other */
    size_t *rows_of; /* how many each observation has */
    double *fitness;
    double best;
    size_t taught; /* the first ones, of other runs, whose fitness is the label */
} table;

struct opevo_i_tvm_surrogate {
    size_t width; /* parameters of the space */
    const opevo_space *space;
    opevo_i_tvm_features *features;
    size_t row_width;
    size_t rows_most; /* of a point */
    table seen;
    const opevo_i_model_ops *ops;
    opevo_i_tree_view *view; /* that the rows come from; NULL: they do not */
    bool failed;             /* no memory for it */
    opevo_i_tvm_ensemble models;
    opevo_i_model *earlier; /* of earlier runs; NULL: none */
    double earlier_weight;  /* in the predictions */
    bool refuses_missing;   /* -INFINITY for points without features */

    opevo_index *vertices; /* of one point */
    float *batch;          /* rows of points to predict */
    size_t *batch_rows;    /* how many each has */
    bool *batch_missing;   /* whether the source had nothing to say of it */
    float *margins;        /* their predictions by `earlier` */
};

static void destroy_table(table *self)
{
    opevo_free(self->rows);
    opevo_free(self->rows_of);
    opevo_free(self->fitness);
}

/* Where the rows of the chosen model come from; NULL: the values of the parameters. */
static const opevo_feature_source *choose_source(opevo_i_tvm_surrogate *self,
                                                 const opevo_i_tvm_surrogate_plan *plan)
{
    unsigned features = plan->choice.features;

    if (self->ops->reads_trees)
        return plan->trees;
    if (features < OPEVO_I_FEATURES_VIEWS)
        return features == OPEVO_I_FEATURES_AUTO ? plan->features : NULL;
    self->view = opevo_i_tree_view_create(
        (opevo_i_tree_view_kind)(features - OPEVO_I_FEATURES_VIEWS), plan->trees);
    self->failed = !self->view;
    return self->view ? opevo_i_tree_view_source(self->view) : NULL;
}

static bool allocate(opevo_i_tvm_surrogate *self, const opevo_i_tvm_surrogate_plan *plan)
{
    opevo_i_model_plan how = plan->how;
    size_t batch_most = plan->batch_most;

    self->features = opevo_i_tvm_features_create(self->space, choose_source(self, plan));
    if (!self->features || self->failed)
        return false;
    self->row_width = how.width = opevo_i_tvm_features_width(self->features);
    self->rows_most = opevo_i_tvm_features_rows_most(self->features);
    self->vertices = opevo_malloc(self->width, sizeof *self->vertices);
    self->batch = opevo_malloc(batch_most, self->rows_most * self->row_width * sizeof *self->batch);
    self->batch_rows = opevo_malloc(batch_most, sizeof *self->batch_rows);
    self->batch_missing = opevo_malloc(batch_most, sizeof *self->batch_missing);
    self->margins = opevo_malloc(batch_most, sizeof *self->margins);
    return opevo_i_tvm_ensemble_create(&self->models, self->ops, &how, plan->acquisition,
                                       batch_most) &&
           self->vertices && self->batch && self->batch_rows && self->batch_missing &&
           self->margins;
}

opevo_status opevo_i_tvm_surrogate_create(const opevo_space *space,
                                          const opevo_i_tvm_surrogate_plan *plan,
                                          opevo_i_tvm_surrogate **out, opevo_error *err)
{
    opevo_status status = opevo_i_tvm_model_check(&plan->choice, plan->trees, err);
    opevo_i_tvm_surrogate *self = NULL;

    if (status != OPEVO_OK)
        return status;
    OPEVO_NEW_OR_RETURN(self, 1, "a cost model");
    self->space = space;
    self->width = opevo_space_parameter_count(space);
    self->ops = opevo_i_tvm_model_of(&plan->choice);
    self->refuses_missing =
        self->ops->reads_trees || plan->choice.features >= OPEVO_I_FEATURES_VIEWS;
    if (!allocate(self, plan)) {
        opevo_i_tvm_surrogate_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a cost model.");
    }
    *out = self;
    return OPEVO_OK;
}

static void destroy_model(opevo_i_model *model)
{
    if (model)
        model->ops->destroy(model);
}

void opevo_i_tvm_surrogate_destroy(opevo_i_tvm_surrogate *surrogate)
{
    if (!surrogate)
        return;
    opevo_i_tvm_features_destroy(surrogate->features);
    opevo_i_tree_view_destroy(surrogate->view);
    opevo_i_tvm_ensemble_release(&surrogate->models);
    destroy_model(surrogate->earlier);
    destroy_table(&surrogate->seen);
    opevo_free(surrogate->vertices);
    opevo_free(surrogate->batch);
    opevo_free(surrogate->batch_rows);
    opevo_free(surrogate->batch_missing);
    opevo_free(surrogate->margins);
    opevo_free(surrogate);
}

static opevo_status reserve(const opevo_i_tvm_surrogate *self, table *seen, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&seen->rows, &seen->row_capacity,
                                       seen->row_count + self->rows_most,
                                       self->row_width * sizeof *seen->rows) &&
                             opevo_reserve((void **)&seen->rows_of, &seen->rows_of_capacity,
                                           seen->count + 1, sizeof *seen->rows_of) &&
                             opevo_reserve((void **)&seen->fitness, &seen->fitness_capacity,
                                           seen->count + 1, sizeof *seen->fitness),
                         "learning from another trial");
    return OPEVO_OK;
}

/* One observation more, whose rows are there. */
static void append(table *seen, double fitness)
{
    seen->row_count += seen->rows_of[seen->count];
    fitness = fitness > 0 && isfinite(fitness) ? fitness : 0;
    seen->fitness[seen->count++] = fitness;
    seen->best = fitness > seen->best ? fitness : seen->best;
}

static opevo_status observe(opevo_i_tvm_surrogate *self, table *seen, opevo_index point,
                            double fitness, opevo_error *err)
{
    opevo_status status = reserve(self, seen, err);

    if (status != OPEVO_OK)
        return status;
    opevo_space_decode(self->space, point, self->vertices);
    status = opevo_i_tvm_features_rows(self->features, point, self->vertices,
                                       seen->rows + seen->row_count * self->row_width,
                                       &seen->rows_of[seen->count], err);
    if (status == OPEVO_OK)
        append(seen, fitness);
    return status;
}

static opevo_status observe_tree(opevo_i_tvm_surrogate *self, table *seen,
                                 const opevo_earlier_tree *tree, double fitness, opevo_error *err)
{
    opevo_status status = reserve(self, seen, err);
    float *rows = NULL;

    if (status != OPEVO_OK)
        return status;
    rows = seen->rows + seen->row_count * self->row_width;
    seen->rows_of[seen->count] = 1;
    if (self->view) {
        opevo_i_tree_view_row(self->view, tree->rows, tree->row_count, rows);
    } else if (tree->row_count <= self->rows_most) {
        memcpy(rows, tree->rows, tree->row_count * self->row_width * sizeof *rows);
        seen->rows_of[seen->count] = tree->row_count;
    } else {
        return OPEVO_FAIL(err, OPEVO_INVALID, "An earlier loop tree has more than %zu loops.",
                          self->rows_most);
    }
    append(seen, fitness);
    return OPEVO_OK;
}

/* All of them, with fitness over the best of their run. */
static opevo_status observe_trees(opevo_i_tvm_surrogate *self, table *seen,
                                  const opevo_earlier_tree *trees, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t first = 0, end = 0; first < count; first = end) {
        double best = 0;

        for (end = first; end < count && trees[end].run == trees[first].run; end++)
            best = trees[end].fitness > best ? trees[end].fitness : best;
        for (size_t i = first; i < end && best > 0; i++)
            OPEVO_TRY(observe_tree(self, seen, &trees[i], trees[i].fitness / best, err));
    }
cleanup:
    return status;
}

opevo_status opevo_i_tvm_surrogate_observe(opevo_i_tvm_surrogate *surrogate, opevo_index point,
                                           double fitness, opevo_error *err)
{
    return observe(surrogate, &surrogate->seen, point, fitness, err);
}

opevo_status opevo_i_tvm_surrogate_teach(opevo_i_tvm_surrogate *surrogate, opevo_index point,
                                         double label, opevo_error *err)
{
    double best = surrogate->seen.best;
    opevo_status status = observe(surrogate, &surrogate->seen, point, label, err);

    surrogate->seen.best = best;
    surrogate->seen.taught = surrogate->seen.count;
    return status;
}

opevo_status opevo_i_tvm_surrogate_teach_trees(opevo_i_tvm_surrogate *surrogate,
                                               const opevo_earlier_tree *trees, size_t count,
                                               opevo_error *err)
{
    double best = surrogate->seen.best;
    opevo_status status = observe_trees(surrogate, &surrogate->seen, trees, count, err);

    surrogate->seen.best = best;
    surrogate->seen.taught = surrogate->seen.count;
    return status;
}

bool opevo_i_tvm_surrogate_can_fit(const opevo_i_tvm_surrogate *surrogate)
{
    return surrogate->seen.best > 0 || surrogate->seen.taught > 0;
}

size_t opevo_i_tvm_surrogate_count(const opevo_i_tvm_surrogate *surrogate)
{
    return surrogate->seen.count;
}

double opevo_i_tvm_surrogate_best(const opevo_i_tvm_surrogate *surrogate)
{
    return surrogate->seen.best;
}

/* ---- Training ---- */

/* How many rows each point has, or NULL where each has one. */
static const size_t *several(const opevo_i_tvm_surrogate *self, const size_t *rows_of)
{
    return self->rows_most > 1 || self->ops->reads_trees ? rows_of : NULL;
}

/* Scores of `count` points by the model of earlier runs, times its weight. */
static opevo_status predict_margins(opevo_i_tvm_surrogate *self, const float *rows,
                                    const size_t *rows_of, size_t count, float *margins,
                                    opevo_error *err)
{
    opevo_status status =
        self->ops->predict(self->earlier, rows, several(self, rows_of), count, margins, err);

    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        margins[i] *= (float)self->earlier_weight;
    return status;
}

/* Fitness over the best of its run. */
static double label_of(const table *seen, size_t i)
{
    return i < seen->taught || !(seen->best > 0) ? seen->fitness[i] : seen->fitness[i] / seen->best;
}

/* An order of the observations, or, drawn with replacement, a bootstrap sample of them. */
static void draw_order(opevo_rng *rng, opevo_rng *bootstrap, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = bootstrap ? opevo_rng_below(bootstrap, count) : i;
    if (rng)
        opevo_rng_shuffle(rng, order, count, sizeof *order);
}

/* The observations of `seen`, in a drawn order, as rows to train on, with labels as fitness. */
static opevo_status permute(const opevo_i_tvm_surrogate *self, const table *seen, opevo_rng *rng,
                            opevo_rng *bootstrap, table *out, opevo_error *err)
{
    size_t row_count = 0;
    size_t count = seen->count;
    size_t *order = opevo_malloc(count, sizeof *order);
    size_t *first = opevo_malloc(count, sizeof *first);
    opevo_status status = OPEVO_OK;

    if (order)
        draw_order(rng, bootstrap, order, count);
    for (size_t i = 0; i < count && order; i++)
        row_count += seen->rows_of[order[i]];
    out->rows = opevo_malloc(row_count, self->row_width * sizeof *out->rows);
    out->rows_of = opevo_malloc(count, sizeof *out->rows_of);
    out->fitness = opevo_malloc(count, sizeof *out->fitness);
    OPEVO_NEED(order && first && out->rows && out->rows_of && out->fitness,
               "training on %zu trials", count);
    for (size_t i = 0, row = 0; i < count; row += seen->rows_of[i++])
        first[i] = row;
    for (size_t i = 0; i < count; i++) {
        size_t from = order[i];

        memcpy(out->rows + out->row_count * self->row_width,
               seen->rows + first[from] * self->row_width,
               seen->rows_of[from] * self->row_width * sizeof *out->rows);
        out->rows_of[i] = seen->rows_of[from];
        out->row_count += seen->rows_of[from];
        out->fitness[i] = label_of(seen, from);
    }
cleanup:
    opevo_free(order);
    opevo_free(first);
    return status;
}

/* Train on the observations of `seen` in a drawn order, or on a bootstrap sample. */
static opevo_status train(opevo_i_tvm_surrogate *self, opevo_i_model *model, const table *seen,
                          const opevo_i_tvm_fit *fit, opevo_rng *bootstrap, bool with_margins,
                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = seen->count;
    float *labels = opevo_malloc(count, sizeof *labels);
    float *margins = opevo_malloc(count, sizeof *margins);
    opevo_i_model_samples samples = {.count = count, .labels = labels};
    table drawn = {0};

    OPEVO_NEED(labels && margins, "training on %zu trials", count);
    OPEVO_TRY(permute(self, seen, fit->permutation, bootstrap, &drawn, err));
    for (size_t i = 0; i < count; i++)
        labels[i] = (float)drawn.fitness[i];
    samples.features = drawn.rows;
    samples.rows = several(self, drawn.rows_of);
    samples.weights = fit->weighted ? labels : NULL;
    samples.margins = with_margins ? margins : NULL;
    if (with_margins) {
        const table *order = fit->margin == OPEVO_I_MARGIN_SHIPPED ? seen : &drawn;

        OPEVO_TRY(predict_margins(self, order->rows, order->rows_of, count, margins, err));
    }
    OPEVO_TRY(self->ops->train(model, &samples, err));
cleanup:
    destroy_table(&drawn);
    opevo_free(labels);
    opevo_free(margins);
    return status;
}

opevo_status opevo_i_tvm_surrogate_fit(opevo_i_tvm_surrogate *surrogate, const opevo_i_tvm_fit *fit,
                                       opevo_error *err)
{
    opevo_i_tvm_surrogate *self = surrogate;
    opevo_status status = OPEVO_OK;

    if (self->earlier) {
        self->earlier_weight = exp2(-(double)self->seen.count / fit->half_life);
        if (self->earlier_weight < FORGOTTEN_BELOW) {
            destroy_model(self->earlier);
            self->earlier = NULL;
        }
    }
    for (size_t i = 0; i < self->models.count; i++)
        OPEVO_TRY(train(self, self->models.models[i], &self->seen, fit,
                        self->models.count > 1 ? &self->models.bootstrap : NULL,
                        self->earlier != NULL, err));
cleanup:
    return status;
}

/* A model of its own on what was observed, if that has a success. */
static opevo_status learn(opevo_i_tvm_surrogate *self, const opevo_i_model_plan *how,
                          const opevo_i_tvm_fit *fit, const table *seen, opevo_error *err)
{
    opevo_i_model_plan own = *how;
    opevo_i_model *model = NULL;
    opevo_status status = OPEVO_OK;

    if (!(seen->best > 0))
        return OPEVO_OK; /* nothing but failures: no order to learn */
    own.width = self->row_width;
    model = self->ops->create(&own);
    OPEVO_NEED_OR_RETURN(model, "learning from earlier trials");
    OPEVO_TRY(train(self, model, seen, fit, NULL, false, err));
    destroy_model(self->earlier);
    self->earlier = model;
    self->earlier_weight = 1;
    model = NULL;
cleanup:
    destroy_model(model);
    return status;
}

opevo_status opevo_i_tvm_surrogate_learn(opevo_i_tvm_surrogate *surrogate,
                                         const opevo_i_model_plan *how, const opevo_i_tvm_fit *fit,
                                         const opevo_trial *trials, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    table seen = {0};

    for (size_t i = 0; i < count; i++)
        OPEVO_TRY(
            observe(surrogate, &seen, trials[i].proposal.point, trials[i].outcome.fitness, err));
    OPEVO_TRY(learn(surrogate, how, fit, &seen, err));
cleanup:
    destroy_table(&seen);
    return status;
}

opevo_status opevo_i_tvm_surrogate_learn_trees(opevo_i_tvm_surrogate *surrogate,
                                               const opevo_i_model_plan *how,
                                               const opevo_i_tvm_fit *fit,
                                               const opevo_earlier_tree *trees, size_t count,
                                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    table seen = {0};

    OPEVO_TRY(observe_trees(surrogate, &seen, trees, count, err));
    OPEVO_TRY(learn(surrogate, how, fit, &seen, err));
cleanup:
    destroy_table(&seen);
    return status;
}

opevo_status opevo_i_tvm_surrogate_take(opevo_i_tvm_surrogate *surrogate,
                                        const opevo_i_model_plan *how,
                                        const opevo_cost_model *stored, opevo_error *err)
{
    opevo_i_model_plan own = *how;
    opevo_i_model *model = NULL;
    opevo_status status = OPEVO_OK;

    if (!surrogate->ops->take)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The stored model is of the kind %s: use model=%s.",
                          stored->kind, stored->kind);
    own.width = surrogate->row_width;
    own.hidden = stored->hidden;
    model = surrogate->ops->create(&own);
    OPEVO_NEED_OR_RETURN(model, "a stored cost model");
    status = model->ops->take(model, stored, err);
    if (status != OPEVO_OK) {
        destroy_model(model);
        return status;
    }
    destroy_model(surrogate->earlier);
    surrogate->earlier = model;
    surrogate->earlier_weight = 1;
    return OPEVO_OK;
}

/* ---- Predicting ---- */

bool opevo_i_tvm_surrogate_is_ready(const opevo_i_tvm_surrogate *surrogate)
{
    return surrogate->earlier || opevo_i_tvm_ensemble_is_trained(&surrogate->models);
}

bool opevo_i_tvm_surrogate_needs_numbers(const opevo_i_tvm_surrogate *surrogate)
{
    return opevo_i_tvm_features_need_numbers(surrogate->features);
}

void opevo_i_tvm_surrogate_refuse_missing(opevo_i_tvm_surrogate *surrogate)
{
    surrogate->refuses_missing = true;
}

opevo_status opevo_i_tvm_surrogate_knows(opevo_i_tvm_surrogate *surrogate, opevo_index point,
                                         const opevo_index *vertices, bool *out, opevo_error *err)
{
    opevo_status status = opevo_i_tvm_features_rows(surrogate->features, point, vertices,
                                                    surrogate->batch, surrogate->batch_rows, err);

    if (status == OPEVO_OK)
        *out = !opevo_i_tvm_features_are_missing(surrogate->features, point);
    return status;
}

/* Scores of the points whose rows were listed. */
static opevo_status predict_listed(opevo_i_tvm_surrogate *self, size_t count, float *scores,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!opevo_i_tvm_ensemble_is_trained(&self->models))
        return predict_margins(self, self->batch, self->batch_rows, count, scores, err);
    OPEVO_TRY(opevo_i_tvm_ensemble_predict(&self->models, self->batch,
                                           several(self, self->batch_rows), count, scores, err));
    if (self->earlier)
        OPEVO_TRY(predict_margins(self, self->batch, self->batch_rows, count, self->margins, err));
    /* A margin stands in the place of the base score. */
    for (size_t i = 0; i < count && self->earlier; i++)
        scores[i] += self->margins[i] - OPEVO_I_BASE_SCORE;
    opevo_i_tvm_ensemble_acquire(&self->models, count, scores);
cleanup:
    return status;
}

opevo_status opevo_i_tvm_surrogate_predict(opevo_i_tvm_surrogate *surrogate,
                                           const opevo_index *points, const opevo_index *vertices,
                                           size_t count, float *scores, opevo_error *err)
{
    opevo_i_tvm_surrogate *self = surrogate;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0, row = 0; i < count; row += self->batch_rows[i++]) {
        OPEVO_TRY(opevo_i_tvm_features_rows(self->features, points[i], vertices + i * self->width,
                                            self->batch + row * self->row_width,
                                            &self->batch_rows[i], err));
        self->batch_missing[i] = opevo_i_tvm_features_are_missing(self->features, points[i]);
    }
    OPEVO_TRY(predict_listed(self, count, scores, err));
    for (size_t i = 0; i < count && self->refuses_missing; i++)
        scores[i] = self->batch_missing[i] ? -INFINITY : scores[i];
cleanup:
    return status;
}
