/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tuner grid: the allowed points in ascending order, whatever the seed. */

#include "tuner_fixture.h"

CHECK_TEST(test_ascends)
{
    opevo_space *space =
        formula_space("{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"b\": {\"_type\":"
                      " \"discrete\", \"_value\": [1, 2, 3, 4, 5]}, \"_constraints\":"
                      " [\"a[0] * b <= 16\"]}");
    opevo_index size = opevo_space_size(space);

    for (uint64_t seed = 1; seed <= 2; seed++) {
        opevo_tuner *tuner = tuner_make("grid", space, NULL, seed);
        opevo_proposal proposal;
        size_t count = 0;

        for (opevo_index point = 0; point < size; point++) {
            if (!opevo_space_allows(space, point))
                continue;
            CHECK_OK(opevo_tuner_ask(tuner, &proposal, 1, &count, &err));
            assert_int_equal(count, 1);
            assert_true(proposal.point == point);
        }
        CHECK_OK(opevo_tuner_ask(tuner, &proposal, 1, &count, &err));
        assert_int_equal(count, 0);
        assert_string_equal(tuner->reason, "every allowed point has been proposed");
        opevo_tuner_destroy(tuner);
    }
    opevo_space_destroy(space);
}

/* The first half of the space is forbidden, and too large to be counted through. */
CHECK_TEST(test_ends_among_forbidden_points)
{
    opevo_space *space = formula_space("{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1]},"
                                       " \"p\": {\"_type\": \"permutation\", \"_value\": [30]},"
                                       " \"_constraints\": [\"a == 1\"]}");
    opevo_tuner *tuner = tuner_make("grid", space, NULL, 1);
    opevo_proposal proposal;
    size_t count = 1;

    CHECK_OK(opevo_tuner_ask(tuner, &proposal, 1, &count, &err));
    assert_int_equal(count, 0);
    assert_string_equal(tuner->reason, "10000000 points in a row are forbidden");
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}
