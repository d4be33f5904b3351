/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The runs of a run store: finding, making and ending one. */

#include "store_internal.h"

#include <opevo/memory.h>
#include <opevo/struct_size.h>
#include <opevo/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_COLUMNS                                                                                \
    "objective, tuner, settings, seed, budget, signature, unit, version, opened_on, opened_what,"  \
    " opened_space, optimum"

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* Run a statement that gives no rows. */
static opevo_status step(opevo_store *store, sqlite3_stmt *statement, opevo_error *err)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        return opevo_i_store_fail(store, err);
    return OPEVO_OK;
}

/* ---- Programs and calls --------------------------------------------------------------------- */

/* Add a text of the run, if it has it. */
static opevo_status add_note(opevo_store *store, const char *sql, int64_t run, opevo_text *out,
                             opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(store, sql, &query, err));
    sqlite3_bind_int64(query, 1, run);
    code = sqlite3_step(query);
    if (code == SQLITE_ROW)
        opevo_text_add(out, opevo_i_store_column_text(query, 0));
    status = code == SQLITE_ROW || code == SQLITE_DONE ? opevo_text_check(out, err)
                                                       : opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(query);
    return status;
}

opevo_status opevo_store_program(opevo_store *store, int64_t run, uint64_t *hash, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status =
        add_note(store, "SELECT program FROM runs WHERE run = ?", run, &text, err);

    *hash = status == OPEVO_OK ? strtoull(opevo_text_string(&text), NULL, 16) : 0;
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_store_call(opevo_store *store, int64_t run, opevo_text *out, opevo_error *err)
{
    return add_note(store, "SELECT call FROM runs WHERE run = ?", run, out, err);
}

/* What the run executes and how it was asked for, where the key says so. */
static opevo_status put_notes(opevo_store *store, const opevo_run_key *key, int64_t run,
                              opevo_error *err)
{
    char hash[OPEVO_I_HEX_SIZE];
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *update = NULL;

    if (!key->program && !key->call)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "UPDATE runs SET program = coalesce(?1, program),"
                                    " call = coalesce(?2, call) WHERE run = ?3",
                                    &update, err));
    bind_text(update, 1, key->program ? opevo_i_store_signature_text(key->program, hash) : NULL);
    bind_text(update, 2, key->call);
    sqlite3_bind_int64(update, 3, run);
    OPEVO_TRY(step(store, update, err));
cleanup:
    sqlite3_finalize(update);
    return status;
}

/* Whether the program is that of the run; also where either is not known. */
static opevo_status check_program(opevo_store *store, const opevo_run_key *key, int64_t run,
                                  opevo_error *err)
{
    uint64_t stored = 0;
    opevo_status status = opevo_store_program(store, run, &stored, err);

    if (status != OPEVO_OK || !key->program || !stored || stored == key->program)
        return status;
    return OPEVO_FAIL(err, OPEVO_MISMATCH,
                      "%s: the program of %s has changed since run %lld was made: restore it, "
                      "or use another store.",
                      store->path, key->objective, (long long)run);
}

static opevo_status fail_signature(opevo_store *store, const opevo_run_key *key, int64_t run,
                                   opevo_error *err)
{
    opevo_text devices = {0};

    if (!strncmp(key->objective, "cmd:", 4))
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s: run %lld was made on %s with another --result, --criterion, --flop, "
                          "--exit, --repeats, --threads or --timeout: give the same, another "
                          "--name, or use another "
                          "store.",
                          store->path, (long long)run, key->objective);
    opevo_i_store_print_devices(store, run, &devices);
    OPEVO_FAIL(err, OPEVO_MISMATCH,
               "%s: run %lld was made on another version of %s%s: use another store.", store->path,
               (long long)run, key->objective, opevo_text_string(&devices));
    opevo_text_free(&devices);
    return OPEVO_MISMATCH;
}

/* ---- Runs ----------------------------------------------------------------------------------- */

/* Of the space, or of the domain that stands in its place. */
static uint64_t signature_of(const opevo_run_key *key)
{
    return key->space ? opevo_space_signature(key->space) : key->domain->signature;
}

opevo_status opevo_i_store_check_found(opevo_store *store, const opevo_run_key *key,
                                       sqlite3_stmt *row, opevo_error *err)
{
    long long run = sqlite3_column_int64(row, 0);
    char objective[OPEVO_I_HEX_SIZE];
    char space[OPEVO_I_HEX_SIZE];

    if (strcmp(opevo_i_store_column_text(row, 2), OPEVO_VERSION) != 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s: run %lld was made by opevo %s, and this is opevo " OPEVO_VERSION
                          ", which may propose other points: use another store.",
                          store->path, run, opevo_i_store_column_text(row, 2));
    opevo_i_store_signature_text(key->objective_signature, objective);
    opevo_i_store_signature_text(signature_of(key), space);
    if (strcmp(opevo_i_store_column_text(row, 3), space) != 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s: run %lld was made on %s with another search space: use another "
                          "store.",
                          store->path, run, key->objective);
    if (strcmp(opevo_i_store_column_text(row, 5), key->unit) != 0)
        return OPEVO_FAIL(
            err, OPEVO_MISMATCH,
            "%s: run %lld was made on %s with fitness in %s, and this is %s: give the "
            "same options (--result, --flop), another --name, or use another store.",
            store->path, run, key->objective, opevo_i_store_column_text(row, 5), key->unit);
    if (strcmp(opevo_i_store_column_text(row, 1), objective) != 0)
        return fail_signature(store, key, run, err);
    return check_program(store, key, run, err);
}

