/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What becomes of errands and of workers: results, faults, losses. A result that is not wanted any
 * more still says that its worker is sound. */

#include "pool_work_internal.h"

#include <opevo/clock.h>

#include <math.h>
#include <string.h>

/* A suspended worker is left alone for so long. */
#define RETRY_S 60.0

opevo_i_engine_errand *opevo_i_engine_work_find(opevo_i_engine_work *work, size_t worker,
                                                int64_t id)
{
    opevo_i_engine_connection *at = &work->pool->workers[worker];

    for (size_t i = 0; i < at->errand_count; i++) {
        if (at->errands[i].id == id)
            return &at->errands[i];
    }
    return NULL;
}

opevo_i_engine_errand *opevo_i_engine_work_started(opevo_i_engine_work *work, size_t worker)
{
    opevo_i_engine_connection *at = &work->pool->workers[worker];

    for (size_t i = 0; i < at->errand_count; i++) {
        if (at->errands[i].started)
            return &at->errands[i];
    }
    return NULL;
}

/* ---- Getting on ----------------------------------------------------------------------------- */

void opevo_i_engine_work_ready(opevo_i_engine_work *work, size_t worker)
{
    opevo_i_engine_connection *at = &work->pool->workers[worker];

    opevo_i_engine_connection_progress(at);
    at->state = OPEVO_I_READY;
    at->failed_starts = 0;
    at->result_s = at->progress_s;
    if (work->pool->launch)
        opevo_i_engine_launch_praise(work->pool->launch);
}

bool opevo_i_engine_work_start(opevo_i_engine_work *work, size_t worker,
                               opevo_i_engine_errand *errand)
{
    opevo_i_engine_connection *at = &work->pool->workers[worker];

    if (opevo_i_engine_work_started(work, worker))
        return false;
    opevo_i_engine_connection_progress(at);
    errand->started = true;
    errand->since_s = at->progress_s;
    if (errand->task)
        errand->task->hung = false;
    return true;
}

/* The errand is over. One that is dropped before its end would have taken longer, by as much again
 * for all that is known. */
static void end_errand(opevo_i_engine_connection *worker, opevo_i_engine_errand *errand, bool whole)
{
    double now = opevo_clock_monotonic_s();
    double took_s = now - fmin(now, fmax(errand->since_s, whole ? worker->result_s : 0));

    if (whole)
        opevo_i_engine_connection_note_pace(worker, took_s);
    else
        worker->pace_s = fmax(worker->pace_s, 2 * took_s);
    opevo_i_engine_work_remove(worker, errand);
    opevo_i_engine_connection_progress(worker);
    worker->result_s = now;
}

void opevo_i_engine_work_result(opevo_i_engine_work *work, size_t worker,
                                opevo_i_engine_errand *errand)
{
    opevo_i_engine_connection *at = &work->pool->workers[worker];
    opevo_i_engine_task *task = errand->task;

    end_errand(at, errand, true);
    at->losses = at->faults = 0;
    work->pool->blamed = 0;
    opevo_i_engine_pool_note_result(work->pool, worker);
    if (!task)
        return;
    at->measured += !task->aside;
    task->worker = worker;
    task->copies--;
    opevo_i_engine_work_finish(work, task);
}

bool opevo_i_engine_work_doubts(opevo_i_engine_work *work, size_t worker,
                                opevo_i_engine_errand *errand, bool ends)
{
    opevo_i_engine_connection *at = &work->pool->workers[worker];
    opevo_i_engine_task *task = errand->task;

    if (!task || (task->copies < 2 && !ends) || task->doubted)
        return false;
    task->doubted = true;
    opevo_i_engine_task_bar(task, worker, false);
    end_errand(at, errand, true);
    at->losses = at->faults = 0;
    opevo_i_engine_work_put_back(work, task);
    return true;
}

void opevo_i_engine_work_dropped(opevo_i_engine_work *work, size_t worker,
                                 opevo_i_engine_errand *errand)
{
    opevo_i_engine_connection *at = &work->pool->workers[worker];

    (void)work;
    if (errand == at->errands)
        end_errand(at, errand, false);
    else
        opevo_i_engine_work_remove(at, errand);
}

/* ---- Losing a worker ------------------------------------------------------------------------ */

/* The task has cost one sound worker after the other, whose hosts are not to blame; the last one is
 * not noted as lost yet. */
static void blame(opevo_i_engine_work *self, opevo_i_engine_task *task)
{
    self->pool->language->blame(self->pool, task);
    for (unsigned i = 0; i < task->barred_count; i++) {
        opevo_i_engine_connection *worker = &self->pool->workers[task->barred[i].worker];

        worker->losses = 0;
        if (task->barred[i].lost && i + 1 < task->barred_count)
            opevo_i_engine_connection_forget_failure(worker);
    }
    opevo_i_engine_work_finish(self, task);
    self->pool->blamed++;
}

