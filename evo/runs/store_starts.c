/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The start points of runs. They are what the run was begun with, and do not change. */

#include "store_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* ---- Reading -------------------------------------------------------------------------------- */

static opevo_status take_row(opevo_store *store, int64_t run, sqlite3_stmt *row,
                             opevo_proposal *out, opevo_error *err)
{
    const char *origin = opevo_i_store_column_text(row, 1);

    if (sqlite3_column_bytes(row, 0) != OPEVO_I_POINT_BYTES)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s %s: the start points of run %lld are malformed; use another "
                          "store.",
                          store->path, store->state, (long long)run);
    out->point = opevo_i_store_point_from_bytes(sqlite3_column_blob(row, 0));
    out->origin = opevo_i_store_keep_origin(store, origin, strlen(origin));
    return out->origin ? OPEVO_OK
                       : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the start points of a run.");
}

static opevo_status read_rows(opevo_store *store, int64_t run, opevo_proposal **out, size_t *count,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *rows = NULL;
    size_t capacity = 0;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(
        store, "SELECT point, origin FROM starts WHERE run = ? ORDER BY place", &rows, err));
    sqlite3_bind_int64(rows, 1, run);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        OPEVO_NEED(opevo_reserve((void **)out, &capacity, *count + 1, sizeof **out),
                   "the start points of a run");
        OPEVO_TRY(take_row(store, run, rows, *out + *count, err));
        ++*count;
    }
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(rows);
    return status;
}

/* Whether the run has trials, and so was begun without start points where it has none. */
static opevo_status has_begun(opevo_store *store, int64_t run, bool *begun, opevo_error *err)
{
    opevo_trial first;
    size_t count = 0;
    opevo_status status = opevo_store_read(store, run, 0, &first, 1, &count, err);

    *begun = count > 0;
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static opevo_status insert_all(opevo_store *store, int64_t run, const opevo_proposal *starts,
                               size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;

    OPEVO_TRY(opevo_i_store_prepare(
        store, "INSERT INTO starts (run, place, point, origin) VALUES (?, ?, ?, ?)", &insert, err));
    sqlite3_bind_int64(insert, 1, run);
    for (size_t i = 0; i < count; i++) {
        unsigned char point[OPEVO_I_POINT_BYTES];

        opevo_i_store_point_to_bytes(starts[i].point, point);
        sqlite3_bind_int64(insert, 2, (int64_t)i + 1);
        sqlite3_bind_blob(insert, 3, point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, starts[i].origin, -1, SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE) {
            status = opevo_i_store_fail(store, err);
            goto cleanup;
        }
        sqlite3_reset(insert);
        OPEVO_TRY(opevo_i_store_put_candidate(store, run, starts[i].point, err));
    }
cleanup:
    sqlite3_finalize(insert);
    return status;
}

opevo_status opevo_i_store_settle_starts(opevo_store *store, int64_t run,
                                         const opevo_proposal *offered, size_t offered_count,
                                         opevo_proposal **out, size_t *count, opevo_error *err)
{
    opevo_proposal *kept = NULL;
    size_t kept_count = 0;
    bool begun = false;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(read_rows(store, run, &kept, &kept_count, err));
    if (kept_count == 0 && offered_count > 0)
        OPEVO_TRY(has_begun(store, run, &begun, err));
    if (kept_count == 0 && offered_count > 0 && !begun) {
        OPEVO_TRY(opevo_i_store_begin_write(store, err));
        status = insert_all(store, run, offered, offered_count, err);
        OPEVO_TRY(opevo_i_store_commit(store, status, err));
        OPEVO_TRY(read_rows(store, run, &kept, &kept_count, err));
    }
    *out = kept;
    *count = kept_count;
    return OPEVO_OK;
cleanup:
    opevo_free(kept);
    return status;
}

opevo_status opevo_i_store_join_starts(opevo_store *store, int64_t here, int64_t there,
                                       opevo_error *err)
{
    return opevo_i_store_join_rows(store,
                                   "INSERT OR IGNORE INTO starts (run, place, point, origin)"
                                   " SELECT ?1, place, point, origin FROM source.starts"
                                   " WHERE run = ?2",
                                   here, there, err);
}
