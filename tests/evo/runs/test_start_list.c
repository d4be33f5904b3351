/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a run takes from users and from earlier runs: start points by text, by run and by related
 * runs, and trials to learn from. */

#include "formula.h"
#include "scratch_folder.h"

#include <opevo/run.h>
#include <opevo/start_list.h>
#include <opevo/tuners.h>

enum { TRIALS = 30 };

static opevo_start_list *make_list(void)
{
    opevo_start_list *list = NULL;

    CHECK_OK(opevo_start_list_create(&list, &err));
    assert_int_equal(list->starts.count, 0);
    return list;
}

/* A run on a formula of this name in the store, of which the best trial is known. */
static opevo_run_result run(opevo_store *store, const opevo_space *space, const char *name,
                            uint64_t salt, unsigned fail_one_in)
{
    formula objective = formula_on(space, salt, fail_one_in);
    opevo_run_options options = {.seed = 1, .budget.trials = TRIALS, .store = store};
    opevo_run_result result;

    objective.super.name = name;
    CHECK_OK(opevo_tuner_find("random", &options.tuner, &err));
    CHECK_OK(opevo_run(&objective.super, &options, &result, &err));
    return result;
}

static const char space_text[] = "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 2]}, "
                                 "\"u\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 4]}, "
                                 "\"_constraints\": [\"u * K[0] <= 2048\"]}";

CHECK_TEST(texts)
{
    opevo_space *space = formula_space(space_text);
    opevo_start_list *list = make_list();
    formula objective = formula_on(space, 1, 0);
    const opevo_proposal own = {.point = 7, .origin = "default"};
    const opevo_starts starts = {.points = &own, .count = 1};
    opevo_text text = {0};

    CHECK_OK(opevo_start_list_add_text(list, space, "K=256,4 u=2", &err));
    CHECK_OK(opevo_start_list_add_text(list, space, "{\"u\": 2, \"K\": [256, 4]}", &err));
    assert_int_equal(list->starts.count, 2);
    assert_true(list->starts.points[0].point == list->starts.points[1].point);
    opevo_space_print(space, list->starts.points[0].point, &text);
    assert_string_equal(opevo_text_string(&text), "K=256,4 u=2");
    CHECK_FAILS(OPEVO_INVALID, "a constraint forbids this configuration.",
                opevo_start_list_add_text(list, space, "K=1024,1 u=4", &err));
    CHECK_FAILS(OPEVO_INVALID, "give one JSON object",
                opevo_start_list_add_text(list, space, "{\"u\": ", &err));
    CHECK_OK(opevo_start_list_add_own(list, &objective.super, &err)); /* it has none */
    assert_int_equal(list->starts.count, 2);
    objective.super.starts = &starts;
    CHECK_OK(opevo_start_list_add_own(list, &objective.super, &err));
    assert_int_equal(list->starts.count, 3);
    assert_true(list->starts.points[2].point == 7);
    assert_string_equal(list->starts.points[2].origin, "default");
    opevo_text_free(&text);
    opevo_start_list_destroy(list);
    opevo_start_list_destroy(NULL);
    opevo_space_destroy(space);
}

/* Of its own space the best point itself; of another one what both have in common. */
CHECK_TEST(runs)
{
    opevo_space *space = formula_space(space_text);
    opevo_space *other = formula_space("{\"u\": {\"_type\": \"discrete\", \"_value\": [1, 3, 4]}}");
    opevo_space *foreign = formula_space("{\"z\": {\"_type\": \"discrete\", \"_value\": [1, 3]}}");
    formula here = formula_on(space, 1, 0), there = formula_on(other, 1, 0),
            away = formula_on(foreign, 1, 0);
    scratch_folder folder = scratch_make();
    opevo_start_list *list = make_list();
    opevo_store *store = NULL;
    opevo_run_result good, failed;
    opevo_index of_run[2];

    CHECK_OK(opevo_store_open(folder.file, OPEVO_STORE_WRITE, &store, &err));
    good = run(store, space, "formula", 1, 0);
    failed = run(store, space, "hopeless", 1, 1);
    CHECK_FAILS(OPEVO_INVALID, "no parameter of run 1 is one of this space",
                opevo_start_list_add_run(list, &away.super, store, good.run, &err));
    CHECK_OK(opevo_start_list_add_run(list, &here.super, store, good.run, &err));
    CHECK_OK(opevo_start_list_add_run(list, &here.super, store, good.run, &err)); /* has it */
    assert_int_equal(list->starts.count, 1);
    assert_true(list->starts.points[0].point == good.best.proposal.point);
    CHECK_FAILS(OPEVO_INVALID, "has no run 9",
                opevo_start_list_add_run(list, &here.super, store, 9, &err));
    CHECK_FAILS(OPEVO_INVALID, "no trial of run 2 succeeded",
                opevo_start_list_add_run(list, &here.super, store, failed.run, &err));
    opevo_start_list_destroy(list);
    list = make_list();
    CHECK_OK(opevo_start_list_add_run(list, &there.super, store, good.run, &err));
    opevo_space_decode(space, good.best.proposal.point, of_run);
    {
        const double values[] = {0, 1, 2, 4}, others[] = {1, 3, 4};
        double wanted = values[of_run[1]], got = others[list->starts.points[0].point];

        for (size_t i = 0; i < 3; i++)
            assert_true(fabs(others[i] - wanted) >= fabs(got - wanted));
    }
    opevo_start_list_destroy(list);
    opevo_store_close(store);
    opevo_space_destroy(space);
    opevo_space_destroy(other);
    opevo_space_destroy(foreign);
    scratch_remove(&folder);
}

