/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A space file beside a recorded landscape: other types, columns grouped otherwise, fewer values,
 * and files that do not match. */

#include "toy_landscape.h"

/* Other types and topologies for the same columns; the factor found by its name. */
CHECK_TEST(space_file_changes_types)
{
    test_folder folder;
    opevo_objective *toy = NULL;

    folder_open(&folder);
    write_toy(&folder);
    folder_write(&folder, "space.json",
                 "{\"F\": {\"_type\": \"factor\", \"_value\": [4, 2], \"_topology\": "
                 "\"complete\"},\n"
                 " \"B\": {\"_type\": \"choice\", \"_value\": [\"y\", \"x\"]},\n"
                 " \"A\": {\"_type\": \"factor\", \"_value\": [4, 1]}}\n");
    /* factor(4,1) has the value 4 alone: 4 of the 16 rows. */
    toy = open_recorded(&folder, "toy", "space.json");
    assert_string_equal(opevo_parameter_name(opevo_space_parameter(toy->space, 0)), "F");
    assert_true(opevo_space_size(toy->space) == 6);
    assert_int_equal(opevo_recorded_ignored(toy), 12);
    check_outcome(toy, "A=4 B=x F=1,4", OPEVO_OUTCOME_OK, 0.625, 1.6e-3, 0.01, 0);
    check_outcome(toy, "A=4 B=y F=2,2", OPEVO_OUTCOME_OK, 0.0625, 1.6e-2, 0, 1.6e-2);
    check_outcome(toy, "A=4 B=y F=4,1", OPEVO_OUTCOME_UNRECORDED, 0, NAN, 0, 0);
    opevo_objective_destroy(toy);
    folder_close(&folder);
}

/* Columns of a factor as parameters of their own, and a factor found by its component names. */
CHECK_TEST(space_file_regroups_columns)
{
    test_folder folder;
    opevo_objective *toy = NULL;

    folder_open(&folder);
    write_toy(&folder);
    folder_write(&folder, "space.json",
                 "{\"A\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]},\n"
                 " \"B\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\"]},\n"
                 " \"f1\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]},\n"
                 " \"f2\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]},\n"
                 " \"_constraints\": [\"f1 * f2 == 4\"]}\n");
    toy = open_recorded(&folder, "toy", "space.json");
    assert_int_equal(opevo_recorded_ignored(toy), 0);
    check_outcome(toy, "A=1 B=x f1=2 f2=2", OPEVO_OUTCOME_OK, 0.5, 2e-3, 0.1, 0.03);
    opevo_objective_destroy(toy);
    folder_write(&folder, "space.json",
                 "{\"A\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]},\n"
                 " \"B\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\"]},\n"
                 " \"G\": {\"_type\": \"factor\", \"_value\": [4, 2], \"_components\": [\"f2\", "
                 "\"f1\"]}}\n");
    toy = open_recorded(&folder, "toy", "space.json");
    check_outcome(toy, "A=1 B=x G=4,1", OPEVO_OUTCOME_OK, 0.25, 4e-3, 0.1, 0.05);
    check_outcome(toy, "A=1 B=x G=1,4", OPEVO_OUTCOME_OK, 1, 1e-3, 0.1, 0.02);
    opevo_objective_destroy(toy);
    folder_close(&folder);
}

/* Fewer values and a constraint leave rows out; the optimum is that of the rest. */
CHECK_TEST(space_file_restricts)
{
    test_folder folder;
    opevo_objective *toy = NULL;
    opevo_optimum best = {.known = false};
    opevo_index point = 0;

    folder_open(&folder);
    write_toy(&folder);
    folder_write(&folder, "space.json",
                 "{\"A\": {\"_type\": \"discrete\", \"_value\": [1, 2]},\n"
                 " \"B\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\"]},\n"
                 " \"F\": {\"_type\": \"factor\", \"_value\": [4, 2]},\n"
                 " \"_constraints\": [\"F[0] * A <= 3\"]}\n");
    /* Left: A = 1 with f1 = 1 or 2, and A = 2 with f1 = 1, for both B. */
    toy = open_recorded(&folder, "toy", "space.json");
    assert_int_equal(opevo_recorded_ignored(toy), TOY_ROWS - 6);
    CHECK_OK(opevo_objective_optimum(toy, &best, &err));
    CHECK_OK(opevo_space_read(toy->space, "A=2 B=y F=1,4", &point, &err));
    assert_true(best.known && best.fitness == 2 && best.point == point);
    opevo_objective_destroy(toy);
    folder_close(&folder);
}

