/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loop that starts workers, hands out jobs, waits for results and replaces lost workers. */

#include "pool_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keeper_internal.h"

/* A suspended worker is left alone for RETRY_S; so many jobs in a row that cost all their workers
 * are not the reason. */
enum { BLAMED = 3, RETRY_S = 60 };

#define MEND "fix that (free disk space, memory or processes), then repeat the command"

#define PATIENCE_S 2.0 /* of which workers have one together to end by themselves */
#define LOOK_S 0.2     /* an interrupt is seen after so long, whichever thread its signal went to */

typedef struct work {
    opevo_i_pool *pool;
    opevo_i_task *tasks;
    size_t count;
    size_t left;         /* not DONE */
    size_t first;        /* no task before it is OPEN */
    size_t from, to;     /* the members that may be used */
    bool lacking;        /* because this host lacks something */
    bool refused;        /* by its own words, before any task; `lost` is what it said */
    bool unable;         /* and its host is why */
    opevo_status status; /* of who is told of tasks that are done */
    opevo_error *err;
} work;

void opevo_i_task_clear(opevo_i_task *task)
{
    opevo_i_job_clear(&task->job);
    opevo_i_result_clear(&task->result);
}

void opevo_i_pool_rest(opevo_i_pool *pool)
{
    double deadline = opevo_clock_monotonic_s() + PATIENCE_S;

    for (size_t i = 0; i < pool->count; i++)
        opevo_i_connection_hang_up(&pool->members[i]);
    for (size_t i = 0; i < pool->count; i++)
        opevo_i_connection_bury(&pool->members[i], deadline - opevo_clock_monotonic_s());
}

void opevo_i_pool_clear(opevo_i_pool *pool)
{
    opevo_i_pool_rest(pool);
    for (size_t i = 0; i < pool->count; i++)
        opevo_i_connection_clear(&pool->members[i]);
    opevo_text_free(&pool->lost);
    opevo_free(pool->members);
    free(pool->setup);
    *pool = (opevo_i_pool){0};
}

/* ---- Losing a worker ------------------------------------------------------------------------ */

static void finish(work *self, opevo_i_task *task)
{
    task->stage = OPEVO_I_DONE;
    self->left--;
    if (self->pool->done && self->status == OPEVO_OK)
        self->status =
            self->pool->done(self->pool->done_context, (size_t)(task - self->tasks), self->err);
}

/* The job has cost one sound worker after the other. */
static void blame(work *self, opevo_i_task *task)
{
    if (task->hung)
        opevo_i_result_fail(&task->result, OPEVO_OUTCOME_TIMEOUT,
                            "%d workers hung while they measured it, and were killed after %g s",
                            (int)OPEVO_I_ATTEMPTS, self->pool->job_limit_s);
    else
        opevo_i_result_fail(&task->result, OPEVO_OUTCOME_CRASHED,
                            "%d workers died while they measured it", (int)OPEVO_I_ATTEMPTS);
    for (unsigned i = 0; i < task->attempts + task->faults; i++)
        self->pool->members[task->barred[i]].losses = 0;
    finish(self, task);
    self->pool->blamed++;
}

/* Put its jobs back. */
static void take_back(work *self, size_t number)
{
    for (size_t i = 0; i < self->count; i++) {
        opevo_i_task *task = &self->tasks[i];

        if (task->stage != OPEVO_I_SENT || task->member != number)
            continue;
        task->stage = OPEVO_I_OPEN;
        self->first = i < self->first ? i : self->first;
        if (!task->started)
            continue;
        task->started = false;
        task->barred[task->attempts + task->faults] = number;
        if (++task->attempts == OPEVO_I_ATTEMPTS)
            blame(self, task);
    }
}

/* Not to be started again before, where it is suspended. */
static void note_loss(opevo_i_connection *member)
{
    member->retry_s =
        opevo_i_connection_is_suspended(member) ? opevo_clock_monotonic_s() + RETRY_S : 0;
}

/* What the worker says that it is measuring; NULL: nothing. */
static opevo_i_task *find_started(const work *self, size_t number)
{
    for (size_t i = 0; i < self->count; i++) {
        opevo_i_task *task = &self->tasks[i];

        if (task->stage == OPEVO_I_SENT && task->member == number && task->started)
            return task;
    }
    return NULL;
}

