/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs that shared a budget. Here they are written; store_groups_read.c reads them. */

#include "store_internal.h"

#include <opevo/memory.h>
#include <opevo/store_groups.h>

#include <string.h>

static opevo_status check_writable(opevo_store *store, opevo_error *err)
{
    return store->insert ? OPEVO_OK
                         : OPEVO_FAIL(err, OPEVO_INVALID, "%s is open read-only.", store->path);
}

/* Run a statement that gives no rows, and reset it. */
static opevo_status run_once(opevo_store *store, sqlite3_stmt *statement, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (sqlite3_step(statement) != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
    sqlite3_reset(statement);
    return status;
}

/* ---- The group ------------------------------------------------------------------------------ */

static void bind_group(sqlite3_stmt *statement, const opevo_group *group)
{
    sqlite3_bind_text(statement, 1, group->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, group->is_network ? "network" : "operators", -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, group->aim, -1, SQLITE_STATIC);
}

static void bind_task(sqlite3_stmt *statement, int64_t number, size_t place,
                      const opevo_group_task *task)
{
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_int64(statement, 2, (int64_t)place + 1);
    sqlite3_bind_int64(statement, 3, task->run);
    sqlite3_bind_text(statement, 4, task->name, -1, SQLITE_STATIC);
    sqlite3_bind_double(statement, 5, task->weight);
    sqlite3_bind_double(statement, 6, task->scale_s);
}

/* Whether group `number` has exactly these tasks. Weights of networks may differ: measured times
 * decide there which tasks the network needs. */
static opevo_status has_tasks(opevo_store *store, int64_t number, const opevo_group *group,
                              bool *same, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;
    int code = SQLITE_ROW;

    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "SELECT count(*), sum(place = ?2 AND run = ?3 AND name = ?4 AND"
        " (weight = ?5 OR ?7) AND scale_s = ?6) FROM group_tasks WHERE task_group = ?1",
        &query, err));
    *same = true;
    for (size_t i = 0; i < group->count && *same; i++) {
        bind_task(query, number, i, &group->tasks[i]);
        sqlite3_bind_int(query, 7, group->is_network);
        code = sqlite3_step(query);
        if (code != SQLITE_ROW) {
            status = opevo_i_store_fail(store, err);
            goto cleanup;
        }
        *same = (size_t)sqlite3_column_int64(query, 0) == group->count &&
                sqlite3_column_int(query, 1) == 1;
        sqlite3_reset(query);
    }
cleanup:
    sqlite3_finalize(query);
    return status;
}

/* 0 if it is not there. */
static opevo_status find(opevo_store *store, const opevo_group *group, int64_t *number,
                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *query = NULL;
    int code = SQLITE_DONE;
    bool same = false;

    *number = 0;
    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "SELECT task_group FROM task_groups WHERE name = ? AND kind = ?"
                                    " AND aim = ? ORDER BY task_group",
                                    &query, err));
    bind_group(query, group);
    while (!same && (code = sqlite3_step(query)) == SQLITE_ROW) {
        *number = sqlite3_column_int64(query, 0);
        OPEVO_TRY(has_tasks(store, *number, group, &same, err));
    }
    if (!same) {
        *number = 0;
        status = code == SQLITE_DONE ? OPEVO_OK : opevo_i_store_fail(store, err);
    }
cleanup:
    sqlite3_finalize(query);
    return status;
}

static opevo_status insert(opevo_store *store, const opevo_group *group, int64_t *number,
                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *statement = NULL;

    OPEVO_TRY(opevo_i_store_prepare(
        store, "INSERT INTO task_groups (name, kind, aim) VALUES (?, ?, ?)", &statement, err));
    bind_group(statement, group);
    OPEVO_TRY(run_once(store, statement, err));
    *number = sqlite3_last_insert_rowid(store->db);
    sqlite3_finalize(statement);
    statement = NULL;
    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "INSERT INTO group_tasks (task_group, place, run, name, weight, scale_s)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        &statement, err));
    for (size_t i = 0; i < group->count; i++) {
        bind_task(statement, *number, i, &group->tasks[i]);
        OPEVO_TRY(run_once(store, statement, err));
    }
cleanup:
    sqlite3_finalize(statement);
    return status;
}

static opevo_status put_weights(opevo_store *store, int64_t number, const opevo_group *group,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *statement = NULL;

    OPEVO_TRY(opevo_i_store_prepare(
        store, "UPDATE group_tasks SET weight = ?3 WHERE task_group = ?1 AND place = ?2",
        &statement, err));
    for (size_t i = 0; i < group->count; i++) {
        sqlite3_bind_int64(statement, 1, number);
        sqlite3_bind_int64(statement, 2, (int64_t)i + 1);
        sqlite3_bind_double(statement, 3, group->tasks[i].weight);
        OPEVO_TRY(run_once(store, statement, err));
    }
cleanup:
    sqlite3_finalize(statement);
    return status;
}

