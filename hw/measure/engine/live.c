/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From asked points to outcomes: points become tasks of the pool, results become outcomes. */

#include "live_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result_reader_internal.h"
#include "samples_internal.h"
#include "worker_commands_internal.h"

enum { BLAMED = 3 }; /* kernels in a row that cost all their workers */

#define START_S 300.0
#define CLOCK_S 1e-9       /* what clocks count */
#define FASTEST_GFLOPS 1e6 /* more than a device has in single precision */

static void destroy_task(opevo_i_engine_live *self, opevo_i_engine_live_task *task)
{
    if (task->previous)
        task->previous->next = task->next;
    else
        self->tasks = task->next;
    if (task->next)
        task->next->previous = task->previous;
    opevo_i_engine_measuring_clear(&task->super);
    opevo_free(task);
}

static void clear_tasks(opevo_i_engine_live *self)
{
    while (self->tasks)
        destroy_task(self, self->tasks);
}

static opevo_i_engine_live_task *make_task(opevo_i_engine_live *self, size_t number)
{
    opevo_i_engine_live_task *task = opevo_calloc(1, sizeof *task);

    if (!task)
        return NULL;
    task->number = number;
    task->super.super.worker = SIZE_MAX;
    task->next = self->tasks;
    if (task->next)
        task->next->previous = task;
    self->tasks = task;
    return task;
}

/* A worker elsewhere may send what none here would: a fitness is a number above 0. */
static void check_value(opevo_i_engine_measuring *task, opevo_outcome *out)
{
    bool timed = !isnan(out->time_s);

    if (opevo_i_wire_range_has(OPEVO_I_SCORE_RANGE, out->fitness) &&
        (!timed || opevo_i_wire_range_has(OPEVO_I_SCORE_RANGE, out->time_s)))
        return;
    opevo_i_wire_result_fail(&task->result, OPEVO_OUTCOME_WRONG,
                             "its result, %g%s, is out of range",
                             timed ? out->time_s : out->fitness, timed ? " s" : "");
    out->kind = OPEVO_OUTCOME_WRONG;
    out->fitness = 0;
    out->time_s = NAN;
    out->samples_s = NULL;
    out->sample_count = 0;
    out->message = task->result.message.data;
}

/* What is printed is believed, but not in silence. */
static void doubt(const opevo_i_engine_live *self, opevo_i_engine_measuring *task,
                  opevo_outcome *out)
{
    bool too_short = out->time_s < CLOCK_S; /* false for an unknown time, NAN */
    bool too_fast = out->fitness > FASTEST_GFLOPS &&
                    !strcmp(opevo_unit_of_fitness(self->super.unit), "GFLOP/s");
    opevo_text *message = &task->result.message;

    if (out->kind != OPEVO_OUTCOME_OK || !(too_short || too_fast))
        return;
    opevo_text_printf(message, "%s%.3g %s is " OPEVO_LIVE_DOUBT ": check %s",
                      message->length ? "; " : "", too_short ? out->time_s : out->fitness,
                      too_short ? "s" : "GFLOP/s",
                      too_short ? "the unit of the time" : "the time and the operations");
    out->message = message->failed ? NULL : message->data;
}

static void convert(const opevo_i_engine_live *self, opevo_i_engine_measuring *task,
                    opevo_outcome *out)
{
    const opevo_i_wire_result *result = &task->result;

    *out = opevo_outcome_failed(result->kind);
    out->build_s = result->build_s;
    out->run_s = result->run_s;
    out->check_s = result->check_s;
    out->other_s = result->other_s;
    out->message = result->message.length ? result->message.data : NULL;
    if (result->kind == OPEVO_OUTCOME_OK) {
        for (size_t i = 0; i < result->criterion_count; i++)
            out->more[i] = result->criteria[i];
        self->value(self, task, out);
        check_value(task, out);
        doubt(self, task, out);
    }
}

/* Points that come, and who gets their outcomes. */
typedef struct stream {
    opevo_i_engine_live *live;
    const opevo_point_source *points;
    opevo_outcome_sink sink;
    void *sink_context;
    bool single_sample; /* one sample each, on one worker */
    bool keeps;         /* outcomes are valid until the next call */
    size_t count;
} stream;

