/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The runs of a run store: finding or making one, and listing them. */

#include "store_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

char *opevo_i_signature_text(uint64_t signature, char *text)
{
    snprintf(text, OPEVO_I_HEX_SIZE, "%016llx", (unsigned long long)signature);
    return text;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* A text column, "" where there is none. */
static const char *column_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text ? text : "";
}

/* Run a statement that gives no rows. */
static opevo_status step(opevo_store *store, sqlite3_stmt *statement, opevo_error *err)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        return opevo_i_store_fail(store, err);
    return OPEVO_OK;
}

/* Check what was found under the key's identity against the rest of the key. */
static opevo_status check_found(opevo_store *store, const opevo_run_key *key, sqlite3_stmt *row,
                                opevo_error *err)
{
    long long run = sqlite3_column_int64(row, 0);
    char objective[OPEVO_I_HEX_SIZE];
    char space[OPEVO_I_HEX_SIZE];

    if (strcmp(column_text(row, 2), OPEVO_VERSION) != 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s: run %lld was made by opevo %s, and this is opevo " OPEVO_VERSION
                          ", which may propose other points: use another store.",
                          store->path, run, column_text(row, 2));
    opevo_i_signature_text(key->objective_signature, objective);
    opevo_i_signature_text(opevo_space_signature(key->space), space);
    if (strcmp(column_text(row, 3), space) != 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s: run %lld was made on %s with another search space: use another "
                          "store.",
                          store->path, run, key->objective);
    if (strcmp(column_text(row, 1), objective) != 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s: run %lld was made on %s when it held something else: use another "
                          "store.",
                          store->path, run, key->objective);
    return OPEVO_OK;
}

/* *run = 0 when the store has no such run. */
static opevo_status find_run(opevo_store *store, const opevo_run_key *key, const char *seed,
                             int64_t *run, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;
    int code = SQLITE_OK;

    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "SELECT run, runs.signature, version, spaces.signature FROM runs JOIN spaces USING (space)"
        " WHERE objective = ? AND tuner = ? AND settings = ? AND seed = ?",
        &query, err));
    bind_text(query, 1, key->objective);
    bind_text(query, 2, key->tuner);
    bind_text(query, 3, key->settings);
    bind_text(query, 4, seed);
    code = sqlite3_step(query);
    *run = 0;
    if (code == SQLITE_ROW) {
        OPEVO_TRY(check_found(store, key, query, err));
        *run = sqlite3_column_int64(query, 0);
    } else if (code != SQLITE_DONE) {
        status = opevo_i_store_fail(store, err);
    }
cleanup:
    sqlite3_finalize(query);
    return status;
}

/* The space of the key is in the table after this. */
static opevo_status make_space(opevo_store *store, const opevo_run_key *key, const char *signature,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;
    opevo_text json = {0};

    opevo_space_write_json(key->space, &json);
    OPEVO_TRY(opevo_text_check(&json, err));
    OPEVO_TRY(opevo_i_store_prepare(
        store, "INSERT OR IGNORE INTO spaces (signature, json) VALUES (?, ?)", &insert, err));
    bind_text(insert, 1, signature);
    bind_text(insert, 2, opevo_text_string(&json));
    OPEVO_TRY(step(store, insert, err));
cleanup:
    sqlite3_finalize(insert);
    opevo_text_free(&json);
    return status;
}

static opevo_status make_run(opevo_store *store, const opevo_run_key *key, const char *seed,
                             int64_t *run, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *insert = NULL;
    char objective[OPEVO_I_HEX_SIZE];
    char space[OPEVO_I_HEX_SIZE];

    opevo_i_signature_text(key->objective_signature, objective);
    opevo_i_signature_text(opevo_space_signature(key->space), space);
    OPEVO_TRY(make_space(store, key, space, err));
    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "INSERT INTO runs (objective, tuner, settings, seed, signature, unit, version, started,"
        " space) SELECT ?, ?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), space"
        " FROM spaces WHERE signature = ?",
        &insert, err));
    bind_text(insert, 1, key->objective);
    bind_text(insert, 2, key->tuner);
    bind_text(insert, 3, key->settings);
    bind_text(insert, 4, seed);
    bind_text(insert, 5, objective);
    bind_text(insert, 6, key->unit);
    bind_text(insert, 7, OPEVO_VERSION);
    bind_text(insert, 8, space);
    OPEVO_TRY(step(store, insert, err));
    *run = sqlite3_last_insert_rowid(store->db);
cleanup:
    sqlite3_finalize(insert);
    return status;
}

opevo_status opevo_store_begin(opevo_store *store, const opevo_run_key *key, int64_t *run,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int64_t found = 0;
    char seed[OPEVO_INDEX_TEXT_SIZE];

    if (!store->insert)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is open to be read only.", store->path);
    opevo_index_format(key->seed, seed);
    status = opevo_i_store_begin_write(store, err);
    if (status != OPEVO_OK)
        return status;
    status = find_run(store, key, seed, &found, err);
    if (status == OPEVO_OK && found == 0)
        status = make_run(store, key, seed, &found, err);
    status = opevo_i_store_commit(store, status, err);
    if (status == OPEVO_OK)
        *run = found;
    return status;
}

