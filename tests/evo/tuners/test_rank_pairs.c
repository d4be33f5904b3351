/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Gradients of the pairwise ranking loss: by hand, the draws of partners, and the library's own
 * where its version still has this loss. */

#include "check.h"

#include <stdlib.h>

#include <opevo/random.h>

#include <xgboost/c_api.h>

#include "rank_pairs_internal.h"

enum { MOST = 300 };

typedef struct rows {
    size_t count;
    float labels[MOST], predictions[MOST], first[MOST], second[MOST];
} rows;

static void compute(rows *self, unsigned round)
{
    opevo_i_tvm_rank_pairs *pairs = opevo_i_tvm_rank_pairs_create(self->labels, self->count);

    assert_non_null(pairs);
    opevo_i_tvm_rank_pairs_gradients(pairs, round, self->predictions, self->first, self->second);
    opevo_i_tvm_rank_pairs_destroy(pairs);
}

/* Rows with ties of both kinds. */
static void draw_rows(rows *self, uint64_t seed, size_t count, uint64_t kinds)
{
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "test", 0);
    self->count = count;
    for (size_t i = 0; i < count; i++) {
        self->labels[i] = (float)opevo_rng_below(&rng, kinds) / (float)kinds;
        self->predictions[i] = (float)opevo_rng_below(&rng, 2 * kinds) / 8 - 2;
    }
}

/* Two rows draw each other, twice: p = 1 / (1 + e). */
CHECK_TEST(test_by_hand)
{
    rows two = {.count = 2, .labels = {0, 1}, .predictions = {0.5F, 1.5F}};
    double p = 1 / (1 + exp(-1));

    compute(&two, 0);
    CHECK_CLOSE((double)two.first[1], 2 * (p - 1), 1e-6);
    CHECK_CLOSE((double)two.first[0], 2 * (1 - p), 1e-6);
    CHECK_CLOSE((double)two.second[0], 4 * p * (1 - p), 1e-6);
    CHECK_CLOSE((double)two.second[1], 4 * p * (1 - p), 1e-6);
}

/* Predictions apart by more than 32 bits can tell: gradients stay finite, curvatures positive. */
CHECK_TEST(test_far_apart)
{
    rows two = {.count = 2, .labels = {0, 1}, .predictions = {-300, 300}};

    compute(&two, 3);
    assert_true(two.first[0] == 0 && two.first[1] == 0);
    assert_true(two.second[0] > 0 && two.second[1] > 0);
    two.predictions[0] = 900;
    compute(&two, 3);
    assert_true(two.first[0] == 2 && two.first[1] == -2);
    assert_true(two.second[0] > 0 && two.second[1] > 0);
}

CHECK_TEST(test_equal_labels)
{
    rows same;

    draw_rows(&same, 1, 40, 1);
    memset(same.first, 1, sizeof same.first);
    compute(&same, 0);
    for (size_t i = 0; i < same.count; i++)
        assert_true(same.first[i] == 0 && same.second[i] == 0);
}

/* Where all predictions are equal, p = 1/2 in every pair, so a row in k pairs has second derivative
 * k / 2, and its gradient is -1/2 for each pair that it wins and 1/2 for each that it loses. Rows
 * that draw partners uniformly: over many rounds a row is drawn as often as expected. */
CHECK_TEST(test_partners_are_uniform)
{
    enum { ROUNDS = 4000, COUNT = 7 };
    /* Two rows of label 2, one of label 1, four of label 0. */
    rows few = {.count = COUNT, .labels = {0, 2, 0, 1, 2, 0, 0}};
    double wins[COUNT] = {0}, losses[COUNT] = {0};

    for (unsigned round = 0; round < ROUNDS; round++) {
        compute(&few, round);
        for (size_t i = 0; i < COUNT; i++) {
            double pairs = 2 * (double)few.second[i], net = 2 * (double)few.first[i];

            assert_true(pairs >= 1);
            wins[i] += (pairs - net) / 2 / ROUNDS;
            losses[i] += (pairs + net) / 2 / ROUNDS;
        }
    }
    for (size_t i = 0; i < COUNT; i++) {
        double won = 0, lost = 0;

        for (size_t k = 0; k < COUNT; k++) {
            double others_of_i = 0, others_of_k = 0;

            for (size_t m = 0; m < COUNT; m++) {
                others_of_i += few.labels[m] != few.labels[i];
                others_of_k += few.labels[m] != few.labels[k];
            }
            won += (few.labels[k] < few.labels[i]) * (1 / others_of_i + 1 / others_of_k);
            lost += (few.labels[k] > few.labels[i]) * (1 / others_of_i + 1 / others_of_k);
        }
        /* At most seven draws a round, each with a deviation of at most 1/2: five deviations. */
        CHECK_CLOSE(wins[i], won, 5 * 0.5 * sqrt(7.0 / ROUNDS));
        CHECK_CLOSE(losses[i], lost, 5 * 0.5 * sqrt(7.0 / ROUNDS));
    }
}

