/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Models that are learned apart from a run: made again they are the same, they guide the first
 * proposals of a tuner, a run that is killed goes on with them, and others are refused. And the
 * acquisition functions of bootstrapped models. */

#include "taught_fixture.h"

#include <opevo/learn.h>
#include <opevo/memory.h>

#include <cblas.h>

#include "scratch_folder.h"
#include "surrogate_internal.h"

static opevo_earlier_tree trees[EARLIER];
static float rows[EARLIER * 16 * OPEVO_LOOP_COLUMNS];

static opevo_cost_model *learned(const char *kind, const char *loss, size_t hidden, uint64_t seed)
{
    const opevo_learn_plan plan = {
        .kind = kind, .loss = loss, .hidden = hidden, .passes = 60, .seed = seed};
    opevo_space *other = formula_space(taught_other_text);
    opevo_cost_model *model = NULL;

    make_earlier(other, trees, rows);
    CHECK_OK(opevo_cost_model_learn(&plan, trees, EARLIER, &model, &err));
    opevo_space_destroy(other);
    return model;
}

CHECK_TEST(test_made_again)
{
    opevo_cost_model *first = learned("treegru-context", "rank", 16, 1), *again = NULL;
    opevo_cost_model *other = learned("treegru-context", "rank", 16, 2);
    int threads = openblas_get_num_threads();

    openblas_set_num_threads(4);
    again = learned("treegru-context", "rank", 16, 1);
    openblas_set_num_threads(threads);
    assert_int_equal(first->weight_count, again->weight_count);
    assert_memory_equal(first->weights, again->weights,
                        first->weight_count * sizeof *first->weights);
    assert_true(opevo_cost_model_hash(first) == opevo_cost_model_hash(again));
    assert_true(opevo_cost_model_hash(first) != opevo_cost_model_hash(other));
    assert_int_equal(first->trees, EARLIER);
    opevo_cost_model_destroy(first);
    opevo_cost_model_destroy(again);
    opevo_cost_model_destroy(other);
}

CHECK_TEST(test_guides_the_first_plan)
{
    static const struct {
        const char *tuner, *loss, *settings;
    } cases[] = {
        {"autotvm", "rank", "chains=32 model=treegru-context updates=60"},
        {"ansor", "reg", "population=1000 model=treegru-context random=0"},
        {"ansor", "reg", "population=1000 trees=20 random=0"},
    };
    opevo_space *space = formula_space(taught_text);

    for (size_t i = 0; i < 3; i++) {
        opevo_cost_model *model = learned("treegru-context", cases[i].loss, 32, 1);
        double plain = first_plan(cases[i].tuner, space, cases[i].settings, NULL, 0, NULL);
        double taught = first_plan(cases[i].tuner, space, cases[i].settings, NULL, 0, model);

        if (!(taught > 1.4 * plain))
            fail_msg("%s: %g after %g", cases[i].tuner, taught, plain);
        opevo_cost_model_destroy(model);
    }
    opevo_space_destroy(space);
}

enum { TRIALS = 64, HALF = 40 };

