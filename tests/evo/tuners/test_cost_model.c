/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The cost model: trees worked out by hand, the stopping score by its definition, repeatability. */

#include "check.h"

#include <math.h>
#include <stdlib.h>

#include <opevo/memory.h>
#include <opevo/random.h>

#include "cost_model_internal.h"
#include "xgboost_internal.h"

enum { MOST = 600, WIDTH = 4 };

static const opevo_i_tvm_boosting one_tree = {
    .loss = OPEVO_I_LOSS_SQUARED,
    .depth = 3,
    .gamma = 1e-4,
    .child_weight = 1,
    .eta = 0.3,
    .rounds = 1,
    .patience = 20,
    .stride = 1,
};

/* Train on one feature and compare the predictions of the training rows. */
static void check_tree(const opevo_i_tvm_boosting *boosting, const opevo_i_model_samples *samples,
                       const double *expected)
{
    opevo_i_tvm_cost_model *model = opevo_i_tvm_cost_model_create(1, boosting);
    float predicted[16];

    assert_non_null(model);
    assert_false(opevo_i_tvm_cost_model_is_trained(model));
    CHECK_OK(opevo_i_tvm_cost_model_train(model, samples, &err));
    assert_true(opevo_i_tvm_cost_model_is_trained(model));
    CHECK_OK(
        opevo_i_tvm_cost_model_predict(model, samples->features, samples->count, predicted, &err));
    for (size_t i = 0; i < samples->count; i++)
        CHECK_CLOSE((double)predicted[i], expected[i], 1e-6);
    opevo_i_tvm_cost_model_destroy(model);
}

/* Gradients are 1/2 - label, second derivatives 1, and a leaf -G / (H + 1) * eta. */
CHECK_TEST(test_squared_loss_by_hand)
{
    static const float features[] = {1, 2, 3, 4};
    static const float labels[] = {0, 0, 1, 1};
    static const float weights[] = {1, 1, 3, 3};
    opevo_i_model_samples samples = {.count = 4, .features = features, .labels = labels};
    opevo_i_tvm_boosting boosting = one_tree;

    check_tree(&boosting, &samples, (const double[]){0.4, 0.4, 0.6, 0.6});
    /* With weights G and H are sums of w g and w: -3 / 7 * -0.3. */
    samples.weights = weights;
    check_tree(&boosting, &samples, (const double[]){0.4, 0.4, 0.5 + 0.9 / 7, 0.5 + 0.9 / 7});
    samples.weights = NULL;
    /* A child must weigh at least as much: one leaf remains, and its G is 0. */
    boosting.child_weight = 3;
    check_tree(&boosting, &samples, (const double[]){0.5, 0.5, 0.5, 0.5});
    boosting.child_weight = 1;
    /* The gain 1/3 + 1/3 - 0 is below gamma: the split is pruned. */
    boosting.gamma = 0.67;
    check_tree(&boosting, &samples, (const double[]){0.5, 0.5, 0.5, 0.5});
    boosting.gamma = 0.66;
    check_tree(&boosting, &samples, (const double[]){0.4, 0.4, 0.6, 0.6});
}

/* Each of two rows draws the other: p = 1/2, twice g = -1/2 and h = 2 * 1/4. */
CHECK_TEST(test_rank_loss_by_hand)
{
    static const float features[] = {1, 2};
    static const float labels[] = {0, 1};
    opevo_i_model_samples samples = {.count = 2, .features = features, .labels = labels};
    opevo_i_tvm_boosting boosting = one_tree;

    boosting.loss = OPEVO_I_LOSS_RANK;
    check_tree(&boosting, &samples, (const double[]){0.35, 0.65});
}

/* Gradients are margin - label, but the prediction leaves the margin out. */
CHECK_TEST(test_margins)
{
    static const float features[] = {1, 2, 3, 4};
    static const float labels[] = {0, 0, 1, 1};
    static const float margins[] = {0, 0, 0.5F, 0.5F};
    opevo_i_model_samples samples = {
        .count = 4, .features = features, .labels = labels, .margins = margins};

    check_tree(&one_tree, &samples, (const double[]){0.5, 0.5, 0.6, 0.6});
}

/* The score of candidates with several rows: 1/2 and what the trees add for each row. The gradient
 * of the score is that of each row, so a leaf's G and H have it as often as there are rows. */
static void check_sums(const opevo_i_tvm_boosting *boosting, const opevo_i_model_samples *samples,
                       const double *expected)
{
    opevo_i_tvm_cost_model *model = opevo_i_tvm_cost_model_create(1, boosting);
    float scores[16];

    assert_non_null(model);
    CHECK_OK(opevo_i_tvm_cost_model_train(model, samples, &err));
    CHECK_OK(opevo_i_tvm_cost_model_predict_sums(model, samples->features, samples->rows,
                                                 samples->count, scores, &err));
    for (size_t i = 0; i < samples->count; i++)
        CHECK_CLOSE((double)scores[i], expected[i], 1e-6);
    opevo_i_tvm_cost_model_destroy(model);
}

