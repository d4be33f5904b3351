/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The results of KTT and of CLBlast's tuners as recordings. */

#include "toy_landscape.h"

#define KTT_RESULT(status, size, mode, duration, overhead)                                         \
    "{\"ComputationResults\": [], \"Configuration\": [\n{\"Name\": \"size\", \"Type\": "           \
    "\"UInt64\","                                                                                  \
    " \"Value\": " size "}, {\"Name\": \"mode\", \"Value\": " mode "}], \"KernelName\": \"k\","    \
    " \"Status\": \"" status "\", \"TotalDuration\": " duration ", \"TotalOverhead\": " overhead   \
    ", \"SearcherOverhead\": 10.0, \"ValidationOverhead\": 20.0}"
#define KTT(unit, results)                                                                         \
    "{\"Metadata\": {\"Device\": \"d\", \"TimeUnit\": \"" unit "\"},\n\"Results\": [\n" results "]}"

static opevo_objective *open_text(test_folder *folder, const char *text)
{
    opevo_objective *objective = NULL;

    folder_write(folder, "r.json", text);
    CHECK_OK(opevo_recorded_open(folder_file(folder, "r.json"), NULL, &objective, &err));
    return objective;
}

CHECK_TEST(reads_ktt)
{
    static const char *const units[] = {"Nanoseconds", "Microseconds", "Milliseconds", "Seconds"};
    double second = 1e-9;

    for (int i = 0; i < 4; i++, second *= 1e3) {
        test_folder folder;
        char text[4096];
        opevo_objective *run = NULL;
        opevo_outcome outcome;

        snprintf(
            text, sizeof text,
            KTT("%s", KTT_RESULT("Ok", "32", "\"a\"", "90.5", "130.0") ",\n" KTT_RESULT(
                          "ComputationFailed", "64", "\"a\"", "0",
                          "0") ",\n" KTT_RESULT("ValidationFailed", "32", "\"b\"", "5",
                                                "40.0") ",\n" KTT_RESULT("DeviceLimitsExceeded",
                                                                         "64", "\"b\"", "0", "0")),
            units[i]);
        folder_open(&folder);
        run = open_text(&folder, text);
        outcome = outcome_of(run, "size=32 mode=a");
        assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
        CHECK_CLOSE(outcome.time_s / second, 90.5, 1e-9);
        CHECK_CLOSE(outcome.build_s / second, 100, 1e-9);
        CHECK_CLOSE(outcome.check_s / second, 20, 1e-9);
        assert_int_equal(outcome_of(run, "size=64 mode=a").kind, OPEVO_OUTCOME_LAUNCH_ERROR);
        assert_int_equal(outcome_of(run, "size=32 mode=b").kind, OPEVO_OUTCOME_WRONG);
        assert_int_equal(outcome_of(run, "size=64 mode=b").kind, OPEVO_OUTCOME_BUILD_ERROR);
        opevo_objective_destroy(run);
        folder_close(&folder);
    }
}

#define CLBLAST(results)                                                                           \
    "{\"kernel_family\": \"copy\",\n\"device\": \"d\", \"results\": [" results "]}"
#define CLBLAST_RESULT(kernel, time, width)                                                        \
    "\n{\"kernel\": \"" kernel "\", \"time\": " time ", \"parameters\": {\"DIMX\": " width         \
    ", \"PRECISION\": 32}}"

CHECK_TEST(reads_clblast)
{
    test_folder folder;
    opevo_objective *run = NULL;

    folder_open(&folder);
    run = open_text(&folder, CLBLAST(CLBLAST_RESULT("Copy", "0.5",
                                                    "8") "," CLBLAST_RESULT("Copy", "0.0", "16")));
    CHECK_CLOSE(outcome_of(run, "DIMX=8 PRECISION=32").time_s, 5e-4, 1e-15);
    assert_int_equal(outcome_of(run, "DIMX=16 PRECISION=32").kind, OPEVO_OUTCOME_LAUNCH_ERROR);
    opevo_objective_destroy(run);
    folder_close(&folder);
}

CHECK_TEST(refuses_mistakes)
{
    static const char *const cases[][2] = {
        {KTT("Microseconds", KTT_RESULT("Odd", "32", "1", "1", "1")),
         "r.json:3: invalidity must be correct"},
        {KTT("Fortnights", KTT_RESULT("Ok", "32", "1", "1", "1")), "timeunit must be seconds"},
        {KTT("Microseconds",
             KTT_RESULT("Ok", "32", "1", "1", "1") "," KTT_RESULT("Ok", "32", "1", "2", "1")),
         "the configuration is already in line"},
        {KTT("Microseconds", ""), "it holds no results"},
        {CLBLAST(CLBLAST_RESULT("A", "1", "8") "," CLBLAST_RESULT("B", "1", "16")),
         "it has results of the kernels A and B"},
        {CLBLAST(CLBLAST_RESULT("A", "1", "8") "," CLBLAST_RESULT("A", "1", "8")),
         "r.json:4: the configuration is already in line 3"},
    };
    test_folder folder;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_objective *run = NULL;

        folder_write(&folder, "r.json", cases[i][0]);
        CHECK_FAILS(OPEVO_INVALID, cases[i][1],
                    opevo_recorded_open(folder_file(&folder, "r.json"), NULL, &run, &err));
    }
    folder_close(&folder);
}
