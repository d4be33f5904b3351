/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spoilt copies of a good landscape: each rule broken once, in the table or in its description, and
 * the sentence that must name the place. */

#include "landscape_files.h"

#include "toy_landscape.h"

#include <opevo/landscape.h>

typedef struct spoilt {
    const char *from, *to; /* the place that is changed */
    const char *words;     /* what the message says */
} spoilt;

static void check_spoilt(const spoilt *cases, size_t count, bool in_table)
{
    test_folder folder;
    char path[512];

    folder_open(&folder);
    folder_write(&folder, "toy.csv", toy_table);
    folder_write(&folder, "toy.json", toy_description);
    strcpy(path, folder_file(&folder, "toy"));
    for (size_t i = 0; i < count; i++) {
        char *text = replaced(in_table ? toy_table : toy_description, cases[i].from, cases[i].to);
        opevo_error err = {OPEVO_OK, ""};
        opevo_objective *toy = NULL;
        opevo_status status = OPEVO_OK;
        int64_t live = opevo_memory_live();

        folder_write(&folder, in_table ? "toy.csv" : "toy.json", text);
        status = opevo_recorded_open(path, NULL, &toy, &err);
        if (status != OPEVO_INVALID || !strstr(err.message, cases[i].words))
            fail_msg("'%s' for '%s': %s: \"%s\", expected \"%s\"", cases[i].to, cases[i].from,
                     opevo_status_name(status), err.message, cases[i].words);
        assert_null(toy);
        assert_memory_equal(err.message, folder.path, strlen(folder.path));
        assert_int_equal(opevo_memory_live(), live);
        free(text);
    }
    folder_close(&folder);
}

CHECK_TEST(refuses_spoilt_tables)
{
    static const spoilt cases[] = {
        /* Parameters */
        {"\n1,x,1,4,4,ok", "\n3,x,1,4,4,ok", "toy.csv:2: '3' is not a value of parameter 'A'"},
        {"\n1,x,1,4,4,ok", "\n,x,1,4,4,ok", "toy.csv:2: '' is not a value of parameter 'A'"},
        {"\n1,x,1,4,4,ok", "\n1 ,x,1,4,4,ok", "toy.csv:2: '1 ' is not a value of parameter 'A'"},
        {"\n1,x,1,4,4,ok", "\n1,z,1,4,4,ok", "toy.csv:2: 'z' is not a value of parameter 'B'"},
        {"\n1,x,1,4,4,ok", "\n1,x,1,3,4,ok", "toy.csv:2: '1,3' is not a value of parameter 'F'"},
        {"\n1,x,1,4,4,ok", "\n1,x,1,a,4,ok", "toy.csv:2: '1,a' is not a value of parameter 'F'"},
        {"\n1,x,2,2,2,ok", "\n1,x,1,4,2,ok", "toy.csv:3: the configuration is already in line 2"},
        {"\n4,y,2,2,16,ok", "\n4,y,4,1,16,ok", "toy.csv:17: the configuration A=4 B=y F=4,1"},
        /* Results */
        {",4,4,ok,0.25,", ",4,four,ok,0.25,",
         "toy.csv:2: 'four' in column 'time_ms' is not a number"},
        {",4,4,ok,0.25,", ",4,,ok,0.25,", "toy.csv:2: the status is ok, but column 'time_ms'"},
        {",4,4,ok,0.25,", ",4,0,ok,0.25,", "toy.csv:2: the status is ok, but column 'time_ms'"},
        {",4,4,ok,0.25,", ",4,-4,ok,0.25,", "toy.csv:2: '-4' in column 'time_ms'"},
        {",4,4,ok,0.25,", ",4,nan,ok,0.25,", "toy.csv:2: 'nan' in column 'time_ms'"},
        {",4,4,ok,0.25,", ",4,1e999,ok,0.25,", "toy.csv:2: '1e999' in column 'time_ms'"},
        {",4,4,ok,0.25,", ",4,4,ok,,", "toy.csv:2: the status is ok, but column 'gflops'"},
        {",4,4,ok,0.25,", ",4,4,ok,0.26,", "toy.csv:2: 0.26 GFLOP/s disagree with the time"},
        {",4,4,ok,0.25,", ",4,4,fine,0.25,", "toy.csv:2: unknown status 'fine'; use ok,"},
        {",4,4,ok,0.25,", ",4,4,,0.25,", "toy.csv:2: unknown status ''; use ok,"},
        {",,compile_error", ",1,compile_error",
         "toy.csv:5: the status is compile_error, but column 'time_ms' is not empty"},
        {"timeout,,,,100", "timeout,1,,,100",
         "toy.csv:7: the status is timeout, but column 'gflops' is not empty"},
        {"100,150", "-100,150", "toy.csv:2: '-100' in column 'compile_ms'"},
        {"100,150", "100,much", "toy.csv:2: 'much' in column 'cost_ms'"},
        {"0.25,0.1,10,", "0.25,0.1,ten,", "toy.csv:2: 'ten' in column 'runs'"},
        /* Rows that are cut, too long, missing or too many */
        {"100,150\n", "100\n", "toy.csv:2: the row has 10 cells, but the first line names 11"},
        {"100,150\n", "100,150,\n", "toy.csv:2: the row has 12 cells"},
        {"100,150\n", "100,150\n\n", "toy.csv:3: the row has 1 cells"},
        {"ok,0.0625,,,,\n", "ok,0.0625,,,,", "toy.csv:17: the last line has no line end"},
        {"ok,0.0625,,,,\n", "ok,0.06", "toy.csv:17: the last line has no line end"},
        {"4,y,1,4,10,ok,0.1,,,,\n", "", "toy.csv:16: the table has 15 rows, but"},
        {"1,,timeout", "1,,invalid", "toy.csv:17: the table has 2 rows with status invalid, but"},
        {"1,x,1,4,4,ok,0.25,", "1,x,1,4,,invalid,,",
         "toy.csv:17: the table has 11 rows with status ok, but"},
        /* Columns */
        {"A,B,f1", "A,C,f1", "toy.csv:1: missing column 'B', which"},
        {"cost_ms", "cost_s", "toy.csv:1: missing column 'cost_ms', which"},
        {"cost_ms", "cost_ms,more", "toy.csv:1:"},
        {"A,B,f1", "A,A,f1", "toy.csv:1: two columns are named 'A'"},
    };

    check_spoilt(cases, sizeof cases / sizeof cases[0], true);
}

