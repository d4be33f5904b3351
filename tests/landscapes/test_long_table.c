/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables of more rows than are in memory together, which threads read: rows and messages do not
 * depend on the number of processors, and the first mistake of several is the one that is told. */

#include "landscape_files.h"

#include "draw.h"

#include <opevo/landscape.h>

#include <math.h>
#include <sched.h>

enum { SIDE = 200, ROWS = SIDE * SIDE, LINE = 40, STEP = 12343 /* without a factor of ROWS */ };

/* The rows as strings of LINE bytes, in another order than the space has; line 1 names columns. */
typedef char line_text[LINE];

static unsigned point_of(unsigned row)
{
    return row * STEP % ROWS;
}

static double time_of(unsigned point)
{
    return 1 + (point * 7919u % 10007) / 16.0;
}

static bool is_ok(unsigned point)
{
    return point % 7 != 3;
}

static void write_row(line_text out, unsigned point)
{
    if (is_ok(point))
        snprintf(out, LINE, "%u,%u,%.17g,ok\n", point / SIDE, point % SIDE, time_of(point));
    else
        snprintf(out, LINE, "%u,%u,,timeout\n", point / SIDE, point % SIDE);
}

static line_text *make_rows(void)
{
    line_text *rows = malloc(ROWS * sizeof *rows);

    assert_non_null(rows);
    for (unsigned i = 0; i < ROWS; i++)
        write_row(rows[i], point_of(i));
    return rows;
}

static void write_table(test_folder *folder, const char *name, line_text *rows)
{
    opevo_text text = {0};

    opevo_text_add(&text, "A,B,time_ms,status\n");
    for (unsigned i = 0; i < ROWS; i++)
        opevo_text_add(&text, rows[i]);
    assert_false(text.failed);
    if (strcmp(name, "t.csv") == 0)
        folder_write(folder, name, text.data);
    else
        folder_write_packed(folder, name, text.data);
    opevo_text_free(&text);
}

static void write_description(test_folder *folder)
{
    static const char *const names[] = {"A", "B"};
    opevo_text text = {0};

    opevo_text_add(&text, "{\"format\": \"tuning-landscape 1\", \"parameters\": [");
    for (size_t p = 0; p < 2; p++) {
        opevo_text_printf(&text, "%s{\"name\": \"%s\", \"type\": \"int\", \"values\": [",
                          p ? ", " : "", names[p]);
        for (unsigned v = 0; v < SIDE; v++)
            opevo_text_printf(&text, "%s%u", v ? ", " : "", v);
        opevo_text_add(&text, "]}");
    }
    opevo_text_add(&text, "]}");
    assert_false(text.failed);
    folder_write(folder, "t.json", text.data);
    opevo_text_free(&text);
}