/* The worker itself is no use, by its own words or for them: no fault of what it was measuring. */
static void acquit(work *self, size_t number)
{
    opevo_i_task *task = find_started(self, number);

    if (task)
        task->started = false;
}

/* `reason` is a clause; what the worker said last is added. */
static void lose(work *self, size_t number, const char *reason, bool at_once)
{
    opevo_i_connection *member = &self->pool->members[number];
    const opevo_i_task *started = NULL;
    const char *words = NULL;
    size_t length = 0;

    started = find_started(self, number);
    if (member->state != OPEVO_I_READY)
        member->failed_starts++;
    else if (!started || !started->attempts) /* else the job is known for it */
        member->losses++;
    opevo_i_connection_bury(member, at_once ? 0 : 1);
    take_back(self, number);
    words = opevo_text_string(&member->stderr_tail);
    length = strlen(words);
    while (length && strchr(" \r\n", words[length - 1]))
        length--;
    self->lacking = self->refused = false;
    opevo_text_clear(&self->pool->lost);
    opevo_text_printf(&self->pool->lost, "the worker %s %s", member->command.items[0], reason);
    if (length)
        opevo_text_printf(&self->pool->lost, ": %.*s", (int)(length < 600 ? length : 600), words);
    note_loss(member);
}

/* ---- Hearing from a worker ------------------------------------------------------------------ */

static opevo_i_task *find_task(work *self, const json_t *message, size_t number)
{
    int64_t id = json_integer_value(json_object_get(message, "job"));

    for (size_t i = 0; i < self->count; i++) {
        if (self->tasks[i].stage == OPEVO_I_SENT && self->tasks[i].member == number &&
            self->tasks[i].job.id == id)
            return &self->tasks[i];
    }
    return NULL;
}

static bool take_hello(work *self, size_t number, const json_t *message)
{
    const char *device = json_string_value(json_object_get(message, "device"));
    opevo_i_connection *member = &self->pool->members[number];
    opevo_text why = {0};

    if (opevo_i_pool_refuses(self->pool, message, &why)) {
        member->failed_starts = UINT_MAX - 1;
        lose(self, number, opevo_text_string(&why), true);
        opevo_text_free(&why);
        return false;
    }
    snprintf(member->device, sizeof member->device, "%s", device ? device : "");
    opevo_i_model_read(json_object_get(message, "facts"), &member->model);
    opevo_i_connection_say(member, self->pool->setup);
    opevo_i_connection_progress(member);
    member->state = OPEVO_I_SETTING;
    return true;
}

/* One of a version that does not know of threads would measure with one. */
static bool take_ready(work *self, opevo_i_connection *member, const json_t *message)
{
    if (self->pool->threads > 1 &&
        json_integer_value(json_object_get(message, "threads")) != self->pool->threads)
        return false;
    opevo_i_connection_progress(member);
    member->reference_s = json_number_value(json_object_get(message, "reference_s"));
    member->unbounded = json_integer_value(json_object_get(message, "unbounded"));
    member->state = OPEVO_I_READY;
    member->failed_starts = 0;
    return true;
}

static bool take_result(work *self, size_t number, const json_t *message)
{
    opevo_i_connection *member = &self->pool->members[number];
    opevo_i_task *task = find_task(self, message, number);
    opevo_i_result result = {0};

    if (!task || !opevo_i_result_from_json(message, &result))
        return false;
    opevo_i_result_clear(&task->result);
    task->result = result;
    task->started = false;
    finish(self, task);
    opevo_i_connection_progress(member);
    member->in_flight--;
    member->losses = member->faults = 0;
    self->pool->blamed = 0;
    return true;
}

/* One at a time, and each once: saying it again gains no time. */
static bool take_started(work *self, size_t number, const json_t *message)
{
    opevo_i_task *task = find_task(self, message, number);

    if (!task || find_started(self, number))
        return false;
    opevo_i_connection_progress(&self->pool->members[number]);
    task->started = true;
    task->hung = false;
    task->started_s = self->pool->members[number].progress_s;
    return true;
}

