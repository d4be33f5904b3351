/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Categorical parameters: values, complete graphs, mistakes. */

#include "topology_checks.h"

#include <opevo/hash.h>

CHECK_TEST(test_small_sets)
{
    static const char *const texts[] = {"categorical(a)", "categorical(b,a)",
                                        "categorical(true,1,x,0.5,\"1\")", "choice(3,1,2,7)"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        opevo_parameter *parameter = parse_parameter(texts[i], NULL);
        opevo_parameter_metrics metrics = {0};
        opevo_index size = opevo_parameter_size(parameter);

        assert_int_equal(opevo_parameter_family(parameter), OPEVO_FAMILY_COMPLETE);
        check_adjacency(parameter, any_two);
        check_metrics(parameter, CHECK_ALL_METRICS);
        CHECK_OK(opevo_parameter_measure(parameter, &metrics, &err));
        assert_true(metrics.edges == size * (size - 1) / 2);
        for (opevo_index v = 0; v < size; v++)
            check_neighbours_of(parameter, v);
        opevo_parameter_destroy(parameter);
    }
}

/* Kept as given, of any kind; choice is the same type under NNI's name. */
CHECK_TEST(test_values)
{
    opevo_parameter *parameter = parse_parameter("choice(z, 10, \"a,b\" ,true,0.25)", NULL);
    static const char *const printed[] = {"z", "10", "\"a,b\"", "true", "0.25"};
    static const char *const json[] = {"\"z\"", "10", "\"a,b\"", "true", "0.25"};

    assert_string_equal(opevo_parameter_type(parameter), "categorical");
    assert_int_equal(opevo_parameter_size(parameter), 5);
    for (size_t v = 0; v < 5; v++) {
        opevo_text text = {0};

        opevo_parameter_print(parameter, v, &text);
        assert_string_equal(opevo_text_string(&text), printed[v]);
        opevo_text_clear(&text);
        opevo_parameter_print_json(parameter, v, &text);
        assert_string_equal(opevo_text_string(&text), json[v]);
        opevo_text_free(&text);
        check_round_trip(parameter, v);
    }
    opevo_parameter_destroy(parameter);
}

/* A text that looks like a number is found when the number itself is not listed. */
CHECK_TEST(test_texts_that_look_like_numbers)
{
    opevo_parameter *parameter = parse_parameter("categorical(\"8\",\"08\",\"true\",4)", NULL);
    opevo_index vertex = 0;

    CHECK_OK(opevo_parameter_read(parameter, "08", &vertex, &err));
    assert_true(vertex == 1);
    CHECK_OK(opevo_parameter_read(parameter, "true", &vertex, &err));
    assert_true(vertex == 2);
    CHECK_OK(opevo_parameter_read(parameter, "4.0", &vertex, &err));
    assert_true(vertex == 3);
    CHECK_FAILS(OPEVO_INVALID, "is not a value of categorical(\"8\",\"08\",\"true\",4)",
                opevo_parameter_read(parameter, "9", &vertex, &err));
    opevo_parameter_destroy(parameter);
}

/* Each value, its text in the description of the parameter and as a value, which is the same. What
 * would read back as something else is quoted, and both texts come back. */
CHECK_TEST(test_texts_in_quotes)
{
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"", "\"\""},
        {"1", "\"1\""},
        {"-0.5e3", "\"-0.5e3\""},
        {"true", "\"true\""},
        {"True", "True"},
        {"plain", "plain"},
        {"a-b/c.d+e", "a-b/c.d+e"},
        {" x", "\" x\""},
        {"x ", "\"x \""},
        {"two words", "two words"},
        {"a,b", "\"a,b\""},
        {"a=b", "a=b"},
        {"f(x", "\"f(x\""},
        {"x)", "\"x)\""},
        {"\"", "\"\\\"\""},
        {"\"q\"", "\"\\\"q\\\"\""},
        {"it's", "\"it's\""},
        {"back\\slash", "\"back\\\\slash\""},
        {"a\nb\tc\001", "\"a\\nb\\u0009c\\u0001\""},
        {"\xc3\xa4,\xff", "\"\xc3\xa4,\xff\""}, /* no UTF-8 */
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };

    for (size_t i = 0; i < COUNT; i++) {
        opevo_value values[] = {opevo_value_of_integer(1),
                                {.kind = OPEVO_VALUE_TEXT, .as = {.text = cases[i].text}},
                                {.kind = OPEVO_VALUE_BOOLEAN, .as = {.boolean = true}}};
        opevo_parameter_spec spec = {
            .name = "x", .type = "choice", .values = values, .value_count = 3};
        opevo_parameter *parameter = NULL, *again = NULL;
        opevo_text text = {0}, described = {0};

        CHECK_OK(opevo_parameter_create(&spec, &parameter, &err));
        opevo_parameter_print(parameter, 1, &text);
        assert_string_equal(opevo_text_string(&text), cases[i].printed);
        for (opevo_index v = 0; v < 3; v++)
            check_round_trip(parameter, v);
        opevo_text_printf(&described, "categorical(1,%s,true)", cases[i].printed);
        assert_string_equal(opevo_parameter_text(parameter), opevo_text_string(&described));
        again = parse_parameter(opevo_parameter_text(parameter), NULL);
        assert_true(opevo_parameter_hash(again, OPEVO_HASH_START) ==
                    opevo_parameter_hash(parameter, OPEVO_HASH_START));
        opevo_text_free(&text);
        opevo_text_free(&described);
        opevo_parameter_destroy(parameter);
        opevo_parameter_destroy(again);
    }
}

