/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The network: its weights, batches, and Adam. */

#include "tree_gru_network_internal.h"

#include <opevo/memory.h>

#include <cblas.h>

#include <float.h>
#include <math.h>
#include <string.h>

typedef opevo_i_real real;

#define EPSILON 1e-8

enum { PREDICTED = 64 }; /* candidates at a time: their states stay in the cache */

/* ---- Making ---- */

static opevo_i_tree_gru_layout lay_out(const opevo_i_tree_gru_shape *shape, size_t width)
{
    opevo_i_tree_gru_layout at = {0};
    size_t h = shape->hidden;

    at.inputs = at.names + (shape->slots ? 0 : OPEVO_LOOP_NAMES * h);
    at.gates = at.inputs + h * width;
    at.biases = at.gates + 3 * h * h;
    at.states = at.biases + 3 * h;
    at.slots = at.states + 3 * h * h;
    at.head = at.slots + shape->slots * h;
    at.base = at.head + (shape->slots ? shape->slots : 1) * h;
    at.count = at.base + 1;
    return at;
}

/* Uniform in +-1/sqrt(inputs). */
static void initialise(opevo_i_tree_gru *self, size_t begin, size_t end, size_t inputs)
{
    double most = 1 / sqrt((double)inputs);

    for (size_t i = begin; i < end; i++)
        self->weights[i] = (real)(most * (2 * opevo_rng_unit(&self->rng) - 1));
}

static bool allocate(opevo_i_tree_gru *self)
{
    size_t count = (self->at.count + 15) / 16 * 16;
    size_t gates = 3 * self->shape.hidden;
    size_t names = (self->shape.slots ? 1 : OPEVO_LOOP_NAMES) * gates;
    size_t inputs = gates * self->width;

    self->weights = opevo_i_tree_gru_lines(4 * count + 2 * (names + inputs), &self->block);
    if (!self->weights)
        return false;
    memset(self->weights, 0, 4 * count * sizeof(real));
    self->gradient = self->weights + count;
    self->mean = self->gradient + count;
    self->square = self->mean + count;
    self->by_name = self->square + count;
    self->by_name_sums = self->by_name + names;
    self->by_input = self->by_name_sums + names;
    self->by_input_sums = self->by_input + inputs;
    return true;
}

opevo_status opevo_i_tree_gru_create(const opevo_i_tree_gru_shape *shape, opevo_i_model_loss loss,
                                     const opevo_rng *rng, opevo_i_tree_gru **out, opevo_error *err)
{
    opevo_i_tree_gru *self = opevo_calloc(1, sizeof *self);
    const opevo_i_tree_gru_layout *at = NULL;

    OPEVO_NEED_OR_RETURN(self, "a TreeGRU");
    at = &self->at;
    self->shape = *shape;
    self->loss = loss;
    self->rng = *rng;
    self->width = opevo_i_tree_gru_inputs(shape->slots > 0);
    self->forest.by_context = shape->slots > 0;
    self->outputs = shape->slots ? 2 * shape->slots : 1;
    self->at = lay_out(shape, self->width);
    self->mean_left = self->square_left = 1;
    if (!allocate(self)) {
        opevo_i_tree_gru_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a TreeGRU.");
    }
    initialise(self, at->names, at->inputs, 1);
    initialise(self, at->inputs, at->gates, self->width);
    initialise(self, at->gates, at->biases, shape->hidden);
    initialise(self, at->states, at->base, shape->hidden);
    self->weights[at->base] = (real)OPEVO_I_BASE_SCORE;
    *out = self;
    return OPEVO_OK;
}

void opevo_i_tree_gru_destroy(opevo_i_tree_gru *network)
{
    if (!network)
        return;
    opevo_i_tree_gru_forest_release(&network->forest);
    opevo_i_tree_gru_states_release(&network->now);
    opevo_free(network->block);
    opevo_free(network->scores);
    opevo_free(network->by_scores);
    opevo_free(network->order);
    opevo_free(network);
}

size_t opevo_i_tree_gru_weight_count(const opevo_i_tree_gru *network)
{
    return network->at.count;
}

real *opevo_i_tree_gru_weights(opevo_i_tree_gru *network)
{
    network->folded_names = 0;
    return network->weights;
}

