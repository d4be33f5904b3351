/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which worker gets which task. The first open task goes to the fastest of the workers with the
 * shortest queue. An idle worker takes over a task that is queued at another one, or repeats the
 * one that a slow or late worker is busy with: so the run is never slower than without that worker.
 * A task that many others have overtaken is repeated as well, before the source has to wait for
 * it. */

#include "pool_work_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>

/* Copies of a task: a third would not come first. */
enum { COPIES = 2 };

/* A worker is slow if it takes more than SLOW times as long as another; its task is late after LATE
 * times what it usually takes, or, while nothing is known of it, after UNKNOWN times what others
 * take. */
#define SLOW 2.0
#define LATE 3.0
#define UNKNOWN 1.05

/* ---- The list ------------------------------------------------------------------------------- */

static void append(opevo_i_engine_work *self, opevo_i_engine_task *task)
{
    task->stage = OPEVO_I_OPEN;
    task->number = self->pool->next_number++;
    task->next = NULL;
    if (self->last)
        self->last->next = task;
    else
        self->first = task;
    self->last = task;
    self->left++;
    self->open++;
}

static void unlink_task(opevo_i_engine_work *self, opevo_i_engine_task *task)
{
    opevo_i_engine_task *before = NULL;

    for (opevo_i_engine_task *at = self->first; at != task; at = at->next)
        before = at;
    if (before)
        before->next = task->next;
    else
        self->first = task->next;
    if (self->last == task)
        self->last = before;
    self->left--;
    self->open -= task->stage == OPEVO_I_OPEN;
}

static void drop(const opevo_i_engine_work *self, opevo_i_engine_connection *worker,
                 opevo_i_engine_errand *errand)
{
    char *line = self->pool->language->drop ? self->pool->language->drop(errand->id) : NULL;

    errand->task = NULL;
    if (line) /* without memory, its result comes, and is ignored */
        opevo_i_engine_connection_say(worker, line);
    free(line);
}

/* All workers that have the task. */
static void drop_everywhere(const opevo_i_engine_work *self, opevo_i_engine_task *task)
{
    for (size_t i = 0; i < self->pool->count; i++) {
        opevo_i_engine_connection *worker = &self->pool->workers[i];

        for (size_t k = 0; k < worker->errand_count && task->copies; k++) {
            if (worker->errands[k].task == task) {
                drop(self, worker, &worker->errands[k]);
                task->copies--;
            }
        }
    }
}

/* The results of what is left are not wanted any more. */
static void abandon(opevo_i_engine_work *work)
{
    for (opevo_i_engine_task *task = work->first; task; task = task->next)
        drop_everywhere(work, task);
    work->first = work->last = NULL;
    work->left = work->open = 0;
    work->over = work->exhausted = true;
}

static opevo_status pull(opevo_i_engine_work *self, opevo_error *err)
{
    opevo_i_engine_task *task = NULL;
    bool over = false;
    opevo_status status = self->source->next(self->source->context, &task, &over, err);

    if (status != OPEVO_OK)
        return status;
    if (over)
        abandon(self);
    else if (task)
        append(self, task);
    else
        self->exhausted = true;
    return OPEVO_OK;
}

/* ---- Errands -------------------------------------------------------------------------------- */

void opevo_i_engine_work_remove(opevo_i_engine_connection *worker, opevo_i_engine_errand *errand)
{
    size_t at = (size_t)(errand - worker->errands);

    worker->errand_count--;
    for (size_t i = at; i < worker->errand_count; i++)
        worker->errands[i] = worker->errands[i + 1];
    if (at == 0 && worker->errand_count && !worker->errands[0].started)
        worker->errands[0].since_s = opevo_clock_monotonic_s();
}

void opevo_i_engine_work_finish(opevo_i_engine_work *work, opevo_i_engine_task *task)
{
    unlink_task(work, task);
    drop_everywhere(work, task);
    task->stage = OPEVO_I_DONE;
    work->exhausted = work->over;
    if (work->status == OPEVO_OK)
        work->status = work->source->done(work->source->context, task, work->err);
}

void opevo_i_engine_work_put_back(opevo_i_engine_work *work, opevo_i_engine_task *task)
{
    if (--task->copies > 0)
        return;
    task->stage = OPEVO_I_OPEN;
    work->open++;
}

