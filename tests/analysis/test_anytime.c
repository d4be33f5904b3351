/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statements that hold at any time: capital by hand, martingales over all signs, levels over
 * thousands of sequences that are looked at after every pair, and the power that this costs. */

#include "check.h"

#include <opevo/anytime.h>
#include <opevo/comparison.h>
#include <opevo/memory.h>
#include <opevo/random.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

#include <math.h>

/* Three pairs: sizes .3, .1, .2 have the ranks 1 of 1, 1 of 2 and 2 of 3. */
CHECK_TEST(test_capital_by_hand)
{
    static const double a[] = {0.8, 0.5, 0.6}, b[] = {0.5, 0.6, 0.4};
    double most = 0;

    for (size_t n = 1; n <= 3; n++) {
        opevo_anytime test;
        double capital = 0;

        for (int k = 0; k < 7; k++) {
            double x = k ? pow(2, -k / 2.0) : 0.95;

            capital += (1 + x) * (n > 1 ? 1 - x / 2 : 1) * (n > 2 ? 1 + x * 2 / 3 : 1) / 7;
        }
        most = fmax(most, capital);
        CHECK_OK(opevo_anytime_test(a, b, n, &test, &err));
        CHECK_CLOSE(exp(test.log_better), most, 1e-6);
        assert_true(test.log_worse == 0 && test.p == fmin(1, 2 / exp(test.log_better)));
    }
}

/* Over all signs of sizes with zeros and ties: the share with a p of at most alpha at any time is
 * at most alpha, and that of a capital that ever reaches 4 at most a quarter. */
CHECK_TEST(test_all_signs)
{
    enum { PAIRS = 11, SIGNS = 1 << PAIRS };
    static const double size[PAIRS] = {0.2, 0, 0.5, 0.2, 0.1, 0.9 - 0.7, 0.4, 0, 0.3, 0.6, 0.7};
    static const double alphas[] = {0.01, 0.05, 0.1, 0.3, 0.8};
    size_t hits[5] = {0}, rich = 0;

    for (unsigned signs = 0; signs < SIGNS; signs++) {
        double a[PAIRS], b[PAIRS] = {0};
        opevo_anytime test, other;

        for (size_t i = 0; i < PAIRS; i++)
            a[i] = signs >> i & 1 ? size[i] : -size[i];
        CHECK_OK(opevo_anytime_test(a, b, PAIRS, &test, &err));
        CHECK_OK(opevo_anytime_test(b, a, PAIRS, &other, &err));
        assert_true(test.log_better == other.log_worse && test.log_worse == other.log_better);
        for (int k = 0; k < 5; k++)
            hits[k] += test.p <= alphas[k];
        rich += test.log_better >= log(4);
    }
    for (int k = 0; k < 5; k++)
        assert_true((double)hits[k] <= alphas[k] * SIGNS);
    assert_true(hits[3] > 0 && rich > 0 && 4 * rich <= SIGNS);
}

static double normal(opevo_rng *rng)
{
    return gsl_cdf_ugaussian_Pinv(((double)opevo_rng_below(rng, 1 << 30) + 0.5) / (1 << 30));
}

/* ---- Levels ---- */

/* 2,000 studies of a tuner against itself, in three shapes of differences, each looked at after
 * every one of 200 pairs: the share that is ever resolved is at most alpha, up to what chance
 * allows once in 10^4. Wilcoxon's test at every look is resolved far more often. */
