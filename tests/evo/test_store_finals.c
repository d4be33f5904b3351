/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of a run in its store: they come back for the same points and rounds, and for no
 * others. */

#include "formula.h"

#include <sqlite3.h>

#include <opevo/store.h>

#include "scratch_folder.h"

#define LIBRARY (~(opevo_index)0)

enum { ROUNDS = 3, COUNT = 3 };

static const opevo_index points[COUNT] = {7, ((opevo_index)1 << 100) + 3, LIBRARY};
static double measured[COUNT * ROUNDS] = {1, 2.5, 0, 1e-9, 3, 4, 5, 6, 7};

static opevo_stored_finals finals_of(const opevo_index *of, size_t count, size_t rounds,
                                     double *fitness)
{
    return (opevo_stored_finals){
        .points = of, .count = count, .rounds = rounds, .fitness = fitness, .library = "a library"};
}

static scratch_folder scratch;

static opevo_store *open_store(opevo_store_mode mode)
{
    opevo_store *store = NULL;

    CHECK_OK(opevo_store_open(scratch.file, mode, &store, &err));
    return store;
}

static int64_t begin(opevo_store *store, const opevo_space *space, uint64_t seed)
{
    const opevo_run_key key = {.objective = "formula",
                               .tuner = "opevo",
                               .settings = "",
                               .seed = seed,
                               .space = space,
                               .unit = "GFLOP/s"};
    int64_t run = 0;

    CHECK_OK(opevo_store_begin(store, &key, &run, &err));
    return run;
}

static bool has(opevo_store *store, int64_t run, const opevo_index *of, size_t count, size_t rounds,
                double *fitness, opevo_text *library)
{
    opevo_stored_finals finals = finals_of(of, count, rounds, fitness);
    bool found = true;

    CHECK_OK(opevo_store_get_finals(store, run, &finals, library, &found, &err));
    return found;
}

static void test_round_trip(void **state)
{
    opevo_space *space = NULL;
    opevo_store *store = open_store(OPEVO_STORE_WRITE);
    opevo_stored_finals finals = finals_of(points, COUNT, ROUNDS, measured);
    opevo_stored_finals fewer = finals_of(points, 1, 2, measured);
    double fitness[COUNT * ROUNDS];
    opevo_text library = {0};
    int64_t run = 0;
    int64_t other = 0;

    (void)state;
    CHECK_OK(opevo_space_parse("{\"x\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}", "space",
                               NULL, &space, &err));
    run = begin(store, space, 1);
    other = begin(store, space, 2);
    assert_false(has(store, run, points, COUNT, ROUNDS, fitness, &library));
    CHECK_OK(opevo_store_put_finals(store, run, &finals, &err));
    opevo_store_close(store);

    store = open_store(OPEVO_STORE_READ);
    assert_true(has(store, run, points, COUNT, ROUNDS, fitness, &library));
    assert_memory_equal(fitness, measured, sizeof fitness);
    assert_string_equal(opevo_text_string(&library), "a library");
    assert_false(has(store, other, points, COUNT, ROUNDS, fitness, &library));
    assert_false(has(store, run, points, COUNT - 1, ROUNDS, fitness, &library));
    assert_false(has(store, run, points, COUNT, ROUNDS - 1, fitness, &library));
    assert_false(has(store, run, (const opevo_index[]){7, LIBRARY, points[1]}, COUNT, ROUNDS,
                     fitness, &library));
    assert_int_equal(library.length, strlen("a library")); /* nothing was added where nothing is */
    CHECK_FAILS(OPEVO_INVALID, "open to be read only",
                opevo_store_put_finals(store, run, &finals, &err));
    opevo_store_close(store);

    store = open_store(OPEVO_STORE_WRITE);
    CHECK_OK(opevo_store_put_finals(store, run, &fewer, &err));
    assert_false(has(store, run, points, COUNT, ROUNDS, fitness, &library));
    assert_true(has(store, run, points, 1, 2, fitness, &library));
    opevo_store_close(store);
    opevo_text_free(&library);
    opevo_space_destroy(space);
}

static void test_damaged(void **state)
{
    opevo_store *store = NULL;
    opevo_stored_finals finals;
    double fitness[2];
    opevo_text library = {0};
    bool found = true;
    sqlite3 *db = NULL;

    (void)state;
    assert_int_equal(sqlite3_open(scratch.file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "UPDATE finals SET fitness = x'000000000000F0FF000000000000F03F'",
                                  NULL, NULL, NULL),
                     SQLITE_OK); /* minus infinity, 1 */
    sqlite3_close(db);
    store = open_store(OPEVO_STORE_READ);
    finals = finals_of(points, 1, 2, fitness);
    CHECK_FAILS(OPEVO_INVALID, "is damaged: the finals of run 1",
                opevo_store_get_finals(store, 1, &finals, &library, &found, &err));
    assert_false(found);
    opevo_store_close(store);
    opevo_text_free(&library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damaged),
    };
    int failed = 0;

    scratch = scratch_make();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_remove(&scratch);
    return failed;
}
