/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernel Tuner's cache files: values, failures, costs, the metric, pairs of times, files of runs
 * that have not ended, and files that are cut. */

#include "toy_landscape.h"

#include <opevo/hash.h>
#include <opevo/landscape.h>

/* Three entries that ran and three that failed; the last line of the cache as a killed run leaves
 * it is this text without its last two lines. */
#define HEAD                                                                                       \
    "{\n\"device_name\": \"GPU\",\n\"kernel_name\": \"k\",\n\"problem_size\": 7,\n"                \
    "\"tune_params_keys\": [\n\"bx\",\n\"alg\",\n\"pad\"\n],\n"                                    \
    "\"tune_params\": {\"bx\": [16, 32, 2.5], \"alg\": [\"a,1\", \"b\", 3], \"pad\": [true, "      \
    "false]},\n\"objective\": \"time\",\n\"cache\": {\n"
#define ENTRY_1                                                                                    \
    "\"16,a,1,True\": {\"bx\": 16, \"alg\": \"a,1\", \"pad\": true, \"time\": 2.0, \"times\": "    \
    "[1.5, 2.5], \"compile_time\": 400.0, \"verification_time\": 3, \"benchmark_time\": 10.0, "    \
    "\"GFLOP/s\": 100.0, \"strategy_time\": 50, \"framework_time\": 1.0, \"timestamp\": \"t\"}"
#define ENTRY_2                                                                                    \
    "\"32,b,False\": {\"bx\": 32, \"alg\": \"b\", \"pad\": false, \"time\": 4.0, \"times\": "      \
    "[[0, 8.5], [0, 7.5]], \"compile_time\": 300.0, \"GFLOP/s\": 50.0}"
#define ENTRY_3                                                                                    \
    "\"2.5,3,True\": {\"bx\": 2.5, \"alg\": 3, \"pad\": true, \"time\": 1.0, \"GFLOP/s\": 200.0}"
#define ENTRY_4                                                                                    \
    "\"16,b,True\": {\"bx\": 16, \"alg\": \"b\", \"pad\": true, \"time\": "                        \
    "\"CompilationFailedConfig\", \"compile_time\": 500.0, \"framework_time\": 2.0}"
#define ENTRY_5                                                                                    \
    "\"16,b,False\": {\"bx\": 16, \"alg\": \"b\", \"pad\": false, \"GFLOP/s\": "                   \
    "\"RuntimeFailedConfig\", \"__error__\": \"RuntimeFailedConfig\", \"benchmark_time\": 1.0}"
#define ENTRY_6                                                                                    \
    "\"16,3,False\": {\"bx\": 16, \"alg\": 3, \"pad\": false, \"time\": \"InvalidConfig\"}"
#define UNFINISHED                                                                                 \
    HEAD ENTRY_1 ",\n" ENTRY_2 ",\n" ENTRY_3 ",\n" ENTRY_4 ",\n" ENTRY_5 ",\n" ENTRY_6

/* Two rows of six points, and what restricts them; the end may be missing. */
#define RESTRICTED                                                                                 \
    "{\"device_name\": \"d\",\n\"tune_params_keys\": [\"bx\", \"ty\"],\n\"tune_params\": "         \
    "{\"bx\": "                                                                                    \
    "[16, 32], \"ty\": [1, 2, 4]},\n\n\"restrictions\": %s,\n\"cache\": {\n\"16,1\": {\"bx\": "    \
    "16, "                                                                                         \
    "\"ty\": 1, \"time\": 1.6},\n\"32,4\": {\"bx\": 32, \"ty\": 4, \"time\": 0.5}%s"

static opevo_objective *open_text(test_folder *folder, const char *text)
{
    opevo_objective *objective = NULL;

    folder_write(folder, "run.json", text);
    CHECK_OK(opevo_recorded_open(folder_file(folder, "run.json"), NULL, &objective, &err));
    return objective;
}

static void check_ok(opevo_objective *objective, const char *configuration, double fitness,
                     double time_s, double cost_s)
{
    opevo_outcome outcome = outcome_of(objective, configuration);

    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    CHECK_CLOSE(outcome.fitness, fitness, 1e-12);
    CHECK_CLOSE(outcome.time_s, time_s, 1e-15);
    CHECK_CLOSE(opevo_outcome_cost_s(&outcome), cost_s, 1e-12);
}

