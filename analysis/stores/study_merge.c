/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Several stores as one: a run that more than one of them has counts once, as far as any has it.
 * Runs stand in the order of their numbers, so that shards of a plan give the order of the plan. */

#include "stored_study_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

enum { PIECE = 512 };

static opevo_status fail_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the runs of several stores.");
}

/* ---- What identifies a run ---- */

uint64_t opevo_i_stored_key(const opevo_run_info *info)
{
    const char *parts[] = {info->objective, info->tuner, info->settings, info->budget};
    uint64_t key = opevo_hash_u64(OPEVO_HASH_START, info->seed);

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        key = opevo_hash_bytes(key, parts[i], strlen(parts[i]) + 1);
    return key;
}

void opevo_i_stored_keys_add(opevo_i_stored_keys *keys, const opevo_run_info *info)
{
    void *rows = keys->keys;

    keys->failed =
        keys->failed || !opevo_reserve(&rows, &keys->capacity, keys->count + 1, sizeof *keys->keys);
    keys->keys = rows;
    if (!keys->failed)
        keys->keys[keys->count++] = opevo_i_stored_key(info);
}

static void note_planned(void *context, const opevo_run_info *info)
{
    opevo_i_stored_keys_add(context, info);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Those of `planned` that are not listed anywhere, each once. */
static uint64_t count_planned(opevo_i_stored_keys *planned, opevo_i_stored_keys *listed)
{
    uint64_t count = 0;

    if (planned->count)
        qsort(planned->keys, planned->count, sizeof *planned->keys, by_number);
    if (listed->count)
        qsort(listed->keys, listed->count, sizeof *listed->keys, by_number);
    for (size_t i = 0; i < planned->count; i++)
        count += !(i && planned->keys[i] == planned->keys[i - 1]) &&
                 !(listed->count && bsearch(&planned->keys[i], listed->keys, listed->count,
                                            sizeof *listed->keys, by_number));
    return count;
}

opevo_status opevo_i_stored_plan(opevo_stored_study *data, opevo_i_stored_keys *listed,
                                 opevo_error *err)
{
    opevo_i_stored_keys planned = {.keys = NULL};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < data->store_count; i++)
        OPEVO_TRY(opevo_store_list_planned(data->stores[i], note_planned, &planned, err));
    if (planned.failed || listed->failed)
        OPEVO_TRY(fail_memory(err));
    data->planned = count_planned(&planned, listed);
cleanup:
    opevo_free(planned.keys);
    return status;
}

/* ---- Runs of several stores ---- */

/* A run while its place is sought. */
typedef struct listed {
    size_t index; /* of it among the runs as listed */
    size_t landscape;
    uint64_t seed;
    opevo_stored_run at;
} listed;

static int by_place(const listed *x, const listed *y)
{
    if (x->at.run != y->at.run)
        return x->at.run < y->at.run ? -1 : 1;
    if (x->seed != y->seed)
        return x->seed < y->seed ? -1 : 1;
    return (x->at.store > y->at.store) - (x->at.store < y->at.store);
}

static int in_order(const void *a, const void *b)
{
    return by_place(a, b);
}

static bool is_same(const listed *x, const listed *y)
{
    return x->at.key == y->at.key && x->landscape == y->landscape;
}

/* The same runs one after the other, the longest first. */
static int by_key(const void *a, const void *b)
{
    const listed *x = a, *y = b;

    if (x->at.key != y->at.key)
        return x->at.key < y->at.key ? -1 : 1;
    if (x->landscape != y->landscape)
        return x->landscape < y->landscape ? -1 : 1;
    if (x->at.trials != y->at.trials)
        return x->at.trials > y->at.trials ? -1 : 1;
    return by_place(x, y);
}

static bool is_same_trial(const opevo_trial *x, const opevo_trial *y)
{
    return x->number == y->number && x->proposal.point == y->proposal.point &&
           x->outcome.kind == y->outcome.kind && x->outcome.fitness == y->outcome.fitness;
}

/* The trials of the shorter run are the first ones of the longer. */
static opevo_status compare(const opevo_stored_study *data, const opevo_stored_run *longer,
                            const opevo_stored_run *shorter, opevo_error *err)
{
    opevo_trial *trials = opevo_malloc(2 * PIECE, sizeof *trials);
    opevo_status status = OPEVO_OK;
    size_t count = PIECE, other = 0;

    if (!trials)
        return fail_memory(err);
    for (uint64_t after = 0; count == PIECE; after += count) {
        bool same = true;

        OPEVO_TRY(opevo_store_read(data->stores[shorter->store], shorter->run, after, trials, PIECE,
                                   &count, err));
        OPEVO_TRY(opevo_store_read(data->stores[longer->store], longer->run, after, trials + PIECE,
                                   PIECE, &other, err));
        same = other >= count;
        for (size_t i = 0; i < count && same; i++)
            same = is_same_trial(&trials[i], &trials[PIECE + i]);
        if (!same) {
            status =
                OPEVO_FAIL(err, OPEVO_MISMATCH,
                           "run %lld of %s and run %lld of %s are the same run (objective, "
                           "tuner, settings, seed) with different trials: give one of these "
                           "stores.",
                           (long long)longer->run, opevo_store_path(data->stores[longer->store]),
                           (long long)shorter->run, opevo_store_path(data->stores[shorter->store]));
            goto cleanup;
        }
    }
cleanup:
    opevo_free(trials);
    return status;
}

