/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measuring on a GPU, whose vendors have all of this in common. The context lives in the worker
 * itself, because making one costs more than a measurement; whatever spoils it (an illegal address,
 * a kernel that does not end) ends the worker after its result, and the engine starts another. */

#include "gpu_backend_internal.h"

#include <opevo/clock.h>
#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cpu_internal.h"

#define FLUSH_BYTES ((size_t)256 << 20) /* where the size of the second level is not known */
enum { BUILDS_ALONE = 2 };
#define IMAGE_BYTES_MAX ((size_t)256 << 20)

/* ---- Opening -------------------------------------------------------------------------------- */

static opevo_status fail(const opevo_i_gpu_backend *self, int code, const char *what,
                         opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_IO, "%s:%u: %s: error %d (%s).", self->vendor->kind, self->ordinal,
                      what, code, opevo_i_gpu_words(self->vendor, code));
}

/* Driver and compiler, where the vendor has no words of its own. */
static opevo_status name_software(opevo_i_gpu_backend *self, opevo_error *err)
{
    opevo_i_gpu_rtc rtc;
    char version[64] = "";
    int major = 0;
    int minor = 0;
    opevo_status status = OPEVO_OK;

    if (self->vendor->own)
        return OPEVO_OK;
    status = opevo_i_gpu_rtc_open(self->vendor, &rtc, err);
    if (status != OPEVO_OK)
        return status;
    rtc.version(&major, &minor);
    if (self->vendor->nvml)
        opevo_i_gpu_nvml_driver(version, sizeof version);
    snprintf(self->facts.software, sizeof self->facts.software, "%s %d%s%s, compiler %d.%d",
             self->vendor->title, self->facts.driver, *version ? ", driver " : "", version, major,
             minor);
    return OPEVO_OK;
}

/* What runs on a device of its own is not disturbed by compilers on the processors. */
static void choose_builders(opevo_i_gpu_backend *self)
{
    if (self->facts.on_host)
        self->super.builders = opevo_processor_count();
    else
        self->super.core_count = 2;
}

opevo_status opevo_i_gpu_open(const opevo_i_gpu_vendor *vendor, const opevo_i_backend_ops *ops,
                              const char *which, opevo_i_backend **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_gpu_backend *self = opevo_calloc(1, sizeof *self);
    ssize_t length = 0;
    int code = 0;

    OPEVO_NEED_OR_RETURN(self, "a worker");
    self->super.ops = ops;
    self->vendor = vendor;
    length = readlink("/proc/self/exe", self->self, sizeof self->self - 1);
    self->self[length > 0 ? length : 0] = '\0';
    OPEVO_TRY(opevo_i_gpu_ordinal(vendor, which, &self->ordinal, err));
    snprintf(self->ordinal_text, sizeof self->ordinal_text, "%u", self->ordinal);
    OPEVO_TRY(opevo_i_gpu_driver_open(vendor, &self->driver, err));
    OPEVO_TRY(opevo_i_gpu_describe(vendor, &self->driver, self->ordinal, &self->facts, err));
    OPEVO_TRY(name_software(self, err));
    code = opevo_i_gpu_enter(&self->driver, self->ordinal, &self->start, &self->end);
    if (code) {
        status = fail(self, code, "no context", err);
        goto cleanup;
    }
    snprintf(self->super.device, sizeof self->super.device, "%.90s, %s%s%.140s", self->facts.name,
             self->facts.arch, *self->facts.arch ? ", " : "", self->facts.software);
    choose_builders(self);
    *out = &self->super;
cleanup:
    if (status != OPEVO_OK)
        opevo_i_gpu_close(&self->super);
    return status;
}

/* Device memory and the context go with the process. */
void opevo_i_gpu_close(opevo_i_backend *backend)
{
    opevo_i_gpu_backend *self = (opevo_i_gpu_backend *)backend;

    opevo_i_reference_operands_free(&self->operands);
    opevo_i_gpu_own_close(self);
    opevo_free(self->words);
    opevo_free(self);
}