CHECK_TEST(reads_values_failures_and_costs)
{
    test_folder folder;
    opevo_objective *run = NULL;
    opevo_outcome outcome;
    opevo_optimum best = {.known = false};
    opevo_index point = 0;

    folder_open(&folder);
    run = open_text(&folder, UNFINISHED "}\n}");
    assert_string_equal(run->name, "recorded:run");
    assert_string_equal(run->unit, "GFLOP/s");
    assert_true(opevo_space_size(run->space) == 18);
    assert_string_equal(opevo_parameter_type(opevo_space_parameter(run->space, 0)), "discrete");
    assert_string_equal(opevo_parameter_type(opevo_space_parameter(run->space, 1)), "categorical");
    assert_string_equal(opevo_parameter_type(opevo_space_parameter(run->space, 2)), "categorical");
    outcome = outcome_of(run, "bx=16 alg=b pad=true");
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_BUILD_ERROR);
    CHECK_CLOSE(outcome.build_s, 0.5, 1e-15);
    CHECK_CLOSE(outcome.other_s, 0.002, 1e-15);
    outcome = outcome_of(run, "bx=16 alg=b pad=false");
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_LAUNCH_ERROR);
    CHECK_CLOSE(outcome.run_s, 0.001, 1e-15);
    assert_int_equal(outcome_of(run, "bx=16 alg=3 pad=false").kind, OPEVO_OUTCOME_REJECTED);
    assert_int_equal(outcome_of(run, "bx=32 alg=3 pad=false").kind, OPEVO_OUTCOME_UNRECORDED);
    /* The strategy's time does not count for the trial; pairs [0, t] halve `time` and double
     * GFLOP/s. */
    check_ok(run, "bx=32 alg=b pad=false", 25, 8e-3, 0.3 + 2 * 8e-3);
    check_ok(run, "bx=2.5 alg=3 pad=true", 200, 1e-3, 1e-3);
    CHECK_OK(opevo_objective_optimum(run, &best, &err));
    CHECK_OK(opevo_space_read(run->space, "bx=2.5 alg=3 pad=true", &point, &err));
    assert_true(best.known && best.fitness == 200 && best.point == point);
    for (point = 0; point < 18; point++) { /* "a,1" holds a comma, so look for its outcome */
        CHECK_OK(opevo_objective_evaluate(run, &point, 1, &outcome, &err));
        if (outcome.kind == OPEVO_OUTCOME_OK && outcome.fitness == 100)
            break;
    }
    assert_true(point < 18);
    CHECK_CLOSE(outcome.time_s, 2e-3, 1e-15);
    CHECK_CLOSE(outcome.build_s, 0.4, 1e-15);
    CHECK_CLOSE(outcome.check_s, 0.003, 1e-15);
    CHECK_CLOSE(outcome.run_s, 0.01, 1e-15);
    CHECK_CLOSE(outcome.other_s, 0.001, 1e-15);
    opevo_objective_destroy(run);
    folder_close(&folder);
}

/* One entry without the metric, and fitness is 1 / time for all of them. */
CHECK_TEST(fitness_has_one_meaning)
{
    test_folder folder;
    opevo_objective *run = NULL;

    folder_open(&folder);
    run = open_text(&folder, HEAD ENTRY_1 "," ENTRY_2
                                          ",\n\"2.5,3,True\": {\"bx\": 2.5, \"alg\": 3, \"pad\": "
                                          "true, \"time\": 1.0}}\n}");
    assert_string_equal(run->unit, "1/s");
    check_ok(run, "bx=32 alg=b pad=false", 125, 8e-3, 0.316);
    check_ok(run, "bx=2.5 alg=3 pad=true", 1000, 1e-3, 1e-3);
    opevo_objective_destroy(run);
    folder_close(&folder);
}

/* Pairs whose first member is a measurement are a sound recording: `time` stands. */
CHECK_TEST(keeps_the_time_of_true_pairs)
{
    test_folder folder;
    opevo_objective *run = NULL;

    folder_open(&folder);
    run = open_text(&folder, HEAD "\"16,b,True\": {\"bx\": 16, \"alg\": \"b\", \"pad\": true, "
                                  "\"time\": 4.0, \"times\": [[0, 4.0], [3.0, 5.0]], "
                                  "\"benchmark_time\": 9}}\n}");
    check_ok(run, "bx=16 alg=b pad=true", 250, 4e-3, 9e-3);
    opevo_objective_destroy(run);
    folder_close(&folder);
}