/* Keep each run once, and none without a trial; *count becomes how many are left. */
static opevo_status drop(opevo_stored_study *data, listed *rows, size_t *count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t kept = 0, again = 0;

    qsort(rows, *count, sizeof *rows, by_key);
    for (size_t i = 0; i < *count; i++) {
        if (kept && is_same(&rows[i], &rows[kept - 1])) {
            OPEVO_TRY(compare(data, &rows[kept - 1].at, &rows[i].at, err));
            again++;
        } else {
            rows[kept++] = rows[i];
        }
    }
    *count = 0;
    for (size_t i = 0; i < kept; i++) {
        data->empty += rows[i].at.trials == 0;
        if (rows[i].at.trials)
            rows[(*count)++] = rows[i];
    }
    if (again)
        opevo_text_printf(&data->notes, "%zu run%s in several of the stores counted once\n", again,
                          again == 1 ? "" : "s");
cleanup:
    return status;
}

/* Number `at` anew in the order in which it is met. */
static size_t renumber(size_t *places, size_t *count, size_t at)
{
    if (places[at] == SIZE_MAX)
        places[at] = (*count)++;
    return places[at];
}

/* Have the landscapes and the contenders stand in the order in which runs name them; those without
 * a run go. */
static opevo_status order_names(opevo_stored_study *data, opevo_error *err)
{
    size_t landscapes = 0, contenders = 0;
    size_t *places = opevo_malloc(data->landscape_count + data->contender_count, sizeof *places);
    size_t *of_contenders = NULL;
    opevo_stored_landscape *named = opevo_calloc(data->landscape_count, sizeof *named);
    opevo_stored_contender *rows = opevo_calloc(data->contender_count, sizeof *rows);
    opevo_status status = OPEVO_OK;

    if (!places || !named || !rows) {
        status = fail_memory(err);
        goto cleanup;
    }
    of_contenders = places + data->landscape_count;
    memset(places, 0xff, (data->landscape_count + data->contender_count) * sizeof *places);
    for (size_t i = 0; i < data->run_count; i++) {
        data->runs[i].landscape = renumber(places, &landscapes, data->runs[i].landscape);
        data->runs[i].contender = renumber(of_contenders, &contenders, data->runs[i].contender);
    }
    for (size_t i = 0; i < data->landscape_count; i++) {
        if (places[i] == SIZE_MAX)
            opevo_i_stored_landscape_free(&data->landscapes[i]);
        else
            named[places[i]] = data->landscapes[i];
    }
    for (size_t i = 0; i < data->contender_count; i++) {
        if (of_contenders[i] == SIZE_MAX)
            opevo_i_stored_contender_free(&data->contenders[i]);
        else
            rows[of_contenders[i]] = data->contenders[i];
    }
    memcpy(data->landscapes, named, landscapes * sizeof *named);
    memcpy(data->contenders, rows, contenders * sizeof *rows);
    data->landscape_count = landscapes;
    data->contender_count = contenders;
cleanup:
    opevo_free(places);
    opevo_free(named);
    opevo_free(rows);
    return status;
}

opevo_status opevo_i_stored_settle(opevo_stored_study *data, opevo_error *err)
{
    size_t count = data->run_count;
    listed *rows = opevo_malloc(count + 1, sizeof *rows);
    opevo_analysed_run *runs = opevo_malloc(count + 1, sizeof *runs);
    opevo_status status = OPEVO_OK;

    if (!rows || !runs) {
        status = fail_memory(err);
        goto cleanup;
    }
    if (count == 0) /* planned runs only */
        goto cleanup;
    for (size_t i = 0; i < count; i++)
        rows[i] = (listed){i, data->runs[i].landscape, data->runs[i].seed, data->stored[i]};
    OPEVO_TRY(drop(data, rows, &count, err));
    qsort(rows, count, sizeof *rows, in_order);
    memcpy(runs, data->runs, data->run_count * sizeof *runs);
    for (size_t i = 0; i < count; i++) {
        data->runs[i] = runs[rows[i].index];
        data->stored[i] = rows[i].at;
    }
    data->run_count = count;
    OPEVO_TRY(order_names(data, err));
cleanup:
    opevo_free(rows);
    opevo_free(runs);
    return status;
}