/* The job goes back, to be sent to this worker or another after a while. */
static bool take_fault(work *self, size_t number, const json_t *message, const char *sentence)
{
    opevo_i_connection *member = &self->pool->members[number];
    opevo_i_task *task = find_task(self, message, number);
    size_t length = sentence ? strlen(sentence) : 0;

    if (!task || !length)
        return false;
    length -= sentence[length - 1] == '.';
    opevo_i_task_put_off(task, number);
    self->first = 0;
    member->in_flight--;
    member->faults++;
    if (task->faults == OPEVO_I_ATTEMPTS && self->status == OPEVO_OK)
        self->status =
            OPEVO_FAIL(self->err, OPEVO_FAULT,
                       "The host of the worker %s cannot measure, in %d attempts: %.*s; " MEND ".",
                       member->command.items[0], (int)OPEVO_I_ATTEMPTS,
                       (int)(length < 600 ? length : 600), sentence);
    if (opevo_i_pool_can_spare(self->pool, number)) {
        acquit(self, number);
        opevo_i_connection_bury(member, 1);
        take_back(self, number);
        member->retry_s = opevo_clock_monotonic_s() + RETRY_S;
    }
    return true;
}

/* It cannot continue, as it says; before it is ready, that is about what all tasks have in
 * common. */
static void take_error(work *self, size_t number, const json_t *message, const char *sentence)
{
    opevo_i_connection *member = &self->pool->members[number];
    bool refused = member->state != OPEVO_I_READY && sentence && *sentence;
    char reason[600];

    snprintf(reason, sizeof reason, "says: %.500s", sentence ? sentence : "an error");
    acquit(self, number);
    lose(self, number, reason, false);
    self->unable = json_is_true(json_object_get(message, "fault"));
    /* Workers of one command would all say the same: their number and name explain nothing. */
    self->refused = refused && (self->to - self->from == 1 || opevo_i_pool_is_uniform(self->pool));
    if (self->refused) {
        opevo_text_clear(&self->pool->lost);
        opevo_text_add(&self->pool->lost, sentence);
    }
}

/* False, with the worker lost, when it is no use any more. */
static bool take_message(work *self, size_t number, const json_t *message)
{
    opevo_i_connection *member = &self->pool->members[number];
    const char *type = json_string_value(json_object_get(message, "type"));
    const char *sentence = json_string_value(json_object_get(message, "message"));
    bool good = type != NULL;

    if (good && !strcmp(type, "error")) {
        take_error(self, number, message, sentence);
        return false;
    }
    if (good && !strcmp(type, "hello") && member->state == OPEVO_I_GREETING) {
        if (!take_hello(self, number, message))
            return false;
    } else if (good && !strcmp(type, "ready") && member->state == OPEVO_I_SETTING) {
        good = take_ready(self, member, message);
    } else if (good && !strcmp(type, "started") && member->state == OPEVO_I_READY) {
        good = take_started(self, number, message);
    } else if (good && !strcmp(type, "fault") && member->state == OPEVO_I_READY) {
        good = take_fault(self, number, message, sentence);
        if (good && member->state == OPEVO_I_DOWN)
            return false;
    } else if (good && !strcmp(type, "result") && member->state == OPEVO_I_READY) {
        good = take_result(self, number, message);
        if (good && json_is_true(json_object_get(message, "spoilt"))) {
            opevo_i_connection_bury(member, 1);
            take_back(self, number);
            return false;
        }
    } else {
        good = false;
    }
    if (!good) {
        acquit(self, number);
        lose(self, number, "speaks another protocol; use one of the same version", true);
    }
    return good;
}

/* Before it says hello, a launcher may print what it likes. */
static void hear(work *self, size_t number)
{
    opevo_i_connection *member = &self->pool->members[number];
    bool queued = opevo_i_connection_is_queued(member);
    bool there = opevo_i_connection_read(member);
    const char *line = NULL;

    if (queued) /* its time to greet begins when it has left the queue */
        opevo_i_connection_progress(member);
    while (member->state != OPEVO_I_DOWN &&
           (line = opevo_i_line_reader_next(&member->lines)) != NULL) {
        json_t *message = json_loads(line, 0, NULL);
        bool good = true;

        if (json_is_object(message) || member->state != OPEVO_I_GREETING)
            good = take_message(self, number, message);
        json_decref(message);
        if (!good)
            return;
    }
    if (!there && member->state != OPEVO_I_DOWN)
        lose(self, number,
             member->lines.unheeded < OPEVO_I_WORKER_BYTES ? "ended" : "sends endless output",
             false);
}

/* ---- Keeping workers busy ------------------------------------------------------------------- */

