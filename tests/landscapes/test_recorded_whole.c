/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Descriptions that hold a whole space, and the statuses of our own recordings. */

#include "landscape_files.h"

#include "toy_landscape.h"

#include <opevo/landscape.h>
#include <opevo/memory.h>

static const char whole[] =
    "{\"format\": \"tuning-landscape 1\", \"name\": \"toy\", \"flop_per_run\": 1000000,\n"
    " \"space\": {\"A\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]},\n"
    "  \"B\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\"]},\n"
    "  \"F\": {\"_type\": \"factor\", \"_value\": [4, 2], \"_components\": [\"f1\", \"f2\"]},\n"
    "  \"_constraints\": [\"A * f1 <= 8\"]},\n"
    " \"rows\": 16}\n";

/* The same space, said either way, makes the same landscape. */
CHECK_TEST(reads_a_whole_space)
{
    test_folder folder;
    opevo_objective *toy = NULL;
    opevo_objective *same = NULL;

    folder_open(&folder);
    write_toy(&folder);
    folder_write(&folder, "same.csv", toy_table);
    folder_write(&folder, "same.json", whole);
    toy = open_recorded(&folder, "toy", NULL);
    same = open_recorded(&folder, "same", NULL);
    assert_true(opevo_space_signature(toy->space) == opevo_space_signature(same->space));
    assert_true(toy->signature == same->signature);
    opevo_objective_destroy(toy);
    opevo_objective_destroy(same);
    folder_close(&folder);
}

/* Components without names have columns with numbers; topologies and types are those of the
 * space. */
CHECK_TEST(reads_permutations)
{
    test_folder folder;
    opevo_objective *objective = NULL;

    folder_open(&folder);
    folder_write(&folder, "p.csv",
                 "P_0,P_1,P_2,time_ms,status\n0,1,2,4,ok\n2,0,1,2,ok\n1,0,2,,wrong\n"
                 "2,1,0,,crashed\n");
    folder_write(&folder, "p.json",
                 "{\"format\": \"tuning-landscape 1\", \"space\": {\"P\": {\"_type\": "
                 "\"permutation\", \"_value\": [3], \"_topology\": \"adjacent-swap\"}}, "
                 "\"status_counts\": {\"ok\": 2, \"wrong\": 1, \"crashed\": 1}}");
    objective = open_recorded(&folder, "p", NULL);
    assert_string_equal(opevo_parameter_topology(opevo_space_parameter(objective->space, 0)),
                        "adjacent-swap");
    check_outcome(objective, "P=2,0,1", OPEVO_OUTCOME_OK, 500, 0.002, 0, 0.002);
    check_outcome(objective, "P=1,0,2", OPEVO_OUTCOME_WRONG, 0, NAN, 0, 0);
    check_outcome(objective, "P=2,1,0", OPEVO_OUTCOME_CRASHED, 0, NAN, 0, 0);
    check_outcome(objective, "P=0,2,1", OPEVO_OUTCOME_UNRECORDED, 0, NAN, 0, 0);
    opevo_objective_destroy(objective);
    folder_close(&folder);
}

CHECK_TEST(refuses_spoilt_spaces)
{
    static const char *const cases[][3] = {
        {"\"_value\": [4, 2]", "\"_value\": [8, 2]",
         "toy.csv:2: '1,4' is not a value of parameter"},
        {"\"f1\", \"f2\"", "\"f1\", \"f3\"", "toy.csv:1: missing column 'f3'"},
        {"\"f1\", \"f2\"", "\"f1\", \"time_ms\"", "column 'time_ms' holds results"},
        {"\"f1\", \"f2\"", "\"f1\", \"f1\"", "toy.json"},
        {"\"_type\": \"factor\"", "\"_type\": \"product\"", "unknown type \"product\""},
        {"A * f1 <= 8", "A * f1 <= 4", "violates a constraint"},
        {"\"space\": {", "\"space\": [{}], \"other\": {", "toy.json"},
    };
    test_folder folder;
    char path[512];

    folder_open(&folder);
    folder_write(&folder, "toy.csv", toy_table);
    strcpy(path, folder_file(&folder, "toy"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(whole, cases[i][0], cases[i][1]);
        opevo_objective *toy = NULL;
        int64_t live = opevo_memory_live();

        folder_write(&folder, "toy.json", text);
        CHECK_FAILS(OPEVO_INVALID, cases[i][2], opevo_recorded_open(path, NULL, &toy, &err));
        assert_null(toy);
        assert_int_equal(opevo_memory_live(), live);
        free(text);
    }
    folder_close(&folder);
}
