/* SPDX-License-Identifier: GPL-3.0-or-later */

/* TreeGRU in double precision: one cell in closed form, scores by recursion over each tree, element
 * by element, and derivatives of all weights by differences. */

#include "loop_forest.h"

#include <math.h>

#include "tree_gru_internal.h"

enum { TREES = 6, LOOPS = 7, HIDDEN = 3, SLOTS = 2 };

static opevo_i_tree_gru *make(size_t hidden, size_t slots, opevo_i_model_loss loss)
{
    const opevo_i_tree_gru_shape shape = {
        .hidden = hidden, .slots = slots, .batch = TREES, .rate = 1e-3};
    opevo_i_tree_gru *self = NULL;
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "test", slots);
    CHECK_OK(opevo_i_tree_gru_create(&shape, loss, &rng, &self, &err));
    return self;
}

/* ---- By definition ---- */

typedef struct reading {
    const double *weights;
    size_t hidden, slots, inputs;
    const float *rows; /* of one tree */
    size_t count;
    double score;
} reading;

/* W f of a matrix that begins at `at`; its next matrix begins behind. */
static const double *apply(const double *matrix, size_t rows, size_t columns, const double *x,
                           double *out)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < columns; k++)
            out[i] += *matrix++ * x[k];
    }
    return matrix;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* State of loop `i`; adds what it says of the score. */
static void visit(reading *self, size_t i, double *state)
{
    const float *row = self->rows + i * OPEVO_LOOP_COLUMNS;
    size_t h = self->hidden;
    double f[64] = {0}, x[HIDDEN] = {0}, g[3 * HIDDEN] = {0}, u[3 * HIDDEN] = {0};
    double inside[HIDDEN] = {0}, logits[SLOTS] = {0}, values[SLOTS] = {0}, sum = 0;
    const double *at = self->weights;

    for (size_t child = i + 1; child < self->count; child++) {
        double of_child[HIDDEN];

        if ((size_t)self->rows[child * OPEVO_LOOP_COLUMNS + OPEVO_LOOP_PARENT] != child - i)
            continue;
        visit(self, child, of_child);
        for (size_t k = 0; k < h; k++)
            inside[k] += of_child[k];
    }
    f[(size_t)row[OPEVO_LOOP_KIND]] = 1;
    for (size_t k = OPEVO_LOOP_KIND_COUNT; k < self->inputs; k++)
        f[k] = (double)row[OPEVO_LOOP_EXTENT + k - OPEVO_LOOP_KIND_COUNT] / 8;
    if (!self->slots) {
        for (size_t k = 0; k < h; k++)
            x[k] = at[(size_t)row[OPEVO_LOOP_NAME] * h + k];
        at += OPEVO_LOOP_NAMES * h;
    }
    at = apply(at, h, self->inputs, f, x);
    at = apply(at, 3 * h, h, x, g);
    for (size_t k = 0; k < 3 * h; k++)
        g[k] += *at++;
    at = apply(at, 3 * h, h, inside, u);
    for (size_t k = 0; k < h; k++) {
        double z = sigmoid(g[k] + u[k]), r = sigmoid(g[h + k] + u[h + k]);

        state[k] = (1 - z) * inside[k] + z * tanh(g[2 * h + k] + r * u[2 * h + k]);
    }
    if (!self->slots) {
        if (row[OPEVO_LOOP_PARENT] == 0)
            apply(at, 1, h, state, &self->score);
        return;
    }
    at = apply(at, self->slots, h, state, logits);
    apply(at, self->slots, h, state, values);
    for (size_t s = 0; s < self->slots; s++)
        sum += exp(logits[s]);
    for (size_t s = 0; s < self->slots; s++)
        self->score += exp(logits[s]) / sum * values[s];
}

static void check_scores(size_t slots)
{
    opevo_i_tree_gru *network = make(HIDDEN, slots, OPEVO_I_LOSS_SQUARED);
    size_t weights = opevo_i_tree_gru_weight_count(network);
    float scores[TREES];
    opevo_rng rng;
    loop_forest forest;
    const float *rows = NULL;

    opevo_rng_init(&rng, 1, "test", 0);
    forest = loop_forest_make(&rng, TREES, LOOPS);
    rows = forest.rows;
    for (size_t i = 0; i < weights; i++)
        opevo_i_tree_gru_weights(network)[i] = opevo_rng_unit(&rng) - 0.5;
    CHECK_OK(opevo_i_tree_gru_predict(network, forest.rows, forest.rows_of, TREES, scores, &err));
    for (size_t t = 0; t < TREES; rows += forest.rows_of[t++] * OPEVO_LOOP_COLUMNS) {
        reading self = {.weights = opevo_i_tree_gru_weights(network),
                        .hidden = HIDDEN,
                        .slots = slots,
                        .inputs = opevo_i_tree_gru_inputs(slots > 0),
                        .rows = rows,
                        .count = forest.rows_of[t]};
        double state[HIDDEN];

        self.score = self.weights[weights - 1];
        for (size_t i = 0; i < self.count; i++) {
            if (rows[i * OPEVO_LOOP_COLUMNS + OPEVO_LOOP_PARENT] == 0)
                visit(&self, i, state);
        }
        CHECK_CLOSE(scores[t], self.score, 1e-6);
    }
    loop_forest_free(&forest);
    opevo_i_tree_gru_destroy(network);
}

