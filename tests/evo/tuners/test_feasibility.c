/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The probability to succeed against its sums, written out. */

#include "check_memory.h"
#include "walk_kernel_fixture.h"

#include "feasibility_internal.h"

enum { TOLD = 60, AT = 50 };

static const char case_space[] =
    "{\"a\": {\"_type\": \"factor\", \"_value\": [32, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [1, 2, 3, 4, 6, 8]}, \"c\": {\"_type\": \"choice\", \"_value\": [0, 1, 2]}}";

typedef struct outcomes {
    walk_fixture fixture; /* its points are those told */
    opevo_i_qgp_points at;
    bool ok[TOLD];
    opevo_i_qgp_feasibility *success;
    opevo_rng rng;
} outcomes;

static void outcomes_init(outcomes *self, uint64_t seed)
{
    opevo_rng_init(&self->rng, seed, "test", 0);
    self->fixture = walk_fixture_open(case_space);
    CHECK_OK(opevo_i_qgp_points_init(&self->at, self->fixture.kernel, &err));
    walk_fixture_add_some(&self->fixture, TOLD, &self->rng);
    for (size_t i = 0; i < AT; i++)
        CHECK_OK(opevo_i_qgp_points_add(
            &self->at, self->fixture.kernel,
            opevo_rng_below_wide(&self->rng, opevo_space_size(self->fixture.space)), 0, &err));
    /* Two of three values of c fail, and a few points besides. */
    for (size_t i = 0; i < TOLD; i++)
        self->ok[i] = self->fixture.points.values[2][i] == 1 && opevo_rng_below(&self->rng, 8) > 0;
    self->success = opevo_i_qgp_feasibility_create(self->fixture.kernel);
    assert_non_null(self->success);
}

static void outcomes_tell(outcomes *self, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        CHECK_OK(opevo_i_qgp_feasibility_tell(self->success, &self->fixture.points, i, self->ok[i],
                                              &err));
}

static void outcomes_clear(outcomes *self)
{
    opevo_i_qgp_feasibility_destroy(self->success);
    opevo_i_qgp_points_clear(&self->at);
    walk_fixture_close(&self->fixture);
}

/* (r / 2 + sum of C ok) / (1 / 2 + sum of C) over the outcomes told but one (`without`). */
static double direct(const outcomes *self, size_t told, size_t without,
                     const opevo_i_qgp_points *at, size_t j)
{
    double successes = 0;
    double good = 0;
    double all = 0;

    for (size_t i = 0; i < told; i++) {
        double weight =
            walk_fixture_correlation(&self->fixture, opevo_i_qgp_feasibility_levels(self->success),
                                     &self->fixture.points, i, at, j);

        /* cppcheck-suppress arrayIndexOutOfBoundsCond ; told is smaller */
        successes += self->ok[i];
        if (i == without)
            continue;
        all += weight;
        good += self->ok[i] ? weight : 0;
    }
    return (0.5 * (successes + 1) / ((double)told + 1) + good) / (0.5 + all);
}

static double direct_likelihood(const outcomes *self)
{
    double sum = 0;

    for (size_t i = 0; i < TOLD; i++) {
        double p = direct(self, TOLD, i, &self->fixture.points, i);

        sum += log(self->ok[i] ? p : 1 - p);
    }
    return sum;
}

CHECK_TEST(test_formula)
{
    float probability[AT];

    for (uint64_t seed = 1; seed <= 4; seed++) {
        outcomes one;

        outcomes_init(&one, seed);
        outcomes_tell(&one, 0, TOLD);
        for (int round = 0; round < 4; round++) { /* fits change the levels */
            CHECK_OK(
                opevo_i_qgp_feasibility_predict(one.success, &one.at, 0, AT, probability, &err));
            for (size_t j = 0; j < AT; j++) {
                CHECK_CLOSE((double)probability[j], direct(&one, TOLD, TOLD, &one.at, j), 1e-5);
                assert_true(probability[j] > 0 && probability[j] < 1);
            }
            CHECK_OK(
                opevo_i_qgp_feasibility_predict(one.success, &one.at, 20, 10, probability, &err));
            for (size_t j = 0; j < 10; j++)
                CHECK_CLOSE((double)probability[j], direct(&one, TOLD, TOLD, &one.at, 20 + j),
                            1e-5);
            CHECK_OK(opevo_i_qgp_feasibility_fit(one.success, &one.rng, &err));
        }
        outcomes_clear(&one);
    }
}