/* Very old files write 1e20 for a failure. */
CHECK_TEST(reads_old_failures)
{
    test_folder folder;
    opevo_objective *run = NULL;

    folder_open(&folder);
    run = open_text(&folder, HEAD "\"16,b,True\": {\"bx\": 16, \"alg\": \"b\", \"pad\": true, "
                                  "\"time\": 1e20},\n\"16,3,True\": {\"bx\": 16, \"alg\": 3, "
                                  "\"pad\": true, \"time\": \"ErrorConfig\"}}\n}");
    assert_int_equal(outcome_of(run, "bx=16 alg=b pad=true").kind, OPEVO_OUTCOME_LAUNCH_ERROR);
    assert_int_equal(outcome_of(run, "bx=16 alg=3 pad=true").kind, OPEVO_OUTCOME_LAUNCH_ERROR);
    opevo_objective_destroy(run);
    folder_close(&folder);
}

/* Each way in which a run may leave its file reads as the closed file does. */
CHECK_TEST(reads_unfinished_files)
{
    static const char *const texts[] = {
        UNFINISHED "}\n}", UNFINISHED "}}",  UNFINISHED "}\n}\n",
        UNFINISHED ",",    UNFINISHED ",\n", UNFINISHED "\n",
        UNFINISHED "}",    UNFINISHED "}\n", UNFINISHED ",\n \n",
    };
    static const char *const names[] = {"run.json", "run.json.xz", "run.json.gz"};
    test_folder folder;
    uint64_t signature = 0;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (int k = 0; k < 3; k++) {
            opevo_objective *run = NULL;

            if (k == 0)
                folder_write(&folder, names[k], texts[i]);
            else
                folder_write_packed(&folder, names[k], texts[i]);
            CHECK_OK(opevo_recorded_open(folder_file(&folder, names[k]), NULL, &run, &err));
            signature = signature ? signature : run->signature;
            assert_true(run->signature == signature);
            opevo_objective_destroy(run);
            CHECK_OK(opevo_recorded_open(folder_file(&folder, "run"), NULL, &run, &err));
            opevo_objective_destroy(run);
            unlink(folder_file(&folder, names[k]));
        }
    }
    folder_close(&folder);
}

/* Cut anywhere inside the line of an entry, the file is refused with that line; cut behind a whole
 * entry it is an unfinished one. */
CHECK_TEST(refuses_files_cut_in_a_line)
{
    static const char text[] = UNFINISHED "}\n}";
    const char *first = strstr(text, ENTRY_1);
    const char *second = strstr(text, ENTRY_2);
    const char *third = strstr(text, ENTRY_3);
    test_folder folder;
    char line[32];
    size_t number = 1;

    folder_open(&folder);
    for (const char *at = text; at < second; at++)
        number += *at == '\n';
    snprintf(line, sizeof line, "run.json:%zu: ", number);
    for (const char *end = first + strlen(ENTRY_1); end <= third; end++) {
        bool whole = end <= second || end >= second + strlen(ENTRY_2);
        opevo_error err = {OPEVO_OK, ""};
        opevo_objective *run = NULL;
        opevo_status status = OPEVO_OK;

        folder_write_bytes(&folder, "run.json", text, (size_t)(end - text));
        status = opevo_recorded_open(folder_file(&folder, "run.json"), NULL, &run, &err);
        if (whole ? status != OPEVO_OK
                  : status != OPEVO_INVALID || !strstr(err.message, line) ||
                        !strstr(err.message, "cut in the middle of this line"))
            fail_msg("cut at %d: %s: \"%s\"", (int)(end - second), opevo_status_name(status),
                     err.message);
        opevo_objective_destroy(run);
    }
    folder_close(&folder);
}