static opevo_status find_or_insert(opevo_store *store, const opevo_group *group, int64_t *number,
                                   opevo_error *err)
{
    opevo_status status = find(store, group, number, err);

    if (status != OPEVO_OK)
        return status;
    return *number == 0 ? insert(store, group, number, err)
                        : put_weights(store, *number, group, err);
}

opevo_status opevo_store_begin_group(opevo_store *store, const opevo_group *group, int64_t *number,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(check_writable(store, err));
    OPEVO_TRY(opevo_i_store_begin_write(store, err));
    status = opevo_i_store_commit(store, find_or_insert(store, group, number, err), err);
cleanup:
    return status;
}

/* ---- Rounds and memory ---------------------------------------------------------------------- */

/* A round that differs ends the course that is stored. */
static opevo_status replace_round(opevo_store *store, int64_t group, size_t place,
                                  const opevo_group_round *round, opevo_error *err)
{
    static const char *const statements[] = {
        "DELETE FROM group_rounds WHERE task_group = ?1 AND round >= ?2 AND EXISTS"
        " (SELECT 1 FROM group_rounds WHERE task_group = ?1 AND round = ?2 AND"
        "  (place <> ?3 OR trials <> ?4))",
        "INSERT OR IGNORE INTO group_rounds (task_group, round, place, trials)"
        " VALUES (?1, ?2, ?3, ?4)",
    };
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < sizeof statements / sizeof *statements && status == OPEVO_OK; i++) {
        sqlite3_stmt *statement = NULL;

        status = opevo_i_store_prepare(store, statements[i], &statement, err);
        if (status == OPEVO_OK) {
            sqlite3_bind_int64(statement, 1, group);
            sqlite3_bind_int64(statement, 2, (int64_t)place + 1);
            sqlite3_bind_int64(statement, 3, (int64_t)round->task + 1);
            sqlite3_bind_int64(statement, 4, (int64_t)round->trials);
            status = run_once(store, statement, err);
        }
        sqlite3_finalize(statement);
    }
    return status;
}

opevo_status opevo_store_put_round(opevo_store *store, int64_t group, size_t place,
                                   const opevo_group_round *round, opevo_error *err)
{
    opevo_status status = opevo_i_store_begin_write(store, err);

    if (status != OPEVO_OK)
        return status;
    return opevo_i_store_commit(store, replace_round(store, group, place, round, err), err);
}

static opevo_status put_memory(opevo_store *store, int64_t group, int64_t arena_bytes,
                               int64_t weight_bytes, const opevo_group_kernel *kernels,
                               size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *statement = NULL;

    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "UPDATE task_groups SET arena_bytes = ?, weight_bytes = ?"
                                    " WHERE task_group = ?",
                                    &statement, err));
    sqlite3_bind_int64(statement, 1, arena_bytes);
    sqlite3_bind_int64(statement, 2, weight_bytes);
    sqlite3_bind_int64(statement, 3, group);
    OPEVO_TRY(run_once(store, statement, err));
    sqlite3_finalize(statement);
    statement = NULL;
    OPEVO_TRY(opevo_i_store_prepare(
        store,
        "INSERT OR REPLACE INTO group_kernels (task_group, place, number, packed_bytes,"
        " scratch_bytes) VALUES (?, ?, ?, ?, ?)",
        &statement, err));
    sqlite3_bind_int64(statement, 1, group);
    for (size_t i = 0; i < count; i++) {
        sqlite3_bind_int64(statement, 2, (int64_t)kernels[i].task + 1);
        sqlite3_bind_int64(statement, 3, (int64_t)kernels[i].trial);
        sqlite3_bind_int64(statement, 4, kernels[i].packed_bytes);
        sqlite3_bind_int64(statement, 5, kernels[i].scratch_bytes);
        OPEVO_TRY(run_once(store, statement, err));
    }
cleanup:
    sqlite3_finalize(statement);
    return status;
}

opevo_status opevo_store_put_memory(opevo_store *store, int64_t group, int64_t arena_bytes,
                                    int64_t weight_bytes, const opevo_group_kernel *kernels,
                                    size_t count, opevo_error *err)
{
    opevo_status status = opevo_i_store_begin_write(store, err);

    if (status != OPEVO_OK)
        return status;
    status = put_memory(store, group, arena_bytes, weight_bytes, kernels, count, err);
    return opevo_i_store_commit(store, status, err);
}
