/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tests themselves: pooling, p-values under the null, the verdict over a family. */

#include "check.h"

#include <opevo/memory.h>
#include <opevo/verify.h>

#include <gsl/gsl_sort.h>

#include <stdlib.h>

/* Draws from a law by its distribution function. */
typedef struct exact_sampler {
    const double *law;
    size_t count;
} exact_sampler;

static opevo_index draw_exactly(void *context, opevo_rng *rng)
{
    const exact_sampler *self = context;
    double u = opevo_rng_unit(rng);
    size_t i = 0;

    while (i + 1 < self->count && u >= self->law[i]) {
        u -= self->law[i];
        i++;
    }
    return i;
}

/* Gives the same vertex every time. */
static opevo_index draw_constant(void *context, opevo_rng *rng)
{
    return *(opevo_index *)context;
}

static opevo_fit fit_of(const double *law, size_t count, const double *truth, uint64_t draws,
                        uint64_t seed)
{
    exact_sampler sampler = {.law = truth, .count = count};
    opevo_fit fit = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "test", seed);
    CHECK_OK(opevo_verify_draws(law, count, draw_exactly, &sampler, draws, &rng, &fit, NULL));
    return fit;
}

/* Laws whose pooling is done by hand; 1000 draws, so that a cell needs 0.01. */
CHECK_TEST(test_pooling)
{
    static const double none[] = {0.25, 0.25, 0.5};
    static const double one_small[] = {0.005, 0.02, 0.975};       /* 0.02 joins */
    static const double two_small[] = {0.006, 0.5, 0.487, 0.007}; /* enough together */
    static const double three_small[] = {0.001, 0.002, 0.003, 0.094, 0.9};
    static const double all_small[] = {0.995, 0.005};
    opevo_fit fit = fit_of(none, 3, none, 1000, 0);

    assert_int_equal(fit.cells, 3);
    assert_int_equal(fit.pooled, 0);
    CHECK_CLOSE(fit.degrees_of_freedom, 2, 0);
    fit = fit_of(one_small, 3, one_small, 1000, 0);
    assert_int_equal(fit.cells, 2);
    assert_int_equal(fit.pooled, 2);
    fit = fit_of(two_small, 4, two_small, 1000, 0);
    assert_int_equal(fit.cells, 3);
    assert_int_equal(fit.pooled, 2);
    fit = fit_of(three_small, 5, three_small, 1000, 0);
    assert_int_equal(fit.cells, 2);
    assert_int_equal(fit.pooled, 4);
    fit = fit_of(all_small, 2, all_small, 1000, 0);
    assert_int_equal(fit.cells, 1);
    assert_int_equal(fit.pooled, 2);
    CHECK_CLOSE(fit.degrees_of_freedom, 0, 0);
    CHECK_CLOSE(fit.p_chi_square, 1, 0);
    CHECK_CLOSE(fit.p_g, 1, 0);
}

/* 600 of 1000 where 500 are expected: chi-square 40, G 2 (600 ln 1.2 + 400 ln 0.8). */
static opevo_index draw_alternately(void *context, opevo_rng *rng)
{
    unsigned *count = context;

    return (*count)++ % 5 >= 3;
}

CHECK_TEST(test_statistics_by_hand)
{
    static const double law[] = {3, 3}; /* scaled to 1/2 each */
    unsigned count = 0;
    opevo_fit fit = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    CHECK_OK(opevo_verify_draws(law, 2, draw_alternately, &count, 1000, &rng, &fit, NULL));
    CHECK_CLOSE(fit.chi_square, 40, 1e-11);
    CHECK_CLOSE(fit.g, 2 * (600 * log(1.2) + 400 * log(0.8)), 1e-11);
    CHECK_CLOSE(fit.p_chi_square / erfc(sqrt(20)), 1, 1e-9);
    CHECK_CLOSE(fit.p_g / erfc(sqrt(fit.g / 2)), 1, 1e-9);
    assert_int_equal(fit.draws, 1000);
    assert_int_equal(fit.impossible, 0);
    assert_true(isnan(fit.p_adjusted) && !fit.rejected);
    assert_true(isnan(fit.detectable_q) && isnan(fit.detectable_edge));
}