/* Note who measured what is handed over next. Where several devices were not permitted, they are
 * refused before any result of the second is taken. */
static opevo_status note_measurer(opevo_i_engine_live *self, size_t number, opevo_error *err)
{
    opevo_i_engine_connection *worker = &self->pool.workers[number];

    if (!*self->first.device) {
        snprintf(self->first.device, sizeof self->first.device, "%s", worker->device);
        snprintf(self->first.host, sizeof self->first.host, "%s", worker->host);
    }
    if (!self->mixed && strcmp(self->first.device, worker->device) != 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "The workers measure on different devices, %.255s (%.64s) and %.255s "
                          "(%.64s); --mixed-devices permits both in one run.",
                          self->first.device, self->first.host, worker->device, worker->host);
    self->by = (opevo_measurer){.command = opevo_i_engine_connection_command(worker),
                                .host = worker->host,
                                .device = worker->device,
                                .mixed = self->mixed};
    return OPEVO_OK;
}

static opevo_status deliver(void *context, opevo_i_engine_task *done, opevo_error *err)
{
    const stream *self = context;
    opevo_i_engine_live_task *task = (opevo_i_engine_live_task *)done;
    opevo_outcome outcome;
    opevo_status status = OPEVO_OK;

    if (done->worker != SIZE_MAX)
        OPEVO_TRY(note_measurer(self->live, done->worker, err));
    convert(self->live, &task->super, &outcome);
    status = self->sink(self->sink_context, task->number, &outcome, err);
cleanup:
    self->live->by = (opevo_measurer){NULL, NULL, NULL, false};
    if (!self->keeps)
        destroy_task(self->live, task);
    return status;
}

/* The job of a point; one with nothing to measure is done. */
static opevo_status prepare(const stream *self, opevo_index point, opevo_i_engine_measuring *task,
                            opevo_error *err)
{
    const opevo_i_engine_live *live = self->live;

    task->job.single_sample = self->single_sample;
    if (!self->single_sample) {
        task->job.slower = live->slower;
        task->job.best_s = live->best_s;
    }
    task->job.library = point == OPEVO_LIBRARY_POINT;
    return task->job.library ? OPEVO_OK : live->prepare(live, point, task, err);
}

static opevo_status next_task(void *context, opevo_i_engine_task **out, bool *over,
                              opevo_error *err)
{
    stream *self = context;
    opevo_status status = OPEVO_OK;

    *out = NULL;
    while (!*out) {
        opevo_i_engine_live_task *task = NULL;
        opevo_index point = 0;
        size_t count = 0;

        opevo_i_engine_live_note_workers(self->live);
        OPEVO_TRY(self->points->next(self->points->context, &point, 1, &count, over, err));
        if (*over || count == 0)
            return OPEVO_OK;
        task = make_task(self->live, self->count++);
        OPEVO_NEED_OR_RETURN(task, "a job");
        OPEVO_TRY(prepare(self, point, &task->super, err));
        if (task->super.super.stage == OPEVO_I_DONE)
            OPEVO_TRY(deliver(self, &task->super.super, err));
        else
            *out = &task->super.super;
    }
cleanup:
    return status;
}

static opevo_status measure(stream *self, const opevo_interrupt *interrupt, opevo_error *err)
{
    opevo_i_engine_live *live = self->live;
    const opevo_i_engine_source source = {.next = next_task, .done = deliver, .context = self};
    opevo_status status = OPEVO_OK;

    clear_tasks(live);
    live->pool.interrupt = interrupt;
    status = opevo_i_engine_pool_run(&live->pool, &source, self->single_sample, err);
    live->pool.interrupt = NULL;
    if (!self->keeps)
        clear_tasks(live); /* that were given up */
    return status;
}

