/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How finals are judged from the fitness of each finalist in each round. */

#include "check.h"

#include <opevo/finals.h>
#include <opevo/random.h>

#include <math.h>

enum { ROUNDS = 30, MOST = 5 };

/* The first is 1 % faster than the second in 24 rounds, in which the machine is slow or fast; in 6
 * rounds the second was not disturbed and the first was. */
CHECK_TEST(test_rounds_decide)
{
    opevo_finalist finalists[2] = {{.point = 1}, {.point = 2}};
    double fitness[2][ROUNDS];
    opevo_final_verdict verdict;

    for (size_t i = 0; i < ROUNDS; i++) {
        double machine = i < 12 ? 50 : 100;

        fitness[0][i] = i < 24 ? 1.01 * machine : 60;
        fitness[1][i] = i < 24 ? machine : 200;
    }
    CHECK_OK(opevo_finals_judge(finalists, 2, ROUNDS, &fitness[0][0], &verdict, &err));
    assert_true(finalists[0].median < finalists[1].median);
    assert_true(verdict.winner == 0 && verdict.rival == 1 && verdict.faster);
    CHECK_CLOSE(verdict.ratio, 1.01, 1e-9);
}

/* Rounds of one kernel twice, disturbed together by the round and apart by each measurement; the
 * second is measured `bias` times as slow. */
static void measure_twice(opevo_rng *rng, double bias, double fitness[2][ROUNDS])
{
    for (size_t i = 0; i < ROUNDS; i++) {
        double machine = 1 + opevo_rng_unit(rng);

        fitness[0][i] = machine * (1 + 0.01 * opevo_rng_unit(rng));
        fitness[1][i] = machine * (1 + 0.01 * opevo_rng_unit(rng)) / bias;
    }
}

/* A sound timer tells a kernel from itself as often as the sign test of 30 rounds has p < .05: with
 * at most 9 rounds won by either, 2 P(Bin(30, 1/2) <= 9) = .0428, up to 4 standard errors. One that
 * is 1 % slower the second time nearly always does, and then no one is faster. */
CHECK_TEST(test_twins)
{
    enum { FINALS = 4000 };
    double fitness[2][ROUNDS], alike = 0, apart = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "twins", 0);
    for (size_t k = 0; k < 2 * FINALS; k++) {
        opevo_final_verdict verdict = {.faster = true};

        measure_twice(&rng, k < FINALS ? 1 : 1.01, fitness);
        CHECK_OK(opevo_finals_judge_twin(fitness[0], fitness[1], ROUNDS, &verdict, &err));
        assert_true(verdict.has_twin && verdict.is_biased == (verdict.twin_probability < 0.05));
        assert_true(verdict.faster == !verdict.is_biased);
        *(k < FINALS ? &alike : &apart) += verdict.is_biased / (double)FINALS;
        if (k >= FINALS)
            CHECK_CLOSE(verdict.twin_ratio, 1.01, 0.01);
    }
    CHECK_CLOSE(alike, 0.04277, 4 * sqrt(0.0428 * 0.9572 / FINALS));
    assert_true(apart > 0.99);
}

/* Rounds that failed in either say nothing; without a sound one there is no ratio. */
CHECK_TEST(test_twins_that_fail)
{
    double fitness[2][ROUNDS] = {{0}, {0}};
    opevo_final_verdict verdict = {.faster = true};

    CHECK_OK(opevo_finals_judge_twin(fitness[0], fitness[1], ROUNDS, &verdict, &err));
    assert_true(isnan(verdict.twin_ratio) && !verdict.is_biased && verdict.faster);
    for (size_t i = 0; i < 8; i++) {
        fitness[0][i] = i < 2 ? 0 : 2;
        fitness[1][i] = 1;
    }
    CHECK_OK(opevo_finals_judge_twin(fitness[0], fitness[1], ROUNDS, &verdict, &err));
    CHECK_CLOSE(verdict.twin_ratio, 2, 1e-12);
    CHECK_CLOSE(verdict.twin_probability, 2.0 / 64, 1e-12); /* six rounds of six */
}

static int lead_of(const double *a, const double *b)
{
    int lead = 0;

    for (size_t i = 0; i < ROUNDS; i++)
        lead += (a[i] > b[i]) - (a[i] < b[i]);
    return lead;
}

/* Each rank once; who is ahead of more others goes before. Without ties, one wins each round. */
static void check_ranks(const opevo_finalist *finalists, const size_t *ahead)
{
    uint64_t won = 0;

    for (size_t i = 0; i < MOST; i++) {
        assert_in_range(finalists[i].rank, 1, MOST);
        for (size_t k = 0; k < MOST; k++) {
            assert_true(k == i || finalists[i].rank != finalists[k].rank);
            if (ahead[i] > ahead[k])
                assert_true(finalists[i].rank < finalists[k].rank);
        }
        won += finalists[i].won;
    }
    assert_int_equal(won, ROUNDS);
}