/* Kolmogorov's distance to the uniform law, times sqrt(count). */
static double kolmogorov(double *p, size_t count)
{
    double distance = 0;

    gsl_sort(p, 1, count);
    for (size_t i = 0; i < count; i++) {
        distance = fmax(distance, p[i] - (double)i / (double)count);
        distance = fmax(distance, (double)(i + 1) / (double)count - p[i]);
    }
    return distance * sqrt((double)count);
}

/* Over 1000 seeds the p-values of a correct sampler are uniform. Kolmogorov's statistic exceeds 2.3
 * with probability 5e-5; one degree of freedom too many would give about 5, pooled cells counted
 * wrongly more. */
CHECK_TEST(test_p_values_are_uniform)
{
    static const double law[] = {0.586, 0.12, 0.12, 0.06, 0.06, 0.03, 0.02, 0.0035, 0.0005};
    static double p_chi_square[1000], p_g[1000];
    size_t below = 0;

    for (uint64_t seed = 0; seed < 1000; seed++) {
        opevo_fit fit = fit_of(law, 9, law, 4000, seed);

        assert_int_equal(fit.cells, 8);
        p_chi_square[seed] = fit.p_chi_square;
        p_g[seed] = fit.p_g;
        below += fit.p_chi_square < 0.05;
    }
    assert_true(kolmogorov(p_chi_square, 1000) < 2.3);
    assert_true(kolmogorov(p_g, 1000) < 2.3);
    CHECK_CLOSE((double)below / 1000, 0.05, 4 * sqrt(0.05 * 0.95 / 1000));
}

/* A single draw where the law is 0, or outside the set, refutes; 2 of 5 here. */
CHECK_TEST(test_impossible_draws)
{
    static const double law[] = {1, 0};
    opevo_index zero = 0, one = 1, outside = 7;
    opevo_fit fit = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    CHECK_OK(opevo_verify_draws(law, 2, draw_constant, &zero, 10, &rng, &fit, NULL));
    assert_int_equal(fit.impossible, 0);
    CHECK_CLOSE(fit.p_chi_square, 1, 0);
    CHECK_OK(opevo_verify_draws(law, 2, draw_constant, &one, 1, &rng, &fit, NULL));
    assert_int_equal(fit.impossible, 1);
    CHECK_CLOSE(fit.p_chi_square, 0, 0);
    CHECK_CLOSE(fit.p_g, 0, 0);
    CHECK_OK(opevo_verify_draws(law, 2, draw_constant, &outside, 3, &rng, &fit, NULL));
    assert_int_equal(fit.impossible, 3);
    opevo_verify_judge(&fit, 1, 1e-9);
    assert_true(fit.rejected);
}

CHECK_TEST(test_bad_laws)
{
    static const double negative[] = {0.5, -0.5}, nan_law[] = {NAN, 1}, zero[] = {0, 0};
    static const double infinite[] = {INFINITY, 1};
    exact_sampler sampler = {.law = zero, .count = 2};
    opevo_fit fit = {.draws = 77};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    CHECK_FAILS(OPEVO_INVALID, "draw",
                opevo_verify_draws(zero, 2, draw_exactly, &sampler, 0, &rng, &fit, &err));
    CHECK_FAILS(OPEVO_INVALID, "cell",
                opevo_verify_draws(zero, 0, draw_exactly, &sampler, 9, &rng, &fit, &err));
    CHECK_FAILS(OPEVO_INVALID, "Probability 1",
                opevo_verify_draws(negative, 2, draw_exactly, &sampler, 9, &rng, &fit, &err));
    CHECK_FAILS(OPEVO_INVALID, "Probability 0",
                opevo_verify_draws(nan_law, 2, draw_exactly, &sampler, 9, &rng, &fit, &err));
    CHECK_FAILS(OPEVO_INVALID, "Probability 0",
                opevo_verify_draws(infinite, 2, draw_exactly, &sampler, 9, &rng, &fit, &err));
    CHECK_FAILS(OPEVO_INVALID, "sum",
                opevo_verify_draws(zero, 2, draw_exactly, &sampler, 9, &rng, &fit, &err));
    assert_int_equal(fit.draws, 77);
}

