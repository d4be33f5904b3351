/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measuring on a GPU, the part that CUDA and HIP have in common. The context lives in the worker
 * itself, because making one costs more than a measurement; whatever spoils it (an illegal address,
 * a kernel that does not end) ends the worker after its result, and the engine starts another. */

#include "gpu_internal.h"

#include <opevo/clock.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "keeper_internal.h"
#include "operands_internal.h"
#include "protocol_internal.h"
#include "samples_internal.h"

#define WINDOW_S 1e-3      /* the gap before the first launch, a few microseconds, must not count */
#define RESOLUTION_MS 5e-4 /* of events */
#define FLUSH_BYTES ((size_t)256 << 20) /* where the size of the second level is not known */
#define IMAGE_BYTES_MAX ((size_t)256 << 20)
#define POISON 0x7fd15ea5U /* as on the CPU */
#define PATTERN 0xa5a5a5a5U
enum {
    GUARD_WORDS = 1024, /* before and after an output */
    LEAST_SAMPLES = 6,
    MOST_SAMPLES = 1000,
    MOST_CALLS = 1 << 14,
    DYNAMIC_SHARED_BYTES = 8, /* the attribute of that number in cuda.h */
    STATIC_SHARED_LIMIT = 48 << 10
};

#define RESTART_S 1.0  /* what a kernel that is stopped costs: a new worker */
#define COUNTER_S 0.02 /* after which the counter of energy is renewed */

typedef struct gpu_backend {
    opevo_i_backend super;
    const opevo_i_vendor *vendor;
    opevo_i_gpu_driver driver;
    opevo_i_gpu_facts facts;
    unsigned ordinal;
    char self[4096]; /* path of this program, which is also the compiler */
    char ordinal_text[16];
    double run_limit_s, precision, repeat_s;
    double least_s; /* of samples, however precise they are */
    bool cold;
    opevo_i_operands operands;
    /* Of each operand. */
    uint64_t pristine[OPEVO_WORKLOAD_OPERANDS]; /* inputs; a kernel sees copies made anew for it */
    uint64_t memory[OPEVO_WORKLOAD_OPERANDS];   /* these copies; outputs between their guards */
    uint64_t argument[OPEVO_WORKLOAD_OPERANDS]; /* where the elements begin */
    uint64_t scratch; /* memory of kernels; made larger when one needs more */
    size_t scratch_bytes;
    uint64_t flush;
    size_t flush_words;
    void *start, *end;      /* events */
    opevo_i_gpu_math *math; /* NULL until asked for */
    uint32_t *words;        /* an output and its guards on this side */
} gpu_backend;

/* ---- Opening -------------------------------------------------------------------------------- */

static opevo_status fail(const gpu_backend *self, int code, const char *what, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_IO, "%s:%u: %s: error %d (%s).", self->vendor->kind, self->ordinal,
                      what, code, opevo_i_gpu_words(self->vendor, code));
}

static opevo_status make_context(gpu_backend *self, opevo_error *err)
{
    const opevo_i_gpu_driver *driver = &self->driver;
    void *context = NULL;
    int code = 0;

    if (self->vendor->hip)
        code = driver->set_device((int)self->ordinal);
    else if (!(code = driver->retain_context(&context, (int)self->ordinal)))
        code = driver->set_context(context);
    if (!code)
        code = driver->create_event(&self->start, 0);
    if (!code)
        code = driver->create_event(&self->end, 0);
    return code ? fail(self, code, "no context", err) : OPEVO_OK;
}