/* What a row of opevo_store_find's query says. */
static opevo_status check_space(opevo_store *store, int64_t run, const opevo_space *space,
                                sqlite3_stmt *row, opevo_error *err)
{
    char signature[OPEVO_I_HEX_SIZE];

    opevo_i_signature_text(opevo_space_signature(space), signature);
    if (strcmp(column_text(row, 0), signature) != 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s: run %lld was made on another search space: its points mean nothing "
                          "here.",
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
        "SELECT signature, (SELECT count(*) FROM trials WHERE trials.run = found.run)"
        " FROM (SELECT run, space FROM runs WHERE run = ?) AS found JOIN spaces USING (space)",
        &query, err));
    sqlite3_bind_int64(query, 1, run);
    code = sqlite3_step(query);
    if (code == SQLITE_ROW) {
        OPEVO_TRY(check_space(store, run, space, query, err));
        *trials = (uint64_t)sqlite3_column_int64(query, 1);
    } else if (code == SQLITE_DONE) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s has no run %lld; opevo runs lists those that it has.", store->path,
                            (long long)run);
    } else {
        status = opevo_i_store_fail(store, err);
    }
cleanup:
    sqlite3_finalize(query);
    return status;
}

/* What listing keeps from run to run. */
typedef struct lister {
    opevo_store *store;
    sqlite3_stmt *best;
    sqlite3_stmt *json;
    int64_t space_id; /* of `space`; 0: none yet */
    opevo_space *space;
    opevo_text text; /* the best configuration */
} lister;

/* Have the space at hand; NULL where it cannot be made here, as with a graph file that is gone. */
static opevo_status load_space(lister *self, int64_t id, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (id == self->space_id)
        return OPEVO_OK;
    opevo_space_destroy(self->space);
    self->space = NULL;
    self->space_id = id;
    sqlite3_bind_int64(self->json, 1, id);
    if (sqlite3_step(self->json) == SQLITE_ROW)
        status = opevo_space_parse(column_text(self->json, 0), self->store->path, NULL,
                                   &self->space, NULL);
    sqlite3_reset(self->json);
    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the spaces of %s.", self->store->path);
    return OPEVO_OK;
}

/* The best trial of the run: number, fitness and configuration. */
static opevo_status find_best(lister *self, int64_t space, opevo_run_info *info, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int code = SQLITE_OK;

    opevo_text_clear(&self->text);
    sqlite3_bind_int64(self->best, 1, info->run);
    code = sqlite3_step(self->best);
    if (code == SQLITE_ROW && sqlite3_column_bytes(self->best, 2) == OPEVO_I_POINT_BYTES) {
        opevo_index point = opevo_i_point_from_bytes(sqlite3_column_blob(self->best, 2));

        info->best_trial = (uint64_t)sqlite3_column_int64(self->best, 0);
        info->best_fitness = sqlite3_column_double(self->best, 1);
        OPEVO_TRY(load_space(self, space, err));
        if (self->space && point < opevo_space_size(self->space)) {
            opevo_space_print(self->space, point, &self->text);
        } else {
            opevo_text_add(&self->text, "point ");
            opevo_text_add_index(&self->text, point);
        }
        OPEVO_TRY(opevo_text_check(&self->text, err));
    } else if (code != SQLITE_ROW && code != SQLITE_DONE) {
        status = opevo_i_store_fail(self->store, err);
    }
    info->best_text = opevo_text_string(&self->text);
cleanup:
    sqlite3_reset(self->best);
    return status;
}

static opevo_status list_row(lister *self, sqlite3_stmt *row, opevo_run_info *info,
                             opevo_error *err)
{
    *info = (opevo_run_info){
        .run = sqlite3_column_int64(row, 0),
        .objective = column_text(row, 1),
        .tuner = column_text(row, 2),
        .settings = column_text(row, 3),
        .unit = column_text(row, 5),
        .started = column_text(row, 6),
        .version = column_text(row, 7),
        .trials = (uint64_t)sqlite3_column_int64(row, 9),
        .failed = (uint64_t)sqlite3_column_int64(row, 10),
        .cost_s = sqlite3_column_double(row, 11),
    };
    if (!opevo_parse_u64(column_text(row, 4), &info->seed))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is damaged: the seed of run %lld is no number; use another store.",
                          self->store->path, (long long)info->run);
    return find_best(self, sqlite3_column_int64(row, 8), info, err);
}

opevo_status opevo_store_list(opevo_store *store,
                              void (*visit)(void *context, const opevo_run_info *info),
                              void *context, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    lister self = {.store = store};
    sqlite3_stmt *runs = NULL;
    int code = SQLITE_OK;

    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "SELECT run, objective, tuner, settings, seed, unit, started, version, space,"
        " count(number), total(outcome <> 0), total(build_s + run_s + check_s + other_s)"
        " FROM runs LEFT JOIN trials USING (run) GROUP BY run ORDER BY run",
        &runs, err));
    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "SELECT number, fitness, point FROM trials WHERE run = ? AND"
                                    " outcome = 0 ORDER BY fitness DESC, number LIMIT 1",
                                    &self.best, err));
    OPEVO_TRY(
        opevo_i_store_prepare(store, "SELECT json FROM spaces WHERE space = ?", &self.json, err));
    while ((code = sqlite3_step(runs)) == SQLITE_ROW) {
        opevo_run_info info;

        OPEVO_TRY(list_row(&self, runs, &info, err));
        visit(context, &info);
    }
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(runs);
    sqlite3_finalize(self.best);
    sqlite3_finalize(self.json);
    opevo_space_destroy(self.space);
    opevo_text_free(&self.text);
    return status;
}