/* One that is killed has the trials of one that is not; with another model it is another run. */
CHECK_TEST(test_resumed)
{
    static const struct {
        const char *tuner, *loss, *settings;
    } cases[] = {
        {"autotvm", "reg", "plan=16 chains=16 loss=reg model=treegru updates=3"},
        {"ansor", "reg", "batch=16 population=160 generations=2 model=treegru updates=3"},
        {"ansor", "reg", "batch=16 population=160 generations=2 warmup=20 trees=20"},
    };
    opevo_space *space = formula_space(taught_text);
    opevo_feature_source source = point_trees(space);
    formula objective = formula_on(space, 1, 5);
    opevo_index whole[TRIALS], cut[TRIALS], other[TRIALS];

    objective.super.trees = &source;
    for (size_t i = 0; i < 3; i++) {
        opevo_cost_model *model = learned("treegru", cases[i].loss, 16, 1);
        opevo_cost_model *second = learned("treegru", cases[i].loss, 16, 2);
        scratch_folder scratch = scratch_make();
        opevo_store *store = NULL;

        CHECK_OK(opevo_store_open(scratch.file, OPEVO_STORE_WRITE, &store, &err));
        taught_run(&objective.super, cases[i].tuner, cases[i].settings, model, NULL, TRIALS, whole);
        taught_run(&objective.super, cases[i].tuner, cases[i].settings, model, store, HALF, cut);
        assert_int_equal(taught_run(&objective.super, cases[i].tuner, cases[i].settings, second,
                                    store, TRIALS, other),
                         0);
        assert_int_equal(taught_run(&objective.super, cases[i].tuner, cases[i].settings, model,
                                    store, TRIALS, cut),
                         HALF);
        assert_memory_equal(whole, cut, sizeof whole);
        assert_memory_not_equal(whole, other, sizeof whole);
        opevo_store_close(store);
        scratch_remove(&scratch);
        opevo_cost_model_destroy(model);
        opevo_cost_model_destroy(second);
    }
    opevo_space_destroy(space);
}

CHECK_TEST(test_refused)
{
    static const struct {
        const char *tuner, *settings, *kind, *loss, *said;
    } cases[] = {
        {"autotvm", "model=treegru", "treegru-context", "rank", "use model=treegru-context"},
        {"autotvm", "", "treegru", "rank", "of the kind treegru: use model=treegru"},
        {"autotvm", "model=treegru loss=reg", "treegru", "rank", "learns with loss=reg"},
        {"ansor", "model=treegru", "treegru", "rank", "learns with loss=reg"},
        {"ansor", "", "treegru", "rank", "learns with loss=reg"},
        {"ansor", "search=random", "treegru", "reg", "leave out search=random"},
        {"random", "", "treegru", "rank", "random cannot start from a stored model"},
    };
    opevo_space *space = formula_space(taught_text);
    opevo_feature_source source = point_trees(space);
    opevo_cost_model *cut = NULL;
    opevo_tuner *tuner = NULL;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_cost_model *model = learned(cases[i].kind, cases[i].loss, 8, 1);

        tuner = tuner_make(cases[i].tuner, space, cases[i].settings, 1);
        CHECK_OK(opevo_tuner_use_trees(tuner, &source, &err));
        CHECK_FAILS(OPEVO_INVALID, cases[i].said, opevo_tuner_learn_model(tuner, model, &err));
        opevo_tuner_destroy(tuner);
        opevo_cost_model_destroy(model);
    }
    cut = learned("treegru", "rank", 8, 1);
    cut->weight_count--;
    tuner = tuner_make("autotvm", space, "model=treegru", 1);
    CHECK_OK(opevo_tuner_use_trees(tuner, &source, &err));
    CHECK_FAILS(OPEVO_INVALID, "learn it again", opevo_tuner_learn_model(tuner, cut, &err));
    opevo_tuner_destroy(tuner);
    tuner = tuner_make("ansor", space, "", 1);
    CHECK_FAILS(OPEVO_INVALID, "the objective has none: leave it out",
                opevo_tuner_learn_model(tuner, cut, &err));
    opevo_tuner_destroy(tuner);
    opevo_cost_model_destroy(cut);
    opevo_space_destroy(space);
}

CHECK_TEST(test_learning_is_refused)
{
    opevo_learn_plan plan = {.kind = "trees", .loss = "rank", .passes = 1};
    float row[OPEVO_LOOP_COLUMNS] = {0};
    opevo_earlier_tree failed = {.rows = row, .row_count = 1};
    opevo_cost_model *model = NULL;

    CHECK_FAILS(OPEVO_INVALID, "use treegru or treegru-context",
                opevo_cost_model_learn(&plan, &failed, 1, &model, &err));
    plan.kind = "treegru";
    CHECK_FAILS(OPEVO_INVALID, "No trial has succeeded",
                opevo_cost_model_learn(&plan, &failed, 1, &model, &err));
    plan.loss = "order";
    CHECK_FAILS(OPEVO_INVALID, "neither rank nor reg",
                opevo_cost_model_learn(&plan, &failed, 1, &model, &err));
    assert_null(model);
}

