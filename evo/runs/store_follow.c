/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What changed in a store, without looking at trials that are known. */

#include "store_internal.h"

#include <opevo/store_follow.h>

#include <string.h>

opevo_status opevo_store_changes(opevo_store *store, int64_t *number, opevo_error *err)
{
    sqlite3_stmt *query = NULL;
    opevo_status status = opevo_i_store_prepare(store, "PRAGMA data_version", &query, err);

    if (status != OPEVO_OK)
        return status;
    if (sqlite3_step(query) == SQLITE_ROW)
        *number = sqlite3_column_int64(query, 0);
    else
        status = opevo_i_store_fail(store, err);
    sqlite3_finalize(query);
    return status;
}

opevo_status opevo_store_states(opevo_store *store,
                                void (*visit)(void *context, const opevo_run_state *state),
                                void *context, opevo_error *err)
{
    /* The key of trials is (run, number), so that the largest number is found, not searched for. */
    static const char query[] =
        "SELECT run, stop, coalesce((SELECT trial_count FROM packed WHERE packed.run = runs.run),"
        " (SELECT max(number) FROM trials WHERE trials.run = runs.run), 0) FROM runs ORDER BY run";
    sqlite3_stmt *rows = NULL;
    opevo_status status = opevo_i_store_prepare(store, query, &rows, err);
    int code = SQLITE_DONE;

    if (status != OPEVO_OK)
        return status;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *stop = opevo_i_store_column_text(rows, 1);
        bool planned = strcmp(stop, OPEVO_I_PLANNED) == 0;

        visit(context, &(opevo_run_state){.run = sqlite3_column_int64(rows, 0),
                                          .stop = planned ? "" : stop,
                                          .planned = planned,
                                          .trials = (uint64_t)sqlite3_column_int64(rows, 2)});
    }
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    sqlite3_finalize(rows);
    return status;
}
