/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loop that starts workers, hands out tasks, waits for results and replaces lost workers. */

#include "pool_work_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <limits.h>
#include <math.h>
#include <poll.h>

#include "keeper_internal.h"

#define RETRY_S 60.0 /* a suspended worker is left alone for so long */
#define LOOK_S 0.2   /* an interrupt is seen after so long, whichever thread its signal went to */

/* ---- Hearing from a worker ------------------------------------------------------------------ */

static const char *why_gone(const opevo_i_engine_pool *pool,
                            const opevo_i_engine_connection *worker)
{
    if (worker->lines.unparsed_bytes >= OPEVO_I_WORKER_BYTES)
        return "sends endless output";
    return pool->language->greets || worker->state == OPEVO_I_READY ? "ended"
                                                                    : "ended before it was ready";
}

/* Before it says hello, a launcher may print what it likes. */
static void handle_lines(opevo_i_engine_work *self, size_t number)
{
    opevo_i_engine_connection *worker = &self->pool->workers[number];
    bool queued = opevo_i_engine_connection_is_queued(worker);
    bool there = opevo_i_engine_connection_read(worker);
    const char *line = NULL;

    if (queued) /* its time to greet begins when it has left the queue */
        opevo_i_engine_connection_progress(worker);
    while (worker->state != OPEVO_I_DOWN &&
           (line = opevo_i_wire_line_reader_next(&worker->lines)) != NULL) {
        json_t *message = json_loads(line, 0, NULL);
        bool good = true;

        if (json_is_object(message) || worker->state != OPEVO_I_GREETING)
            good = self->pool->language->handle_message(self, number, message);
        json_decref(message);
        if (!good)
            return;
    }
    if (!there && worker->state != OPEVO_I_DOWN)
        opevo_i_engine_work_drop_worker(self, number, why_gone(self->pool, worker), false);
}

/* ---- Keeping workers busy ------------------------------------------------------------------- */

static void start_worker(opevo_i_engine_work *self, opevo_i_engine_connection *worker, double now)
{
    opevo_error err = {OPEVO_OK, ""};

    if (opevo_i_engine_connection_start(worker, &err) == OPEVO_OK) {
        if (!self->pool->language->greets) {
            worker->state = OPEVO_I_SETTING;
            opevo_i_engine_connection_say(worker, self->pool->setup);
        }
        return;
    }
    opevo_text_clear(&self->pool->lost);
    opevo_text_add(&self->pool->lost, err.message);
    self->lacking = err.status == OPEVO_FAULT;
    self->refused = false;
    opevo_i_engine_connection_note_failure(worker, err.message);
    worker->failed_starts = self->lacking ? worker->failed_starts + 1 : UINT_MAX - 1;
    worker->retry_s = now + (opevo_i_engine_connection_is_suspended(worker) ? RETRY_S : 1);
}

static void start_workers(opevo_i_engine_work *self)
{
    double now = opevo_clock_monotonic_s();
    size_t most = self->pool->lazy && self->left > 0 ? self->left : 1;
    size_t up = 0;

    if (self->pool->launch) {
        opevo_i_engine_work_admit(self);
        return;
    }
    for (size_t i = self->from; i < self->to; i++)
        up += self->pool->workers[i].state != OPEVO_I_DOWN;
    for (size_t i = self->from; i < self->to && (!self->pool->lazy || up < most); i++) {
        opevo_i_engine_connection *worker = &self->pool->workers[i];

        if (worker->state != OPEVO_I_DOWN || worker->retry_s > now)
            continue;
        start_worker(self, worker, now);
        up += worker->state != OPEVO_I_DOWN;
    }
}

/* When the worker will have taken too long; INFINITY when nothing is expected of it. A task that
 * has started is due to end; before that, it may be building in silence. */