CHECK_TEST(test_sums_by_hand)
{
    static const float features[] = {1, 1, 2, 2};
    static const float uneven[] = {1, 2, 2, 2};
    static const float labels[] = {0, 1};
    static const float weights[] = {1, 3};
    static const float margins[] = {0.2F, 0.5F};
    opevo_i_model_samples samples = {
        .count = 2, .features = features, .rows = (const size_t[]){2, 2}, .labels = labels};
    opevo_i_tvm_boosting boosting = one_tree;

    check_sums(&boosting, &samples, (const double[]){0.5 - 2 * 0.1, 0.5 + 2 * 0.1});
    samples.weights = weights; /* -3 / 7 * -0.3 for each row of the second */
    check_sums(&boosting, &samples, (const double[]){0.3, 0.5 + 2 * 0.9 / 7});
    samples.weights = NULL;
    samples.features = uneven;
    samples.rows = (const size_t[]){1, 3};
    check_sums(&boosting, &samples, (const double[]){0.5 - 0.075, 0.5 + 3 * 0.1125});
    samples.features = features;
    samples.rows = (const size_t[]){2, 2};
    samples.margins = margins; /* -0.4 / 3 * 0.3 for each row of the first */
    check_sums(&boosting, &samples, (const double[]){0.5 - 2 * 0.04, 0.5 + 2 * 0.1});
    samples.margins = NULL;
    /* Each draws the other: twice g = -1/2 and h = 1/2 for each row, -2 / 3 * 0.3. */
    boosting.loss = OPEVO_I_LOSS_RANK;
    check_sums(&boosting, &samples, (const double[]){0.5 - 2 * 0.2, 0.5 + 2 * 0.2});
}

/* Rows of one candidate each are what they are without being counted. */
CHECK_TEST(test_sums_of_one)
{
    static const float features[] = {1, 2, 3, 4, 5};
    static const float labels[] = {0, 0.5F, 1, 0.25F, 0};
    static const size_t ones[] = {1, 1, 1, 1, 1};
    opevo_i_model_samples samples = {.count = 5, .features = features, .labels = labels};
    opevo_i_tvm_boosting boosting = one_tree;
    float plain[5] = {0};
    float summed[5] = {0};

    boosting.rounds = 10;
    for (int r = 0; r < 2; r++) {
        opevo_i_tvm_cost_model *model = opevo_i_tvm_cost_model_create(1, &boosting);

        samples.rows = r ? ones : NULL;
        CHECK_OK(opevo_i_tvm_cost_model_train(model, &samples, &err));
        CHECK_OK(opevo_i_tvm_cost_model_predict_sums(model, features, samples.rows, 5,
                                                     r ? summed : plain, &err));
        opevo_i_tvm_cost_model_destroy(model);
    }
    for (int i = 0; i < 5; i++)
        CHECK_CLOSE((double)summed[i], (double)plain[i], 1e-6);
}

/* ---- The average recall ---- */

/* The definition, on whole sorted lists. */
static double recall_by_definition(const float *predictions, const float *labels, size_t count,
                                   size_t size)
{
    size_t order[MOST], rank[MOST];
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        size_t place = 0;

        for (size_t k = 0; k < count; k++)
            place += predictions[k] > predictions[i] || (k > i && predictions[k] == predictions[i]);
        order[place] = i;
    }
    for (size_t i = 0; i < count; i++) {
        rank[i] = 0;
        for (size_t k = 0; k < count; k++)
            rank[i] += labels[order[k]] > labels[order[i]] ||
                       (k < i && labels[order[k]] == labels[order[i]]);
    }
    for (size_t i = 0; i < size && i < count; i++) {
        size_t hits = 0;

        for (size_t j = 0; j < i; j++)
            hits += rank[j] <= i;
        sum += (double)hits / (double)(i + 1);
    }
    return sum / (double)size;
}

static double recall(const float *predictions, const float *labels, size_t count, size_t size)
{
    size_t order[MOST], above[MOST], scratch[2 * MOST + 1];

    opevo_i_tvm_rank_labels(labels, count, order, above);
    for (size_t i = 0; i < count; i++) {
        size_t larger = 0;

        for (size_t k = 0; k < count; k++)
            larger += labels[k] > labels[i];
        assert_int_equal(above[i], larger);
    }
    return opevo_i_tvm_average_recall(predictions, above, count, size, scratch);
}

