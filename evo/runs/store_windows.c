/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The processor times of measured trials, whose samples are the elapsed times of the same
 * windows. */

#include "store_internal.h"

#include <opevo/memory.h>

opevo_status opevo_i_store_put_windows(opevo_store *store, int64_t run, const opevo_trial *trial,
                                       const double *processor_s, opevo_error *err)
{
    size_t count = trial->outcome.sample_count;
    unsigned char *bytes = opevo_i_store_reals_to_bytes(processor_s, count);
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;

    OPEVO_NEED_OR_RETURN(bytes, "storing samples in %s", store->path);
    OPEVO_TRY(opevo_i_store_prepare(
        store, "INSERT OR REPLACE INTO windows (run, number, processor_s) VALUES (?, ?, ?)",
        &insert, err));
    sqlite3_bind_int64(insert, 1, run);
    sqlite3_bind_int64(insert, 2, (int64_t)trial->number);
    sqlite3_bind_blob64(insert, 3, bytes, 8 * count, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(insert);
    opevo_free(bytes);
    return status;
}

opevo_status opevo_i_store_copy_windows(opevo_store *store, int64_t run, int64_t source_run,
                                        opevo_error *err)
{
    return opevo_i_store_join_rows(
        store,
        "INSERT OR IGNORE INTO main.windows (run, number, processor_s)"
        " SELECT ?1, number, processor_s FROM source.windows WHERE run = ?2",
        run, source_run, err);
}

opevo_status opevo_store_has_windows(opevo_store *store, int64_t run, bool *has, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *row = NULL;
    int code = SQLITE_DONE;

    *has = false;
    OPEVO_TRY(
        opevo_i_store_prepare(store, "SELECT 1 FROM windows WHERE run = ? LIMIT 1", &row, err));
    sqlite3_bind_int64(row, 1, run);
    code = sqlite3_step(row);
    *has = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(row);
    return status;
}

/* Into the store's own memory. */
static opevo_status keep(opevo_store *store, sqlite3_stmt *row, size_t count, const double **out,
                         opevo_error *err)
{
    const unsigned char *bytes = sqlite3_column_blob(row, 0);

    OPEVO_NEED_OR_RETURN(
        opevo_reserve(&store->processor, &store->processor_capacity, count + 1, sizeof(double)),
        "reading %s", store->path);
    opevo_i_store_reals_from_bytes(bytes, count, store->processor);
    *out = store->processor;
    return OPEVO_OK;
}

opevo_status opevo_store_read_windows(opevo_store *store, int64_t run, const opevo_trial *trial,
                                      const double **processor_s, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *row = NULL;
    size_t count = trial->outcome.sample_count;
    int code = SQLITE_DONE;

    *processor_s = NULL;
    if (count == 0)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(
        store, "SELECT processor_s FROM windows WHERE run = ? AND number = ?", &row, err));
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int64(row, 2, (int64_t)trial->number);
    code = sqlite3_step(row);
    if (code == SQLITE_ROW && (size_t)sqlite3_column_bytes(row, 0) != 8 * count)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s %s: the processor times of trial %llu of run %lld are "
                            "malformed; use another store.",
                            store->path, store->state, (unsigned long long)trial->number,
                            (long long)run);
    else if (code == SQLITE_ROW)
        status = keep(store, row, count, processor_s, err);
    else if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(row);
    return status;
}