CHECK_TEST(refuses_spoilt_files)
{
    static const char *const cases[][3] = {
        {"\"bx\": 32", "\"bx\": 33", "run.json:14: the key '32,b,False' does not spell"},
        {"\"32,b,False\"", "\"33,b,False\"", "run.json:14: the key '33,b,False' does not spell"},
        {"\"32,b,False\"", "\"32,b,False,1\"", "run.json:14: the key '32,b,False,1' does not"},
        {"\"32,b,False\"", "\"32,b\"", "run.json:14: the key '32,b' does not spell"},
        {"\"32,b,False\": {\"bx\": 32", "\"33,b,False\": {\"bx\": 33",
         "run.json:14: '33' is not a value of parameter 'bx'"},
        {"\"32,b,False\": {\"bx\": 32, \"alg\": \"b\"", "\"32,b,False\": {\"bx\": 32",
         "run.json:14: the entry '32,b,False' has no value for parameter 'alg'"},
        {"\"32,b,False\": {\"bx\": 32, \"alg\": \"b\"", "\"32,b,False\": 7, \"x\": {\"bx\": 32",
         "run.json:14: the entry '32,b,False' has no value for parameter 'bx'"},
        {"\"time\": 1.0", "\"time\": \"NoSuchError\"", "run.json:15: 'time' is neither a number"},
        {"\"time\": 1.0", "\"time\": 0", "run.json:15: 'time' is neither a number above 0"},
        {"\"time\": 1.0", "\"time\": -1.0", "run.json:15: 'time' is neither a number above 0"},
        {"\"time\": 1.0", "\"tame\": 1.0", "run.json:15: 'time' is neither a number above 0"},
        {"\"time\": 1.0", "\"time\": 1e-320, \"GFLOP/s\": 0", "run.json:15: "},
        {"\"time\": 1.0", "\"time\": NaN", "run.json:15: invalid JSON"},
        {"\"compile_time\": 300.0", "\"compile_time\": \"long\"",
         "run.json:14: 'compile_time' is not a number"},
        {"\"compile_time\": 300.0", "\"compile_time\": -1",
         "run.json:14: 'compile_time' is not a number"},
        {"\"2.5,3,True\": {", "\"32,b,False\": {",
         "run.json:15: invalid JSON: the member \"32,b,False\" is a duplicate of that in line 14"},
        {"\"2.5,3,True\": {\"bx\": 2.5, \"alg\": 3, \"pad\": true",
         "\"32.0,b,False\": {\"bx\": 32.0, \"alg\": \"b\", \"pad\": false",
         "run.json:15: the configuration is already in line 14"},
        {"\"bx\": [16, 32, 2.5]", "\"bx\": []",
         "run.json:10: tune_params lists no values for 'bx'"},
        {"\"bx\": [16, 32, 2.5]", "\"by\": [16, 32, 2.5]",
         "run.json:10: tune_params lists no values"},
        {"\"bx\": [16, 32, 2.5]", "\"bx\": [16, 32, [2.5]]",
         "run.json:10: Parameter bx: value 3 is not a number"},
        {"\"bx\": [16, 32, 2.5]", "\"bx\": [16, 32, 16]", "run.json:10: Parameter bx: "},
        {"\"bx\",\n\"alg\",", "\"bx\",\n3,", "run.json:7: tune_params_keys[1] is not a string"},
        {"\"bx\",\n\"alg\",", "\"bx\",\n\"bx\",", "run.json"},
        {"\"bx\",\n\"alg\",\n\"pad\"\n", "", "run.json:7: tune_params lists no parameter."},
    };
    static const char text[] = UNFINISHED "}\n}";
    test_folder folder;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *spoilt = replaced(text, cases[i][0], cases[i][1]);
        opevo_error err = {OPEVO_OK, ""};
        opevo_objective *run = NULL;
        opevo_status status = OPEVO_OK;

        folder_write(&folder, "run.json", spoilt);
        status = opevo_recorded_open(folder_file(&folder, "run.json"), NULL, &run, &err);
        if (status != OPEVO_INVALID || !strstr(err.message, cases[i][2]))
            fail_msg("'%s': %s: \"%s\", expected \"%s\"", cases[i][1], opevo_status_name(status),
                     err.message, cases[i][2]);
        assert_null(run);
        free(spoilt);
    }
    folder_close(&folder);
}

CHECK_TEST(refuses_caches_without_entries)
{
    static const char *const texts[] = {HEAD, HEAD "}\n}"};
    test_folder folder;
    opevo_objective *run = NULL;

    folder_open(&folder);
    for (int i = 0; i < 2; i++) {
        folder_write(&folder, "run.json", texts[i]);
        CHECK_FAILS(OPEVO_INVALID, "run.json: the cache has no configurations",
                    opevo_recorded_open(folder_file(&folder, "run.json"), NULL, &run, &err));
    }
    folder_close(&folder);
}

