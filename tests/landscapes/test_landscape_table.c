/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Comma-separated tables: cells, quotes, line ends, and what is refused with which line. */

#include "landscape_files.h"

#include "recorded_internal.h"

#include <stdlib.h>
#include <string.h>

static opevo_status open_bytes(const char *bytes, size_t size, opevo_i_landscape_table *table,
                               opevo_error *err)
{
    char *text = opevo_malloc(size + 1, 1);

    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    return opevo_i_landscape_table_open("t.csv", text, size, table, err);
}

static opevo_status open_text(const char *text, opevo_i_landscape_table *table, opevo_error *err)
{
    return open_bytes(text, strlen(text), table, err);
}

CHECK_TEST(reads_cells)
{
    opevo_i_landscape_table table;
    bool more = false;

    CHECK_OK(open_text("a,\"b,\"\"1\"\"\",c\r\n"
                       "1,,\"\"\n"
                       "\"x,y\",2 ,\n",
                       &table, &err));
    assert_int_equal(table.column_count, 3);
    assert_string_equal(table.names[0], "a");
    assert_string_equal(table.names[1], "b,\"1\"");
    assert_string_equal(table.names[2], "c");
    assert_int_equal(opevo_i_landscape_find_name(table.names, 3, "c"), 2);
    assert_true(opevo_i_landscape_find_name(table.names, 3, "d") == SIZE_MAX);
    CHECK_OK(opevo_i_landscape_table_next(&table, &more, &err));
    assert_true(more);
    assert_int_equal(table.line, 2);
    assert_string_equal(table.cells[0], "1");
    assert_string_equal(table.cells[1], "");
    assert_string_equal(table.cells[2], "");
    CHECK_OK(opevo_i_landscape_table_next(&table, &more, &err));
    assert_true(more);
    assert_int_equal(table.line, 3);
    assert_string_equal(table.cells[0], "x,y");
    assert_string_equal(table.cells[1], "2 ");
    assert_string_equal(table.cells[2], "");
    for (int again = 0; again < 2; again++) {
        CHECK_OK(opevo_i_landscape_table_next(&table, &more, &err));
        assert_false(more);
    }
    opevo_i_landscape_table_close(&table);
}

CHECK_TEST(reads_line_ends_in_quotes)
{
    opevo_i_landscape_table table;
    bool more = false;

    CHECK_OK(open_text("a,\"b\nc\"\n"
                       "\"1\r\n,\"\"\n\",2\r\n"
                       "3,4\"\n",
                       &table, &err));
    assert_string_equal(table.names[1], "b\nc");
    CHECK_OK(opevo_i_landscape_table_next(&table, &more, &err));
    assert_true(more && table.line == 3);
    assert_string_equal(table.cells[0], "1\r\n,\"\n");
    assert_string_equal(table.cells[1], "2");
    CHECK_OK(opevo_i_landscape_table_next(&table, &more, &err));
    assert_true(more && table.line == 6);
    assert_string_equal(table.cells[0], "3");
    assert_string_equal(table.cells[1], "4\""); /* a quote opens only where a cell starts */
    opevo_i_landscape_table_close(&table);
}

