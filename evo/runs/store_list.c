/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Listing the runs of a store, those whose trials are rows and those whose trials are packed. */

#include "store_internal.h"

#include <opevo/memory.h>
#include <opevo/store_follow.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the query below. */
enum {
    COLUMN_BEST = 18,
    COLUMN_PACKED = 21,
    COLUMN_SIGNATURE,
    COLUMN_SPACE_SIGNATURE,
    COLUMN_REGISTRATION,
    COLUMN_LATE
};

/* A space of the store; NULL where it cannot be made here. */
typedef struct listed_space {
    int64_t id;
    opevo_space *space;
} listed_space;

/* What listing keeps from run to run. */
typedef struct lister {
    opevo_store *store;
    sqlite3_stmt *best; /* NULL: not looked for */
    sqlite3_stmt *json;
    listed_space *spaces; /* those met so far */
    size_t space_count, space_capacity;
    opevo_text text; /* the best configuration */
} lister;

/* The form of a space, and its signature. */
#define SELECT_SPACE "SELECT json, signature FROM spaces WHERE space = "

/* The space in the next row; NULL without a row, and where its text gives no space of that
 * signature. */
static opevo_status make_space(opevo_store *store, sqlite3_stmt *row, opevo_space **out,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char signature[OPEVO_I_HEX_SIZE];
    int code = sqlite3_step(row);

    *out = NULL;
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? OPEVO_OK : opevo_i_store_fail(store, err);
    status = opevo_space_parse(opevo_i_store_column_text(row, 0), store->path, "", out, NULL);
    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the spaces of %s.", store->path);
    if (*out && strcmp(opevo_i_store_signature_text(opevo_space_signature(*out), signature),
                       opevo_i_store_column_text(row, 1)) != 0) {
        opevo_space_destroy(*out);
        *out = NULL;
    }
    return OPEVO_OK;
}

static opevo_status load_space(lister *self, int64_t id, const opevo_space **out, opevo_error *err)
{
    void *spaces = self->spaces;
    listed_space row = {.id = id};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->space_count; i++) {
        if (self->spaces[i].id == id) {
            *out = self->spaces[i].space;
            return OPEVO_OK;
        }
    }
    OPEVO_NEED_OR_RETURN(
        opevo_reserve(&spaces, &self->space_capacity, self->space_count + 1, sizeof row),
        "the spaces of %s", self->store->path);
    self->spaces = spaces;
    sqlite3_bind_int64(self->json, 1, id);
    status = make_space(self->store, self->json, &row.space, err);
    sqlite3_reset(self->json);
    if (status != OPEVO_OK)
        return status;
    self->spaces[self->space_count++] = row;
    *out = row.space;
    return OPEVO_OK;
}

uint64_t opevo_i_store_topology_mark(uint64_t space_signature)
{
    return opevo_hash_bytes(OPEVO_HASH_START, &space_signature, sizeof space_signature);
}

/* Whether a plan set topologies: a word of the settings says so. */
static bool has_topology(const char *settings)
{
    const char *word = strstr(settings, OPEVO_I_TOPOLOGY);

    return word && (word == settings || word[-1] == ' ');
}

/* A signature of 16 hexadecimal digits. */
static bool read_signature(sqlite3_stmt *row, int column, uint64_t *out)
{
    const char *text = opevo_i_store_column_text(row, column);

    if (strlen(text) != OPEVO_I_HEX_SIZE - 1 || strspn(text, "0123456789abcdef") != strlen(text))
        return false;
    *out = strtoull(text, NULL, 16);
    return true;
}

