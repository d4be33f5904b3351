/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What models are made of: targets, the best, and which trials of earlier runs are kept. */

#include "walk_kernel_fixture.h"

#include "training_set_internal.h"

#include <gsl/gsl_sort.h>

static const char case_space[] =
    "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6, 7]},"
    " \"b\": {\"_type\": \"factor\", \"_value\": [4096, 3]}}";

enum { RUNS = 4, MANY = 600 };
static const double offset = 0.1;

typedef struct memory {
    opevo_space *space;
    opevo_i_qgp_walk_kernel *kernel;
    opevo_i_qgp_feasibility *success;
    opevo_i_qgp_training_set observed;
} memory;

static memory memory_open(void)
{
    memory self = {0};

    CHECK_OK(opevo_space_parse(case_space, "a test", NULL, &self.space, &err));
    CHECK_OK(opevo_i_qgp_walk_kernel_create(self.space, RUNS, &self.kernel, &err));
    CHECK_OK(opevo_i_qgp_training_set_init(&self.observed, self.kernel, &err));
    self.success = opevo_i_qgp_feasibility_create(self.kernel);
    assert_non_null(self.success);
    return self;
}

static void memory_close(memory *self)
{
    opevo_i_qgp_training_set_clear(&self->observed);
    opevo_i_qgp_feasibility_destroy(self->success);
    opevo_i_qgp_walk_kernel_destroy(self->kernel);
    opevo_space_destroy(self->space);
}

static void tell(memory *self, opevo_index point, double fitness)
{
    CHECK_OK(opevo_i_qgp_training_set_tell(&self->observed, self->success, point, fitness, &err));
}

static void learn(memory *self, const opevo_trial *trials, size_t count)
{
    CHECK_OK(opevo_i_qgp_training_set_learn(&self->observed, self->success, trials, count, offset,
                                            &err));
}

static opevo_trial trial_of(uint64_t number, opevo_index point, double fitness)
{
    opevo_trial trial = {.number = number, .proposal = {.point = point}};

    trial.outcome.fitness = fitness;
    return trial;
}

/* ---- This run ---- */

/* Failures leave no trace but in the feasibility model; targets follow the best. */
CHECK_TEST(test_targets)
{
    memory self = memory_open();

    tell(&self, 3, 20);
    tell(&self, 4, 0);
    assert_true(opevo_i_qgp_feasibility_has_failures(self.success));
    tell(&self, 5, 80);
    assert_int_equal(self.observed.own.count, 2);
    assert_int_equal(self.observed.all.count, 0);
    assert_true(self.observed.best == 80);
    opevo_i_qgp_training_set_transform(&self.observed, offset);
    CHECK_CLOSE(self.observed.z[0], log(0.25 + offset), 1e-12);
    CHECK_CLOSE(self.observed.z[1], log(1 + offset), 1e-12);
    tell(&self, 6, 160);
    opevo_i_qgp_training_set_transform(&self.observed, offset);
    CHECK_CLOSE(self.observed.z[0], log(0.125 + offset), 1e-12);
    assert_int_equal(self.observed.numbers[2], 6);
    memory_close(&self);
}

/* Those of the wide models, but none below the median, by a full sort, of this run's. */
CHECK_TEST(test_close_targets)
{
    enum { TOLD = 40 };
    const opevo_trial earlier[] = {trial_of(1, 9, 500), trial_of(2, 8, 400)};
    double sorted[TOLD];
    opevo_rng rng;

    for (int with = 0; with < 2; with++) {
        memory self = memory_open();

        opevo_rng_init(&rng, 4, "test", 0);
        opevo_i_qgp_training_set_transform(&self.observed, offset);
        if (with)
            learn(&self, earlier, 2);
        for (size_t n = 1; n <= TOLD; n++) {
            const double *wide = NULL;
            double median = 0;

            tell(&self, n - 1, 1 + (double)opevo_rng_below(&rng, 15));
            opevo_i_qgp_training_set_transform(&self.observed, offset);
            wide = self.observed.z + self.observed.earlier;
            memcpy(sorted, wide, n * sizeof *sorted);
            gsl_sort(sorted, 1, n);
            median = sorted[n % 2 == 0 ? n / 2 - 1 : n / 2];
            for (size_t i = 0; i < n; i++)
                CHECK_CLOSE(self.observed.clipped[i], fmax(wide[i], median), 1e-12);
        }
        memory_close(&self);
    }
}

