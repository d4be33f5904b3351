/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Criteria of recorded landscapes: columns that a description names, energy and power of Kernel
 * Tuner's caches, and tables that are written and read back. */

#include "toy_landscape.h"

#include <opevo/landscape.h>

#define DESCRIPTION(criteria)                                                                      \
    "{\"format\": \"tuning-landscape 1\", \"criteria\": " criteria ", \"parameters\": [{\"name\":" \
    " \"A\", \"type\": \"int\", \"values\": [1, 2, 3, 4]}]}"
#define ERROR_AND_ENERGY                                                                           \
    "[{\"name\": \"error\", \"better\": \"smaller\"}, {\"name\": \"energy\", \"unit\": \"J\","     \
    " \"better\": \"larger\", \"column\": \"e\"}]"
#define TABLE "A,time_ms,status,error,e\n1,2,ok,-0.5,1e-3\n2,4,ok,,7\n3,,wrong,,\n4,,timeout,3,4\n"

static opevo_objective *open_texts(test_folder *folder, const char *json, const char *csv)
{
    folder_write(folder, "t.json", json);
    folder_write(folder, "t.csv", csv);
    return open_recorded(folder, "t", NULL);
}

CHECK_TEST(reads_columns)
{
    test_folder folder;
    opevo_objective *table = NULL;
    opevo_outcome outcome;

    folder_open(&folder);
    table = open_texts(&folder, DESCRIPTION(ERROR_AND_ENERGY), TABLE);
    assert_int_equal(opevo_objective_criterion_count(table), 3);
    assert_string_equal(table->criteria[0].name, "error");
    assert_string_equal(table->criteria[0].unit, "");
    assert_false(table->criteria[0].larger_is_better);
    assert_string_equal(table->criteria[1].name, "energy");
    assert_string_equal(table->criteria[1].unit, "J");
    assert_true(table->criteria[1].larger_is_better);
    outcome = outcome_of(table, "A=1");
    assert_true(outcome.more[0] == -0.5 && outcome.more[1] == 1e-3 && isnan(outcome.more[2]));
    outcome = outcome_of(table, "A=2");
    assert_true(isnan(outcome.more[0]) && outcome.more[1] == 7);
    outcome = outcome_of(table, "A=4");
    assert_true(isnan(outcome.more[0]) && isnan(outcome.more[1]));
    opevo_objective_destroy(table);
    folder_close(&folder);
}

/* What decides outcomes is in the signature; a description without criteria has the one it had. */
CHECK_TEST(signs_them)
{
    static const char *const others[][2] = {
        {DESCRIPTION("[]"), TABLE},
        {DESCRIPTION("[{\"name\": \"error\", \"better\": \"larger\"}]"), TABLE},
        {DESCRIPTION("[{\"name\": \"error\", \"better\": \"smaller\"}]"), TABLE},
        {DESCRIPTION(ERROR_AND_ENERGY),
         "A,time_ms,status,error,e\n1,2,ok,-0.5,2e-3\n2,4,ok,,7\n3,,wrong,,\n4,,timeout,3,4\n"},
    };
    test_folder folder;
    uint64_t seen[4];

    folder_open(&folder);
    for (size_t i = 0; i < 4; i++) {
        opevo_objective *table = open_texts(&folder, others[i][0], others[i][1]);

        seen[i] = table->signature;
        for (size_t k = 0; k < i; k++)
            assert_true(seen[i] != seen[k]);
        opevo_objective_destroy(table);
    }
    folder_close(&folder);
}