CHECK_TEST(refuses_spoilt_descriptions)
{
    static const spoilt cases[] = {
        {"\"rows\": 16", "\"rows\": 17", "the table has 16 rows, but"},
        {"\"rows\": 16", "\"rows\": \"16\"", "the table has 16 rows, but"},
        {"\"valid\": 12", "\"valid\": 11", "the table has 12 rows with status ok, but"},
        {"\"timeout\": 1", "\"timeout\": 2", "the table has 1 rows with status timeout, but"},
        {",\n  \"timeout\": 1", "", "toy.json: status_counts lacks timeout"},
        {"\"gflops\": 4", "\"gflops\": 5", "toy.json: best.gflops is 5, but the best in"},
        {"\"time_ms\": 0.25", "\"time_ms\": 0.26", "toy.json: best.time_ms is 0.26, but"},
        {"landscape 1", "landscape 2", "toy.json: format: must be \"tuning-landscape 1\""},
        {"1000000", "0", "toy.json: \"flop_per_run\" must be a number above 0"},
        {"1000000", "\"many\"", "toy.json: \"flop_per_run\" must be a number above 0"},
        {"1000000", "2000000", "toy.csv:2: 0.25 GFLOP/s disagree with the time, which gives 0.5"},
        /* Columns */
        {"\"cost_ms\"]", "\"cost_ms\", \"more\"]", "toy.csv:1: missing column 'more', which"},
        {", \"cost_ms\"]", "]", "does not name the column 'cost_ms'"},
        {"\"runs\",", "7,", "toy.json: columns[8] has no name"},
        {"\"columns\": [\"f1\", \"f2\"]", "\"columns\": [\"f1\", \"f3\"]",
         "toy.csv:1: missing column 'f3'"},
        {"\"columns\": [\"f1\", \"f2\"]", "\"columns\": [\"f1\", \"A\"]",
         "toy.json: The name A is used twice"},
        {"\"columns\": [\"f1\", \"f2\"]", "\"columns\": [\"f1\", \"time_ms\"]",
         "toy.json: column 'time_ms' holds results"},
        {"\"columns\": [\"f1\", \"f2\"]", "\"columns\": [\"f1\", 2]",
         "toy.json: parameters[2].columns: must be a string, or a list of strings"},
        {"\"columns\": [\"f1\", \"f2\"]", "\"columns\": [\"f1\"]",
         "toy.json: parameters[2]: the factor 'F' has 2 parts and 1 columns"},
        /* Parameters */
        {"\"product\": 4", "\"product\": \"4\"",
         "toy.json: parameters[2].product: must be a whole number"},
        {"\"product\": 4", "\"product\": 0", "toy.json: Parameter F: "},
        {"[1, 2, 4]", "[]", "toy.json: parameters[0].values: must be a list of at least 1 element"},
        {"[1, 2, 4]", "[1, 2, null]",
         "toy.json: parameters[0]: value 3 of parameter 'A' is not a number"},
        {"[1, 2, 4]", "[1, 2, 2]", "toy.json: Parameter A: "},
        {"[1, 2, 4]", "[1, \"2\"]", "toy.json: Parameter A: "},
        {"[1, 2, 4]", "[1, 2]", "toy.csv:14: '4' is not a value of parameter 'A', which is"},
        {"\"type\": \"int\", ", "", "toy.json: parameters[0].type: must be given, as a string"},
        {"{\"name\": \"B\"", "{\"name\": \"A\"", "toy.json"},
        /* Constraints */
        {"\"A * f1 <= 8\"", "\"A * f1 <= 4\"", "toy.csv:9: the configuration A=2 B=x F=4,1"},
        {"\"A * f1 <= 8\"", "\"A * f9 <= 8\"", "toy.json"},
        {"\"A * f1 <= 8\"", "\"A * <= 8\"", "toy.json"},
        {"\"A * f1 <= 8\"", "\"8 / (A - 1) > 0\"", "toy.csv:2: the configuration A=1"},
        {"\"A * f1 <= 8\"", "8", "toy.json: constraints: must be a string, or a list of strings"},
        /* JSON */
        {"\"rows\": 16,", "\"rows\": 16", "toy.json:13: invalid JSON"},
        {"\"rows\": 16,", "\"rows\": 16, \"rows\": 16,",
         "toy.json:12: invalid JSON: the member \"rows\" is a duplicate of that in line 12"},
    };

    check_spoilt(cases, sizeof cases / sizeof cases[0], false);
}