static void start_members(work *self)
{
    double now = opevo_clock_monotonic_s();

    for (size_t i = self->from; i < self->to; i++) {
        opevo_i_connection *member = &self->pool->members[i];
        opevo_error err = {OPEVO_OK, ""};

        if (member->state != OPEVO_I_DOWN || member->retry_s > now)
            continue;
        if (opevo_i_connection_start(member, &err) != OPEVO_OK) {
            opevo_text_clear(&self->pool->lost);
            opevo_text_add(&self->pool->lost, err.message);
            self->lacking = err.status == OPEVO_FAULT;
            self->refused = false;
            member->failed_starts = self->lacking ? member->failed_starts + 1 : UINT_MAX - 1;
            member->retry_s = now + (opevo_i_connection_is_suspended(member) ? RETRY_S : 1);
        }
    }
}

/* The first task that the member may be sent now; NULL if none exists. */
static opevo_i_task *next_task(work *self, size_t member, double now)
{
    while (self->first < self->count && self->tasks[self->first].stage != OPEVO_I_OPEN)
        self->first++;
    for (size_t i = self->first; i < self->count; i++) {
        if (self->tasks[i].stage == OPEVO_I_OPEN && self->tasks[i].retry_s <= now &&
            (self->to - self->from == 1 ||
             opevo_i_pool_may_take(self->pool, &self->tasks[i], member)))
            return &self->tasks[i];
    }
    return NULL;
}

static opevo_status hand_out(work *self, opevo_error *err)
{
    double now = opevo_clock_monotonic_s();

    for (size_t i = self->from; i < self->to; i++) {
        opevo_i_connection *member = &self->pool->members[i];

        while (member->state == OPEVO_I_READY && member->in_flight < self->pool->depth) {
            opevo_i_task *task = next_task(self, i, now);
            char *line = NULL;

            if (!task)
                break;
            task->job.id = self->pool->next_id++;
            line = opevo_i_message_line(opevo_i_job_to_json(&task->job));
            if (!line)
                return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a job.");
            opevo_i_connection_say(member, line);
            free(line);
            task->stage = OPEVO_I_SENT;
            task->member = i;
            task->started = false;
            if (member->in_flight++ == 0)
                opevo_i_connection_progress(member);
        }
    }
    return OPEVO_OK;
}

/* When the worker will have taken too long; INFINITY when nothing is expected of it. A job that has
 * started is due to end; before that, it may be building in silence. */
static double deadline_of(const work *self, size_t number, opevo_i_task **late)
{
    const opevo_i_connection *member = &self->pool->members[number];

    *late = NULL;
    if (member->state == OPEVO_I_DOWN)
        return member->retry_s;
    if (opevo_i_connection_is_queued(member))
        return INFINITY;
    if (member->state != OPEVO_I_READY)
        return member->progress_s + self->pool->start_limit_s;
    if (!member->in_flight)
        return INFINITY;
    *late = find_started(self, number);
    return *late ? (*late)->started_s + self->pool->job_limit_s
                 : member->progress_s + self->pool->silence_s;
}

static void enforce_deadlines(work *self)
{
    double now = opevo_clock_monotonic_s();

    for (size_t i = self->from; i < self->to; i++) {
        opevo_i_task *late = NULL;

        if (self->pool->members[i].state == OPEVO_I_DOWN || deadline_of(self, i, &late) > now)
            continue;
        if (late)
            late->hung = true;
        lose(self, i, late ? "hung" : "has been silent for too long", true);
    }
}

static opevo_status check_hope(const work *self, opevo_error *err)
{
    size_t length = 0;

    if (self->pool->blamed >= BLAMED)
        return OPEVO_FAIL(
            err, OPEVO_IO,
            "No worker is left: %u jobs in a row killed all their workers; the last: %.800s.",
            self->pool->blamed, opevo_text_string(&self->pool->lost));
    for (size_t i = self->from; i < self->to; i++) {
        const opevo_i_connection *member = &self->pool->members[i];

        if (member->state != OPEVO_I_DOWN || !opevo_i_connection_is_suspended(member))
            return OPEVO_OK;
    }
    if (self->refused)
        return OPEVO_FAIL(err, self->unable ? OPEVO_FAULT : OPEVO_IO, "%.900s",
                          opevo_text_string(&self->pool->lost));
    length = self->pool->lost.length;
    length -= length && self->pool->lost.data[length - 1] == '.';
    return OPEVO_FAIL(err, self->lacking ? OPEVO_FAULT : OPEVO_IO, "No worker is left: %.*s%s.",
                      (int)(length < 900 ? length : 900), opevo_text_string(&self->pool->lost),
                      self->lacking ? "; " MEND : "");
}