CHECK_TEST(test_certain_without_failures)
{
    float probability[AT];
    outcomes one;

    outcomes_init(&one, 1);
    for (int round = 0; round < 2; round++) { /* nothing told, then successes */
        assert_false(opevo_i_qgp_feasibility_has_failures(one.success));
        CHECK_OK(opevo_i_qgp_feasibility_predict(one.success, &one.at, 0, AT, probability, &err));
        for (size_t j = 0; j < AT; j++)
            assert_true(probability[j] == 1);
        memset(probability, 0, sizeof probability);
        CHECK_OK(opevo_i_qgp_feasibility_follow(one.success, &one.at, probability, &err));
        for (size_t j = 0; j < AT; j++)
            assert_true(probability[j] == 1);
        memset(one.ok, true, sizeof one.ok);
        outcomes_tell(&one, 0, 10);
    }
    one.ok[10] = false;
    outcomes_tell(&one, 10, 11);
    assert_true(opevo_i_qgp_feasibility_has_failures(one.success));
    outcomes_clear(&one);
}

/* Only failures: less likely the nearer, and never 0. */
CHECK_TEST(test_all_fail)
{
    float probability[AT];
    float own[TOLD];
    outcomes one;
    double log_likelihood = 0;

    outcomes_init(&one, 1);
    memset(one.ok, false, sizeof one.ok);
    outcomes_tell(&one, 0, TOLD);
    CHECK_OK(opevo_i_qgp_feasibility_fit(one.success, &one.rng, &err));
    CHECK_OK(opevo_i_qgp_feasibility_likelihood(one.success, &log_likelihood, &err));
    assert_true(isfinite(log_likelihood));
    CHECK_OK(opevo_i_qgp_feasibility_predict(one.success, &one.at, 0, AT, probability, &err));
    CHECK_OK(opevo_i_qgp_feasibility_predict(one.success, &one.fixture.points, 0, TOLD, own, &err));
    for (size_t j = 0; j < AT; j++)
        assert_true(probability[j] > 0 && probability[j] <= 1.0F / (TOLD + 1));
    for (size_t i = 0; i < TOLD; i++)
        assert_true(own[i] > 0 && own[i] < 0.34F / (TOLD + 1)); /* C = 1 at the point itself */
    outcomes_clear(&one);
}

/* The likelihood is that of the sums without each outcome itself, and a fit never lowers it. */
CHECK_TEST(test_fit)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double before = -INFINITY;
        double first = 0;
        outcomes one;

        outcomes_init(&one, seed);
        outcomes_tell(&one, 0, TOLD);
        CHECK_OK(opevo_i_qgp_feasibility_likelihood(one.success, &first, &err));
        for (int round = 0; round < 8; round++) {
            double now = 0;

            CHECK_OK(opevo_i_qgp_feasibility_likelihood(one.success, &now, &err));
            CHECK_CLOSE(now, direct_likelihood(&one), 1e-3);
            assert_true(now >= before);
            before = now;
            CHECK_OK(opevo_i_qgp_feasibility_fit(one.success, &one.rng, &err));
        }
        assert_true(before > first); /* a start at the summit would be strange */
        outcomes_clear(&one);
    }
}

