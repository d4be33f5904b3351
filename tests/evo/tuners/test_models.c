/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The setting `model`: refusals, runs that are killed and go on with a trained network, searches
 * that learn by networks and by views of loop trees, and a planted function of trees that no vector
 * of the numbers of loops can express. */

#include "tuner_fixture.h"

#include <opevo/memory.h>
#include <opevo/run.h>

#include "models_internal.h"
#include "scratch_folder.h"
#include "taught_fixture.h"
#include "trees_model_internal.h"

#include "cost_model_internal.h"

static const char *const learners[] = {"autotvm", "ansor"};
static const char *const choices[] = {"model=treegru", "model=treegru-context", "features=loops",
                                      "features=relation"};

/* ---- Refusals ---- */

CHECK_TEST(test_without_trees)
{
    opevo_space *space = formula_space(taught_text);

    for (size_t l = 0; l < 2; l++) {
        for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
            opevo_tuner *tuner = tuner_make(learners[l], space, choices[c], 1);
            opevo_feature_source trees = point_trees(space);

            CHECK_FAILS(OPEVO_INVALID, choices[c], opevo_tuner_use_trees(tuner, NULL, &err));
            CHECK_FAILS(OPEVO_INVALID, "the objective has none",
                        opevo_tuner_use_trees(tuner, NULL, &err));
            CHECK_OK(opevo_tuner_use_trees(tuner, &trees, &err));
            opevo_tuner_destroy(tuner);
        }
    }
    opevo_space_destroy(space);
}

/* A setting that nothing reads would make two contenders of one; at its default
 * it claims nothing. */
CHECK_TEST(test_idle_settings)
{
    static const struct {
        const char *tuner, *settings, *said;
    } cases[] = {
        {"autotvm", "updates=51", "updates= has no effect with model=trees: leave it out."},
        {"ansor", "updates=49", "updates= has no effect with model=trees: leave it out."},
        {"autotvm", "model=treegru features=loops", "features= has no effect with model=treegru:"},
        {"autotvm", "model=treegru-context trees=10", "trees= has no effect with model=treegru-c"},
        {"ansor", "model=treegru trees=10", "trees= has no effect with model=treegru:"},
        {"ansor", "search=random model=treegru", "model= has no effect with search=random:"},
        {"ansor", "search=random updates=3", "updates= has no effect with search=random:"},
        {"ansor", "search=random warmup=3", "warmup= has no effect with search=random:"},
        {"ansor", "search=beam crossover=0.5", "crossover= has no effect with search=beam:"},
        {"ansor", "search=beam generations=3", "generations= has no effect with search=beam:"},
        {"autotvm", "updates=50", NULL},
        {"autotvm", "model=treegru updates=3", NULL},
        {"ansor", "search=beam model=treegru updates=3 warmup=5", NULL},
        {"ansor", "search=random batch=5 population=30 patience=9 minimum=20", NULL},
    };
    opevo_space *space = formula_space(taught_text);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_setting_value values[FORMULA_SETTINGS_MOST];
        const opevo_tuner_ops *ops = NULL;
        opevo_tuner *tuner = NULL;

        CHECK_OK(opevo_tuner_find(cases[i].tuner, &ops, &err));
        formula_settings(ops, cases[i].settings, values);
        if (cases[i].said)
            CHECK_FAILS(OPEVO_INVALID, cases[i].said,
                        opevo_tuner_create(ops, space, values, 1, &tuner, &err));
        else
            CHECK_OK(opevo_tuner_create(ops, space, values, 1, &tuner, &err));
        opevo_tuner_destroy(tuner);
    }
    opevo_space_destroy(space);
}

/* ---- Runs ---- */

enum { TRIALS = 64, HALF = 40 };

static const char *const small[] = {"plan=16 chains=16",
                                    "batch=16 warmup=16 population=160 generations=2"};

/* What a choice of the list of all adds to them: few steps, or few trees. */
static const char *few(const char *choice)
{
    return strstr(choice, "model") ? "updates=3" : "trees=20";
}