CHECK_TEST(test_level_at_any_time)
{
    enum { STUDIES = 2000, PAIRS = 200, SHAPES = 3 };
    double a[PAIRS], b[PAIRS], alpha = 0.05;
    unsigned bound = 0;

    while (gsl_cdf_binomial_Q(bound, alpha, STUDIES) > 1e-4)
        bound++;
    for (int shape = 0; shape < SHAPES; shape++) {
        unsigned alarms = 0, looked = 0, looked_at = 0;
        opevo_rng rng;

        opevo_rng_init(&rng, 11, "anytime", (uint64_t)shape);
        for (size_t s = 0; s < STUDIES; s++) {
            opevo_anytime test;
            bool ever = false;

            for (size_t i = 0; i < PAIRS; i++) {
                double u = opevo_rng_unit(&rng), v = opevo_rng_unit(&rng);

                /* shares of the optimum; steps, half of them level; rare and large failures */
                a[i] = shape == 0 ? 1 - u * u * u : shape == 1 ? floor(4 * u) / 4 : u > 0.1;
                b[i] = shape == 0 ? 1 - v * v * v : shape == 1 ? floor(4 * v) / 4 : v > 0.1;
            }
            CHECK_OK(opevo_anytime_test(a, b, PAIRS, &test, &err));
            alarms += test.p <= alpha;
            if (shape || s >= 200)
                continue;
            for (size_t n = 6; n <= PAIRS && !ever; n += 2) {
                opevo_signed_rank fixed;

                CHECK_OK(opevo_signed_rank_test_of_pairs(a, b, n, &fixed, &err));
                ever = fixed.p <= alpha;
            }
            looked += ever;
            looked_at++;
        }
        assert_true(alarms <= bound);
        if (shape == 0) {
            assert_true(alarms > 20); /* it is not merely silent */
            assert_true(looked > looked_at / 4);
        }
    }
}

/* 2,000 studies of four tuners that are the same: any verdict, at any look, after Holm. The p of
 * each pair falls only, so what is ever resolved is resolved at the end. */
CHECK_TEST(test_level_of_a_family)
{
    enum { STUDIES = 2000, SEEDS = 60, TUNERS = 4, COUNT = TUNERS * (TUNERS - 1) / 2 };
    double run[TUNERS][SEEDS], alpha = 0.05;
    unsigned bound = 0, alarms = 0;
    opevo_rng rng;

    while (gsl_cdf_binomial_Q(bound, alpha, STUDIES) > 1e-4)
        bound++;
    opevo_rng_init(&rng, 12, "anytime", 0);
    for (size_t s = 0; s < STUDIES; s++) {
        double p[COUNT], adjusted[COUNT];
        bool alarm = false;
        size_t at = 0;

        for (size_t t = 0; t < TUNERS; t++)
            for (size_t i = 0; i < SEEDS; i++)
                run[t][i] = 1 - pow(opevo_rng_unit(&rng), 3);
        for (size_t i = 0; i < TUNERS; i++)
            for (size_t k = i + 1; k < TUNERS; k++) {
                opevo_anytime test;

                CHECK_OK(opevo_anytime_test(run[i], run[k], SEEDS, &test, &err));
                p[at++] = test.p;
            }
        CHECK_OK(opevo_holm_adjust(p, COUNT, adjusted, &err));
        for (size_t i = 0; i < COUNT; i++)
            alarm = alarm || adjusted[i] <= alpha;
        alarms += alarm;
    }
    assert_true(alarms <= bound);
}

/* ---- Power ---- */

/* The first number of pairs at which the sequence is resolved: p only falls, so by halving. */
static double time_to_resolve(const double *a, const double *b, size_t most)
{
    size_t low = 0, high = most + 1;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        opevo_anytime test;

        CHECK_OK(opevo_anytime_test(a, b, middle, &test, &err));
        if (test.p <= 0.05)
            assert_true(test.log_better > test.log_worse);
        *(test.p <= 0.05 ? &high : &low) = middle;
    }
    return (double)high;
}

/* Normal differences with the share P of positive sums of two: the pairs until they are resolved,
 * as docs/mathematics.md has them beside n, those that the test for a fixed number needs for a
 * power of .8. Of 400 sequences, the median and the .8 quantile are within 15 % and one pair of
 * these; none is resolved the wrong way. */
CHECK_TEST(test_planted_difference)
{
    enum { SEQUENCES = 400, MOST = 1200 };
    static const struct {
        double share, n, median, quantile;
    } cases[] = {
        {0.6, 262, 262, 463}, {0.65, 117, 113, 185}, {0.75, 42, 47, 71}, {0.9, 17, 18, 25}};
    static double a[MOST], b[MOST], times[SEQUENCES];

    for (int k = 0; k < 4; k++) {
        double shift = gsl_cdf_ugaussian_Pinv(cases[k].share) / sqrt(2);
        opevo_rng rng;

        CHECK_CLOSE(ceil(opevo_signed_rank_pairs(cases[k].share, 0.05, 0.8)), cases[k].n, 0);
        opevo_rng_init(&rng, 13, "anytime", (uint64_t)k);
        for (size_t s = 0; s < SEQUENCES; s++) {
            for (size_t i = 0; i < MOST; i++)
                a[i] = shift + normal(&rng);
            times[s] = time_to_resolve(a, b, (size_t)(4 * cases[k].n + 20));
        }
        gsl_sort(times, 1, SEQUENCES);
        CHECK_CLOSE(times[SEQUENCES / 2], cases[k].median, 0.15 * cases[k].median + 1);
        CHECK_CLOSE(times[SEQUENCES * 4 / 5], cases[k].quantile, 0.15 * cases[k].quantile + 1);
    }
}