static opevo_status give(opevo_i_engine_work *self, size_t number, opevo_i_engine_task *task,
                         opevo_error *err)
{
    opevo_i_engine_connection *worker = &self->pool->workers[number];
    int64_t id = ++self->pool->next_id;
    char *line = self->pool->language->give(self->pool, task, id);

    OPEVO_NEED_OR_RETURN(line, "a job");
    opevo_i_engine_connection_say(worker, line);
    free(line);
    if (worker->errand_count == 0)
        opevo_i_engine_connection_progress(worker);
    worker->errands[worker->errand_count++] =
        (opevo_i_engine_errand){.task = task,
                                .id = id,
                                .started = self->pool->language->silent,
                                .since_s = opevo_clock_monotonic_s()};
    self->open -= task->stage == OPEVO_I_OPEN;
    task->stage = OPEVO_I_SENT;
    task->copies++;
    return OPEVO_OK;
}

/* ---- Choosing ------------------------------------------------------------------------------- */

static bool may_take(const opevo_i_engine_work *self, const opevo_i_engine_task *task,
                     size_t worker)
{
    return self->to - self->from == 1 || opevo_i_engine_pool_may_take(self->pool, task, worker);
}

static opevo_i_engine_task *next_open(const opevo_i_engine_work *self, size_t worker, double now)
{
    for (opevo_i_engine_task *task = self->open ? self->first : NULL; task; task = task->next) {
        if (task->stage == OPEVO_I_OPEN && task->retry_s <= now && may_take(self, task, worker))
            return task;
    }
    return NULL;
}

/* Whether what the errand is about may be given to this worker as well. */
static bool may_copy(const opevo_i_engine_work *self, const opevo_i_engine_errand *errand,
                     size_t worker)
{
    const opevo_i_engine_task *task = errand->task;

    return task && task->copies < COPIES && task->retry_s <= opevo_clock_monotonic_s() &&
           may_take(self, task, worker);
}

/* Taken from the queue of the holder, or repeated where that is busy with it. */
static opevo_i_engine_task *take(const opevo_i_engine_work *self, opevo_i_engine_connection *holder,
                                 opevo_i_engine_errand *errand)
{
    opevo_i_engine_task *task = errand->task;

    if (errand != holder->errands && !errand->started) {
        drop(self, holder, errand);
        task->copies--;
    }
    return task;
}

/* The first task, where so many have overtaken it that the source would wait for it. */
static opevo_i_engine_task *find_lagging(const opevo_i_engine_work *self, size_t number)
{
    const opevo_i_engine_pool *pool = self->pool;
    opevo_i_engine_task *task = self->first;

    if (!pool->language->repeats || !pool->lag || !task || task->stage != OPEVO_I_SENT ||
        task->copies >= COPIES || pool->next_number - task->number <= pool->lag)
        return NULL;
    for (size_t i = self->from; i < self->to; i++) {
        opevo_i_engine_connection *holder = &pool->workers[i];

        for (size_t k = 0; k < holder->errand_count; k++) {
            if (holder->errands[k].task == task)
                return i != number && may_copy(self, &holder->errands[k], number)
                           ? take(self, holder, &holder->errands[k])
                           : NULL;
        }
    }
    return NULL;
}

/* When the worker may repeat what the holder is busy with; INFINITY: never. */
static double repeat_at(const opevo_i_engine_work *self, const opevo_i_engine_connection *holder,
                        const opevo_i_engine_connection *worker)
{
    double own_s = opevo_i_engine_pool_pace(self->pool, worker);
    double wait_s = LATE * fmax(holder->pace_s, own_s);

    if (own_s <= 0)
        return INFINITY;
    if (holder->pace_s <= 0)
        wait_s = UNKNOWN * own_s;
    else if (holder->pace_s > SLOW * own_s)
        wait_s = 0;
    return holder->errands[0].since_s + wait_s;
}

/* How long an errand waits in the queue of its holder, if the worker would be earlier; else -1, and
 * the pool looks again when it would be. What the holder is busy with takes what it usually takes,
 * or longer. */
static double queued_s(opevo_i_engine_work *self, const opevo_i_engine_connection *holder,
                       size_t place, const opevo_i_engine_connection *worker, double now)
{
    double own_s = opevo_i_engine_pool_pace(self->pool, worker);
    double their_s = opevo_i_engine_pool_pace(self->pool, holder);
    double busy_s = fmax(their_s, now - holder->errands[0].since_s);

    if (own_s > 0 && own_s > busy_s + (double)place * their_s) {
        self->look_s =
            fmin(self->look_s, holder->errands[0].since_s + own_s - (double)place * their_s);
        return -1;
    }
    return busy_s + (double)(place - 1) * their_s;
}

