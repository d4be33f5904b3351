/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The sign test against all signs of up to ten pairs, known values,
 * and its two forms where they meet. */

#include "check.h"

#include <opevo/sign_test.h>

CHECK_TEST(test_all_signs)
{
    for (size_t wins = 0; wins <= 10; wins++) {
        for (size_t losses = 0; losses + wins <= 10; losses++) {
            size_t n = wins + losses, fewer = wins < losses ? wins : losses, reached = 0;

            for (size_t signs = 0; signs < (size_t)1 << n; signs++)
                reached += (size_t)__builtin_popcountll(signs) <= fewer;
            CHECK_CLOSE(opevo_sign_test(wins, losses),
                        n ? fmin(1, 2 * (double)reached / (double)((size_t)1 << n)) : 1, 1e-12);
        }
    }
}

CHECK_TEST(test_known_values)
{
    CHECK_CLOSE(opevo_sign_test(5, 0), 2.0 / 32, 1e-15);
    CHECK_CLOSE(opevo_sign_test(0, 5), 2.0 / 32, 1e-15);
    CHECK_CLOSE(opevo_sign_test(1, 9), 2 * 11.0 / 1024, 1e-15);
    assert_true(opevo_sign_test(3, 3) == 1);
    assert_true(opevo_sign_test(0, 0) == 1);
}

/* Counts on either side of 2^32, where the normal law takes over. */
CHECK_TEST(test_forms_meet)
{
    for (uint64_t off = 0; off < 400000; off += 50000) {
        uint64_t half = UINT32_MAX / 2;
        double exact = opevo_sign_test(half - off, half + off);
        double normal = opevo_sign_test(half + 2 - off, half + 2 + off);

        CHECK_CLOSE(normal, exact, 1e-4 * exact);
    }
}
