/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cases of harnesses on a GPU. A case is run once, with a wait after each launch, and judged; then
 * again in windows, which are timed as a whole. */

#include "gpu_launcher_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "own_operands_internal.h"
#include "samples_internal.h"

enum {
    GUARD_BYTES = 4096, /* before and after a buffer; keeps its alignment */
    MOST_ARGUMENTS = OPEVO_I_GPU_ARGUMENTS,
    MOST_KNOWN = 32,
    DYNAMIC_SHARED_BYTES = 8, /* the attribute of that number in cuda.h */
    STATIC_SHARED_LIMIT = 48 << 10
};

/* A buffer of the case on the device. */
typedef struct region {
    uint64_t memory;   /* with its guards */
    uint64_t data;     /* the elements */
    uint64_t pristine; /* the elements as they were; 0: nothing is initialised */
    bool kept;         /* a run leaves it as the next one needs it */
} region;

typedef struct launcher {
    opevo_launcher super;
    opevo_gpu *gpu;
    void *module;
    char *image; /* what the module is of, and what its kernels are called in it */
    size_t image_bytes;
    bool base;
    /* Of the case that runs. */
    opevo_buffer *buffers;
    region *regions;
    size_t count;
    double deadline_s, limit_s;
    bool waits; /* after each launch */
    double times[OPEVO_I_GPU_WINDOWS];
    size_t windows; /* of the last case that ended well */
    /* Kernels that were launched. */
    struct {
        char name[OPEVO_KERNEL_EXPRESSION];
        void *function;
    } known[MOST_KNOWN];
    size_t known_count;
    opevo_i_wire_usage usage;
} launcher;

/* ---- Memory ---- */

static size_t words_of(const opevo_buffer *buffer)
{
    return (buffer->size_bytes + 3) / 4;
}

static void release_regions(launcher *self)
{
    const opevo_i_gpu_driver *driver = &self->gpu->driver;

    for (size_t i = 0; i < self->count && self->regions; i++) {
        if (self->regions[i].memory)
            driver->release(self->regions[i].memory);
        if (self->regions[i].pristine)
            driver->release(self->regions[i].pristine);
    }
    opevo_free(self->regions);
    self->regions = NULL;
}

static opevo_status allocate(launcher *self, opevo_error *err)
{
    const opevo_i_gpu_driver *driver = &self->gpu->driver;
    int code = 0;

    self->regions = opevo_calloc(self->count + 1, sizeof *self->regions);
    OPEVO_NEED_OR_RETURN(self->regions, "the buffers of a case");
    for (size_t i = 0; i < self->count && !code; i++) {
        const opevo_buffer *buffer = &self->buffers[i];
        region *at = &self->regions[i];

        code = driver->allocate(&at->memory, 4 * words_of(buffer) + 2 * (size_t)GUARD_BYTES);
        at->data = at->memory + GUARD_BYTES;
        if (!code && buffer->initialised)
            code = driver->allocate(&at->pristine, 4 * words_of(buffer));
        if (!code && buffer->initialised)
            code = driver->copy_in(at->pristine, buffer->data, buffer->size_bytes);
    }
    return code ? opevo_i_gpu_fail(self->gpu, code, "no memory for the buffers of a case", err)
                : OPEVO_OK;
}

/* Where copies and fills cost the time of the cores that compute, runs that are only timed begin
 * with what the first one left, but for initialised buffers that it changed. That it reads nothing
 * else which no kernel wrote, its results have shown. */
