/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tests by rank against enumeration, and against figures printed in Demsar, "Statistical
 * comparisons of classifiers over multiple data sets", JMLR 7 (2006). */

#include "check.h"

#include <opevo/comparison.h>
#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/sign_test.h>

#include <stdlib.h>

/* ---- Signed ranks ---- */

/* Rank of |d[i]| among all, ties sharing the mean, by counting. */
static double rank_of(const double *d, size_t count, size_t i)
{
    double less = 0, equal = 0;

    for (size_t j = 0; j < count; j++) {
        less += fabs(d[j]) < fabs(d[i]);
        equal += fabs(d[j]) == fabs(d[i]);
    }
    return less + (equal + 1) / 2;
}

/* Two-sided p over all sign patterns of the differences that are not 0. */
static double enumerate(const double *d, size_t count, double least)
{
    double rank[12], reached = 0;
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        if (d[i] != 0)
            rank[used++] = rank_of(d, count, i);
    }
    for (size_t signs = 0; signs < (size_t)1 << used; signs++) {
        double sum = 0;

        for (size_t i = 0; i < used; i++)
            sum += signs >> i & 1 ? rank[i] : 0;
        reached += sum <= least + 1e-9;
    }
    return fmin(1, 2 * reached / (double)((size_t)1 << used));
}

CHECK_TEST(test_signed_rank_enumerated)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (int round = 0; round < 400; round++) {
        size_t count = 1 + (size_t)opevo_rng_below(&rng, 10);
        double d[10], plus = 0, minus = 0;
        opevo_signed_rank test;

        for (size_t i = 0; i < count; i++)
            d[i] = ((double)opevo_rng_below(&rng, 9) - 3) / 4; /* many ties, some zeros */
        for (size_t i = 0; i < count; i++) {
            plus += d[i] > 0 ? rank_of(d, count, i) : 0;
            minus += d[i] < 0 ? rank_of(d, count, i) : 0;
        }
        CHECK_OK(opevo_signed_rank_test(d, count, &test, &err));
        assert_true(test.exact);
        assert_int_equal(test.wins + test.ties + test.losses, count);
        CHECK_CLOSE(test.plus, plus, 0);
        CHECK_CLOSE(test.minus, minus, 0);
        CHECK_CLOSE(test.p, enumerate(d, count, fmin(plus, minus)), 1e-12);
        CHECK_CLOSE(test.superiority, ((double)test.wins + (double)test.ties / 2) / (double)count,
                    1e-15);
    }
}

/* All differences on one side: p = 2 / 2^n; and at the change from the exact law to the normal one
 * the two agree. */
CHECK_TEST(test_signed_rank_large)
{
    double d[400];
    opevo_signed_rank test, next;
    opevo_rng rng;

    for (size_t n = 1; n <= 150; n += 7) {
        for (size_t i = 0; i < n; i++)
            d[i] = 1 + (double)i;
        CHECK_OK(opevo_signed_rank_test(d, n, &test, &err));
        CHECK_CLOSE(test.p / pow(2, 1 - (double)n), 1, 1e-12);
        CHECK_CLOSE(test.rank_biserial, 1, 0);
    }
    opevo_rng_init(&rng, 3, "test", 0);
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < 151; i++)
            d[i] = opevo_rng_unit(&rng) - 0.5 + 0.005 * round;
        d[150] = 1e-9; /* has rank 1: all but nothing changes */
        CHECK_OK(opevo_signed_rank_test(d, 150, &test, &err));
        CHECK_OK(opevo_signed_rank_test(d, 151, &next, &err));
        assert_true(test.exact && !next.exact);
        if (test.p > 0.01) /* further out the normal law is worse */
            CHECK_CLOSE(next.p / test.p, 1, 0.05);
    }
}

/* Fitness with one decimal as fractions of an optimum, in three scales and as times: whole tenths
 * say which differences are 0 and which are tied, whatever their last bits are. */