/* *run = 0 when the store has no such run. */
static opevo_status find_run(opevo_store *store, const opevo_run_key *key, const char *seed,
                             int64_t *run, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;
    int code = SQLITE_OK;

    OPEVO_TRY(opevo_i_store_prepare(store, OPEVO_I_FIND_RUN, &query, err));
    opevo_i_store_bind_identity(query, key, seed);
    code = sqlite3_step(query);
    *run = 0;
    if (code == SQLITE_ROW) {
        OPEVO_TRY(opevo_i_store_check_found(store, key, query, err));
        *run = sqlite3_column_int64(query, 0);
    } else if (code != SQLITE_DONE) {
        status = opevo_i_store_fail(store, err);
    }
cleanup:
    sqlite3_finalize(query);
    return status;
}

opevo_status opevo_i_store_make_space(opevo_store *store, const opevo_run_key *key,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;
    opevo_text json = {0};
    char signature[OPEVO_I_HEX_SIZE];

    opevo_i_store_signature_text(signature_of(key), signature);
    if (key->space)
        opevo_space_write_json(key->space, &json);
    else
        opevo_text_add_json(&json, key->domain->name);
    OPEVO_TRY(opevo_text_check(&json, err));
    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "INSERT INTO spaces (signature, json) VALUES (?, ?) ON CONFLICT (signature) DO NOTHING",
        &insert, err));
    bind_text(insert, 1, signature);
    bind_text(insert, 2, opevo_text_string(&json));
    OPEVO_TRY(step(store, insert, err));
cleanup:
    sqlite3_finalize(insert);
    opevo_text_free(&json);
    return status;
}

void opevo_i_store_bind_identity(sqlite3_stmt *statement, const opevo_run_key *key,
                                 const char *seed)
{
    bind_text(statement, 1, key->objective);
    bind_text(statement, 2, key->tuner);
    bind_text(statement, 3, key->settings);
    bind_text(statement, 4, seed);
    bind_text(statement, 5, key->budget ? key->budget : "");
}

/* What makes a row, in the order of the statements that insert one. */
static void bind_key(sqlite3_stmt *insert, const opevo_run_key *key, const char *seed,
                     const char *signature)
{
    const opevo_objective_note *note = &key->note;

    opevo_i_store_bind_identity(insert, key, seed);
    bind_text(insert, 6, signature);
    bind_text(insert, 7, key->unit);
    bind_text(insert, 8, OPEVO_VERSION);
    bind_text(insert, 9, note->on);
    bind_text(insert, 10, note->what);
    bind_text(insert, 11, note->space);
    if (note->optimum > 0)
        sqlite3_bind_double(insert, 12, note->optimum);
}

static opevo_status make_run(opevo_store *store, const opevo_run_key *key, const char *seed,
                             int64_t *run, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;
    char objective[OPEVO_I_HEX_SIZE];
    char space[OPEVO_I_HEX_SIZE];

    opevo_i_store_signature_text(key->objective_signature, objective);
    opevo_i_store_signature_text(signature_of(key), space);
    OPEVO_TRY(opevo_i_store_make_space(store, key, err));
    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "INSERT INTO runs (" KEY_COLUMNS ", stop, started, space)"
        " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'),"
        " space FROM spaces WHERE signature = ?",
        &insert, err));
    bind_key(insert, key, seed, objective);
    bind_text(insert, 13, space);
    OPEVO_TRY(step(store, insert, err));
    *run = sqlite3_last_insert_rowid(store->db);
    OPEVO_TRY(opevo_i_store_put_criteria(store, key, *run, err));
cleanup:
    sqlite3_finalize(insert);
    return status;
}

opevo_status opevo_i_store_prepare_plan(opevo_store *store, sqlite3_stmt **out, opevo_error *err)
{
    return opevo_i_store_prepare(store,
                                 "INSERT INTO runs (" KEY_COLUMNS ", stop, started, space)"
                                 " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '" OPEVO_I_PLANNED
                                 "', '', space"
                                 " FROM spaces WHERE signature = ?",
                                 out, err);
}