/* Who wins more rounds than it loses against each of the others is the winner, in whatever place it
 * stands; and no verdict says faster against the majority of the rounds. */
CHECK_TEST(test_beats_all)
{
    opevo_rng rng;
    size_t found = 0;

    opevo_rng_init(&rng, 1, "finals", 0);
    for (size_t round = 0; round < 2000; round++) {
        opevo_finalist finalists[MOST] = {{.point = 0}};
        double fitness[MOST][ROUNDS];
        size_t ahead[MOST] = {0};
        opevo_final_verdict verdict;

        for (size_t i = 0; i < MOST; i++) {
            finalists[i].point = i;
            for (size_t k = 0; k < ROUNDS; k++)
                fitness[i][k] = 1 + opevo_rng_unit(&rng) + 0.1 * (double)i;
        }
        CHECK_OK(opevo_finals_judge(finalists, MOST, ROUNDS, &fitness[0][0], &verdict, &err));
        for (size_t i = 0; i < MOST; i++) {
            for (size_t k = 0; k < MOST; k++)
                ahead[i] += k != i && lead_of(fitness[i], fitness[k]) > 0;
            if (ahead[i] == MOST - 1)
                assert_int_equal(verdict.winner, i);
            found += ahead[i] == MOST - 1;
        }
        check_ranks(finalists, ahead);
        if (verdict.faster)
            assert_true(lead_of(fitness[verdict.winner], fitness[verdict.rival]) > 0);
    }
    assert_true(found > 1000);
}

/* Who failed in a round does not win, and neither does the library. */
CHECK_TEST(test_failed_and_library)
{
    opevo_finalist finalists[3] = {{.point = 1}, {.point = 2}, {.point = OPEVO_LIBRARY_POINT}};
    double fitness[3][ROUNDS];
    opevo_final_verdict verdict;

    for (size_t i = 0; i < ROUNDS; i++) {
        fitness[0][i] = i == 7 ? 0 : 100;
        fitness[1][i] = 50;
        fitness[2][i] = 200;
    }
    CHECK_OK(opevo_finals_judge(finalists, 3, ROUNDS, &fitness[0][0], &verdict, &err));
    assert_true(verdict.winner == 1 && verdict.rival == 0 && verdict.library == 2);
    assert_true(finalists[0].median == 0 && !verdict.faster);
    CHECK_CLOSE(verdict.library_ratio, 0.25, 1e-9);
}

/* Ten rounds by hand. Of 10 samples the interval of the median ends at the second and the ninth:
 * 1 - 2 (1 + 10) / 2^10 is the narrowest confidence from .95 on. The second wins 0 to 4; the third
 * wins 5 to 8; of the last round the first and the second are the best alike; the fourth failed in
 * one; the library counts for nothing. */
CHECK_TEST(test_all_by_rank)
{
    enum { COUNT = 5, TEN = 10 };
    opevo_finalist finalists[COUNT] = {
        {.point = 1}, {.point = 2}, {.point = 3}, {.point = 4}, {.point = OPEVO_LIBRARY_POINT}};
    const size_t ranks[COUNT] = {3, 1, 2, 4, 0};
    const uint64_t won[COUNT] = {0, 5, 4, 0, 0};
    const double medians[COUNT] = {80, 104.5, 90, 0, 1000};
    const double low[COUNT] = {80, 101, 90, NAN, 1000};
    const double high[COUNT] = {80, 108, 120, NAN, 1000};
    double fitness[COUNT][TEN];
    opevo_final_verdict verdict;

    for (size_t i = 0; i < TEN; i++) {
        fitness[0][i] = i < 9 ? 80 : 109;
        fitness[1][i] = 100 + (double)i;
        fitness[2][i] = i < 5 || i == 9 ? 90 : 120;
        fitness[3][i] = i == 3 ? 0 : 70;
        fitness[4][i] = 1000;
    }
    CHECK_OK(opevo_finals_judge(finalists, COUNT, TEN, &fitness[0][0], &verdict, &err));
    assert_true(verdict.winner == 1 && verdict.rival == 2 && verdict.library == 4);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(finalists[i].rank, ranks[i]);
        assert_int_equal(finalists[i].won, won[i]);
        CHECK_CLOSE(finalists[i].median, medians[i], 1e-12);
        assert_true(isnan(low[i]) ? isnan(finalists[i].low) : finalists[i].low == low[i]);
        assert_true(isnan(high[i]) ? isnan(finalists[i].high) : finalists[i].high == high[i]);
    }
}