CHECK_TEST(test_signed_rank_of_decimals)
{
    static const double scales[] = {1, 1e-7, 1e12};
    size_t broken = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 4, "test", 0);
    for (int round = 0; round < 600; round++) {
        size_t count = 5 + (size_t)opevo_rng_below(&rng, 25);
        double optimum = (double)(1 + opevo_rng_below(&rng, 300)) / 10, scale = scales[round % 3];
        double a[30], b[30], d[30], rounded[30];
        opevo_signed_rank test, expected, raw;

        for (size_t i = 0; i < count; i++) {
            int x = (int)opevo_rng_below(&rng, 20), y = (int)opevo_rng_below(&rng, 14);

            a[i] = x / 10.0 * scale / (optimum * scale);
            b[i] = y / 10.0 * scale / (optimum * scale);
            rounded[i] = a[i] - b[i];
            d[i] = x - y;
        }
        CHECK_OK(opevo_signed_rank_test(d, count, &expected, &err));
        CHECK_OK(opevo_signed_rank_test(rounded, count, &raw, &err));
        CHECK_OK(opevo_signed_rank_test_of_pairs(a, b, count, &test, &err));
        assert_int_equal(test.wins, expected.wins);
        assert_int_equal(test.losses, expected.losses);
        CHECK_CLOSE(test.plus, expected.plus, 0);
        CHECK_CLOSE(test.minus, expected.minus, 0);
        CHECK_CLOSE(test.p, expected.p, 0);
        broken += raw.p != expected.p;
    }
    assert_true(broken > 100); /* the differences as they are do not do */
}

/* What is told apart: a difference of 1e-14 beside fractions near 1, and 1e-30 beside 1e-20. What
 * is not: one of 1e-16. */
CHECK_TEST(test_signed_rank_resolution)
{
    static const double a[] = {0.5 + 1e-14, 0.75 + 2e-14, 1e-20, 0.3 + 1e-16},
                        b[] = {0.5, 0.75, 1e-20 - 1e-30, 0.3};
    opevo_signed_rank test;

    CHECK_OK(opevo_signed_rank_test_of_pairs(a, b, 4, &test, &err));
    assert_int_equal(test.wins, 3);
    assert_int_equal(test.ties, 1);
    CHECK_CLOSE(test.plus, 2 + 3 + 4, 0);
    CHECK_CLOSE(test.p, 0.25, 1e-15);
    CHECK_FAILS(
        OPEVO_INVALID, "Difference 1",
        opevo_signed_rank_test_of_pairs((double[]){1, INFINITY}, (double[]){1, 1}, 2, &test, &err));
}

CHECK_TEST(test_signed_rank_edges)
{
    static const double zeros[] = {0, 0, 0}, bad[] = {1, NAN}, two[] = {1, 2};
    opevo_signed_rank test;

    CHECK_OK(opevo_signed_rank_test(zeros, 3, &test, &err));
    CHECK_CLOSE(test.p, 1, 0);
    CHECK_CLOSE(test.rank_biserial, 0, 0);
    CHECK_CLOSE(test.superiority, 0.5, 0);
    CHECK_OK(opevo_signed_rank_test(NULL, 0, &test, &err));
    CHECK_CLOSE(test.p, 1, 0);
    assert_true(isnan(test.superiority));
    CHECK_FAILS(OPEVO_INVALID, "Difference 1", opevo_signed_rank_test(bad, 2, &test, &err));
    for (int i = 1; i <= 2; i++) {
        opevo_memory_fail_at(i);
        CHECK_FAILS(OPEVO_NOMEM, "memory", opevo_signed_rank_test(two, 2, &test, &err));
        opevo_memory_fail_at(0);
    }
    assert_int_equal(opevo_memory_live(), 0);
}