opevo_status opevo_i_store_plan(opevo_store *store, sqlite3_stmt *insert, const opevo_run_key *key,
                                int64_t *run, opevo_error *err)
{
    char seed[OPEVO_INDEX_TEXT_SIZE];
    char objective[OPEVO_I_HEX_SIZE];
    char space[OPEVO_I_HEX_SIZE];
    opevo_status status = OPEVO_OK;

    opevo_i_store_signature_text(key->objective_signature, objective);
    opevo_i_store_signature_text(signature_of(key), space);
    bind_key(insert, key, opevo_index_format(key->seed, seed), objective);
    bind_text(insert, 13, space);
    status = step(store, insert, err);
    *run = sqlite3_last_insert_rowid(store->db);
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    if (status == OPEVO_OK)
        status = put_notes(store, key, *run, err);
    return status == OPEVO_OK ? opevo_i_store_put_criteria(store, key, *run, err) : status;
}

/* A run that was only planned begins. */
static opevo_status wake(opevo_store *store, int64_t run, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *update = NULL;

    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "UPDATE runs SET stop = '', started = strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
        " WHERE run = ? AND stop = '" OPEVO_I_PLANNED "'",
        &update, err));
    sqlite3_bind_int64(update, 1, run);
    OPEVO_TRY(step(store, update, err));
cleanup:
    sqlite3_finalize(update);
    return status;
}

/* A run that was begun without criteria has them from here on. */
static opevo_status resume(opevo_store *store, const opevo_run_key *key, int64_t run,
                           opevo_error *err)
{
    opevo_status status = opevo_i_store_put_criteria(store, key, run, err);

    return status == OPEVO_OK ? wake(store, run, err) : status;
}

static opevo_status begin_run(opevo_store *store, const opevo_run_key *key, int64_t *run,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int64_t found = 0;
    char seed[OPEVO_INDEX_TEXT_SIZE];

    if (!store->insert)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is open read-only.", store->path);
    opevo_index_format(key->seed, seed);
    status = opevo_i_store_begin_write(store, err);
    if (status != OPEVO_OK)
        return status;
    status = find_run(store, key, seed, &found, err);
    if (status == OPEVO_OK && found == 0)
        status = make_run(store, key, seed, &found, err);
    else if (status == OPEVO_OK)
        status = resume(store, key, found, err);
    if (status == OPEVO_OK)
        status = put_notes(store, key, found, err);
    if (status == OPEVO_OK)
        status = opevo_i_store_note_domain(store, found, key->space, key->domain, err);
    status = opevo_i_store_commit(store, status, err);
    if (status == OPEVO_OK)
        *run = found;
    return status;
}

opevo_status opevo_store_begin_sized(opevo_store *store, const opevo_run_key *key, size_t size,
                                     int64_t *run, opevo_error *err)
{
    opevo_run_key known;
    opevo_status status = opevo_struct_read(key, size, "opevo_run_key", &known, sizeof known, err);

    return status == OPEVO_OK ? begin_run(store, &known, run, err) : status;
}

/* What a row of opevo_store_find's query says. */
static opevo_status check_space(opevo_store *store, int64_t run, const opevo_space *space,
                                sqlite3_stmt *row, opevo_error *err)
{
    char signature[OPEVO_I_HEX_SIZE];

    opevo_i_store_signature_text(opevo_space_signature(space), signature);
    if (strcmp(opevo_i_store_column_text(row, 0), signature) != 0)
        return OPEVO_FAIL(
            err, OPEVO_MISMATCH,
            "%s: run %lld was made on another search space: its points are not valid here.",
            store->path, (long long)run);
    return OPEVO_OK;
}

opevo_status opevo_store_find(opevo_store *store, int64_t run, const opevo_space *space,
                              uint64_t *trials, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;
    int code = SQLITE_OK;

    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "SELECT signature, coalesce((SELECT trial_count FROM packed WHERE packed.run = found.run),"
        " (SELECT count(*) FROM trials WHERE trials.run = found.run))"
        " FROM (SELECT run, space FROM runs WHERE run = ?) AS found JOIN spaces USING (space)",
        &query, err));
    sqlite3_bind_int64(query, 1, run);
    code = sqlite3_step(query);
    if (code == SQLITE_ROW) {
        OPEVO_TRY(check_space(store, run, space, query, err));
        OPEVO_TRY(opevo_i_store_read_points(store, run, space, err));
        *trials = (uint64_t)sqlite3_column_int64(query, 1);
    } else if (code == SQLITE_DONE) {
        status = opevo_i_store_fail_unknown(store, run, err);
    } else {
        status = opevo_i_store_fail(store, err);
    }
cleanup:
    sqlite3_finalize(query);
    return status;
}

opevo_status opevo_store_end(opevo_store *store, int64_t run, const char *stop, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *update = NULL;

    if (!store->insert)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is open read-only.", store->path);
    OPEVO_TRY(opevo_i_store_prepare(
        store, "UPDATE runs SET stop = ?1 WHERE run = ?2 AND stop <> ?1", &update, err));
    bind_text(update, 1, stop);
    sqlite3_bind_int64(update, 2, run);
    OPEVO_TRY(step(store, update, err));
cleanup:
    sqlite3_finalize(update);
    return status;
}
