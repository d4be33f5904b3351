/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels as objectives: a maker turns points into sources, workers build, check and time them. */

#include "live_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_internal.h"
#include "keeper_internal.h"
#include "samples_internal.h"

/* Jobs in one worker: enough to keep it building while it measures. */
enum { DEPTH = 4 };
/* For one operation of the reference result, which a worker computes before it is ready: several
 * times what it takes on one core. */
#define REFERENCE_S 5e-8
/* Likewise about what it takes at least, in processor time: in a matrix product. */
#define REFERENCE_LEAST_S 3e-10

typedef struct kernels {
    opevo_i_engine_live live;
    opevo_kernel_maker *maker;
    opevo_workload *work;     /* of the maker; NULL: it has a bench */
    opevo_kernel_bench bench; /* either way; what a workload has no text for is NULL */
    opevo_criterion criteria[OPEVO_CRITERIA_MOST - 1];
    opevo_proposal first; /* what analysis expects to be good */
    opevo_starts starts;
} kernels;

opevo_live_options opevo_live_defaults(void)
{
    return (opevo_live_options){.device = "cpu",
                                .build_limit_s = 30,
                                .run_limit_s = 5,
                                .precision = 0.02,
                                .repeat_s = 0.1,
                                .slower = 10,
                                .check_every = 1,
                                .seed = 1};
}

static opevo_status prepare(const opevo_i_engine_live *live, opevo_index point,
                            opevo_i_engine_measuring *task, opevo_error *err)
{
    const kernels *self = (const kernels *)live;
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_status status =
        self->maker->ops->make(self->maker, point, &task->job.kernel, &refused, &why, err);

    if (status == OPEVO_OK && refused != OPEVO_OUTCOME_OK) {
        opevo_i_wire_result_fail(&task->result, refused, "%s", opevo_text_string(&why));
        task->super.stage = OPEVO_I_DONE;
    }
    opevo_text_free(&why);
    return status;
}

/* The median of the samples, or what windows say by both of their clocks. */
static double estimate_s(const opevo_i_wire_result *result)
{
    size_t count = result->sample_count;
    double *times = opevo_malloc(count, sizeof *times);
    double time_s = result->samples[0]; /* without memory the first is as honest as any */

    if (!times)
        return time_s;
    if (result->processor_s)
        opevo_i_wire_window_times(result->samples, result->processor_s, count, times);
    else
        memcpy(times, result->samples, count * sizeof *times);
    opevo_i_wire_sort(times, count);
    time_s = result->processor_s ? opevo_i_wire_time_of_windows(times, count)
                                 : opevo_i_wire_median(times, count);
    opevo_free(times);
    return time_s;
}

/* Fitness of a time and time of a fitness: GFLOP/s, GB/s, or 1/s where nothing is counted. */
static double rate_of(const opevo_kernel_bench *bench, double value)
{
    return bench->amount > 0 ? bench->amount / value / 1e9 : 1 / value;
}

static void value(const opevo_i_engine_live *live, opevo_i_engine_measuring *task,
                  opevo_outcome *out)
{
    const kernels *self = (const kernels *)live;

    out->time_s = opevo_i_wire_recordable_s(estimate_s(&task->result));
    out->fitness = rate_of(&self->bench, out->time_s);
    out->samples_s = task->result.samples;
    out->sample_count = task->result.sample_count;
}

static void note_best(opevo_objective *objective, double fitness)
{
    kernels *self = (kernels *)objective;

    self->live.best_s = fitness > 0 ? rate_of(&self->bench, fitness) : 0;
}

static void release(opevo_i_engine_live *live)
{
    kernels *self = (kernels *)live;

    opevo_workload_destroy(self->work);
    if (self->maker)
        self->maker->ops->destroy(self->maker);
}

