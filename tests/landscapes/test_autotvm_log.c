/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Logs of AutoTVM as recordings. */

#include "toy_landscape.h"

#define INPUT "[\"cuda\", \"conv\", [[\"TENSOR\", [1, 8], \"float32\"]], {}]"
#define KNOBS(split, unroll, order, annotation)                                                    \
    "[[\"tile_f\", \"sp\", " split "], [\"unroll\", \"ot\", " unroll                               \
    "], [\"order\", \"re\", " order "], [\"ann\", \"an\", " annotation                             \
    "], [\"tile_k\", \"sp\", [4, 2]]]"
#define NEW(input, knobs, result)                                                                  \
    "{\"input\": " input ", \"config\": {\"index\": 1, \"code_hash\": null, \"entity\": " knobs    \
    "}, \"result\": " result ", \"version\": 0.2, \"tvm_version\": \"0.8.0\"}\n"
#define OLD(knobs, result)                                                                         \
    "{\"i\": [\"cuda\", \"conv\", [], {}, [\"conv\"], {\"i\": 1, \"t\": \"direct\", \"c\": "       \
    "null, \"e\": " knobs "}], \"r\": " result ", \"v\": 0.1}\n"
#define A KNOBS("[-1, 2, 16]", "0", "[0, 1]", "[\"unroll\", \"none\"]")
#define A_OLDER KNOBS("[3, 2, 16]", "0", "[0, 1]", "[\"unroll\", \"none\"]")
#define B KNOBS("[-1, 4, 16]", "512", "[1, 0]", "[\"none\", \"none\"]")
#define OK(seconds) "[[" seconds "], 0, 1.5, 1600000000.5]"
#define FAILED(error) "[[1000000000.0], " error ", 1.5, 1600000000.5]"

static const char a[] = "tile_f=2x16 unroll=0 order=0-1 ann=unroll-none";
static const char b[] = "tile_f=4x16 unroll=512 order=1-0 ann=none-none";

static opevo_objective *open_text(test_folder *folder, const char *name, const char *text)
{
    folder_write(folder, name, text);
    return open_recorded(folder, name, NULL);
}

/* The mean of the times of a record, and then over records of the configuration. */
CHECK_TEST(reads_records)
{
    static const char *const names[] = {"r.log", "r.json", "r.txt", "r"};
    static const char text[] = "# a log\n\n" NEW(INPUT, A, OK("0.001, 0.003"))
        NEW(INPUT, B, FAILED("4")) "  \n" NEW(INPUT, A_OLDER, OK("0.004")) "# the end";

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        test_folder folder;
        opevo_objective *run = NULL;

        folder_open(&folder);
        run = open_text(&folder, names[i], text);
        assert_string_equal(run->name, i == 2 ? "recorded:r.txt" : "recorded:r");
        assert_int_equal(opevo_recorded_rows(run), 2);
        assert_int_equal(opevo_space_parameter_count(run->space), 4); /* tile_k is constant */
        CHECK_CLOSE(outcome_of(run, a).time_s, .003, 1e-12);
        CHECK_CLOSE(outcome_of(run, a).fitness, 1 / .003, 1e-9);
        assert_int_equal(outcome_of(run, b).kind, OPEVO_OUTCOME_LAUNCH_ERROR);
        opevo_objective_destroy(run);
        folder_close(&folder);
    }
}

/* Number of a parameter's kind: numbers have an order, texts have none. */
CHECK_TEST(infers_kinds)
{
    test_folder folder;
    opevo_objective *run = NULL;

    folder_open(&folder);
    run = open_text(&folder, "r.log", NEW(INPUT, A, OK("1")) NEW(INPUT, B, OK("2")));
    assert_string_equal(opevo_parameter_type(opevo_space_parameter(run->space, 0)), "categorical");
    assert_string_equal(opevo_parameter_type(opevo_space_parameter(run->space, 1)), "discrete");
    opevo_objective_destroy(run);
    folder_close(&folder);
}