opevo_status opevo_i_gpu_open(const opevo_i_vendor *vendor, const opevo_i_backend_ops *ops,
                              unsigned ordinal, opevo_i_backend **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    gpu_backend *self = opevo_calloc(1, sizeof *self);
    opevo_i_rtc rtc;
    char version[64] = "";
    ssize_t length = 0;
    int major = 0;
    int minor = 0;

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a worker.");
    self->super.ops = ops;
    self->vendor = vendor;
    self->ordinal = ordinal;
    length = readlink("/proc/self/exe", self->self, sizeof self->self - 1);
    self->self[length > 0 ? length : 0] = '\0';
    snprintf(self->ordinal_text, sizeof self->ordinal_text, "%u", ordinal);
    OPEVO_TRY(opevo_i_gpu_driver_open(vendor, &self->driver, err));
    OPEVO_TRY(opevo_i_rtc_open(vendor, &rtc, err));
    OPEVO_TRY(opevo_i_gpu_describe(vendor, &self->driver, ordinal, &self->facts, err));
    OPEVO_TRY(make_context(self, err));
    rtc.version(&major, &minor);
    if (!vendor->hip)
        opevo_i_nvml_driver(version, sizeof version);
    snprintf(self->super.device, sizeof self->super.device, "%.128s, %s, %s %d%s%s, compiler %d.%d",
             self->facts.name, self->facts.arch, vendor->title, self->facts.driver,
             *version ? ", driver " : "", version, major, minor);
    /* What runs on the device is not disturbed by compilers on the processors. */
    self->super.core_count = 2;
    *out = &self->super;
cleanup:
    if (status != OPEVO_OK)
        opevo_i_gpu_close(&self->super);
    return status;
}

/* Device memory and the context go with the process. */
void opevo_i_gpu_close(opevo_i_backend *backend)
{
    gpu_backend *self = (gpu_backend *)backend;

    opevo_i_operands_free(&self->operands);
    opevo_free(self->words);
    opevo_free(self);
}

/* The words that an output begins, and both guards. */
static size_t output_words(const gpu_backend *self, int operand)
{
    return (self->operands.memory[operand].bytes + 3) / 4 + 2 * (size_t)GUARD_WORDS;
}

/* Whether what an output is poisoned with is one word, again and again. */
static bool is_filled(const gpu_backend *self, int operand)
{
    return self->operands.list.item[operand].element == OPEVO_FLOAT32;
}

/* An operand with what it needs; the driver's status. */
static int allocate_operand(gpu_backend *self, int operand)
{
    const opevo_i_gpu_driver *driver = &self->driver;
    const opevo_i_guarded *host = &self->operands.memory[operand];
    uint64_t *memory = &self->memory[operand];
    int code = 0;

    if (operand >= self->operands.list.inputs) {
        code = driver->allocate(memory, 4 * output_words(self, operand));
        self->argument[operand] = *memory + 4 * (uint64_t)GUARD_WORDS;
        if (code || is_filled(self, operand))
            return code;
        code = driver->allocate(&self->pristine[operand], host->bytes);
        return code ? code : driver->copy_in(self->pristine[operand], host->data, host->bytes);
    }
    code = driver->allocate(&self->pristine[operand], host->bytes);
    if (!code)
        code = driver->allocate(memory, host->bytes);
    if (!code)
        code = driver->copy_in(self->pristine[operand], host->data, host->bytes);
    self->argument[operand] = *memory;
    return code;
}

static opevo_status allocate(gpu_backend *self, opevo_error *err)
{
    const opevo_i_gpu_driver *driver = &self->driver;
    size_t words = 0;
    int code = 0;

    opevo_i_operands_poison(&self->operands); /* what is copied to outputs */
    for (int i = 0; i < self->operands.list.count && !code; i++) {
        code = allocate_operand(self, i);
        if (i >= self->operands.list.inputs && output_words(self, i) > words)
            words = output_words(self, i);
    }
    if (!code && self->cold) {
        self->flush_words = (self->facts.l2_bytes ? 2 * self->facts.l2_bytes : FLUSH_BYTES) / 4;
        code = driver->allocate(&self->flush, 4 * self->flush_words);
    }
    if (code)
        return fail(self, code, "no memory for the operands", err);
    self->words = opevo_malloc(words, sizeof *self->words);
    return self->words ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a result.");
}

