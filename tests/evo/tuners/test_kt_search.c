/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What Kernel Tuner's strategies share: repeats and forbidden points cost nothing, costs are
 * milliseconds, tabu lists forget, a climb ends at a local optimum, long lists are permuted. */

#include "formula.h"

#include "branched_spaces.h"
#include "kt_climb_internal.h"
#include "kt_internal.h"

#include <stdlib.h>

static const char square[] =
    "{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7]},"
    " \"b\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7]}%s}";

static opevo_space *square_space(const char *rest)
{
    char text[400];

    snprintf(text, sizeof text, square, rest);
    return formula_space(text);
}

/* ---- A strategy that wants what a script says ---- */

static const opevo_index script[][2] = {{1, 1}, {7, 7}, {1, 1}, {2, 3}, {0, 0}};
enum { SCRIPT_COUNT = sizeof script / sizeof *script };

typedef struct scripted {
    opevo_i_kt base;
    double *costs; /* out, of the last round */
    unsigned rounds;
} scripted;

static opevo_status scripted_propose(opevo_i_kt *base, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < SCRIPT_COUNT && status == OPEVO_OK; i++)
        status = opevo_i_kt_want(base, script[i], err);
    return status;
}

static opevo_status scripted_take(opevo_i_kt *base, opevo_error *err)
{
    scripted *self = (scripted *)base;

    assert_int_equal(base->wanted, SCRIPT_COUNT);
    for (size_t i = 0; i < SCRIPT_COUNT; i++)
        self->costs[i] = base->costs[i];
    self->rounds++;
    return OPEVO_OK;
}

static bool scripted_prepare(opevo_i_kt *base)
{
    return true;
}

static void scripted_nothing(opevo_i_kt *base)
{
}

