/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Workers that a launcher starts: they connect, and each takes a place of its own among the
 * workers, or that of one that was lost. How many there are is known only when they are there. */

#include "pool_work_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <math.h>
#include <string.h>

#include "worker_commands_internal.h"

/* For a lost worker to connect again, where another one could do its work instead. */
#define AGAIN_S 5.0

static void yield(void *context)
{
    opevo_i_engine_pool_rest(context);
}

/* A place for a worker that connects. */
static bool make_place(opevo_i_engine_pool *pool, opevo_i_engine_connection *out)
{
    const opevo_i_process_arguments *command = opevo_i_engine_launch_command(pool->launch);

    *out = (opevo_i_engine_connection){
        .in = -1, .out = -1, .error = -1, .called = true, .retry_s = INFINITY};
    for (size_t i = 0; i < command->count; i++) {
        if (!opevo_i_process_arguments_add(&out->command, command->items[i],
                                           strlen(command->items[i]))) {
            opevo_i_process_arguments_clear(&out->command);
            return false;
        }
    }
    return true;
}

opevo_status opevo_i_engine_pool_launch(opevo_i_engine_pool *pool, const char *command,
                                        const char *address, opevo_error *err)
{
    const opevo_i_engine_launch_user user = {.yield = yield, .context = pool};
    opevo_error inner = {OPEVO_OK, ""};
    const char *rest = command;
    opevo_status status = opevo_i_engine_worker_factor(&rest, &pool->expected, &inner);

    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "--workers-from \"%.200s\": %.700s", command, inner.message);
    if (rest == command)
        pool->expected = 0;
    OPEVO_TRY(opevo_i_engine_pool_make(pool, 1, err));
    OPEVO_TRY(opevo_i_engine_launch_open(rest, address, &user, &pool->launch, err));
    if (!make_place(pool, &pool->workers[0]))
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for workers.");
cleanup:
    return status;
}

/* The first place that is free, NULL for none: a run on one worker has no other. */
static opevo_i_engine_connection *find_place(opevo_i_engine_work *work)
{
    opevo_i_engine_pool *pool = work->pool;
    opevo_i_engine_connection *grown = NULL;

    for (size_t i = work->from; i < work->to; i++) {
        if (pool->workers[i].state == OPEVO_I_DOWN)
            return &pool->workers[i];
    }
    if (work->alone || pool->count == OPEVO_I_WORKERS_MOST)
        return NULL;
    grown = opevo_realloc(pool->workers, pool->count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    pool->workers = grown;
    if (!make_place(pool, &pool->workers[pool->count]))
        return NULL;
    work->to = ++pool->count;
    return &pool->workers[pool->count - 1];
}

static bool is_up(const opevo_i_engine_pool *pool, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (pool->workers[i].state != OPEVO_I_DOWN)
            return true;
    }
    return false;
}

void opevo_i_engine_work_admit(opevo_i_engine_work *work)
{
    opevo_i_engine_pool *pool = work->pool;

    opevo_i_engine_launch_step(pool->launch, pool, !is_up(pool, 0, pool->count));
    while (opevo_i_engine_launch_has_waiting(pool->launch)) {
        opevo_i_engine_connection *place = find_place(work);

        if (!place)
            break;
        place->losses = place->faults = place->failed_starts = 0;
        opevo_i_engine_connection_adopt(place, opevo_i_engine_launch_take(pool->launch), NULL);
    }
    opevo_i_engine_pool_release(pool);
}

opevo_status opevo_i_engine_work_hope(const opevo_i_engine_work *work, opevo_error *err)
{
    const opevo_i_engine_pool *pool = work->pool;
    opevo_text why = {0};
    opevo_status status = OPEVO_OK;

    if (is_up(pool, work->from, work->to))
        return OPEVO_OK;
    if (work->alone && is_up(pool, 0, pool->count) &&
        opevo_clock_monotonic_s() > pool->workers[work->from].progress_s + AGAIN_S)
        return OPEVO_FAIL(err, OPEVO_IO, "No worker is left: %.800s.",
                          pool->lost.length ? pool->lost.data : "it does not connect again");
    if (!opevo_i_engine_launch_is_promising(pool->launch, &why))
        status = OPEVO_FAIL(err, work->unable ? OPEVO_FAULT : OPEVO_IO,
                            "No worker is left: %.500s%s%.500s.", opevo_text_string(&pool->lost),
                            pool->lost.length ? "; " : "", opevo_text_string(&why));
    opevo_text_free(&why);
    return status;
}

opevo_status opevo_i_engine_work_interrupted(const opevo_i_engine_work *work, opevo_error *err)
{
    const opevo_i_engine_pool *pool = work->pool;
    const char *words = pool->launch ? opevo_i_engine_launch_words(pool->launch) : "";
    size_t length = strlen(words);

    while (length && strchr(" .\r\n", words[length - 1]))
        length--;
    if (!pool->launch || is_up(pool, 0, pool->count))
        return OPEVO_FAIL(err, OPEVO_INTERRUPTED, "Measuring was interrupted.");
    return OPEVO_FAIL(err, OPEVO_INTERRUPTED,
                      "Measuring was interrupted before a worker of %.100s had connected%s%.*s.",
                      opevo_i_engine_launch_command(pool->launch)->items[0], length ? ": " : "",
                      (int)(length < 600 ? length : 600), words);
}
