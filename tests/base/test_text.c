/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Text that grows, numbers read strictly and printed shortest. */

#include "check.h"

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <float.h>
#include <stdlib.h>

CHECK_TEST(test_escaping)
{
    opevo_text text = {0};

    opevo_text_add_json(&text, "a\"b\\c\nd\x01");
    assert_string_equal(opevo_text_string(&text), "\"a\\\"b\\\\c\\nd\\u0001\"");
    opevo_text_clear(&text);
    opevo_text_add_xml(&text, "<a href=\"x\">&</a>");
    assert_string_equal(opevo_text_string(&text), "&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;");
    opevo_text_clear(&text);
    opevo_text_add_csv(&text, "plain");
    opevo_text_add_csv(&text, "a,\"b\"");
    assert_string_equal(opevo_text_string(&text), "plain\"a,\"\"b\"\"\"");
    opevo_text_free(&text);
}

/* Nothing that could steer a terminal gets through, and what comes out is UTF-8. */
CHECK_TEST(test_foreign_text)
{
    /* NOLINTBEGIN(misc-misleading-bidirectional): what must not get through */
    static const char hostile[] =
        "a\x1b[31m\r\n\t\x7f\xc2\x9b\xe2\x80\xae\xff\xc3\xc0\xaf\xed\xa0\x80"
        "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x90\x80\x80";
    static const char hostile_json[] = "\x1b\x7f\xc2\x9b\xe2\x80\xae\xff\xc3\xa4";
    /* NOLINTEND(misc-misleading-bidirectional) */
    opevo_text text = {0};

    opevo_text_add_visible(&text, hostile);
    assert_string_equal(text.data,
                        "a\\x1b[31m\\r\\n\\t\\x7f\\x9b\\u202e\\xff\\xc3\\xc0\\xaf\\xed\\xa0\\x80"
                        "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\\xf4\\x90\\x80\\x80");
    opevo_text_clear(&text);
    opevo_text_add_json(&text, hostile_json);
    assert_string_equal(text.data, "\"\\u001b\\u007f\\u009b\\u202e\\ufffd\xc3\xa4\"");
    opevo_text_clear(&text);
    opevo_text_add_xml(&text, "\x1b\n\xff<");
    assert_string_equal(text.data, "\xef\xbf\xbd\n\xef\xbf\xbd&lt;");
    opevo_text_free(&text);
}

CHECK_TEST(test_doubles_read_back_equal)
{
    uint64_t bits = 1;
    char text[OPEVO_DOUBLE_TEXT_SIZE];

    assert_string_equal(opevo_double_format(0.1, text), "0.1");
    assert_string_equal(opevo_double_format(-0.0, text), "-0");
    assert_string_equal(opevo_double_format(NAN, text), "null");
    for (int i = 0; i < 100000; i++) {
        double value = 0;

        bits = opevo_hash_mix(bits + (uint64_t)i);
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            assert_true(strtod(opevo_double_format(value, text), NULL) == value);
    }
}

CHECK_TEST(test_strict_numbers)
{
    static const char *const bad[] = {"", " 1", "1 ", "1x", "nan", "inf", "1e999", "--1", "e5"};
    double real = 42;
    int64_t whole = 42;
    uint64_t natural = 42;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(opevo_parse_double(bad[i], &real));
        assert_false(opevo_parse_i64(bad[i], &whole));
        assert_false(opevo_parse_u64(bad[i], &natural));
    }
    assert_false(opevo_parse_u64("-1", &natural));
    assert_false(opevo_parse_u64("18446744073709551616", &natural));
    assert_false(opevo_parse_i64("9223372036854775808", &whole));
    assert_false(opevo_parse_i64("-", &whole));
    assert_true(real == 42 && whole == 42 && natural == 42);
    assert_true(opevo_parse_u64("18446744073709551615", &natural) && natural == UINT64_MAX);
    assert_true(opevo_parse_i64("-9223372036854775808", &whole) && whole == INT64_MIN);
    assert_true(opevo_parse_double("-.5e1", &real) && real == -5);
    assert_true(opevo_parse_double("1e-320", &real) && real > 0 && real < DBL_MIN);
}

CHECK_TEST(test_a_failed_allocation_is_remembered)
{
    opevo_text text = {0};

    opevo_memory_fail_at(1);
    opevo_text_add(&text, "lost");
    opevo_memory_fail_at(0);
    opevo_text_printf(&text, "%d", 5);
    CHECK_FAILS(OPEVO_NOMEM, "No memory", opevo_text_check(&text, &err));
    assert_string_equal(opevo_text_string(&text), "");
    opevo_text_free(&text);
}

CHECK_TEST(test_long_texts)
{
    opevo_text text = {0};

    for (int i = 0; i < 10000; i++)
        opevo_text_printf(&text, "%04d", i);
    assert_int_equal(text.length, 40000);
    assert_memory_equal(text.data + 4 * 1234, "1234", 4);
    opevo_text_free(&text);
    assert_int_equal(opevo_memory_live(), 0);
}