static double deadline_of(opevo_i_engine_work *self, size_t number, opevo_i_engine_errand **late)
{
    const opevo_i_engine_connection *worker = &self->pool->workers[number];

    *late = NULL;
    if (worker->state == OPEVO_I_DOWN)
        return worker->called ? INFINITY : worker->retry_s;
    if (worker->held_s > 0)
        return worker->held_s;
    if (worker->waits || opevo_i_engine_connection_is_queued(worker))
        return INFINITY;
    if (worker->state != OPEVO_I_READY)
        return worker->progress_s + self->pool->start_limit_s;
    if (!worker->errand_count)
        return INFINITY;
    *late = opevo_i_engine_work_started(self, number);
    return *late ? (*late)->since_s + self->pool->job_limit_s
                 : worker->progress_s + self->pool->silence_s;
}

static void enforce_deadlines(opevo_i_engine_work *self)
{
    double now = opevo_clock_monotonic_s();

    for (size_t i = self->from; i < self->to; i++) {
        opevo_i_engine_errand *late = NULL;

        if (self->pool->workers[i].state == OPEVO_I_DOWN || self->pool->workers[i].held_s > 0 ||
            deadline_of(self, i, &late) > now)
            continue;
        if (late && late->task)
            late->task->hung = true;
        opevo_i_engine_work_drop_worker(self, i, late ? "hung" : "has been silent for too long",
                                        true);
    }
}

static opevo_status check_hope(const opevo_i_engine_work *self, opevo_error *err)
{
    size_t length = 0;

    if (self->pool->blamed_most && self->pool->blamed >= self->pool->blamed_most)
        return OPEVO_FAIL(
            err, OPEVO_IO,
            "No worker is left: %u jobs in a row killed all their workers; the last: %.800s.",
            self->pool->blamed, opevo_text_string(&self->pool->lost));
    if (self->pool->launch)
        return opevo_i_engine_work_hope(self, err);
    for (size_t i = self->from; i < self->to; i++) {
        const opevo_i_engine_connection *worker = &self->pool->workers[i];

        if (worker->state != OPEVO_I_DOWN || !opevo_i_engine_connection_is_suspended(worker))
            return OPEVO_OK;
    }
    if (self->refused)
        return OPEVO_FAIL(err, self->unable ? OPEVO_FAULT : OPEVO_IO, "%.900s",
                          opevo_text_string(&self->pool->lost));
    length = self->pool->lost.length;
    length -= length && self->pool->lost.data[length - 1] == '.';
    return OPEVO_FAIL(err, self->lacking ? OPEVO_FAULT : OPEVO_IO, "No worker is left: %.*s%s.",
                      (int)(length < 900 ? length : 900), opevo_text_string(&self->pool->lost),
                      self->lacking ? "; " OPEVO_I_MEND : "");
}

/* When something is to be done although nobody says anything. */
static double due_at(opevo_i_engine_work *self)
{
    double now = opevo_clock_monotonic_s();
    double due_s = self->look_s;

    if (self->pool->launch)
        due_s = fmin(due_s, opevo_i_engine_launch_due_s(self->pool->launch));
    for (size_t i = self->from; i < self->to; i++) {
        opevo_i_engine_errand *late = NULL;

        due_s = fmin(due_s, deadline_of(self, i, &late));
    }
    for (const opevo_i_engine_task *task = self->open ? self->first : NULL; task;
         task = task->next) {
        if (task->stage == OPEVO_I_OPEN && task->retry_s > now)
            due_s = fmin(due_s, task->retry_s);
    }
    return due_s;
}