opevo_status opevo_i_gpu_setup(opevo_i_backend *backend, const json_t *message, opevo_error *err)
{
    gpu_backend *self = (gpu_backend *)backend;
    json_int_t seed = json_integer_value(json_object_get(message, "seed"));
    opevo_workload *work = NULL;
    opevo_status status = OPEVO_OK;

    backend->build_limit_s = json_number_value(json_object_get(message, "build_limit_s"));
    self->run_limit_s = json_number_value(json_object_get(message, "run_limit_s"));
    self->precision = json_number_value(json_object_get(message, "precision"));
    self->repeat_s = json_number_value(json_object_get(message, "repeat_s"));
    self->least_s = opevo_i_setup_least_s(message, COUNTER_S);
    self->cold = json_is_true(json_object_get(message, "cold"));
    if (!(backend->build_limit_s > 0) || !(self->run_limit_s > 0) || !(self->precision > 0) ||
        !(self->repeat_s > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The setup lacks an operator, a limit or a bound.");
    OPEVO_TRY(opevo_i_setup_workload(message, &work, err));
    OPEVO_TRY(opevo_i_operands_create(work, (uint64_t)seed, opevo_i_worker_reference,
                                      &self->operands, err));
    backend->reference_s = self->operands.reference_s;
    backend->unbounded = self->operands.unbounded;
    OPEVO_TRY(allocate(self, err));
cleanup:
    return status;
}

opevo_status opevo_i_gpu_build_command(const opevo_i_backend *backend, const opevo_kernel *kernel,
                                       const char *source, const char *object,
                                       opevo_i_arguments *out, opevo_error *err)
{
    const gpu_backend *self = (const gpu_backend *)backend;
    const char *const words[] = {
        self->self, "--build", self->vendor->kind, self->ordinal_text, self->facts.arch,
        source,     object};

    (void)kernel;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!opevo_i_arguments_add(out, words[i], strlen(words[i])))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
    }
    return OPEVO_OK;
}

/* ---- One kernel ----------------------------------------------------------------------------- */

typedef struct running {
    gpu_backend *self;
    const opevo_i_job *job;
    opevo_i_result *result;
    void *function[OPEVO_KERNEL_LAUNCHES];
} running;

/* After an error the context either still works, or every further call fails: then the worker must
 * go. */
static void judge_error(const running *run, int code, const char *what)
{
    const gpu_backend *self = run->self;
    bool sticky = self->driver.synchronize() != 0;

    run->result->spoilt = sticky;
    opevo_i_result_fail(run->result, sticky ? OPEVO_OUTCOME_CRASHED : OPEVO_OUTCOME_LAUNCH_ERROR,
                        "%s: error %d (%s)", what, code, opevo_i_gpu_words(self->vendor, code));
}

static bool launch(const running *run)
{
    gpu_backend *self = run->self;
    const opevo_kernel *kernel = &run->job->kernel;
    int count = self->operands.list.count;
    void *arguments[OPEVO_WORKLOAD_OPERANDS + 1];
    int code = 0;

    if (run->job->library) {
        code = opevo_i_gpu_math_run(self->math);
        if (code)
            opevo_i_result_fail(run->result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s: status %d",
                                opevo_i_gpu_math_title(self->math), code);
        return code == 0;
    }
    for (int i = 0; i < count; i++)
        arguments[i] = &self->argument[i];
    arguments[count] = &self->scratch; /* a kernel without scratch memory does not see it */
    for (int i = 0; i <= kernel->more && !code; i++) {
        opevo_launch one = opevo_kernel_launch(kernel, i);

        code = self->driver.launch(run->function[i], one.grid[0], one.grid[1], one.grid[2],
                                   one.block[0], one.block[1], one.block[2],
                                   one.dynamic_shared_bytes, NULL, arguments, NULL);
    }
    if (code)
        judge_error(run, code, "it cannot be launched");
    return code == 0;
}

/* Wait for the end event; false on failure, or when the time is over, or more than it is worth. The
 * engine may go away meanwhile. */