CHECK_TEST(refuses_spoilt_criteria)
{
    static const char *const cases[][3] = {
        {DESCRIPTION("[{\"name\": \"x\", \"better\": \"smaller\"}]"), TABLE, "missing column 'x'"},
        {DESCRIPTION("[{\"name\": \"1x\", \"better\": \"smaller\"}]"), TABLE, "needs a \"name\""},
        {DESCRIPTION("[{\"better\": \"smaller\"}]"), TABLE, "needs a \"name\""},
        {DESCRIPTION("[{\"name\": \"fitness\", \"column\": \"e\", \"better\": \"larger\"}]"), TABLE,
         "needs a \"name\""},
        {DESCRIPTION("[{\"name\": \"e\", \"better\": \"big\"}]"), TABLE, "needs \"better\""},
        {DESCRIPTION("[{\"name\": \"e\"}]"), TABLE, "needs \"better\""},
        {DESCRIPTION("[{\"name\": \"x\", \"better\": \"larger\", \"column\": \"A\"}]"), TABLE,
         "is also that of a parameter"},
        {DESCRIPTION("[{\"name\": \"e\", \"better\": \"larger\"}, {\"name\": \"e\", \"better\":"
                     " \"larger\"}]"),
         TABLE, "given twice"},
        {DESCRIPTION("[{\"name\": \"e\", \"better\": \"larger\", \"unit\": 5}]"), TABLE,
         "must be strings"},
        {DESCRIPTION("[{\"name\": \"e\", \"better\": \"larger\", \"column\": [\"A\"]}]"), TABLE,
         "must be strings"},
        {DESCRIPTION("[1, 2, 3, 4]"), TABLE, "more than 3"},
        {DESCRIPTION("7"), TABLE, "is not a list"},
        {DESCRIPTION(ERROR_AND_ENERGY), "A,time_ms,status,error,e\n1,2,ok,much,1\n",
         "t.csv:2: 'much' in column 'error' is not a number."},
        {DESCRIPTION(ERROR_AND_ENERGY), "A,time_ms,status,error,e\n1,2,ok,inf,1\n",
         "'inf' in column 'error'"},
    };
    test_folder folder;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_objective *table = NULL;

        folder_write(&folder, "t.json", cases[i][0]);
        folder_write(&folder, "t.csv", cases[i][1]);
        CHECK_FAILS(OPEVO_INVALID, cases[i][2],
                    opevo_recorded_open(folder_file(&folder, "t"), NULL, &table, &err));
    }
    folder_close(&folder);
}

/* A table that is written has columns for the criteria, which are read back to the bit. */
CHECK_TEST(writes_columns)
{
    test_folder folder;
    opevo_objective *table = NULL, *again = NULL;
    opevo_text csv = {0};

    folder_open(&folder);
    table = open_texts(&folder, DESCRIPTION(ERROR_AND_ENERGY), TABLE);
    CHECK_OK(opevo_recorded_add_columns(table, &csv, &err));
    assert_non_null(strstr(csv.data, ",message,error,energy\n"));
    for (opevo_index point = 0; point < 4; point++) {
        opevo_outcome outcome;

        CHECK_OK(opevo_objective_evaluate(table, &point, 1, &outcome, &err));
        opevo_recorded_add_row(table, point, &outcome, &csv);
    }
    again = open_texts(&folder,
                       DESCRIPTION("[{\"name\": \"error\", \"better\": \"smaller\"}, {\"name\":"
                                   " \"energy\", \"unit\": \"J\", \"better\": \"larger\"}]"),
                       csv.data);
    for (opevo_index point = 0; point < 4; point++) {
        opevo_outcome a, b;

        CHECK_OK(opevo_objective_evaluate(table, &point, 1, &a, &err));
        CHECK_OK(opevo_objective_evaluate(again, &point, 1, &b, &err));
        for (size_t i = 0; i < 3; i++)
            assert_true(a.more[i] == b.more[i] || (isnan(a.more[i]) && isnan(b.more[i])));
    }
    opevo_text_free(&csv);
    opevo_objective_destroy(table);
    opevo_objective_destroy(again);
    folder_close(&folder);
}

/* ---- Kernel Tuner ---- */

#define CACHE(first, second)                                                                       \
    "{\"tune_params_keys\": [\"bx\", \"x_energy\"], \"tune_params\": {\"bx\": [1, 2, 3],"          \
    " \"x_energy\": [5]}, \"cache\": {\n"                                                          \
    "\"1,5\": {\"bx\": 1, \"x_energy\": 5, \"time\": 2.0" first "},\n"                             \
    "\"2,5\": {\"bx\": 2, \"x_energy\": 5, \"time\": 4.0" second "},\n"                            \
    "\"3,5\": {\"bx\": 3, \"x_energy\": 5, \"time\": \"RuntimeFailedConfig\", \"nvml_energy\":"    \
    " \"RuntimeFailedConfig\"}}}\n"

