/* SPDX-License-Identifier: GPL-3.0-or-later */

/* 128-bit numbers against arithmetic by hand, at the ends of the range. */

#include "check.h"

#include <opevo/index.h>

CHECK_TEST(test_binomial_against_pascal)
{
    opevo_index row[101] = {1};

    for (uint64_t n = 1; n <= 100; n++) {
        for (uint64_t k = n; k > 0; k--)
            row[k] += row[k - 1];
        for (uint64_t k = 0; k <= n; k++) {
            opevo_index value = 0;

            assert_true(opevo_index_binomial(n, k, &value));
            assert_true(value == row[k]);
        }
    }
}

CHECK_TEST(test_binomial_at_the_edge)
{
    opevo_index value = 7;
    char text[OPEVO_INDEX_TEXT_SIZE];

    assert_true(opevo_index_binomial(3, 5, &value));
    assert_true(value == 0);
    /* C(130, 65) = 9.5e37 fits, C(132, 66) = 3.77e38 does not. */
    assert_true(opevo_index_binomial(130, 65, &value));
    assert_string_equal(opevo_index_format(value, text), "95067625827960698145584333020095113100");
    assert_false(opevo_index_binomial(132, 66, &value));
}

CHECK_TEST(test_text_round_trip)
{
    opevo_index value = 1;
    opevo_index back = 0;
    char text[OPEVO_INDEX_TEXT_SIZE];

    for (int i = 0; i < 128; i++, value <<= 1) {
        assert_true(opevo_index_parse(opevo_index_format(value - 1, text), &back));
        assert_true(back == value - 1);
    }
    assert_true(opevo_index_parse(opevo_index_format(OPEVO_INDEX_MAX, text), &back));
    assert_true(back == OPEVO_INDEX_MAX);
    assert_string_equal(text, "340282366920938463463374607431768211455");
}

CHECK_TEST(test_refused_texts)
{
    static const char *const texts[] = {
        "", "-1", "+1", " 1", "1 ", "0x1", "1e3", "340282366920938463463374607431768211456"};
    opevo_index value = 42;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(opevo_index_parse(texts[i], &value));
    assert_true(value == 42);
}

CHECK_TEST(test_checked_arithmetic)
{
    opevo_index value = 42;

    assert_true(opevo_index_mul((opevo_index)1 << 64, ((opevo_index)1 << 63), &value));
    assert_true(value == (opevo_index)1 << 127);
    assert_false(opevo_index_mul((opevo_index)1 << 64, (opevo_index)1 << 64, &value));
    assert_false(opevo_index_add(OPEVO_INDEX_MAX, 1, &value));
    assert_true(value == (opevo_index)1 << 127);
}
