/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The trials of a run store: appending them in one transaction, and reading them back. Every value
 * read is checked before it is believed, for a file can be damaged without SQLite seeing it. */

#include "store_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

/* NAN is bound as NULL by SQLite itself; a missing text or blob likewise. */
static void bind_trial(sqlite3_stmt *insert, int64_t run, const opevo_trial *trial,
                       const unsigned char *point, const unsigned char *samples)
{
    const opevo_outcome *outcome = &trial->outcome;
    int at = 1;

    sqlite3_bind_int64(insert, at++, run);
    sqlite3_bind_int64(insert, at++, (int64_t)trial->number);
    sqlite3_bind_blob(insert, at++, point, OPEVO_I_POINT_BYTES, SQLITE_STATIC);
    sqlite3_bind_text(insert, at++, trial->proposal.origin, -1, SQLITE_STATIC);
    sqlite3_bind_int(insert, at++, (int)outcome->kind);
    sqlite3_bind_double(insert, at++, outcome->fitness);
    sqlite3_bind_double(insert, at++, outcome->time_s);
    sqlite3_bind_double(insert, at++, outcome->build_s);
    sqlite3_bind_double(insert, at++, outcome->run_s);
    sqlite3_bind_double(insert, at++, outcome->check_s);
    sqlite3_bind_double(insert, at++, outcome->other_s);
    sqlite3_bind_blob64(insert, at++, samples, 8 * outcome->sample_count, SQLITE_STATIC);
    sqlite3_bind_text(insert, at++, outcome->message, -1, SQLITE_STATIC);
    for (size_t i = 0; i < OPEVO_CRITERIA_MOST - 1 && at <= sqlite3_bind_parameter_count(insert);
         i++)
        sqlite3_bind_double(insert, at++, outcome->more[i]);
}

opevo_status opevo_i_store_insert_trial(opevo_store *store, sqlite3_stmt *insert, int64_t run,
                                        const opevo_trial *trial, opevo_error *err)
{
    const opevo_outcome *outcome = &trial->outcome;
    opevo_status status = OPEVO_OK;
    unsigned char point[OPEVO_I_POINT_BYTES];
    unsigned char *samples = NULL;
    int code = SQLITE_OK;

    opevo_i_store_point_to_bytes(trial->proposal.point, point);
    if (outcome->samples_s && outcome->sample_count) {
        samples = opevo_i_store_reals_to_bytes(outcome->samples_s, outcome->sample_count);
        if (!samples)
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to store samples in %s.", store->path);
    }
    bind_trial(insert, run, trial, point, samples);
    code = sqlite3_step(insert);
    if (code == SQLITE_CONSTRAINT_PRIMARYKEY)
        status = OPEVO_FAIL(err, OPEVO_IO,
                            "%s: another process has stored trial %llu of run %lld meanwhile: use "
                            "only one process for a run.",
                            store->path, (unsigned long long)trial->number, (long long)run);
    else if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    opevo_free(samples);
    return status;
}

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

/* The column as a number that is finite and not negative; false otherwise. */
static bool read_amount(sqlite3_stmt *row, int column, double *out)
{
    int type = sqlite3_column_type(row, column);

    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER)
        return false;
    *out = sqlite3_column_double(row, column);
    return *out >= 0 && isfinite(*out);
}

/* The criteria from columns 10 on; NULL where one is not known. */
static bool read_criteria(sqlite3_stmt *row, opevo_outcome *outcome)
{
    for (int i = 0; i < OPEVO_CRITERIA_MOST - 1; i++) {
        int type = sqlite3_column_type(row, 10 + i);

        outcome->more[i] = type == SQLITE_NULL ? NAN : sqlite3_column_double(row, 10 + i);
        if (type != SQLITE_NULL && (type != SQLITE_FLOAT || !isfinite(outcome->more[i])))
            return false;
    }
    return true;
}

/* False when the row cannot have been written by opevo_store_append. */
static bool read_outcome(sqlite3_stmt *row, opevo_outcome *outcome)
{
    int64_t kind = sqlite3_column_int64(row, 3);

    *outcome = (opevo_outcome){.time_s = NAN};
    if (sqlite3_column_type(row, 3) != SQLITE_INTEGER || kind < 0 ||
        kind >= OPEVO_OUTCOME_CLASS_COUNT)
        return false;
    outcome->kind = (opevo_outcome_class)kind;
    if (sqlite3_column_type(row, 5) == SQLITE_FLOAT)
        outcome->time_s = sqlite3_column_double(row, 5);
    else if (sqlite3_column_type(row, 5) != SQLITE_NULL)
        return false;
    return read_amount(row, 4, &outcome->fitness) && read_amount(row, 6, &outcome->build_s) &&
           read_amount(row, 7, &outcome->run_s) && read_amount(row, 8, &outcome->check_s) &&
           read_amount(row, 9, &outcome->other_s) && read_criteria(row, outcome);
}

opevo_status opevo_i_store_take_trial(opevo_store *store, int64_t run, sqlite3_stmt *row,
                                      opevo_trial *trial, opevo_error *err)
{
    const char *origin = NULL;

    trial->number = (uint64_t)sqlite3_column_int64(row, 0);
    if (sqlite3_column_type(row, 0) != SQLITE_INTEGER || /* a text follows every number */
        sqlite3_column_type(row, 1) != SQLITE_BLOB ||
        sqlite3_column_bytes(row, 1) != OPEVO_I_POINT_BYTES ||
        sqlite3_column_type(row, 2) != SQLITE_TEXT || !read_outcome(row, &trial->outcome))
        return OPEVO_FAIL(
            err, OPEVO_INVALID, "%s %s: trial %llu of run %lld is malformed; use another store.",
            store->path, store->state, (unsigned long long)trial->number, (long long)run);
    trial->proposal.point = opevo_i_store_point_from_bytes(sqlite3_column_blob(row, 1));
    origin = (const char *)sqlite3_column_text(row, 2);
    trial->proposal.origin =
        origin ? opevo_i_store_keep_origin(store, origin, strlen(origin)) : NULL;
    if (!trial->proposal.origin)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", store->path);
    return OPEVO_OK;
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