/* ---- Predicting ---- */

/* The library's threads: one, as its sums depend on their number; returns how many there were. */
static int take_one_thread(void)
{
    int before = openblas_get_num_threads();

    if (before != 1)
        openblas_set_num_threads(1);
    return before;
}

static void give_threads_back(int before)
{
    if (before != 1)
        openblas_set_num_threads(before);
}

static bool reserve_scores(opevo_i_tree_gru *self, size_t count)
{
    return opevo_reserve((void **)&self->scores, &self->score_capacity, count,
                         sizeof *self->scores) &&
           opevo_reserve((void **)&self->by_scores, &self->by_score_capacity, count,
                         sizeof *self->by_scores);
}

static opevo_status predict(opevo_i_tree_gru *self, const float *features, const size_t *rows,
                            size_t count, float *scores, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t first = 0; first < count && status == OPEVO_OK; first += PREDICTED) {
        size_t now = count - first < PREDICTED ? count - first : PREDICTED;

        OPEVO_NEED_OR_RETURN(
            reserve_scores(self, now) &&
                opevo_i_tree_gru_forest_fill(&self->forest, features, rows + first, now),
            "%zu loop trees", now);
        status = opevo_i_tree_gru_forward(self, false, now, self->scores, err);
        for (size_t i = 0; i < now && status == OPEVO_OK; i++)
            scores[first + i] = (float)self->scores[i];
        features += self->forest.nodes * OPEVO_LOOP_COLUMNS;
    }
    return status;
}

opevo_status opevo_i_tree_gru_predict(opevo_i_tree_gru *network, const float *features,
                                      const size_t *rows, size_t count, float *scores,
                                      opevo_error *err)
{
    int threads = take_one_thread();
    opevo_status status = predict(network, features, rows, count, scores, err);

    give_threads_back(threads);
    return status;
}

/* ---- Training ---- */

static opevo_status differentiate(opevo_i_tree_gru *self, const opevo_i_model_samples *samples,
                                  double *loss, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(reserve_scores(self, samples->count) &&
                             opevo_i_tree_gru_forest_fill(&self->forest, samples->features,
                                                          samples->rows, samples->count),
                         "%zu loop trees", samples->count);
    memset(self->gradient, 0, self->at.count * sizeof(real));
    status = opevo_i_tree_gru_forward(self, true, samples->count, self->scores, err);
    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < samples->count && samples->margins; i++)
        self->scores[i] += (real)(samples->margins[i] - OPEVO_I_BASE_SCORE);
    *loss = opevo_i_tree_gru_loss(self->loss, self->scores, samples->labels, samples->weights,
                                  samples->count, self->by_scores);
    opevo_i_tree_gru_backward(self, self->by_scores);
    for (size_t i = 0; i < samples->count; i++)
        self->gradient[self->at.base] += self->by_scores[i];
    return OPEVO_OK;
}

opevo_status opevo_i_tree_gru_gradient(opevo_i_tree_gru *network,
                                       const opevo_i_model_samples *samples, double *loss,
                                       const real **gradient, opevo_error *err)
{
    int threads = take_one_thread();
    opevo_status status = differentiate(network, samples, loss, err);

    give_threads_back(threads);
    *gradient = network->gradient;
    return status;
}

/* Averages that are not normal numbers would make the loop many times slower. */
static real normal(real x)
{
    return x > (real)FLT_MIN || x < -(real)FLT_MIN ? x : 0;
}

static void step(opevo_i_tree_gru *self)
{
    double rate = self->shape.rate;
    real scale = 0, root = 0;

    self->mean_left *= 0.9;
    self->square_left *= 0.999;
    scale = (real)(rate / (1 - self->mean_left));
    root = (real)(1 / sqrt(1 - self->square_left));
    for (size_t i = 0; i < self->at.count; i++) {
        real g = self->gradient[i];

        self->mean[i] = normal((real)0.9 * self->mean[i] + (real)0.1 * g);
        self->square[i] = normal((real)0.999 * self->square[i] + (real)0.001 * g * g);
        self->weights[i] -=
            scale * self->mean[i] / ((real)sqrt((double)self->square[i]) * root + (real)EPSILON);
    }
    self->folded_names = 0;
}

