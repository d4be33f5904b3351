/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points that a tuner of the table was told before it was asked. */

#include "contract_fixture.h"
#include "points.h"

/* The points of a run with trials observed before it, until the search is over; their number. */
static size_t run_observed(const opevo_tuner_ops *ops, const opevo_space *space,
                           const char *changes, size_t capacity, opevo_index *points, size_t most)
{
    formula objective = formula_on(space, 5, 4);
    opevo_tuner *tuner = make(ops, space, changes, 1);
    opevo_trial observed[OBSERVED_MOST];
    opevo_index met[64];
    size_t known = choose_observed(space, &objective, observed, OBSERVED_MOST);
    size_t count = 0;
    size_t got = 0;

    CHECK_OK(opevo_tuner_observe(tuner, observed, 1, &err));
    CHECK_OK(opevo_tuner_observe(tuner, observed + 1, known - 1, &err));
    while ((count = turn(tuner, &objective, capacity, met)) > 0) {
        assert_true(got + count <= most);
        memcpy(points + got, met, count * sizeof *met);
        got += count;
    }
    assert_string_equal(tuner->reason, "every allowed point has been proposed");
    opevo_tuner_destroy(tuner);
    return got;
}

/* What was observed is not proposed again, everything else is, and the sizes of asks do not
 * matter. */
CHECK_TEST(test_observed_points_are_not_proposed)
{
    for (size_t s = 0; s < SMALL_COUNT; s++) {
        opevo_space *space = formula_space(small_spaces[s]);
        formula objective = formula_on(space, 5, 4);
        size_t size = (size_t)opevo_space_size(space);
        opevo_trial observed[OBSERVED_MOST];
        size_t known = choose_observed(space, &objective, observed, OBSERVED_MOST);

        for (size_t t = 0; t < opevo_tuner_count(); t++) {
            const opevo_tuner_ops *ops = opevo_tuner_get(t);

            for (size_t v = 0; v < VARIANT_COUNT; v++) {
                opevo_index first[SMALL_MOST];
                opevo_index again[SMALL_MOST];
                unsigned times[SMALL_MOST] = {0};
                size_t count = 0;

                if (!test_takes(s + t + v, 0, 3) || !has_keys(ops, variants[v]) ||
                    opevo_tuner_suits(ops, space, NULL) != OPEVO_OK)
                    continue;
                count = run_observed(ops, space, variants[v], 1, first, SMALL_MOST);
                assert_int_equal(run_observed(ops, space, variants[v], 11, again, SMALL_MOST),
                                 count);
                assert_memory_equal(first, again, count * sizeof *first);
                for (size_t i = 0; i < count; i++)
                    times[first[i]]++;
                for (size_t i = 0; i < known; i++)
                    times[observed[i].proposal.point]++;
                for (size_t point = 0; point < size; point++)
                    assert_int_equal(times[point], opevo_space_allows(space, point));
            }
        }
        opevo_space_destroy(space);
    }
}

CHECK_TEST(test_observing_what_cannot_be)
{
    opevo_space *space = formula_space(small_spaces[5]);
    formula objective = formula_on(space, 5, 0);
    const opevo_tuner_ops *ops = opevo_tuner_get(0);
    opevo_tuner *tuner = make(ops, space, "", 1);
    opevo_trial observed[2];
    opevo_trial other = {.number = 3, .proposal = {.origin = "start"}};
    opevo_index points[64];

    assert_int_equal(choose_observed(space, &objective, observed, 2), 2);
    CHECK_OK(opevo_tuner_observe(tuner, observed, 1, &err));
    CHECK_FAILS(OPEVO_INVALID, "Trial 1 is at a point told before.",
                opevo_tuner_observe(tuner, observed, 1, &err));
    other.proposal.point = opevo_space_size(space);
    CHECK_FAILS(OPEVO_INVALID, "Trial 3 is not an allowed point of the space.",
                opevo_tuner_observe(tuner, &other, 1, &err));
    while (opevo_space_allows(space, --other.proposal.point))
        continue;
    CHECK_FAILS(OPEVO_INVALID, "Trial 3 is not an allowed point of the space.",
                opevo_tuner_observe(tuner, &other, 1, &err));
    turn(tuner, &objective, 1, points);
    CHECK_FAILS(OPEVO_INVALID, "before it is asked",
                opevo_tuner_observe(tuner, observed + 1, 1, &err));
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}
