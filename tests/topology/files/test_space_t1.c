/* SPDX-License-Identifier: GPL-3.0-or-later */

/* T1 files: lists, structure, mistakes. */

#include "space_file_checks.h"

#include <opevo/diagram.h>
#include <opevo/memory.h>

CHECK_TEST(test_t1_lists)
{
    static const struct {
        const char *type, *values, *text;
    } cases[] = {
        {"int", "[1, 2, 4]", "discrete(1,2,4)"},
        {"int", " [ 4,1 , -2,] ", "discrete(-2,1,4)"},
        {"uint", "[15]", "discrete(15)"},
        {"int", "[32 * i for i in range(1, 5)]", "discrete(32,64,96,128)"},
        {"int", "[2**i for i in range(4)]", "discrete(1,2,4,8)"},
        {"int", "[i for i in range(1, 33) if 32 % i == 0]", "discrete(1,2,4,8,16,32)"},
        {"int", "[x*x for x in [3, 1, 2] if x != 1]", "discrete(4,9)"},
        {"int", "[1, 2] + [16*i for i in range(1,3)] + [64]", "discrete(1,2,16,32,64)"},
        {"int", "list(range(10, 0, -4))", "discrete(2,6,10)"},
        {"int", "range(3)", "discrete(0,1,2)"},
        {"int", "range(9223372036854775800, 9223372036854775807, 6)",
         "discrete(9223372036854775800,9223372036854775806)"},
        {"int", "([8] + list( range(2) ))", "discrete(0,1,8)"},
        {"int", "[i + j_ for i in []] + [(1 + 2) * 3]", NULL},
        {"int", "[-1, 7 // 2, 7 % 4, 2 * (3 + 4)]", NULL},
        {"int", "[-1, 7 // 2, 7 % 3, 2 * (3 + 4)]", "discrete(-1,1,3,14)"},
        {"float", "[0.5, 1, 2.25]", "discrete(0.5,1,2.25)"},
        {"float", "[i / 4 for i in range(1, 4)]", "discrete(0.25,0.5,0.75)"},
        {"bool", "[True, False]", "categorical(true,false)"},
        {"bool", "[0, 1]", "categorical(0,1)"},
        {"string", "['a', \"b,c\", 'd]']", "categorical(a,\"b,c\",d])"},
        {"string", "['for i in x', 'b'] + ['+']", "categorical(for i in x,b,+)"},
        {"string", "[s for s in ['a', 'b'] if s != 'a']", "categorical(b)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_space *space = NULL;

        if (!cases[i].text) {
            CHECK_FAILS(OPEVO_INVALID, "t1.json:1: ",
                        parse_t1(cases[i].type, cases[i].values, NULL, &space, &err));
            continue;
        }
        CHECK_OK(parse_t1(cases[i].type, cases[i].values, NULL, &space, &err));
        assert_string_equal(opevo_parameter_text(opevo_space_parameter(space, 0)), cases[i].text);
        opevo_space_destroy(space);
    }
}

CHECK_TEST(test_t1_mistakes)
{
    static const struct {
        const char *type, *values, *condition, *words;
    } cases[] = {
        {"half", "[1]", NULL, "t1.json:1: Parameter p: Type must be \"int\""},
        {"int", "", NULL, "t1.json:1: Values of p, column 1: expected a list"},
        {"int", "1, 2", NULL, "Values of p, column 1: expected a list"},
        {"int", "[1, 2", NULL, "Values of p, column 1: expected a list"},
        {"int", "[1, 2]]", NULL, "expected a list"},
        {"int", "[1, , 2]", NULL, "Values of p, column 5: unexpected end; expected a value"},
        {"int", "[]", NULL, "t1.json:1: Parameter p"},
        {"int", "[1, 1]", NULL, "t1.json:1: Parameter p"},
        {"int", "[1, 2.5]", NULL, "Parameter p: value 2 does not fit the type int"},
        {"uint", "[1, -2]", NULL, "Parameter p: value 2 does not fit the type uint"},
        {"bool", "['x']", NULL, "value 1 does not fit the type bool"},
        {"string", "[1]", NULL, "value 1 does not fit the type string"},
        {"int", "[block for i in range(3)]", NULL,
         "Values of p, column 2: unknown name block; the names are i."},
        {"int", "[q]", NULL, "Values of p, column 2: unknown name q."},
        {"int", "[1 // i for i in range(3)]", NULL, "Values of p, column 4: it divides by zero"},
        {"int", "[i for i, j in range(3)]", NULL, "only one loop variable is supported"},
        {"int", "[i for i in range(3) for j in range(3)]", NULL, "only one loop is supported"},
        {"int", "[i for i range(3)]", NULL, "write a loop as"},
        {"int", "[i for in range(3)]", NULL, "write a loop as"},
        {"int", "[i for i in range(0.5)]", NULL, "range takes integers"},
        {"int", "range()", NULL, "range takes one to three integers"},
        {"int", "range(1,2,0)", NULL, "the step of range must not be 0"},
        {"int", "range(10000000000)", NULL, "more than 1048576 values"},
        {"int", "random.sample(3)", NULL, "expected a list"},
        {"int", "((((((((((((((((((((((((([1])))))))))))))))))))))))))", NULL,
         "lists are nested too deeply"},
        {"int", "[1, 2]", "p <", "t1.json:1: constraint 1, column 4: unexpected end"},
        {"int", "[1, 2]", "p ? 1 : 0", "? is not supported here; write VALUE if TEST else VALUE."},
        {"int", "[1, 2]", "q < 1", "t1.json:1: constraint 1, column 1: unknown name q"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_space *space = NULL;
        int64_t live = opevo_memory_live();
        opevo_error err = {OPEVO_OK, ""};

        assert_int_not_equal(
            parse_t1(cases[i].type, cases[i].values, cases[i].condition, &space, &err), OPEVO_OK);
        if (!strstr(err.message, cases[i].words))
            fail_msg("%s: \"%s\", expected \"%s\"", cases[i].values, err.message, cases[i].words);
        assert_int_equal(opevo_memory_live(), live);
    }
}

/* As the loader of KTT has values: lists in JSON and ranges without their end. */
CHECK_TEST(test_ktt)
{
    static const struct {
        const char *type, *values;
        const char *wanted; /* the same in Python */
    } cases[] = {
        {"UnsignedInt", "\"Values\": [1, 2, 8]", "[1, 2, 8]"},
        {"Int", "\"Range\": {\"Lower\": -2, \"Upper\": 3}", "range(-2, 3)"},
        {"Int", "\"Range\": {\"Lower\": 1, \"Upper\": 8, \"Step\": 3}", "[1, 4, 7]"},
        {"Double", "\"Range\": {\"Lower\": 0.5, \"Upper\": 1.6, \"Step\": 0.5}", "[0.5, 1, 1.5]"},
        {"Bool", "\"Values\": [true, false]", "[True, False]"},
        {"String", "\"Values\": [\"a\", \"b\"]", "['a', 'b']"}};
    static const char *const types[] = {"uint", "int", "int", "float", "bool", "string"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_space *space = NULL, *same = NULL;
        char text[300];

        snprintf(text, sizeof text,
                 "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"p\", \"Type\": "
                 "\"%s\", %s}]}}",
                 cases[i].type, cases[i].values);
        CHECK_OK(opevo_space_parse(text, "t1.json", NULL, &space, &err));
        CHECK_OK(parse_t1(types[i], cases[i].wanted, NULL, &same, &err));
        assert_string_equal(opevo_parameter_text(opevo_space_parameter(space, 0)),
                            opevo_parameter_text(opevo_space_parameter(same, 0)));
        opevo_space_destroy(space);
        opevo_space_destroy(same);
    }
}

CHECK_TEST(test_t1_structure)
{
    static const struct {
        const char *json, *words;
    } cases[] = {
        {"{\"ConfigurationSpace\": 3}", "ConfigurationSpace must be an object."},
        {"{\"ConfigurationSpace\": {}}", "ConfigurationSpace needs a list TuningParameters."},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": []}}", "at least one parameter"},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [3]}}",
         "TuningParameters, item 1 must be an object."},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": 3}]}}",
         "TuningParameters, item 1: Name must be a string."},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"p\", \"Typ\": 3}]}}",
         "item 1 has the key \"Typ\", which T1 does not have."},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"p\", \"Type\": \"int\", "
         "\"Values\": 3}]}}",
         "Parameter p: Values must be a string that contains a Python list"},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"p\", \"Type\": \"int\", "
         "\"Range\": {\"Lower\": 1, \"Upper\": 9, \"Step\": 0}}]}}",
         "Parameter p: Values must be a string that contains a Python list"},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [], \"Conditions\": 3}}",
         "Conditions must be a list."},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [], \"Conditions\": [{}]}}",
         "Conditions, item 1: Expression must be a string."},
        {"{\"ConfigurationSpace\": {\"TuningParameters\": [], \"Other\": []}}",
         "ConfigurationSpace has the key \"Other\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_space *space = NULL;

        CHECK_FAILS(OPEVO_INVALID, cases[i].words,
                    opevo_space_parse(cases[i].json, "t1.json", NULL, &space, &err));
    }
}

