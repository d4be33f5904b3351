/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Values: order, equality, text and JSON. */

#include "check.h"

#include <opevo/value.h>

static opevo_value real(double value)
{
    return (opevo_value){.kind = OPEVO_VALUE_REAL, .as = {.real = value}};
}

static opevo_value boolean(bool value)
{
    return (opevo_value){.kind = OPEVO_VALUE_BOOLEAN, .as = {.boolean = value}};
}

static opevo_value text(const char *value)
{
    return (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = value}};
}

/* The list ascends strictly, so every pair has a known order. */
CHECK_TEST(test_order_is_total)
{
    const opevo_value ascending[] = {
        real(NAN),
        real(-INFINITY),
        real(-0x1p63 - 0x1p12),
        opevo_value_of_integer(INT64_MIN),
        opevo_value_of_integer(INT64_MIN + 1),
        real(-2.5),
        opevo_value_of_integer(-2),
        real(-1.5),
        opevo_value_of_integer(0),
        real(0x1p-1074),
        real(0.5),
        opevo_value_of_integer(1),
        real(1.5),
        opevo_value_of_integer((INT64_C(1) << 53)),
        opevo_value_of_integer((INT64_C(1) << 53) + 1),
        opevo_value_of_integer(INT64_MAX),
        real(0x1p63),
        real(INFINITY),
        boolean(false),
        boolean(true),
        text(""),
        text("1"),
        text("a"),
        text("a "),
        text("\xc3\xa9"),
    };
    int count = sizeof ascending / sizeof ascending[0];

    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            int order = opevo_value_compare(ascending[i], ascending[j]);

            if (order != (i > j) - (i < j))
                fail_msg("values %d and %d compare %d", i, j, order);
        }
    }
}

CHECK_TEST(test_equal_across_kinds)
{
    assert_int_equal(opevo_value_compare(opevo_value_of_integer(1), real(1.0)), 0);
    assert_int_equal(opevo_value_compare(real(-0.0), opevo_value_of_integer(0)), 0);
    assert_int_equal(opevo_value_compare(real(-0x1p63), opevo_value_of_integer(INT64_MIN)), 0);
    assert_int_equal(opevo_value_compare(boolean(true), opevo_value_of_integer(1)), 1);
}

CHECK_TEST(test_numbers)
{
    CHECK_CLOSE(opevo_value_number(opevo_value_of_integer(-7)), -7, 0);
    CHECK_CLOSE(opevo_value_number(real(0.25)), 0.25, 0);
    CHECK_CLOSE(opevo_value_number(boolean(true)), 1, 0);
    CHECK_CLOSE(opevo_value_number(boolean(false)), 0, 0);
    assert_true(isnan(opevo_value_number(text("5"))));
}

CHECK_TEST(test_print)
{
    static const struct {
        const char *plain, *json;
    } expected[] = {{"-9223372036854775808", "-9223372036854775808"},
                    {"0.1", "0.1"},
                    {"0", "0"},
                    {"true", "true"},
                    {"a \"b\"", "\"a \\\"b\\\"\""}};
    const opevo_value values[] = {opevo_value_of_integer(INT64_MIN), real(0.1), real(-0.0),
                                  boolean(true), text("a \"b\"")};

    for (size_t i = 0; i < 5; i++) {
        opevo_text plain = {0}, json = {0};

        opevo_value_print(&plain, values[i]);
        opevo_value_print_json(&json, values[i]);
        assert_string_equal(opevo_text_string(&plain), expected[i].plain);
        assert_string_equal(opevo_text_string(&json), expected[i].json);
        opevo_text_free(&plain);
        opevo_text_free(&json);
    }
}

CHECK_TEST(test_parse)
{
    static const struct {
        const char *text;
        opevo_value_kind kind;
        double number;
    } cases[] = {
        {"12", OPEVO_VALUE_INTEGER, 12},
        {"-12", OPEVO_VALUE_INTEGER, -12},
        {"9223372036854775807", OPEVO_VALUE_INTEGER, 0x1p63},
        {"9223372036854775808", OPEVO_VALUE_REAL, 0x1p63},
        {"0.5", OPEVO_VALUE_REAL, 0.5},
        {"1e3", OPEVO_VALUE_REAL, 1000},
        {"true", OPEVO_VALUE_BOOLEAN, 1},
        {"false", OPEVO_VALUE_BOOLEAN, 0},
        {"", OPEVO_VALUE_TEXT, NAN},
        {"True", OPEVO_VALUE_TEXT, NAN},
        {"0x10", OPEVO_VALUE_TEXT, NAN},
        {"1e999", OPEVO_VALUE_TEXT, NAN},
        {"nan", OPEVO_VALUE_TEXT, NAN},
        {"12 ", OPEVO_VALUE_TEXT, NAN},
        {"1,2", OPEVO_VALUE_TEXT, NAN},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_value value = opevo_value_parse(cases[i].text);

        if (value.kind != cases[i].kind)
            fail_msg("\"%s\" is of kind %d", cases[i].text, value.kind);
        if (value.kind == OPEVO_VALUE_TEXT)
            assert_ptr_equal(value.as.text, cases[i].text);
        else
            CHECK_CLOSE(opevo_value_number(value), cases[i].number, 0);
    }
}