static bool wait_for_end(const running *run, double limit_s, double slow_s)
{
    gpu_backend *self = run->self;
    double deadline = opevo_clock_monotonic_s() + fmin(limit_s, slow_s);
    struct timespec nap = {.tv_nsec = 20000};
    int code = 0;

    while ((code = self->driver.query_event(self->end)) == OPEVO_I_GPU_NOT_READY) {
        struct pollfd engine = {.fd = OPEVO_I_ENGINE_FD};

        if (opevo_clock_monotonic_s() > deadline) {
            run->result->spoilt = true; /* it can only be stopped with the process */
            if (slow_s < limit_s)
                opevo_i_result_fail(run->result, OPEVO_OUTCOME_TIMEOUT, OPEVO_I_SLOWER,
                                    run->job->slower, run->job->best_s);
            else
                opevo_i_result_fail(run->result, OPEVO_OUTCOME_TIMEOUT, "took longer than %g s",
                                    limit_s);
            return false;
        }
        if (poll(&engine, 1, 0) > 0)
            opevo_i_end_with_engine();
        nanosleep(&nap, NULL);
    }
    if (code)
        judge_error(run, code, "it failed");
    return code == 0;
}

/* Mean time of `calls` executions back to back; 0 on failure. */
static double run_window(const running *run, unsigned calls)
{
    gpu_backend *self = run->self;
    float ms = 0;
    int code = 0;

    if (self->cold && (code = self->driver.fill(self->flush, calls, self->flush_words)) != 0)
        judge_error(run, code, "the caches cannot be flushed");
    if (!code && (code = self->driver.record_event(self->start, NULL)) != 0)
        judge_error(run, code, "no event");
    for (unsigned i = 0; !code && i < calls; i++) {
        if (!launch(run))
            return 0;
    }
    if (code)
        return 0;
    code = self->driver.record_event(self->end, NULL);
    if (code) {
        judge_error(run, code, "no event");
        return 0;
    }
    if (!wait_for_end(run, self->run_limit_s, fmax(opevo_i_job_slow_s(run->job), RESTART_S)))
        return 0;
    code = self->driver.elapsed_ms(&ms, self->start, self->end);
    if (code) {
        judge_error(run, code, "it cannot be timed");
        return 0;
    }
    return fmax((double)ms, RESOLUTION_MS) * 1e-3 / calls;
}

/* Inputs as they were, outputs poisoned between their guards. */
static bool prepare(const running *run)
{
    gpu_backend *self = run->self;
    const opevo_i_gpu_driver *driver = &self->driver;
    const opevo_i_operands *operands = &self->operands;
    int code = 0;

    for (int i = 0; i < operands->list.count && !code; i++) {
        if (i < operands->list.inputs) {
            code = driver->copy(self->memory[i], self->pristine[i], operands->memory[i].bytes);
            continue;
        }
        code = driver->fill(self->memory[i], PATTERN, output_words(self, i));
        if (!code)
            code = is_filled(self, i) ? driver->fill(self->argument[i], POISON, operands->count[i])
                                      : driver->copy(self->argument[i], self->pristine[i],
                                                     operands->memory[i].bytes);
    }
    if (code)
        judge_error(run, code, "the operands cannot be renewed");
    return code == 0;
}

/* Whether one output is right; false, with a clause in `why` or a result, otherwise. */
static bool check_output(const running *run, int operand, opevo_text *why)
{
    gpu_backend *self = run->self;
    size_t words = output_words(self, operand);
    size_t bytes = self->operands.memory[operand].bytes;
    const unsigned char *c = (const unsigned char *)(self->words + GUARD_WORDS);
    const uint32_t pattern = PATTERN; /* all bytes are the same */
    bool intact = false;
    int code = self->driver.copy_out(self->words, self->memory[operand], 4 * words);

    if (code) {
        judge_error(run, code, "its result cannot be read");
        return false;
    }
    if (!opevo_i_operands_check(&self->operands, operand, c, why))
        return false;
    intact = memcmp(c + bytes, &pattern, -bytes % 4) == 0;
    for (size_t i = 0; i < GUARD_WORDS; i++)
        intact &= self->words[i] == PATTERN && self->words[words - 1 - i] == PATTERN;
    if (!intact)
        opevo_text_add(why, "it wrote outside its output");
    return intact;
}

static bool check(const running *run)
{
    const opevo_workload_list *list = &run->self->operands.list;
    double start = opevo_clock_monotonic_s();
    opevo_text why = {0};
    bool right = true;

    for (int i = list->inputs; i < list->count && right; i++)
        right = check_output(run, i, &why);
    if (why.length)
        opevo_i_result_fail(run->result, OPEVO_OUTCOME_WRONG, "%s", opevo_text_string(&why));
    opevo_text_free(&why);
    run->result->check_s += opevo_clock_monotonic_s() - start;
    return right;
}

