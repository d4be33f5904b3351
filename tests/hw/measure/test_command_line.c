/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Commands with places for parameters, and numbers in what programs print. */

#include "check.h"

#include <opevo/memory.h>

#include "command_line_internal.h"
#include "result_reader_internal.h"

static const char space_json[] =
    "{\"T\": {\"_type\": \"factor\", \"_value\": [8, 3]},"
    " \"V\": {\"_type\": \"choice\", \"_value\": [\"a b\", \"; rm -rf x\", \"$(id)\"]},"
    " \"D\": {\"_type\": \"discrete\", \"_value\": [0.5, 2]}}";

static opevo_space *make_space(void)
{
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(space_json, "test", NULL, &space, &err));
    return space;
}

/* The words, joined by '|'. */
static const char *joined(const opevo_i_process_arguments *list, char *out, size_t size)
{
    size_t at = 0;

    *out = '\0';
    for (size_t i = 0; i < list->count; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? "|" : "", list->items[i]);
    return out;
}

CHECK_TEST(test_split)
{
    static const char *const cases[][2] = {
        {"./bench --tile {X}", "./bench|--tile|{X}"}, {"  a\tb\n", "a|b"},
        {"a 'b c' \"d e\"f", "a|b c|d ef"},           {"a '' b", "a||b"},
        {"a\\ b 'c\\d' \"e\\\"f\"", "a b|c\\d|e\"f"},
    };
    char text[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_i_process_arguments list = {0};

        CHECK_OK(opevo_i_process_command_split(cases[i][0], &list, &err));
        assert_string_equal(joined(&list, text, sizeof text), cases[i][1]);
        assert_null(list.items[list.count]);
        opevo_i_process_arguments_clear(&list);
    }
    {
        opevo_i_process_arguments list = {0};

        CHECK_FAILS(OPEVO_INVALID, "a quote is not closed",
                    opevo_i_process_command_split("a 'b", &list, &err));
        CHECK_FAILS(OPEVO_INVALID, "names no program",
                    opevo_i_process_command_split("  ", &list, &err));
    }
}

static void fill(const char *text, const char *configuration, char *out, size_t size)
{
    opevo_space *space = make_space();
    opevo_i_process_arguments command = {0};
    opevo_i_process_arguments filled = {0};
    opevo_index point = 0;

    CHECK_OK(opevo_space_read(space, configuration, &point, &err));
    CHECK_OK(opevo_i_process_command_split(text, &command, &err));
    CHECK_OK(opevo_i_process_command_check(&command, space, &err));
    CHECK_OK(opevo_i_process_command_fill(&command, space, point, &filled, &err));
    joined(&filled, out, size);
    opevo_i_process_arguments_clear(&command);
    opevo_i_process_arguments_clear(&filled);
    opevo_space_destroy(space);
}

/* A value is a part of one argument, whatever is in it. */
CHECK_TEST(test_fill)
{
    char text[512];

    fill("b --t={T} {V} {D}", "T=4,1,2 V=\"a b\" D=0.5", text, sizeof text);
    assert_string_equal(text, "b|--t=4,1,2|a b|0.5");
    fill("b {T[0]}x{T[2]} {T[1]} {V} {D}", "T=4,1,2 V=\"; rm -rf x\" D=2", text, sizeof text);
    assert_string_equal(text, "b|4x2|1|; rm -rf x|2");
    fill("b {} {{literal}}", "T=8,1,1 V=\"$(id)\" D=2", text, sizeof text);
    assert_string_equal(text, "b|{\"T\": [8, 1, 1], \"V\": \"$(id)\", \"D\": 2}|{literal}");
}

CHECK_TEST(test_bad_places)
{
    static const char *const cases[][2] = {
        {"b {Q} {T} {V} {D}", "{Q} is not a parameter of the space; the parameters are T, V, D"},
        {"b {T[3]} {V} {D}", "{T[3]} is not a parameter"},
        {"b {T} {V}", "parameter D does not occur"},
        {"b {T} {V} {D", "a brace is not closed in \"{D\""},
    };
    opevo_space *space = make_space();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_i_process_arguments command = {0};

        CHECK_OK(opevo_i_process_command_split(cases[i][0], &command, &err));
        CHECK_FAILS(OPEVO_INVALID, cases[i][1],
                    opevo_i_process_command_check(&command, space, &err));
        opevo_i_process_arguments_clear(&command);
    }
    opevo_space_destroy(space);
}

/* ---- Readings ------------------------------------------------------------------------------- */

