/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What workers say that measure: greeting, readiness, and what becomes of jobs. */

#include "measuring_internal.h"

#include "pool_work_internal.h"
#include "worker_commands_internal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void opevo_i_engine_measuring_clear(opevo_i_engine_measuring *measuring)
{
    opevo_i_wire_job_clear(&measuring->job);
    opevo_i_wire_result_clear(&measuring->result);
}

static char *give(const opevo_i_engine_pool *pool, opevo_i_engine_task *task, int64_t id)
{
    opevo_i_engine_measuring *self = (opevo_i_engine_measuring *)task;

    (void)pool;
    self->job.id = id;
    return opevo_i_wire_message_line(opevo_i_wire_job_to_json(&self->job));
}

static char *drop(int64_t id)
{
    return opevo_i_wire_message_line(
        json_pack("{s:s, s:I}", "type", "drop", "job", (json_int_t)id));
}

static void blame(const opevo_i_engine_pool *pool, opevo_i_engine_task *task)
{
    opevo_i_engine_measuring *self = (opevo_i_engine_measuring *)task;

    if (task->hung)
        opevo_i_wire_result_fail(
            &self->result, OPEVO_OUTCOME_TIMEOUT,
            "%d workers hung while they measured it, and were killed after %g s",
            (int)OPEVO_I_ATTEMPTS, pool->job_limit_s);
    else
        opevo_i_wire_result_fail(&self->result, OPEVO_OUTCOME_CRASHED,
                                 "%d workers died while they measured it", (int)OPEVO_I_ATTEMPTS);
}

/* ---- Hearing -------------------------------------------------------------------------------- */

static bool take_hello(opevo_i_engine_work *work, size_t number, const json_t *message)
{
    opevo_i_engine_pool *pool = work->pool;
    opevo_i_engine_connection *worker = &pool->workers[number];
    const char *device = json_string_value(json_object_get(message, "device"));
    json_int_t among = json_integer_value(json_object_get(message, "among"));
    const char *host = json_string_value(json_object_get(message, "host"));
    opevo_text why = {0};

    if (opevo_i_engine_pool_refuses(pool, message, &why)) {
        worker->failed_starts = UINT_MAX - 1;
        opevo_i_engine_work_drop_worker(work, number, opevo_text_string(&why), true);
        opevo_text_free(&why);
        return false;
    }
    snprintf(worker->device, sizeof worker->device, "%s", device ? device : "");
    snprintf(worker->host, sizeof worker->host, "%s", host ? host : "");
    opevo_i_engine_model_read(json_object_get(message, "facts"), &worker->model);
    if (pool->launch && !pool->expected && among > 1 && among <= OPEVO_I_WORKERS_MOST)
        pool->expected = (uint64_t)among;
    worker->depth = pool->builds ? worker->model.cores : 0;
    if (!opevo_i_engine_pool_hold(pool, number))
        opevo_i_engine_pool_set_up(pool, number);
    return true;
}

/* One of a version that does not know of threads would measure with one. */
static bool take_ready(opevo_i_engine_work *work, size_t number, const json_t *message)
{
    opevo_i_engine_connection *worker = &work->pool->workers[number];

    if (work->pool->threads > 1 &&
        json_integer_value(json_object_get(message, "threads")) != work->pool->threads)
        return false;
    worker->reference_s = json_number_value(json_object_get(message, "reference_s"));
    worker->unbounded = json_integer_value(json_object_get(message, "unbounded"));
    opevo_i_engine_work_ready(work, number);
    return true;
}