CHECK_TEST(reads_older_version)
{
    test_folder folder;
    opevo_objective *run = NULL;

    folder_open(&folder);
    run = open_text(&folder, "r.log", OLD(A, OK("0.5")) OLD(B, OK("0.25")));
    CHECK_CLOSE(outcome_of(run, a).time_s, .5, 1e-12);
    CHECK_CLOSE(outcome_of(run, b).time_s, .25, 1e-12);
    opevo_objective_destroy(run);
    folder_close(&folder);
}

CHECK_TEST(reads_errors)
{
    static const opevo_outcome_class kinds[] = {
        OPEVO_OUTCOME_REJECTED,     OPEVO_OUTCOME_BUILD_ERROR, OPEVO_OUTCOME_BUILD_ERROR,
        OPEVO_OUTCOME_LAUNCH_ERROR, OPEVO_OUTCOME_WRONG,       OPEVO_OUTCOME_TIMEOUT,
        OPEVO_OUTCOME_TIMEOUT,      OPEVO_OUTCOME_CRASHED};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        test_folder folder;
        opevo_objective *run = NULL;
        char text[2048];

        snprintf(text, sizeof text, NEW(INPUT, A, OK("1")) NEW(INPUT, B, FAILED("%zu")), i + 1);
        folder_open(&folder);
        run = open_text(&folder, "r.log", text);
        assert_int_equal(outcome_of(run, b).kind, kinds[i]);
        opevo_objective_destroy(run);
        folder_close(&folder);
    }
}

CHECK_TEST(refuses)
{
    static const char first[] = NEW(INPUT, A, OK("1"));
    static const struct {
        const char *second, *message;
    } cases[] = {
        {NEW("[\"cuda\", \"dense\", [], {}]", B, OK("1")), "r.log:2: the task dense differs"},
        {NEW(INPUT, "[[\"tile_f\", \"sp\", [1, 2]]]", OK("1")), "r.log:2: the task conv differs"},
        {NEW(INPUT, B, "[[], 0, 1, 1]"), "r.log:2: a record without an error needs times"},
        {NEW(INPUT, B, "[[-1], 0, 1, 1]"), "r.log:2: a record without an error needs times"},
        {NEW(INPUT, B, "[[1], 9, 1, 1]"), "r.log:2: the number of the error"},
        {NEW(INPUT, B, "[1, 0]"), "r.log:2: this is not a record of AutoTVM"},
        {NEW(INPUT, "[]", OK("1")), "r.log:2: this is not a record of AutoTVM"},
        {"{\"input\": [\"cu", "r.log:2: invalid JSON"},
        {"{\"i\": [[\"mm\"], []], \"r\": [[1], 0]}", "r.log:2: this is not a record of AutoTVM"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_objective *run = NULL;
        opevo_error err = {OPEVO_OK, ""};
        test_folder folder;
        char text[4096];

        snprintf(text, sizeof text, "%s%s", first, cases[i].second);
        folder_open(&folder);
        folder_write(&folder, "r.log", text);
        assert_int_equal(opevo_recorded_open(folder_file(&folder, "r.log"), NULL, &run, &err),
                         OPEVO_INVALID);
        assert_non_null(strstr(err.message, cases[i].message));
        folder_close(&folder);
    }
}

/* Logs of TVM's other tuners, and spaces of other tools, are named. */
CHECK_TEST(names_others)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"i\": [[\"mm\"], [[], []]], \"r\": [[1], 0]}", "auto_scheduler"},
        {"[0, [[], [0.1], {}, []]]", "MetaSchedule"},
        {"{\"hyperparameters\": [{\"type\": \"uniform_int\", \"name\": \"a\", \"lower\": 1, "
         "\"upper\": 3}], \"conditions\": [], \"forbiddens\": []}",
         "not a recorded landscape but a search space"},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [1, 2]}}",
         "not a recorded landscape but a search space"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_objective *run = NULL;
        opevo_error err = {OPEVO_OK, ""};
        test_folder folder;

        folder_open(&folder);
        folder_write(&folder, "r.json", cases[i].text);
        assert_int_equal(opevo_recorded_open(folder_file(&folder, "r.json"), NULL, &run, &err),
                         OPEVO_INVALID);
        assert_non_null(strstr(err.message, cases[i].message));
        folder_close(&folder);
    }
}
