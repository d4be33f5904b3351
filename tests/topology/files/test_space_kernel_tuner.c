/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernel Tuner's tune_params with restrictions, and T4 results, as spaces. */

#include "space_file_checks.h"

static bool allows(const opevo_space *space, const char *text)
{
    opevo_index point = 0;

    CHECK_OK(opevo_space_read(space, text, &point, &err));
    return opevo_space_allows(space, point);
}

CHECK_TEST(reads_tune_params)
{
    opevo_space *space =
        parse("{\"kernel_name\": \"k\",\n\"tune_params\": {\"x\": [16, 8, 32], \"alg\": [\"a\", 1],"
              " \"f\": [0.5, 2]},\n\"restrictions\": [\"8 <= x * f <= 32\", \"alg == 'a' or x != "
              "8\"]}");

    assert_true(opevo_space_size(space) == 12);
    assert_string_equal(opevo_parameter_text(opevo_space_parameter(space, 0)), "discrete(8,16,32)");
    assert_string_equal(opevo_parameter_text(opevo_space_parameter(space, 1)), "categorical(a,1)");
    assert_string_equal(opevo_parameter_type(opevo_space_parameter(space, 2)), "discrete");
    assert_true(allows(space, "x=16 alg=1 f=2"));
    assert_false(allows(space, "x=32 alg=1 f=2"));
    assert_false(allows(space, "x=8 alg=1 f=2"));
    assert_true(allows(space, "x=8 alg=a f=2"));
    opevo_space_destroy(space);
}

/* The order is that of tune_params_keys; one restriction may stand alone. */
CHECK_TEST(reads_keys_and_one_restriction)
{
    opevo_space *space =
        parse("{\"tune_params_keys\": [\"b\", \"a\"], \"tune_params\": {\"a\": [1, "
              "2], \"b\": [3, 4]}, \"restrictions\": \"a + b != 4\", \"cache\": {}}");

    assert_string_equal(opevo_parameter_name(opevo_space_parameter(space, 0)), "b");
    assert_false(allows(space, "a=1 b=3"));
    assert_true(allows(space, "a=2 b=3"));
    opevo_space_destroy(space);
}

CHECK_TEST(reads_results)
{
    opevo_space *space =
        parse("{\"schema_version\": \"1.0.0\", \"results\": [{\"configuration\": {\"x\": 4, "
              "\"on\": true}}, {\"configuration\": {\"on\": false, \"x\": 2}}, {\"configuration\": "
              "{\"x\": 4, \"on\": false}}]}");

    assert_string_equal(opevo_parameter_text(opevo_space_parameter(space, 0)), "discrete(2,4)");
    assert_string_equal(opevo_parameter_text(opevo_space_parameter(space, 1)),
                        "categorical(false,true)");
    opevo_space_destroy(space);
}

CHECK_TEST(refuses_mistakes)
{
    static const char *const cases[][2] = {
        {"{\"tune_params\": {}}", "k.json:1: tune_params lists no parameter."},
        {"{\n\"tune_params\": {}, \"restrictions\": [\"lambda x: 1\"]}",
         "k.json:2: tune_params lists no parameter."},
        {"{\"tune_params\":\n{\"x\": []}}", "k.json:2: tune_params lists no values for 'x'."},
        {"{\"tune_params\":\n{\"x\":\n[1, null]}}",
         "k.json:3: Parameter x: value 2 is not a number, string or Boolean."},
        {"{\"tune_params\": {\"x\": [1, 1]}}", "the value 1 is given twice"},
        {"{\"tune_params\": {\"x\": [1]}, \"tune_params_keys\": [1]}",
         "tune_params_keys[0] is not a string"},
        {"{\"tune_params\": {\"x\": [1]},\n\"restrictions\": [\"x == 1\",\n\"x ==\"]}",
         "k.json:3: constraint 2"},
        {"{\"tune_params\": {\"x\": [1]},\n\"restrictions\": [1]}",
         "k.json:2: Item 1 of restrictions is not a string"},
        {"{\"tune_params\": {\"x\": [1]},\n\"restrictions\": {}}",
         "k.json:2: restrictions must be a list"},
        {"{\"metadata\": {}, \"results\": []}", "results[0] has no configuration"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_space *space = NULL;

        CHECK_FAILS(OPEVO_INVALID, cases[i][1],
                    opevo_space_parse(cases[i][0], "k.json", NULL, &space, &err));
    }
}
