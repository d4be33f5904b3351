/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The trials of a run store: appending them in one transaction, and reading them back. Every value
 * read is checked before it is believed, for a file can be damaged without SQLite seeing it. */

#include "store_internal.h"

#include <opevo/memory.h>

/* In a transaction. */
static opevo_status put_trials(opevo_store *store, int64_t run, const opevo_trial *trials,
                               size_t count, const opevo_trial *early, size_t early_count,
                               opevo_error *err)
{
    /* a run that ended once and is continued has not ended */
    opevo_status status = opevo_store_end(store, run, "", err);

    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = opevo_i_store_insert_trial(store, store->insert, run, &trials[i], err);
    if (status == OPEVO_OK)
        status = opevo_i_store_put_candidates(store, run, trials, count, err);
    if (status == OPEVO_OK && count > 0)
        status = opevo_i_store_forget_early(store, run, trials[count - 1].number, err);
    if (status == OPEVO_OK)
        status = opevo_i_store_put_early(store, run, early, early_count, err);
    return status;
}

/* Begin the transaction in which so many trials are put. */
static opevo_status begin_append(opevo_store *store, size_t count, opevo_error *err)
{
    if (!store->insert)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is open read-only.", store->path);
    return count > 0 ? opevo_i_store_begin_write(store, err) : OPEVO_OK;
}

opevo_status opevo_i_store_append_early(opevo_store *store, int64_t run, const opevo_trial *trials,
                                        size_t count, const opevo_trial *early, size_t early_count,
                                        opevo_error *err)
{
    opevo_status status = begin_append(store, count + early_count, err);

    if (status != OPEVO_OK || count + early_count == 0)
        return status;
    status = put_trials(store, run, trials, count, early, early_count, err);
    return opevo_i_store_commit(store, status, err);
}

opevo_status opevo_i_store_append_measured(opevo_store *store, int64_t run,
                                           const opevo_trial *trials, size_t count,
                                           const opevo_trial *early, const double *processor_s,
                                           opevo_error *err)
{
    opevo_status status = begin_append(store, count + (early != NULL), err);

    if (status != OPEVO_OK)
        return status;
    status = put_trials(store, run, trials, count, early, early != NULL, err);
    if (status == OPEVO_OK && processor_s)
        status = opevo_i_store_put_windows(store, run, early ? early : trials, processor_s, err);
    return opevo_i_store_commit(store, status, err);
}

opevo_status opevo_store_append_windows(opevo_store *store, int64_t run, const opevo_trial *trial,
                                        const double *processor_s, opevo_error *err)
{
    return opevo_i_store_append_measured(store, run, trial, 1, NULL, processor_s, err);
}

opevo_status opevo_store_append(opevo_store *store, int64_t run, const opevo_trial *trials,
                                size_t count, opevo_error *err)
{
    return opevo_i_store_append_early(store, run, trials, count, NULL, 0, err);
}

/* From where the cursor is. */
static opevo_status read_packed(opevo_store *store, opevo_trial *trials, size_t capacity,
                                size_t *count, opevo_error *err)
{
    const opevo_i_store_cursor *cursor = &store->cursor;
    size_t got = 0;

    for (; got < capacity && cursor->next <= cursor->count; got++) {
        opevo_status status = opevo_i_store_unpack_next(store, &trials[got], err);

        if (status != OPEVO_OK)
            return status;
    }
    *count = got;
    return OPEVO_OK;
}

opevo_status opevo_store_read(opevo_store *store, int64_t run, uint64_t after, opevo_trial *trials,
                              size_t capacity, size_t *count, opevo_error *err)
{
    sqlite3_stmt *rows = store->read;
    opevo_status status = OPEVO_OK;
    bool packed = false;
    size_t got = 0;
    int code = SQLITE_OK;

    OPEVO_TRY(opevo_i_store_unpack_seek(store, run, after, &packed, err));
    if (packed) {
        OPEVO_TRY(read_packed(store, trials, capacity, count, err));
        return OPEVO_OK;
    }
    sqlite3_bind_int64(rows, 1, run);
    sqlite3_bind_int64(rows, 2, (int64_t)after);
    sqlite3_bind_int64(rows, 3, (int64_t)capacity);
    while (got < capacity && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        OPEVO_TRY(opevo_i_store_take_trial(store, run, rows, &trials[got], err));
        got++;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE && code != SQLITE_OK) {
        status = opevo_i_store_fail(store, err);
        goto cleanup;
    }
    *count = got;
cleanup:
    sqlite3_reset(rows);
    return status;
}