CHECK_TEST(test_perfect_recall)
{
    float labels[200];
    double harmonic = 0;

    for (int i = 0; i < 200; i++)
        labels[i] = (float)(i * 7919 % 200);
    for (int i = 1; i <= 64; i++)
        harmonic += 1.0 / i;
    CHECK_CLOSE(recall(labels, labels, 64, 64), (64 - harmonic) / 64, 1e-12);
    CHECK_CLOSE(recall(labels, labels, 200, 64), 0.92588, 5e-6);
    /* The worst order of 200 finds none of the best 64 among its first. */
    for (int i = 0; i < 200; i++)
        labels[i] = -labels[i];
    {
        float wrong[200];

        for (int i = 0; i < 200; i++)
            wrong[i] = -labels[i];
        CHECK_CLOSE(recall(wrong, labels, 200, 64), 0, 0);
    }
}

CHECK_TEST(test_recall_is_its_definition)
{
    float predictions[MOST], labels[MOST];
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t trial = 0; trial < 300; trial++) {
        size_t count = 1 + (size_t)opevo_rng_below(&rng, 150);
        size_t size = 1 + (size_t)opevo_rng_below(&rng, 80);
        uint64_t kinds = 1 + opevo_rng_below(&rng, 40); /* few, so that there are ties */

        for (size_t i = 0; i < count; i++) {
            predictions[i] = (float)opevo_rng_below(&rng, kinds);
            labels[i] = (float)opevo_rng_below(&rng, kinds);
        }
        CHECK_CLOSE(recall(predictions, labels, count, size),
                    recall_by_definition(predictions, labels, count, size), 1e-12);
    }
}

/* ---- Whole models ---- */

typedef struct data {
    float features[MOST * WIDTH];
    float labels[MOST];
} data;

/* Labels that the features determine, with ties and failures. */
static void make_data(data *made, size_t count)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (size_t i = 0; i < count; i++) {
        float *row = made->features + i * WIDTH;

        for (size_t k = 0; k < WIDTH; k++)
            row[k] = (float)opevo_rng_below(&rng, 8);
        made->labels[i] = row[3] == 0 ? 0 : (row[0] + row[1] * row[2]) / 56;
    }
}

static const opevo_i_tvm_boosting autotvm = {
    .loss = OPEVO_I_LOSS_RANK,
    .depth = 3,
    .gamma = 1e-4,
    .child_weight = 1,
    .eta = 0.3,
    .rounds = 8000,
    .patience = 20,
    .stride = 1,
    .recall_size = 64,
};

/* It learns the order of the best, stops `patience` rounds after it got no better, and says the
 * same every time. */
CHECK_TEST(test_learns_an_order)
{
    opevo_i_tvm_cost_model *model = opevo_i_tvm_cost_model_create(WIDTH, &autotvm);
    opevo_i_tvm_cost_model *twin = opevo_i_tvm_cost_model_create(WIDTH, &autotvm);
    float first[MOST], second[MOST];
    data learned;
    opevo_i_model_samples samples = {
        .count = 500, .features = learned.features, .labels = learned.labels};

    make_data(&learned, 500);
    CHECK_OK(opevo_i_tvm_cost_model_train(model, &samples, &err));
    /* A random order scores 0.063, the mean of i / 500. */
    assert_true(opevo_i_tvm_cost_model_score(model) > 0.7 &&
                opevo_i_tvm_cost_model_score(model) < 0.92589);
    assert_true(opevo_i_tvm_cost_model_rounds(model) > 20 &&
                opevo_i_tvm_cost_model_rounds(model) < 1000);
    CHECK_OK(opevo_i_tvm_cost_model_predict(model, learned.features, 500, first, &err));
    CHECK_OK(opevo_i_tvm_cost_model_train(twin, &samples, &err));
    CHECK_OK(opevo_i_tvm_cost_model_train(twin, &samples, &err));
    CHECK_OK(opevo_i_tvm_cost_model_predict(twin, learned.features, 500, second, &err));
    assert_memory_equal(first, second, 500 * sizeof *first);
    CHECK_OK(opevo_i_tvm_cost_model_predict(twin, learned.features + 7 * WIDTH, 3, second, &err));
    assert_memory_equal(first + 7, second, 3 * sizeof *first);
    opevo_i_tvm_cost_model_destroy(model);
    opevo_i_tvm_cost_model_destroy(twin);
}

