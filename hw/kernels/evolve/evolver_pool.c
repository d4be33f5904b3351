/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Requests to workers opevo-evolver as tasks of a pool. A worker has one at a time, and answers in
 * order. One that dies is started again, and its request given to another once more: it may have
 * been killed from outside. What kills a second worker is at fault itself, and so is what is not
 * answered in time. */

#include "evolver_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

#include "pool_work_internal.h"

#define LOAD_S 600.0 /* the base is evaluated */

char *opevo_i_evolve_request_line(json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    char *line = text ? malloc(strlen(text) + 2) : NULL;

    if (line)
        sprintf(line, "%s\n", text);
    free(text);
    json_decref(message);
    return line;
}

void opevo_i_evolve_request_clear(opevo_i_evolve_request *request)
{
    free(request->line);
    json_decref(request->reply);
    *request = (opevo_i_evolve_request){.line = NULL};
}

/* ---- What workers say ------------------------------------------------------------------------ */

static char *give(const opevo_i_engine_pool *pool, opevo_i_engine_task *task, int64_t id)
{
    (void)pool;
    (void)id;
    return strdup(((opevo_i_evolve_request *)task)->line);
}

static void blame(const opevo_i_engine_pool *pool, opevo_i_engine_task *task)
{
    (void)pool;
    ((opevo_i_evolve_request *)task)->answer = task->hung ? OPEVO_I_OVERDUE : OPEVO_I_DIED;
}

/* While it waits for a device that others measure on, no limit of time runs. */
static void note_wait(opevo_i_engine_work *work, size_t number, bool waits)
{
    opevo_i_engine_connection *worker = &work->pool->workers[number];
    opevo_i_engine_errand *errand = opevo_i_engine_work_started(work, number);

    worker->waits = waits;
    opevo_i_engine_connection_progress(worker);
    if (errand)
        errand->since_s = worker->progress_s;
}

static bool take_loaded(opevo_i_engine_work *work, size_t number, const json_t *reply)
{
    opevo_i_evolve_evolver_pool *pool = (opevo_i_evolve_evolver_pool *)work->pool;

    work->status = opevo_i_evolve_reply_check(reply, work->err);
    pool->refused = work->status != OPEVO_OK;
    if (pool->refused)
        return false;
    if (!pool->loaded)
        pool->loaded = json_incref((json_t *)reply);
    opevo_i_engine_work_ready(work, number);
    return true;
}

static bool handle_message(opevo_i_engine_work *work, size_t number, const json_t *reply)
{
    const opevo_i_engine_connection *worker = &work->pool->workers[number];
    const json_t *waits = json_object_get(reply, "waits");
    opevo_i_engine_errand *errand = opevo_i_engine_work_started(work, number);
    opevo_i_evolve_request *request = errand ? (opevo_i_evolve_request *)errand->task : NULL;

    if (!json_is_object(reply)) {
        opevo_i_engine_work_drop_worker(work, number, "answers what is not a JSON object", true);
        return false;
    }
    if (waits)
        note_wait(work, number, json_is_true(waits));
    else if (worker->state == OPEVO_I_SETTING)
        return take_loaded(work, number, reply);
    else if (request) {
        request->reply = json_incref((json_t *)reply);
        request->answer = OPEVO_I_ANSWERED;
        opevo_i_engine_work_result(work, number, errand);
    }
    return true;
}

static const opevo_i_engine_language language = {
    .silent = true, .give = give, .handle_message = handle_message, .blame = blame};

/* ---- Serving --------------------------------------------------------------------------------- */

typedef struct service {
    opevo_i_evolve_request *requests;
    size_t count, given;
    opevo_i_evolve_request_sink sink;
    void *context;
} service;

static opevo_status next_request(void *context, opevo_i_engine_task **task, bool *over,
                                 opevo_error *err)
{
    service *self = context;

    (void)over;
    (void)err;
    *task = self->given < self->count ? &self->requests[self->given++].super : NULL;
    return OPEVO_OK;
}

static opevo_status take_answer(void *context, opevo_i_engine_task *task, opevo_error *err)
{
    const service *self = context;
    opevo_i_evolve_request *request = (opevo_i_evolve_request *)task;

    return self->sink(self->context, (size_t)(request - self->requests), request, err);
}