static bool take_result(opevo_i_engine_work *work, size_t number, opevo_i_engine_errand *errand,
                        const json_t *message)
{
    opevo_i_engine_measuring *self = (opevo_i_engine_measuring *)errand->task;
    opevo_i_wire_result result = {0};

    if (!opevo_i_wire_result_from_json(message, &result))
        return false;
    if (result.kind != OPEVO_OUTCOME_OK &&
        opevo_i_engine_work_doubts(work, number, errand, result.context_lost)) {
        opevo_i_wire_result_clear(&result);
        return true;
    }
    if (self) {
        opevo_i_wire_result_clear(&self->result);
        self->result = result;
    } else {
        opevo_i_wire_result_clear(&result);
    }
    opevo_i_engine_work_result(work, number, errand);
    return true;
}

/* It cannot continue, as it says; before it is ready, that is about what all jobs have in
 * common. */
static void take_error(opevo_i_engine_work *work, size_t number, const json_t *message,
                       const char *sentence)
{
    const opevo_i_engine_connection *worker = &work->pool->workers[number];
    bool refused = worker->state != OPEVO_I_READY && sentence && *sentence;
    char reason[600];

    snprintf(reason, sizeof reason, "says: %.500s", sentence ? sentence : "an error");
    opevo_i_engine_work_clear_blame(work, number);
    opevo_i_engine_work_drop_worker(work, number, reason, false);
    work->unable = json_is_true(json_object_get(message, "fault"));
    /* Workers of one command would all say the same: their number and name explain nothing. */
    work->refused =
        refused && (work->to - work->from == 1 || opevo_i_engine_pool_is_uniform(work->pool));
    if (work->refused) {
        opevo_text_clear(&work->pool->lost);
        opevo_text_add(&work->pool->lost, sentence);
    }
}

/* About a job that it has. *good: whether it may be said; false: the worker is lost. */
static bool handle_job_message(opevo_i_engine_work *work, size_t number, const json_t *message,
                               const char *type, bool *good)
{
    const char *sentence = json_string_value(json_object_get(message, "message"));
    opevo_i_engine_errand *errand =
        opevo_i_engine_work_find(work, number, json_integer_value(json_object_get(message, "job")));

    *good = errand != NULL;
    if (!errand)
        return true;
    if (!strcmp(type, "started")) {
        *good = opevo_i_engine_work_start(work, number, errand);
    } else if (!strcmp(type, "fault")) {
        *good = sentence && *sentence;
        if (*good && !opevo_i_engine_work_fault(work, number, errand, sentence))
            return false;
    } else if (!strcmp(type, "dropped")) {
        *good = errand->task == NULL;
        if (*good)
            opevo_i_engine_work_dropped(work, number, errand);
    } else {
        *good = !strcmp(type, "result") && take_result(work, number, errand, message);
    }
    if (!*good || !json_is_true(json_object_get(message, "context_lost")))
        return true;
    opevo_i_engine_work_renew(work, number);
    return false;
}

static bool handle_message(opevo_i_engine_work *work, size_t number, const json_t *message)
{
    const opevo_i_engine_connection *worker = &work->pool->workers[number];
    const char *type = json_string_value(json_object_get(message, "type"));
    bool good = type != NULL;

    if (good && !strcmp(type, "error")) {
        take_error(work, number, message, json_string_value(json_object_get(message, "message")));
        return false;
    }
    if (good && !strcmp(type, "hello") && worker->state == OPEVO_I_GREETING) {
        if (!take_hello(work, number, message))
            return false;
    } else if (good && !strcmp(type, "ready") && worker->state == OPEVO_I_SETTING) {
        good = take_ready(work, number, message);
    } else if (good && worker->state == OPEVO_I_READY) {
        if (!handle_job_message(work, number, message, type, &good))
            return false;
    } else {
        good = false;
    }
    if (!good) {
        opevo_i_engine_work_clear_blame(work, number);
        opevo_i_engine_work_drop_worker(
            work, number, "speaks another protocol; use one of the same version", true);
    }
    return good;
}

const opevo_i_engine_language opevo_i_engine_measuring_language = {.greets = true,
                                                                   .repeats = true,
                                                                   .give = give,
                                                                   .drop = drop,
                                                                   .handle_message = handle_message,
                                                                   .blame = blame};