CHECK_TEST(refuses_bad_first_lines)
{
    static const char *const cases[][2] = {
        {"", "t.csv: the table is empty"},
        {"a,b", "t.csv:1: the last line has no line end"},
        {"a,,b\n", "t.csv:1: column 2 has no name"},
        {"\n", "t.csv:1: column 1 has no name"},
        {"a,b,a\n", "t.csv:1: two columns are named 'a'"},
        {"a,\"b\n", "t.csv:1: a quote is not closed"},
        {"a,\"b\"c\n", "t.csv:1: a quote is not closed"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_i_landscape_table table;

        CHECK_FAILS(OPEVO_INVALID, cases[i][1], open_text(cases[i][0], &table, &err));
        opevo_i_landscape_table_close(&table);
    }
}

CHECK_TEST(refuses_bad_rows)
{
    static const char *const cases[][2] = {
        {"a,b\n1,2\n3\n", "t.csv:3: the row has 1 cells, but the first line names 2 columns"},
        {"a,b\n1,2\n3,4,5\n", "t.csv:3: the row has 3 cells, but the first line names 2 columns"},
        {"a,b\n1,2\n\n", "t.csv:3: the row has 1 cells"},
        {"a,b\n1,2\n3,4", "t.csv:3: the last line has no line end"},
        {"a,b\n1,2\n3,\"4\n", "t.csv:3: a quote is not closed"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_i_landscape_table table;
        bool more = false;

        CHECK_OK(open_text(cases[i][0], &table, &err));
        CHECK_OK(opevo_i_landscape_table_next(&table, &more, &err));
        CHECK_FAILS(OPEVO_INVALID, cases[i][1], opevo_i_landscape_table_next(&table, &more, &err));
        opevo_i_landscape_table_close(&table);
    }
}

CHECK_TEST(refuses_zero_bytes_and_endless_lines)
{
    opevo_i_landscape_table table;
    bool more = false;
    char *commas = malloc(5002);

    assert_non_null(commas);
    CHECK_OK(open_bytes("a,b\n1,\0\n", 8, &table, &err));
    CHECK_FAILS(OPEVO_INVALID, "t.csv:2: a zero byte",
                opevo_i_landscape_table_next(&table, &more, &err));
    opevo_i_landscape_table_close(&table);
    memset(commas, ',', 5000);
    strcpy(commas + 5000, "\n");
    CHECK_FAILS(OPEVO_LIMIT, "t.csv:1: more than 4096 columns", open_text(commas, &table, &err));
    opevo_i_landscape_table_close(&table);
    free(commas);
}

/* Rows of many lengths, some of which are longer than what is read at a time; `spoilt` has a state
 * that there is not. Each row has two lines. */
static void add_rows(opevo_text *text, size_t count, size_t spoilt)
{
    opevo_text_add(text, "a,time_ms,status,message\n");
    for (size_t i = 0; i < count; i++) {
        opevo_text_printf(text, "%zu,%zu.5,%s,\"", i, i + 1, i == spoilt ? "fine" : "ok");
        for (size_t k = 0; k < (i % 500 == 7 ? 100000 : i * 7919 % 97); k++)
            opevo_text_add(text, "x");
        opevo_text_add(text, "\n\"\"\"\r\n");
    }
}

CHECK_TEST(reads_long_tables)
{
    enum { ROWS = 2000 };
    test_folder folder;
    opevo_text description = {0};

    folder_open(&folder);
    opevo_text_add(&description, "{\"format\": \"tuning-landscape 1\", \"parameters\": [{\"name\":"
                                 " \"a\", \"type\": \"discrete\", \"values\": [0");
    for (int i = 1; i < ROWS; i++)
        opevo_text_printf(&description, ", %d", i);
    opevo_text_add(&description, "]}]}");
    folder_write(&folder, "long.json", description.data);
    for (size_t spoilt = 0; spoilt <= ROWS; spoilt += 400) {
        opevo_text text = {0};
        opevo_objective *objective = NULL;
        char words[64];

        add_rows(&text, ROWS, spoilt);
        folder_write_packed(&folder, "long.csv.gz", text.data);
        opevo_text_free(&text);
        snprintf(words, sizeof words, "long.csv.gz:%zu: unknown status 'fine'", 2 + 2 * spoilt);
        if (spoilt < ROWS) {
            CHECK_FAILS(
                OPEVO_INVALID, words,
                opevo_recorded_open(folder_file(&folder, "long.json"), NULL, &objective, &err));
            continue;
        }
        CHECK_OK(opevo_recorded_open(folder_file(&folder, "long.json"), NULL, &objective, &err));
        assert_int_equal(opevo_recorded_rows(objective), ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            opevo_index point = i;
            opevo_outcome outcome;

            CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
            assert_true(outcome.time_s == ((double)i + 1.5) / 1e3);
        }
        opevo_objective_destroy(objective);
    }
    opevo_text_free(&description);
    folder_close(&folder);
}