/* (7, 7) is forbidden, (1, 1) comes twice, (0, 0) fails: three trials, five costs. */
CHECK_TEST(test_costs_and_repeats)
{
    static const opevo_i_kt_strategy strategy = {sizeof(scripted), scripted_prepare,
                                                 scripted_propose, scripted_take,
                                                 scripted_nothing, scripted_nothing};
    static const opevo_tuner_ops ops = {.name = "scripted"};
    opevo_space *space = square_space(", \"_constraints\": [\"a + b < 14\"]");
    double costs[SCRIPT_COUNT] = {0};
    opevo_proposal proposals[8];
    opevo_trial trials[8] = {{.number = 0}};
    opevo_tuner *made = NULL;
    opevo_i_kt *base = NULL;
    opevo_rng rng;
    size_t count = 0;

    opevo_rng_init(&rng, 1, "test", 0);
    CHECK_OK(opevo_i_kt_create(&ops, &strategy, NULL, space, &rng, &made, &err));
    made->ops = &ops;
    base = (opevo_i_kt *)made;
    ((scripted *)base)->costs = costs;
    CHECK_OK(opevo_i_kt_ask(&base->super, proposals, 8, &count, &err));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++)
        trials[i].proposal = proposals[i];
    trials[0].outcome = (opevo_outcome){.fitness = 500, .time_s = 0.004}; /* 2 per fitness */
    trials[1].outcome = (opevo_outcome){.fitness = 250, .time_s = 0.1};
    trials[2].outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT);
    trials[1].proposal.point++;
    CHECK_FAILS(OPEVO_INVALID, "in the order of its proposals",
                opevo_i_kt_tell(&base->super, trials + 1, 1, &err));
    trials[1].proposal.point--;
    CHECK_OK(opevo_i_kt_tell(&base->super, trials, 3, &err));

    /* Asked on, it repeats its round for nothing until a stray point comes. */
    CHECK_OK(opevo_i_kt_ask(&base->super, proposals, 8, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(proposals[0].origin, "uniform");
    CHECK_CLOSE(costs[0], 4, 1e-12);
    assert_true(costs[1] == OPEVO_I_KT_FAILED);
    assert_true(costs[2] == costs[0]);
    CHECK_CLOSE(costs[3], 8, 1e-12);
    assert_true(costs[4] == OPEVO_I_KT_FAILED);
    assert_in_range(((scripted *)base)->rounds, OPEVO_I_KT_IDLE_MOST / (SCRIPT_COUNT + 1),
                    OPEVO_I_KT_IDLE_MOST / SCRIPT_COUNT + 1);
    opevo_i_kt_destroy(&base->super);
    opevo_space_destroy(space);
}

CHECK_TEST(test_rank)
{
    static const double costs[] = {3, 1, OPEVO_I_KT_FAILED, 1, 2};
    static const size_t expected[] = {1, 3, 4, 0, 2};
    size_t order[5];

    opevo_i_kt_rank(costs, order, 5);
    assert_memory_equal(order, expected, sizeof order);
}

/* Improvements and equals always, failures never, exp(-1) of the rest: 100,000 draws tell a share
 * that is wrong by .008 from the right one at 5 standard deviations. */
CHECK_TEST(test_accepts)
{
    opevo_rng rng;
    double accepted = 0;

    opevo_rng_init(&rng, 1, "test", 0);
    assert_true(opevo_i_kt_accepts(&rng, -1, 1e-4));
    assert_true(opevo_i_kt_accepts(&rng, 0, 1e-4));
    assert_false(opevo_i_kt_accepts(&rng, OPEVO_I_KT_FAILED - 1, 1));
    for (int i = 0; i < 100000; i++)
        accepted += opevo_i_kt_accepts(&rng, 2, 2);
    CHECK_CLOSE(accepted / 100000, exp(-1), 0.008);
}

/* Against a list that is searched from its end. */
CHECK_TEST(test_tabu)
{
    enum { CAPACITY = 5, ADDED = 300 };
    opevo_index told[ADDED];
    opevo_i_kt_tabu tabu;
    opevo_rng rng;
    size_t cleared = 0;

    opevo_rng_init(&rng, 1, "test", 0);
    assert_true(opevo_i_kt_tabu_init(&tabu, CAPACITY));
    for (size_t n = 0; n < ADDED; n++) {
        told[n] = opevo_rng_below(&rng, 12);
        assert_true(opevo_i_kt_tabu_add(&tabu, told[n]));
        if (n == 100) {
            tabu.cleared = tabu.count;
            cleared = n + 1;
        }
        for (opevo_index point = 0; point < 12; point++) {
            bool expected = false;

            for (size_t m = cleared; m <= n; m++)
                expected = expected || (m + CAPACITY > n && told[m] == point);
            assert_int_equal(opevo_i_kt_tabu_has(&tabu, point), expected);
        }
    }
    opevo_i_kt_tabu_clear(&tabu);
}

CHECK_TEST(test_permuted_is_one_to_one)
{
    static bool met[1000];

    for (uint32_t size = 1; size <= 1000; size = size * 2 + 1) {
        for (uint64_t key = 0; key < 3; key++) {
            memset(met, 0, sizeof met);
            for (uint32_t i = 0; i < size; i++) {
                opevo_index at = opevo_i_kt_permuted(i, size, key);

                assert_true(at < size && !met[(size_t)at]);
                met[(size_t)at] = true;
            }
        }
    }
    for (uint64_t i = 0; i < 100; i++) {
        opevo_index size = ((opevo_index)1 << 100) + 3;

        assert_true(opevo_i_kt_permuted(i, size, 7) < size);
        assert_true(opevo_i_kt_permuted(i, OPEVO_INDEX_MAX, 7) !=
                    opevo_i_kt_permuted(i + 1, OPEVO_INDEX_MAX, 7));
    }
}

/* A climb moves to better points only, and ends where every Hamming neighbour has been tried and
 * none is better: cost (a - 5)^2 + (b - 2)^2 from (0, 7) ends at (5, 2) after at least 14 trials.
 */
CHECK_TEST(test_climb)
{
    opevo_space *space = square_space(", \"_constraints\": [\"a != 3\"]");
    opevo_i_kt_space look;
    opevo_i_kt_climb climb;
    opevo_rng rng;

    CHECK_OK(opevo_i_kt_space_init(&look, space, &err));
    for (uint64_t seed = 1; seed <= 20; seed++) {
        unsigned since = 0;

        opevo_rng_init(&rng, seed, "test", 0);
        assert_true(opevo_i_kt_climb_init(&climb, &look, &rng));
        climb.here[0] = 0;
        climb.here[1] = 7;
        opevo_i_kt_climb_begin(&climb, 50);
        while (opevo_i_kt_climb_next(&climb)) {
            double a = (double)climb.there[0] - 5;
            double b = (double)climb.there[1] - 2;
            double before = climb.cost;

            assert_true(climb.there[0] != 3);
            assert_int_equal((climb.there[0] != climb.here[0]) + (climb.there[1] != climb.here[1]),
                             1);
            opevo_i_kt_climb_take(&climb, a * a + b * b);
            assert_true(climb.cost == (a * a + b * b < before ? a * a + b * b : before));
            since = climb.cost < before ? 0 : since + 1;
        }
        assert_true(climb.here[0] == 5 && climb.here[1] == 2);
        assert_int_equal(since, 6 + 7);
        opevo_i_kt_climb_clear(&climb);
    }
    opevo_i_kt_space_clear(&look);
    opevo_space_destroy(space);
}

/* A climb does not go through the values of a parameter that is not active,
 * of which there are 2e18. */
CHECK_TEST(test_climb_in_a_branch)
{
    opevo_space *space = formula_space(LARGE_BRANCH);
    opevo_i_kt_space look;
    opevo_i_kt_climb climb;
    opevo_rng rng;
    size_t met = 0;

    opevo_rng_init(&rng, 1, "test", 0);
    CHECK_OK(opevo_i_kt_space_init(&look, space, &err));
    assert_true(opevo_i_kt_climb_init(&climb, &look, &rng));
    climb.here[0] = 1;
    climb.here[1] = 0;
    climb.here[2] = 2;
    opevo_i_kt_climb_begin(&climb, 1);
    for (; opevo_i_kt_climb_next(&climb); met++)
        opevo_i_kt_climb_take(&climb, 2);
    assert_int_equal(met, 4);
    opevo_i_kt_climb_clear(&climb);
    opevo_i_kt_space_clear(&look);
    opevo_space_destroy(space);
}
