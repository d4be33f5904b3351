/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each worker has one request at a time. One that dies is started again, and its request given to
 * another once more: it may have been killed from outside. What kills a second worker is at fault
 * itself. Workers are started when there is something to do for them. */

#include "evolver_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MOST = 2, STARTS_MOST = 3 };

static const double slice_s = 0.2; /* between looks at the interrupt */
static const double load_s = 600;  /* the base is evaluated */

char *opevo_i_request_line(json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    char *line = text ? malloc(strlen(text) + 2) : NULL;

    if (line)
        sprintf(line, "%s\n", text);
    free(text);
    json_decref(message);
    return line;
}

void opevo_i_request_clear(opevo_i_request *request)
{
    free(request->line);
    json_decref(request->reply);
    *request = (opevo_i_request){.line = NULL};
}

/* ---- One worker ------------------------------------------------------------------------------ */

static opevo_status start(opevo_i_evolver_pool *pool, opevo_i_evolver_worker *worker,
                          opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_i_connection_start(&worker->link, &inner);

    if (status == OPEVO_IO)
        return OPEVO_FAIL(
            err, status,
            "%s Editing kernels needs LLVM: install the package opevo-evolver, or "
            "llvm-19-dev and build opevo again with gcc, or clang 15 or newer, or name "
            "the worker by OPEVO_EVOLVER.",
            inner.message);
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "%s", inner.message);
    worker->link.state = OPEVO_I_SETTING;
    worker->loading = true;
    worker->due_s = opevo_clock_monotonic_s() + load_s;
    opevo_i_connection_say(&worker->link, pool->load);
    return OPEVO_OK;
}

static opevo_status fail_loading(opevo_i_evolver_worker *worker, bool overdue, opevo_error *err)
{
    const char *words = opevo_text_string(&worker->link.stderr_tail);

    return OPEVO_FAIL(
        err, OPEVO_FAULT, "The worker %.200s %s before it had loaded the kernel%s%.600s",
        worker->link.command.items[0], overdue ? "hung" : "ended", *words ? ": " : ".", words);
}

/* Its process is gone, or is to go. */
static opevo_status lose(opevo_i_evolver_worker *worker, bool overdue, opevo_error *err)
{
    opevo_i_request *request = worker->at;
    opevo_status status = OPEVO_OK;

    opevo_i_connection_bury(&worker->link, 0);
    if (worker->loading && ++worker->link.losses >= STARTS_MOST)
        status = fail_loading(worker, overdue, err);
    worker->loading = false;
    worker->at = NULL;
    if (!request)
        return status;
    request->taken = false;
    if (overdue || ++request->tries == TRIES_MOST) {
        request->answer = overdue ? OPEVO_I_OVERDUE : OPEVO_I_DIED;
        request->done = true;
    }
    return status;
}

static void give(opevo_i_evolver_pool *pool, opevo_i_evolver_worker *worker,
                 opevo_i_request *request)
{
    request->taken = true;
    worker->at = request;
    worker->due_s = opevo_clock_monotonic_s() + pool->timeout_s;
    opevo_i_connection_progress(&worker->link);
    opevo_i_connection_say(&worker->link, request->line);
}

static opevo_status take_loaded(opevo_i_evolver_pool *pool, opevo_i_evolver_worker *worker,
                                json_t *reply, opevo_error *err)
{
    opevo_status status = opevo_i_reply_check(reply, err);

    worker->loading = false;
    worker->link.state = OPEVO_I_READY;
    worker->link.losses = 0;
    if (status == OPEVO_OK && !pool->loaded)
        pool->loaded = json_incref(reply);
    return status;
}

/* While it waits for a device that others measure on, no limit of time runs. */
static void note_wait(const opevo_i_evolver_pool *pool, opevo_i_evolver_worker *worker, bool waits)
{
    double limit_s = worker->loading ? load_s : pool->timeout_s;

    worker->due_s = waits ? INFINITY : opevo_clock_monotonic_s() + limit_s;
}

/* What it says in a line; the request that a reply completes is done. */
static opevo_status heed(opevo_i_evolver_pool *pool, opevo_i_evolver_worker *worker,
                         const char *line, opevo_error *err)
{
    json_t *reply = json_loads(line, 0, NULL);
    const json_t *waits = json_object_get(reply, "waits");
    opevo_status status = OPEVO_OK;

    if (!reply)
        return lose(worker, false, err);
    if (waits) {
        note_wait(pool, worker, json_is_true(waits));
    } else if (worker->loading) {
        status = take_loaded(pool, worker, reply, err);
    } else if (worker->at) {
        worker->at->reply = json_incref(reply);
        worker->at->answer = OPEVO_I_ANSWERED;
        worker->at->done = true;
        worker->at = NULL;
    }
    json_decref(reply);
    return status;
}

static opevo_status hear(opevo_i_evolver_pool *pool, opevo_i_evolver_worker *worker,
                         opevo_error *err)
{
    bool up = opevo_i_connection_read(&worker->link);
    bool heard = false;
    opevo_status status = OPEVO_OK;

    while (status == OPEVO_OK && worker->link.state != OPEVO_I_DOWN &&
           opevo_i_line_reader_ready(&worker->link.lines)) {
        heard = true;
        status = heed(pool, worker, opevo_i_line_reader_next(&worker->link.lines), err);
    }
    return status == OPEVO_OK && !up && !heard ? lose(worker, false, err) : status;
}

