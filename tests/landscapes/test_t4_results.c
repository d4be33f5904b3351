/* SPDX-License-Identifier: GPL-3.0-or-later */

/* T4 results: outcomes, times in every unit, costs under both names, and what is refused. */

#include "toy_landscape.h"

static const char good[] =
    "{\"schema_version\": \"1.0.0\", \"metadata\": {\"timeunit\": \"miliseconds\"}, \"results\": "
    "[\n"
    "{\"configuration\": {\"x\": 1, \"alg\": \"a\"}, \"invalidity\": \"correct\", \"objectives\": "
    "[\"time\"],\n \"times\": {\"compilation\": 1000, \"framework\": 2, \"validation\": 3, "
    "\"runtimes\": [4, 6]},\n \"measurements\": [{\"name\": \"time\", \"value\": 5, \"unit\": "
    "\"\"}]},\n"
    "{\"configuration\": {\"x\": 2, \"alg\": \"a\"}, \"invalidity\": \"compile\", \"times\": "
    "{\"compilation\": 700}, \"measurements\": [{\"name\": \"time\", \"value\": "
    "\"CompilationFailedConfig\"}]},\n"
    "{\"configuration\": {\"x\": 4, \"alg\": \"a\"}, \"invalidity\": \"runtime\", \"times\": {}},\n"
    "{\"configuration\": {\"x\": 1, \"alg\": \"b\"}, \"invalidity\": \"correctness\", \"times\": "
    "{}},\n"
    "{\"configuration\": {\"x\": 2, \"alg\": \"b\"}, \"invalidity\": \"timeout\", \"times\": {}},\n"
    "{\"configuration\": {\"x\": 4, \"alg\": \"b\"}, \"invalidity\": \"constraints\", \"times\": "
    "{}},\n"
    "{\"configuration\": {\"x\": 8, \"alg\": \"b\"}, \"invalidity\": \"correct\", \"times\": "
    "{\"compilation_time\": 9, \"benchmark\": 30, \"runtimes\": [8, 12]}}]}\n";

CHECK_TEST(reads_outcomes)
{
    test_folder folder;
    opevo_objective *objective = NULL;

    folder_open(&folder);
    folder_write(&folder, "t.json", good);
    objective = open_recorded(&folder, "t.json", NULL);
    assert_string_equal(objective->name, "recorded:t");
    assert_string_equal(objective->unit, "1/s");
    assert_true(opevo_space_size(objective->space) == 8);
    assert_true(opevo_recorded_rows(objective) == 7);
    CHECK_CLOSE(outcome_of(objective, "x=1 alg=a").time_s, 5e-3, 1e-15);
    CHECK_CLOSE(outcome_of(objective, "x=1 alg=a").fitness, 200, 1e-12);
    CHECK_CLOSE(outcome_of(objective, "x=1 alg=a").build_s, 1, 1e-15);
    CHECK_CLOSE(outcome_of(objective, "x=1 alg=a").run_s, 0.010, 1e-15);
    CHECK_CLOSE(outcome_of(objective, "x=1 alg=a").check_s, 0.003, 1e-15);
    CHECK_CLOSE(outcome_of(objective, "x=1 alg=a").other_s, 0.002, 1e-15);
    check_outcome(objective, "x=2 alg=a", OPEVO_OUTCOME_BUILD_ERROR, 0, NAN, 0.7, 0);
    check_outcome(objective, "x=4 alg=a", OPEVO_OUTCOME_LAUNCH_ERROR, 0, NAN, 0, 0);
    check_outcome(objective, "x=1 alg=b", OPEVO_OUTCOME_WRONG, 0, NAN, 0, 0);
    check_outcome(objective, "x=2 alg=b", OPEVO_OUTCOME_TIMEOUT, 0, NAN, 0, 0);
    check_outcome(objective, "x=4 alg=b", OPEVO_OUTCOME_REJECTED, 0, NAN, 0, 0);
    check_outcome(objective, "x=8 alg=b", OPEVO_OUTCOME_OK, 100, 0.010, 0.009, 0.030);
    check_outcome(objective, "x=8 alg=a", OPEVO_OUTCOME_UNRECORDED, 0, NAN, 0, 0);
    opevo_objective_destroy(objective);
    folder_close(&folder);
}

