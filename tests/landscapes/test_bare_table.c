/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables without a description: what is inferred, what a row becomes, and what is refused. */

#include "toy_landscape.h"

#include <opevo/unit.h>

static opevo_objective *open_table(test_folder *folder, const char *text, const char *result,
                                   const char *space)
{
    opevo_objective *objective = NULL;
    char path[1024], given[512];

    folder_write(folder, "t.csv", text);
    snprintf(path, sizeof path, "%s#%s", folder_file(folder, "t.csv"), result);
    if (space) {
        folder_write(folder, "space.json", space);
        strcpy(given, folder_file(folder, "space.json"));
    }
    CHECK_OK(opevo_recorded_open(path, space ? given : NULL, &objective, &err));
    return objective;
}

static void check_parameter(const opevo_objective *objective, size_t i, const char *name,
                            const char *text)
{
    const opevo_parameter *parameter = opevo_space_parameter(objective->space, i);

    assert_string_equal(opevo_parameter_name(parameter), name);
    assert_string_equal(opevo_parameter_text(parameter), text);
}

/* As pandas writes a frame: an index without a name, True and False, empty cells and nan. */
CHECK_TEST(infers_a_frame)
{
    static const char text[] = ",block size,alg,on,device,2x,time\n"
                               "0,16,a,True,gpu,0.5,1.5\n"
                               "1,32,a,False,gpu,2,2.5\n"
                               "2,16,\"b,c\",True,gpu,2,\n"
                               "3,32,\"b,c\",False,gpu,0.5,nan\n";
    test_folder folder;
    opevo_objective *table = NULL;
    opevo_outcome outcome;

    folder_open(&folder);
    table = open_table(&folder, text, "ms:time", NULL);
    assert_string_equal(table->name, "recorded:t");
    assert_string_equal(table->unit, "ms");
    assert_int_equal(opevo_space_parameter_count(table->space), 4);
    check_parameter(table, 0, "block_size", "discrete(16,32)");
    assert_string_equal(opevo_parameter_type(opevo_space_parameter(table->space, 1)),
                        "categorical");
    check_parameter(table, 2, "on", "categorical(False,True)");
    check_parameter(table, 3, "_2x", "discrete(0.5,2)");
    outcome = outcome_of(table, "block_size=16 alg=a on=True _2x=0.5");
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    CHECK_CLOSE(outcome.time_s, 1.5e-3, 1e-15);
    CHECK_CLOSE(outcome.fitness, 1 / 1.5e-3, 1e-9);
    outcome = outcome_of(table, "block_size=16 alg=\"b,c\" on=True _2x=2");
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_LAUNCH_ERROR);
    outcome = outcome_of(table, "block_size=32 alg=\"b,c\" on=False _2x=0.5");
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_LAUNCH_ERROR);
    assert_int_equal(opevo_recorded_rows(table), 4);
    assert_non_null(strstr(opevo_recorded_inferred(table), "column device has one value"));
    opevo_objective_destroy(table);
    folder_close(&folder);
}

/* Optuna's trials_dataframe(): what is marked is a parameter, and nothing else. */
CHECK_TEST(infers_trials_of_optuna)
{
    static const char text[] =
        "number,value,datetime_start,params_x,params_kind,user_attrs_note,state\n"
        "0,1.5,2024-01-01,3,a,1,COMPLETE\n1,0.5,2024-01-02,4,b,2,COMPLETE\n"
        "2,,2024-01-03,4,a,3,FAIL\n3,2.0,2024-01-04,3,b,4,PRUNED\n4,,2024-01-05,5,b,5,RUNNING\n";
    test_folder folder;
    opevo_objective *table = NULL;

    folder_open(&folder);
    table = open_table(&folder, text, "score:value", NULL);
    assert_int_equal(opevo_space_parameter_count(table->space), 2);
    check_parameter(table, 0, "x", "discrete(3,4,5)");
    check_parameter(table, 1, "kind", "categorical(a,b)");
    assert_true(outcome_of(table, "x=3 kind=a").fitness == 1.5);
    assert_int_equal(outcome_of(table, "x=4 kind=a").kind, OPEVO_OUTCOME_CRASHED);
    assert_int_equal(outcome_of(table, "x=3 kind=b").kind, OPEVO_OUTCOME_TIMEOUT);
    assert_int_equal(outcome_of(table, "x=5 kind=b").kind, OPEVO_OUTCOME_UNRECORDED);
    opevo_objective_destroy(table);
    folder_close(&folder);
}

CHECK_TEST(averages_where_asked)
{
    static const char text[] = "a,b,t,status\n1,x,4,ok\n1.0,x,8,ok\n2,x,1,ok\n2,x,,timeout\n"
                               "2,y,,timeout\n2,y,,crashed\n1,y,6,ok\n";
    test_folder folder;
    opevo_objective *table = NULL;
    char path[1024];

    folder_open(&folder);
    table = open_table(&folder, text, "us:t,mean", NULL);
    CHECK_CLOSE(outcome_of(table, "a=1 b=x").time_s, 6e-6, 1e-18);
    CHECK_CLOSE(outcome_of(table, "a=2 b=x").time_s, 1e-6, 1e-18);
    assert_int_equal(outcome_of(table, "a=2 b=y").kind, OPEVO_OUTCOME_CRASHED);
    assert_int_equal(opevo_recorded_rows(table), 4);
    opevo_objective_destroy(table);
    table = NULL;
    snprintf(path, sizeof path, "%s#us:t", folder_file(&folder, "t.csv"));
    CHECK_FAILS(OPEVO_INVALID, "t.csv:3: the configuration is already in line 2",
                opevo_recorded_open(path, NULL, &table, &err));
    folder_close(&folder);
}

