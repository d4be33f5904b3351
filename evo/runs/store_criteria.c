/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The criteria of a run store: which a run has, and the columns that hold them. */

#include <opevo/memory.h>

#include "store_internal.h"

#include <string.h>

opevo_status opevo_i_store_prepare_trials(opevo_store *store, bool write, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "SELECT " OPEVO_I_TRIAL_COLUMNS ", " OPEVO_I_CRITERIA_COLUMNS
                                    " FROM trials WHERE run = ? AND number > ? ORDER BY number"
                                    " LIMIT ?",
                                    &store->read, err));
    if (write)
        OPEVO_TRY(opevo_i_store_prepare(store,
                                        "INSERT INTO trials (run, " OPEVO_I_TRIAL_COLUMNS
                                        ", samples_s, message, " OPEVO_I_CRITERIA_COLUMNS
                                        ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                        &store->insert, err));
cleanup:
    return status;
}

static const char *better(const opevo_criterion *criterion)
{
    return criterion->larger_is_better ? "larger" : "smaller";
}

static opevo_status fail_damaged(const opevo_store *store, int64_t run, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s %s: the criteria of run %lld are malformed; use another store.",
                      store->path, store->state, (long long)run);
}

/* A text of a row as the store's own copy; NULL without memory. */
static const char *keep_text(opevo_store *store, sqlite3_stmt *row, int column)
{
    const char *text = opevo_i_store_column_text(row, column);

    return opevo_i_store_keep_origin(store, text, strlen(text));
}

static opevo_status read_criterion(opevo_store *store, int64_t run, sqlite3_stmt *row, size_t at,
                                   opevo_criterion *out, opevo_error *err)
{
    const char *direction = opevo_i_store_column_text(row, 3);

    out->larger_is_better = strcmp(direction, "larger") == 0;
    if (at >= OPEVO_CRITERIA_MOST - 1 || sqlite3_column_int64(row, 0) != (int64_t)at + 1 ||
        !opevo_criterion_name_is_valid(opevo_i_store_column_text(row, 1)) ||
        (!out->larger_is_better && strcmp(direction, "smaller") != 0))
        return fail_damaged(store, run, err);
    out->name = keep_text(store, row, 1);
    out->unit = keep_text(store, row, 2);
    OPEVO_NEED_OR_RETURN(out->name && out->unit, "reading %s", store->path);
    return OPEVO_OK;
}

opevo_status opevo_store_criteria(opevo_store *store, int64_t run, opevo_criterion *criteria,
                                  size_t *count, opevo_error *err)
{
    opevo_criterion read[OPEVO_CRITERIA_MOST];
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *rows = NULL;
    size_t got = 0;
    int code = SQLITE_OK;

    *count = 0;
    OPEVO_TRY(opevo_i_store_prepare(
        store, "SELECT place, name, unit, better FROM criteria WHERE run = ? ORDER BY place", &rows,
        err));
    sqlite3_bind_int64(rows, 1, run);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        OPEVO_TRY(read_criterion(store, run, rows, got, &read[got], err));
        got++;
    }
    if (code != SQLITE_DONE) {
        status = opevo_i_store_fail(store, err);
        goto cleanup;
    }
    memcpy(criteria, read, got * sizeof *read);
    *count = got;
cleanup:
    sqlite3_finalize(rows);
    return status;
}

/* Whether the run has these criteria, none or others. */
static opevo_status compare(opevo_store *store, const opevo_run_key *key, int64_t run, bool *none,
                            opevo_error *err)
{
    opevo_criterion stored[OPEVO_CRITERIA_MOST];
    size_t count = 0;
    opevo_status status = opevo_store_criteria(store, run, stored, &count, err);
    bool same = count == key->more_count;

    if (status != OPEVO_OK)
        return status;
    *none = count == 0;
    for (size_t i = 0; same && i < count; i++)
        same = !strcmp(stored[i].name, key->criteria[i].name) &&
               !strcmp(stored[i].unit, key->criteria[i].unit) &&
               stored[i].larger_is_better == key->criteria[i].larger_is_better;
    if (!same && count > 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s: run %lld was made on %s with other criteria: use another store.",
                          store->path, (long long)run, key->objective);
    return OPEVO_OK;
}

opevo_status opevo_i_store_put_criteria(opevo_store *store, const opevo_run_key *key, int64_t run,
                                        opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;
    bool none = false;

    OPEVO_TRY(compare(store, key, run, &none, err));
    if (!none || key->more_count == 0)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(
        store, "INSERT INTO criteria (run, place, name, unit, better) VALUES (?, ?, ?, ?, ?)",
        &insert, err));
    for (size_t i = 0; i < key->more_count; i++) {
        sqlite3_bind_int64(insert, 1, run);
        sqlite3_bind_int64(insert, 2, (int64_t)i + 1);
        sqlite3_bind_text(insert, 3, key->criteria[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, key->criteria[i].unit, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 5, better(&key->criteria[i]), -1, SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE) {
            status = opevo_i_store_fail(store, err);
            goto cleanup;
        }
        sqlite3_reset(insert);
    }
cleanup:
    sqlite3_finalize(insert);
    return status;
}
