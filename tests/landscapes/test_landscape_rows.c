/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables that are written are read back: hostile values, any bytes, names of columns that meet. */

#include "check.h"

#include "table_round_trip.h"

static const char *const hostile[] = {
    "",      "1",        "\"1\"",   "'1'",    "1.0",  " 1",       "1 ",      "1e5",  "0x10", "true",
    "false", "nan",      "a\nb",    "a\r\nb", "\n",   "\r",       "a\r",     ",",    ";",    "\"",
    "\"\"",  "\"a\nb\"", "a\"b",    "\"a",    "\\",   "\\n",      "\"\\n\"", "\x01", "\x7f", "\t",
    "=1+1",  "#",        "{\"a\"}", "[1]",    "null", "\xc3\xa9", "a,b\nc",  "-0",   "+1",   "1,2"};
enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

static void check_values(const unsigned char *data, size_t size)
{
    opevo_error failure = {OPEVO_OK, ""};
    const char *wrong = table_round_trip(data, size, &failure);

    if (wrong)
        fail_msg("%s: %s", wrong, failure.message);
}

static size_t put(unsigned char *data, size_t size, unsigned char kind, const char *text)
{
    data[size++] = kind;
    memcpy(data + size, text, strlen(text) + 1);
    return size + strlen(text) + 1;
}

/* Each with each, beside the numbers and truth values that they look like. */
CHECK_TEST(reads_hostile_values)
{
    for (size_t i = 0; i < HOSTILE; i++) {
        for (size_t k = 0; k < HOSTILE; k++) {
            unsigned char data[200];
            size_t size = put(data, 0, 0, "\x01"); /* the integer 1 */

            size = put(data, size, 0, "");
            size = put(data, size, 1, "\x07\x05"); /* a real number */
            size = put(data, size, 2, "\x01");
            size = put(data, size, 2, "");
            size = put(data, size, 3, hostile[i]);
            if (i != k)
                size = put(data, size, 3, hostile[k]);
            check_values(data, size);
        }
    }
}

CHECK_TEST(reads_any_bytes)
{
    static const char alphabet[] = "\"\"\",,\n\n\r1.e\\ atrue\xc3\xa9";
    uint64_t random = 1;

    for (size_t i = 0; i < 20000; i++) {
        unsigned char data[64];

        for (size_t k = 0; k < sizeof data; k++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            data[k] =
                (unsigned char)(i % 2 ? random >> 56
                                      : (unsigned char)alphabet[(random >> 40) % sizeof alphabet]);
        }
        check_values(data, sizeof data);
    }
}

/* 1 and "1" have cells of their own. */
CHECK_TEST(tells_texts_from_numbers)
{
    const unsigned char data[] = {0, 1, 0, 3, '1', 0};
    round_trip_values values;
    opevo_space *space = NULL;
    opevo_text rows = {0};
    opevo_outcome outcome = round_trip_outcome(0, NULL);
    opevo_objective objective = {.unit = "1/s"};

    round_trip_values_of(data, sizeof data, &values);
    space = round_trip_space(&values);
    assert_non_null(space);
    objective.space = space;
    opevo_recorded_add_row(&objective, 0, &outcome, &rows);
    opevo_recorded_add_row(&objective, 1, &outcome, &rows);
    assert_non_null(strstr(rows.data, ",1,250,ok,"));
    assert_non_null(strstr(rows.data, ",\"\"\"1\"\"\",250,ok,"));
    opevo_text_free(&rows);
    opevo_space_destroy(space);
}

CHECK_TEST(refuses_columns_of_one_name)
{
    static const char *const spaces[][2] = {
        {"{\"X\": {\"_type\": \"factor\", \"_value\": [4, 2]}, "
         "\"X_0\": {\"_type\": \"discrete\", \"_value\": [1]}}",
         "called X_0"},
        {"{\"status\": {\"_type\": \"discrete\", \"_value\": [1]}}", "called status"},
        {"{\"gflops\": {\"_type\": \"discrete\", \"_value\": [1]}}", "called gflops"},
        {"{\"A\": {\"_type\": \"factor\", \"_value\": [4, 2], "
         "\"_components\": [\"message\", \"runs\"]}}",
         "called message"},
    };

    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        opevo_space *space = NULL;
        opevo_text line = {0};

        CHECK_OK(opevo_space_parse(spaces[i][0], "s.json", NULL, &space, &err));
        CHECK_FAILS(OPEVO_INVALID, spaces[i][1],
                    opevo_recorded_add_columns(&(opevo_objective){.space = space, .unit = "1/s"},
                                               &line, &err));
        opevo_text_free(&line);
        opevo_space_destroy(space);
    }
}
