/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of runs, in a table that is made with the first of them: stores without it are of the
 * same format, and programs that do not know it pass it by. */

#include "store_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

#define LIBRARY (~(opevo_index)0)

static const char schema[] = "CREATE TABLE IF NOT EXISTS finals ("
                             "  run INTEGER NOT NULL REFERENCES runs (run),"
                             "  place INTEGER NOT NULL,"
                             "  point BLOB,"
                             "  fitness BLOB NOT NULL,"
                             "  message TEXT,"
                             "  PRIMARY KEY (run, place)) WITHOUT ROWID;";

static opevo_status insert_one(opevo_store *store, sqlite3_stmt *insert,
                               const opevo_stored_finals *finals, size_t place, opevo_error *err)
{
    unsigned char point[OPEVO_I_POINT_BYTES];
    unsigned char *fitness =
        opevo_i_reals_to_bytes(finals->fitness + place * finals->rounds, finals->rounds);
    bool library = finals->points[place] == LIBRARY;
    opevo_status status = OPEVO_OK;

    if (!fitness)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to store finals in %s.", store->path);
    opevo_i_point_to_bytes(finals->points[place], point);
    sqlite3_bind_int64(insert, 2, (int64_t)place + 1);
    sqlite3_bind_blob(insert, 3, library ? NULL : point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
    sqlite3_bind_blob64(insert, 4, fitness, 8 * finals->rounds, SQLITE_STATIC);
    sqlite3_bind_text(insert, 5, library ? finals->library : NULL, -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    sqlite3_reset(insert);
    opevo_free(fitness);
    return status;
}

static opevo_status replace(opevo_store *store, int64_t run, const opevo_stored_finals *finals,
                            opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *statement = NULL;

    OPEVO_TRY(opevo_i_store_exec(store, schema, err));
    OPEVO_TRY(opevo_i_store_prepare(store, "DELETE FROM finals WHERE run = ?", &statement, err));
    sqlite3_bind_int64(statement, 1, run);
    if (sqlite3_step(statement) != SQLITE_DONE) {
        status = opevo_i_store_fail(store, err);
        goto cleanup;
    }
    sqlite3_finalize(statement);
    statement = NULL;
    OPEVO_TRY(opevo_i_store_prepare(
        store, "INSERT INTO finals (run, place, point, fitness, message) VALUES (?, ?, ?, ?, ?)",
        &statement, err));
    sqlite3_bind_int64(statement, 1, run);
    for (size_t i = 0; i < finals->count; i++)
        OPEVO_TRY(insert_one(store, statement, finals, i, err));
cleanup:
    sqlite3_finalize(statement);
    return status;
}

opevo_status opevo_store_put_finals(opevo_store *store, int64_t run,
                                    const opevo_stored_finals *finals, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!store->insert)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is open to be read only.", store->path);
    status = opevo_i_store_begin_write(store, err);
    if (status != OPEVO_OK)
        return status;
    return opevo_i_store_commit(store, replace(store, run, finals, err), err);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static opevo_status has_table(opevo_store *store, bool *has, opevo_error *err)
{
    sqlite3_stmt *query = NULL;
    opevo_status status = opevo_i_store_prepare(
        store, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'finals'", &query, err);

    *has = status == OPEVO_OK && sqlite3_step(query) == SQLITE_ROW;
    sqlite3_finalize(query);
    return status;
}

/* Whether the row is that of the finalist; then its fitness is copied. */
static bool take_row(sqlite3_stmt *row, const opevo_stored_finals *finals, size_t place)
{
    const unsigned char *point = sqlite3_column_blob(row, 0);
    opevo_index wanted = finals->points[place];
    size_t bytes = (size_t)sqlite3_column_bytes(row, 1);

    if (sqlite3_column_bytes(row, 0) != (wanted == LIBRARY ? 0 : OPEVO_I_POINT_BYTES) ||
        (point && opevo_i_point_from_bytes(point) != wanted) || bytes != 8 * finals->rounds)
        return false;
    opevo_i_reals_from_bytes(sqlite3_column_blob(row, 1), finals->rounds,
                             finals->fitness + place * finals->rounds);
    return true;
}

static bool are_sound(const opevo_stored_finals *finals)
{
    for (size_t i = 0; i < finals->count * finals->rounds; i++) {
        if (!(finals->fitness[i] >= 0 && isfinite(finals->fitness[i])))
            return false;
    }
    return true;
}

opevo_status opevo_store_get_finals(opevo_store *store, int64_t run,
                                    const opevo_stored_finals *finals, opevo_text *library,
                                    bool *found, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;
    opevo_text words = {0};
    size_t place = 0;
    bool same = true;
    int code = SQLITE_DONE;

    *found = false;
    OPEVO_TRY(has_table(store, &same, err));
    if (!same)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(
        store, "SELECT point, fitness, message FROM finals WHERE run = ? ORDER BY place", &query,
        err));
    sqlite3_bind_int64(query, 1, run);
    while (same && (code = sqlite3_step(query)) == SQLITE_ROW) {
        same = place < finals->count && take_row(query, finals, place);
        if (same && finals->points[place] == LIBRARY)
            opevo_text_add(&words, opevo_i_column_text(query, 2));
        place++;
    }
    if (same && code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    else if (same && place == finals->count && !are_sound(finals))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s is damaged: the finals of run %lld; use another store.",
                            store->path, (long long)run);
    else
        *found = same && place == finals->count;
    if (*found)
        opevo_text_add(library, opevo_text_string(&words));
cleanup:
    opevo_text_free(&words);
    sqlite3_finalize(query);
    return status;
}