/* The nearest extents first, no other device, template, kind or text, and not the operator
 * itself. */
CHECK_TEST(related_runs)
{
    static const struct {
        const char *name, *wanted[3];
    } cases[] = {
        {"cpu:cpu matmul(512,512,512)",
         {"cpu:cpu matmul(512,512,256)", "cpu:cpu matmul(512,512,2048)",
          "cpu:cpu matmul(64,64,64)"}},
        {"cpu:sketch A[i:512] = X[i]*2", {"cpu:sketch A[i:500] = X[i]*2", NULL}},
    };
    static const char *const names[] = {
        "cpu:cpu matmul(64,64,64)",      "cpu:cpu matmul(512,512,512)",
        "cpu:cpu matmul(512,512,2048)",  "cuda:0:cuda matmul(512,512,511)",
        "cpu:other matmul(512,512,510)", "cpu:cpu matmul(512,512,256)",
        "cpu:cpu dense(512,512,256)",    "cpu:sketch A[i:500] = X[i]*2",
        "cpu:sketch A[i:512] = X[i]+2"};
    opevo_space *space = formula_space(space_text);
    scratch_folder folder = scratch_make();
    opevo_run_result results[sizeof names / sizeof *names];
    opevo_store *store = NULL;

    CHECK_OK(opevo_store_open(folder.file, OPEVO_STORE_WRITE, &store, &err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        results[i] = run(store, space, names[i], 100 + i, 0);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t most = 1; most <= 3; most++) {
            formula objective = formula_on(space, 1, 0);
            opevo_start_list *list = make_list();
            size_t count = 0;

            objective.super.name = cases[c].name;
            CHECK_OK(opevo_start_list_add_related(list, &objective.super, store, most, true, &err));
            while (count < most && cases[c].wanted[count]) {
                size_t at = 0;

                while (strcmp(names[at], cases[c].wanted[count]) != 0)
                    at++;
                assert_true(list->starts.points[count].point == results[at].best.proposal.point);
                count++;
            }
            assert_int_equal(list->starts.count, count);
            opevo_start_list_destroy(list);
        }
    }
    {
        formula objective = formula_on(space, 1, 0);
        opevo_start_list *list = make_list();

        objective.super.name = "cpu:cpu conv2d(1,2,3)";
        CHECK_FAILS(OPEVO_MISMATCH, "it has no run of cpu:cpu conv2d with other extents.",
                    opevo_start_list_add_related(list, &objective.super, store, 5, true, &err));
        CHECK_OK(opevo_start_list_add_related(list, &objective.super, store, 5, false, &err));
        assert_int_equal(list->starts.count, 0);
        opevo_start_list_destroy(list);
    }
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&folder);
}

CHECK_TEST(trials_to_learn_from)
{
    opevo_space *space = formula_space(space_text);
    scratch_folder folder = scratch_make();
    opevo_store *store = NULL;
    opevo_earlier earlier = {0};
    opevo_run_result first, second;
    formula objectives[2] = {formula_on(space, 5, 4), formula_on(space, 6, 0)};

    CHECK_OK(opevo_store_open(folder.file, OPEVO_STORE_WRITE, &store, &err));
    first = run(store, space, "first", 5, 4);
    second = run(store, space, "second", 6, 0);
    CHECK_OK(opevo_earlier_add(&earlier, store, first.run, space, &err));
    CHECK_OK(opevo_earlier_add(&earlier, store, second.run, space, &err));
    CHECK_FAILS(OPEVO_INVALID, "9", opevo_earlier_add(&earlier, store, 9, space, &err));
    opevo_store_close(store);
    assert_int_equal(earlier.count, 2 * TRIALS);
    for (size_t i = 0; i < earlier.count; i++) {
        const opevo_trial *trial = &earlier.trials[i];

        assert_int_equal(trial->number, i % TRIALS + 1);
        assert_string_equal(trial->proposal.origin, "earlier");
        assert_true(trial->outcome.fitness ==
                    formula_outcome(&objectives[i / TRIALS], trial->proposal.point).fitness);
    }
    opevo_earlier_free(&earlier);
    assert_int_equal(earlier.count, 0);
    opevo_space_destroy(space);
    scratch_remove(&folder);
}

CHECK_TEST(names_of_runs)
{
    const struct {
        const char *text, *path;
        int64_t run;
    } cases[] = {{"runs.db:12", "runs.db", 12},
                 {"runs.db", "runs.db", 0},
                 {"a:b", "a:b", 0},
                 {"/tmp/a:b:3", "/tmp/a:b", 3}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t run = -1;
        char *path = opevo_store_split(cases[i].text, &run);

        assert_string_equal(path, cases[i].path);
        assert_int_equal(run, cases[i].run);
        free(path);
    }
}
