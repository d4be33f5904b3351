/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The number of seeds that is stated for a difference, against the verdict of the analysis itself:
 * studies of two tuners whose runs have known laws, of as many seeds as the formula names. */

#include "check.h"
#include "points.h"

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/sample_size.h>
#include <opevo/study_analysis.h>

#include <gsl/gsl_cdf.h>

#include <math.h>

/* A run of one trial. */
static void set_run(opevo_analysed_run *run, size_t contender, uint64_t seed, double fitness)
{
    opevo_outcome outcome = {.kind = OPEVO_OUTCOME_OK, .fitness = fitness, .time_s = NAN};

    *run = (opevo_analysed_run){.contender = contender, .seed = seed, .end = OPEVO_RUN_TRIALS};
    CHECK_OK(opevo_run_curve_add(&run->curve, &outcome, &err));
}

/* Fitness 100 + a normal variable, of the second tuner `shift` more. */
static void fill(opevo_analysed_run *runs, size_t pairs, double shift, opevo_rng *rng)
{
    for (size_t i = 0; i < 2 * pairs; i++) {
        double normal = gsl_cdf_ugaussian_Pinv(opevo_rng_unit(rng) * (1 - 1e-12) + 5e-13);

        set_run(&runs[i], i % 2, i / 2, 100 + normal + (i % 2 ? shift : 0));
    }
}

/* Share of the studies in which the second is found better than the first, and worse. */
static void count_verdicts(size_t studies, size_t pairs, double shift, uint64_t stream,
                           double *better, double *worse)
{
    static const char *const names[] = {"a", "b"};
    opevo_study_landscape landscape = {"normal", "1", 200, NULL};
    opevo_analysis_options options = opevo_analysis_options_default();
    opevo_analysed_run *runs = opevo_calloc(2 * pairs, sizeof *runs);
    opevo_analysed_study study = {.landscapes = &landscape,
                                  .contenders = names,
                                  .runs = runs,
                                  .landscape_count = 1,
                                  .contender_count = 2,
                                  .run_count = 2 * pairs};
    opevo_rng rng;

    options.resamples = 100;
    options.threads = 1;
    *better = *worse = 0;
    opevo_rng_init(&rng, 1, "test", stream);
    for (size_t s = 0; s < studies; s++) {
        opevo_study_analysis *analysis = NULL;

        fill(runs, pairs, shift, &rng);
        CHECK_OK(opevo_study_analyse(&study, &options, &analysis, &err));
        assert_int_equal(analysis->pair_count, 1);
        assert_int_equal(analysis->pairs[0].test.pairs, pairs);
        *better += analysis->pairs[0].verdict == OPEVO_VERDICT_WORSE; /* of a than b */
        *worse += analysis->pairs[0].verdict == OPEVO_VERDICT_BETTER;
        opevo_study_analysis_destroy(analysis);
        for (size_t i = 0; i < 2 * pairs; i++)
            opevo_run_curve_free(&runs[i].curve);
    }
    opevo_free(runs);
    *better /= (double)studies;
    *worse /= (double)studies;
}

/* With X, Y normal of variance 1 and means apart by d, the sum of two differences is normal with
 * mean 2 d and variance 4: p = Phi(d). The verdict has the power, up to four standard errors of
 * its share. Noether's formula takes the variance without a difference for that with one, which is
 * smaller, so that the power may be more than asked for the larger p. */
CHECK_TEST(test_power_as_stated)
{
    static const double p[] = {.6, .65, .75, .9};

    for (size_t i = test_size(1, 0); i < sizeof p / sizeof *p; i++) { /* the first takes the most */
        size_t studies = test_size(400, 1000);
        double error = sqrt(.8 * .2 / (double)studies), better = 0, worse = 0;
        opevo_sample_size size;

        CHECK_OK(opevo_sample_size_for(p[i], .05, .8, &size, &err));
        count_verdicts(studies, (size_t)size.pairs_signed_rank, gsl_cdf_ugaussian_Pinv(p[i]), i,
                       &better, &worse);
        assert_true(better >= .8 - 4 * error);
        if (p[i] <= .65)
            assert_true(better <= .8 + 4 * error);
        assert_true(worse <= .01);
    }
}