CHECK_TEST(test_scores)
{
    check_scores(0);
    check_scores(SLOTS);
}

/* ---- One cell ---- */

/* A leaf of one number: h = sigmoid(Wz x + bz) tanh(Wc x + bc), and a loop around it. */
CHECK_TEST(test_cell)
{
    enum { NAMES = OPEVO_LOOP_NAMES, D = OPEVO_LOOP_KIND_COUNT + 1 };
    opevo_i_tree_gru *network = make(1, 0, OPEVO_I_LOSS_SQUARED);
    double *w = opevo_i_tree_gru_weights(network);
    float rows[2][OPEVO_LOOP_COLUMNS] = {{0}};
    size_t one = 1, two = 2;
    double leaf = 0, z = 0, r = 0, x = 0, outer = 0;
    float score = 0;

    for (size_t i = 0; i < opevo_i_tree_gru_weight_count(network); i++)
        w[i] = 0;
    w[3] = 0.7;                    /* E of the name 3 */
    w[NAMES + D - 1] = 0.5;        /* A of the length */
    for (size_t i = 0; i < 9; i++) /* Wz Wr Wc, bz br bc, Uz Ur Uc */
        w[NAMES + D + i] = 0.1 * (double)(i + 1);
    w[NAMES + D + 9] = 2; /* w, w0 */
    w[NAMES + D + 10] = -1;
    rows[0][OPEVO_LOOP_NAME] = rows[1][OPEVO_LOOP_NAME] = 3;
    rows[0][OPEVO_LOOP_EXTENT] = 4;
    rows[1][OPEVO_LOOP_EXTENT] = 2;
    rows[1][OPEVO_LOOP_PARENT] = 1;
    CHECK_OK(opevo_i_tree_gru_predict(network, rows[1], &one, 1, &score, &err));
    x = 0.7 + 0.5 * 2 / 8;
    leaf = sigmoid(0.1 * x + 0.4) * tanh(0.3 * x + 0.6);
    CHECK_CLOSE(score, 2 * leaf - 1, 1e-7);
    CHECK_OK(opevo_i_tree_gru_predict(network, rows[0], &two, 1, &score, &err));
    x = 0.7 + 0.5 * 4 / 8;
    z = sigmoid(0.1 * x + 0.4 + 0.7 * leaf);
    r = sigmoid(0.2 * x + 0.5 + 0.8 * leaf);
    outer = (1 - z) * leaf + z * tanh(0.3 * x + 0.6 + r * 0.9 * leaf);
    CHECK_CLOSE(score, 2 * outer - 1, 1e-7);
    opevo_i_tree_gru_destroy(network);
}

/* ---- Derivatives ---- */

static double loss_of(opevo_i_tree_gru *network, const opevo_i_model_samples *samples,
                      const double **gradient)
{
    double loss = 0;

    CHECK_OK(opevo_i_tree_gru_gradient(network, samples, &loss, gradient, &err));
    return loss;
}

static void check_derivatives(size_t slots, opevo_i_model_loss loss)
{
    static const double step = 1e-5;
    static const float margins[TREES] = {0.5F, 1, 0.25F, 0, 0.75F, 0.5F};
    opevo_i_tree_gru *network = make(HIDDEN, slots, loss);
    size_t count = opevo_i_tree_gru_weight_count(network);
    double *derivatives = opevo_malloc(count, sizeof *derivatives);
    const double *gradient = NULL;
    float labels[TREES], weights[TREES];
    opevo_i_model_samples samples = {
        .count = TREES, .labels = labels, .weights = weights, .margins = margins};
    opevo_rng rng;
    loop_forest forest;

    opevo_rng_init(&rng, 2, "test", slots);
    forest = loop_forest_make(&rng, TREES, LOOPS);
    samples.features = forest.rows;
    samples.rows = forest.rows_of;
    for (size_t i = 0; i < TREES; i++) {
        labels[i] = (float)opevo_rng_below(&rng, 4) / 4;
        weights[i] = (float)(1 + opevo_rng_below(&rng, 3));
    }
    for (size_t i = 0; i < count; i++)
        opevo_i_tree_gru_weights(network)[i] = opevo_rng_unit(&rng) - 0.5;
    loss_of(network, &samples, &gradient);
    memcpy(derivatives, gradient, count * sizeof *derivatives);
    for (size_t i = 0; i < count; i++) {
        double kept = opevo_i_tree_gru_weights(network)[i], above = 0, below = 0;

        opevo_i_tree_gru_weights(network)[i] = kept + step;
        above = loss_of(network, &samples, &gradient);
        opevo_i_tree_gru_weights(network)[i] = kept - step;
        below = loss_of(network, &samples, &gradient);
        opevo_i_tree_gru_weights(network)[i] = kept;
        CHECK_CLOSE(derivatives[i], (above - below) / (2 * step), 1e-8);
    }
    opevo_free(derivatives);
    loop_forest_free(&forest);
    opevo_i_tree_gru_destroy(network);
}

CHECK_TEST(test_derivatives_by_names)
{
    check_derivatives(0, OPEVO_I_LOSS_RANK);
    check_derivatives(0, OPEVO_I_LOSS_SQUARED);
}

CHECK_TEST(test_derivatives_by_context)
{
    check_derivatives(SLOTS, OPEVO_I_LOSS_RANK);
    check_derivatives(SLOTS, OPEVO_I_LOSS_SQUARED);
}