/* ---- Intervals ---- */

/* The ends are where the capital of who bets on a mean above or below reaches 2 / alpha: by a scan
 * over means, with the bets written out. */
CHECK_TEST(test_interval_by_scan)
{
    enum { COUNT = 40, STEPS = 4000 };
    double x[COUNT], low = 0, high = 1, alpha = 0.1;
    opevo_interval interval;
    opevo_rng rng;

    opevo_rng_init(&rng, 14, "anytime", 0);
    for (size_t i = 0; i < COUNT; i++)
        x[i] = 3 + 2 * pow(opevo_rng_unit(&rng), 2); /* in [3, 5] */
    CHECK_OK(
        opevo_confidence_sequence(x, COUNT, (opevo_interval){3, 5}, 1 - alpha, &interval, &err));
    for (int s = 1; s < STEPS; s++) {
        double m = (double)s / STEPS, up = 1, down = 1, most_up = 1, most_down = 1;
        double sum = 0.5, squares = 0.25;

        for (size_t i = 0; i < COUNT; i++) {
            double t = (double)i + 1, value = (x[i] - 3) / 2, variance = squares / t;
            double share = sqrt(2 * log(2 / alpha) / (variance * t * log(t + 1)));

            up *= 1 + fmin(share, 0.5 / m) * (value - m);
            down *= 1 - fmin(share, 0.5 / (1 - m)) * (value - m);
            most_up = fmax(most_up, up);
            most_down = fmax(most_down, down);
            sum += value;
            squares += pow(value - sum / (t + 1), 2);
        }
        if (most_up >= 2 / alpha)
            low = m;
        if (most_down >= 2 / alpha && high == 1)
            high = m;
    }
    CHECK_CLOSE(interval.low, 3 + 2 * low, 4.0 / STEPS);
    CHECK_CLOSE(interval.high, 3 + 2 * high, 4.0 / STEPS);
}

/* In 1,000 sequences of 100 values each the mean is outside the intersection of all intervals in at
 * most .05, up to what chance allows once in 10^4; they narrow. */
CHECK_TEST(test_coverage)
{
    enum { SEQUENCES = 1000, COUNT = 100 };
    double x[COUNT], width = 0;
    unsigned misses = 0, bound = 0;
    opevo_rng rng;

    while (gsl_cdf_binomial_Q(bound, 0.05, SEQUENCES) > 1e-4)
        bound++;
    opevo_rng_init(&rng, 15, "anytime", 0);
    for (size_t s = 0; s < SEQUENCES; s++) {
        opevo_interval interval;

        for (size_t i = 0; i < COUNT; i++)
            x[i] = opevo_rng_unit(&rng) < 0.3;
        CHECK_OK(
            opevo_confidence_sequence(x, COUNT, (opevo_interval){0, 1}, 0.95, &interval, &err));
        misses += !(interval.low <= 0.3 && 0.3 <= interval.high);
        width += (interval.high - interval.low) / SEQUENCES;
    }
    assert_true(misses <= bound);
    assert_true(width < 0.35);
}

CHECK_TEST(test_bad_input)
{
    static const double x[] = {0, 2}, bad[] = {0, NAN};
    opevo_interval interval;
    opevo_anytime test;

    CHECK_FAILS(OPEVO_INVALID, "outside its range",
                opevo_confidence_sequence(x, 2, (opevo_interval){0, 1}, 0.95, &interval, &err));
    CHECK_FAILS(OPEVO_INVALID, "not finite", opevo_anytime_test(x, bad, 2, &test, &err));
    CHECK_OK(opevo_anytime_test(x, x, 2, &test, &err)); /* level pairs */
    assert_true(test.p == 1 && test.pairs == 2);
    CHECK_OK(opevo_confidence_sequence(x, 0, (opevo_interval){0, 1}, 0.95, &interval, &err));
    assert_true(interval.low == 0 && interval.high == 1);
}
