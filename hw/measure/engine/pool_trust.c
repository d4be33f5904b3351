/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is known of workers, and which may measure what. A host in trouble must decide no trial and
 * end no run while another is sound: a job that a worker was lost with, or its host failed with,
 * goes to others first, and a worker of which that is true again and again is left alone for a
 * while. */

#include "pool_internal.h"

#include <opevo/clock.h>
#include <opevo/version.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol_internal.h"

/* In a row. More losses than a job may cost one worker, so that the job is found out first. */
enum { LOSSES = OPEVO_I_ATTEMPTS + 1, STARTS = 3, FAULTS = 5 };

/* A job that a host failed with waits 0.25 s, then 1 s, then 4 s; with the last fault the pool
 * gives up. */
enum { FAULT_FACTOR = 4 };
#define FAULT_WAIT_S 0.25

/* Share of the latest result in the mean of what a worker takes. */
#define LATEST 0.25

bool opevo_i_engine_connection_is_suspended(const opevo_i_engine_connection *worker)
{
    return worker->losses >= LOSSES || worker->failed_starts >= STARTS;
}

bool opevo_i_engine_pool_can_spare(const opevo_i_engine_pool *pool, size_t worker)
{
    if (pool->workers[worker].faults < FAULTS)
        return false;
    for (size_t i = 0; i < pool->count; i++) {
        const opevo_i_engine_connection *other = &pool->workers[i];

        if (i != worker && other->state == OPEVO_I_READY && other->faults < FAULTS)
            return true;
    }
    return false;
}

bool opevo_i_engine_pool_was_startable(const opevo_i_engine_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->workers[i].pid)
            return true;
    }
    return false;
}

static bool is_barred(const opevo_i_engine_task *task, size_t worker)
{
    for (unsigned i = 0; i < task->barred_count; i++) {
        if (task->barred[i].worker == worker)
            return true;
    }
    return false;
}

void opevo_i_engine_task_bar(opevo_i_engine_task *task, size_t worker, bool lost)
{
    if (task->barred_count == sizeof task->barred / sizeof *task->barred)
        return;
    task->barred[task->barred_count].worker = worker;
    task->barred[task->barred_count++].lost = lost;
}

void opevo_i_engine_task_put_off(opevo_i_engine_task *task, size_t worker)
{
    double wait_s = FAULT_WAIT_S;

    for (unsigned i = 0; i < task->faults; i++)
        wait_s *= FAULT_FACTOR;
    task->retry_s = opevo_clock_monotonic_s() + wait_s;
    task->faults++;
    opevo_i_engine_task_bar(task, worker, false);
}

bool opevo_i_engine_pool_may_take(const opevo_i_engine_pool *pool, const opevo_i_engine_task *task,
                                  size_t worker)
{
    if (!is_barred(task, worker))
        return true;
    for (size_t i = 0; i < pool->count; i++) {
        const opevo_i_engine_connection *other = &pool->workers[i];

        if (other->state != OPEVO_I_DOWN && !other->failed_starts && !is_barred(task, i))
            return false;
    }
    return true;
}

double opevo_i_engine_pool_pace(const opevo_i_engine_pool *pool,
                                const opevo_i_engine_connection *worker)
{
    double sum_s = 0;
    size_t known = 0;

    if (worker->pace_s > 0)
        return worker->pace_s;
    for (size_t i = 0; i < pool->count; i++) {
        sum_s += pool->workers[i].pace_s;
        known += pool->workers[i].pace_s > 0;
    }
    return known ? sum_s / (double)known : 0;
}

void opevo_i_engine_connection_note_pace(opevo_i_engine_connection *worker, double seconds)
{
    if (worker->pace_s > 0)
        worker->pace_s += LATEST * (seconds - worker->pace_s);
    else
        worker->pace_s = seconds;
}

bool opevo_i_engine_pool_lead_idle(opevo_i_engine_pool *pool)
{
    size_t found = pool->count;

    for (size_t i = 0; i < pool->count; i++) {
        const opevo_i_engine_connection *worker = &pool->workers[i];

        if (!worker->errand_count && (found == pool->count || worker->state == OPEVO_I_READY))
            found = i;
    }
    if (found < pool->count)
        pool->lead = found;
    return found < pool->count;
}

void opevo_i_engine_pool_choose_lead(opevo_i_engine_pool *pool)
{
    double best_s = INFINITY;

    pool->lead = 0;
    for (size_t i = 0; i < pool->count; i++) {
        const opevo_i_engine_connection *worker = &pool->workers[i];
        /* One that has measured nothing may hang. */
        double pace_s = worker->pace_s > 0 ? worker->pace_s : DBL_MAX;

        if (worker->state != OPEVO_I_READY || worker->losses || worker->faults || pace_s >= best_s)
            continue;
        best_s = pace_s;
        pool->lead = i;
    }
}

void opevo_i_engine_pool_pass_lead(opevo_i_engine_pool *pool)
{
    pool->lead = (pool->lead + 1) % pool->count;
}

bool opevo_i_engine_pool_is_uniform(const opevo_i_engine_pool *pool)
{
    const opevo_i_process_arguments *first = &pool->workers[0].command;

    for (size_t i = 1; i < pool->count; i++) {
        const opevo_i_process_arguments *other = &pool->workers[i].command;

        if (other->count != first->count)
            return false;
        for (size_t k = 0; k < first->count; k++) {
            if (strcmp(first->items[k], other->items[k]) != 0)
                return false;
        }
    }
    return true;
}

/* 0 for what is not there, or no size of anything. */
static uint64_t number_of(const json_t *facts, const char *name, uint64_t most)
{
    json_int_t value = json_integer_value(json_object_get(facts, name));

    return value > 0 && (uint64_t)value <= most ? (uint64_t)value : 0;
}

static void copy_text(const json_t *facts, const char *name, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(facts, name));

    snprintf(out, size, "%s", text ? text : "");
}

void opevo_i_engine_model_read(const json_t *facts, opevo_i_engine_model *out)
{
    enum { MOST_CORES = 1 << 20, MOST_BITS = 1 << 16 };

    copy_text(facts, "identity", out->identity, sizeof out->identity);
    copy_text(facts, "no_energy", out->no_energy, sizeof out->no_energy);
    out->cores = (unsigned)number_of(facts, "cores", MOST_CORES);
    out->facts =
        (opevo_device_facts){.vector_bits = (unsigned)number_of(facts, "vector_bits", MOST_BITS),
                             .l1_bytes = number_of(facts, "l1_bytes", INT64_MAX),
                             .l2_bytes = number_of(facts, "l2_bytes", INT64_MAX)};
}

bool opevo_i_engine_pool_refuses(const opevo_i_engine_pool *pool, const json_t *message,
                                 opevo_text *why)
{
    const char *kind = json_string_value(json_object_get(message, "kind"));
    const char *version = json_string_value(json_object_get(message, "version"));
    json_int_t protocol = json_integer_value(json_object_get(message, "protocol"));

    if (protocol != OPEVO_I_PROTOCOL)
        opevo_text_printf(
            why, "speaks protocol %lld instead of %d; use opevo-worker " OPEVO_VERSION "%s%.40s",
            (long long)protocol, (int)OPEVO_I_PROTOCOL, version ? ", not " : "",
            version ? version : "");
    else if (pool->kind && (!kind || strcmp(kind, pool->kind) != 0))
        opevo_text_printf(why, "measures on %.40s, not on %s; give its device as its argument",
                          kind ? kind : "nothing", pool->kind);
    return why->length > 0;
}