/* Against a full sort, with many equal values: of those the first told is first. */
CHECK_TEST(test_best)
{
    enum { TOLD = 60, MOST = 7 };
    memory self = memory_open();
    double told[TOLD];
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t n = 1; n <= TOLD; n++) {
        opevo_index points[MOST];
        double fitness[MOST];
        bool used[TOLD] = {false};
        size_t count = 0;

        told[n - 1] = 1 + (double)opevo_rng_below(&rng, 9);
        tell(&self, n - 1, told[n - 1]);
        count = opevo_i_qgp_training_set_best(&self.observed, MOST, points, fitness);
        assert_int_equal(count, n < MOST ? n : MOST);
        for (size_t i = 0; i < count; i++) {
            double largest = 0;
            size_t next = 0;

            for (size_t j = 0; j < n; j++) {
                if (!used[j] && told[j] > largest) {
                    largest = told[j];
                    next = j;
                }
            }
            used[next] = true;
            assert_int_equal(points[i], next);
            assert_true(fitness[i] == largest);
        }
    }
    memory_close(&self);
}

/* What is expected stands after what is known, in both sets, and goes without a trace. */
CHECK_TEST(test_expectations)
{
    const opevo_trial earlier = trial_of(1, 9, 5);
    memory self = memory_open();

    learn(&self, &earlier, 1);
    tell(&self, 1, 2);
    CHECK_OK(opevo_i_qgp_training_set_expect(&self.observed, 2, &err));
    CHECK_OK(opevo_i_qgp_training_set_expect(&self.observed, 3, &err));
    assert_int_equal(self.observed.own.count, 3);
    assert_int_equal(self.observed.all.count, 4);
    opevo_i_qgp_training_set_retract(&self.observed, 1);
    assert_int_equal(self.observed.own.count, 1);
    assert_int_equal(self.observed.all.count, 2);
    tell(&self, 4, 3);
    assert_int_equal(self.observed.numbers[2], 4);
    memory_close(&self);
}

/* ---- Earlier runs ---- */

/* Each run is measured by its own best, is a run of its own to the kernel, and does not move the
 * targets of this one; failures have none. What is ahead is ordered by target,
 * whatever the unit. */
CHECK_TEST(test_earlier_runs)
{
    const opevo_trial trials[] = {trial_of(1, 11, 50),  trial_of(2, 12, 100), trial_of(3, 13, 0),
                                  trial_of(1, 12, 0.3), trial_of(4, 14, 0.4), trial_of(4, 15, 7)};
    static const size_t run_of[] = {1, 1, 2, 2, 3};
    static const double shares[] = {1, 0.5, 1, 0.75, 1};
    static const opevo_index points[] = {12, 11, 14, 12, 15};
    static const opevo_index ahead[] = {12, 14, 15, 12, 11};
    memory self = memory_open();

    assert_int_equal(opevo_i_qgp_training_set_runs(trials, 6), 3);
    assert_int_equal(opevo_i_qgp_training_set_runs(trials, 0), 0);
    learn(&self, trials, 6);
    assert_int_equal(self.observed.earlier, 5);
    assert_true(opevo_i_qgp_feasibility_has_failures(self.success));
    tell(&self, 20, 1000);
    opevo_i_qgp_training_set_transform(&self.observed, offset);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(self.observed.numbers[i], points[i]);
        assert_int_equal(self.observed.ahead[i], ahead[i]);
        assert_int_equal(self.observed.all.values[2][i], run_of[i]);
        CHECK_CLOSE(self.observed.z[i], log(shares[i] + offset), 1e-12);
    }
    assert_int_equal(self.observed.all.values[2][5], 0);
    CHECK_CLOSE(self.observed.z[5], log(1 + offset), 1e-12);
    memory_close(&self);
}

CHECK_TEST(test_earlier_failures_only)
{
    const opevo_trial trials[] = {trial_of(1, 11, 0), trial_of(2, 12, 0)};
    memory self = memory_open();

    learn(&self, trials, 2);
    assert_int_equal(self.observed.earlier, 0);
    assert_true(opevo_i_qgp_feasibility_has_failures(self.success));
    tell(&self, 1, 5);
    assert_int_equal(self.observed.all.count, 0);
    assert_true(self.observed.fitness[0] == 5);
    memory_close(&self);
}