/* Samples of a step, copied from those of a training. */
typedef struct batch {
    opevo_i_model_samples samples;
    float *features, *labels, *weights, *margins;
    size_t *rows, *first; /* the first row of each sample of the training */
    size_t capacity;      /* rows of features */
} batch;

static void release(batch *self)
{
    opevo_free(self->features);
    opevo_free(self->labels);
    opevo_free(self->weights);
    opevo_free(self->margins);
    opevo_free(self->rows);
    opevo_free(self->first);
}

static bool prepare(batch *self, const opevo_i_model_samples *of, size_t most)
{
    size_t row = 0;

    self->labels = opevo_malloc(most, sizeof *self->labels);
    self->weights = opevo_malloc(most, sizeof *self->weights);
    self->margins = opevo_malloc(most, sizeof *self->margins);
    self->rows = opevo_malloc(most, sizeof *self->rows);
    self->first = opevo_malloc(of->count, sizeof *self->first);
    for (size_t i = 0; i < of->count && self->first; row += of->rows[i++])
        self->first[i] = row;
    self->samples = (opevo_i_model_samples){.labels = self->labels,
                                            .rows = self->rows,
                                            .weights = of->weights ? self->weights : NULL,
                                            .margins = of->margins ? self->margins : NULL};
    return self->labels && self->weights && self->margins && self->rows && self->first;
}

static bool append(batch *self, const opevo_i_model_samples *of, size_t i, size_t *row_count)
{
    size_t at = self->samples.count;

    if (!opevo_reserve((void **)&self->features, &self->capacity, *row_count + of->rows[i],
                       OPEVO_LOOP_COLUMNS * sizeof *self->features))
        return false;
    memcpy(self->features + *row_count * OPEVO_LOOP_COLUMNS,
           of->features + self->first[i] * OPEVO_LOOP_COLUMNS,
           of->rows[i] * OPEVO_LOOP_COLUMNS * sizeof *self->features);
    *row_count += of->rows[i];
    self->rows[at] = of->rows[i];
    self->labels[at] = of->labels[i];
    self->weights[at] = of->weights ? of->weights[i] : 1;
    self->margins[at] = of->margins ? of->margins[i] : OPEVO_I_BASE_SCORE;
    self->samples.features = self->features;
    self->samples.count++;
    return true;
}

/* The next samples of the order, which is drawn again at its end. */
static bool draw(opevo_i_tree_gru *self, const opevo_i_model_samples *of, batch *out)
{
    size_t wanted = self->shape.batch < of->count ? self->shape.batch : of->count;
    size_t row_count = 0;

    out->samples.count = 0;
    while (out->samples.count < wanted) {
        if (self->seen == of->count) {
            opevo_rng_shuffle(&self->rng, self->order, of->count, sizeof *self->order);
            self->seen = 0;
        }
        if (!append(out, of, self->order[self->seen++], &row_count))
            return false;
    }
    return true;
}

static opevo_status train(opevo_i_tree_gru *self, const opevo_i_model_samples *samples,
                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    batch now = {.capacity = 0};
    double loss = 0;

    OPEVO_NEED(prepare(&now, samples, self->shape.batch) &&
                   opevo_reserve((void **)&self->order, &self->order_capacity, samples->count,
                                 sizeof *self->order),
               "training on %zu trials", samples->count);
    for (size_t i = 0; i < samples->count; i++)
        self->order[i] = i;
    self->seen = samples->count;
    for (size_t i = 0; i < self->shape.updates; i++) {
        if (!draw(self, samples, &now)) {
            status =
                OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to train on %zu trials.", samples->count);
            goto cleanup;
        }
        OPEVO_TRY(differentiate(self, &now.samples, &loss, err));
        step(self);
    }
cleanup:
    release(&now);
    return status;
}

opevo_status opevo_i_tree_gru_train(opevo_i_tree_gru *network, const opevo_i_model_samples *samples,
                                    opevo_error *err)
{
    int threads = take_one_thread();
    opevo_status status = train(network, samples, err);

    give_threads_back(threads);
    return status;
}