/* Run on one of the processors of the set only. */
static void use_one(const cpu_set_t *all)
{
    cpu_set_t one;
    size_t first = 0;

    while (!CPU_ISSET(first, all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

CHECK_TEST(reads_long_tables_alike_on_any_processors)
{
    test_folder folder;
    line_text *rows = make_rows();
    uint64_t signatures[2] = {0};
    cpu_set_t all;

    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    folder_open(&folder);
    write_description(&folder);
    write_table(&folder, "t.csv.gz", rows);
    for (int one = 0; one < 2; one++) {
        opevo_objective *objective = NULL;
        opevo_optimum optimum = {0};

        if (one)
            use_one(&all);
        CHECK_OK(opevo_recorded_open(folder_file(&folder, "t.csv.gz"), NULL, &objective, &err));
        signatures[one] = objective->signature;
        assert_int_equal(opevo_recorded_rows(objective), ROWS);
        for (unsigned i = 0; i < ROWS; i++) {
            opevo_index point = point_of(i);
            opevo_outcome outcome;

            assert_true(opevo_recorded_point(objective, i) == point);
            CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
            assert_int_equal(outcome.kind,
                             is_ok(point_of(i)) ? OPEVO_OUTCOME_OK : OPEVO_OUTCOME_TIMEOUT);
            if (is_ok(point_of(i)))
                assert_true(outcome.time_s == time_of(point_of(i)) / 1e3);
        }
        CHECK_OK(opevo_objective_optimum(objective, &optimum, &err));
        for (unsigned point = 0; point < ROWS; point++) {
            double fitness = is_ok(point) ? 1 / (time_of(point) / 1e3) : 0;

            assert_true(fitness < optimum.fitness ||
                        (fitness == optimum.fitness && point >= optimum.point));
        }
        opevo_objective_destroy(objective);
    }
    assert_true(signatures[0] == signatures[1]);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    folder_close(&folder);
    free(rows);
}

/* ---- Mistakes ------------------------------------------------------------------------------- */

enum { NOT_A_NUMBER, NOT_A_VALUE, NOT_A_STATUS, CUT, GIVEN_TWICE, OPEN_QUOTE, KIND_COUNT };

/* Spoil a row, which is not the first one; what the message says beside its line. */
static const char *spoil(line_text *rows, unsigned row, unsigned kind, unsigned other)
{
    switch (kind) {
    case NOT_A_NUMBER:
        strcpy(rows[row], "0,0,fast,ok\n");
        return "'fast' in column 'time_ms'";
    case NOT_A_VALUE:
        strcpy(rows[row], "0,900,1,ok\n");
        return "'900' is not a value of parameter 'B'";
    case NOT_A_STATUS:
        strcpy(rows[row], "0,0,1,fine\n");
        return "unknown status 'fine'";
    case CUT:
        strcpy(rows[row], "0,0,1\n");
        return "the row has 3 cells";
    case GIVEN_TWICE:
        write_row(rows[row], point_of(other));
        return "the configuration is already in line";
    default:
        strcpy(rows[row], "\"0,0,1,ok\n");
        return "a quote is not closed";
    }
}

static void check_first(test_folder *folder, line_text *rows, unsigned row, const char *words)
{
    opevo_objective *objective = NULL;
    opevo_error err = {OPEVO_OK, ""};
    int64_t live = opevo_memory_live();
    char place[32];

    snprintf(place, sizeof place, "t.csv:%u: ", row + 2);
    write_table(folder, "t.csv", rows);
    assert_int_equal(opevo_recorded_open(folder_file(folder, "t.csv"), NULL, &objective, &err),
                     OPEVO_INVALID);
    if (!strstr(err.message, place) || !strstr(err.message, words))
        fail_msg("\"%s\", expected \"%s\" and \"%s\"", err.message, place, words);
    assert_int_equal(opevo_memory_live(), live);
}

/* Two mistakes, in the same task, in another, or in rows that are read later; a mistake that
 * threads find and one that is found when rows are added, in either order. */
CHECK_TEST(names_the_first_mistake)
{
    enum { CASES = 3 * KIND_COUNT * KIND_COUNT / 2 };
    static const unsigned apart[] = {1, 700, 4000, 25000};
    uint64_t state = 7;
    test_folder folder;

    folder_open(&folder);
    write_description(&folder);
    for (unsigned i = 0; i < CASES; i++) {
        line_text *rows = make_rows();
        unsigned first = 1 + (unsigned)draw(&state, ROWS / 3);
        unsigned second = first + 1 + (unsigned)draw(&state, apart[i % 4]);
        unsigned other = (unsigned)draw(&state, first);
        const char *words = NULL;

        spoil(rows, second, i / 3 % KIND_COUNT, other);
        words = spoil(rows, first, i % KIND_COUNT, other);
        check_first(&folder, rows, first, words);
        free(rows);
    }
    folder_close(&folder);
}

/* Data that end early are told of once the rows before are read. */
CHECK_TEST(reads_rows_before_damaged_data)
{
    test_folder folder;
    line_text *rows = make_rows();

    folder_open(&folder);
    write_description(&folder);
    for (int spoilt = 0; spoilt < 2; spoilt++) {
        opevo_objective *objective = NULL;
        char *data = NULL;
        size_t size = 0;

        if (spoilt)
            spoil(rows, 30, NOT_A_STATUS, 0);
        write_table(&folder, "t.csv.gz", rows);
        CHECK_OK(opevo_file_read(folder_file(&folder, "t.csv.gz"), SIZE_MAX, &data, &size, &err));
        folder_write_bytes(&folder, "t.csv.gz", data, size / 2);
        opevo_free(data);
        CHECK_FAILS(OPEVO_INVALID,
                    spoilt ? "t.csv.gz:32: unknown status"
                           : "ends in the middle of its compressed data",
                    opevo_recorded_open(folder_file(&folder, "t.csv.gz"), NULL, &objective, &err));
    }
    folder_close(&folder);
    free(rows);
}