static const opevo_objective_ops kernel_ops = {
    .kind = "live",
    .measure = opevo_i_engine_live_measure,
    .measure_from = opevo_i_engine_live_measure_from,
    .destroy = opevo_i_engine_live_destroy,
    .processor_times = opevo_i_engine_live_processor_times,
    .note_best = note_best,
    .measure_rounds = opevo_i_engine_live_measure_rounds,
    .worker = opevo_i_engine_live_worker,
};

const opevo_kernel_maker *opevo_live_maker(const opevo_objective *objective)
{
    return objective->ops == &kernel_ops ? ((const kernels *)objective)->maker : NULL;
}

double opevo_live_reference_least_s(const opevo_objective *objective)
{
    const opevo_kernel_maker *maker = opevo_live_maker(objective);
    double sets = maker && opevo_kernel_is_for_cpu(maker->dialect) ? 2 : 1; /* of operands */

    return maker && !maker->bench ? sets * REFERENCE_LEAST_S * objective->flop : 0;
}

/* ---- Opening -------------------------------------------------------------------------------- */

static bool is_positive(double value)
{
    return value > 0 && isfinite(value);
}

static opevo_status check_options(const opevo_kernel_maker *maker,
                                  const opevo_live_options *options,
                                  const opevo_i_backend_ops *backend, opevo_error *err)
{
    if (!backend->builds ||
        (backend->dialect != maker->dialect && !(backend->also >> maker->dialect & 1)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The template %s does not generate kernels for %s.",
                          maker->name, options->device);
    if (maker->bench && !backend->run_reference)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: kernels with a harness are not run on %s.",
                          maker->bench->text, options->device);
    if (maker->threads > 1 && !opevo_kernel_is_for_cpu(maker->dialect))
        return OPEVO_FAIL(err, OPEVO_INVALID, "A kernel of %u threads needs cpu, not %s.",
                          maker->threads, options->device);
    if (!is_positive(options->build_limit_s) || !is_positive(options->run_limit_s))
        return OPEVO_FAIL(err, OPEVO_INVALID, "A time limit must be a number of seconds above 0.");
    if (!(options->precision > 0 && options->precision < 1))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The precision must be a fraction of the time, above 0 and below 1.");
    if (!is_positive(options->repeat_s))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The time for repetitions must be above 0 seconds.");
    if (options->slower != 0 && !(options->slower >= 1 && isfinite(options->slower)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The limit relative to the best must be a factor of at least 1, or 0 for "
                          "none.");
    if ((options->check_every != 1 || options->verifier) && !maker->bench)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--check and --verifier apply to kernels with a harness: omit it, as all others are "
            "checked in every configuration.");
    return OPEVO_OK;
}

typedef struct search {
    const char *device;
    opevo_i_engine_model *model;
} search;

static void note_model(void *context, const opevo_hardware *row)
{
    const search *self = context;
    opevo_i_engine_model *model = self->model;

    if (!row->present || strcmp(row->name, self->device) != 0)
        return;
    snprintf(model->identity, sizeof model->identity, "%s",
             row->identity ? row->identity : row->title);
    model->facts = (opevo_device_facts){
        .vector_bits = row->vector_bits, .l1_bytes = row->l1_bytes, .l2_bytes = row->l2_bytes};
    snprintf(model->no_energy, sizeof model->no_energy, "%s", row->no_energy ? row->no_energy : "");
    snprintf(model->no_compiler, sizeof model->no_compiler, "%s",
             row->no_compiler ? row->no_compiler : "");
    model->cores = row->cores;
}

/* The device that is measured: of this host, or of the first worker elsewhere that greets. */
static opevo_status learn(opevo_i_engine_pool *pool, const opevo_live_options *options,
                          const opevo_i_backend_ops *backend, opevo_i_engine_model *out,
                          opevo_error *err)
{
    search here = {.device = options->device, .model = out};
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_engine_model){.cores = 0};
    if (opevo_i_engine_workers_are_given(&options->workers)) {
        pool->interrupt = options->interrupt;
        status = options->meet ? opevo_i_engine_pool_meet(pool, out, err) : OPEVO_OK;
        pool->interrupt = NULL;
        return status;
    }
    backend->list(note_model, &here);
    return OPEVO_OK;
}

