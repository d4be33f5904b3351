/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows come back as they were added, whatever form they are kept in, and are found by their points;
 * and they take few bytes where their numbers have few digits. */

#include "check.h"
#include "row_store.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>

enum { ROWS = 30000 };

static opevo_space *space_of(const char *json)
{
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
    return space;
}

/* 100 * 1000 points: a row for each third. */
static const char *const middle = "{\"a\": {\"_type\": \"randint\", \"_value\": [0, 100]},"
                                  " \"b\": {\"_type\": \"randint\", \"_value\": [0, 1000]}}";

static double double_of(uint64_t bits)
{
    double value = 0;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Times with five decimals in milliseconds, as tables have them; every tenth row failed. */
static opevo_i_landscape_row timed(size_t i, double flop)
{
    double ms = (double)(1000 + opevo_hash_mix(i) % 100000) / 1e5;
    opevo_i_landscape_row row = {.time_s = ms / 1e3, .more = {NAN, NAN, NAN}};

    if (i % 10 == 9)
        return (opevo_i_landscape_row){
            .time_s = NAN, .kind = OPEVO_OUTCOME_BUILD_ERROR, .more = {NAN, NAN, NAN}};
    row.fitness = flop > 0 ? flop / row.time_s / 1e9 : 1 / row.time_s;
    row.run_s = row.time_s;
    return row;
}

/* Any number there is: of few bits, of all bits, zeros of both signs, infinities, NAN. */
static double any_number(uint64_t seed)
{
    uint64_t bits = opevo_hash_mix(seed);

    switch (bits % 11) {
    case 0:
        return -0.0;
    case 1:
        return bits % 2 ? (double)INFINITY : (double)-INFINITY;
    case 2:
        return NAN;
    case 3:
        return (double)(int32_t)bits;
    case 4:
        return 2147483647.0 + (double)(bits >> 62);
    case 5:
        return (double)(bits % 1000) / 1e3;
    case 6:
        return (float)0.1;
    case 7:
        return 5e-324;
    default:
        return double_of(opevo_hash_mix(bits));
    }
}

/* Each block has columns of another kind. */
static opevo_i_landscape_row mixed(size_t i)
{
    size_t kind = i / 4096;
    opevo_i_landscape_row row = timed(i, 0);

    row.fitness = any_number(i);
    row.build_s = kind % 2 ? (double)(i % 7) : 0.25;
    row.run_s = kind % 3 ? row.time_s : (double)(float)(1.0 / (double)(i + 1));
    row.check_s = kind % 2 ? -(double)(i % 40000) / 100 : NAN;
    row.other_s = kind % 3 == 1 && i % 4096 == 17 ? -0.0 : 0;
    row.more[0] = (double)(i % 3) * 1e-12;
    row.more[1] = i % 2 ? NAN : 127;
    row.more[2] = (double)i / 3;
    row.kind = (opevo_outcome_class)(i % OPEVO_OUTCOME_CLASS_COUNT);
    return row;
}

static void check_same(double a, double b)
{
    if (!(isnan(a) && isnan(b)) && memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%a came back as %a", a, b);
}

static void check_row(const opevo_i_row_store *store, opevo_index point,
                      const opevo_i_landscape_row *wanted)
{
    size_t at = opevo_i_row_store_find(store, point);
    opevo_i_landscape_row row;

    assert_true(at < opevo_i_row_store_count(store));
    assert_true(opevo_i_row_store_point(store, at) == point);
    row = opevo_i_row_store_get(store, at);
    check_same(wanted->fitness, row.fitness);
    check_same(wanted->time_s, row.time_s);
    check_same(wanted->build_s, row.build_s);
    check_same(wanted->run_s, row.run_s);
    check_same(wanted->check_s, row.check_s);
    check_same(wanted->other_s, row.other_s);
    for (size_t k = 0; k < OPEVO_CRITERIA_MOST - 1; k++)
        check_same(wanted->more[k], row.more[k]);
    assert_int_equal(wanted->kind, row.kind);
}

/* Points in spaces whose numbers have four, eight and sixteen bytes, and one that becomes full. */
CHECK_TEST(rows_come_back)
{
    static const char *const spaces[] = {
        middle,
        "{\"a\": {\"_type\": \"factor\", \"_value\": [1073741824, 4]},"
        " \"b\": {\"_type\": \"factor\", \"_value\": [1073741824, 5]},"
        " \"c\": {\"_type\": \"factor\", \"_value\": [1073741824, 6]}}",
        "{\"a\": {\"_type\": \"permutation\", \"_value\": [30]}}",
        "{\"a\": {\"_type\": \"randint\", \"_value\": [0, 30000]}}",
    };

    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++) {
        opevo_space *space = space_of(spaces[s]);
        opevo_i_row_store *store = opevo_i_row_store_create(space, 0);
        opevo_index step = s == 3 ? 1 : opevo_space_size(space) / ROWS;

        assert_non_null(store);
        for (size_t i = 0; i < ROWS; i++) {
            opevo_i_landscape_row row = mixed(i);

            assert_true(opevo_i_row_store_find(store, i * step) == SIZE_MAX);
            assert_true(opevo_i_row_store_add(store, i * step, &row));
        }
        assert_int_equal(opevo_i_row_store_count(store), ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            opevo_i_landscape_row row = mixed(i);

            check_row(store, i * step, &row);
            assert_true(s == 3 || opevo_i_row_store_find(store, i * step + 1) == SIZE_MAX);
        }
        opevo_i_row_store_destroy(store);
        opevo_space_destroy(space);
    }
}

/* A time of five decimals takes four bytes, the outcome one, the point four and its slot at most
 * seven; the fitness and the cost follow. */
CHECK_TEST(few_digits_take_few_bytes)
{
    opevo_space *space = space_of(middle);

    for (int work = 0; work < 2; work++) {
        opevo_i_row_store *store = opevo_i_row_store_create(space, work ? 2e9 : 0);
        size_t blocks = ROWS / 4096 * 4096;
        size_t open_bytes = opevo_i_row_store_bytes(store);

        for (size_t i = 0; i < blocks; i++) {
            opevo_i_landscape_row row = timed(i, work ? 2e9 : 0);

            assert_true(opevo_i_row_store_add(store, 3 * i, &row));
        }
        for (size_t i = 0; i < blocks; i++) {
            opevo_i_landscape_row row = timed(i, work ? 2e9 : 0);

            check_row(store, 3 * i, &row);
        }
        assert_true(opevo_i_row_store_bytes(store) - open_bytes < 20 * blocks + 8192);
        opevo_i_row_store_destroy(store);
    }
    opevo_space_destroy(space);
}

/* After an allocation failed, the rows that were there are there, and the next try succeeds. */
CHECK_TEST(keeps_rows_without_memory)
{
    opevo_space *space = space_of(middle);
    int64_t live = opevo_memory_live();
    opevo_i_row_store *store = opevo_i_row_store_create(space, 0);
    size_t failed = 0;

    for (size_t i = 0; i < ROWS; i++) {
        opevo_i_landscape_row row = mixed(i);
        bool added = false;

        for (int64_t n = 1; !added; n++) {
            opevo_memory_fail_at(n);
            added = opevo_i_row_store_add(store, 3 * i, &row);
            opevo_memory_fail_at(0);
            failed += !added;
            assert_int_equal(opevo_i_row_store_count(store), i + added);
        }
    }
    assert_true(failed > 30);
    for (size_t i = 0; i < ROWS; i++) {
        opevo_i_landscape_row row = mixed(i);

        check_row(store, 3 * i, &row);
    }
    opevo_i_row_store_destroy(store);
    assert_int_equal(opevo_memory_live(), live);
    opevo_space_destroy(space);
}