/* The first n bytes of a good file, for every n, are refused with the file's name; only the final
 * line end of the description may be missing. */
CHECK_TEST(refuses_every_beginning)
{
    test_folder folder;
    char path[512];

    folder_open(&folder);
    strcpy(path, folder_file(&folder, "toy"));
    for (int in_table = 0; in_table < 2; in_table++) {
        const char *text = in_table ? toy_table : toy_description;
        const char *name = in_table ? "toy.csv" : "toy.json";

        folder_write(&folder, "toy.csv", toy_table);
        folder_write(&folder, "toy.json", toy_description);
        for (size_t size = 0; size < strlen(text) - !in_table; size++) {
            opevo_objective *toy = NULL;

            folder_write_bytes(&folder, name, text, size);
            CHECK_FAILS(OPEVO_INVALID, name, opevo_recorded_open(path, NULL, &toy, &err));
            assert_null(toy);
        }
    }
    folder_close(&folder);
}

CHECK_TEST(refuses_empty_tables)
{
    const char *first_end = strchr(toy_table, '\n') + 1;
    test_folder folder;
    opevo_objective *toy = NULL;

    folder_open(&folder);
    folder_write(&folder, "toy.json", toy_description);
    folder_write(&folder, "toy.csv", "");
    CHECK_FAILS(OPEVO_INVALID, "toy.csv: the table is empty",
                opevo_recorded_open(folder_file(&folder, "toy"), NULL, &toy, &err));
    folder_write_bytes(&folder, "toy.csv", toy_table, (size_t)(first_end - toy_table));
    CHECK_FAILS(OPEVO_INVALID, "toy.csv: the table is empty",
                opevo_recorded_open(folder_file(&folder, "toy"), NULL, &toy, &err));
    folder_close(&folder);
}