static opevo_status find_landscape(const lister *self, sqlite3_stmt *row, opevo_run_info *info,
                                   opevo_error *err)
{
    uint64_t space = 0;

    if (!read_signature(row, COLUMN_SIGNATURE, &info->signature) ||
        (has_topology(info->settings) && !read_signature(row, COLUMN_SPACE_SIGNATURE, &space)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s %s: run %lld has no signature; use another store.", self->store->path,
                          self->store->state, (long long)info->run);
    if (has_topology(info->settings))
        info->signature ^= opevo_i_store_topology_mark(space);
    return OPEVO_OK;
}

/* The best trial from three columns: its number, fitness and point. */
static opevo_status take_best(lister *self, sqlite3_stmt *row, int first, int64_t space,
                              opevo_run_info *info, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index point = 0;
    const opevo_space *known = NULL;

    if (sqlite3_column_bytes(row, first + 2) != OPEVO_I_POINT_BYTES)
        return OPEVO_OK;
    point = opevo_i_store_point_from_bytes(sqlite3_column_blob(row, first + 2));
    info->best_trial = (uint64_t)sqlite3_column_int64(row, first);
    info->best_fitness = sqlite3_column_double(row, first + 1);
    OPEVO_TRY(load_space(self, space, &known, err));
    if (known && opevo_space_has(known, point)) {
        opevo_space_print(known, point, &self->text);
    } else {
        OPEVO_TRY(opevo_store_candidate(self->store, info->run, point, &self->text, err));
    }
    if (self->text.length == 0) {
        opevo_text_add(&self->text, "point ");
        opevo_text_add_index(&self->text, point);
    }
    OPEVO_TRY(opevo_text_check(&self->text, err));
cleanup:
    return status;
}

/* The best trial of the run: number, fitness and configuration. */
static opevo_status find_best(lister *self, sqlite3_stmt *row, opevo_run_info *info,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int64_t space = sqlite3_column_int64(row, 8);
    bool is_packed = sqlite3_column_type(row, COLUMN_PACKED) != SQLITE_NULL;
    int code = SQLITE_DONE;

    opevo_text_clear(&self->text);
    info->best_text = "";
    if (!self->best)
        return OPEVO_OK;
    if (is_packed) {
        OPEVO_TRY(take_best(self, row, COLUMN_BEST, space, info, err));
    } else {
        sqlite3_bind_int64(self->best, 1, info->run);
        code = sqlite3_step(self->best);
    }
    if (code == SQLITE_ROW)
        OPEVO_TRY(take_best(self, self->best, 0, space, info, err));
    else if (code != SQLITE_DONE)
        status = opevo_i_store_fail(self->store, err);
    info->best_text = opevo_text_string(&self->text);
cleanup:
    sqlite3_reset(self->best);
    return status;
}

static opevo_status list_row(lister *self, sqlite3_stmt *row, opevo_run_info *info,
                             opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *info = (opevo_run_info){
        .run = sqlite3_column_int64(row, 0),
        .objective = opevo_i_store_column_text(row, 1),
        .tuner = opevo_i_store_column_text(row, 2),
        .settings = opevo_i_store_column_text(row, 3),
        .unit = opevo_i_store_column_text(row, 5),
        .started = opevo_i_store_column_text(row, 6),
        .version = opevo_i_store_column_text(row, 7),
        .trials = (uint64_t)sqlite3_column_int64(row, 9),
        .failed = (uint64_t)sqlite3_column_int64(row, 10),
        .cost_s = sqlite3_column_double(row, 11),
        .budget = opevo_i_store_column_text(row, 12),
        .stop = opevo_i_store_column_text(row, 13),
        .on = opevo_i_store_column_text(row, 14),
        .what = opevo_i_store_column_text(row, 15),
        .space = opevo_i_store_column_text(row, 16),
        .optimum =
            sqlite3_column_type(row, 17) == SQLITE_NULL ? NAN : sqlite3_column_double(row, 17),
        .registration = opevo_i_store_column_text(row, COLUMN_REGISTRATION),
        .registered = sqlite3_column_type(row, COLUMN_LATE) != SQLITE_NULL &&
                      !sqlite3_column_int(row, COLUMN_LATE),
    };
    if (!opevo_parse_u64(opevo_i_store_column_text(row, 4), &info->seed))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s %s: the seed of run %lld is not a number; use another store.",
                          self->store->path, self->store->state, (long long)info->run);
    OPEVO_TRY(opevo_store_program(self->store, info->run, &info->program, err));
    OPEVO_TRY(find_landscape(self, row, info, err));
    OPEVO_TRY(find_best(self, row, info, err));
cleanup:
    return status;
}

#define IS_PLANNED "stop = '" OPEVO_I_PLANNED "'"

/* What a listing says of the trials of a run, and what takes no look at them. */
#define TRIALS_COUNTED                                                                             \
    "coalesce(trial_count, count(number)), coalesce(failed, total(outcome <> 0)),"                 \
    " coalesce(packed.cost_s, total(build_s + run_s + check_s + other_s))"
#define TRIALS_LEFT_OUT "0, 0, 0.0"

/* Those that meet the condition; of run 0 all, of another one that run, which must be there. With
 * `bare` their trials are left out. */