/* A run goes on where it began: on the same device. */
static uint64_t sign(const opevo_kernel_maker *maker, const opevo_live_options *options,
                     const opevo_i_engine_model *model)
{
    const double numbers[] = {options->build_limit_s, options->run_limit_s, options->precision,
                              options->repeat_s, options->cold_cache ? 1 : 0};
    bool asked = opevo_i_engine_workers_are_given(&options->workers);
    const char *identity = asked && options->of_plan ? "" : model->identity;
    uint64_t hash = opevo_space_signature(maker->space);

    hash = opevo_hash_bytes(hash, &maker->signature, sizeof maker->signature);
    hash = opevo_hash_bytes(hash, identity, strlen(identity) + 1);
    hash = opevo_hash_bytes(hash, options->device, strlen(options->device) + 1);
    hash = opevo_hash_bytes(hash, &options->seed, sizeof options->seed);
    if (maker->threads > 1)
        hash = opevo_hash_bytes(hash, &maker->threads, sizeof maker->threads);
    if (options->check_every != 1)
        hash = opevo_hash_u64(hash, options->check_every);
    if (options->verifier)
        hash = opevo_hash_bytes(hash, options->verifier, strlen(options->verifier));
    if (options->calls)
        hash = opevo_hash_u64(hash, options->calls);
    return opevo_hash_bytes(hash, numbers, sizeof numbers);
}

/* What is not known of a compiler could not be told from another one later; each thread of a kernel
 * has a core; and energy is asked for where it can be read. */
static opevo_status check_model(const kernels *self, const opevo_live_options *options,
                                const opevo_i_engine_model *model, opevo_error *err)
{
    unsigned threads = self->maker->threads;

    if (*model->no_compiler)
        return OPEVO_FAIL(err, OPEVO_FAULT,
                          "%s: the compiler %s does not work: install it, or set OPEVO_CC to "
                          "another one.",
                          options->device, model->no_compiler);
    if (threads > 1 && model->cores && threads > model->cores)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--threads %u: each thread of a kernel needs a core, and %s may use %u.", threads,
            opevo_i_engine_workers_are_given(&options->workers) ? "a worker" : "this process",
            model->cores);
    for (size_t i = 0; i < self->live.super.more_count && *model->no_energy; i++) {
        if (!strcmp(self->criteria[i].name, "energy"))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--criterion energy: the energy of %s cannot be read here: %s.",
                              options->device, model->no_energy);
    }
    return OPEVO_OK;
}

static bool tells_usage(const char *device)
{
    return strncmp(device, "cpu", 3) != 0 && strncmp(device, "simt", 4) != 0;
}

static opevo_status read_criteria(kernels *self, const opevo_live_options *options,
                                  opevo_error *err)
{
    opevo_objective *objective = &self->live.super;

    if (options->criterion_count > OPEVO_CRITERIA_MOST - 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--criterion may be given at most %d times.",
                          OPEVO_CRITERIA_MOST - 1);
    objective->criteria = self->criteria;
    for (size_t i = 0; i < options->criterion_count; i++) {
        opevo_i_wire_kernel_criterion kind = OPEVO_I_BUILD_TIME;

        if (!opevo_i_wire_kernel_criterion_find(options->criteria[i], &kind))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--criterion %.200s: unknown criterion of a kernel; use build_time, "
                              "code_size, energy, error, registers, local_memory or occupancy.",
                              options->criteria[i]);
        if (kind == OPEVO_I_ERROR && !self->maker->bench)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--criterion error applies to kernels with a harness: the error of "
                              "generated ones is within its bound.");
        if (kind >= OPEVO_I_REGISTERS && !tells_usage(options->device))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--criterion %s is told by drivers of GPUs, not by %s.",
                              options->criteria[i], options->device);
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(self->criteria[k].name, options->criteria[i]))
                return OPEVO_FAIL(err, OPEVO_INVALID, "--criterion %s is given twice.",
                                  options->criteria[i]);
        }
        self->criteria[i] = opevo_i_wire_kernel_criterion_rows[kind];
        objective->more_count++;
    }
    return OPEVO_OK;
}