static opevo_status note_kept(launcher *self, opevo_error *err)
{
    const opevo_i_gpu_driver *driver = &self->gpu->driver;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->count && self->gpu->facts.on_host && status == OPEVO_OK; i++) {
        size_t bytes = self->buffers[i].size_bytes;
        region *at = &self->regions[i];
        char *memory = NULL;
        int code = 0;

        at->kept = !at->pristine;
        if (at->kept)
            continue;
        memory = opevo_malloc(2, bytes);
        OPEVO_NEED_OR_RETURN(memory, "the buffers of a case");
        code = driver->copy_out(memory, at->pristine, bytes);
        if (!code)
            code = driver->copy_out(memory + bytes, at->data, bytes);
        at->kept = memcmp(memory, memory + bytes, bytes) == 0;
        opevo_free(memory);
        if (code)
            status = opevo_i_gpu_fail(self->gpu, code, "a buffer cannot be read", err);
    }
    return status;
}

/* Buffers as they are at the start of a case; not `all`: but for those that are kept. */
static int renew(const launcher *self, bool all)
{
    const opevo_i_gpu_driver *driver = &self->gpu->driver;
    int code = 0;

    for (size_t i = 0; i < self->count && !code; i++) {
        const opevo_buffer *buffer = &self->buffers[i];
        const region *at = &self->regions[i];

        if (!all && at->kept)
            continue;
        code = driver->fill(at->memory, opevo_i_own_pattern(i), words_of(buffer) + GUARD_BYTES / 2);
        if (!code && buffer->initialised)
            code = driver->copy(at->data, at->pristine, buffer->size_bytes);
    }
    return code;
}

static opevo_status fetch(void *context, size_t buffer, opevo_error *err)
{
    const launcher *self = context;
    int code = self->gpu->driver.copy_out(self->buffers[buffer].data, self->regions[buffer].data,
                                          self->buffers[buffer].size_bytes);

    return code ? opevo_i_gpu_fail(self->gpu, code, "a buffer cannot be read", err) : OPEVO_OK;
}

static opevo_status store(void *context, size_t buffer, opevo_error *err)
{
    const launcher *self = context;
    int code = self->gpu->driver.copy_in(self->regions[buffer].data, self->buffers[buffer].data,
                                         self->buffers[buffer].size_bytes);

    return code ? opevo_i_gpu_fail(self->gpu, code, "a buffer cannot be written", err) : OPEVO_OK;
}

/* ---- Verdicts ---- */

/* After an error the context either still works, or every further call fails. */
static void judge(launcher *self, int code, const char *kernel, const char *why,
                  opevo_evaluation *out)
{
    bool sticky = self->gpu->driver.synchronize() != 0;

    self->gpu->context_lost = self->gpu->context_lost || sticky;
    out->verdict = sticky ? OPEVO_VERDICT_SIGNAL : OPEVO_VERDICT_UNSUPPORTED;
    snprintf(out->message, sizeof out->message, "%.60s %s: error %d (%.100s)%s%s.", kernel,
             sticky ? "failed" : "cannot be launched", code,
             opevo_i_gpu_words(self->gpu->vendor, code), *why ? ": " : "", why);
}

/* Wait until the device has come to the end event; false with a verdict if it failed or hangs. */
static bool wait_for_end(launcher *self, const char *kernel, opevo_evaluation *out)
{
    const opevo_i_gpu_driver *driver = &self->gpu->driver;
    int code = driver->record_event(self->gpu->end, NULL);

    while (!code && (code = driver->query_event(self->gpu->end)) == OPEVO_I_GPU_NOT_READY) {
        if (opevo_clock_monotonic_s() > self->deadline_s) {
            self->gpu->context_lost = true; /* it can only be stopped with the process */
            out->verdict = OPEVO_VERDICT_TIMEOUT;
            snprintf(out->message, sizeof out->message, "%.60s did not end within %.3g s.", kernel,
                     self->limit_s);
            return false;
        }
        if (self->gpu->options.meanwhile)
            self->gpu->options.meanwhile();
        opevo_i_gpu_nap(driver, self->gpu->end);
        code = 0;
    }
    if (code)
        judge(self, code, kernel, "", out);
    return code == 0;
}

