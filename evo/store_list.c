/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Listing the runs of a store, those whose trials are rows and those whose trials are packed. */

#include "store_internal.h"

#include <math.h>
#include <string.h>

/* Of the query below. */
enum { COLUMN_BEST = 18, COLUMN_PACKED = 21 };

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
        status = opevo_space_parse(opevo_i_column_text(self->json, 0), self->store->path, NULL,
                                   &self->space, NULL);
    sqlite3_reset(self->json);
    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the spaces of %s.", self->store->path);
    return OPEVO_OK;
}

/* The best trial from three columns: its number, fitness and point. */
static opevo_status take_best(lister *self, sqlite3_stmt *row, int first, int64_t space,
                              opevo_run_info *info, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index point = 0;

    if (sqlite3_column_bytes(row, first + 2) != OPEVO_I_POINT_BYTES)
        return OPEVO_OK;
    point = opevo_i_point_from_bytes(sqlite3_column_blob(row, first + 2));
    info->best_trial = (uint64_t)sqlite3_column_int64(row, first);
    info->best_fitness = sqlite3_column_double(row, first + 1);
    OPEVO_TRY(load_space(self, space, err));
    if (self->space && point < opevo_space_size(self->space)) {
        opevo_space_print(self->space, point, &self->text);
    } else {
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
    *info = (opevo_run_info){
        .run = sqlite3_column_int64(row, 0),
        .objective = opevo_i_column_text(row, 1),
        .tuner = opevo_i_column_text(row, 2),
        .settings = opevo_i_column_text(row, 3),
        .unit = opevo_i_column_text(row, 5),
        .started = opevo_i_column_text(row, 6),
        .version = opevo_i_column_text(row, 7),
        .trials = (uint64_t)sqlite3_column_int64(row, 9),
        .failed = (uint64_t)sqlite3_column_int64(row, 10),
        .cost_s = sqlite3_column_double(row, 11),
        .budget = opevo_i_column_text(row, 12),
        .stop = opevo_i_column_text(row, 13),
        .on = opevo_i_column_text(row, 14),
        .what = opevo_i_column_text(row, 15),
        .space = opevo_i_column_text(row, 16),
        .optimum =
            sqlite3_column_type(row, 17) == SQLITE_NULL ? NAN : sqlite3_column_double(row, 17),
    };
    if (!opevo_parse_u64(opevo_i_column_text(row, 4), &info->seed))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is damaged: the seed of run %lld is no number; use another store.",
                          self->store->path, (long long)info->run);
    return find_best(self, row, info, err);
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
        "SELECT runs.run, objective, tuner, settings, seed, unit, started, version, space,"
        " coalesce(trial_count, count(number)), coalesce(failed, total(outcome <> 0)),"
        " coalesce(packed.cost_s, total(build_s + run_s + check_s + other_s)), budget, stop,"
        " opened_on, opened_what, opened_space, optimum, best_trial, best_fitness, best_point,"
        " packed.run"
        " FROM runs LEFT JOIN packed USING (run) LEFT JOIN trials USING (run)"
        " WHERE stop <> '" OPEVO_I_PLANNED "' GROUP BY runs.run ORDER BY runs.run",
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
