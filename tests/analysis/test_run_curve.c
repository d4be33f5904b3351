/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Run curves against the trials that they are made of. */

#include "check.h"

#include <opevo/memory.h>
#include <opevo/run_curve.h>

enum { TRIALS = 200 };

static opevo_outcome random_outcome(opevo_rng *rng)
{
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_CRASHED);

    if (opevo_rng_below(rng, 4) > 0) {
        outcome.kind = OPEVO_OUTCOME_OK;
        outcome.fitness = (double)opevo_rng_below(rng, 50);
    }
    outcome.build_s = opevo_rng_unit(rng);
    outcome.run_s = (double)opevo_rng_below(rng, 2);
    return outcome;
}

/* Every question about a random run, against going through its trials. */
CHECK_TEST(test_against_trials)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        opevo_run_curve curve = {0};
        double fitness[TRIALS], cost_s[TRIALS], best = 0, spent = 0;
        uint64_t failed = 0;
        opevo_rng rng;

        opevo_rng_init(&rng, seed, "test", 0);
        for (size_t i = 0; i < TRIALS; i++) {
            opevo_outcome outcome = random_outcome(&rng);

            CHECK_OK(opevo_run_curve_add(&curve, &outcome, &err));
            failed += outcome.kind != OPEVO_OUTCOME_OK;
            spent += opevo_outcome_cost_s(&outcome);
            best = fmax(best, outcome.fitness);
            fitness[i] = best;
            cost_s[i] = spent;
        }
        assert_int_equal(curve.trials, TRIALS);
        assert_int_equal(curve.failed, failed);
        CHECK_CLOSE(curve.cost_s, spent, 0);
        CHECK_CLOSE(opevo_run_curve_best(&curve, 0), 0, 0);
        CHECK_CLOSE(opevo_run_curve_best_by(&curve, 0), cost_s[0] > 0 ? 0 : fitness[0], 0);
        for (size_t i = 0; i < TRIALS; i++) {
            CHECK_CLOSE(opevo_run_curve_best(&curve, i + 1), fitness[i], 0);
            CHECK_CLOSE(opevo_run_curve_best_by(&curve, cost_s[i]), fitness[i], 0);
        }
        for (int half = 1; half < 100; half++) {
            double wanted = 0.5 * half;
            uint64_t first = 0;

            for (size_t i = TRIALS; i-- > 0;)
                first = fitness[i] >= wanted ? i + 1 : first;
            assert_int_equal(opevo_run_curve_trials_to(&curve, wanted), first);
        }
        opevo_run_curve_free(&curve);
    }
    assert_int_equal(opevo_memory_live(), 0);
}

CHECK_TEST(test_without_memory)
{
    opevo_outcome outcome = {.kind = OPEVO_OUTCOME_OK, .fitness = 1};
    opevo_run_curve curve = {0};

    opevo_memory_fail_at(1);
    CHECK_FAILS(OPEVO_NOMEM, "memory", opevo_run_curve_add(&curve, &outcome, &err));
    opevo_memory_fail_at(0);
    assert_int_equal(curve.trials, 0);
    opevo_run_curve_free(&curve);
}