static opevo_status wait_and_hear(work *self, opevo_error *err)
{
    size_t count = self->to - self->from;
    struct pollfd *wait = opevo_calloc(3 * count, sizeof *wait);
    double due_s = INFINITY;

    if (!wait)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to wait for workers.");
    for (size_t i = self->from; i < self->to; i++) {
        const opevo_i_connection *member = &self->pool->members[i];
        bool up = member->state != OPEVO_I_DOWN;
        bool more = member->outgoing.length > 0;
        struct pollfd *at = wait + 3 * (i - self->from);
        opevo_i_task *late = NULL;

        at[0] = (struct pollfd){.fd = up ? member->out : -1, .events = POLLIN};
        at[1] = (struct pollfd){.fd = up ? member->error : -1, .events = POLLIN};
        at[2] = (struct pollfd){.fd = up && more ? member->in : -1, .events = POLLOUT};
        due_s = fmin(due_s, deadline_of(self, i, &late));
    }
    for (size_t i = self->first; i < self->count; i++) {
        if (self->tasks[i].stage == OPEVO_I_OPEN &&
            self->tasks[i].retry_s > opevo_clock_monotonic_s())
            due_s = fmin(due_s, self->tasks[i].retry_s);
    }
    due_s = fmax(0, fmin(due_s - opevo_clock_monotonic_s(), self->pool->interrupt ? LOOK_S : 3600));
    poll(wait, 3 * count, (int)ceil(1e3 * due_s));
    for (size_t i = self->from; i < self->to; i++) {
        const struct pollfd *at = wait + 3 * (i - self->from);

        if (at[0].revents || at[1].revents)
            hear(self, i);
    }
    opevo_free(wait);
    return OPEVO_OK;
}

static bool is_done(const work *self)
{
    return self->left == 0;
}

static bool has_met(const work *self)
{
    for (size_t i = self->from; i < self->to; i++) {
        if (self->pool->members[i].state > OPEVO_I_GREETING)
            return true;
    }
    return false;
}

static opevo_status work_until(work *self, bool (*is_over)(const work *), opevo_error *err)
{
    opevo_i_pool *pool = self->pool;
    opevo_status status = OPEVO_OK;

    while (!is_over(self)) {
        if (opevo_interrupt_is_raised(pool->interrupt)) {
            status = OPEVO_FAIL(err, OPEVO_INTERRUPTED, "Measuring was interrupted.");
            goto cleanup;
        }
        start_members(self);
        OPEVO_TRY(check_hope(self, err));
        OPEVO_TRY(hand_out(self, err));
        /* What cannot be written shows when reading: then the worker is gone. */
        for (size_t i = self->from; i < self->to; i++) {
            if (pool->members[i].state != OPEVO_I_DOWN)
                opevo_i_connection_flush(&pool->members[i]);
        }
        OPEVO_TRY(wait_and_hear(self, err));
        enforce_deadlines(self);
        OPEVO_TRY(self->status);
    }
cleanup:
    if (status != OPEVO_OK) { /* what is in flight belongs to nobody any more */
        for (size_t i = self->from; i < self->to; i++)
            opevo_i_connection_bury(&pool->members[i], 0);
    }
    return status;
}

opevo_status opevo_i_pool_meet(opevo_i_pool *pool, opevo_i_model *out, opevo_error *err)
{
    work self = {.pool = pool, .to = pool->count, .err = err};
    opevo_status status = work_until(&self, has_met, err);

    for (size_t i = pool->count; i-- > 0 && status == OPEVO_OK;) {
        if (pool->members[i].state > OPEVO_I_GREETING)
            *out = pool->members[i].model;
    }
    return status;
}

opevo_status opevo_i_pool_run(opevo_i_pool *pool, opevo_i_task *tasks, size_t count, bool alone,
                              opevo_error *err)
{
    work self = {.pool = pool,
                 .tasks = tasks,
                 .count = count,
                 .from = alone ? pool->lead : 0,
                 .to = alone ? pool->lead + 1 : pool->count,
                 .err = err};

    for (size_t i = 0; i < count; i++)
        self.left += tasks[i].stage != OPEVO_I_DONE;
    return work_until(&self, is_done, err);
}
