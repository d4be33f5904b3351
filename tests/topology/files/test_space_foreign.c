/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces of BaCO and ConfigSpace, and NNI's interval types, against their allowed points written
 * out by hand. */

#include "space_file_checks.h"

static void check(const opevo_space *space, size_t i, const char *name, const char *text)
{
    assert_string_equal(opevo_parameter_name(opevo_space_parameter(space, i)), name);
    assert_string_equal(opevo_parameter_text(opevo_space_parameter(space, i)), text);
}

static size_t allowed(const opevo_space *space)
{
    size_t count = 0;

    for (opevo_index point = 0; point < opevo_space_size(space); point++)
        count += opevo_space_allows(space, point);
    return count;
}

static bool allows(const opevo_space *space, const char *text)
{
    opevo_index point = 0;

    CHECK_OK(opevo_space_read(space, text, &point, &err));
    return opevo_space_allows(space, point);
}

CHECK_TEST(reads_baco)
{
    opevo_space *space =
        parse("{\"application_name\": \"toy\", \"input_parameters\": {"
              "\"tile\": {\"parameter_type\": \"ordinal\", \"values\": [1, 4, 2], \"default\": 1,"
              " \"constraints\": [\"tile * n <= 8\"], \"dependencies\": [\"n\"]},"
              "\"n\": {\"parameter_type\": \"integer\", \"values\": [2, 5]},"
              "\"kind\": {\"parameter_type\": \"categorical\", \"values\": [\"a\", \"b\"]},"
              "\"order\": {\"parameter_type\": \"permutation\", \"values\": [3]}}}");

    check(space, 0, "tile", "discrete(1,2,4)");
    check(space, 1, "n", "discrete(2,3,4,5)");
    check(space, 2, "kind", "categorical(a,b)");
    check(space, 3, "order", "permutation(3)");
    /* tile 1: n 2 to 5; tile 2: n 2 to 4; tile 4: n 2 */
    assert_int_equal(allowed(space), (4 + 3 + 1) * 2 * 6);
    opevo_space_destroy(space);
}

/* The child comes before its parent, as in files, which are sorted by names. */
CHECK_TEST(reads_configspace)
{
    opevo_space *space = parse(
        "{\"name\": null, \"hyperparameters\": ["
        "{\"type\": \"uniform_int\", \"name\": \"a\", \"lower\": 1, \"upper\": 3, \"log\": false},"
        "{\"type\": \"categorical\", \"name\": \"b\", \"choices\": [\"x\", \"y\", \"z\"]},"
        "{\"type\": \"ordinal\", \"name\": \"c\", \"sequence\": [\"low\", \"high\"]},"
        "{\"type\": \"constant\", \"name\": \"d\", \"value\": 7},"
        "{\"type\": \"uniform_float\", \"name\": \"e\", \"lower\": 0, \"upper\": 1, \"q\": 0.25}],"
        "\"conditions\": [{\"type\": \"EQ\", \"child\": \"a\", \"parent\": \"b\", \"value\": "
        "\"y\"},"
        "{\"type\": \"IN\", \"child\": \"c\", \"parent\": \"b\", \"values\": [\"x\", \"y\"]}],"
        "\"forbiddens\": [{\"type\": \"AND\", \"clauses\": ["
        "{\"type\": \"EQUALS\", \"name\": \"b\", \"value\": \"y\"},"
        "{\"type\": \"IN\", \"name\": \"a\", \"values\": [1, 2]}]},"
        "{\"type\": \"EQUALS\", \"name\": \"e\", \"value\": 0.5}], \"format_version\": 0.4}");

    /* b=x: c, 2; b=y: a and c, 3 * 2; b=z: 1; each with 5 values of e */
    assert_true(opevo_space_size(space) == (2 + 6 + 1) * 5);
    assert_int_equal(allowed(space), (2 + 2 + 1) * 4);
    assert_true(allows(space, "b=y a=3 b.y.c=low d=7 e=0.25"));
    assert_false(allows(space, "b=y a=2 b.y.c=low d=7 e=0.25"));
    assert_false(allows(space, "b=z d=7 e=0.5"));
    assert_true(allows(space, "b=x b.x.c=high d=7 e=1"));
    opevo_space_destroy(space);
}