CHECK_TEST(test_holm)
{
    static const double p[] = {0.01, 0.04, NAN, 0.03, 0.005};
    static const double wanted[] = {0.03, 0.06, NAN, 0.06, 0.02};
    double adjusted[5];

    CHECK_OK(opevo_holm_adjust(p, 5, adjusted, &err));
    for (size_t i = 0; i < 5; i++) {
        if (isnan(wanted[i]))
            assert_true(isnan(adjusted[i]));
        else
            CHECK_CLOSE(adjusted[i], wanted[i], 1e-15);
    }
    adjusted[0] = 7;
    CHECK_OK(opevo_holm_adjust(NULL, 0, adjusted, &err));
    CHECK_CLOSE(adjusted[0], 7, 0);
}

/* ---- Demsar's example: C4.5 with and without tuning of m and cf on 14 data sets (table 6), whose
 * ranks tell apart the two last figures of the data set voting, both printed as .975 ---- */

static const double example[14][4] = {
    {0.763, 0.768, 0.771, 0.798},  {0.599, 0.591, 0.590, 0.569}, {0.954, 0.971, 0.968, 0.967},
    {0.628, 0.661, 0.654, 0.657},  {0.882, 0.888, 0.886, 0.898}, {0.936, 0.931, 0.916, 0.931},
    {0.661, 0.668, 0.609, 0.685},  {0.583, 0.583, 0.563, 0.625}, {0.775, 0.838, 0.866, 0.875},
    {1.000, 1.000, 1.000, 1.000},  {0.940, 0.962, 0.965, 0.962}, {0.619, 0.666, 0.614, 0.669},
    {0.972, 0.981, 0.9751, 0.975}, {0.957, 0.978, 0.946, 0.970}};

/* Without correction for ties, as the paper has it: 12 n / (k (k + 1)) (sum R^2 - k (k + 1)^2 / 4).
 */
static double plain_chi_square(const double *mean_ranks, double n, double k)
{
    double squares = 0;

    for (size_t j = 0; j < (size_t)k; j++)
        squares += mean_ranks[j] * mean_ranks[j];
    return 12 * n / (k * (k + 1)) * (squares - k * (k + 1) * (k + 1) / 4);
}

CHECK_TEST(test_published_example)
{
    static const double ranks[] = {3.143, 2.000, 2.893, 1.964};
    double mean_ranks[4], d[14];
    opevo_friedman test;
    opevo_signed_rank pair;

    CHECK_OK(opevo_friedman_test(&example[0][0], 14, 4, 1, mean_ranks, &test, &err));
    for (size_t j = 0; j < 4; j++)
        CHECK_CLOSE(mean_ranks[j], ranks[j], 0.0005);
    CHECK_CLOSE(plain_chi_square(mean_ranks, 14, 4), 9.28, 0.005);
    /* The correction for ties: one block of four equal values and three with two. */
    CHECK_CLOSE(test.chi_square,
                plain_chi_square(mean_ranks, 14, 4) / (1 - (60.0 + 3 * 6) / (14 * 60)), 1e-12);
    CHECK_CLOSE(13 * 9.28 / (14 * 3 - 9.28), 3.69, 0.005); /* the paper's F */
    CHECK_CLOSE(test.f, 13 * test.chi_square / (14 * 3 - test.chi_square), 1e-12);
    CHECK_CLOSE(opevo_nemenyi_difference(4, 14, 0.05), 1.25, 0.005);
    CHECK_CLOSE(opevo_nemenyi_difference(4, 14, 0.10), 1.12, 0.005);
    /* Two of them by signed ranks: R+ = 93 and R- = 12, each with half of the zeros' ranks 1 and 2.
     */
    for (size_t i = 0; i < 14; i++)
        d[i] = round(1000 * (example[i][1] - example[i][0]));
    CHECK_OK(opevo_signed_rank_test(d, 14, &pair, &err));
    CHECK_CLOSE(pair.plus, 93 - 1.5, 0);
    CHECK_CLOSE(pair.minus, 12 - 1.5, 0);
    assert_true(pair.p < 0.05);
}

/* ---- Friedman ---- */