/* The criteria; left out of an objective without. */
static int add_criteria(const kernels *self, json_t *setup)
{
    size_t count = self->live.super.more_count;
    json_t *list = count ? json_array() : NULL;
    int failed = count && !list;

    for (size_t i = 0; i < count; i++)
        failed |= json_array_append_new(list, json_string(self->criteria[i].name));
    return failed | (list ? json_object_set_new(setup, "criteria", list) : 0);
}

/* Nothing for one. */
static int add_threads(const kernels *self, json_t *setup)
{
    unsigned threads = self->maker->threads;

    return threads > 1 ? json_object_set_new(setup, "threads", json_integer(threads)) : 0;
}

/* What kernels are checked by: the members of a bench and its reference. */
static int add_bench(const opevo_kernel_bench *bench, json_t *setup)
{
    json_t *members = json_loads(bench->setup, 0, NULL);
    int failed = members ? json_object_update(setup, members) : -1;

    json_decref(members);
    if (!failed && bench->reference) {
        const opevo_i_wire_job job = {.kernel = *bench->reference};

        failed = json_object_set_new(setup, "reference", opevo_i_wire_job_to_json(&job));
    }
    return failed;
}

/* Nothing where all are checked by windows, and by no program. */
static int add_check(const opevo_live_options *options, json_t *setup)
{
    uint64_t every = options->check_every;

    int failed =
        every == 1 ? 0 : json_object_set_new(setup, "check", json_integer((json_int_t)every));

    if (options->verifier)
        failed |= json_object_set_new(setup, "verifier", json_string(options->verifier));
    if (options->calls)
        failed |= json_object_set_new(setup, "calls", json_integer(options->calls));
    return failed;
}

static int add_subject(const kernels *self, json_t *setup)
{
    return self->work ? opevo_i_wire_setup_add_workload(setup, self->work)
                      : add_bench(&self->bench, setup);
}

static opevo_status make_setup(kernels *self, const opevo_live_options *options, opevo_error *err)
{
    json_t *setup = json_pack("{s:s, s:I, s:f, s:f, s:f, s:f, s:b}", "type", "setup", "seed",
                              (json_int_t)options->seed, "build_limit_s", options->build_limit_s,
                              "run_limit_s", options->run_limit_s, "precision", options->precision,
                              "repeat_s", options->repeat_s, "cold", (int)options->cold_cache);

    if (setup && !add_subject(self, setup) && !add_criteria(self, setup) &&
        !add_threads(self, setup) && !add_check(options, setup))
        self->live.pool.setup = opevo_i_wire_message_line(json_incref(setup));
    json_decref(setup);
    return self->live.pool.setup ? OPEVO_OK
                                 : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a setup.");
}

/* "cpu:matmul-cpu matmul(512,512,512)", "cpu:conv.c". */
static void print_name(const kernels *self, const opevo_live_options *options, opevo_text *out)
{
    opevo_text_printf(out, "%s:%s", options->device, self->maker->name);
    if (self->work) {
        opevo_text_add(out, " ");
        opevo_workload_print(self->work, out);
    }
    if (self->maker->threads > 1)
        opevo_text_printf(out, " threads=%u", self->maker->threads);
}

