/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The samples and the message of one trial, which a run that is read whole leaves out: from its
 * row, from the packed trials, or from the outcomes that packed runs share. */

#include "store_internal.h"

#include <opevo/memory.h>

/* Copy them into the store, where they stay when SQLite moves on,
 * and let the outcome point to them. */
static opevo_status keep(opevo_store *store, const opevo_i_store_details *from, opevo_outcome *out,
                         opevo_error *err)
{
    opevo_text_clear(&store->message);
    opevo_text_add_bytes(&store->message, from->message ? from->message : "", from->message_length);
    if (store->message.failed || !opevo_reserve(&store->samples, &store->sample_capacity,
                                                from->sample_count + 1, sizeof(double)))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", store->path);
    opevo_i_store_reals_from_bytes(from->samples, from->sample_count, store->samples);
    out->samples_s = from->sample_count ? store->samples : NULL;
    out->sample_count = from->sample_count;
    out->message = from->message ? opevo_text_string(&store->message) : NULL;
    return OPEVO_OK;
}

opevo_status opevo_i_store_take_details(opevo_store *store, int64_t run, sqlite3_stmt *row,
                                        int column, opevo_trial *trial, opevo_error *err)
{
    opevo_i_store_details details = {.samples = sqlite3_column_blob(row, column),
                                     .sample_count = (size_t)sqlite3_column_bytes(row, column) / 8,
                                     .message = (const char *)sqlite3_column_text(row, column + 1)};

    details.message_length = (size_t)sqlite3_column_bytes(row, column + 1);
    if (sqlite3_column_bytes(row, column) % 8 != 0)
        return opevo_i_store_fail_trial(store, run, trial, err);
    return keep(store, &details, &trial->outcome, err);
}

/* From a row with samples and message. */
static opevo_status take_row(opevo_store *store, int64_t run, sqlite3_stmt *row, opevo_trial *trial,
                             opevo_error *err)
{
    return opevo_i_store_take_details(store, run, row, 0, trial, err);
}

/* From a row with an outcome that packed runs share. */
static opevo_status take_shared(opevo_store *store, int64_t run, sqlite3_stmt *row,
                                opevo_trial *trial, opevo_error *err)
{
    opevo_i_store_details details;
    opevo_outcome outcome;

    if (!opevo_i_store_unpack_outcome(sqlite3_column_blob(row, 0),
                                      (size_t)sqlite3_column_bytes(row, 0), &outcome, &details))
        return opevo_i_store_fail_trial(store, run, trial, err);
    return keep(store, &details, &trial->outcome, err);
}

typedef opevo_status (*taker)(opevo_store *store, int64_t run, sqlite3_stmt *row,
                              opevo_trial *trial, opevo_error *err);

/* Take the row that a query finds for the run, and for the number and the point of the trial. */
static opevo_status query(opevo_store *store, const char *sql, taker take, int64_t run,
                          opevo_trial *trial, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *row = NULL;
    unsigned char point[OPEVO_I_POINT_BYTES];
    int code = SQLITE_OK;

    opevo_i_store_point_to_bytes(trial->proposal.point, point);
    OPEVO_TRY(opevo_i_store_prepare(store, sql, &row, err));
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int64(row, 2, (int64_t)trial->number);
    sqlite3_bind_blob(row, 3, point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
    code = sqlite3_step(row);
    if (code == SQLITE_ROW)
        status = take(store, run, row, trial, err);
    else if (code == SQLITE_DONE)
        status = opevo_i_store_fail_trial(store, run, trial, err);
    else
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(row);
    return status;
}

opevo_status opevo_store_read_details(opevo_store *store, int64_t run, opevo_trial *trial,
                                      opevo_error *err)
{
    const opevo_i_store_cursor *cursor = &store->cursor;
    opevo_status status = OPEVO_OK;
    opevo_trial again;
    bool packed = true;

    if (cursor->run != run || cursor->next != trial->number + 1) {
        OPEVO_TRY(opevo_i_store_unpack_seek(store, run, trial->number - 1, &packed, err));
        if (packed && cursor->next > cursor->count)
            return opevo_i_store_fail_trial(store, run, trial, err);
        if (packed)
            OPEVO_TRY(opevo_i_store_unpack_next(store, &again, err));
    }
    if (!packed)
        return query(store, "SELECT samples_s, message FROM trials WHERE run = ?1 AND number = ?2",
                     take_row, run, trial, err);
    if (cursor->points_only)
        return query(store,
                     "SELECT outcome FROM outcomes WHERE point = ?3 AND signature ="
                     " (SELECT signature FROM runs WHERE run = ?1)",
                     take_shared, run, trial, err);
    status = keep(store, &cursor->details, &trial->outcome, err);
cleanup:
    return status;
}