/* A run that ended and goes on has the trials of one that did not; another model has others. */
CHECK_TEST(test_resumed)
{
    opevo_space *space = formula_space(taught_text);
    opevo_feature_source trees = point_trees(space);
    formula objective = formula_on(space, 1, 5);
    opevo_index whole[TRIALS], cut[TRIALS], of_trees[TRIALS];

    objective.super.trees = &trees;
    for (size_t l = 0; l < 2; l++) {
        char plain[128];

        snprintf(plain, sizeof plain, "%s trees=20", small[l]);
        taught_run(&objective.super, learners[l], plain, NULL, NULL, TRIALS, of_trees);
        for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
            scratch_folder scratch = scratch_make();
            opevo_store *store = NULL;
            char settings[128];

            snprintf(settings, sizeof settings, "%s %s %s", small[l], choices[c], few(choices[c]));
            CHECK_OK(opevo_store_open(scratch.file, OPEVO_STORE_WRITE, &store, &err));
            taught_run(&objective.super, learners[l], settings, NULL, NULL, TRIALS, whole);
            taught_run(&objective.super, learners[l], settings, NULL, store, HALF, cut);
            assert_int_equal(
                taught_run(&objective.super, learners[l], settings, NULL, store, TRIALS, cut),
                HALF);
            assert_memory_equal(whole, cut, sizeof whole);
            assert_memory_not_equal(whole, of_trees, sizeof whole);
            opevo_store_close(store);
            scratch_remove(&scratch);
        }
    }
    opevo_space_destroy(space);
}

/* ---- Transfer ---- */

CHECK_TEST(test_transfer)
{
    static const char *const learns[] = {
        "history=10 chains=32 model=treegru-context updates=60",
        "history=10 chains=32 steps=50 trees=40 features=relation"};
    static opevo_earlier_tree trees[EARLIER];
    static float rows[EARLIER * 16 * OPEVO_LOOP_COLUMNS];
    opevo_space *space = formula_space(taught_text), *other = formula_space(taught_other_text);

    make_earlier(other, trees, rows);
    for (size_t i = 0; i < 2; i++) {
        double plain = first_plan("autotvm", space, learns[i], NULL, 0, NULL);
        double taught = first_plan("autotvm", space, learns[i], trees, EARLIER, NULL);

        if (!(taught > 1.5 * plain))
            fail_msg("%s: %g after %g", learns[i], taught, plain);
    }
    opevo_space_destroy(space);
    opevo_space_destroy(other);
}

CHECK_TEST(test_transfer_is_refused)
{
    static const char *const names[] = {"autotvm", "ansor", "random"};
    opevo_space *space = formula_space(taught_text);
    float row[OPEVO_LOOP_COLUMNS] = {0};
    opevo_earlier_tree tree = {.rows = row, .row_count = 1, .fitness = 1};

    for (size_t i = 0; i < 3; i++) {
        opevo_tuner *tuner = tuner_make(names[i], space, "", 1);

        CHECK_FAILS(OPEVO_INVALID, i < 2 ? "use model=treegru-context" : "random cannot learn",
                    opevo_tuner_learn_trees(tuner, &tree, 1, &err));
        opevo_tuner_destroy(tuner);
    }
    opevo_space_destroy(space);
}

/* ---- A planted function ---- */

enum { LOOPS = 5, TAUGHT = 400, ASKED = 200, ALL = TAUGHT + ASKED };

/* Trees of the same five loops, of which each has a kind of its own, in any nesting. The label says
 * whether the last loop lies in the second, at any depth. */
typedef struct planted {
    float rows[ALL][LOOPS][OPEVO_LOOP_COLUMNS];
    size_t rows_of[ALL];
    float labels[ALL];
} planted;

static void plant(planted *self)
{
    opevo_rng rng;

    memset(self, 0, sizeof *self);
    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t t = 0; t < ALL; t++) {
        size_t order[LOOPS], parent[LOOPS], second = 0, at = 0;

        self->rows_of[t] = LOOPS;
        opevo_rng_order(&rng, order, LOOPS);
        for (size_t i = 0; i < LOOPS; i++) {
            float *row = self->rows[t][i];

            parent[i] = i ? (size_t)opevo_rng_below(&rng, i) : 0;
            row[OPEVO_LOOP_PARENT] = (float)(i - parent[i]);
            row[OPEVO_LOOP_NAME] = row[OPEVO_LOOP_KIND] = (float)order[i];
            second = order[i] == 1 ? i : second;
            at = order[i] == LOOPS - 1 ? i : at;
        }
        while (at > 0 && self->labels[t] == 0) {
            at = parent[at];
            self->labels[t] = at == second;
        }
    }
}

/* The share of pairs of a tree of label 1 and one of label 0, of those asked, that the scores put
 * in order; equal scores count half. */
static double area_of(const planted *of, const float *scores)
{
    double good = 0, pairs = 0;

    for (size_t i = 0; i < ASKED; i++) {
        for (size_t j = 0; j < ASKED; j++) {
            if (!(of->labels[TAUGHT + i] > of->labels[TAUGHT + j]))
                continue;
            pairs++;
            good += scores[i] > scores[j] ? 1 : scores[i] < scores[j] ? 0 : 0.5;
        }
    }
    return good / pairs;
}

