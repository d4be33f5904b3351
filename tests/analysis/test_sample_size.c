/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sample sizes: the exact power against every order of the runs written out, and against drawn
 * samples; Noether's formula at his own numbers; the sign test against binomial sums. */

#include "check.h"

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/sample_size.h>

#include <stdlib.h>

/* Probability of one order, from the best down: bit i of `order` says that place i is a Y. */
static double probability_of(unsigned order, unsigned n, double k)
{
    double x = n;
    double y = n;
    double p = 1;

    for (unsigned i = 0; i < 2 * n; i++) {
        bool is_y = order >> i & 1;

        p *= (is_y ? k * y : x) / (x + k * y);
        x -= !is_y;
        y -= is_y;
    }
    return p;
}

/* Pairs in which Y is before X. */
static unsigned wins_of(unsigned order, unsigned n)
{
    unsigned x_left = n;
    unsigned wins = 0;

    for (unsigned i = 0; i < 2 * n; i++) {
        if (order >> i & 1)
            wins += x_left;
        else
            x_left--;
    }
    return wins;
}

/* Power by going through all orders: C(2n, n) of them. */
static double power_by_orders(unsigned n, double p, double alpha)
{
    double null[128] = {0};
    double law[128] = {0};
    double level = 0;
    double power = 0;
    unsigned last = n * n;

    for (unsigned order = 0; order < 1U << (2 * n); order++) {
        if (__builtin_popcount(order) != (int)n)
            continue;
        null[wins_of(order, n)] += probability_of(order, n, 1);
        law[wins_of(order, n)] += probability_of(order, n, p / (1 - p));
    }
    for (unsigned u = 0; 2 * u < last && 2 * (level + null[u]) <= alpha + 1e-12; u++) {
        level += null[u];
        power += law[u] + law[last - u];
    }
    return power;
}

CHECK_TEST(test_power_by_all_orders)
{
    static const double p[] = {.5, .6, .75, .9, .2};
    static const double alpha[] = {.05, .11, .3};

    for (unsigned n = 1; n <= 8; n++) {
        for (size_t i = 0; i < 5; i++) {
            for (size_t k = 0; k < 3; k++) {
                double power = -1;

                CHECK_OK(opevo_rank_test_power(p[i], alpha[k], n, &power, &err));
                CHECK_CLOSE(power, power_by_orders(n, p[i], alpha[k]), 1e-12);
                assert_true(p[i] != .5 || power <= alpha[k]);
            }
        }
    }
}

/* X uniform and Y = U^(1/k), whose law is the k-th power: drawn samples are rejected as often. The
 * critical value is that of the normal approximation, which at n = 60 differs by at most one. */
CHECK_TEST(test_power_by_drawing)
{
    enum { N = 60, ROUNDS = 4000 };
    const double p = .65;
    double exponent = (1 - p) / p;
    double centre = N * N / 2.0;
    double critical = 1.959963984540054 * sqrt(N * N * (2 * N + 1) / 12.0);
    unsigned rejected = 0;
    double power = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        double x[N];
        double wins = 0;

        for (size_t i = 0; i < N; i++)
            x[i] = opevo_rng_unit(&rng);
        for (size_t j = 0; j < N; j++) {
            double y = pow(opevo_rng_unit(&rng), exponent);

            for (size_t i = 0; i < N; i++)
                wins += y > x[i];
        }
        rejected += fabs(wins - centre) > critical;
    }
    CHECK_OK(opevo_rank_test_power(p, .05, N, &power, &err));
    /* five standard deviations of the share, and one step of the statistic */
    CHECK_CLOSE((double)rejected / ROUNDS, power, 5 * .5 / sqrt(ROUNDS) + .01);
}

CHECK_TEST(test_sizes)
{
    opevo_sample_size size;
    opevo_sample_size mirrored;
    double below = 0;

    /* (1.959964 + .841621)^2 / (6 .01) = 130.81 */
    CHECK_OK(opevo_sample_size_for(.6, .05, .8, &size, &err));
    assert_int_equal(size.noether, 131);
    assert_int_equal(size.pairs_signed_rank, 262);
    assert_true(size.exact > 100 && size.exact < 150 && size.any > size.noether);
    CHECK_OK(opevo_rank_test_power(.6, .05, (unsigned)size.exact, &below, &err));
    assert_true(below == size.exact_power && below >= .8);
    CHECK_OK(opevo_rank_test_power(.6, .05, (unsigned)size.exact - 1, &below, &err));
    assert_true(below < .8);
    CHECK_OK(opevo_sample_size_for(.4, .05, .8, &mirrored, &err));
    assert_memory_equal(&size, &mirrored, sizeof size);
    /* (1.644854 + 1.281552)^2 / (6 .04) = 35.68 */
    CHECK_OK(opevo_sample_size_for(.7, .1, .9, &size, &err));
    assert_int_equal(size.noether, 36);
    CHECK_OK(opevo_sample_size_for(.51, .05, .8, &size, &err));
    assert_int_equal(size.exact, 0);
    assert_int_equal(size.noether, 13082);
}

/* The sign test's power as a sum of binomial terms. */
static double sign_power(unsigned n, double p)
{
    double null = 0;
    double power = 0;

    for (unsigned c = 0; 2 * c < n; c++) {
        double choose = lgamma(n + 1.) - lgamma(c + 1.) - lgamma(n - c + 1.);

        null += exp(choose - n * log(2));
        if (2 * null > .05)
            break;
        power += exp(choose + c * log(p) + (n - c) * log(1 - p)) +
                 exp(choose + (n - c) * log(p) + c * log(1 - p));
    }
    return power;
}

CHECK_TEST(test_pairs)
{
    static const double p[] = {.6, .7, .8, .95};

    for (size_t i = 0; i < 4; i++) {
        opevo_sample_size size;

        CHECK_OK(opevo_sample_size_for(p[i], .05, .8, &size, &err));
        CHECK_CLOSE(size.pairs_sign_power, sign_power((unsigned)size.pairs_sign, p[i]), 1e-9);
        assert_true(size.pairs_sign_power >= .8);
        for (unsigned n = 1; n < size.pairs_sign; n++)
            assert_true(sign_power(n, p[i]) < .8);
    }
}

CHECK_TEST(test_refused)
{
    static const double bad[] = {0, 1, .5, .5005, -1, NAN};
    opevo_sample_size size;
    double power = 0;

    for (size_t i = 0; i < 6; i++)
        CHECK_FAILS(OPEVO_INVALID, "superiority",
                    opevo_sample_size_for(bad[i], .05, .8, &size, &err));
    CHECK_FAILS(OPEVO_INVALID, "level", opevo_sample_size_for(.6, .05, .05, &size, &err));
    CHECK_FAILS(OPEVO_INVALID, "level", opevo_sample_size_for(.6, .05, 1, &size, &err));
    CHECK_FAILS(OPEVO_INVALID, "level", opevo_sample_size_for(.6, 0, .8, &size, &err));
    CHECK_FAILS(OPEVO_INVALID, "runs", opevo_rank_test_power(.6, .05, 0, &power, &err));
    CHECK_FAILS(OPEVO_INVALID, "runs", opevo_rank_test_power(.6, .05, 201, &power, &err));
    for (int64_t n = 1; n <= 4; n++) {
        int64_t alive = opevo_memory_live();

        opevo_memory_fail_at(n);
        assert_int_equal(opevo_sample_size_for(.8, .05, .8, &size, NULL), OPEVO_NOMEM);
        opevo_memory_fail_at(0);
        assert_int_equal(opevo_memory_live(), alive);
    }
}