/* An operand with what it needs; the driver's status. */
static int allocate_operand(opevo_i_gpu_backend *self, int operand)
{
    const opevo_i_gpu_driver *driver = &self->driver;
    const opevo_i_reference_guarded *host = &self->operands.memory[operand];
    uint64_t *memory = &self->memory[operand];
    int code = 0;

    if (operand >= self->operands.list.inputs) {
        code = driver->allocate(memory, 4 * opevo_i_gpu_output_words(self, operand));
        self->argument[operand] = *memory + 4 * (uint64_t)OPEVO_I_GPU_GUARD_WORDS;
        if (code || opevo_i_gpu_is_filled(self, operand))
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

static opevo_status allocate(opevo_i_gpu_backend *self, opevo_error *err)
{
    const opevo_i_gpu_driver *driver = &self->driver;
    size_t words = 0;
    int code = 0;

    opevo_i_reference_operands_poison(&self->operands); /* what is copied to outputs */
    for (int i = 0; i < self->operands.list.count && !code; i++) {
        code = allocate_operand(self, i);
        if (i >= self->operands.list.inputs && opevo_i_gpu_output_words(self, i) > words)
            words = opevo_i_gpu_output_words(self, i);
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
    opevo_i_gpu_backend *self = (opevo_i_gpu_backend *)backend;
    json_int_t seed = json_integer_value(json_object_get(message, "seed"));
    opevo_workload *work = NULL;
    opevo_status status = OPEVO_OK;

    backend->threads = (unsigned)json_integer_value(json_object_get(message, "threads"));
    backend->build_limit_s = json_number_value(json_object_get(message, "build_limit_s"));
    self->run_limit_s = json_number_value(json_object_get(message, "run_limit_s"));
    self->precision = json_number_value(json_object_get(message, "precision"));
    self->repeat_s = json_number_value(json_object_get(message, "repeat_s"));
    self->least_s = opevo_i_wire_setup_least_s(message, OPEVO_I_GPU_COUNTER_S);
    self->cold = json_is_true(json_object_get(message, "cold"));
    if (!(backend->build_limit_s > 0) || !(self->run_limit_s > 0) || !(self->precision > 0) ||
        !(self->repeat_s > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The setup lacks a limit or a bound.");
    if (json_object_get(message, "harness"))
        return opevo_i_gpu_own_setup(self, message, err);
    OPEVO_TRY(opevo_i_wire_setup_workload(message, &work, err));
    OPEVO_TRY(opevo_i_reference_operands_create(work, (uint64_t)seed, &self->operands, err));
    self->operands.check_threads = 0; /* while the device waits */
    backend->reference_s = self->operands.reference_s;
    backend->unbounded = self->operands.unbounded;
    OPEVO_TRY(allocate(self, err));
cleanup:
    return status;
}
/* The blocks of its launches, each once. */
static opevo_status name_blocks(const opevo_i_gpu_backend *self, const opevo_kernel *kernel,
                                opevo_text *out, opevo_error *err)
{
    if (kernel->own)
        return opevo_i_gpu_own_blocks(self, kernel, out, err);
    for (int i = 0; i <= kernel->more; i++) {
        opevo_launch one = opevo_kernel_launch(kernel, i);

        opevo_i_gpu_add_block(one.block, out);
    }
    return opevo_text_check(out, err);
}

opevo_status opevo_i_gpu_build_command(const opevo_i_backend *backend, const opevo_i_wire_job *job,
                                       const char *source, const char *object,
                                       opevo_i_process_arguments *out, opevo_error *err)
{
    const opevo_i_gpu_backend *self = (const opevo_i_gpu_backend *)backend;
    opevo_text blocks = {0};
    const char *const words[] = {
        self->self, "--build", self->vendor->kind, self->ordinal_text, self->facts.arch,
        source,     object};
    bool good = true;
    opevo_status status = OPEVO_OK;

    if (job->kernel.own && *job->kernel.entry) /* a function in C that gives golden results */
        return opevo_i_cpu_build_command(opevo_i_cpu_compiler(), &job->kernel, source, object, out,
                                         err);
    status = name_blocks(self, &job->kernel, &blocks, err);
    if (status != OPEVO_OK) {
        opevo_text_free(&blocks);
        return status;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        good = good && opevo_i_process_arguments_add(out, words[i], strlen(words[i]));
    good = good && opevo_i_process_arguments_add(out, opevo_text_string(&blocks), blocks.length);
    opevo_text_free(&blocks);
    OPEVO_NEED_OR_RETURN(good, "a command");
    return opevo_i_own_add_options(&job->kernel, true, out, err);
}

/* Two builds by themselves cost less than a builder. */
void opevo_i_gpu_before_build(opevo_i_backend *backend)
{
    opevo_i_gpu_backend *self = (opevo_i_gpu_backend *)backend;

    if (self->facts.on_host && ++self->builds == BUILDS_ALONE + 1)
        opevo_i_gpu_builder_start(self->self, self->vendor->kind, self->ordinal_text,
                                  &self->builder);
}

/* ---- One kernel ----------------------------------------------------------------------------- */

static bool measure_loaded(const opevo_i_gpu_running *run)
{
    opevo_i_gpu_backend *self = run->self;
    double first_s = 0;

    if (!opevo_i_gpu_reserve(run) || !opevo_i_gpu_prepare(run))
        return false;
    first_s = opevo_i_gpu_window(run, 1);
    if (first_s == 0 || !opevo_i_gpu_check(run))
        return false;
    /* So slow that its first execution cost what all repeats may, and warming up is nothing. */
    if (first_s >= self->repeat_s && !run->job->single_sample)
        return opevo_i_wire_result_add(run->result, first_s);
    return opevo_i_gpu_prepare(run) && opevo_i_gpu_sample(run) && opevo_i_gpu_check(run);
}

/* What is to be known of a measurement that succeeded, or that it did not. */
static void conclude(const opevo_i_gpu_running *run, bool good, const char *title)
{
    const opevo_i_gpu_backend *self = run->self;
    char state[128] = "";

    if (!good && run->result->kind == OPEVO_OUTCOME_OK)
        opevo_i_wire_result_fault(run->result, "no memory for the samples of a kernel");
    if (!good)
        return;
    if (self->vendor->nvml)
        opevo_i_gpu_nvml_state(self->facts.bus, state, sizeof state);
    opevo_text_clear(&run->result->message);
    opevo_text_printf(&run->result->message, "%s%s%s", title, *title && *state ? "; " : "", state);
}

static void measure_library(opevo_i_gpu_backend *self, const opevo_i_wire_job *job,
                            opevo_i_wire_result *result)
{
    const opevo_i_gpu_running run = {.self = self, .job = job, .result = result};
    opevo_error err = {OPEVO_OK, ""};

    if (!self->operands.work->library) {
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", OPEVO_I_NO_LIBRARY);
        return;
    }
    if (!self->math && (!opevo_i_gpu_prepare(&run) ||
                        opevo_i_gpu_math_open(self->vendor, &self->driver, self->facts.arch,
                                              self->operands.work->library, self->argument,
                                              &self->math, &err) != OPEVO_OK)) {
        if (result->kind == OPEVO_OUTCOME_OK)
            opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", err.message);
        return;
    }
    conclude(&run, measure_loaded(&run), opevo_i_gpu_math_title(self->math));
}

static void note_usage(const opevo_i_gpu_running *run)
{
    opevo_i_wire_result *result = run->result;

    result->used = true;
    result->usage = OPEVO_I_NO_USAGE;
    for (int i = 0; i <= run->job->kernel.more; i++) {
        opevo_launch one = opevo_kernel_launch(&run->job->kernel, i);

        opevo_i_gpu_note_usage(&run->self->driver, run->function[i],
                               (uint64_t)one.block[0] * one.block[1] * one.block[2],
                               one.dynamic_shared_bytes, &result->usage);
    }
}

static void measure_object(opevo_i_gpu_backend *self, const opevo_i_wire_job *job, const char *path,
                           opevo_i_wire_result *result)
{
    opevo_i_gpu_running run = {.self = self, .job = job, .result = result};
    opevo_error err = {OPEVO_OK, ""};
    void *module = NULL;
    char *image = NULL;
    size_t size = 0;
    int code = 0;

    if (opevo_file_read(path, IMAGE_BYTES_MAX, &image, &size, &err) != OPEVO_OK) {
        opevo_i_wire_result_fault(result, "%s", err.message);
        return;
    }
    code = self->driver.load_module(&module, image);
    opevo_free(image);
    if (code) {
        opevo_i_gpu_judge(&run, code, "it cannot be loaded");
        return;
    }
    for (int i = 0; i <= job->kernel.more && !code; i++) {
        char name[OPEVO_KERNEL_NAME];

        opevo_kernel_launch_name(&job->kernel, i, name);
        code = self->driver.get_function(&run.function[i], module, name);
    }
    if (code)
        opevo_i_gpu_judge(&run, code, "it has no function with that name");
    else
        note_usage(&run);
    if (!code)
        conclude(&run, measure_loaded(&run), "");
    if (!result->context_lost)
        self->driver.unload_module(module);
}

void opevo_i_gpu_lock_name(const opevo_i_backend *backend, char *out, size_t size)
{
    const opevo_i_gpu_backend *self = (const opevo_i_gpu_backend *)backend;

    opevo_i_gpu_turn_name(self->vendor, &self->facts, out, size);
}

void opevo_i_gpu_measure(opevo_i_backend *backend, const opevo_i_wire_job *job, const char *object,
                         opevo_i_wire_result *result)
{
    opevo_i_gpu_backend *self = (opevo_i_gpu_backend *)backend;
    double start = opevo_clock_monotonic_s();

    if (self->own)
        opevo_i_gpu_own_measure(self, job, object, result);
    else if (job->library)
        measure_library(self, job, result);
    else
        measure_object(self, job, object, result);
    result->run_s += opevo_clock_monotonic_s() - start - result->check_s;
}
