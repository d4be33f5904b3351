/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A trial as a row of the store: bound and inserted, and taken out again. */

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
        OPEVO_NEED_OR_RETURN(samples, "storing samples in %s", store->path);
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
        return opevo_i_store_fail_trial(store, run, trial, err);
    trial->proposal.point = opevo_i_store_point_from_bytes(sqlite3_column_blob(row, 1));
    origin = (const char *)sqlite3_column_text(row, 2);
    trial->proposal.origin =
        origin ? opevo_i_store_keep_origin(store, origin, strlen(origin)) : NULL;
    OPEVO_NEED_OR_RETURN(trial->proposal.origin, "reading %s", store->path);
    return OPEVO_OK;
}
