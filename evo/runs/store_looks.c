/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether the number of a store's seeds was chosen by looking at its runs. */

#include "store_internal.h"

opevo_status opevo_store_mark_looked(opevo_store *store, opevo_error *err)
{
    return opevo_i_store_exec(
        store, "INSERT OR IGNORE INTO format VALUES ('looked', 'until resolved')", err);
}

opevo_status opevo_store_is_looked(opevo_store *store, bool *looked, opevo_error *err)
{
    sqlite3_stmt *query = NULL;
    opevo_status status = OPEVO_OK;
    int code = SQLITE_OK;

    OPEVO_TRY(
        opevo_i_store_prepare(store, "SELECT 1 FROM format WHERE key = 'looked'", &query, err));
    code = sqlite3_step(query);
    *looked = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(query);
    return status;
}
