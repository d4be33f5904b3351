/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Workers of runs: their states, and what trials they measured as the store has it. */

#include <opevo/store_workers.h>

#include "store_internal.h"

#include <opevo/memory.h>

/* ---- Writing -------------------------------------------------------------------------------- */

void opevo_i_store_print_devices(opevo_store *store, int64_t run, opevo_text *out)
{
    const char *separator = ", measured on ";
    sqlite3_stmt *row = NULL;

    if (opevo_i_store_prepare(store,
                              "SELECT DISTINCT device, host FROM workers JOIN measured"
                              " USING (run, worker) WHERE run = ? LIMIT 8",
                              &row, NULL))
        return;
    sqlite3_bind_int64(row, 1, run);
    while (sqlite3_step(row) == SQLITE_ROW) {
        opevo_text_printf(out, "%s%.200s (%.64s)", separator, opevo_i_store_column_text(row, 0),
                          opevo_i_store_column_text(row, 1));
        separator = ", ";
    }
    sqlite3_finalize(row);
}

static opevo_status put_state(opevo_store *store, int64_t run, const opevo_stored_worker *worker,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *update = NULL;
    int64_t number = 0;

    OPEVO_TRY(opevo_i_store_find_worker(store, run, &worker->by, &number, err));
    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "UPDATE workers SET state = ?3, faults = faults + ?4,"
                                    " words = coalesce(?5, words) WHERE run = ?1 AND worker = ?2",
                                    &update, err));
    sqlite3_bind_int64(update, 1, run);
    sqlite3_bind_int64(update, 2, number);
    sqlite3_bind_text(update, 3, worker->state, -1, SQLITE_STATIC);
    sqlite3_bind_int64(update, 4, (int64_t)worker->faults);
    if (*worker->words)
        sqlite3_bind_text(update, 5, worker->words, -1, SQLITE_STATIC);
    if (sqlite3_step(update) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(update);
    return status;
}

opevo_status opevo_store_put_workers(opevo_store *store, int64_t run,
                                     const opevo_stored_worker *workers, size_t count,
                                     opevo_error *err)
{
    opevo_status status = opevo_i_store_begin_write(store, err);

    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = put_state(store, run, &workers[i], err);
    return opevo_i_store_commit(store, status, err);
}

/* Of a run of the attached store `source`, whose numbers are its own. */
opevo_status opevo_i_store_join_workers(opevo_store *store, int64_t here, int64_t there,
                                        opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_store_join_rows(
        store,
        "INSERT OR IGNORE INTO main.workers (run, worker, command, host, device, state, faults,"
        " words) SELECT ?1, row_number() OVER (ORDER BY worker)"
        " + (SELECT coalesce(max(worker), 0) FROM main.workers WHERE run = ?1),"
        " command, host, device, state, faults, words FROM source.workers WHERE run = ?2",
        here, there, err));
    status = opevo_i_store_join_rows(
        store,
        "INSERT OR IGNORE INTO main.measured (run, number, worker) SELECT ?1, number, mine.worker"
        " FROM source.measured JOIN source.workers AS theirs USING (run, worker) JOIN"
        " main.workers AS mine ON mine.run = ?1 AND mine.command = theirs.command AND"
        " mine.host = theirs.host AND mine.device = theirs.device WHERE theirs.run = ?2",
        here, there, err);
cleanup:
    return status;
}

/* ---- Reading -------------------------------------------------------------------------------- */

opevo_status opevo_store_workers(opevo_store *store, int64_t run,
                                 opevo_status (*visit)(void *context,
                                                       const opevo_stored_worker *worker,
                                                       opevo_error *err),
                                 void *context, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *row = NULL;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "SELECT worker, command, host, device, state, words, max(faults, 0), (SELECT count(*)"
        " FROM measured JOIN trials USING (run, number) WHERE measured.run = workers.run AND"
        " measured.worker = workers.worker) FROM workers WHERE run = ? ORDER BY worker",
        &row, err));
    sqlite3_bind_int64(row, 1, run);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        opevo_stored_worker worker = {.number = sqlite3_column_int64(row, 0),
                                      .by = {.command = opevo_i_store_column_text(row, 1),
                                             .host = opevo_i_store_column_text(row, 2),
                                             .device = opevo_i_store_column_text(row, 3)},
                                      .state = opevo_i_store_column_text(row, 4),
                                      .words = opevo_i_store_column_text(row, 5),
                                      .faults = (uint64_t)sqlite3_column_int64(row, 6),
                                      .trials = (uint64_t)sqlite3_column_int64(row, 7)};

        OPEVO_TRY(visit(context, &worker, err));
    }
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(row);
    return status;
}

opevo_status opevo_store_devices(opevo_store *store,
                                 opevo_status (*visit)(void *context, const char *objective,
                                                       const char *device, uint64_t runs,
                                                       opevo_error *err),
                                 void *context, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *row = NULL;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "SELECT objective, device, count(DISTINCT run) FROM runs JOIN workers USING (run)"
        " WHERE EXISTS (SELECT 1 FROM measured WHERE measured.run = workers.run AND"
        " measured.worker = workers.worker) GROUP BY objective, device"
        " ORDER BY objective, min(run), device",
        &row, err));
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        OPEVO_TRY(visit(context, opevo_i_store_column_text(row, 0),
                        opevo_i_store_column_text(row, 1), (uint64_t)sqlite3_column_int64(row, 2),
                        err));
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(row);
    return status;
}

opevo_status opevo_store_measurers(opevo_store *store, int64_t run, uint64_t trials, uint32_t **out,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *row = NULL;
    uint32_t *found = NULL;
    int code = SQLITE_DONE;

    *out = NULL;
    if (trials == 0)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_store_prepare(
        store, "SELECT number, worker FROM measured WHERE run = ? AND number BETWEEN 1 AND ?", &row,
        err));
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_int64(row, 2, (int64_t)trials);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        int64_t worker = sqlite3_column_int64(row, 1);

        if (!found)
            found = opevo_calloc((size_t)trials, sizeof *found);
        OPEVO_NEED(found, "reading %s", store->path);
        if (worker > 0 && worker <= UINT32_MAX)
            found[sqlite3_column_int64(row, 0) - 1] = (uint32_t)worker;
    }
    if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    if (status == OPEVO_OK) {
        *out = found;
        found = NULL;
    }
cleanup:
    opevo_free(found);
    sqlite3_finalize(row);
    return status;
}