CHECK_TEST(test_reading_quotes)
{
    opevo_parameter *parameter =
        parse_parameter("categorical(\"\\u00e4\\ud83d\\ude00\\/\",b,\"\\\"\",8, \"c d\" )", NULL);
    static const char *const refused[] = {
        "\"8\"",     "\"",          "\"b",         "b\"",         "\"b\" ",           "\"\\q\"",
        "\"\\u00\"", "\"\\u0000\"", "\"\\ud83d\"", "\"\\udc00\"", "\"\\ud83dxxxxx\"", "\"b\"b\""};
    opevo_index vertex = 9;

    CHECK_OK(opevo_parameter_read(parameter, "\"\xc3\xa4\xf0\x9f\x98\x80/\"", &vertex, &err));
    assert_true(vertex == 0);
    CHECK_OK(opevo_parameter_read(parameter, "\xc3\xa4\xf0\x9f\x98\x80/", &vertex, &err));
    assert_true(vertex == 0);
    CHECK_OK(opevo_parameter_read(parameter, "\"b\"", &vertex, &err));
    assert_true(vertex == 1);
    CHECK_OK(opevo_parameter_read(parameter, "\"\\u0022\"", &vertex, &err));
    assert_true(vertex == 2);
    CHECK_OK(opevo_parameter_read(parameter, "c d", &vertex, &err));
    assert_true(vertex == 4);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK_FAILS(OPEVO_INVALID, "is not a value of",
                    opevo_parameter_read(parameter, refused[i], &vertex, &err));
    assert_true(vertex == 4);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_refused)
{
    opevo_parameter *parameter = NULL;

    CHECK_FAILS(OPEVO_INVALID, "at least one value",
                opevo_parameter_parse("x", "categorical()", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "choice needs at least one value",
                opevo_parameter_parse("x", "choice( )", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "the value b is given twice",
                opevo_parameter_parse("x", "categorical(b,a,b)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "the value \"\" is given twice",
                opevo_parameter_parse("x", "categorical(\"\",\"\")", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "a value is missing before the first comma in \"categorical(,b)\"",
                opevo_parameter_parse("x", "categorical(,b)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "Parameter x: \"b,c is not a JSON string in \"choice(\"b,c)\".",
                opevo_parameter_parse("x", "choice(\"b,c)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "\"b\" c is not a JSON string",
                opevo_parameter_parse("x", "choice(\"b\" c,a)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "\"b\\q\" is not a JSON string",
                opevo_parameter_parse("x", "choice(a,\"b\\q\")", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "it has: complete",
                opevo_parameter_parse("x", "categorical(a)", "path", &parameter, &err));
    assert_null(parameter);
}

CHECK_TEST(test_many_values)
{
    size_t count = 100000;
    opevo_value *values = opevo_malloc(count, sizeof *values);
    char(*texts)[16] = opevo_malloc(count, sizeof *texts);
    opevo_parameter_spec spec = {
        .name = "x", .type = "categorical", .values = values, .value_count = count};
    opevo_parameter *parameter = NULL;

    assert_non_null(values);
    assert_non_null(texts);
    for (size_t i = 0; i < count; i++) {
        snprintf(texts[i], sizeof texts[i], "v%zu", i * 7919 % count);
        values[i] = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = texts[i]}};
    }
    CHECK_OK(opevo_parameter_create(&spec, &parameter, &err));
    memset(texts[0], 0, 16); /* the parameter keeps its own copy */
    for (size_t i = 1; i < count; i++) {
        opevo_index vertex = 0;

        assert_true(opevo_parameter_find(parameter, &values[i], &vertex) && vertex == i);
    }
    check_round_trip(parameter, 0);
    opevo_parameter_destroy(parameter);
    opevo_free(values);
    opevo_free(texts);
}

CHECK_TEST(test_allocations)
{
    check_allocations("categorical(b,a,1)", NULL);
    check_allocations("categorical(1,2)", "complete");
}