/* One result with everything in the unit. */
static void check_unit(const char *metadata, const char *unit, double value, double expected_s)
{
    test_folder folder;
    opevo_objective *objective = NULL;
    char *text = NULL;

    folder_open(&folder);
    assert_true(asprintf(&text,
                         "{\"schema_version\": \"1.0.0\", %s \"results\": [{\"configuration\": "
                         "{\"x\": 1}, \"invalidity\": \"correct\", \"objectives\": [\"Total\"], "
                         "\"times\": {\"compilation_time\": %g, \"runtimes\": [%g]}, "
                         "\"measurements\": [{\"name\": \"GFLOP/s\", \"value\": 7}, {\"name\": "
                         "\"Total\", \"value\": %g, \"unit\": \"%s\"}]}]}",
                         metadata, value, value, value, unit) > 0);
    folder_write(&folder, "u.json", text);
    objective = open_recorded(&folder, "u.json", NULL);
    assert_string_equal(objective->unit, "GFLOP/s");
    check_outcome(objective, "x=1", OPEVO_OUTCOME_OK, 7, expected_s, expected_s, expected_s);
    opevo_objective_destroy(objective);
    free(text);
    folder_close(&folder);
}

CHECK_TEST(reads_units)
{
    check_unit("", "Microseconds", 3000, 3e-3); /* as the converter of KTT writes it */
    check_unit("", "", 3, 3);
    check_unit("\"metadata\": {\"timeunit\": \"milliseconds\"},", "", 3, 3e-3);
    check_unit("\"metadata\": {\"timeunit\": \"nanoseconds\"},", "", 3, 3e-9);
    check_unit("\"metadata\": {\"timeunit\": \"seconds\"},", "s", 3, 3);
}

CHECK_TEST(refuses_mistakes)
{
    static const char *const cases[][3] = {
        {"\"invalidity\": \"runtime\"", "\"invalidity\": \"odd\"",
         "t.json:6: invalidity must be correct, compile,"},
        {"\"miliseconds\"", "\"weeks\"", "t.json: metadata.timeunit must be seconds,"},
        {"{\"x\": 4, \"alg\": \"a\"}", "{\"x\": 4}", "results[2] has other parameters"},
        {"{\"x\": 4, \"alg\": \"a\"}", "{\"x\": 4, \"algo\": \"a\"}",
         "results[2] has no value for parameter 'alg'"},
        {"{\"x\": 4, \"alg\": \"a\"}", "{\"x\": 2, \"alg\": \"a\"}",
         "t.json:6: the configuration is already in line 5"},
        {"\"value\": 5,", "\"value\": 0,", "t.json:2: the result is correct, but has neither"},
        {"\"compilation\": 700", "\"compilation\": -1",
         "t.json:5: times.compilation is not a number"},
    };
    test_folder folder;
    opevo_objective *objective = NULL;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = replaced(good, cases[i][0], cases[i][1]);

        folder_write(&folder, "t.json", text);
        CHECK_FAILS(OPEVO_INVALID, cases[i][2],
                    opevo_recorded_open(folder_file(&folder, "t.json"), NULL, &objective, &err));
        free(text);
    }
    folder_write(&folder, "t.json", "{\"schema_version\": \"1.0.0\", \"results\": []}");
    CHECK_FAILS(OPEVO_INVALID, "it holds no results",
                opevo_recorded_open(folder_file(&folder, "t.json"), NULL, &objective, &err));
    folder_write(&folder, "t.json", "{\"tune_params\": {\"x\": [1, 2]}}");
    CHECK_FAILS(OPEVO_INVALID, "not a recorded landscape but a search space: give it with --space",
                opevo_recorded_open(folder_file(&folder, "t.json"), NULL, &objective, &err));
    folder_close(&folder);
}

/* T1, tune_params with restrictions and the file itself are spaces for it. */
CHECK_TEST(goes_with_spaces)
{
    static const char *const spaces[] = {
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"x\", \"Type\": \"int\", "
        "\"Values\": \"[1, 2, 4]\"}, {\"Name\": \"alg\", \"Type\": \"string\", \"Values\": \"['a', "
        "'b']\"}], \"Conditions\": [{\"Expression\": \"x < 4 or alg == 'a'\", \"Parameters\": "
        "[\"x\", \"alg\"]}]}}",
        "{\"tune_params\": {\"x\": [1, 2, 4], \"alg\": [\"a\", \"b\"]}, \"restrictions\": [\"x < 4 "
        "or alg == 'a'\"]}"};
    test_folder folder;
    opevo_objective *objective = NULL;

    folder_open(&folder);
    folder_write(&folder, "t.json", good);
    for (size_t i = 0; i < 2; i++) {
        folder_write(&folder, "s.json", spaces[i]);
        objective = open_recorded(&folder, "t.json", "s.json");
        assert_true(opevo_recorded_rows(objective) == 5 && opevo_recorded_ignored(objective) == 2);
        opevo_objective_destroy(objective);
    }
    objective = open_recorded(&folder, "t.json", "t.json");
    assert_true(opevo_recorded_rows(objective) == 7);
    opevo_objective_destroy(objective);
    folder_close(&folder);
}