/* Whether all guards are as they were. */
static opevo_status check_guards(const launcher *self, opevo_evaluation *out, opevo_error *err)
{
    uint32_t words[GUARD_BYTES / 4 + 1];

    for (size_t i = 0; i < self->count && out->verdict == OPEVO_VERDICT_OK; i++) {
        const opevo_buffer *buffer = &self->buffers[i];
        const uint64_t sides[] = {self->regions[i].memory,
                                  self->regions[i].data + 4 * words_of(buffer)};

        for (int side = 0; side < 2; side++) {
            int code = self->gpu->driver.copy_out(words, sides[side], GUARD_BYTES);

            if (code)
                return opevo_i_gpu_fail(self->gpu, code, "a guard cannot be read", err);
            for (size_t k = 0; k < GUARD_BYTES / 4; k++) {
                if (words[k] == opevo_i_own_pattern(i))
                    continue;
                out->verdict = OPEVO_VERDICT_OUT_OF_BOUNDS;
                snprintf(out->message, sizeof out->message, "A kernel writes %s %.60s.",
                         side ? "behind" : "before", buffer->name);
            }
        }
    }
    return OPEVO_OK;
}

/* ---- Running ---- */

static uint64_t address(const void *context, size_t buffer)
{
    return ((const launcher *)context)->regions[buffer].data;
}

/* OpenCL has no addresses that a struct could hold. */
static bool holds_address(const opevo_argument *argument)
{
    for (size_t i = 0; i < argument->member_count; i++) {
        if (argument->members[i].kind == OPEVO_ARGUMENT_BUFFER)
            return true;
    }
    return false;
}

/* The driver's code; where it is not 0, `why` may say more. */
static int launch_function(launcher *self, void *function, const opevo_grid_launch *what,
                           char why[160])
{
    const opevo_i_gpu_own *own = self->gpu->vendor->own;
    const opevo_i_gpu_driver *driver = &self->gpu->driver;
    uint64_t values[MOST_ARGUMENTS] = {0};
    _Alignas(16) uint8_t structs[MOST_ARGUMENTS][OPEVO_STRUCT_MOST];
    opevo_i_gpu_argument arguments[MOST_ARGUMENTS];
    opevo_i_gpu_start start = {.shape = {.grid = {what->grid[0], what->grid[1], what->grid[2]},
                                         .block = {what->block[0], what->block[1], what->block[2]},
                                         .dynamic_shared_bytes = what->shared_bytes},
                               .arguments = arguments,
                               .count = what->argument_count};
    int code = 0;

    for (size_t i = 0; i < what->argument_count; i++) {
        const opevo_argument *one = &what->arguments[i];
        opevo_i_gpu_argument *to = &arguments[i];

        *to = (opevo_i_gpu_argument){&values[i], opevo_kernel_element_size(one->element), false};
        values[i] = one->bits;
        if (one->kind == OPEVO_ARGUMENT_BUFFER) {
            values[i] = self->regions[one->buffer].data;
            *to = (opevo_i_gpu_argument){&values[i], sizeof *values, true};
        } else if (one->kind == OPEVO_ARGUMENT_STRUCT) {
            *to = (opevo_i_gpu_argument){structs[i], 0, false};
            to->size = opevo_argument_lay_out(one, address, self, structs[i]);
        } else if (one->kind == OPEVO_ARGUMENT_LOCAL) {
            *to = (opevo_i_gpu_argument){NULL, (size_t)one->bits, false};
        }
    }
    if (driver->set_function && what->shared_bytes > STATIC_SHARED_LIMIT)
        code = driver->set_function(function, DYNAMIC_SHARED_BYTES, (int)what->shared_bytes);
    *why = '\0';
    if (!code)
        code = opevo_i_gpu_launch(driver, function, &start);
    if (code && own)
        own->explain(function, &start, why, 160);
    return code;
}