/* The table by which points are allowed is written out by hand, from Python's own reading. */
CHECK_TEST(obeys_restrictions)
{
    static const struct {
        const char *restrictions;
        const char *allowed; /* of bx = 16, 32 with ty = 1, 2, 4 */
        size_t ignored;      /* of the rows 16,1 and 32,4 */
    } cases[] = {
        {"\"bx*ty <= 32\"", "110100", 1},
        {"[\"bx*ty <= 32\", \"ty > 1\"]", "010000", 2},
        {"[\"32 <= bx * ty < 128\"]", "011110", 2},
        {"[\"ty in [1, 4] and not (bx == 32 and ty == 1)\"]", "101001", 0},
        {"[]", "111111", 0},
        {"null", "111111", 0},
    };
    test_folder folder;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_objective *run = NULL;
        char text[512];

        snprintf(text, sizeof text, RESTRICTED, cases[i].restrictions, i % 2 ? "\n}}" : ",");
        folder_write(&folder, "run.json", text);
        if (cases[i].ignored == 2) {
            CHECK_FAILS(OPEVO_INVALID, "run.json: its restrictions exclude all 2 rows",
                        opevo_recorded_open(folder_file(&folder, "run.json"), NULL, &run, &err));
            continue;
        }
        run = open_text(&folder, text);
        assert_true(opevo_space_size(run->space) == 6);
        for (opevo_index point = 0; point < 6; point++)
            assert_int_equal(opevo_space_allows(run->space, point), cases[i].allowed[point] == '1');
        assert_int_equal(opevo_recorded_ignored(run), cases[i].ignored);
        opevo_objective_destroy(run);
    }
    folder_close(&folder);
}

CHECK_TEST(refuses_restrictions_that_cannot_be_evaluated)
{
    static const char *const cases[][2] = {
        {"[\"bx > 1\",\n\"lambda p: p['bx'] <= 32\"]", "run.json:6: Item 2 of restrictions is a"},
        {"[\"<function f at 0x7f>\"]", "run.json:5: Item 1 of restrictions is a Python function"},
        {"[\"bx <= most\"]", "run.json:5: constraint 1, column 7: unknown name most"},
        {"\"bx <=\"", "run.json:5: constraint 1"},
        {"[\"bx > 64\"]", "run.json:5: constraint 1: no point satisfies the constraints"},
        {"{}", "run.json:5: restrictions must be a list of Python expressions"},
        {"7", "run.json:5: restrictions must be a list of Python expressions"},
        {"[7]", "run.json:5: Item 1 of restrictions is not a string"},
    };
    test_folder folder;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_objective *run = NULL;
        char text[512];

        snprintf(text, sizeof text, RESTRICTED, cases[i][0], "}}");
        folder_write(&folder, "run.json", text);
        CHECK_FAILS(OPEVO_INVALID, cases[i][1],
                    opevo_recorded_open(folder_file(&folder, "run.json"), NULL, &run, &err));
    }
    folder_close(&folder);
}

/* A space file gives a cache the constraints that it does not hold, and other types. */
CHECK_TEST(takes_a_space_file)
{
    test_folder folder;
    opevo_objective *run = NULL;
    opevo_outcome outcome;
    opevo_index point = 0;

    folder_open(&folder);
    folder_write(&folder, "run.json", UNFINISHED "}\n}");
    folder_write(&folder, "space.json",
                 "{\"bx\": {\"_type\": \"choice\", \"_value\": [16, 32]},\n"
                 " \"alg\": {\"_type\": \"choice\", \"_value\": [\"b\", 3]},\n"
                 " \"pad\": {\"_type\": \"choice\", \"_value\": [true, false]},\n"
                 " \"_constraints\": [\"bx < 32 || pad == 0\"]}\n");
    {
        char path[512];

        strcpy(path, folder_file(&folder, "run"));
        CHECK_OK(opevo_recorded_open(path, folder_file(&folder, "space.json"), &run, &err));
    }
    assert_int_equal(opevo_recorded_ignored(run), 2);
    CHECK_OK(opevo_space_read(run->space, "bx=32 alg=b pad=false", &point, &err));
    CHECK_OK(opevo_objective_evaluate(run, &point, 1, &outcome, &err));
    assert_true(outcome.fitness == 25);
    opevo_objective_destroy(run);
    folder_close(&folder);
}