/* ---- All workers ----------------------------------------------------------------------------- */

/* Wait for something, at most a slice, and take what came. */
static opevo_status turn(opevo_i_evolver_pool *pool, opevo_error *err)
{
    struct pollfd *wait = opevo_calloc(3 * pool->count, sizeof *wait);
    opevo_status status = OPEVO_OK;
    double due_s = opevo_clock_monotonic_s() + slice_s;

    if (!wait)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to wait for workers.");
    for (size_t i = 0; i < pool->count; i++) {
        opevo_i_evolver_worker *worker = &pool->workers[i];
        bool busy = worker->link.state != OPEVO_I_DOWN && (worker->loading || worker->at);
        bool more = busy && worker->link.sent < worker->link.outgoing.length;

        if (busy && !opevo_i_connection_flush(&worker->link))
            more = false; /* gone, which its output says too */
        wait[3 * i] = (struct pollfd){.fd = busy ? worker->link.out : -1, .events = POLLIN};
        wait[3 * i + 1] = (struct pollfd){.fd = busy ? worker->link.error : -1, .events = POLLIN};
        wait[3 * i + 2] = (struct pollfd){.fd = more ? worker->link.in : -1, .events = POLLOUT};
        if (busy)
            due_s = fmin(due_s, worker->due_s);
    }
    poll(wait, 3 * pool->count, (int)ceil(1e3 * fmax(0, due_s - opevo_clock_monotonic_s())));
    for (size_t i = 0; i < pool->count && status == OPEVO_OK; i++) {
        opevo_i_evolver_worker *worker = &pool->workers[i];

        if (wait[3 * i].fd < 0)
            continue;
        if (wait[3 * i].revents || wait[3 * i + 1].revents)
            status = hear(pool, worker, err);
        if (status == OPEVO_OK && (worker->loading || worker->at) &&
            opevo_clock_monotonic_s() >= worker->due_s)
            status = lose(worker, true, err);
    }
    opevo_free(wait);
    return status;
}

static opevo_i_request *next_request(opevo_i_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!requests[i].done && !requests[i].taken)
            return &requests[i];
    }
    return NULL;
}

/* Start as many as there is work for, and give each that is ready some. */
static opevo_status employ(opevo_i_evolver_pool *pool, opevo_i_request *requests, size_t count,
                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t open = 0;

    for (size_t i = 0; i < count; i++)
        open += !requests[i].done && !requests[i].taken;
    for (size_t i = 0; i < pool->count && open > 0 && status == OPEVO_OK; i++) {
        opevo_i_evolver_worker *worker = &pool->workers[i];

        if (worker->at)
            continue;
        if (worker->link.state == OPEVO_I_DOWN)
            status = start(pool, worker, err);
        else if (!worker->loading)
            give(pool, worker, next_request(requests, count));
        open--;
    }
    return status;
}

/* Whether a worker still does what nobody waits for: end it. */
static void abandon(opevo_i_evolver_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->workers[i].at || pool->workers[i].loading)
            lose(&pool->workers[i], true, NULL);
    }
}

opevo_status opevo_i_evolver_serve(opevo_i_evolver_pool *pool, opevo_i_request *requests,
                                   size_t count, const opevo_interrupt *interrupt,
                                   opevo_i_request_sink sink, void *context, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool *told = opevo_calloc(count, sizeof *told);
    size_t left = count;

    if (!told)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu requests.", count);
    while (left > 0) {
        if (opevo_interrupt_is_raised(interrupt)) {
            status = OPEVO_FAIL(err, OPEVO_INTERRUPTED, "Interrupted.");
            goto cleanup;
        }
        OPEVO_TRY(employ(pool, requests, count, err));
        OPEVO_TRY(turn(pool, err));
        for (size_t i = 0; i < count; i++) {
            if (told[i] || !requests[i].done)
                continue;
            told[i] = true;
            left--;
            OPEVO_TRY(sink(context, i, &requests[i], err));
        }
    }
cleanup:
    if (status != OPEVO_OK)
        abandon(pool);
    opevo_free(told);
    return status;
}

opevo_status opevo_i_evolver_pool_begin(opevo_i_evolver_pool *pool, opevo_error *err)
{
    opevo_status status = start(pool, &pool->workers[0], err);

    while (status == OPEVO_OK && !pool->loaded) {
        if (pool->workers[0].link.state == OPEVO_I_DOWN)
            status = start(pool, &pool->workers[0], err);
        if (status == OPEVO_OK)
            status = turn(pool, err);
    }
    return status;
}

void opevo_i_evolver_pool_clear(opevo_i_evolver_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        opevo_i_connection_hang_up(&pool->workers[i].link);
    for (size_t i = 0; i < pool->count; i++)
        opevo_i_connection_clear(&pool->workers[i].link);
    opevo_free(pool->workers);
    free(pool->load);
    json_decref(pool->loaded);
    *pool = (opevo_i_evolver_pool){.count = 0};
}
