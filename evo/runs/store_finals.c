/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of runs. */

#include "store_internal.h"

#include <opevo/memory.h>

#include <math.h>

#define LIBRARY (~(opevo_index)0)

static opevo_status insert_one(opevo_store *store, sqlite3_stmt *insert,
                               const opevo_stored_finals *finals, size_t place, opevo_error *err)
{
    unsigned char point[OPEVO_I_POINT_BYTES];
    unsigned char *fitness =
        opevo_i_store_reals_to_bytes(finals->fitness + place * finals->rounds, finals->rounds);
    bool library = finals->points[place] == LIBRARY;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(fitness, "storing finals in %s", store->path);
    opevo_i_store_point_to_bytes(finals->points[place], point);
    sqlite3_bind_int64(insert, 2, (int64_t)place + 1);
    sqlite3_bind_blob(insert, 3, library ? NULL : point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
    sqlite3_bind_blob64(insert, 4, fitness, 8 * finals->rounds, SQLITE_STATIC);
    sqlite3_bind_text(insert, 5, library ? opevo_text_string(&finals->library) : NULL, -1,
                      SQLITE_STATIC);
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
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is open read-only.", store->path);
    status = opevo_i_store_begin_write(store, err);
    if (status != OPEVO_OK)
        return status;
    return opevo_i_store_commit(store, replace(store, run, finals, err), err);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Of a run: point, fitness, message, and how many there are. */
static const char select_finals[] = "SELECT point, fitness, message, count(*) OVER ()"
                                    " FROM finals WHERE run = ? ORDER BY place";

static opevo_status make_room(opevo_store *store, sqlite3_stmt *first, opevo_stored_finals *out,
                              opevo_error *err)
{
    out->rounds = (size_t)sqlite3_column_bytes(first, 1) / 8;
    out->count = (size_t)sqlite3_column_int64(first, 3);
    out->points = opevo_calloc(out->count, sizeof *out->points);
    out->fitness = opevo_calloc(out->count * out->rounds, sizeof *out->fitness);
    OPEVO_NEED_OR_RETURN(out->points && out->fitness, "the finals of %s", store->path);
    return OPEVO_OK;
}

/* False for a row that nobody put. */
static bool take_row(sqlite3_stmt *row, opevo_stored_finals *finals, size_t place)
{
    const unsigned char *point = sqlite3_column_blob(row, 0);
    double *fitness = finals->fitness + place * finals->rounds;

    if ((point && sqlite3_column_bytes(row, 0) != OPEVO_I_POINT_BYTES) ||
        (size_t)sqlite3_column_bytes(row, 1) != 8 * finals->rounds)
        return false;
    finals->points[place] = point ? opevo_i_store_point_from_bytes(point) : LIBRARY;
    if (!point)
        opevo_text_add(&finals->library, opevo_i_store_column_text(row, 2));
    opevo_i_store_reals_from_bytes(sqlite3_column_blob(row, 1), finals->rounds, fitness);
    for (size_t i = 0; i < finals->rounds; i++) {
        if (!(fitness[i] >= 0 && isfinite(fitness[i])))
            return false;
    }
    return true;
}

static opevo_status read_rows(opevo_store *store, int64_t run, opevo_stored_finals *out,
                              opevo_error *err)
{
    sqlite3_stmt *query = NULL;
    opevo_status status = OPEVO_OK;
    size_t place = 0;
    bool good = true;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(store, select_finals, &query, err));
    sqlite3_bind_int64(query, 1, run);
    while (good && (code = sqlite3_step(query)) == SQLITE_ROW) {
        if (place == 0)
            OPEVO_TRY(make_room(store, query, out, err));
        good = take_row(query, out, place++);
    }
    if (!good)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s %s: the finals of run %lld are malformed; use another store.",
                            store->path, store->state, (long long)run);
    else if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    else
        status = opevo_text_check(&out->library, err);
cleanup:
    sqlite3_finalize(query);
    return status;
}

opevo_status opevo_store_get_finals(opevo_store *store, int64_t run, opevo_stored_finals *out,
                                    opevo_error *err)
{
    opevo_stored_finals finals = {0};
    opevo_status status = read_rows(store, run, &finals, err);

    if (status == OPEVO_OK)
        *out = finals;
    else
        opevo_stored_finals_free(&finals);
    return status;
}

void opevo_stored_finals_free(opevo_stored_finals *finals)
{
    opevo_free(finals->points);
    opevo_free(finals->fitness);
    opevo_text_free(&finals->library);
    *finals = (opevo_stored_finals){0};
}