/* Entry i of 4000 of various lengths, with all that a bracket in a string could be taken for,
 * behind the parameters or ahead of them; `spoilt` has no time. */
static void add_entries(opevo_text *text, size_t spoilt)
{
    opevo_text_add(text, "\"cache\": {\n");
    for (size_t i = 0; i < 4000; i++) {
        opevo_text_printf(text, "%s\"%zu,1\": {\"bx\": %zu, \"ty\": 1, \"note\": \"",
                          i ? ",\n" : "", i, i);
        for (size_t k = 0; k < i * 7919 % 97; k++)
            opevo_text_add(text, "}]\\\\\\\"{,\\n");
        opevo_text_printf(text, "\", \"%s\": %zu}", i == spoilt ? "no time" : "time", i + 1);
    }
    opevo_text_add(text, "\n}");
}

static void add_parameters(opevo_text *text)
{
    opevo_text_add(text, "\"tune_params_keys\":\n[\"bx\", \"ty\"],\n\"tune_params\":\n{\"bx\": [0");
    for (int i = 1; i < 4000; i++)
        opevo_text_printf(text, ", %d", i);
    opevo_text_add(text, "], \"ty\": [1]}");
}

/* The text is longer than what of it is in memory at a time. */
CHECK_TEST(reads_long_files)
{
    test_folder folder;

    folder_open(&folder);
    for (int ahead = 0; ahead < 2; ahead++) {
        for (size_t spoilt = 0; spoilt <= 4000; spoilt += 1000) {
            opevo_text text = {0};
            opevo_objective *run = NULL;
            char message[64];

            opevo_text_add(&text, "{\n");
            if (ahead)
                add_parameters(&text);
            else
                add_entries(&text, spoilt);
            opevo_text_add(&text, ",\n");
            if (ahead)
                add_entries(&text, spoilt);
            else
                add_parameters(&text);
            opevo_text_add(&text, "\n}\n");
            assert_true(text.length > 1000000);
            folder_write_packed(&folder, "run.json.gz", text.data);
            snprintf(message, sizeof message, "run.json.gz:%zu: 'time' is neither",
                     spoilt + (ahead ? 7 : 3));
            if (spoilt < 4000) {
                CHECK_FAILS(
                    OPEVO_INVALID, message,
                    opevo_recorded_open(folder_file(&folder, "run.json.gz"), NULL, &run, &err));
            } else {
                CHECK_OK(
                    opevo_recorded_open(folder_file(&folder, "run.json.gz"), NULL, &run, &err));
                assert_int_equal(opevo_recorded_rows(run), 4000);
                check_ok(run, "bx=0 ty=1", 1000, 0.001, 0.001);
                check_ok(run, "bx=3999 ty=1", 0.25, 4, 4);
                opevo_objective_destroy(run);
            }
            opevo_text_free(&text);
        }
    }
    folder_close(&folder);
}

/* Memory of the JSON library itself is not counted; every allocation of opevo's is made to fail. */
CHECK_TEST(survives_failing_allocations)
{
    static const char *const texts[] = {UNFINISHED "}\n}", UNFINISHED ","};
    test_folder folder;

    folder_open(&folder);
    for (int i = 0; i < 2; i++) {
        opevo_status status = OPEVO_NOMEM;
        int64_t live = opevo_memory_live();
        int64_t n = 0;

        folder_write_packed(&folder, "run.json.gz", texts[i]);
        while (status != OPEVO_OK) {
            opevo_error err = {OPEVO_OK, ""};
            opevo_objective *run = NULL;

            opevo_memory_fail_at(++n);
            status = opevo_recorded_open(folder_file(&folder, "run.json.gz"), NULL, &run, &err);
            opevo_memory_fail_at(0);
            if (status != OPEVO_OK && status != OPEVO_NOMEM)
                fail_msg("allocation %d: %s", (int)n, err.message);
            opevo_objective_destroy(run);
            assert_int_equal(opevo_memory_live(), live);
        }
        assert_true(n > 20);
    }
    folder_close(&folder);
}