/* What minstd_rand draws below 2 from a seed of 1111 (round + 1), for the best of three rows, then
 * the middle, then the last. The states of round 0 are 53629081, 1011574316 and 220642150, all in
 * the lower half: pairs (2, 1), (2, 1) and (2, 0). Those of round 1 are 107258162, 2023148632 and
 * 441284300: pairs (2, 1), (1, 0), (2, 0). */
CHECK_TEST(test_draws)
{
    static const float first[][3] = {{0.5F, 1, -1.5F}, {1, 0, -1}};
    static const float second[][3] = {{0.5F, 1, 1.5F}, {1, 1, 1}};
    rows three = {.count = 3, .labels = {0, 1, 2}};

    for (unsigned round = 0; round < 2; round++) {
        compute(&three, round);
        assert_memory_equal(three.first, first[round], sizeof first[round]);
        assert_memory_equal(three.second, second[round], sizeof second[round]);
    }
}

/* ---- The library itself, before its version 2 ---- */

static void check_call(int code)
{
    if (code)
        fail_msg("%s", XGBGetLastError());
}

static BoosterHandle make_booster(DMatrixHandle matrix, const char *objective)
{
    const char *const settings[][2] = {
        {"verbosity", "0"},       {"nthread", "1"},   {"objective", objective},
        {"tree_method", "exact"}, {"max_depth", "4"}, {"base_score", "0.5"},
    };
    BoosterHandle booster = NULL;

    check_call(XGBoosterCreate(&matrix, 1, &booster));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        check_call(XGBoosterSetParam(booster, settings[i][0], settings[i][1]));
    return booster;
}

static void predict(BoosterHandle booster, DMatrixHandle matrix, size_t count, float *out)
{
    static const char how[] = "{\"type\": 0, \"training\": true, \"iteration_begin\": 0,"
                              " \"iteration_end\": 0, \"strict_shape\": false}";
    const bst_ulong *shape = NULL;
    bst_ulong dimensions = 0;
    const float *result = NULL;

    check_call(XGBoosterPredictFromDMatrix(booster, matrix, how, &shape, &dimensions, &result));
    memcpy(out, result, count * sizeof *out);
}

/* Trees grown by the library's own loss and by these gradients say the same, to the last bit. */
static void check_library(rows *self, uint64_t seed)
{
    float features[3 * MOST], own[MOST];
    DMatrixHandle matrix = NULL;
    BoosterHandle library = NULL, booster = NULL;
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "features", 0);
    for (size_t i = 0; i < 3 * self->count; i++)
        features[i] = (float)opevo_rng_below(&rng, 9);
    check_call(XGDMatrixCreateFromMat(features, self->count, 3, NAN, &matrix));
    check_call(XGDMatrixSetFloatInfo(matrix, "label", self->labels, self->count));
    library = make_booster(matrix, "rank:pairwise");
    booster = make_booster(matrix, "reg:squarederror");
    for (unsigned round = 0; round < 12; round++) {
        check_call(XGBoosterUpdateOneIter(library, (int)round, matrix));
        predict(booster, matrix, self->count, self->predictions);
        compute(self, round);
        check_call(XGBoosterBoostOneIter(booster, matrix, self->first, self->second, self->count));
        predict(library, matrix, self->count, own);
        predict(booster, matrix, self->count, self->predictions);
        assert_memory_equal(self->predictions, own, self->count * sizeof *own);
    }
    check_call(XGBoosterFree(library));
    check_call(XGBoosterFree(booster));
    check_call(XGDMatrixFree(matrix));
}

CHECK_TEST(test_is_the_loss_of_the_library)
{
    int major = 0;
    rows made;

    XGBoostVersion(&major, NULL, NULL);
    if (major >= 2)
        CHECK_SKIP("XGBoost %d has another ranking loss than versions before 2", major);
    for (uint64_t seed = 0; seed < 20; seed++) {
        draw_rows(&made, seed, 3 + 15 * (size_t)seed, 2 + seed * seed);
        check_library(&made, seed);
    }
}