/* ---- Acquisition ---- */

/* E max(x - 1, 0) of a normal x, by Simpson's rule over 12 standard deviations. */
static double integral(double mean, double deviation)
{
    enum { STEPS = 20000 };
    double sum = 0, width = 24.0 / STEPS;

    for (int i = 0; i <= STEPS; i++) {
        double z = -12 + i * width, x = mean + deviation * z;
        double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;

        sum += weight * fmax(x - 1, 0) * exp(-z * z / 2);
    }
    return sum * width / 3 / sqrt(2 * M_PI);
}

CHECK_TEST(test_acquisition_values)
{
    for (double mean = 0.2; mean < 1.5; mean += 0.3) {
        for (double deviation = 0.05; deviation < 2; deviation *= 3) {
            double value = opevo_i_tvm_acquisition_value(OPEVO_I_ACQUISITION_EI, mean, deviation);

            CHECK_CLOSE(value, integral(mean, deviation), 1e-7);
            CHECK_CLOSE(opevo_i_tvm_acquisition_value(OPEVO_I_ACQUISITION_UCB, mean, deviation),
                        mean + deviation, 1e-15);
        }
    }
    CHECK_CLOSE(opevo_i_tvm_acquisition_value(OPEVO_I_ACQUISITION_EI, 1.25, 0), 0.25, 0);
    CHECK_CLOSE(opevo_i_tvm_acquisition_value(OPEVO_I_ACQUISITION_EI, 0.5, 0), 0, 0);
    CHECK_CLOSE(opevo_i_tvm_acquisition_value(OPEVO_I_ACQUISITION_MEAN, 0.5, 2), 0.5, 0);
}

CHECK_TEST(test_acquisition_needs_values)
{
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_space *space = formula_space(taught_text);
    const opevo_tuner_ops *ops = NULL;
    opevo_tuner *tuner = NULL;

    CHECK_OK(opevo_tuner_find("autotvm", &ops, &err));
    formula_settings(ops, "acquisition=ei", values);
    CHECK_FAILS(OPEVO_INVALID, "use loss=reg",
                opevo_tuner_create(ops, space, values, 1, &tuner, &err));
    opevo_space_destroy(space);
}

/* Runs by each are runs of their own, and are reproducible and resumed. */
CHECK_TEST(test_acquisition_runs)
{
    static const char *const settings[] = {
        "plan=16 chains=16 loss=reg trees=20", "plan=16 chains=16 loss=reg trees=20 acquisition=ei",
        "plan=16 chains=16 loss=reg trees=20 acquisition=ucb",
        "plan=16 chains=16 loss=reg model=treegru updates=3 acquisition=ucb"};
    opevo_space *space = formula_space(taught_text);
    opevo_feature_source source = point_trees(space);
    formula objective = formula_on(space, 1, 5);
    opevo_index whole[4][TRIALS], cut[TRIALS];

    objective.super.trees = &source;
    for (size_t i = 0; i < 4; i++) {
        scratch_folder scratch = scratch_make();
        opevo_store *store = NULL;

        CHECK_OK(opevo_store_open(scratch.file, OPEVO_STORE_WRITE, &store, &err));
        taught_run(&objective.super, "autotvm", settings[i], NULL, NULL, TRIALS, whole[i]);
        taught_run(&objective.super, "autotvm", settings[i], NULL, store, HALF, cut);
        taught_run(&objective.super, "autotvm", settings[i], NULL, store, TRIALS, cut);
        assert_memory_equal(whole[i], cut, sizeof cut);
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(whole[i], whole[k], sizeof cut);
        opevo_store_close(store);
        scratch_remove(&scratch);
    }
    opevo_space_destroy(space);
}