static bool is_precise(const gpu_backend *self, const opevo_i_result *result)
{
    double sorted[MOST_SAMPLES];
    size_t count = result->sample_count;
    double low = 0;
    double high = 0;

    if (count < LEAST_SAMPLES)
        return false;
    memcpy(sorted, result->samples, count * sizeof *sorted);
    opevo_i_sort(sorted, count);
    return opevo_i_median_interval(sorted, count, 0.95, &low, &high) &&
           high - low <= 2 * self->precision * opevo_i_median(sorted, count);
}

static bool take_samples(const running *run)
{
    const gpu_backend *self = run->self;
    double warm_s = run_window(run, 1);
    size_t most = run->job->brief && warm_s >= OPEVO_I_BRIEF_S ? 1 : MOST_SAMPLES;
    unsigned calls = 1;
    double least = opevo_clock_monotonic_s() + self->least_s;
    double deadline = 0;

    if (warm_s == 0)
        return false;
    deadline = opevo_clock_monotonic_s() + self->repeat_s;
    do {
        double sample = run_window(run, calls);

        if (sample == 0)
            return false;
        if (!self->cold && sample * calls < WINDOW_S && calls < MOST_CALLS) {
            calls *= 2;
            continue;
        }
        if (!opevo_i_result_add(run->result, sample))
            return false;
        if (run->result->sample_count == most || sample > opevo_i_job_slow_s(run->job) ||
            (opevo_clock_monotonic_s() >= least && is_precise(self, run->result)))
            return true;
    } while (opevo_clock_monotonic_s() < fmax(deadline, least) || run->result->sample_count == 0);
    return true;
}

/* The samples, and from the power meanwhile the energy of one execution: the device's, with all
 * that runs on it, where the time is long enough for its counter. */
static bool take_samples_and_energy(const running *run)
{
    const char *bus = run->self->facts.bus;
    bool asked = run->self->least_s > 0 && !run->self->vendor->hip;
    double before_j = asked ? opevo_i_nvml_energy_j(bus) : NAN;
    double start = opevo_clock_monotonic_s();
    opevo_i_result *result = run->result;
    double sum_s = 0, elapsed_s = 0, spent_j = 0;

    if (!take_samples(run))
        return false;
    elapsed_s = opevo_clock_monotonic_s() - start;
    spent_j = asked ? opevo_i_nvml_energy_j(bus) - before_j : NAN;
    for (size_t i = 0; i < result->sample_count; i++)
        sum_s += result->samples[i];
    if (spent_j > 0 && elapsed_s >= 10 * COUNTER_S)
        result->energy_j = spent_j / elapsed_s * sum_s / (double)result->sample_count;
    return true;
}

/* Leave for all shared memory that the launches ask for. */
static bool ask_for_shared(const running *run)
{
    const gpu_backend *self = run->self;
    const opevo_kernel *kernel = &run->job->kernel;

    for (int i = 0; i <= kernel->more && self->driver.set_function; i++) {
        uint32_t bytes = opevo_kernel_launch(kernel, i).dynamic_shared_bytes;
        int code = 0;

        if (bytes <= STATIC_SHARED_LIMIT)
            continue;
        code = self->driver.set_function(run->function[i], DYNAMIC_SHARED_BYTES, (int)bytes);
        if (code) {
            judge_error(run, code, "the device has less shared memory");
            return false;
        }
    }
    return true;
}

/* Scratch memory of the kernel, poisoned: whatever is in it must not matter. */
static bool reserve_scratch(const running *run)
{
    gpu_backend *self = run->self;
    size_t bytes = (size_t)run->job->kernel.scratch_bytes;
    int code = 0;

    if (bytes > self->scratch_bytes) {
        if (self->scratch_bytes)
            self->driver.release(self->scratch);
        self->scratch_bytes = 0;
        code = self->driver.allocate(&self->scratch, bytes);
        self->scratch_bytes = code ? 0 : bytes;
    }
    if (bytes && !code)
        code = self->driver.fill(self->scratch, POISON, bytes / 4);
    if (code)
        judge_error(run, code, "the device has no room for its scratch memory");
    return code == 0;
}