/* The line of the item, or of the member that is wrong. Escapes, brackets and colons in texts do
 * not mislead. */
CHECK_TEST(test_t1_lines)
{
    static const char *const format =
        "{\n\"General\": {\"a\": [\"]}\\\"{\", {}, [], -1.5e3]},\n\"ConfigurationSpace\":\n{"
        "\"TuningParameters\": [\n{\"Name\": \"p\", \"Type\": \"int\",\n\"Values\": \"[1, 2]\"},\n"
        "{\"Name\": \"q\",\n\"Type\": \"int\",\n\"Values\":\n\"%s\"}],\n\"Conditions\"\n: [\n"
        "{\"Parameters\": [\"p\"], \"Expression\": \"p < 3\"},\n\n"
        "{\"Parameters\": [\n\"p\"],\n\"Expression\":\"%s\"%s}]}}";
    static const struct {
        const char *values, *condition, *more, *words;
    } cases[] = {
        {"[1", "p < 2", "", "t1.json:10: Values of q, column 1: expected a list"},
        {"[1, 1]", "p < 2", "", "t1.json:10: Parameter q: the value 1 is given twice"},
        {"[0.5]", "p < 2", "", "t1.json:10: Parameter q: value 1 does not fit"},
        {"[1]", "p <", "", "t1.json:17: constraint 2, column 4: unexpected end"},
        {"[1]", "p > 2", "", "t1.json:17: constraint 2: no point satisfies"},
        {"[1]", "p < 2", ", \"x\": 1", "t1.json:15: Conditions, item 2 has the key \"x\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_text json = {0};
        opevo_space *space = NULL;

        opevo_text_printf(&json, format, cases[i].values, cases[i].condition, cases[i].more);
        CHECK_FAILS(OPEVO_INVALID, cases[i].words,
                    opevo_space_parse(opevo_text_string(&json), "t1.json", NULL, &space, &err));
        opevo_text_free(&json);
    }
}

/* Lists that make many values and drop them again are bounded over the whole file. */
CHECK_TEST(test_t1_lists_are_bounded)
{
    opevo_text json = {0};
    opevo_space *space = NULL;

    opevo_text_add(&json, "{\"ConfigurationSpace\": {\"Conditions\": [], \"TuningParameters\": [");
    for (int i = 0; i < 5; i++)
        opevo_text_printf(&json,
                          "%s{\"Name\": \"p%d\", \"Type\": \"int\", \"Values\": "
                          "\"[1] + [i for i in range(1000000) if i < 0]\"}",
                          i ? "," : "", i);
    opevo_text_add(&json, "]}}");
    CHECK_FAILS(OPEVO_LIMIT, "Values of p4: the lists up to here make more than 4194304 values",
                opevo_space_parse(json.data, "t1.json", NULL, &space, &err));
    opevo_text_free(&json);
}

/* `count` parameters of 4 values; the product of each pair is 8, which 4 of its 16 choices have. */
static char *write_pairs(size_t count)
{
    opevo_text json = {0};

    opevo_text_add(&json, "{\"ConfigurationSpace\": {\"TuningParameters\": [");
    for (size_t i = 0; i < count; i++)
        opevo_text_printf(&json,
                          "%s{\"Name\": \"p%zu\", \"Type\": \"int\","
                          " \"Values\": \"[2**i for i in range(4)]\", \"Default\": 1}",
                          i ? ",\n" : "", i);
    opevo_text_add(&json, "], \"Conditions\": [");
    for (size_t i = 0; i + 1 < count; i += 2)
        opevo_text_printf(&json,
                          "%s{\"Expression\": \"p%zu * p%zu == 8\","
                          " \"Parameters\": [\"p%zu\", \"p%zu\"]}",
                          i ? ",\n" : "", i, i + 1, i, i + 1);
    opevo_text_add(&json, "]}}");
    return json.data;
}

/* 2^power in digits, by doubling. */
static void power_of_two(unsigned power, char *out)
{
    unsigned char digits[400] = {1};
    size_t count = 1;

    for (unsigned k = 0; k < power; k++) {
        unsigned carry = 0;

        for (size_t i = 0; i < count || carry; i++) {
            unsigned sum = 2u * digits[i] + carry;

            digits[i] = (unsigned char)(sum % 10);
            carry = sum / 10;
            count = i + 1 > count ? i + 1 : count;
        }
    }
    for (size_t i = 0; i < count; i++)
        out[i] = (char)('0' + digits[count - 1 - i]);
    out[count] = '\0';
}

CHECK_TEST(test_t1_with_a_thousand_parameters)
{
    char *json = write_pairs(1000), *more = write_pairs(OPEVO_SPACE_PARAMETERS_MAX + 2);
    char expected[401];
    opevo_space *space = NULL;
    const opevo_diagram *diagram = NULL;
    opevo_index vertices[1000], again[1000];
    opevo_text digits = {0};

    CHECK_OK(opevo_space_parse(json, "t1.json", NULL, &space, &err));
    assert_int_equal(opevo_space_parameter_count(space), 1000);
    assert_string_equal(opevo_parameter_name(opevo_space_parameter(space, 999)), "p999");
    CHECK_OK(opevo_space_diagram(space, &diagram, &err));
    opevo_diagram_print_count(diagram, &digits);
    power_of_two(1000, expected);
    assert_string_equal(opevo_text_string(&digits), expected);
    for (size_t i = 0; i < 1000; i++)
        vertices[i] = i % 2 ? 3 - vertices[i - 1] : i / 2 * 7 % 4;
    assert_true(opevo_space_allows(space, opevo_space_encode(space, vertices)));
    opevo_space_decode(space, opevo_space_encode(space, vertices), again);
    assert_memory_equal(vertices, again, sizeof vertices);
    vertices[500] = (vertices[500] + 1) % 4;
    assert_false(opevo_space_allows(space, opevo_space_encode(space, vertices)));
    opevo_space_destroy(space);
    CHECK_FAILS(OPEVO_LIMIT, "1024", opevo_space_parse(more, "t1.json", NULL, &space, &err));
    opevo_text_free(&digits);
    opevo_free(json);
    opevo_free(more);
}
