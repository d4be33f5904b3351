/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Write transactions. */

#include "store_internal.h"

opevo_status opevo_i_store_begin_write(opevo_store *store, opevo_error *err)
{
    return opevo_i_store_exec(store, "BEGIN IMMEDIATE", err);
}

opevo_status opevo_i_store_commit(opevo_store *store, opevo_status status, opevo_error *err)
{
    if (status == OPEVO_OK)
        status = opevo_i_store_put_measurers(store, err);
    if (status == OPEVO_OK)
        status = opevo_i_store_exec(store, "COMMIT", err);
    opevo_i_store_forget_measurers(store);
    if (status != OPEVO_OK)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
