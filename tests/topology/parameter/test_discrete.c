/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "topology_checks.h"

#include <time.h>

/* The sets below hold consecutive integers, so that distances can be read off the values. */
static int64_t distance(const opevo_value *a, const opevo_value *b)
{
    int64_t difference = a[0].as.integer - b[0].as.integer;

    return difference < 0 ? -difference : difference;
}

static bool one_step(const opevo_value *a, const opevo_value *b, size_t arity)
{
    return distance(a, b) == 1;
}

static bool two_steps(const opevo_value *a, const opevo_value *b, size_t arity)
{
    return distance(a, b) <= 2;
}

static bool three_steps(const opevo_value *a, const opevo_value *b, size_t arity)
{
    return distance(a, b) <= 3;
}

static int64_t cycle_length;

static bool round_step(const opevo_value *a, const opevo_value *b, size_t arity)
{
    return distance(a, b) == 1 || distance(a, b) == cycle_length - 1;
}

CHECK_TEST(test_small_sets)
{
    for (int n = 1; n <= 12; n++) {
        opevo_text text = {0};

        opevo_text_add(&text, "discrete(");
        for (int i = n; i > 0; i--)
            opevo_text_printf(&text, "%d%s", i, i > 1 ? "," : ")");
        cycle_length = n;
        check_small(opevo_text_string(&text), NULL, one_step);
        check_small(opevo_text_string(&text), "path", one_step);
        check_small(opevo_text_string(&text), "steps(1)", one_step);
        check_small(opevo_text_string(&text), "steps(2)", two_steps);
        check_small(opevo_text_string(&text), "steps(3)", three_steps);
        check_small(opevo_text_string(&text), "steps(9223372036854775807)", any_two);
        check_small(opevo_text_string(&text), "cycle", round_step);
        check_small(opevo_text_string(&text), "complete", any_two);
        opevo_text_free(&text);
    }
}

CHECK_TEST(test_families)
{
    static const struct {
        const char *text, *topology;
        opevo_family family;
    } cases[] = {
        {"discrete(1,2,3,4)", NULL, OPEVO_FAMILY_PATH},
        {"discrete(1,2,3,4)", "steps(1)", OPEVO_FAMILY_PATH},
        {"discrete(1,2,3,4)", "steps(2)", OPEVO_FAMILY_GENERAL},
        {"discrete(1,2,3,4)", "steps(3)", OPEVO_FAMILY_COMPLETE},
        {"discrete(1,2,3,4)", "cycle", OPEVO_FAMILY_CYCLE},
        {"discrete(1,2)", "cycle", OPEVO_FAMILY_PATH},
        {"discrete(1)", "cycle", OPEVO_FAMILY_PATH},
        {"discrete(1,2,3,4)", "complete", OPEVO_FAMILY_COMPLETE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_parameter *parameter = parse_parameter(cases[i].text, cases[i].topology);

        assert_int_equal(opevo_parameter_family(parameter), cases[i].family);
        opevo_parameter_destroy(parameter);
    }
}

CHECK_TEST(test_values_increase)
{
    opevo_parameter *parameter = parse_parameter("discrete( 16, -0.5, 1e3, 2 )", NULL);
    opevo_text text = {0};

    assert_string_equal(opevo_parameter_text(parameter), "discrete(-0.5,2,16,1000)");
    opevo_parameter_print_json(parameter, 2, &text);
    assert_string_equal(opevo_text_string(&text), "16");
    opevo_text_free(&text);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_refused)
{
    static const struct {
        const char *text, *topology, *words;
    } cases[] = {
        {"discrete()", NULL, "at least one value"},
        {"discrete(1,2,1)", NULL, "the value 1 is given twice"},
        {"discrete(1,1.0)", NULL, "given twice"},
        {"discrete(1,a)", NULL, "a is not a finite number"},
        {"discrete(1,true)", NULL, "true is not a finite number"},
        {"discrete(1,,2)", NULL,
         "Parameter x: a value is missing between two commas in \"discrete(1,,2)\"."},
        {"discrete(1, ,2)", NULL, "a value is missing between two commas"},
        {"discrete(,1,2)", NULL, "a value is missing before the first comma"},
        {"discrete(,)", NULL, "a value is missing before the first comma"},
        {"discrete(1,2,)", NULL, "a value is missing after the last comma"},
        {"discrete(1,\"2\")", NULL, "\"2\" is not a finite number"},
        {"discrete(1,\"\")", NULL, "\"\" is not a finite number"},
        {"discrete(1,2)", "steps(0)", "has no topology \"steps(0)\""},
        {"discrete(1,2)", "steps(-1)", "an integer k >= 1"},
        {"discrete(1,2)", "steps()", "no topology"},
        {"discrete(1,2)", "steps(2", "no topology"},
        {"discrete(1,2)", "steps(2)x", "no topology"},
        {"discrete(1,2)", "steps", "no topology"},
        {"discrete(1,2)", "steps(99999999999999999999)", "no topology"},
        {"discrete(1,2)", "steps(000000000000000000000000000001)", "no topology"},
        {"discrete(1,2)", "prime-move", "path steps(k) cycle complete"},
        {"discrete(1,2)", "", "no topology"},
    };
    opevo_parameter *parameter = NULL;
    opevo_index vertex = 0;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_FAILS(OPEVO_INVALID, cases[i].words,
                    opevo_parameter_parse("x", cases[i].text, cases[i].topology, &parameter, &err));
    assert_null(parameter);
    parameter = parse_parameter("discrete(1,2)", NULL);
    CHECK_FAILS(OPEVO_INVALID, "3 is not a value of discrete(1,2)",
                opevo_parameter_read(parameter, "3", &vertex, &err));
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_infinite_values_are_refused)
{
    const double numbers[] = {INFINITY, -INFINITY, NAN};
    opevo_parameter *parameter = NULL;

    for (size_t i = 0; i < 3; i++) {
        opevo_value value = {.kind = OPEVO_VALUE_REAL, .as = {.real = numbers[i]}};
        opevo_parameter_spec spec = {
            .name = "x", .type = "discrete", .values = &value, .value_count = 1};

        CHECK_FAILS(OPEVO_INVALID, "not a finite number",
                    opevo_parameter_create(&spec, &parameter, &err));
    }
}

/* A million values in decreasing order. The bound of 5 s would catch a quadratic sort or search by
 * a factor of 1000, and leaves a factor of 10 for a busy machine. */
CHECK_TEST(test_million_values)
{
    size_t count = 1000000;
    opevo_value *values = opevo_malloc(count, sizeof *values);
    opevo_parameter_spec spec = {
        .name = "x", .type = "discrete", .values = values, .value_count = count};
    opevo_parameter *parameter = NULL;
    clock_t start = clock();

    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = opevo_value_of_integer((int64_t)(3 * (count - i)));
    CHECK_OK(opevo_parameter_create(&spec, &parameter, &err));
    for (size_t i = 0; i < count; i++) {
        opevo_index vertex = 0;

        assert_true(opevo_parameter_find(parameter, &values[i], &vertex));
        assert_true(vertex == count - 1 - i);
    }
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
    assert_string_equal(opevo_parameter_text(parameter),
                        "discrete(3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,51,54,57,...)");
    opevo_parameter_destroy(parameter);
    opevo_free(values);
}

CHECK_TEST(test_allocations)
{
    check_allocations("discrete(3,2,1)", "steps(2)");
}