/* Of three runs of which one is short: a third for each, of the long ones the best half of that,
 * and others over the whole of what is left. Fitness is the number of the point. */
CHECK_TEST(test_shares_of_long_runs)
{
    enum { SHARE = OPEVO_I_EARLIER_MOST / 3, BEST = (SHARE + 1) / 2 };
    static opevo_trial trials[2 * MANY + 10];
    memory self = memory_open();
    size_t order[MANY];
    opevo_rng rng;
    size_t at = 0;

    opevo_rng_init(&rng, 2, "test", 0);
    for (size_t run = 0; run < 3; run++) {
        size_t length = run == 1 ? 10 : MANY;

        opevo_rng_order(&rng, order, length);
        for (size_t i = 0; i < length; i++)
            trials[at + i] = trial_of(i + 1, order[i] + 1, (double)order[i] + 1);
        at += length;
    }
    learn(&self, trials, at);
    assert_int_equal(self.observed.earlier, 2 * SHARE + 10);
    for (size_t first = 0; first <= SHARE + 10; first += SHARE + 10) {
        const opevo_index *kept = self.observed.numbers + first;
        double gap = (double)(MANY - BEST) / (SHARE - BEST);

        for (size_t i = 0; i < BEST; i++)
            assert_int_equal(kept[i], MANY - i);
        for (size_t i = BEST; i < SHARE; i++)
            CHECK_CLOSE((double)kept[i], MANY - BEST - ((double)(i - BEST) + 0.5) * gap, 1);
    }
    memory_close(&self);
}

/* More runs than trials that are kept: the best of each. */
CHECK_TEST(test_many_short_runs)
{
    static opevo_trial trials[3 * OPEVO_I_EARLIER_MOST];
    opevo_i_qgp_walk_kernel *kernel = NULL;
    memory self = memory_open();

    opevo_i_qgp_training_set_clear(&self.observed);
    opevo_i_qgp_feasibility_destroy(self.success);
    CHECK_OK(opevo_i_qgp_walk_kernel_create(self.space, 1 + 3 * OPEVO_I_EARLIER_MOST / 2, &kernel,
                                            &err));
    CHECK_OK(opevo_i_qgp_training_set_init(&self.observed, kernel, &err));
    self.success = opevo_i_qgp_feasibility_create(kernel);
    for (size_t i = 0; i < 3 * OPEVO_I_EARLIER_MOST; i++)
        trials[i] = trial_of(1 + i % 2, i % 100, 1 + (double)(i % 2));
    learn(&self, trials, 3 * OPEVO_I_EARLIER_MOST);
    assert_int_equal(self.observed.earlier, 3 * OPEVO_I_EARLIER_MOST / 2);
    for (size_t i = 0; i < self.observed.earlier; i++)
        assert_true(self.observed.fitness[i] == 2);
    opevo_i_qgp_walk_kernel_destroy(self.kernel);
    self.kernel = kernel;
    memory_close(&self);
}

/* ---- Without memory ---- */

static opevo_status use(opevo_i_qgp_walk_kernel *kernel, opevo_i_qgp_feasibility *success)
{
    const opevo_trial trials[] = {trial_of(1, 11, 5), trial_of(2, 12, 6), trial_of(1, 13, 0)};
    opevo_i_qgp_training_set observed;
    opevo_status status = opevo_i_qgp_training_set_init(&observed, kernel, NULL);

    if (status == OPEVO_OK)
        status = opevo_i_qgp_training_set_learn(&observed, success, trials, 3, offset, NULL);
    if (status == OPEVO_OK)
        status = opevo_i_qgp_training_set_tell(&observed, success, 1, 7, NULL);
    opevo_i_qgp_training_set_clear(&observed);
    return status;
}

CHECK_TEST(test_every_allocation_fails)
{
    memory self = memory_open();
    opevo_status status = OPEVO_NOMEM;

    tell(&self, 1, 0); /* room for outcomes, which stays */
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        int64_t live = opevo_memory_live();

        assert_true(n < 100);
        opevo_memory_fail_at(n);
        status = use(self.kernel, self.success);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    memory_close(&self);
}