opevo_status opevo_i_evolve_evolver_serve_from(opevo_i_evolve_evolver_pool *pool,
                                               const opevo_i_engine_source *source,
                                               const opevo_interrupt *interrupt, opevo_error *err)
{
    const opevo_interrupt *outer = pool->super.interrupt;
    bool within = pool->serves;
    opevo_status status = OPEVO_OK;

    if (within && !opevo_i_engine_pool_lead_idle(&pool->super))
        return OPEVO_FAIL(err, OPEVO_INVALID, "All workers have requests.");
    pool->serves = true;
    if (!within)
        pool->super.interrupt = interrupt;
    status = opevo_i_engine_pool_run(&pool->super, source, within, err);
    pool->super.interrupt = outer;
    pool->serves = within;
    return status;
}

opevo_status opevo_i_evolve_evolver_serve(opevo_i_evolve_evolver_pool *pool,
                                          opevo_i_evolve_request *requests, size_t count,
                                          const opevo_interrupt *interrupt,
                                          opevo_i_evolve_request_sink sink, void *context,
                                          opevo_error *err)
{
    service self = {.requests = requests, .count = count, .sink = sink, .context = context};
    opevo_i_engine_source source = {.next = next_request, .done = take_answer, .context = &self};

    return opevo_i_evolve_evolver_serve_from(pool, &source, interrupt, err);
}

opevo_status opevo_i_evolve_evolver_pool_make(opevo_i_evolve_evolver_pool *pool, size_t count,
                                              double timeout_s, opevo_error *err)
{
    pool->super = (opevo_i_engine_pool){.language = &language,
                                        .depth = 1,
                                        .lazy = true,
                                        .attempts = 2,
                                        .hanging_decides = true,
                                        .start_limit_s = LOAD_S,
                                        .job_limit_s = timeout_s,
                                        .silence_s = timeout_s};
    return opevo_i_engine_pool_make(&pool->super, count, err);
}

opevo_status opevo_i_evolve_evolver_pool_begin(opevo_i_evolve_evolver_pool *pool, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_i_engine_pool_meet(&pool->super, NULL, &inner);

    if (status != OPEVO_IO || pool->refused)
        return status == OPEVO_OK ? status : OPEVO_FAIL(err, status, "%s", inner.message);
    if (opevo_i_engine_pool_was_startable(&pool->super))
        return OPEVO_FAIL(err, OPEVO_FAULT, "%s", inner.message);
    return OPEVO_FAIL(err, status,
                      "%.700s Editing kernels needs LLVM: install the package opevo-evolver, or "
                      "llvm-19-dev and build opevo again with gcc, or clang 15 or newer, or name "
                      "the worker by OPEVO_EVOLVER.",
                      inner.message);
}

void opevo_i_evolve_evolver_pool_clear(opevo_i_evolve_evolver_pool *pool)
{
    opevo_i_engine_pool_clear(&pool->super);
    json_decref(pool->loaded);
    *pool = (opevo_i_evolve_evolver_pool){.loaded = NULL};
}

static opevo_status ignore(void *context, size_t i, opevo_i_evolve_request *request,
                           opevo_error *err)
{
    (void)context;
    (void)i;
    (void)request;
    (void)err;
    return OPEVO_OK;
}

opevo_status opevo_i_evolve_evolver_ask(opevo_evolver *self, json_t *message,
                                        opevo_i_evolve_request *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_i_evolve_request_clear(out);
    out->super.aside = true;
    out->line = opevo_i_evolve_request_line(message);
    OPEVO_NEED_OR_RETURN(out->line, "a request");
    pthread_mutex_lock(&self->lock);
    status = opevo_i_evolve_evolver_serve(&self->pool, out, 1, NULL, ignore, NULL, err);
    pthread_mutex_unlock(&self->lock);
    return status;
}

opevo_status opevo_i_evolve_evolver_check_text(const char *what, const char *text, opevo_error *err)
{
    json_t *carried = json_string(text ? text : "");

    json_decref(carried);
    return carried ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_INVALID, "%s is not UTF-8 text.", what);
}
