/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The device on which cases of harnesses run: its context, and its lock while it measures. */

#include "gpu_launcher_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <sys/stat.h>

#include "device_lock_internal.h"

const opevo_gpu_options opevo_gpu_defaults = {.windows = 15, .timeout_s = 10};

opevo_status opevo_i_gpu_fail(const opevo_gpu *self, int code, const char *what, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_IO, "%s: %s: error %d (%s).", self->vendor->title, what, code,
                      opevo_i_gpu_words(self->vendor, code));
}

opevo_status opevo_gpu_open(const char *name, const opevo_gpu_options *options, opevo_gpu **out,
                            opevo_error *err)
{
    const char *which = NULL;
    const opevo_i_gpu_vendor *vendor = opevo_i_gpu_vendor_of(name, &which);
    unsigned ordinal = 0;
    opevo_gpu *self = NULL;
    opevo_status status = OPEVO_OK;
    int code = 0;

    if (!vendor)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%.100s is not a device such as cuda:0, hip:0 or opencl:0.", name);
    self = opevo_calloc(1, sizeof *self);
    if (self)
        self->times = opevo_case_times_create();
    if (!self || !self->times) {
        opevo_free(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a device.");
    }
    self->lock = -1;
    self->vendor = vendor;
    self->options = *options;
    if (self->options.windows > OPEVO_I_GPU_WINDOWS)
        self->options.windows = OPEVO_I_GPU_WINDOWS;
    OPEVO_TRY(opevo_i_gpu_ordinal(vendor, which, &ordinal, err));
    OPEVO_TRY(opevo_i_gpu_driver_open(vendor, &self->driver, err));
    OPEVO_TRY(opevo_i_gpu_describe(vendor, &self->driver, ordinal, &self->facts, err));
    code = opevo_i_gpu_enter(&self->driver, ordinal, &self->start, &self->end);
    if (code) {
        status = opevo_i_gpu_fail(self, code, "no context", err);
        goto cleanup;
    }
    *out = self;
cleanup:
    if (status != OPEVO_OK)
        opevo_gpu_close(self);
    return status;
}

/* The context goes with the process, and so do the events of a device whose context is lost. */
void opevo_gpu_close(opevo_gpu *gpu)
{
    if (!gpu)
        return;
    opevo_gpu_end(gpu);
    if (gpu->start && !gpu->context_lost)
        (void)gpu->driver.destroy_event(gpu->start);
    if (gpu->end && !gpu->context_lost)
        (void)gpu->driver.destroy_event(gpu->end);
    opevo_case_times_destroy(gpu->times);
    opevo_free(gpu);
}

void opevo_gpu_begin(opevo_gpu *gpu, void (*note)(void *context, bool over), void *context)
{
    const opevo_i_backend_lock_wait wait = {.note = note, .context = context};
    char *folder = NULL;
    char name[128];

    opevo_gpu_end(gpu);
    if (opevo_cache_path(OPEVO_I_KERNEL_CACHE, &folder, NULL) != OPEVO_OK)
        return;
    mkdir(folder, 0700); /* without it there is no lock */
    opevo_i_gpu_turn_name(gpu->vendor, &gpu->facts, name, sizeof name);
    gpu->lock = opevo_i_backend_device_lock_take(folder, name, &wait);
    opevo_free(folder);
}

void opevo_gpu_end(opevo_gpu *gpu)
{
    if (gpu->context_lost)
        return;
    opevo_i_backend_device_lock_release(gpu->lock);
    gpu->lock = -1;
}

bool opevo_gpu_is_hip(const opevo_gpu *gpu)
{
    return gpu->vendor->hip;
}

bool opevo_gpu_is_opencl(const opevo_gpu *gpu)
{
    return gpu->vendor->own != NULL;
}

opevo_status opevo_gpu_build(const opevo_gpu *gpu, const char *source, opevo_text *image,
                             opevo_error *err)
{
    static const char *const words[] = {"-cl-fp32-correctly-rounded-divide-sqrt"};
    char *code = NULL;
    size_t size = 0;
    opevo_status status = opevo_i_gpu_compile(gpu->vendor, "", source, words,
                                              gpu->facts.rounds_quotients, &code, &size, err);

    if (status != OPEVO_OK)
        return status;
    opevo_text_add_bytes(image, code, size);
    opevo_free(code);
    return opevo_text_check(image, err);
}

const char *opevo_gpu_machine(const opevo_gpu *gpu)
{
    return gpu->facts.arch;
}

bool opevo_gpu_context_is_lost(const opevo_gpu *gpu)
{
    return gpu->context_lost;
}

void opevo_gpu_set_unwaited(opevo_gpu *gpu)
{
    gpu->options.windows = 0;
    gpu->options.unwaited = true;
}

void opevo_gpu_set_windows(opevo_gpu *gpu, unsigned windows)
{
    gpu->options.windows = windows < OPEVO_I_GPU_WINDOWS ? windows : OPEVO_I_GPU_WINDOWS;
}