/* All labels equal: the first score is the best, so `patience` more rounds and no more. */
CHECK_TEST(test_stops_when_there_is_nothing_to_learn)
{
    opevo_i_tvm_boosting boosting = autotvm;
    opevo_i_tvm_cost_model *model = NULL;
    data learned;
    opevo_i_model_samples samples = {
        .count = 70, .features = learned.features, .labels = learned.labels};

    make_data(&learned, 70);
    memset(learned.labels, 0, sizeof learned.labels);
    model = opevo_i_tvm_cost_model_create(WIDTH, &boosting);
    CHECK_OK(opevo_i_tvm_cost_model_train(model, &samples, &err));
    assert_int_equal(opevo_i_tvm_cost_model_rounds(model), 21);
    opevo_i_tvm_cost_model_destroy(model);
    boosting.rounds = 5;
    model = opevo_i_tvm_cost_model_create(WIDTH, &boosting);
    CHECK_OK(opevo_i_tvm_cost_model_train(model, &samples, &err));
    assert_int_equal(opevo_i_tvm_cost_model_rounds(model), 5);
    opevo_i_tvm_cost_model_destroy(model);
    /* Looked at in every second round, from the first. */
    boosting.rounds = 8000;
    boosting.stride = 2;
    boosting.recall_size = 0;
    model = opevo_i_tvm_cost_model_create(WIDTH, &boosting);
    CHECK_OK(opevo_i_tvm_cost_model_train(model, &samples, &err));
    assert_true(opevo_i_tvm_cost_model_rounds(model) % 2 == 1);
    opevo_i_tvm_cost_model_destroy(model);
}

/* Rows of equal features have trees of one leaf, -eta G / (H + 1), so predictions near the weighted
 * mean of the labels in equal ratios, and the error never ceases to fall. What stops the training
 * is that six decimals of it no longer do. */
CHECK_TEST(test_stops_by_six_decimals)
{
    static const float labels[] = {0, 0.1F};
    static const float weights[] = {0.1F, 0.1F};
    static const float features[] = {1, 1};
    opevo_i_model_samples samples = {
        .count = 2, .features = features, .labels = labels, .weights = weights};
    opevo_i_tvm_boosting boosting = autotvm;
    opevo_i_tvm_cost_model *model = NULL;
    double away = 0.45, best = INFINITY;
    unsigned round = 0, best_round = 0;

    boosting.loss = OPEVO_I_LOSS_SQUARED;
    boosting.child_weight = 0;
    boosting.recall_size = 0;
    for (; round - best_round <= boosting.patience; round++) {
        double score = 0;

        away *= 1 - boosting.eta * 0.2 / 1.2;
        score = rint(1e6 * sqrt(away * away + 0.05 * 0.05)) / 1e6;
        if (score < best) {
            best = score;
            best_round = round;
        }
    }
    model = opevo_i_tvm_cost_model_create(1, &boosting);
    CHECK_OK(opevo_i_tvm_cost_model_train(model, &samples, &err));
    assert_int_equal(opevo_i_tvm_cost_model_rounds(model), round);
    CHECK_CLOSE(opevo_i_tvm_cost_model_score(model), best, 1e-12);
    opevo_i_tvm_cost_model_destroy(model);
}

CHECK_TEST(test_refused)
{
    opevo_i_tvm_boosting boosting = autotvm;
    opevo_i_tvm_cost_model *model = NULL;
    data learned;
    opevo_i_model_samples samples = {
        .count = 70, .features = learned.features, .labels = learned.labels};

    make_data(&learned, 70);
    learned.labels[3] = NAN;
    model = opevo_i_tvm_cost_model_create(WIDTH, &boosting);
    CHECK_FAILS(OPEVO_LIMIT, "XGBoost failed", opevo_i_tvm_cost_model_train(model, &samples, &err));
    assert_false(opevo_i_tvm_cost_model_is_trained(model));
    opevo_i_tvm_cost_model_destroy(model);
    opevo_i_tvm_cost_model_destroy(NULL);
}

/* ---- The library ---- */

static __typeof__(XGBoosterSetParam) *set_parameter;

static int set_parameter_spoilt(BoosterHandle booster, const char *name, const char *value)
{
    return set_parameter(booster, name, strcmp(name, "lambda") ? value : "1.0000001");
}

/* Trees grown with lambda larger by one part in ten million are seen. */
CHECK_TEST(test_library)
{
    opevo_tuner_library library;
    opevo_i_tvm_xgboost *functions = NULL;

    opevo_i_tvm_cost_model_library(&library);
    assert_int_equal(strncmp(library.name, "XGBoost ", 8), 0);
    assert_true(library.as_tested);
    CHECK_OK(opevo_i_tvm_xgboost_open(&functions, &err));
    set_parameter = functions->XGBoosterSetParam;
    functions->XGBoosterSetParam = set_parameter_spoilt;
    opevo_i_tvm_cost_model_library(&library);
    functions->XGBoosterSetParam = set_parameter;
    assert_false(library.as_tested);
}
