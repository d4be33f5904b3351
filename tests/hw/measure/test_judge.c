/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A judge of kernels whose times are known: medians, ratios, signs and floors in closed form, what
 * fails on the way, and a machine that becomes faster meanwhile. */

#include "check.h"

#include <opevo/judge.h>
#include <opevo/space.h>

enum { ROUNDS = 15 };

/* Its n-th call takes base_s + step_s * (n % 3); call `fails` and those behind it are wrong. */
typedef struct timed {
    opevo_objective super;
    double base_s, step_s;
    size_t calls, fails; /* 0: none */
} timed;

static opevo_status evaluate(opevo_objective *super, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *error)
{
    timed *self = (timed *)super;

    (void)points, (void)error;
    for (size_t i = 0; i < count; i++) {
        double time_s = self->base_s + self->step_s * (double)(self->calls % 3);

        self->calls++;
        outcomes[i] = opevo_outcome_of_time(time_s);
        if (self->fails && self->calls >= self->fails) {
            outcomes[i] = opevo_outcome_failed(OPEVO_OUTCOME_WRONG);
            outcomes[i].message = "planted";
        }
    }
    return OPEVO_OK;
}

static const opevo_objective_ops timed_ops = {.kind = "timed", .evaluate = evaluate};

static void judge(timed *kernels, const bool *baseline, const double *floors, size_t count,
                  opevo_judge_verdict *out)
{
    const opevo_judge_options options = {.rounds = ROUNDS, .seed = 7};
    opevo_judge_kernel list[8];
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse("{\"p\": {\"_type\": \"discrete\", \"_value\": [1]}}", "test", "",
                               &space, &err));
    for (size_t i = 0; i < count; i++) {
        kernels[i].super =
            (opevo_objective){.ops = &timed_ops, .space = space, .name = "timed", .unit = "ms"};
        list[i] = (opevo_judge_kernel){.objective = &kernels[i].super,
                                       .baseline = baseline[i],
                                       .floor_s = floors ? floors[i] : 0};
    }
    CHECK_OK(opevo_judge(list, count, &options, out, &err));
    opevo_space_destroy(space);
}

/* Medians of three equally frequent times are the middle ones; a kernel of half the time wins every
 * round: 2^-14 by the sign test. */
CHECK_TEST(test_times)
{
    timed kernels[] = {{.base_s = 1e-3, .step_s = 1e-5}, {.base_s = 2e-3}};
    static const bool baseline[] = {false, true};
    opevo_judge_verdict verdict;

    judge(kernels, baseline, NULL, 2, &verdict);
    CHECK_CLOSE(verdict.results[0].median_s, 1.01e-3, 1e-12);
    CHECK_CLOSE(verdict.results[1].median_s, 2e-3, 1e-12);
    assert_true(verdict.results[0].speedup > 1.95 && verdict.results[0].speedup < 2.05);
    CHECK_CLOSE(verdict.results[0].probability, 0x1p-14, 1e-12);
    assert_true(verdict.results[0].faster);
    assert_int_equal(verdict.baseline, 1);
    assert_int_equal(verdict.winner, 0);
    assert_int_equal(verdict.twin, 1); /* a baseline */
    assert_false(verdict.biased);
    assert_true(isnan(verdict.results[1].speedup));
    assert_int_equal(kernels[0].calls, ROUNDS + 1);
    assert_int_equal(kernels[1].calls, 2 * ROUNDS + 1);
    opevo_judge_verdict_free(&verdict);
}

/* One that becomes wrong after it has won is not timed on, and nothing is said of its times. */
CHECK_TEST(test_failures)
{
    timed kernels[] = {{.base_s = 1e-3}, {.base_s = 1e-4, .fails = 9}, {.base_s = 1, .fails = 1}};
    static const bool baseline[] = {false, false, true};
    opevo_judge_verdict verdict;

    judge(kernels, baseline, NULL, 3, &verdict);
    assert_int_equal(verdict.results[1].kind, OPEVO_OUTCOME_WRONG);
    assert_string_equal(opevo_text_string(&verdict.results[1].why), "planted");
    assert_int_equal(verdict.results[1].count, 7);
    assert_int_equal(kernels[1].calls, 9);
    assert_true(isnan(verdict.results[1].median_s));
    assert_int_equal(kernels[2].calls, 1);
    assert_int_equal(verdict.baseline, 3);
    assert_int_equal(verdict.winner, 0);
    assert_int_equal(verdict.twin, 0);
    opevo_judge_verdict_free(&verdict);
}

/* A device of 10^9 operations a second needs 1 ms for a million, and half of that is the floor. */
CHECK_TEST(test_floor)
{
    const double floor_s = opevo_judge_floor_s(1e6, 4e3, 1e9);
    const double floors[] = {floor_s, floor_s};
    timed kernels[] = {{.base_s = 0.6e-3}, {.base_s = 0.4e-3}};
    static const bool baseline[] = {true, false};
    opevo_judge_verdict verdict;

    CHECK_CLOSE(floor_s, 0.5e-3, 1e-15);
    CHECK_CLOSE(opevo_judge_floor_s(1e3, 4e6, 1e9), 0.5e-3, 1e-15);
    assert_true(opevo_judge_floor_s(1e6, 1e6, 0) == 0);
    judge(kernels, baseline, floors, 2, &verdict);
    assert_false(verdict.results[0].impossible);
    assert_true(verdict.results[1].impossible);
    assert_false(verdict.results[1].faster);
    assert_true(isnan(verdict.results[1].speedup));
    assert_int_equal(verdict.winner, 0);
    opevo_judge_verdict_free(&verdict);
}

/* Each call takes less than the one before it. */
static opevo_status fall(opevo_objective *super, const opevo_index *points, size_t count,
                         opevo_outcome *outcomes, opevo_error *error)
{
    timed *self = (timed *)super;

    (void)points, (void)count, (void)error;
    outcomes[0] = opevo_outcome_of_time(pow(0.95, (double)self->calls++));
    return OPEVO_OK;
}

static const opevo_objective_ops falling_ops = {.kind = "falling", .evaluate = fall};

/* The order in a round is random, so that a drift favours neither of two equal kernels. */
CHECK_TEST(test_drift)
{
    timed kernel = {.calls = 0};
    opevo_space *space = NULL;
    opevo_judge_verdict verdict;
    const opevo_judge_options options = {.rounds = 101, .seed = 3};
    opevo_judge_kernel one = {.objective = &kernel.super};

    CHECK_OK(opevo_space_parse("{\"p\": {\"_type\": \"discrete\", \"_value\": [1]}}", "test", "",
                               &space, &err));
    kernel.super =
        (opevo_objective){.ops = &falling_ops, .space = space, .name = "falling", .unit = "ms"};
    CHECK_OK(opevo_judge(&one, 1, &options, &verdict, &err));
    assert_int_equal(verdict.twin, 0);
    assert_false(verdict.biased);
    assert_true(verdict.twin_probability > 0.05);
    opevo_judge_verdict_free(&verdict);
    opevo_space_destroy(space);
}

CHECK_TEST(test_no_rounds)
{
    const opevo_judge_options options = {.rounds = 0};
    opevo_judge_verdict verdict;

    assert_int_equal(opevo_judge(NULL, 0, &options, &verdict, NULL), OPEVO_INVALID);
    opevo_judge_verdict_free(&verdict);
}