/* Put its tasks back; what it was at has cost a worker. True: so many that it is blamed. */
static bool take_back(opevo_i_engine_work *self, size_t number)
{
    opevo_i_engine_pool *pool = self->pool;
    opevo_i_engine_connection *worker = &pool->workers[number];
    unsigned most = pool->attempts ? pool->attempts : OPEVO_I_ATTEMPTS;
    size_t count = worker->errand_count;
    bool blamed = false;

    worker->errand_count = 0;
    for (size_t i = 0; i < count; i++) {
        opevo_i_engine_task *task = worker->errands[i].task;

        if (!task)
            continue;
        opevo_i_engine_work_put_back(self, task);
        if (!worker->errands[i].started)
            continue;
        opevo_i_engine_task_bar(task, number, true);
        if (++task->attempts < most && !(task->hung && pool->hanging_decides))
            continue;
        blame(self, task);
        blamed = true;
    }
    return blamed;
}

void opevo_i_engine_work_renew(opevo_i_engine_work *work, size_t worker)
{
    take_back(work, worker);
    opevo_i_engine_connection_reap(&work->pool->workers[worker], 1);
}

void opevo_i_engine_work_clear_blame(opevo_i_engine_work *work, size_t worker)
{
    opevo_i_engine_errand *errand = opevo_i_engine_work_started(work, worker);

    if (errand)
        errand->started = false;
}

void opevo_i_engine_work_drop_worker(opevo_i_engine_work *work, size_t worker, const char *reason,
                                     bool at_once)
{
    opevo_i_engine_connection *at = &work->pool->workers[worker];
    const opevo_i_engine_errand *started = opevo_i_engine_work_started(work, worker);
    const char *words = NULL;
    size_t length = 0;
    bool greeted = at->state > OPEVO_I_GREETING; /* before that, its host is not known */
    bool blamed = false;

    if (at->state != OPEVO_I_READY)
        at->failed_starts++;
    else if (!started || !started->task || !started->task->attempts)
        at->losses++; /* else the task is known for it */
    blamed = take_back(work, worker);
    opevo_i_engine_connection_reap(at, at_once ? 0 : 1);
    words = opevo_text_string(&at->stderr_tail);
    length = strlen(words);
    while (length && strchr(" \r\n", words[length - 1]))
        length--;
    work->lacking = work->refused = false;
    opevo_text_clear(&work->pool->lost);
    opevo_text_printf(&work->pool->lost, "the worker %s %s", at->command.items[0], reason);
    if (length)
        opevo_text_printf(&work->pool->lost, ": %.*s", (int)(length < 600 ? length : 600), words);
    if (!blamed) {
        opevo_i_engine_connection_note_failure(at, opevo_text_string(&work->pool->lost));
        if (greeted)
            opevo_i_engine_pool_note_trouble(work->pool, worker);
    }
    at->retry_s =
        opevo_i_engine_connection_is_suspended(at) ? opevo_clock_monotonic_s() + RETRY_S : 0;
}

bool opevo_i_engine_work_fault(opevo_i_engine_work *work, size_t worker,
                               opevo_i_engine_errand *errand, const char *sentence)
{
    opevo_i_engine_connection *at = &work->pool->workers[worker];
    opevo_i_engine_task *task = errand->task;
    size_t length = strlen(sentence);

    length -= length && sentence[length - 1] == '.';
    opevo_i_engine_work_remove(at, errand);
    opevo_i_engine_connection_progress(at);
    at->faults++;
    opevo_i_engine_connection_note_failure(at, sentence);
    opevo_i_engine_pool_note_trouble(work->pool, worker);
    if (task) {
        opevo_i_engine_task_put_off(task, worker);
        opevo_i_engine_work_put_back(work, task);
        if (task->faults == OPEVO_I_ATTEMPTS && work->status == OPEVO_OK)
            work->status = OPEVO_FAIL(
                work->err, OPEVO_FAULT,
                "The host of the worker %s cannot measure, in %d attempts: %.*s; " OPEVO_I_MEND ".",
                at->command.items[0], (int)OPEVO_I_ATTEMPTS, (int)(length < 600 ? length : 600),
                sentence);
    }
    if (!opevo_i_engine_pool_can_spare(work->pool, worker))
        return true;
    opevo_i_engine_work_clear_blame(work, worker);
    opevo_i_engine_work_renew(work, worker);
    at->retry_s = opevo_clock_monotonic_s() + RETRY_S;
    return false;
}