static void set_p(opevo_fit *fit, double p_chi_square, double p_g)
{
    *fit = (opevo_fit){.p_chi_square = p_chi_square, .p_g = p_g};
}

/* Twice the smaller p: .01 .02 .06 .20. Holm at m = 4: .04, .06, .12, .20; and the steps down. */
CHECK_TEST(test_holm_by_hand)
{
    opevo_fit fits[4];

    set_p(&fits[0], 0.03, 0.5);
    set_p(&fits[1], 0.005, 0.006);
    set_p(&fits[2], 0.9, 0.1);
    set_p(&fits[3], 0.4, 0.01);
    opevo_verify_judge(fits, 4, 0.05);
    CHECK_CLOSE(fits[1].p_adjusted, 0.04, 1e-15);
    CHECK_CLOSE(fits[3].p_adjusted, 0.06, 1e-15);
    CHECK_CLOSE(fits[0].p_adjusted, 0.12, 1e-15);
    CHECK_CLOSE(fits[2].p_adjusted, 0.20, 1e-15);
    assert_true(fits[1].rejected && !fits[3].rejected && !fits[0].rejected && !fits[2].rejected);
}

/* A later fit is never adjusted to less than an earlier one, nothing exceeds 1, ties are alike. */
CHECK_TEST(test_holm_steps)
{
    opevo_fit fits[3];

    set_p(&fits[0], 0.011, 1); /* 3 * .022 = .066 */
    set_p(&fits[1], 0.012, 1); /* 2 * .024 = .048, raised to .066 */
    set_p(&fits[2], 0.9, 0.8); /* 1.6, held at 1 */
    opevo_verify_judge(fits, 3, 0.07);
    CHECK_CLOSE(fits[0].p_adjusted, 0.066, 1e-15);
    CHECK_CLOSE(fits[1].p_adjusted, 0.066, 1e-15);
    CHECK_CLOSE(fits[2].p_adjusted, 1, 0);
    assert_true(fits[0].rejected && fits[1].rejected && !fits[2].rejected);
    set_p(&fits[0], 0.02, 1);
    set_p(&fits[1], 0.02, 1);
    opevo_verify_judge(fits, 2, 0.01);
    CHECK_CLOSE(fits[0].p_adjusted, 0.08, 1e-15);
    CHECK_CLOSE(fits[1].p_adjusted, 0.08, 1e-15);
    opevo_verify_judge(fits, 0, 0.01);
}

/* Families of 20 correct samplers are rejected at 0.05 no more often than in 5 % of cases: of 200
 * families at most 22 (exceeded with probability 2e-4). */
CHECK_TEST(test_family_keeps_its_level)
{
    static const double law[] = {0.5, 0.2, 0.15, 0.1, 0.05};
    size_t rejected_families = 0;

    for (uint64_t family = 0; family < 200; family++) {
        opevo_fit fits[20];
        bool rejected = false;

        for (uint64_t i = 0; i < 20; i++)
            fits[i] = fit_of(law, 5, law, 1000, 1000000 + 20 * family + i);
        opevo_verify_judge(fits, 20, 0.05);
        for (size_t i = 0; i < 20; i++)
            rejected = rejected || fits[i].rejected;
        rejected_families += rejected;
    }
    assert_true(rejected_families <= 22);
}

CHECK_TEST(test_failing_allocations)
{
    static const double law[] = {0.5, 0.5};
    exact_sampler sampler = {.law = law, .count = 2};
    int64_t alive = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;
    int failures = 0;

    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_fit fit = {0};
        opevo_rng rng;

        opevo_rng_init(&rng, 1, "test", 0);
        opevo_memory_fail_at(n);
        status = opevo_verify_draws(law, 2, draw_exactly, &sampler, 100, &rng, &fit, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), alive);
        failures += status != OPEVO_OK;
    }
    assert_int_equal(failures, 3);
}