static opevo_status fill(kernels *self, const opevo_live_options *options,
                         const opevo_i_backend_ops *backend, opevo_error *err)
{
    opevo_i_engine_live *live = &self->live;
    opevo_text name = {0};

    print_name(self, options, &name);
    if (name.failed)
        return opevo_text_check(&name, err);
    live->name = name.data;
    live->super.space = self->maker->space;
    live->super.name = live->name;
    live->super.unit = self->bench.unit;
    live->super.flop = !strcmp(self->bench.unit, "GFLOP/s") ? self->bench.amount : 0;
    live->super.features = self->maker->features;
    live->super.trees = self->maker->trees;
    live->slower = options->slower;
    live->prepare = prepare;
    live->value = value;
    live->pool.kind = backend->kind;
    live->pool.threads = self->maker->threads;
    live->pool.depth = DEPTH;
    live->pool.start_limit_s =
        opevo_i_engine_live_start_s(&options->workers) + REFERENCE_S * self->bench.amount;
    /* Three measurements of a disturbed kernel, each with its check, warm-up and new inputs. */
    live->pool.job_limit_s =
        3 * ((3 + options->calls) * options->run_limit_s + 2 * options->repeat_s) + 30;
    live->pool.silence_s =
        live->pool.job_limit_s + DEPTH * OPEVO_I_STARVED * options->build_limit_s;
    live->pool.builds = true;
    live->each = DEPTH;
    opevo_i_engine_live_note_workers(live);
    return OPEVO_OK;
}

static opevo_status find_start(kernels *self, const opevo_i_engine_model *model, opevo_error *err)
{
    bool found = false;
    opevo_status status = OPEVO_OK;

    if (!self->maker->ops->start)
        return OPEVO_OK;
    status = self->maker->ops->start(self->maker, &model->facts, &found, &self->first.point, err);
    if (status != OPEVO_OK || !found)
        return status;
    self->first.origin = "default";
    self->starts = (opevo_starts){&self->first, 1};
    self->live.super.starts = &self->starts;
    return OPEVO_OK;
}

/* What is measured, whichever way the maker says it. */
static opevo_status find_subject(kernels *self, opevo_error *err)
{
    const opevo_kernel_maker *maker = self->maker;
    opevo_status status = OPEVO_OK;

    if (maker->bench) {
        self->bench = *maker->bench;
        self->live.note = self->bench.note;
        return OPEVO_OK;
    }
    status = opevo_workload_create(maker->computation, &self->work, err);
    if (status == OPEVO_OK)
        self->bench = (opevo_kernel_bench){.unit = self->work->flop > 0 ? "GFLOP/s" : "ms",
                                           .amount = self->work->flop};
    return status;
}

opevo_status opevo_live_open(opevo_kernel_maker *maker, const opevo_live_options *options,
                             opevo_objective **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const opevo_i_backend_ops *backend = NULL;
    const char *which = NULL;
    opevo_i_engine_model model;
    kernels *self = opevo_calloc(1, sizeof *self);

    if (!self) {
        maker->ops->destroy(maker);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for an objective.");
    }
    self->maker = maker;
    self->live.super.ops = &kernel_ops;
    self->live.release = release;
    OPEVO_TRY(opevo_i_backend_find(options->device, &backend, &which, err));
    OPEVO_TRY(check_options(maker, options, backend, err));
    OPEVO_TRY(find_subject(self, err));
    OPEVO_TRY(read_criteria(self, options, err));
    OPEVO_TRY(make_setup(self, options, err));
    OPEVO_TRY(
        opevo_i_engine_live_workers(&self->live.pool, &options->workers, options->device, err));
    self->live.mixed = options->workers.mixed;
    self->live.super.measurer = &self->live.by;
    OPEVO_TRY(fill(self, options, backend, err));
    OPEVO_TRY(learn(&self->live.pool, options, backend, &model, err));
    opevo_i_engine_live_note_workers(&self->live);
    OPEVO_TRY(check_model(self, options, &model, err));
    self->live.super.signature = sign(maker, options, &model);
    OPEVO_TRY(find_start(self, &model, err));
    *out = &self->live.super;
cleanup:
    if (status != OPEVO_OK)
        opevo_i_engine_live_destroy(&self->live.super);
    return status;
}
