/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which format the file of a store has, and its tables made. texts/schema.in has them. */

#include "store_internal.h"

#include <opevo/version.h>

#include <stdio.h>
#include <stdlib.h>

enum {
    APPLICATION_ID = 1869636982, /* "opev" in ASCII */
    FORMAT_VERSION = 6
};

/* The integer that a query gives, about a text unless that is NULL. */
static opevo_status get_number(opevo_store *store, const char *sql, const char *about, int64_t *out,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;

    OPEVO_TRY(opevo_i_store_prepare(store, sql, &query, err));
    if ((about && sqlite3_bind_text(query, 1, about, -1, SQLITE_STATIC) != SQLITE_OK) ||
        sqlite3_step(query) != SQLITE_ROW) {
        status = opevo_i_store_fail(store, err);
        goto cleanup;
    }
    *out = sqlite3_column_int64(query, 0);
cleanup:
    sqlite3_finalize(query);
    return status;
}

/* A view, a virtual table or an index under one of our names would run what its maker wrote. */
static opevo_status check_tables(opevo_store *store, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int64_t foreign = 0;

    OPEVO_TRY(get_number(store,
                         "SELECT count(*) FROM main.sqlite_schema"
                         " WHERE instr(?, 'CREATE TABLE ' || lower(name) || ' (')"
                         " AND (type <> 'table' OR coalesce(rootpage, 0) = 0)",
                         opevo_i_store_schema, &foreign, err));
    if (foreign)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s is not a run store: it has other objects under the names of its tables.",
            store->path);
cleanup:
    return status;
}

/* Whether the program that made a store, by its version, is newer than this one. */
static bool is_newer(const char *version)
{
    static const int own[] = {OPEVO_VERSION_MAJOR, OPEVO_VERSION_MINOR, OPEVO_VERSION_PATCH};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char *end = NULL;
        long number = strtol(version, &end, 10);

        if (end == version || number != own[i])
            return end != version && number > own[i];
        version = end + (*end == '.');
    }
    return false;
}

/* Says of a store by a newer program that it is one: what looks damaged may be new. */
static void note_state(opevo_store *store)
{
    sqlite3_stmt *query = NULL;
    const char *version = NULL;

    if (opevo_i_store_prepare(store, "SELECT value FROM format WHERE key = 'version'", &query,
                              NULL) == OPEVO_OK &&
        sqlite3_step(query) == SQLITE_ROW)
        version = (const char *)sqlite3_column_text(query, 0);
    if (version && is_newer(version))
        snprintf(store->state, sizeof store->state, "was made by opevo %.20s, newer than this %s",
                 version, OPEVO_VERSION);
    sqlite3_finalize(query);
}

typedef struct head {
    int64_t application, version, tables;
} head;

/* All of one moment, as another process may be making the tables. */
static opevo_status read_head(opevo_store *store, head *out, opevo_error *err)
{
    bool alone = sqlite3_get_autocommit(store->db) != 0;
    opevo_status status = alone ? opevo_i_store_exec(store, "BEGIN", err) : OPEVO_OK;

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(get_number(store, "SELECT count(*) FROM sqlite_schema", NULL, &out->tables, err));
    OPEVO_TRY(get_number(store, "PRAGMA application_id", NULL, &out->application, err));
    OPEVO_TRY(get_number(store, "PRAGMA user_version", NULL, &out->version, err));
cleanup:
    return alone ? opevo_i_store_commit(store, status, err) : status;
}

opevo_status opevo_i_store_identify(opevo_store *store, bool *empty, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    head found = {0, 0, 0};

    OPEVO_TRY(read_head(store, &found, err));
    *empty = found.tables == 0 && found.application == 0 && found.version == 0;
    if (*empty)
        return OPEVO_OK;
    if (found.application != APPLICATION_ID)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is not a run store: it is the database of another program.",
                          store->path);
    if (found.version > FORMAT_VERSION)
        return OPEVO_FAIL(
            err, OPEVO_MISMATCH,
            "%s was written by a newer opevo (format %lld of the run store, where this "
            "one, " OPEVO_VERSION ", reads format %d): update opevo, or use another "
            "store.",
            store->path, (long long)found.version, FORMAT_VERSION);
    if (found.version < FORMAT_VERSION)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s has format %lld of the run store, and this program reads format %d: "
                          "use another store.",
                          store->path, (long long)found.version, FORMAT_VERSION);
    OPEVO_TRY(check_tables(store, err));
    note_state(store);
cleanup:
    return status;
}

static opevo_status create_tables(opevo_store *store, opevo_error *err)
{
    opevo_status status = opevo_i_store_exec(store, opevo_i_store_schema, err);
    char marks[160];

    snprintf(marks, sizeof marks,
             "INSERT INTO format VALUES ('version', '" OPEVO_VERSION "');"
             "PRAGMA user_version = %d; PRAGMA application_id = %d;",
             FORMAT_VERSION, APPLICATION_ID);
    return status == OPEVO_OK ? opevo_i_store_exec(store, marks, err) : status;
}

/* Make the tables, unless another process was quicker. The log is chosen while no other process has
 * the file, for those that have it rely on the journal that they found; and before there are
 * tables, for a store that has them keeps its journal. */
opevo_status opevo_i_store_make_tables(opevo_store *store, opevo_error *err)
{
    bool empty = false;
    opevo_status status = OPEVO_OK;

    if (store->shares_memory)
        OPEVO_TRY(opevo_i_store_exec(store, "PRAGMA locking_mode = EXCLUSIVE", err));
    OPEVO_TRY(opevo_i_store_begin_write(store, err));
    status = opevo_i_store_identify(store, &empty, err);
    if (status == OPEVO_OK && empty && store->shares_memory)
        status = opevo_i_store_exec(store, "COMMIT; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE",
                                    err); /* the lock stays */
    if (status == OPEVO_OK && empty)
        status = create_tables(store, err);
    OPEVO_TRY(opevo_i_store_commit(store, status, err));
cleanup:
    return status;
}
