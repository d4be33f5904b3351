/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A store that a test opens, begins runs in and changes behind opevo's back. */

#ifndef OPEVO_TESTS_STORE_FIXTURE_H
#define OPEVO_TESTS_STORE_FIXTURE_H

#include "check.h"

#include <sqlite3.h>

#include <opevo/store.h>

static inline opevo_store *open_store(const char *path, opevo_store_mode mode)
{
    opevo_store *store = NULL;

    CHECK_OK(opevo_store_open(path, mode, &store, &err));
    assert_string_equal(opevo_store_path(store), path);
    return store;
}

/* A key whose texts and numbers are at the ends of what they may be. */
static inline opevo_run_key key_of(const opevo_space *space, uint64_t seed)
{
    return (opevo_run_key){.objective = "formula: \"quoted\"",
                           .tuner = "opevo",
                           .settings = "lambda=8",
                           .seed = seed,
                           .objective_signature = UINT64_MAX - 1,
                           .space = space,
                           .unit = "GFLOP/s"};
}

static inline int64_t begin(opevo_store *store, const opevo_run_key *key)
{
    int64_t run = 0;

    CHECK_OK(opevo_store_begin(store, key, &run, &err));
    return run;
}

/* Run SQL behind the store's back. */
static inline void tamper(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

#endif
