/* SPDX-License-Identifier: GPL-3.0-or-later */

/* SQLite as the store uses it: statements, write transactions, and failures as sentences. */

#include "store_internal.h"

#include <string.h>

static bool is_of_locks(int code)
{
    return code == SQLITE_IOERR_LOCK || code == SQLITE_IOERR_RDLOCK ||
           code == SQLITE_IOERR_UNLOCK || code == SQLITE_IOERR_CHECKRESERVEDLOCK ||
           code == SQLITE_IOERR_SHMLOCK;
}

opevo_status opevo_i_store_fail(opevo_store *store, opevo_error *err)
{
    const char *path = store->path;
    const char *text = sqlite3_errmsg(store->db);
    int cause = sqlite3_system_errno(store->db);

    store->failure = sqlite3_errcode(store->db) & 0xff;
    switch (store->failure) {
    case SQLITE_NOTADB:
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a run store: %s; name another file.", path,
                          text);
    case SQLITE_CORRUPT:
    case SQLITE_ERROR: /* a statement that does not fit the tables */
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s %s: %s; use another store.", path, store->state,
                          text);
    case SQLITE_NOMEM:
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to use %s.", path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: /* so SQLite also calls a system without locks */
        if (opevo_i_store_check_locks(store, err) != OPEVO_OK)
            return OPEVO_IO;
        return OPEVO_FAIL(err, OPEVO_IO, "%s is in use by another process: try again later.", path);
    case SQLITE_FULL:
    case SQLITE_IOERR:
        if (is_of_locks(sqlite3_extended_errcode(store->db)))
            return opevo_i_store_fail_locks(store, cause, err);
        return OPEVO_FAIL(
            err, OPEVO_IO,
            "%s: %s%s%s; make sure that the disk has room and try again; all stored data are kept.",
            path, text, cause ? ": " : "", cause ? strerror(cause) : "");
    case SQLITE_READONLY:
        if (sqlite3_extended_errcode(store->db) == SQLITE_READONLY_DBMOVED)
            return opevo_store_check_place(store, err);
        return OPEVO_FAIL(err, OPEVO_IO,
                          "%s may not be written: make the file and its folder writable, or name "
                          "another store.",
                          path);
    case SQLITE_CANTOPEN:
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s%s%s.", path, text, cause ? ": " : "",
                          cause ? strerror(cause) : "");
    default:
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, text);
    }
}

opevo_status opevo_i_store_fail_unknown(const opevo_store *store, int64_t run, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no run %lld; opevo runs lists its runs.",
                      store->path, (long long)run);
}

opevo_status opevo_i_store_fail_trial(const opevo_store *store, int64_t run,
                                      const opevo_trial *trial, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s %s: trial %llu of run %lld is malformed; use another store.", store->path,
                      store->state, (unsigned long long)trial->number, (long long)run);
}

opevo_status opevo_i_store_exec(opevo_store *store, const char *sql, opevo_error *err)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return opevo_i_store_fail(store, err);
    return OPEVO_OK;
}

opevo_status opevo_i_store_prepare(opevo_store *store, const char *sql, sqlite3_stmt **out,
                                   opevo_error *err)
{
    if (sqlite3_prepare_v2(store->db, sql, -1, out, NULL) != SQLITE_OK)
        return opevo_i_store_fail(store, err);
    return OPEVO_OK;
}

opevo_status opevo_i_store_join_rows(opevo_store *store, const char *sql, int64_t here,
                                     int64_t there, opevo_error *err)
{
    sqlite3_stmt *copy = NULL;
    opevo_status status = opevo_i_store_prepare(store, sql, &copy, err);

    if (status != OPEVO_OK)
        return status;
    sqlite3_bind_int64(copy, 1, here);
    sqlite3_bind_int64(copy, 2, there);
    if (sqlite3_step(copy) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    sqlite3_finalize(copy);
    return status;
}

const char *opevo_i_store_column_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text ? text : "";
}
