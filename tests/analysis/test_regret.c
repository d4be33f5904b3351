/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Regret, split: the parts by brute force over noisy searches of known tables, their sum, and what
 * an analysis says of runs whose truth is known, or that are on a known landscape. */

#include "analysed_runs.h"

#include <opevo/random.h>
#include <opevo/regret.h>

enum { POINTS = 40 };

/* Whatever is tried and however it is measured, the parts are what they say and sum to the regret.
 */
CHECK_TEST(test_parts)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "regret", 0);
    for (size_t k = 0; k < 2000; k++) {
        double truth[POINTS], measured[POINTS], optimum = 0, tried = 0, reported = 0;
        size_t count = (size_t)opevo_rng_below(&rng, POINTS), chosen = POINTS;
        opevo_regret regret;

        for (size_t i = 0; i < POINTS; i++) {
            truth[i] = 1 + (double)opevo_rng_below(&rng, 50);
            measured[i] = opevo_rng_below(&rng, 5) ? truth[i] * (0.9 + 0.2 * opevo_rng_unit(&rng))
                                                   : 0; /* it failed */
            optimum = fmax(optimum, truth[i]);
        }
        for (size_t i = 0; i < count; i++) {
            if (measured[i] > 0)
                tried = fmax(tried, truth[i]);
            if (measured[i] > reported)
                reported = measured[i], chosen = i;
        }
        regret = opevo_regret_of_trials(truth, measured, count, optimum);
        CHECK_CLOSE(regret.exploration + regret.selection + regret.noise, optimum - reported, 1e-9);
        CHECK_CLOSE(regret.exploration, optimum - tried, 0);
        CHECK_CLOSE(regret.selection, tried - (chosen < POINTS ? truth[chosen] : 0), 0);
        assert_true(regret.exploration >= 0 && regret.selection >= 0);
    }
}

/* Two contenders on a landscape of optimum 10: runs by trials alone, whose other parts are exactly
 * 0, and runs that know better; and the same on one whose optimum is not known. */
CHECK_TEST(test_means)
{
    static const double best[] = {8, 5, 9, 6}, tried[] = {0, 0, 8.5, 7}, chosen[] = {0, 0, 7.5, 7};
    opevo_study_landscape places[] = {{"x", "1/s", 10, NULL}, {"y", "1/s", NAN, NULL}};
    opevo_analysed_run runs[8] = {{0}};
    opevo_analysed_study study = {.landscapes = places,
                                  .contenders = two_names,
                                  .runs = runs,
                                  .landscape_count = 2,
                                  .contender_count = 2,
                                  .run_count = 8};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;

    for (size_t i = 0; i < 8; i++) {
        runs[i] = (opevo_analysed_run){.landscape = i / 4,
                                       .contender = i / 2 % 2,
                                       .seed = i % 2,
                                       .end = OPEVO_RUN_TRIALS,
                                       .truth = {tried[i % 4] > 0, tried[i % 4], chosen[i % 4]}};
        add(&runs[i], 3, 1);
        add(&runs[i], best[i % 4], 1);
    }
    CHECK_OK(opevo_study_analyse(&study, &options, &analysis, &err));
    for (size_t l = 0; l < 2; l++) {
        const opevo_study_regret *plain = &opevo_study_cell_of(analysis, l, 0)->regret;
        const opevo_study_regret *final = &opevo_study_cell_of(analysis, l, 1)->regret;
        double reference = l ? 8.5 : 10;

        assert_int_equal(plain->runs, l ? 0 : 2);
        assert_int_equal(final->runs, 2);
        assert_false(final->is_exact);
        CHECK_CLOSE(final->exploration.mean, 1 - (8.5 + 7) / 2 / reference, 1e-12);
        CHECK_CLOSE(final->selection.mean, 0.5 / reference, 1e-12);
        CHECK_CLOSE(final->noise.mean, (7.5 - 9 + 7 - 6) / 2 / reference, 1e-12);
        CHECK_CLOSE(final->total.mean, 1 - (9 + 6) / 2.0 / reference, 1e-12);
        assert_true(final->total.interval.low <= final->total.mean &&
                    final->total.mean <= final->total.interval.high);
    }
    {
        const opevo_study_regret *plain = &opevo_study_cell_of(analysis, 0, 0)->regret;

        assert_true(plain->is_exact && plain->selection.mean == 0 && plain->noise.mean == 0);
        CHECK_CLOSE(plain->total.mean, 0.35, 1e-12);
        CHECK_CLOSE(plain->exploration.mean, plain->total.mean, 0);
    }
    opevo_study_analysis_destroy(analysis);
    free_runs(runs, 8);
}
