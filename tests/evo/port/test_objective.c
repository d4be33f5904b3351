/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Outcomes and the calls of an objective. */

#include "formula.h"

CHECK_TEST(test_names)
{
    opevo_outcome_class kind = OPEVO_OUTCOME_OK;

    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        assert_true(opevo_outcome_parse(opevo_outcome_name((opevo_outcome_class)i), &kind));
        assert_int_equal(kind, i);
        assert_true(strlen(opevo_outcome_meaning(kind)) > 0);
    }
    assert_string_equal(opevo_outcome_name(OPEVO_OUTCOME_BUILD_ERROR), "build-error");
    assert_false(opevo_outcome_parse("OK", &kind));
    assert_false(opevo_outcome_parse("", &kind));
    /* Numbers of classes stand in files. */
    assert_int_equal(OPEVO_OUTCOME_OK, 0);
    assert_int_equal(OPEVO_OUTCOME_UNRECORDED, 7);
    assert_int_equal(OPEVO_OUTCOME_INFEASIBLE, 8);
}

CHECK_TEST(test_failed)
{
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT);

    assert_int_equal(outcome.kind, OPEVO_OUTCOME_TIMEOUT);
    assert_true(outcome.fitness == 0 && isnan(outcome.time_s));
    assert_true(opevo_outcome_cost_s(&outcome) == 0);
    outcome.build_s = 1;
    outcome.run_s = 2;
    outcome.check_s = 4;
    outcome.other_s = 8;
    assert_true(opevo_outcome_cost_s(&outcome) == 15);
}

static opevo_outcome raw;

static opevo_status give_raw(opevo_objective *self, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    for (size_t i = 0; i < count; i++)
        outcomes[i] = raw;
    return OPEVO_OK;
}

static opevo_outcome evaluate_raw(opevo_outcome given)
{
    static const opevo_objective_ops ops = {.evaluate = give_raw, .destroy = formula_destroy};
    opevo_objective objective = {.ops = &ops};
    opevo_index point = 0;
    opevo_outcome got;

    raw = given;
    CHECK_OK(opevo_objective_evaluate(&objective, &point, 1, &got, &err));
    return got;
}

CHECK_TEST(test_cleaning)
{
    const double bad[] = {NAN, INFINITY, -INFINITY, -1, -0.0};
    opevo_outcome got;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        got = evaluate_raw((opevo_outcome){.fitness = bad[i], .time_s = 2, .build_s = bad[i]});
        assert_int_equal(got.kind, OPEVO_OUTCOME_OK);
        assert_true(got.fitness == 0 && !signbit(got.fitness) && got.time_s == 2);
        assert_true(opevo_outcome_cost_s(&got) == 0);
    }
    got = evaluate_raw(
        (opevo_outcome){.kind = OPEVO_OUTCOME_WRONG, .fitness = 3, .time_s = 1, .check_s = 4});
    assert_int_equal(got.kind, OPEVO_OUTCOME_WRONG);
    assert_true(got.fitness == 0 && isnan(got.time_s) && got.check_s == 4);
    got = evaluate_raw((opevo_outcome){.fitness = 1e300, .run_s = 1e-300});
    assert_true(got.fitness == 1e300 && got.run_s == 1e-300);
}

/* Criteria are finite or not known; a failure has none, nor has an objective more than it lists. */
CHECK_TEST(test_cleaning_criteria)
{
    static const opevo_criterion listed[] = {{"error", "", false}, {"energy", "J", false}};
    static const opevo_objective_ops ops = {.evaluate = give_raw, .destroy = formula_destroy};
    opevo_objective objective = {.ops = &ops, .criteria = listed, .more_count = 2};
    opevo_index point = 0;
    opevo_outcome got;

    raw = (opevo_outcome){.fitness = 1, .more = {-3, INFINITY, 5}};
    CHECK_OK(opevo_objective_evaluate(&objective, &point, 1, &got, &err));
    assert_true(opevo_outcome_criterion(&got, 0) == 1 && opevo_outcome_criterion(&got, 1) == -3);
    assert_true(isnan(got.more[1]) && isnan(got.more[2]));
    raw.kind = OPEVO_OUTCOME_WRONG;
    CHECK_OK(opevo_objective_evaluate(&objective, &point, 1, &got, &err));
    assert_true(isnan(got.more[0]) && isnan(got.more[1]) && isnan(got.more[2]));
    got = evaluate_raw((opevo_outcome){.fitness = 1});
    assert_true(isnan(got.more[0]) && isnan(got.more[1]) && isnan(got.more[2]));
}

CHECK_TEST(test_time_of_a_fitness)
{
    static const struct {
        const char *unit;
        double flop, fitness, time_s;
    } rows[] = {{"1/s", 0, 4, 0.25},       {"ms", 1e9, 4, 0.25},         {"GFLOP/s", 3e9, 4, 0.75},
                {"TFLOP/s", 3e9, 4, 0.75}, {"GFLOP/s", 0, 4, NAN},       {"score", 1e9, 4, NAN},
                {"us", 0, 0, INFINITY},    {"GFLOP/s", 1e9, 0, INFINITY}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_objective objective = {.unit = rows[i].unit, .flop = rows[i].flop};
        double time_s = opevo_objective_time_s(&objective, rows[i].fitness);

        assert_true(time_s == rows[i].time_s || (isnan(time_s) && isnan(rows[i].time_s)));
    }
}

CHECK_TEST(test_optimum_unknown)
{
    opevo_space *space = formula_space("{\"a\": {\"_type\": \"choice\", \"_value\": [1, 2]}}");
    formula objective = formula_on(space, 1, 0);
    opevo_optimum optimum = {.known = true};

    CHECK_OK(opevo_objective_optimum(&objective.super, &optimum, &err));
    assert_false(optimum.known);
    CHECK_OK(opevo_objective_evaluate(&objective.super, NULL, 0, NULL, &err));
    opevo_objective_destroy(NULL);
    opevo_space_destroy(space);
}