static opevo_status poll_once(opevo_i_engine_work *self, opevo_error *err)
{
    size_t count = self->to - self->from;
    size_t polls = 3 * count + (self->pool->launch ? OPEVO_I_LAUNCH_POLLS : 0);
    struct pollfd *wait = opevo_calloc(polls, sizeof *wait);
    double left_s = due_at(self) - opevo_clock_monotonic_s();

    OPEVO_NEED_OR_RETURN(wait, "waiting for workers");
    for (size_t i = self->from; i < self->to; i++) {
        const opevo_i_engine_connection *worker = &self->pool->workers[i];
        bool up = worker->state != OPEVO_I_DOWN;
        bool more = worker->outgoing.length > 0;
        struct pollfd *at = wait + 3 * (i - self->from);

        at[0] = (struct pollfd){.fd = up ? worker->out : -1, .events = POLLIN};
        at[1] = (struct pollfd){.fd = up ? worker->error : -1, .events = POLLIN};
        at[2] = (struct pollfd){.fd = up && more ? worker->in : -1, .events = POLLOUT};
    }
    if (self->pool->launch)
        opevo_i_engine_launch_watch(self->pool->launch, wait + 3 * count);
    left_s = fmax(0, fmin(left_s, self->pool->interrupt ? LOOK_S : 3600));
    poll(wait, polls, (int)ceil(1e3 * left_s));
    for (size_t i = self->from; i < self->to; i++) {
        const struct pollfd *at = wait + 3 * (i - self->from);

        if (at[0].revents || at[1].revents)
            handle_lines(self, i);
    }
    opevo_free(wait);
    return OPEVO_OK;
}

/* What cannot be written shows when reading: then the worker is gone. */
static void flush_workers(const opevo_i_engine_work *self)
{
    for (size_t i = self->from; i < self->to; i++) {
        if (self->pool->workers[i].state != OPEVO_I_DOWN)
            opevo_i_engine_connection_flush(&self->pool->workers[i]);
    }
}

static bool is_done(const opevo_i_engine_work *self)
{
    return self->left == 0 && self->exhausted;
}

static bool has_met(const opevo_i_engine_work *self)
{
    opevo_i_engine_state met =
        self->pool->language->greets ? OPEVO_I_SETTING : OPEVO_I_READY; /* or further */

    for (size_t i = self->from; i < self->to; i++) {
        if (self->pool->workers[i].state >= met)
            return true;
    }
    return false;
}

static opevo_status work_until(opevo_i_engine_work *self,
                               bool (*is_over)(const opevo_i_engine_work *), opevo_error *err)
{
    opevo_i_engine_pool *pool = self->pool;
    opevo_status status = OPEVO_OK;

    for (;;) {
        if (opevo_interrupt_is_raised(pool->interrupt)) {
            status = opevo_i_engine_work_interrupted(self, err);
            goto cleanup;
        }
        if (self->source)
            OPEVO_TRY(opevo_i_engine_work_dispatch(self, err));
        if (is_over(self))
            break;
        start_workers(self);
        OPEVO_TRY(check_hope(self, err));
        flush_workers(self);
        OPEVO_TRY(poll_once(self, err));
        enforce_deadlines(self);
        OPEVO_TRY(self->status);
    }
    flush_workers(self);
cleanup:
    for (size_t i = self->from; i < self->to && status != OPEVO_OK; i++)
        opevo_i_engine_connection_reap(&pool->workers[i],
                                       0); /* what is in hand belongs to nobody */
    return status;
}

opevo_status opevo_i_engine_pool_meet(opevo_i_engine_pool *pool, opevo_i_engine_model *out,
                                      opevo_error *err)
{
    opevo_i_engine_work self = {
        .pool = pool, .exhausted = true, .look_s = INFINITY, .to = pool->count, .err = err};
    opevo_status status = work_until(&self, has_met, err);

    for (size_t i = pool->count; out && i-- > 0 && status == OPEVO_OK;) {
        if (pool->workers[i].state > OPEVO_I_GREETING)
            *out = pool->workers[i].model;
    }
    return status;
}

opevo_status opevo_i_engine_pool_run(opevo_i_engine_pool *pool, const opevo_i_engine_source *source,
                                     bool alone, opevo_error *err)
{
    opevo_i_engine_work self = {.pool = pool,
                                .source = source,
                                .look_s = INFINITY,
                                .from = alone ? pool->lead : 0,
                                .to = alone ? pool->lead + 1 : pool->count,
                                .alone = alone,
                                .err = err};

    return work_until(&self, is_done, err);
}
