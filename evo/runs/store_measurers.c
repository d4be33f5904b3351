/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which workers measured each trial. That is noted when the outcome of the trial arrives, and
 * written in the transaction that stores the next trials, so that no trial is stored without it. */

#include <opevo/store_workers.h>

#include "store_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* One that is not written yet. */
typedef struct noted {
    int64_t run;
    uint64_t number;
    bool mixed;
    char *text; /* command, host and device, each with its NUL */
} noted;

opevo_status opevo_store_note_measurer(opevo_store *store, int64_t run, uint64_t number,
                                       const opevo_measurer *by, opevo_error *err)
{
    size_t sizes[3] = {strlen(by->command) + 1, strlen(by->host) + 1, strlen(by->device) + 1};
    noted one = {.run = run, .number = number, .mixed = by->mixed};

    one.text = opevo_malloc(sizes[0] + sizes[1] + sizes[2], 1);
    if (!one.text ||
        !opevo_reserve(&store->noted, &store->noted_capacity, store->noted_count + 1, sizeof one)) {
        opevo_free(one.text);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to note who measured a trial.");
    }
    memcpy(one.text, by->command, sizes[0]);
    memcpy(one.text + sizes[0], by->host, sizes[1]);
    memcpy(one.text + sizes[0] + sizes[1], by->device, sizes[2]);
    ((noted *)store->noted)[store->noted_count++] = one;
    return OPEVO_OK;
}

void opevo_i_store_forget_measurers(opevo_store *store)
{
    for (size_t i = 0; i < store->noted_count; i++)
        opevo_free(((noted *)store->noted)[i].text);
    store->noted_count = 0;
}

static opevo_measurer measurer_of(const noted *one)
{
    const char *host = one->text + strlen(one->text) + 1;

    return (opevo_measurer){
        .command = one->text, .host = host, .device = host + strlen(host) + 1, .mixed = one->mixed};
}

/* Run a statement of (run, command, host, device); *found is its first column, 0 without a row. */
static opevo_status step(opevo_store *store, const char *sql, int64_t run, const opevo_measurer *by,
                         int64_t *found, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(store, sql, &statement, err));
    sqlite3_bind_int64(statement, 1, run);
    sqlite3_bind_text(statement, 2, by->command, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, by->host, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, by->device, -1, SQLITE_STATIC);
    code = sqlite3_step(statement);
    *found = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(statement);
    return status;
}

/* The trials of a run are of one device, unless more are permitted. */
static opevo_status check_device(opevo_store *store, int64_t run, const opevo_measurer *by,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *other = NULL;
    int code = SQLITE_DONE;

    if (by->mixed)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "SELECT device, host FROM workers WHERE run = ?1 AND device <> ?2 AND EXISTS (SELECT 1"
        " FROM measured WHERE measured.run = ?1 AND measured.worker = workers.worker) LIMIT 1",
        &other, err));
    sqlite3_bind_int64(other, 1, run);
    sqlite3_bind_text(other, 2, by->device, -1, SQLITE_STATIC);
    code = sqlite3_step(other);
    if (code == SQLITE_ROW)
        status = OPEVO_FAIL(err, OPEVO_MISMATCH,
                            "%s: trials of run %lld were measured on %.200s (%.100s), and now on "
                            "%.200s (%.100s); --mixed-devices permits both in one run.",
                            store->path, (long long)run, opevo_i_store_column_text(other, 0),
                            opevo_i_store_column_text(other, 1), by->device, by->host);
    else if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(other);
    return status;
}

opevo_status opevo_i_store_find_worker(opevo_store *store, int64_t run, const opevo_measurer *by,
                                       int64_t *out, opevo_error *err)
{
    static const char find[] = "SELECT worker FROM workers WHERE run = ?1 AND command = ?2 AND"
                               " host = ?3 AND device = ?4";
    static const char insert[] =
        "INSERT INTO workers (run, worker, command, host, device) SELECT ?1,"
        " coalesce(max(worker), 0) + 1, ?2, ?3, ?4 FROM workers WHERE run = ?1";
    opevo_status status = OPEVO_OK;
    int64_t none = 0;

    OPEVO_TRY(step(store, find, run, by, out, err));
    if (*out)
        return OPEVO_OK;
    OPEVO_TRY(step(store, insert, run, by, &none, err));
    OPEVO_TRY(step(store, find, run, by, out, err));
cleanup:
    return status;
}

static opevo_status put_one(opevo_store *store, const noted *one, opevo_error *err)
{
    opevo_measurer by = measurer_of(one);
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;
    int64_t worker = 0;

    OPEVO_TRY(check_device(store, one->run, &by, err));
    OPEVO_TRY(opevo_i_store_find_worker(store, one->run, &by, &worker, err));
    OPEVO_TRY(opevo_i_store_prepare(
        store, "INSERT OR REPLACE INTO measured (run, number, worker) VALUES (?, ?, ?)", &insert,
        err));
    sqlite3_bind_int64(insert, 1, one->run);
    sqlite3_bind_int64(insert, 2, (int64_t)one->number);
    sqlite3_bind_int64(insert, 3, worker);
    if (sqlite3_step(insert) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(insert);
    return status;
}

opevo_status opevo_i_store_put_measurers(opevo_store *store, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < store->noted_count && status == OPEVO_OK; i++)
        status = put_one(store, &((noted *)store->noted)[i], err);
    return status;
}
