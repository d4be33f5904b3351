/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Hosts of workers that connect. Such a worker takes any place that is free, and comes back at once
 * when it is lost; so what is known of it is known by its host: one in trouble again and again is
 * held where it greets, while another host works. */

#include "pool_work_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

enum { TROUBLES = 5 }; /* in a row, without a result of any of its workers between them */

#define HELD_S 60.0

static opevo_i_engine_host *find_host(const opevo_i_engine_pool *pool, const char *name)
{
    for (size_t i = 0; i < pool->host_count; i++) {
        if (!strcmp(pool->hosts[i].name, name))
            return &pool->hosts[i];
    }
    return NULL;
}

/* NULL without memory: nothing is known of it then. */
static opevo_i_engine_host *add_host(opevo_i_engine_pool *pool, const char *name)
{
    opevo_i_engine_host *grown =
        opevo_realloc(pool->hosts, pool->host_count + 1, sizeof *pool->hosts);

    if (!grown)
        return NULL;
    pool->hosts = grown;
    grown += pool->host_count++;
    *grown = (opevo_i_engine_host){.troubles = 0};
    snprintf(grown->name, sizeof grown->name, "%s", name);
    return grown;
}

void opevo_i_engine_pool_note_trouble(opevo_i_engine_pool *pool, size_t worker)
{
    const char *name = pool->workers[worker].host;
    opevo_i_engine_host *host = NULL;

    if (!pool->launch || !*name)
        return;
    host = find_host(pool, name);
    host = host ? host : add_host(pool, name);
    if (host && ++host->troubles >= TROUBLES)
        host->until_s = opevo_clock_monotonic_s() + HELD_S;
}

void opevo_i_engine_pool_note_result(opevo_i_engine_pool *pool, size_t worker)
{
    opevo_i_engine_host *host = find_host(pool, pool->workers[worker].host);

    if (host)
        host->troubles = 0;
}

/* Whether a worker of another host is ready. */
static bool others_work(const opevo_i_engine_pool *pool, const char *name)
{
    for (size_t i = 0; i < pool->count; i++) {
        const opevo_i_engine_connection *worker = &pool->workers[i];

        if (worker->state == OPEVO_I_READY && strcmp(worker->host, name) != 0)
            return true;
    }
    return false;
}

bool opevo_i_engine_pool_hold(opevo_i_engine_pool *pool, size_t number)
{
    opevo_i_engine_connection *worker = &pool->workers[number];
    const opevo_i_engine_host *host = find_host(pool, worker->host);

    if (!host || host->until_s <= opevo_clock_monotonic_s() || !others_work(pool, worker->host))
        return false;
    worker->held_s = host->until_s;
    return true;
}

void opevo_i_engine_pool_set_up(opevo_i_engine_pool *pool, size_t number)
{
    opevo_i_engine_connection *worker = &pool->workers[number];

    opevo_i_engine_connection_say(worker, pool->setup);
    opevo_i_engine_connection_progress(worker);
    worker->held_s = 0;
    worker->state = OPEVO_I_SETTING;
}

void opevo_i_engine_pool_release(opevo_i_engine_pool *pool)
{
    double now = opevo_clock_monotonic_s();

    for (size_t i = 0; i < pool->count; i++) {
        const opevo_i_engine_connection *worker = &pool->workers[i];

        if (worker->held_s > 0 && (worker->held_s <= now || !others_work(pool, worker->host)))
            opevo_i_engine_pool_set_up(pool, i);
    }
}
