/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The episodes of N-A2C: where they start, how far they go, when they start over; and where the
 * authors' program puts rewards. */

#include "tuner_fixture.h"

#include "na2c_internal.h"

enum { SIZE_MOST = 512 };

static const char *const names[] = {"na2c", "na2c-reference", "na2c-uniform"};

static size_t ask(opevo_tuner *tuner, opevo_proposal *got)
{
    size_t count = 0;

    CHECK_OK(opevo_tuner_ask(tuner, got, 64, &count, &err));
    return count;
}

/* Steps from `start` to every point, one parameter changing by one edge at a time. */
static void distances(const opevo_space *space, opevo_index start, unsigned *steps)
{
    opevo_index queue[SIZE_MOST];
    size_t first = 0;
    size_t count = 1;

    for (size_t i = 0; i < SIZE_MOST; i++)
        steps[i] = UINT32_MAX;
    steps[start] = 0;
    queue[0] = start;
    for (; first < count; first++) {
        opevo_index vertices[4];

        opevo_space_decode(space, queue[first], vertices);
        for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
            const opevo_parameter *parameter = opevo_space_parameter(space, i);
            opevo_index from = vertices[i];

            for (opevo_index k = 0; k < opevo_parameter_degree(parameter, from); k++) {
                opevo_index next = 0;

                vertices[i] = opevo_parameter_neighbour(parameter, from, k);
                next = opevo_space_encode(space, vertices);
                if (steps[next] == UINT32_MAX) {
                    steps[next] = steps[queue[first]] + 1;
                    queue[count++] = next;
                }
            }
            vertices[i] = from;
        }
    }
}

/* Every collected point is within three steps of the best told before, first of the untiled one. */
CHECK_TEST(test_episodes_stay_near_the_best)
{
    opevo_space *space = formula_space(
        "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"b\": {\"_type\": \"discrete\","
        " \"_value\": [1, 2, 3, 4, 5, 6, 7, 8, 9]}, \"_constraints\": [\"a[1] != 2 || b < 6\"]}");
    unsigned steps[SIZE_MOST];

    assert_true(opevo_space_size(space) <= SIZE_MOST);
    for (size_t n = 0; n < 3; n++) {
        for (uint64_t seed = 1; seed <= 50; seed++) {
            opevo_tuner *tuner = tuner_make(names[n], space, "", seed);
            opevo_index best = 0;
            double best_fitness = 0;

            for (int round = 0; round < 6; round++) {
                opevo_proposal got[64];
                size_t count = ask(tuner, got);

                distances(space, best, steps);
                assert_true(count <= 8 && (count >= 6 || round > 0));
                if (!strcmp(got[0].origin, "restart"))
                    break; /* all points that near are known */
                for (size_t i = 0; i < count; i++) {
                    /* No ties, so that the order of completions does not matter. */
                    double fitness = 1 + (double)(opevo_hash_mix((uint64_t)got[i].point) >> 32);

                    assert_string_equal(got[i].origin, "episode");
                    assert_true(steps[got[i].point] <= 3);
                    tuner_tell(tuner, &got[i], fitness);
                    if (fitness > best_fitness) {
                        best_fitness = fitness;
                        best = got[i].point;
                    }
                }
            }
            opevo_tuner_destroy(tuner);
        }
    }
    opevo_space_destroy(space);
}

CHECK_TEST(test_sizes_of_rounds)
{
    opevo_space *space = formula_space(
        "{\"a\": {\"_type\": \"factor\", \"_value\": [1024, 4]}, \"b\": {\"_type\": \"factor\","
        " \"_value\": [1024, 4]}}");
    opevo_proposal got[64];

    for (size_t n = 0; n < 3; n++) {
        for (uint64_t seed = 1; seed <= 20; seed++) {
            opevo_tuner *tuner = tuner_make(names[n], space, "states=20 steps=5", seed);
            size_t count = ask(tuner, got);

            assert_true(count >= 20 && count <= 24);
            opevo_tuner_destroy(tuner);
        }
    }
    opevo_space_destroy(space);
}

/* From the end of a path of nine vertices three steps reach four points: the start, which nothing
 * proposes before an episode comes back to it, and the three after it. While all fail the start
 * stays, so the fifth point is a new start. */
CHECK_TEST(test_starts_over)
{
    opevo_space *space = formula_space("{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3,"
                                       " 4, 5, 6, 7, 8]}}");

    for (size_t n = 0; n < 3; n++) {
        opevo_tuner *tuner = tuner_make(names[n], space, "", 4);
        opevo_proposal got[64];
        size_t total = 0;

        while (total < 4) {
            size_t count = ask(tuner, got);

            assert_true(count > 0);
            for (size_t i = 0; i < count; i++) {
                assert_string_equal(got[i].origin, "episode");
                assert_true(got[i].point <= 3);
                tuner_tell(tuner, &got[i], 0);
            }
            total += count;
        }
        assert_int_equal(total, 4);
        assert_int_equal(ask(tuner, got), 1);
        assert_string_equal(got[0].origin, "restart");
        assert_true(got[0].point > 3);
        opevo_tuner_destroy(tuner);
    }
    opevo_space_destroy(space);
}

/* Right from the last to the first; overwritten from the first to the last; and, as measured of the
 * authors' program, scrambled otherwise. */
CHECK_TEST(test_misplaced_rewards)
{
    static const size_t orders[][7] = {
        {6, 5, 4, 3, 2, 1, 0}, {0, 1, 2, 3, 4, 5, 6}, {1, 6, 0, 5, 2, 4, 3}};
    static const double expected[][7] = {
        {1, 2, 3, 4, 5, 6, 7}, {7, 0, 0, 0, 0, 0, 0}, {4, 5, 0, 6, 0, 7, 0}};
    static const double fitness[7] = {1, 2, 3, 4, 5, 6, 7};

    for (size_t c = 0; c < 3; c++) {
        double rewards[7];

        opevo_i_gbfs_na2c_misplace_rewards(orders[c], fitness, 7, rewards);
        for (size_t i = 0; i < 7; i++)
            CHECK_CLOSE(rewards[i], expected[c][i], 0);
    }
}

/* One at a time, the unit of the fitness changes nothing in what is published; the reference learns
 * from the bare numbers. It shows where these are as small as the first values of the critic: Adam
 * divides by the size of the gradient, so that rewards far above the values look alike in any unit.
 */
CHECK_TEST(test_unit_of_fitness)
{
    opevo_space *space = formula_space(
        "{\"a\": {\"_type\": \"factor\", \"_value\": [1024, 4]}, \"b\": {\"_type\": \"factor\","
        " \"_value\": [1024, 4]}}");

    for (size_t n = 0; n < 2; n++) {
        opevo_index points[2][300];

        for (int scaled = 0; scaled < 2; scaled++) {
            opevo_tuner *tuner = tuner_make(names[n], space, "", 1);
            size_t total = 0;

            while (total < 300) {
                opevo_proposal got;
                size_t count = 0;
                double fitness = 0;

                CHECK_OK(opevo_tuner_ask(tuner, &got, 1, &count, &err));
                assert_int_equal(count, 1);
                points[scaled][total++] = got.point;
                fitness = (double)(1 + opevo_hash_mix((uint64_t)got.point) % 1000);
                tuner_tell(tuner, &got, scaled ? fitness : fitness / 1024);
            }
            opevo_tuner_destroy(tuner);
        }
        if (n == 0)
            assert_memory_equal(points[0], points[1], sizeof points[0]);
        else
            assert_memory_not_equal(points[0], points[1], sizeof points[0]);
    }
    opevo_space_destroy(space);
}
