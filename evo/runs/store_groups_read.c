/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs that shared a budget, read from a store; store_groups.c has the tables. */

#include "store_internal.h"

#include <opevo/memory.h>
#include <opevo/store_groups.h>

#include <math.h>
#include <string.h>

static opevo_status fail_damaged(const opevo_store *store, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s %s: a group of tasks is malformed; use another store.", store->path,
                      store->state);
}

static opevo_status fail_memory(const opevo_store *store, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the groups of tasks of %s.", store->path);
}

/* Takes a row that a query gives for a group. False: malformed; *failed: no memory. */
typedef bool (*taker)(sqlite3_stmt *row, opevo_group *group, size_t *capacity, bool *failed);

static bool has_place(const opevo_group *group, int64_t place)
{
    return place >= 1 && (uint64_t)place <= group->count;
}

static bool take_task(sqlite3_stmt *row, opevo_group *group, size_t *capacity, bool *failed)
{
    opevo_group_task task = {.run = sqlite3_column_int64(row, 1),
                             .weight = sqlite3_column_double(row, 3),
                             .scale_s = sqlite3_column_double(row, 4)};

    if (sqlite3_column_int64(row, 0) != (int64_t)group->count + 1 ||
        !(task.weight >= 0 && isfinite(task.weight)) ||
        !(task.scale_s > 0 && isfinite(task.scale_s)))
        return false;
    task.name = opevo_strdup(opevo_i_store_column_text(row, 2));
    if (!task.name ||
        !opevo_reserve((void **)&group->tasks, capacity, group->count + 1, sizeof task)) {
        opevo_free(task.name);
        *failed = true;
        return true;
    }
    group->tasks[group->count++] = task;
    return true;
}

static bool take_round(sqlite3_stmt *row, opevo_group *group, size_t *capacity, bool *failed)
{
    int64_t place = sqlite3_column_int64(row, 1), trials = sqlite3_column_int64(row, 2);

    if (sqlite3_column_int64(row, 0) != (int64_t)group->round_count + 1 ||
        !has_place(group, place) || trials < 0)
        return false;
    if (!opevo_reserve((void **)&group->rounds, capacity, group->round_count + 1,
                       sizeof *group->rounds)) {
        *failed = true;
        return true;
    }
    group->rounds[group->round_count++] =
        (opevo_group_round){.task = (size_t)place - 1, .trials = (uint64_t)trials};
    return true;
}

static bool take_kernel(sqlite3_stmt *row, opevo_group *group, size_t *capacity, bool *failed)
{
    int64_t place = sqlite3_column_int64(row, 0), trial = sqlite3_column_int64(row, 1);
    opevo_group_kernel kernel = {.task = (size_t)place - 1,
                                 .trial = (uint64_t)trial,
                                 .packed_bytes = sqlite3_column_int64(row, 2),
                                 .scratch_bytes = sqlite3_column_int64(row, 3)};

    if (!has_place(group, place) || trial < 1 || kernel.packed_bytes < 0 ||
        kernel.scratch_bytes < 0 || kernel.scratch_bytes > INT64_MAX / 8 ||
        kernel.packed_bytes > INT64_MAX / 8 / (int64_t)group->count)
        return false;
    if (!opevo_reserve((void **)&group->kernels, capacity, group->kernel_count + 1,
                       sizeof *group->kernels)) {
        *failed = true;
        return true;
    }
    group->kernels[group->kernel_count++] = kernel;
    return true;
}

static opevo_status read_rows(opevo_store *store, const char *sql, taker take, int64_t number,
                              opevo_group *group, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *rows = NULL;
    size_t capacity = 0;
    bool failed = false, good = true;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(store, sql, &rows, err));
    sqlite3_bind_int64(rows, 1, number);
    while (good && !failed && (code = sqlite3_step(rows)) == SQLITE_ROW)
        good = take(rows, group, &capacity, &failed);
    if (failed)
        status = fail_memory(store, err);
    else if (!good)
        status = fail_damaged(store, err);
    else if (code != SQLITE_DONE)
        status = opevo_i_store_fail(store, err);
cleanup:
    sqlite3_finalize(rows);
    return status;
}

static opevo_status read_group(opevo_store *store, sqlite3_stmt *row, opevo_group *out,
                               opevo_error *err)
{
    int64_t number = sqlite3_column_int64(row, 0);
    opevo_status status = OPEVO_OK;

    out->name = opevo_strdup(opevo_i_store_column_text(row, 1));
    out->is_network = strcmp(opevo_i_store_column_text(row, 2), "network") == 0;
    out->aim = opevo_strdup(opevo_i_store_column_text(row, 3));
    out->has_memory = sqlite3_column_type(row, 4) != SQLITE_NULL;
    out->arena_bytes = sqlite3_column_int64(row, 4);
    out->weight_bytes = sqlite3_column_int64(row, 5);
    if (!out->name || !out->aim)
        return fail_memory(store, err);
    if (out->arena_bytes < 0 || out->weight_bytes < 0 || out->arena_bytes > INT64_MAX / 8 ||
        out->weight_bytes > INT64_MAX / 8)
        return fail_damaged(store, err);
    OPEVO_TRY(read_rows(store,
                        "SELECT place, run, name, weight, scale_s FROM group_tasks"
                        " WHERE task_group = ? ORDER BY place",
                        take_task, number, out, err));
    if (out->count == 0)
        OPEVO_TRY(fail_damaged(store, err));
    OPEVO_TRY(read_rows(store,
                        "SELECT round, place, trials FROM group_rounds"
                        " WHERE task_group = ? ORDER BY round",
                        take_round, number, out, err));
    OPEVO_TRY(read_rows(store,
                        "SELECT place, number, packed_bytes, scratch_bytes FROM group_kernels"
                        " WHERE task_group = ? ORDER BY place, number",
                        take_kernel, number, out, err));
cleanup:
    return status;
}

opevo_status opevo_store_groups(opevo_store *store, opevo_group **out, size_t *count,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    sqlite3_stmt *rows = NULL;
    opevo_group *groups = NULL;
    size_t found = 0, capacity = 0;
    int code = SQLITE_DONE;

    OPEVO_TRY(opevo_i_store_prepare(store,
                                    "SELECT task_group, name, kind, aim, arena_bytes,"
                                    " weight_bytes FROM task_groups ORDER BY task_group",
                                    &rows, err));
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        if (!opevo_reserve((void **)&groups, &capacity, found + 1, sizeof *groups))
            OPEVO_TRY(fail_memory(store, err));
        groups[found++] = (opevo_group){.name = NULL};
        OPEVO_TRY(read_group(store, rows, &groups[found - 1], err));
    }
    if (code != SQLITE_DONE)
        OPEVO_TRY(opevo_i_store_fail(store, err));
    *out = groups;
    *count = found;
    groups = NULL;
cleanup:
    sqlite3_finalize(rows);
    if (groups)
        opevo_store_groups_free(groups, found);
    return status;
}

void opevo_store_groups_free(opevo_group *groups, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t t = 0; t < groups[i].count; t++)
            opevo_free(groups[i].tasks[t].name);
        opevo_free(groups[i].tasks);
        opevo_free(groups[i].rounds);
        opevo_free(groups[i].kernels);
        opevo_free(groups[i].name);
        opevo_free(groups[i].aim);
    }
    opevo_free(groups);
}