CHECK_TEST(refuses_space_files_that_do_not_match)
{
    static const char *const cases[][2] = {
        {"{\"A\": {\"_type\": \"discrete\", \"_value\": [1, 2]}}",
         "column 'B' of %s/toy.csv belongs to none of its parameters"},
        {"{\"A\": {\"_type\": \"discrete\", \"_value\": [1]}, \"B\": {\"_type\": \"choice\", "
         "\"_value\": [\"x\"]}, \"C\": {\"_type\": \"choice\", \"_value\": [1]}}",
         "parameter 'C' needs a column 'C'"},
        {"{\"status\": {\"_type\": \"choice\", \"_value\": [\"ok\"]}}",
         "needs a column 'status', which is not a parameter"},
        {"{\"G\": {\"_type\": \"factor\", \"_value\": [4, 2]}}",
         "parameter 'G' has 2 components; give them the names of their columns"},
        {"{\"F\": {\"_type\": \"factor\", \"_value\": [4, 3]}}", "parameter 'F' has 3 components"},
        {"{\"F\": {\"_type\": \"factor\", \"_value\": [4, 2]}, \"f1\": {\"_type\": \"choice\", "
         "\"_value\": [1]}}",
         "column 'f1' of %s/toy.csv is used by two parameters"},
        {"{\"A\": {\"_type\": \"discrete\", \"_value\": [1]}, \"B\": {\"_type\": \"choice\", "
         "\"_value\": [\"z\"]}, \"F\": {\"_type\": \"factor\", \"_value\": [4, 2]}}",
         "none of its 16 rows lies in the given space"},
    };
    test_folder folder;
    opevo_objective *toy = NULL;
    char path[512];
    char words[512];

    folder_open(&folder);
    write_toy(&folder);
    strcpy(path, folder_file(&folder, "toy"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *place = strstr(cases[i][1], "%s");

        folder_write(&folder, "space.json", cases[i][0]);
        if (place)
            snprintf(words, sizeof words, "%.*s%s%s", (int)(place - cases[i][1]), cases[i][1],
                     folder.path, place + 2);
        else
            strcpy(words, cases[i][1]);
        CHECK_FAILS(OPEVO_INVALID, words,
                    opevo_recorded_open(path, folder_file(&folder, "space.json"), &toy, &err));
        assert_null(toy);
    }
    folder_close(&folder);
}

/* A parameter with one value may be left out by a space file. */
CHECK_TEST(space_file_may_leave_out_constants)
{
    test_folder folder;
    opevo_objective *plain = NULL;

    folder_open(&folder);
    folder_write(&folder, "plain.csv", "A,C,time_ms,status\n1,7,2,ok\n2,7,0.5,ok\n");
    folder_write(&folder, "plain.json",
                 "{\"format\": \"tuning-landscape 1\", \"parameters\": [{\"name\": \"A\", "
                 "\"type\": \"int\", \"values\": [1, 2]}, {\"name\": \"C\", \"type\": \"int\", "
                 "\"values\": [7]}]}");
    folder_write(&folder, "space.json", "{\"A\": {\"_type\": \"choice\", \"_value\": [2, 1]}}");
    plain = open_recorded(&folder, "plain", "space.json");
    check_outcome(plain, "A=2", OPEVO_OUTCOME_OK, 2000, 5e-4, 0, 5e-4);
    opevo_objective_destroy(plain);
    plain = open_recorded(&folder, "plain", NULL);
    check_outcome(plain, "A=2 C=7", OPEVO_OUTCOME_OK, 2000, 5e-4, 0, 5e-4);
    opevo_objective_destroy(plain);
    folder_close(&folder);
}