CHECK_TEST(reads_intervals_of_nni)
{
    opevo_space *space = parse("{\"q\": {\"_type\": \"quniform\", \"_value\": [1, 10, 3]},"
                               "\"b\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"x\","
                               " \"r\": {\"_type\": \"randint\", \"_value\": [0, 4]}}, \"y\"]},"
                               "\"l\": {\"_type\": \"qloguniform\", \"_value\": [8, 24, 8]}}");

    /* round(x / 3) 3 of [1, 10], clipped to it */
    check(space, 0, "q", "discrete(1,3,6,9)");
    check(space, 2, "r", "discrete(0,1,2,3)");
    check(space, 3, "l", "discrete(8,16,24)");
    opevo_space_destroy(space);
}

CHECK_TEST(refuses_what_has_another_meaning)
{
#define HYPER(conditions, forbiddens)                                                              \
    "{\"hyperparameters\": [{\"type\": \"categorical\", \"name\": \"b\", \"choices\": [1, 2]},"    \
    "{\"type\": \"uniform_int\", \"name\": \"n\", \"lower\": 1, \"upper\": 3}],"                   \
    " \"conditions\": [" conditions "], \"forbiddens\": [" forbiddens "]}"
    static const char *const cases[][2] = {
        {"{\"a\": {\"_type\": \"quniform\", \"_value\": [10, 1, 1]}}",
         "Parameter a: its lower bound 10 is above its upper bound 1"},
        {"{\"a\": {\"_type\": \"randint\", \"_value\": [3, 3]}}", "lower bound 3 is above"},
        {"{\"a\": {\"_type\": \"quniform\", \"_value\": [1, 10]}}", "takes [low, high, q]"},
        {"{\"a\": {\"_type\": \"quniform\", \"_value\": [1, 10, 0]}}", "steps of 0"},
        {"{\"a\": {\"_type\": \"quniform\", \"_value\": [0, 1e9, 1]}}", "list them"},
        {"{\"a\": {\"_type\": \"loguniform\", \"_value\": [1, 10]}}",
         "Parameter a: loguniform is an interval of real numbers"},
        {"{\"input_parameters\": {\"a\": {\"parameter_type\": \"real\", \"values\": [0, 1]}}}",
         "Parameter a: real is an interval of real numbers"},
        {"{\"input_parameters\": {\"a\": {\"parameter_type\": \"odd\", \"values\": [0, 1]}}}",
         "unknown parameter_type \"odd\""},
        {"{\"input_parameters\": {\"a\": {\"parameter_type\": \"integer\", \"values\": [5, 1]}}}",
         "lower bound 5 is above"},
        {"{\"hyperparameters\": [{\"type\": \"uniform_float\", \"name\": \"a\", \"lower\": 0,"
         " \"upper\": 1}]}",
         "uniform_float is an interval of real numbers"},
        {HYPER("{\"type\": \"GT\", \"child\": \"b\", \"parent\": \"n\", \"value\": 1}", ""),
         "The condition GT of b"},
        {HYPER("{\"type\": \"EQ\", \"child\": \"b\", \"parent\": \"n\", \"value\": 1}", ""),
         "its parent n is not categorical"},
        {HYPER("{\"type\": \"EQ\", \"child\": \"n\", \"parent\": \"b\", \"value\": 3}", ""),
         "b has no such value"},
        {HYPER("{\"type\": \"EQ\", \"child\": \"n\", \"parent\": \"b\", \"value\": 1},"
               "{\"type\": \"EQ\", \"child\": \"n\", \"parent\": \"b\", \"value\": 2}",
               ""),
         "n has two conditions"},
        {HYPER("", "{\"type\": \"RELATION\"}"), "The forbidden clause 1 is of type RELATION"},
        {"{\"Metadata\": {}, \"Results\": []}", "These are results of a tuner"},
        {"{\"kernel_family\": \"copy\", \"results\": []}", "These are results of a tuner"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_space *space = NULL;

        CHECK_FAILS(OPEVO_INVALID, cases[i][1],
                    opevo_space_parse(cases[i][0], "s.json", NULL, &space, &err));
        assert_null(space);
    }
}
