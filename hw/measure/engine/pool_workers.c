/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The workers of a pool: their connections made, rested and released, and what each of them is. */

#include "pool_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>

#define PATIENCE_S 2.0 /* for all workers together, to end by themselves */

opevo_status opevo_i_engine_pool_make(opevo_i_engine_pool *pool, size_t count, opevo_error *err)
{
    OPEVO_NEW_OR_RETURN(pool->workers, count, "%zu workers", count);
    pool->count = count;
    for (size_t i = 0; i < count; i++)
        pool->workers[i].in = pool->workers[i].out = pool->workers[i].error = -1;
    return OPEVO_OK;
}

void opevo_i_engine_pool_rest(opevo_i_engine_pool *pool)
{
    double deadline = opevo_clock_monotonic_s() + PATIENCE_S;

    for (size_t i = 0; i < pool->count; i++)
        opevo_i_engine_connection_hang_up(&pool->workers[i]);
    for (size_t i = 0; i < pool->count; i++)
        opevo_i_engine_connection_reap(&pool->workers[i], deadline - opevo_clock_monotonic_s());
}

void opevo_i_engine_pool_clear(opevo_i_engine_pool *pool)
{
    opevo_i_engine_pool_rest(pool);
    for (size_t i = 0; i < pool->count; i++)
        opevo_i_engine_connection_clear(&pool->workers[i]);
    opevo_i_engine_launch_close(pool->launch, pool);
    opevo_text_free(&pool->lost);
    opevo_free(pool->workers);
    opevo_free(pool->hosts);
    free(pool->setup);
    *pool = (opevo_i_engine_pool){0};
}

size_t opevo_i_engine_pool_worker_count(const opevo_i_engine_pool *pool)
{
    return pool->expected > pool->count ? (size_t)pool->expected : pool->count;
}

static bool is_starting(const opevo_i_engine_connection *worker)
{
    return worker->state != OPEVO_I_READY && worker->state != OPEVO_I_DOWN;
}

static const char *state_of(const opevo_i_engine_connection *worker)
{
    if (opevo_i_engine_connection_is_suspended(worker) || worker->held_s > 0)
        return "suspended";
    if (worker->state == OPEVO_I_READY)
        return "ready";
    return is_starting(worker) ? "starting" : worker->failures ? "down" : "idle";
}

bool opevo_i_engine_pool_worker(const opevo_i_engine_pool *pool, size_t i, opevo_worker_facts *out)
{
    opevo_i_engine_connection *worker = NULL;

    if (i >= opevo_i_engine_pool_worker_count(pool))
        return false;
    if (i >= pool->count) { /* expected, but not there */
        *out = (opevo_worker_facts){.command = "",
                                    .host = "",
                                    .device = "",
                                    .state = "missing",
                                    .words = "",
                                    .waits_s = INFINITY};
        return true;
    }
    worker = &pool->workers[i];
    *out = (opevo_worker_facts){
        .command = opevo_i_engine_connection_command(worker),
        .host = worker->host,
        .device = worker->device,
        .state = state_of(worker),
        .words = opevo_text_string(&worker->words),
        .waits_s = is_starting(worker) ? opevo_clock_monotonic_s() - worker->progress_s : 0,
        .trials = worker->measured,
        .faults = worker->failures};
    return true;
}