CHECK_TEST(test_readings)
{
    static const struct {
        const char *how, *output;
        size_t count;
        double first;
        opevo_i_wire_quantity quantity;
    } cases[] = {
        {"s:wall", "", 1, 7, OPEVO_I_TIME},
        {"ms:/took ([0-9.]+) ms/", "x\ntook 2.5 ms\ntook 4 ms\n", 2, 0.0025, OPEVO_I_TIME},
        {"us:/[0-9]+$/", "a 12\nb 7 \n", 1, 12e-6, OPEVO_I_TIME},
        {"ns:/^([0-9]+)$/", "3000\n", 1, 3e-6, OPEVO_I_TIME},
        {"gflops:json:a.b.1", "{\"a\": {\"b\": [1, 2.5]}}", 1, 2.5, OPEVO_I_GFLOPS},
        {"tflops:json:x", "noise\n{\"x\": 3}\n{\"y\": 4, \"x\": 2}\n", 1, 2000, OPEVO_I_GFLOPS},
        {"score:json:v", "{\"v\": [3, 2, 1]}\n", 3, 3, OPEVO_I_SCORE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_i_wire_result_reader reading;
        double *values = NULL;
        size_t count = 0;
        size_t capacity = 0;
        opevo_text why = {0};

        CHECK_OK(opevo_i_wire_result_reader_parse(cases[i].how, &reading, &err));
        assert_int_equal(reading.quantity, cases[i].quantity);
        assert_true(opevo_i_wire_result_reader_apply(&reading, cases[i].output, 7, &values, &count,
                                                     &capacity, &why));
        assert_int_equal(count, cases[i].count);
        CHECK_CLOSE(values[0], cases[i].first, 1e-12 * cases[i].first);
        opevo_free(values);
        opevo_text_free(&why);
        opevo_i_wire_result_reader_clear(&reading);
    }
}

/* Criteria: any finite number, smaller is better unless it says otherwise. */
CHECK_TEST(test_criteria)
{
    static const struct {
        const char *how, *name, *unit, *output;
        bool larger;
        double first;
    } cases[] = {
        {"error:json:err", "error", "", "{\"err\": -1e-300}", false, -1e-300},
        {"energy,J:/used ([0-9.]+) J/", "energy", "J", "used 2.5 J", false, 2.5},
        {"accuracy,larger:json:a.0", "accuracy", "", "{\"a\": [0]}", true, 0},
        {"r-2_x.y,1/s per W,larger:/x=(.*)$/", "r-2_x.y", "1/s per W", "x=-3", true, -3},
        {"time,s:wall", "time", "s", "", false, 7},
        {"larger,larger:wall", "larger", "", "", true, 7},
    };
    static const char *const bad[][2] = {
        {"error", "it is NAME:WHERE"},
        {":json:err", "begins with a name"},
        {"1x:json:err", "begins with a name"},
        {"a b:json:err", "begins with a name"},
        {"fitness:json:err", "begins with a name"},
        {"a2345678901234567890123456789012345678901:json:e", "begins with a name"},
        {"error,:json:err", "before the colon"},
        {"error,J,s:json:err", "before the colon"},
        {"error,,larger:json:err", "before the colon"},
        {"error:json:", "after the colon"},
        {"error:/(/", "is invalid"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_i_wire_named_reading named;
        double *values = NULL;
        size_t count = 0;
        size_t capacity = 0;
        opevo_text why = {0};

        CHECK_OK(opevo_i_wire_named_reading_parse(cases[i].how, &named, &err));
        assert_string_equal(named.name, cases[i].name);
        assert_string_equal(named.unit, cases[i].unit);
        assert_int_equal(named.larger_is_better, cases[i].larger);
        assert_true(opevo_i_wire_result_reader_apply(&named.reading, cases[i].output, 7, &values,
                                                     &count, &capacity, &why));
        assert_true(count == 1 && values[0] == cases[i].first);
        assert_false(opevo_i_wire_result_reader_apply(&named.reading, "none", INFINITY, &values,
                                                      &count, &capacity, &why));
        opevo_free(values);
        opevo_text_free(&why);
        opevo_i_wire_named_reading_clear(&named);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opevo_i_wire_named_reading named;

        CHECK_FAILS(OPEVO_INVALID, bad[i][1],
                    opevo_i_wire_named_reading_parse(bad[i][0], &named, &err));
    }
}

CHECK_TEST(test_no_result)
{
    static const char *const cases[][3] = {
        {"ms:/took ([0-9.]+)/", "nothing", "no match"},
        {"ms:/took (.*)/", "took long", "\"long\", which is not a number"},
        {"ms:/([-0-9]+)/", "-5", "not a result above 0"},
        {"ms:/([0-9]*)/", "x", "\"\", which is not a number"},
        {"ms:json:a", "no json", "is JSON"},
        {"ms:json:a", "{\"b\": 1}", "no number at a"},
        {"ms:json:a", "{\"a\": []}", "no number at a"},
        {"ms:json:a", "{\"a\": 0}", "not a result above 0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_i_wire_result_reader reading;
        double *values = NULL;
        size_t count = 0;
        size_t capacity = 0;
        opevo_text why = {0};

        CHECK_OK(opevo_i_wire_result_reader_parse(cases[i][0], &reading, &err));
        assert_false(opevo_i_wire_result_reader_apply(&reading, cases[i][1], 7, &values, &count,
                                                      &capacity, &why));
        assert_non_null(strstr(opevo_text_string(&why), cases[i][2]));
        opevo_free(values);
        opevo_text_free(&why);
        opevo_i_wire_result_reader_clear(&reading);
    }
}

CHECK_TEST(test_bad_readings)
{
    static const char *const cases[][2] = {
        {"", "it must begin with"},      {"hours:wall", "it must begin with"},
        {"ms:", "after the colon"},      {"gflops:wall", "after the colon"},
        {"ms:json:", "after the colon"}, {"ms:/x", "between two slashes"},
        {"ms:/(/", "is invalid"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_i_wire_result_reader reading;

        CHECK_FAILS(OPEVO_INVALID, cases[i][1],
                    opevo_i_wire_result_reader_parse(cases[i][0], &reading, &err));
    }
}