/* Decimal numbers of which nearly all differ are measurements; a space file decides otherwise. */
CHECK_TEST(leaves_measurements_out)
{
    test_folder folder;
    opevo_text text = {0};
    opevo_objective *table = NULL;

    folder_open(&folder);
    opevo_text_add(&text, "a,b,energy,id,t\n");
    for (int i = 0; i < 40; i++)
        opevo_text_printf(&text, "%d,%d,%d.5,r%d,%d\n", i % 8, i / 8, 100 + i, i, 1 + i);
    table = open_table(&folder, text.data, "s:t", NULL);
    assert_int_equal(opevo_space_parameter_count(table->space), 2);
    assert_true(opevo_space_size(table->space) == 40);
    opevo_objective_destroy(table);
    table = open_table(&folder, text.data, "s:t",
                       "{\"b\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2]},"
                       " \"a\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3, 4, 5, 6, 7]}}");
    assert_true(opevo_space_size(table->space) == 24);
    assert_int_equal(opevo_recorded_rows(table), 24);
    assert_int_equal(opevo_recorded_ignored(table), 16);
    assert_true(outcome_of(table, "a=3 b=2").time_s == 20);
    opevo_objective_destroy(table);
    opevo_text_free(&text);
    folder_close(&folder);
}

CHECK_TEST(refuses_mistakes)
{
    static const char *const cases[][3] = {
        {"a,t\n1,2\n2,3\n", "", "t.csv: the result has no known unit; give --result UNIT:COLUMN"},
        {"a,t\n1,2\n2,3\n", "ms", "the result has no known unit"},
        {"a,t\n1,2\n2,3\n", "hours:t", "the result has no known unit"},
        {"a,t\n1,2\n2,3\n", "ms:x", "no such column of results"},
        {"a,t\n1,0\n2,3\n", "ms:t", "t.csv:2: '0' in column 't' is not a number above 0"},
        {"a,t\n1,2\n2,-3\n", "ms:t", "t.csv:3: '-3' in column 't' is not a number above 0"},
        {"a,t\n1,two\n2,3\n", "ms:t", "t.csv:2: 'two' in column 't' is not a number above 0"},
        {"a,t,status\n1,2,fine\n2,3,ok\n", "ms:t", "t.csv:2: unknown status 'fine'"},
        {"a,t\n1,2\n", "ms:t", "t.csv: it has no parameters"},
        {"a,t\n", "ms:t", "t.csv: the table is empty"},
        {"a;t\n1;2\n", "ms:t", "t.csv:1: columns are separated by semicolons"},
        {"a,t\n1,2\n2,3", "ms:t", "t.csv:3: the last line has no line end"},
        {"a,t\n1,2\n2\n", "ms:t", "t.csv:3: the row has 1 cells"},
        {"a b,a_b,t\n1,1,2\n2,2,3\n", "ms:t", "a_b is used twice"},
    };
    test_folder folder;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_objective *table = NULL;
        char path[1024];

        folder_write(&folder, "t.csv", cases[i][0]);
        snprintf(path, sizeof path, "%s#%s", folder_file(&folder, "t.csv"), cases[i][1]);
        CHECK_FAILS(OPEVO_INVALID, cases[i][2], opevo_recorded_open(path, NULL, &table, &err));
        assert_null(table);
    }
    folder_close(&folder);
}

/* A table beside its description stays one with a description. */
CHECK_TEST(leaves_described_tables_alone)
{
    test_folder folder;
    opevo_objective *table = NULL;

    folder_open(&folder);
    write_toy(&folder);
    table = open_recorded(&folder, "toy.csv", NULL);
    assert_null(opevo_recorded_inferred(table));
    opevo_objective_destroy(table);
    table = NULL;
    folder_write(&folder, "alone.csv", "a,time_ms\n1,2\n2,3\n");
    CHECK_FAILS(OPEVO_INVALID, "alone.json is missing; give --result UNIT:",
                opevo_recorded_open(folder_file(&folder, "alone.csv"), NULL, &table, &err));
    folder_close(&folder);
}

CHECK_TEST(survives_failing_allocations)
{
    test_folder folder;
    char path[1024];
    opevo_status status = OPEVO_NOMEM;
    int64_t live = opevo_memory_live();
    int64_t n = 0;

    folder_open(&folder);
    folder_write(&folder, "t.csv", "a,b,t\n1,x,4\n1,x,8\n2,y,\n");
    snprintf(path, sizeof path, "%s#ms:t,mean", folder_file(&folder, "t.csv"));
    while (status != OPEVO_OK) {
        opevo_error err = {OPEVO_OK, ""};
        opevo_objective *table = NULL;

        opevo_memory_fail_at(++n);
        status = opevo_recorded_open(path, NULL, &table, &err);
        opevo_memory_fail_at(0);
        if (status != OPEVO_OK && status != OPEVO_NOMEM)
            fail_msg("allocation %d: %s", (int)n, err.message);
        opevo_objective_destroy(table);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_true(n > 20);
    folder_close(&folder);
}