/* Asked of the driver once, as launches are timed. NULL: the module has none of that name. */
static void *find_function(launcher *self, const char *name)
{
    void *function = NULL;
    char lowered[OPEVO_I_GPU_NAME];

    for (size_t i = 0; i < self->known_count; i++) {
        if (!strcmp(self->known[i].name, name))
            return self->known[i].function;
    }
    opevo_i_gpu_lowered_name(self->image, self->image_bytes, name, lowered);
    if (self->gpu->driver.get_function(&function, self->module, lowered)) {
        if (!opevo_gpu_is_opencl(self->gpu))
            return NULL;
        snprintf(lowered, sizeof lowered, "%.1000s_", name); /* edits.h says of which kernels */
        if (self->gpu->driver.get_function(&function, self->module, lowered))
            return NULL;
    }
    if (self->known_count < MOST_KNOWN) {
        snprintf(self->known[self->known_count].name, OPEVO_KERNEL_EXPRESSION, "%s", name);
        self->known[self->known_count++].function = function;
    }
    return function;
}

static opevo_status launch(void *context, const opevo_grid_launch *what, opevo_evaluation *out,
                           opevo_error *err)
{
    launcher *self = context;
    void *function = find_function(self, what->kernel);
    char why[160];
    int code = 0;

    (void)err;
    for (size_t i = 0; i < what->argument_count && self->gpu->driver.start; i++) {
        if (!holds_address(&what->arguments[i]))
            continue;
        out->verdict = OPEVO_VERDICT_UNSUPPORTED;
        snprintf(out->message, sizeof out->message,
                 "%.60s takes a struct with a pointer, which OpenCL cannot pass.", what->kernel);
        return OPEVO_OK;
    }
    if (!function || what->argument_count > MOST_ARGUMENTS) {
        out->verdict = OPEVO_VERDICT_UNSUPPORTED;
        snprintf(out->message, sizeof out->message, "The module has no kernel %.60s.",
                 what->kernel);
        return OPEVO_OK;
    }
    code = launch_function(self, function, what, why);
    if (!code && self->waits)
        opevo_i_gpu_note_usage(&self->gpu->driver, function,
                               (uint64_t)what->block[0] * what->block[1] * what->block[2],
                               what->shared_bytes, &self->usage);
    if (code)
        judge(self, code, what->kernel, why, out);
    else if (self->waits)
        wait_for_end(self, what->kernel, out);
    return OPEVO_OK;
}

/* All steps once; the time by events. */
static opevo_status play(launcher *self, opevo_case *what, bool anew, double *time_s,
                         opevo_evaluation *out, opevo_error *err)
{
    const opevo_i_gpu_driver *driver = &self->gpu->driver;
    const opevo_player player = {.context = self,
                                 .launch = launch,
                                 .fetch = fetch,
                                 .store = store,
                                 .takes_local = driver->start != NULL};
    float ms = 0;
    int code = renew(self, anew);
    opevo_status status = OPEVO_OK;

    if (code)
        return opevo_i_gpu_fail(self->gpu, code, "the buffers cannot be renewed", err);
    code = opevo_i_gpu_set_variables(driver, self->module, self->buffers, self->count, out);
    if (code)
        return opevo_i_gpu_fail(self->gpu, code, "a variable of the module cannot be written", err);
    if (out->verdict != OPEVO_VERDICT_OK)
        goto cleanup;
    code = driver->record_event(self->gpu->start, NULL);
    if (code)
        return opevo_i_gpu_fail(self->gpu, code, "no event", err);
    OPEVO_TRY(opevo_case_play(what, &player, out, err));
    if (out->verdict != OPEVO_VERDICT_OK || !wait_for_end(self, "A kernel", out))
        goto cleanup;
    code = driver->elapsed_ms(&ms, self->gpu->start, self->gpu->end);
    if (code)
        status = opevo_i_gpu_fail(self->gpu, code, "a case cannot be timed", err);
    *time_s = (double)ms * 1e-3;
cleanup:
    return status;
}