opevo_status opevo_i_engine_live_measure_from(opevo_objective *objective,
                                              const opevo_point_source *source,
                                              const opevo_interrupt *interrupt,
                                              opevo_outcome_sink sink, void *sink_context,
                                              opevo_error *err)
{
    stream self = {.live = (opevo_i_engine_live *)objective,
                   .points = source,
                   .sink = sink,
                   .sink_context = sink_context};

    return measure(&self, interrupt, err);
}

/* A list of points as a source. */
typedef struct listed {
    const opevo_index *points;
    size_t count, given;
} listed;

static opevo_status next_listed(void *context, opevo_index *points, size_t capacity, size_t *count,
                                bool *over, opevo_error *err)
{
    listed *self = context;

    (void)over;
    (void)err;
    for (*count = 0; *count < capacity && self->given < self->count; ++*count)
        points[*count] = self->points[self->given++];
    return OPEVO_OK;
}

static opevo_status measure_list(opevo_i_engine_live *live, const opevo_index *points, size_t count,
                                 bool single_sample, const opevo_interrupt *interrupt,
                                 opevo_outcome_sink sink, void *sink_context, opevo_error *err)
{
    listed list = {.points = points, .count = count};
    opevo_point_source source = {.next = next_listed, .context = &list};
    stream self = {.live = live,
                   .points = &source,
                   .sink = sink,
                   .sink_context = sink_context,
                   .single_sample = single_sample,
                   .keeps = true};

    return measure(&self, interrupt, err);
}

opevo_status opevo_i_engine_live_measure(opevo_objective *objective, const opevo_index *points,
                                         size_t count, const opevo_interrupt *interrupt,
                                         opevo_outcome_sink sink, void *sink_context,
                                         opevo_error *err)
{
    return measure_list((opevo_i_engine_live *)objective, points, count, false, interrupt, sink,
                        sink_context, err);
}

opevo_status opevo_i_engine_live_measure_round(opevo_i_engine_live *self, const opevo_index *points,
                                               size_t count, const opevo_interrupt *interrupt,
                                               opevo_outcome_sink sink, void *sink_context,
                                               opevo_error *err)
{
    return measure_list(self, points, count, true, interrupt, sink, sink_context, err);
}

bool opevo_i_engine_live_worker(const opevo_objective *objective, size_t i, opevo_worker_facts *out)
{
    return opevo_i_engine_pool_worker(&((const opevo_i_engine_live *)objective)->pool, i, out);
}

/* Those of the task that the samples are of. */
const double *opevo_i_engine_live_processor_times(const opevo_objective *objective,
                                                  const opevo_outcome *outcome)
{
    const opevo_i_engine_live *self = (const opevo_i_engine_live *)objective;

    for (const opevo_i_engine_live_task *task = outcome->samples_s ? self->tasks : NULL; task;
         task = task->next) {
        if (task->super.result.samples == outcome->samples_s)
            return task->super.result.processor_s;
    }
    return NULL;
}

void opevo_i_engine_live_destroy(opevo_objective *objective)
{
    opevo_i_engine_live *self = (opevo_i_engine_live *)objective;

    opevo_i_engine_pool_clear(&self->pool);
    clear_tasks(self);
    self->release(self);
    opevo_free(self->name);
    opevo_free(self);
}

static bool is_live(const opevo_objective *objective)
{
    return objective->ops && objective->ops->measure == opevo_i_engine_live_measure;
}

opevo_i_engine_live *opevo_i_engine_live_of(opevo_objective *objective)
{
    return is_live(objective) ? (opevo_i_engine_live *)objective : NULL;
}

void opevo_live_rest(opevo_objective *objective)
{
    if (is_live(objective))
        opevo_i_engine_pool_rest(&((opevo_i_engine_live *)objective)->pool);
}

void opevo_live_print_devices(const opevo_objective *objective, opevo_text *out)
{
    const opevo_i_engine_live *self = (const opevo_i_engine_live *)objective;
    const char *separator = "";

    if (!is_live(objective))
        return;
    for (size_t i = 0; i < self->pool.count; i++) {
        const char *device = self->pool.workers[i].device;
        bool new = *device != '\0';

        for (size_t k = 0; k < i; k++)
            new = new &&strcmp(self->pool.workers[k].device, device) != 0;
        if (new) {
            opevo_text_printf(out, "%s%s", separator, device);
            separator = "; ";
        }
    }
}