static const opevo_i_tvm_boosting boosting = {.loss = OPEVO_I_LOSS_SQUARED,
                                              .depth = 6,
                                              .child_weight = 1,
                                              .eta = 0.3,
                                              .rounds = 100,
                                              .patience = 100,
                                              .stride = 1};

static double learn(const opevo_i_model_ops *ops, size_t width, const float *rows,
                    const size_t *rows_of, size_t rows_each, const planted *of)
{
    opevo_rng rng;
    opevo_i_model_plan plan = {.width = width,
                               .loss = OPEVO_I_LOSS_SQUARED,
                               .rng = &rng,
                               .updates = 400,
                               .boosting = &boosting};
    opevo_i_model_samples samples = {
        .count = TAUGHT, .features = rows, .rows = rows_of, .labels = of->labels};
    opevo_i_model *model = NULL;
    float scores[ASKED];

    opevo_rng_init(&rng, 2, "test", 0);
    model = ops->create(&plan);
    assert_non_null(model);
    CHECK_OK(ops->train(model, &samples, &err));
    CHECK_OK(ops->predict(model, rows + TAUGHT * rows_each * width,
                          rows_of ? rows_of + TAUGHT : NULL, ASKED, scores, &err));
    ops->destroy(model);
    return area_of(of, scores);
}

/* Of 200 trees with coin flips for scores the area has a standard error of 0.041. */
CHECK_TEST(test_planted)
{
    static planted of;
    static float views[ALL * 1024];
    opevo_feature_source none = {.count = OPEVO_LOOP_COLUMNS, .rows_most = OPEVO_LOOP_TREE_ROWS};

    plant(&of);
    assert_true(learn(&opevo_i_tree_gru_ops, OPEVO_LOOP_COLUMNS, of.rows[0][0], of.rows_of, LOOPS,
                      &of) > 0.95);
    assert_true(learn(&opevo_i_tree_gru_context_ops, OPEVO_LOOP_COLUMNS, of.rows[0][0], of.rows_of,
                      LOOPS, &of) > 0.95);
    for (unsigned kind = OPEVO_I_VIEW_LOOPS; kind <= OPEVO_I_VIEW_RELATION; kind++) {
        opevo_i_tree_view *view = opevo_i_tree_view_create((opevo_i_tree_view_kind)kind, &none);
        size_t width = opevo_i_tree_view_source(view)->count;

        assert_true(width <= 1024);
        for (size_t t = 0; t < ALL; t++)
            opevo_i_tree_view_row(view, of.rows[t][0], LOOPS, views + t * width);
        assert_true(learn(&opevo_i_trees_ops, width, views, NULL, 1, &of) < 0.62);
        opevo_i_tree_view_destroy(view);
    }
}

/* ---- Views ---- */

/* Two loops around each other: 8 that touches 16 elements of the first buffer, 5 times each, and 2
 * that touches 2 elements, 3 times each; and a loop beside. */
CHECK_TEST(test_relation)
{
    enum { T = 24 };
    const opevo_loop_node nodes[] = {
        {.parent = SIZE_MAX, .extent = 8, .top_down = 8, .bottom_up = 16, .touches = {{16, 5, 2}}},
        {.parent = 0,
         .name = 1,
         .extent = 4,
         .top_down = 32,
         .bottom_up = 4,
         .touches = {{4, 9, 1}}},
        {.parent = 0,
         .name = 2,
         .extent = 2,
         .top_down = 64,
         .bottom_up = 2,
         .touches = {{2, 3, 1}}},
    };
    opevo_feature_source none = {.count = OPEVO_LOOP_COLUMNS, .rows_most = OPEVO_LOOP_TREE_ROWS};
    opevo_i_tree_view *view = opevo_i_tree_view_create(OPEVO_I_VIEW_RELATION, &none);
    float rows[3][OPEVO_LOOP_COLUMNS], out[1024];

    for (size_t i = 0; i < 3; i++)
        opevo_loop_node_write(&nodes[i], i, rows[i]);
    opevo_i_tree_view_row(view, rows[0], 3, out);
    for (size_t t = 0; t < T; t++) {
        double threshold = (double)t + 1.5;
        bool inner = log2(3) < threshold, outer = log2(17) < threshold;

        CHECK_CLOSE(out[t], outer ? log2(6) : inner ? log2(4) : 0, 1e-6);
        CHECK_CLOSE(out[T + t], inner ? 6 : 0, 1e-6);
    }
    for (size_t i = 2 * T; i < opevo_i_tree_view_source(view)->count; i++)
        CHECK_CLOSE(out[i], 0, 0);
    opevo_i_tree_view_destroy(view);
}