/* Over all (k!)^n orders the statistic without ties has mean k - 1, and for n = k = 3 the tail of
 * the printed tables (P(X >= 6) = .028, P(X >= 4.667) = .194), which is what p is. */
CHECK_TEST(test_friedman_permuted)
{
    static const double orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                        {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    double sum = 0, from_6 = 0, from_4 = 0;

    for (size_t code = 0; code < 216; code++) {
        double values[9], mean_ranks[3];
        opevo_friedman test;

        memcpy(values, orders[code % 6], sizeof orders[0]);
        memcpy(values + 3, orders[code / 6 % 6], sizeof orders[0]);
        memcpy(values + 6, orders[code / 36], sizeof orders[0]);
        CHECK_OK(opevo_friedman_test(values, 3, 3, 1, mean_ranks, &test, &err));
        CHECK_CLOSE(test.chi_square, plain_chi_square(mean_ranks, 3, 3), 1e-12);
        CHECK_CLOSE(test.p_chi_square, exp(-test.chi_square / 2), 1e-12);
        sum += test.chi_square / 216;
        from_6 += test.chi_square > 5.999 ? 1.0 / 216 : 0;
        from_4 += test.chi_square > 4.666 ? 1.0 / 216 : 0;
        if (test.chi_square > 5.999) /* all blocks alike */
            CHECK_CLOSE(test.p_f, 1.0 / 36, 1e-12);
        assert_true(test.exact);
        if (test.chi_square > 5.999)
            CHECK_CLOSE(test.p, 1.0 / 36, 1e-12);
        else if (test.chi_square > 4.666)
            CHECK_CLOSE(test.p, 0.194, 0.0005);
    }
    CHECK_CLOSE(sum, 2, 1e-12);
    CHECK_CLOSE(from_6, 0.028, 0.0005);
    CHECK_CLOSE(from_4, 0.194, 0.0005);
}

/* Of two, p is that of the sign test: counted up to 22 blocks, estimated beyond. Blocks in which
 * both are the same say nothing. The estimate misses its interval of 95 % for one seed in
 * twenty. */
CHECK_TEST(test_friedman_of_two)
{
    double values[2 * 40], mean_ranks[2];
    size_t inside = 0;

    for (size_t blocks = 4; blocks <= 40; blocks += 6) {
        for (size_t losses = 0; losses <= blocks / 2; losses += 2) {
            double wanted = opevo_sign_test(blocks - 1 - losses, losses);
            opevo_friedman test;

            for (size_t i = 0; i < blocks; i++) {
                values[2 * i] = 0;
                values[2 * i + 1] = i == blocks - 1 ? 0 : i < losses ? -1 : 1;
            }
            CHECK_OK(opevo_friedman_test(values, blocks, 2, 1, mean_ranks, &test, &err));
            assert_int_equal(test.exact, blocks <= 22);
            CHECK_CLOSE(test.p, wanted, test.exact ? 1e-12 : 0.007);
            assert_true(test.p_interval.low <= test.p && test.p_interval.high >= test.p);
            assert_true(!test.exact || test.p_interval.low >= test.p_interval.high);
        }
    }
    for (uint64_t seed = 0; seed < 100; seed++) {
        opevo_friedman test;

        for (size_t i = 0; i < 30; i++) {
            values[2 * i] = 0;
            values[2 * i + 1] = i < 10 ? -1 : 1;
        }
        CHECK_OK(opevo_friedman_test(values, 30, 2, seed, mean_ranks, &test, &err));
        inside += test.p_interval.low <= opevo_sign_test(20, 10) &&
                  test.p_interval.high >= opevo_sign_test(20, 10);
    }
    assert_in_range(inside, 88, 100); /* fewer: probability .002 at .95 */
}

/* Blocks with ties keep them: of {1, 1, 2} three orders differ, so two such blocks agree with
 * probability 1/3, and the statistic of agreement is the largest. */
CHECK_TEST(test_friedman_ties)
{
    static const double values[] = {1, 1, 2, 3, 3, 5};
    double mean_ranks[3];
    opevo_friedman test;

    CHECK_OK(opevo_friedman_test(values, 2, 3, 1, mean_ranks, &test, &err));
    assert_true(test.exact);
    CHECK_CLOSE(test.p, 1.0 / 3, 1e-12);
}

CHECK_TEST(test_friedman_edges)
{
    static const double level[] = {1, 1, 1, 2, 2, 2}, bad[] = {1, 2, NAN, 3};
    double mean_ranks[3];
    opevo_friedman test;

    CHECK_OK(opevo_friedman_test(level, 2, 3, 1, mean_ranks, &test, &err));
    CHECK_CLOSE(test.chi_square, 0, 0);
    CHECK_CLOSE(test.p_f, 1, 0);
    CHECK_CLOSE(test.p, 1, 0);
    CHECK_CLOSE(mean_ranks[2], 2, 0);
    CHECK_FAILS(OPEVO_INVALID, "Block 1",
                opevo_friedman_test(bad, 2, 2, 1, mean_ranks, &test, &err));
    CHECK_FAILS(OPEVO_INVALID, "at least 2",
                opevo_friedman_test(level, 1, 3, 1, mean_ranks, &test, &err));
}

/* Demsar's table 5, of q_alpha / sqrt(2). */
CHECK_TEST(test_nemenyi_table)
{
    static const double at_05[] = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164},
                        at_10[] = {1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920};

    for (size_t i = 0; i < 9; i++) {
        CHECK_CLOSE(opevo_normal_range_quantile(0.05, i + 2) / sqrt(2), at_05[i], 0.001);
        CHECK_CLOSE(opevo_normal_range_quantile(0.10, i + 2) / sqrt(2), at_10[i], 0.001);
    }
}