size_t opevo_live_worker_count(const opevo_objective *objective)
{
    return is_live(objective)
               ? opevo_i_engine_pool_worker_count(&((const opevo_i_engine_live *)objective)->pool)
               : 0;
}

void opevo_live_print_reference(const opevo_objective *objective, opevo_text *out)
{
    const opevo_i_engine_live *self = (const opevo_i_engine_live *)objective;
    double longest_s = 0;
    int64_t unbounded = 0;

    if (!is_live(objective))
        return;
    for (size_t i = 0; i < self->pool.count; i++) {
        longest_s = fmax(longest_s, self->pool.workers[i].reference_s);
        if (self->pool.workers[i].unbounded > unbounded)
            unbounded = self->pool.workers[i].unbounded;
    }
    if (self->note)
        opevo_text_printf(out, "%s\n", self->note);
    if (longest_s >= 1)
        opevo_text_printf(out, "the reference result took %.1f s, once in each worker\n",
                          longest_s);
    if (unbounded)
        opevo_text_printf(out,
                          "%lld elements of the outputs have no error bound and were only checked "
                          "for being written\n",
                          (long long)unbounded);
}

/* ---- Workers -------------------------------------------------------------------------------- */

/* The one that is given, or else beside the running program, or by PATH. */
static bool find_program(const char *given, opevo_text *out)
{
    if (!given)
        given = getenv("OPEVO_WORKER");
    if (given || !opevo_i_process_executable_beside("opevo-worker", out))
        opevo_text_add(out, given ? given : "opevo-worker");
    return !out->failed;
}

static opevo_status local_command(const opevo_workers *workers, const char *device,
                                  opevo_i_process_arguments *out, opevo_error *err)
{
    opevo_text program = {0};
    bool good = find_program(workers->program, &program) &&
                opevo_i_process_arguments_add(out, program.data, program.length) &&
                opevo_i_process_arguments_add(out, device, strlen(device));

    opevo_text_free(&program);
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a worker.");
}

double opevo_i_engine_live_start_s(const opevo_workers *workers)
{
    return workers->start_s > 0 ? workers->start_s : START_S;
}

bool opevo_i_engine_workers_are_given(const opevo_workers *workers)
{
    return workers->count || workers->from;
}

void opevo_i_engine_live_note_workers(opevo_i_engine_live *self)
{
    self->super.wanted = self->each * opevo_i_engine_pool_worker_count(&self->pool);
    self->pool.lag = opevo_objective_ahead(&self->super) / 2;
}

opevo_status opevo_i_engine_live_workers(opevo_i_engine_pool *pool, const opevo_workers *workers,
                                         const char *device, opevo_error *err)
{
    opevo_i_engine_worker_commands commands = {0};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    pool->language = &opevo_i_engine_measuring_language;
    pool->blamed_most = BLAMED;
    if (workers->count && workers->from)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--workers and --workers-from are two ways to the same: give one of them.");
    if (workers->address && !workers->from)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--workers-address needs --workers-from: other workers do not connect.");
    if (workers->from)
        return opevo_i_engine_pool_launch(pool, workers->from, workers->address, err);
    for (size_t i = 0; i < workers->count; i++) {
        if (opevo_i_engine_worker_commands_add(&commands, workers->commands[i], &inner) !=
            OPEVO_OK) {
            status = OPEVO_FAIL(err, inner.status, "--workers \"%.200s\": %.700s",
                                workers->commands[i], inner.message);
            goto cleanup;
        }
    }
    OPEVO_TRY(opevo_i_engine_pool_make(pool, workers->count ? commands.count : 1, err));
    if (!workers->count)
        status = local_command(workers, device, &pool->workers[0].command, err);
    for (size_t i = 0; i < commands.count; i++) {
        pool->workers[i].command = commands.items[i];
        commands.items[i] = (opevo_i_process_arguments){.count = 0};
    }
cleanup:
    opevo_i_engine_worker_commands_clear(&commands);
    return status;
}