static opevo_status list(opevo_store *store, const char *condition, int64_t run, bool bare,
                         void (*visit)(void *context, const opevo_run_info *info), void *context,
                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    lister self = {.store = store};
    sqlite3_stmt *runs = NULL;
    opevo_text query = {0};
    bool found = false;
    int code = SQLITE_OK;

    opevo_text_printf(
        &query,
        "SELECT runs.run, objective, tuner, settings, seed, unit, started, version, space,"
        " %s, budget, stop,"
        " opened_on, opened_what, opened_space, optimum, best_trial, best_fitness, best_point,"
        " packed.run, runs.signature,"
        " (SELECT signature FROM spaces WHERE spaces.space = runs.space), hash, late"
        " FROM runs LEFT JOIN packed USING (run)%s LEFT JOIN registrations USING (registration)"
        " WHERE %s%s GROUP BY runs.run ORDER BY runs.run",
        bare ? TRIALS_LEFT_OUT : TRIALS_COUNTED, bare ? "" : " LEFT JOIN trials USING (run)",
        run ? "runs.run = ? AND " : "", condition);
    OPEVO_TRY(opevo_text_check(&query, err));
    OPEVO_TRY(opevo_i_store_prepare(store, query.data, &runs, err));
    if (!bare)
        OPEVO_TRY(
            opevo_i_store_prepare(store,
                                  "SELECT number, fitness, point FROM trials WHERE run = ? AND"
                                  " outcome = 0 ORDER BY fitness DESC, number LIMIT 1",
                                  &self.best, err));
    OPEVO_TRY(opevo_i_store_prepare(store, SELECT_SPACE "?", &self.json, err));
    if (run)
        sqlite3_bind_int64(runs, 1, run);
    while ((code = sqlite3_step(runs)) == SQLITE_ROW) {
        opevo_run_info info;

        OPEVO_TRY(list_row(&self, runs, &info, err));
        visit(context, &info);
        found = true;
    }
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    else if (run && !found)
        status = opevo_i_store_fail_unknown(store, run, err);
cleanup:
    sqlite3_finalize(runs);
    sqlite3_finalize(self.best);
    sqlite3_finalize(self.json);
    for (size_t i = 0; i < self.space_count; i++)
        opevo_space_destroy(self.spaces[i].space);
    opevo_free(self.spaces);
    opevo_text_free(&self.text);
    opevo_text_free(&query);
    return status;
}

opevo_status opevo_store_list(opevo_store *store,
                              void (*visit)(void *context, const opevo_run_info *info),
                              void *context, opevo_error *err)
{
    return list(store, "NOT " IS_PLANNED, 0, false, visit, context, err);
}

opevo_status opevo_store_visit(opevo_store *store, int64_t run,
                               void (*visit)(void *context, const opevo_run_info *info),
                               void *context, opevo_error *err)
{
    if (!run)
        return opevo_i_store_fail_unknown(store, run, err);
    return list(store, "NOT " IS_PLANNED, run, false, visit, context, err);
}

opevo_status opevo_store_list_planned(opevo_store *store,
                                      void (*visit)(void *context, const opevo_run_info *info),
                                      void *context, opevo_error *err)
{
    return list(store, IS_PLANNED, 0, false, visit, context, err);
}

opevo_status opevo_store_describe(opevo_store *store, int64_t run,
                                  void (*visit)(void *context, const opevo_run_info *info),
                                  void *context, opevo_error *err)
{
    return list(store, "TRUE", run, true, visit, context, err);
}

opevo_status opevo_store_space(opevo_store *store, int64_t run, opevo_space **out, opevo_error *err)
{
    sqlite3_stmt *json = NULL;
    opevo_space *made = NULL;
    opevo_status status = opevo_i_store_prepare(
        store, SELECT_SPACE "(SELECT space FROM runs WHERE run = ?)", &json, err);

    if (status != OPEVO_OK)
        return status;
    sqlite3_bind_int64(json, 1, run);
    status = make_space(store, json, &made, err);
    sqlite3_finalize(json);
    if (status == OPEVO_OK && made)
        status = opevo_i_store_read_points(store, run, made, err);
    if (status == OPEVO_OK)
        *out = made;
    else
        opevo_space_destroy(made);
    return status;
}

opevo_status opevo_store_planned(opevo_store *store, uint64_t *count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;

    OPEVO_TRY(
        opevo_i_store_prepare(store, "SELECT count(*) FROM runs WHERE " IS_PLANNED, &query, err));
    if (sqlite3_step(query) == SQLITE_ROW)
        *count = (uint64_t)sqlite3_column_int64(query, 0);
    else
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(query);
    return status;
}