/* Two variables: the range is |N(0, 2)|. Any number: the tail is the share of simulated ranges. */
CHECK_TEST(test_normal_range)
{
    enum { DRAWS = 200000 };
    size_t above = 0;
    opevo_rng rng;

    for (int i = 0; i < 32; i++)
        CHECK_CLOSE(opevo_normal_range_tail(i / 4.0, 2), erfc(i / 8.0), 1e-10);
    CHECK_CLOSE(opevo_normal_range_tail(-1, 5), 1, 0);
    opevo_rng_init(&rng, 4, "test", 0);
    for (size_t i = 0; i < DRAWS; i++) {
        double low = INFINITY, high = -INFINITY;

        for (size_t j = 0; j < 7; j++) {
            double z = sqrt(-2 * log1p(-opevo_rng_unit(&rng))) *
                       cos(6.283185307179586 * opevo_rng_unit(&rng));

            low = fmin(low, z);
            high = fmax(high, z);
        }
        above += high - low > 3.5;
    }
    CHECK_CLOSE((double)above / DRAWS, opevo_normal_range_tail(3.5, 7), 4.5 * sqrt(0.25 / DRAWS));
}

/* Sums of the same tenths in another order. */
CHECK_TEST(test_midranks_of_sums)
{
    static const double values[] = {0.1 + 0.2 + 0.3, 0.5, 0.3 + 0.2 + 0.1, 0.7};
    size_t order[4];
    double ranks[4];

    opevo_midranks_descending(values, 4, order, ranks);
    CHECK_CLOSE(ranks[0], 2.5, 0);
    CHECK_CLOSE(ranks[1], 4, 0);
    CHECK_CLOSE(ranks[2], 2.5, 0);
    CHECK_CLOSE(ranks[3], 1, 0);
}

CHECK_TEST(test_midranks)
{
    static const double values[] = {5, 7, 5, 1, 7, 7};
    static const double wanted[] = {4.5, 2, 4.5, 6, 2, 2};
    double ranks[6];
    size_t order[6];

    opevo_midranks_descending(values, 6, order, ranks);
    for (size_t i = 0; i < 6; i++)
        CHECK_CLOSE(ranks[i], wanted[i], 0);
}
