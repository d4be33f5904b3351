/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Outcomes that were told ahead of their turn. A row goes when its trial is put into the table of
 * trials, in the same transaction. */

#include "store_internal.h"

#define COLUMNS "run, " OPEVO_I_TRIAL_COLUMNS ", samples_s, message, " OPEVO_I_CRITERIA_COLUMNS

opevo_status opevo_i_store_put_early(opevo_store *store, int64_t run, const opevo_trial *trials,
                                     size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;

    if (count == 0)
        return OPEVO_OK;
    store->has_early = true;
    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "INSERT INTO early (" COLUMNS
                                    ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                    &insert, err));
    for (size_t i = 0; i < count; i++)
        OPEVO_TRY(opevo_i_store_insert_trial(store, insert, run, &trials[i], err));
    OPEVO_TRY(opevo_i_store_put_candidates(store, run, trials, count, err));
cleanup:
    sqlite3_finalize(insert);
    return status;
}

opevo_status opevo_i_store_forget_early(opevo_store *store, int64_t run, uint64_t last,
                                        opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *erase = NULL;

    if (!store->has_early)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(store, "DELETE FROM early WHERE run = ? AND number <= ?",
                                    &erase, err));
    sqlite3_bind_int64(erase, 1, run);
    sqlite3_bind_int64(erase, 2, (int64_t)last);
    if (sqlite3_step(erase) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(erase);
    return status;
}

static opevo_status visit_row(opevo_store *store, int64_t run, sqlite3_stmt *row,
                              opevo_status (*visit)(void *context, const opevo_trial *trial,
                                                    opevo_error *err),
                              void *context, opevo_error *err)
{
    opevo_trial trial;
    opevo_status status = opevo_i_store_take_trial(store, run, row, &trial, err);

    if (status == OPEVO_OK)
        status = opevo_i_store_take_details(store, run, row, 13, &trial, err);
    return status == OPEVO_OK ? visit(context, &trial, err) : status;
}

opevo_status opevo_i_store_read_early(opevo_store *store, int64_t run, uint64_t after,
                                      opevo_status (*visit)(void *context, const opevo_trial *trial,
                                                            opevo_error *err),
                                      void *context, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *rows = NULL;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "SELECT " OPEVO_I_TRIAL_COLUMNS ", " OPEVO_I_CRITERIA_COLUMNS
                                    ", samples_s, message FROM early"
                                    " WHERE run = ? AND number > ? ORDER BY number",
                                    &rows, err));
    sqlite3_bind_int64(rows, 1, run);
    sqlite3_bind_int64(rows, 2, (int64_t)after);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        store->has_early = true;
        OPEVO_TRY(visit_row(store, run, rows, visit, context, err));
    }
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(rows);
    return status;
}