/* Following outcome by outcome, or some at a time, gives what one prediction does. */
CHECK_TEST(test_follow)
{
    float followed[AT];
    float predicted[AT];
    outcomes one;

    outcomes_init(&one, 2);
    for (size_t told = 0; told < TOLD;) {
        size_t next = told + 1 + told % 3 < TOLD ? told + 1 + told % 3 : TOLD;

        outcomes_tell(&one, told, next);
        told = next;
        CHECK_OK(opevo_i_qgp_feasibility_follow(one.success, &one.at, followed, &err));
        CHECK_OK(opevo_i_qgp_feasibility_predict(one.success, &one.at, 0, AT, predicted, &err));
        for (size_t j = 0; j < AT; j++)
            CHECK_CLOSE((double)followed[j], (double)predicted[j], 1e-6);
        if (told % 20 == 0)
            CHECK_OK(opevo_i_qgp_feasibility_fit(one.success, &one.rng, &err));
        if (told % 20 == 0)
            opevo_i_qgp_feasibility_restart(one.success);
    }
    opevo_i_qgp_feasibility_restart(one.success); /* before a larger set */
    {
        float own[TOLD];

        CHECK_OK(opevo_i_qgp_feasibility_follow(one.success, &one.fixture.points, own, &err));
        for (size_t i = 0; i < TOLD; i++)
            CHECK_CLOSE((double)own[i], direct(&one, TOLD, TOLD, &one.fixture.points, i), 1e-5);
    }
    outcomes_clear(&one);
}

/* ---- Without memory ---- */

static opevo_status use(outcomes *self)
{
    opevo_i_qgp_feasibility *success = opevo_i_qgp_feasibility_create(self->fixture.kernel);
    opevo_status status = success ? OPEVO_OK : OPEVO_NOMEM;
    float probability[AT];
    double log_likelihood = 0;

    for (size_t i = 0; i < 40 && status == OPEVO_OK; i++)
        status = opevo_i_qgp_feasibility_tell(success, &self->fixture.points, i, self->ok[i], NULL);
    if (status == OPEVO_OK)
        status = opevo_i_qgp_feasibility_likelihood(success, &log_likelihood, NULL);
    if (status == OPEVO_OK)
        status = opevo_i_qgp_feasibility_fit(success, &self->rng, NULL);
    if (status == OPEVO_OK)
        status = opevo_i_qgp_feasibility_predict(success, &self->at, 0, AT, probability, NULL);
    if (status == OPEVO_OK)
        status = opevo_i_qgp_feasibility_follow(success, &self->at, probability, NULL);
    opevo_i_qgp_feasibility_destroy(success);
    return status;
}

CHECK_TEST(test_every_allocation_fails)
{
    outcomes one;

    outcomes_init(&one, 1);
    CHECK_MEMORY(use(&one));
    opevo_i_qgp_feasibility_destroy(NULL);
    outcomes_clear(&one);
}

/* An outcome that did not fit was not told; it can be told again. */
CHECK_TEST(test_goes_on_after_a_failure)
{
    float followed[AT];
    size_t failures = 0;
    outcomes one;

    outcomes_init(&one, 3);
    for (size_t i = 0; i < TOLD;) {
        opevo_memory_fail_at(1 + (int64_t)(failures % 11));
        if (opevo_i_qgp_feasibility_tell(one.success, &one.fixture.points, i, one.ok[i], NULL) ==
            OPEVO_OK)
            i++;
        else
            failures++;
        opevo_memory_fail_at(1);
        if (opevo_i_qgp_feasibility_follow(one.success, &one.at, followed, NULL) != OPEVO_OK)
            failures++;
        opevo_memory_fail_at(0);
    }
    assert_true(failures > 4);
    CHECK_OK(opevo_i_qgp_feasibility_follow(one.success, &one.at, followed, &err));
    for (size_t j = 0; j < AT; j++)
        CHECK_CLOSE((double)followed[j], direct(&one, TOLD, TOLD, &one.at, j), 1e-5);
    outcomes_clear(&one);
}