static bool measure_loaded(const running *run)
{
    gpu_backend *self = run->self;
    double first_s = 0;

    if (!ask_for_shared(run) || !reserve_scratch(run) || !prepare(run))
        return false;
    first_s = run_window(run, 1);
    if (first_s == 0 || !check(run))
        return false;
    /* So slow that its first execution cost what all repeats may, and warming up is nothing. */
    if (first_s >= self->repeat_s && !run->job->brief)
        return opevo_i_result_add(run->result, first_s);
    return prepare(run) && take_samples_and_energy(run) && check(run);
}

/* What is to be known of a measurement that succeeded, or that it did not. */
static void conclude(const running *run, bool good, const char *title)
{
    const gpu_backend *self = run->self;
    char state[128] = "";

    if (!good && run->result->kind == OPEVO_OUTCOME_OK)
        opevo_i_result_fault(run->result, "no memory for the samples of a kernel");
    if (!good)
        return;
    if (!self->vendor->hip)
        opevo_i_nvml_state(self->facts.bus, state, sizeof state);
    opevo_text_clear(&run->result->message);
    opevo_text_printf(&run->result->message, "%s%s%s", title, *title && *state ? "; " : "", state);
}

static void measure_library(gpu_backend *self, const opevo_i_job *job, opevo_i_result *result)
{
    const running run = {.self = self, .job = job, .result = result};
    opevo_error err = {OPEVO_OK, ""};

    if (!self->operands.work->op) {
        opevo_i_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", OPEVO_I_NO_LIBRARY);
        return;
    }
    if (!self->math &&
        (!prepare(&run) || opevo_i_gpu_math_open(self->vendor, &self->driver, self->facts.arch,
                                                 self->operands.work->op, self->argument,
                                                 &self->math, &err) != OPEVO_OK)) {
        if (result->kind == OPEVO_OUTCOME_OK)
            opevo_i_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", err.message);
        return;
    }
    conclude(&run, measure_loaded(&run), opevo_i_gpu_math_title(self->math));
}

static void measure_object(gpu_backend *self, const opevo_i_job *job, const char *path,
                           opevo_i_result *result)
{
    running run = {.self = self, .job = job, .result = result};
    opevo_error err = {OPEVO_OK, ""};
    void *module = NULL;
    char *image = NULL;
    size_t size = 0;
    int code = 0;

    if (opevo_file_read(path, IMAGE_BYTES_MAX, &image, &size, &err) != OPEVO_OK) {
        opevo_i_result_fault(result, "%s", err.message);
        return;
    }
    code = self->driver.load_module(&module, image);
    opevo_free(image);
    if (code) {
        judge_error(&run, code, "it cannot be loaded");
        return;
    }
    for (int i = 0; i <= job->kernel.more && !code; i++) {
        char name[OPEVO_KERNEL_NAME];

        opevo_kernel_launch_name(&job->kernel, i, name);
        code = self->driver.get_function(&run.function[i], module, name);
    }
    if (code)
        judge_error(&run, code, "it has no function with that name");
    else
        conclude(&run, measure_loaded(&run), "");
    if (!result->spoilt)
        self->driver.unload_module(module);
}

/* The device itself, by whatever number each process knows it. */
void opevo_i_gpu_turn_name(const opevo_i_backend *backend, char *out, size_t size)
{
    const gpu_backend *self = (const gpu_backend *)backend;

    snprintf(out, size, "%s-%s", self->vendor->kind, self->facts.bus);
}

void opevo_i_gpu_measure(opevo_i_backend *backend, const opevo_i_job *job, const char *object,
                         opevo_i_result *result)
{
    gpu_backend *self = (gpu_backend *)backend;
    double start = opevo_clock_monotonic_s();

    if (job->library)
        measure_library(self, job, result);
    else
        measure_object(self, job, object, result);
    result->run_s += opevo_clock_monotonic_s() - start - result->check_s;
}