CHECK_TEST(reads_energy_and_power)
{
    test_folder folder;
    opevo_objective *cache = NULL;
    uint64_t plain = 0;
    opevo_outcome outcome;

    folder_open(&folder);
    folder_write(&folder, "c.json", CACHE("", ""));
    cache = open_recorded(&folder, "c.json", NULL);
    assert_int_equal(opevo_objective_criterion_count(cache), 1);
    plain = cache->signature;
    opevo_objective_destroy(cache);
    folder_write(&folder, "c.json",
                 CACHE(", \"ps_energy\": 9, \"nvml_energy\": 3.5, \"nvml_power\": 120.5",
                       ", \"ps_energy\": 8, \"powered\": 2"));
    cache = open_recorded(&folder, "c.json", NULL);
    assert_int_equal(opevo_objective_criterion_count(cache), 3);
    assert_string_equal(cache->criteria[0].name, "energy");
    assert_string_equal(cache->criteria[0].unit, "J");
    assert_string_equal(cache->criteria[1].name, "power");
    assert_string_equal(cache->criteria[1].unit, "W");
    assert_false(cache->criteria[0].larger_is_better || cache->criteria[1].larger_is_better);
    outcome = outcome_of(cache, "bx=1 x_energy=5");
    assert_true(outcome.more[0] == 3.5 && outcome.more[1] == 120.5);
    /* One observer serves the whole file. */
    outcome = outcome_of(cache, "bx=2 x_energy=5");
    assert_true(isnan(outcome.more[0]) && isnan(outcome.more[1]));
    /* Runs that were stored before criteria were read go on. */
    assert_true(cache->signature == plain);
    opevo_objective_destroy(cache);
    folder_write(&folder, "c.json", CACHE(", \"nvml_energy\": 3", ", \"energy\": 4"));
    cache = open_recorded(&folder, "c.json", NULL);
    assert_int_equal(opevo_objective_criterion_count(cache), 2);
    outcome = outcome_of(cache, "bx=2 x_energy=5");
    assert_true(outcome.more[0] == 4);
    opevo_objective_destroy(cache);
    folder_close(&folder);
}

/* Two results, the first with the measurements in front of its time, the second with those. */
#define T4(first, second)                                                                          \
    "{\"schema_version\": \"1.0.0\", \"results\": [\n"                                             \
    "{\"configuration\": {\"bx\": 1, \"energy\": 1}, \"invalidity\": \"correct\", \"times\": {}, " \
    "\"objectives\": [\"time\"], \"measurements\": [" first                                        \
    "{\"name\": \"time\", \"value\": 2}]},\n"                                                      \
    "{\"configuration\": {\"bx\": 2, \"energy\": 1}, \"invalidity\": \"correct\", \"times\": {}, " \
    "\"objectives\": [\"time\"], \"measurements\": [" second                                       \
    "{\"name\": \"time\", \"value\": 3}]}]}"

CHECK_TEST(reads_measurements_of_t4)
{
    test_folder folder;
    opevo_objective *results = NULL;
    uint64_t plain = 0;
    opevo_outcome outcome;

    folder_open(&folder);
    folder_write(&folder, "t.json", T4("", ""));
    results = open_recorded(&folder, "t.json", NULL);
    assert_int_equal(opevo_objective_criterion_count(results), 1);
    plain = results->signature;
    opevo_objective_destroy(results);
    folder_write(
        &folder, "t.json",
        T4("{\"name\": \"ps_energy\", \"value\": 9, \"unit\": \"\"},"
           "{\"name\": \"nvml_energy\", \"value\": 3.5}, {\"value\": 8},"
           "{\"name\": \"a_energy\", \"value\": 7, \"unit\": \"calories\"},"
           "{\"name\": \"nvml_power\", \"value\": 120500, \"unit\": \"mW\"},",
           "{\"name\": \"ps_energy\", \"value\": 4}, {\"name\": \"nvml_energy\", \"value\": "
           "\"RuntimeFailedConfig\"}, {\"name\": \"nvml_power\", \"value\": 80, \"unit\": "
           "\"W\"},"));
    results = open_recorded(&folder, "t.json", NULL);
    assert_int_equal(opevo_objective_criterion_count(results), 3);
    assert_string_equal(results->criteria[0].name, "energy");
    assert_string_equal(results->criteria[0].unit, "J");
    assert_string_equal(results->criteria[1].name, "power");
    assert_string_equal(results->criteria[1].unit, "W");
    outcome = outcome_of(results, "bx=1 energy=1");
    assert_true(outcome.more[0] == 3.5);
    CHECK_CLOSE(outcome.more[1], 120.5, 1e-9);
    outcome = outcome_of(results, "bx=2 energy=1");
    assert_true(isnan(outcome.more[0]) && outcome.more[1] == 80);
    assert_true(results->signature == plain);
    opevo_objective_destroy(results);
    folder_close(&folder);
}
