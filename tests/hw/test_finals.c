/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How finals are judged from the fitness of each finalist in each round. */

#include "check.h"

#include <opevo/live.h>
#include <opevo/random.h>

enum { ROUNDS = 30, MOST = 5 };

/* The first is 1 % faster than the second in 24 rounds, in which the machine is slow or fast; in 6
 * rounds the second was not disturbed and the first was. */
static void test_rounds_decide(void **state)
{
    opevo_finalist finalists[2] = {{.point = 1}, {.point = 2}};
    double fitness[2][ROUNDS];
    opevo_final_verdict verdict;

    (void)state;
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

static int lead_of(const double *a, const double *b)
{
    int lead = 0;

    for (size_t i = 0; i < ROUNDS; i++)
        lead += (a[i] > b[i]) - (a[i] < b[i]);
    return lead;
}

/* Who wins more rounds than it loses against each of the others is the winner, in whatever place it
 * stands; and no verdict says faster against the majority of the rounds. */
static void test_beats_all(void **state)
{
    opevo_rng rng;
    size_t found = 0;

    (void)state;
    opevo_rng_init(&rng, 1, "finals", 0);
    for (size_t round = 0; round < 2000; round++) {
        opevo_finalist finalists[MOST] = {{.point = 0}};
        double fitness[MOST][ROUNDS];
        opevo_final_verdict verdict;

        for (size_t i = 0; i < MOST; i++) {
            finalists[i].point = i;
            for (size_t k = 0; k < ROUNDS; k++)
                fitness[i][k] = 1 + opevo_rng_unit(&rng) + 0.1 * (double)i;
        }
        CHECK_OK(opevo_finals_judge(finalists, MOST, ROUNDS, &fitness[0][0], &verdict, &err));
        for (size_t i = 0; i < MOST; i++) {
            size_t ahead = 0;

            for (size_t k = 0; k < MOST; k++)
                ahead += k != i && lead_of(fitness[i], fitness[k]) > 0;
            if (ahead == MOST - 1)
                assert_int_equal(verdict.winner, i);
            found += ahead == MOST - 1;
        }
        if (verdict.faster)
            assert_true(lead_of(fitness[verdict.winner], fitness[verdict.rival]) > 0);
    }
    assert_true(found > 1000);
}

/* Who failed in a round does not win, and neither does the library. */
static void test_failed_and_library(void **state)
{
    opevo_finalist finalists[3] = {{.point = 1}, {.point = 2}, {.point = OPEVO_LIVE_LIBRARY}};
    double fitness[3][ROUNDS];
    opevo_final_verdict verdict;

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds_decide),
        cmocka_unit_test(test_beats_all),
        cmocka_unit_test(test_failed_and_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