static opevo_status run_case(launcher *self, opevo_case *what, opevo_evaluation *out,
                             opevo_error *err)
{
    double *times = self->times;
    size_t windows = self->gpu->options.windows;
    opevo_status status = OPEVO_OK;

    self->waits = !self->gpu->options.unwaited;
    self->windows = 0;
    OPEVO_TRY(play(self, what, true, &times[0], out, err));
    if (out->verdict == OPEVO_VERDICT_OK)
        OPEVO_TRY(check_guards(self, out, err));
    if (out->verdict != OPEVO_VERDICT_OK)
        goto cleanup;
    self->waits = false;
    if (windows > 2)
        OPEVO_TRY(note_kept(self, err));
    for (size_t i = 0; i < windows && out->verdict == OPEVO_VERDICT_OK; i++)
        OPEVO_TRY(play(self, what, i + 1 == windows, &times[i], out, err));
    if (out->verdict != OPEVO_VERDICT_OK)
        goto cleanup;
    self->windows = windows ? windows : 1; /* else that of the run with waits */
    opevo_i_wire_sort(times, self->windows);
    out->time_s = opevo_i_wire_time_of_windows(times, self->windows);
    for (size_t i = 0; i < self->count; i++) {
        if (self->buffers[i].output)
            OPEVO_TRY(fetch(self, i, err));
    }
cleanup:
    return status;
}

static opevo_status run(opevo_launcher *super, opevo_case *what, opevo_evaluation *out,
                        opevo_error *err)
{
    launcher *self = (launcher *)super;
    opevo_gpu *gpu = self->gpu;
    double start_s = opevo_clock_monotonic_s();
    opevo_status status = OPEVO_OK;

    self->buffers = opevo_case_buffers(what, &self->count);
    self->limit_s = self->base ? gpu->options.timeout_s
                               : opevo_case_times_limit(gpu->times, what, gpu->options.timeout_s);
    self->deadline_s = start_s + self->limit_s;
    OPEVO_TRY(allocate(self, err));
    OPEVO_TRY(run_case(self, what, out, err));
    if (out->verdict == OPEVO_VERDICT_OK && self->base)
        opevo_case_times_note(gpu->times, what, opevo_clock_monotonic_s() - start_s);
cleanup:
    if (!gpu->context_lost)
        release_regions(self);
    return status;
}

const struct opevo_i_wire_usage *opevo_gpu_launcher_usage(const opevo_launcher *super)
{
    return &((const launcher *)super)->usage;
}

const double *opevo_gpu_launcher_times(const opevo_launcher *super, size_t *count)
{
    const launcher *self = (const launcher *)super;

    *count = self->windows;
    return self->times;
}

static void destroy(opevo_launcher *super)
{
    launcher *self = (launcher *)super;

    if (!self->gpu->context_lost)
        self->gpu->driver.unload_module(self->module);
    opevo_free(self->regions);
    opevo_free(self->image);
    opevo_free(self);
}

opevo_status opevo_gpu_launcher(opevo_gpu *gpu, const void *image, size_t size, bool base,
                                opevo_launcher **out, opevo_error *err)
{
    static const opevo_launcher_ops ops = {.name = "gpu", .run = run, .destroy = destroy};
    launcher *self = opevo_calloc(1, sizeof *self);
    char *text = opevo_malloc(size + 1, 1); /* PTX ends with a zero */
    opevo_status status = OPEVO_OK;
    int code = 0;

    OPEVO_NEED(self && text, "a kernel");
    memcpy(text, image, size);
    text[size] = '\0';
    *self = (launcher){.super.ops = &ops, .gpu = gpu, .base = base, .usage = OPEVO_I_NO_USAGE};
    code = gpu->driver.load_module(&self->module, text);
    if (code)
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "The driver of %s refuses the module: error %d (%s).",
                       gpu->vendor->title, code, opevo_i_gpu_words(gpu->vendor, code));
cleanup:
    if (status == OPEVO_OK) {
        self->image = text;
        self->image_bytes = size;
        *out = &self->super;
        return status;
    }
    opevo_free(text);
    opevo_free(self);
    return status;
}