/* What waits longest in the queue of another; otherwise the first that may be repeated. */
static opevo_i_engine_task *take_over(opevo_i_engine_work *self, size_t number)
{
    const opevo_i_engine_connection *worker = &self->pool->workers[number];
    opevo_i_engine_connection *from = NULL;
    opevo_i_engine_errand *best = NULL;
    double longest_s = -1;
    double now = opevo_clock_monotonic_s();

    if (!self->pool->language->repeats)
        return NULL;
    for (size_t i = self->from; i < self->to; i++) {
        opevo_i_engine_connection *holder = &self->pool->workers[i];
        double due_s = i != number ? repeat_at(self, holder, worker) : INFINITY;

        for (size_t k = 0; i != number && k < holder->errand_count; k++) {
            opevo_i_engine_errand *errand = &holder->errands[k];
            double wait_s = k && !errand->started ? queued_s(self, holder, k, worker, now) : -1;
            bool repeat = longest_s < 0 && k == 0 && due_s <= now;

            if (!may_copy(self, errand, number))
                continue;
            if (k == 0 && due_s > now)
                self->look_s = fmin(self->look_s, due_s);
            if (wait_s > longest_s ||
                (repeat && (!best || errand->task->number < best->task->number))) {
                longest_s = fmax(wait_s, longest_s);
                best = errand;
                from = holder;
            }
        }
    }
    return best ? take(self, from, best) : NULL;
}

/* ---- Handing out ---------------------------------------------------------------------------- */

static size_t depth_of(const opevo_i_engine_pool *pool, const opevo_i_engine_connection *worker)
{
    size_t depth = worker->depth > pool->depth ? worker->depth : pool->depth;

    return depth < OPEVO_I_DEPTH_MOST ? depth : OPEVO_I_DEPTH_MOST;
}

/* The worker after `last` in the order of pace, of those that have so much in hand and room; `to`
 * behind the last one. */
static size_t next_worker(const opevo_i_engine_work *self, size_t in_hand, size_t last)
{
    const opevo_i_engine_pool *pool = self->pool;
    double last_s = last < self->to ? opevo_i_engine_pool_pace(pool, &pool->workers[last]) : -1;
    double best_s = INFINITY;
    size_t best = self->to;

    for (size_t i = self->from; i < self->to; i++) {
        const opevo_i_engine_connection *worker = &pool->workers[i];
        double pace_s = 0;

        if (worker->state != OPEVO_I_READY || worker->errand_count != in_hand ||
            in_hand >= depth_of(pool, worker))
            continue;
        pace_s = opevo_i_engine_pool_pace(pool, worker);
        if ((pace_s > last_s || (pace_s == last_s && i > last)) && pace_s < best_s) {
            best_s = pace_s;
            best = i;
        }
    }
    return best;
}

/* One task at most. */
static opevo_status serve(opevo_i_engine_work *self, size_t number, opevo_error *err)
{
    double now = opevo_clock_monotonic_s();
    bool idle = self->pool->workers[number].errand_count == 0;
    opevo_i_engine_task *task = idle ? find_lagging(self, number) : NULL;
    opevo_status status = OPEVO_OK;

    if (!task)
        task = next_open(self, number, now);
    while (status == OPEVO_OK && !task && !self->exhausted) {
        status = pull(self, err);
        task = next_open(self, number, now);
    }
    if (self->pool->workers[number].state != OPEVO_I_READY)
        return status; /* lost while the source was asked */
    if (status == OPEVO_OK && !task && idle)
        task = take_over(self, number);
    return status == OPEVO_OK && task ? give(self, number, task, err) : status;
}

opevo_status opevo_i_engine_work_dispatch(opevo_i_engine_work *work, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    work->look_s = INFINITY;
    while (status == OPEVO_OK && !work->exhausted &&
           (work->left == 0 || (work->pool->lazy && work->left < work->to - work->from)))
        status = pull(work, err);
    for (size_t in_hand = 0; in_hand < OPEVO_I_DEPTH_MOST; in_hand++) {
        size_t number = next_worker(work, in_hand, work->to);

        for (; status == OPEVO_OK && number < work->to; number = next_worker(work, in_hand, number))
            status = serve(work, number, err);
    }
    return status;
}
