/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of a run in its store: they come back as they were put, for the run that they are of;
 * others replace them. */

#include <sqlite3.h>

#include <opevo/store.h>

#include "scratch_store.h"

#define LIBRARY (~(opevo_index)0)

enum { ROUNDS = 3, COUNT = 3 };

static opevo_index points[COUNT] = {7, ((opevo_index)1 << 100) + 3, LIBRARY};
static double measured[COUNT * ROUNDS] = {1, 2.5, 0, 1e-9, 3, 4, 5, 6, 7};

/* The first `count` finalists, the first `count * rounds` numbers. */
static opevo_stored_finals finals_of(size_t count, size_t rounds)
{
    return (opevo_stored_finals){
        .points = points, .count = count, .rounds = rounds, .fitness = measured};
}

static void check(opevo_store *store, int64_t run, size_t count, size_t rounds, const char *library)
{
    opevo_stored_finals finals;

    CHECK_OK(opevo_store_get_finals(store, run, &finals, &err));
    assert_int_equal(finals.count, count);
    assert_int_equal(finals.rounds, rounds);
    if (count) {
        assert_memory_equal(finals.points, points, count * sizeof *points);
        assert_memory_equal(finals.fitness, measured, count * rounds * sizeof *measured);
    }
    assert_string_equal(opevo_text_string(&finals.library), library);
    opevo_stored_finals_free(&finals);
}

CHECK_TEST(test_round_trip)
{
    opevo_space *space = NULL;
    opevo_store *store = open_store(OPEVO_STORE_WRITE);
    opevo_stored_finals finals = finals_of(COUNT, ROUNDS);
    opevo_stored_finals fewer = finals_of(1, 2);
    int64_t run = 0;
    int64_t other = 0;

    opevo_text_add(&finals.library, "a library");
    CHECK_OK(opevo_space_parse("{\"x\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}", "space",
                               NULL, &space, &err));
    run = begin(store, space, 1);
    other = begin(store, space, 2);
    check(store, run, 0, 0, "");
    CHECK_OK(opevo_store_put_finals(store, run, &finals, &err));
    opevo_store_close(store);

    store = open_store(OPEVO_STORE_READ);
    check(store, run, COUNT, ROUNDS, "a library");
    check(store, other, 0, 0, "");
    CHECK_FAILS(OPEVO_INVALID, "open read-only", opevo_store_put_finals(store, run, &finals, &err));
    opevo_store_close(store);

    store = open_store(OPEVO_STORE_WRITE);
    CHECK_OK(opevo_store_put_finals(store, other, &finals, &err));
    CHECK_OK(opevo_store_put_finals(store, run, &fewer, &err));
    check(store, run, 1, 2, "");
    check(store, other, COUNT, ROUNDS, "a library");
    opevo_store_close(store);
    opevo_text_free(&finals.library);
    opevo_space_destroy(space);
}

CHECK_TEST(test_damaged)
{
    static const char *const damages[] = {
        /* minus infinity, 1, 1 */
        "UPDATE finals SET fitness = x'000000000000F0FF000000000000F03F000000000000F03F'",
        "UPDATE finals SET fitness = x'000000000000F03F' WHERE place = 1",
        "UPDATE finals SET fitness = x'00000000'",
        "UPDATE finals SET point = x'07' WHERE place = 1",
    };
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(scratch.file, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        opevo_store *store = open_store(OPEVO_STORE_WRITE);
        opevo_stored_finals finals = finals_of(COUNT, ROUNDS);

        CHECK_OK(opevo_store_put_finals(store, 2, &finals, &err));
        assert_int_equal(sqlite3_exec(db, damages[i], NULL, NULL, NULL), SQLITE_OK);
        CHECK_FAILS(OPEVO_INVALID, "is damaged: the finals of run 2",
                    opevo_store_get_finals(store, 2, &finals, &err));
        opevo_store_close(store);
    }
    sqlite3_close(db);
}

int main(void)
{
    int failed = 0;

    scratch = scratch_make();
    failed = check_tests(NULL, NULL);
    scratch_remove(&scratch);
    return failed;
}
