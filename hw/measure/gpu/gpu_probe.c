/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel without a fault, by which a device in trouble is told from a kernel that fails: it is
 * run before the first job of a worker, and again whenever another kernel has failed. */

#include "gpu_backend_internal.h"

#include <opevo/clock.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>

#define PROBE_S 10.0 /* at most, for some microseconds */
#define IMAGE_BYTES_MAX ((size_t)1 << 26)

void opevo_i_opencl_probe(opevo_kernel *out)
{
    snprintf(out->entry, sizeof out->entry, "opevo_probe");
    opevo_text_printf(&out->source,
                      "__kernel __attribute__((reqd_work_group_size(%d, 1, 1))) void\n"
                      "opevo_probe(__global unsigned *out)\n"
                      "{\n"
                      "    out[get_local_id(0)] = %uu * (unsigned)get_local_id(0) + 1;\n"
                      "}\n",
                      (int)OPEVO_I_GPU_PROBE_THREADS, OPEVO_I_GPU_PROBE_FACTOR);
    for (int i = 0; i < 3; i++)
        out->grid[i] = out->block[i] = 1;
    out->block[0] = OPEVO_I_GPU_PROBE_THREADS;
}

void opevo_i_gpu_probe(opevo_kernel *out)
{
    snprintf(out->entry, sizeof out->entry, "opevo_probe");
    opevo_text_printf(&out->source,
                      "extern \"C\" __global__ void __launch_bounds__(%d)\n"
                      "opevo_probe(unsigned *out)\n"
                      "{\n"
                      "    out[threadIdx.x] = %uu * threadIdx.x + 1;\n"
                      "}\n",
                      (int)OPEVO_I_GPU_PROBE_THREADS, OPEVO_I_GPU_PROBE_FACTOR);
}

/* Its executions are few: it may be the driver or the device that does not answer. */
static int run_once(opevo_i_gpu_backend *self, float *ms)
{
    const opevo_i_gpu_driver *driver = &self->driver;
    const opevo_i_gpu_probe_state *probe = &self->probe;
    uint64_t memory = probe->memory;
    const opevo_i_gpu_argument argument = {&memory, sizeof memory, true};
    const opevo_i_gpu_start what = {
        .shape = {.grid = {1, 1, 1}, .block = {OPEVO_I_GPU_PROBE_THREADS, 1, 1}},
        .arguments = &argument,
        .count = 1};
    double limit_s = fmin(PROBE_S, fmax(self->run_limit_s, 1));
    int code = driver->fill(memory, 0, OPEVO_I_GPU_PROBE_THREADS);

    if (!code)
        code = driver->record_event(self->start, NULL);
    if (!code)
        code = opevo_i_gpu_launch(driver, probe->function, &what);
    if (!code)
        code = driver->record_event(self->end, NULL);
    if (!code)
        code = opevo_i_gpu_await(self, opevo_clock_monotonic_s() + limit_s);
    return code ? code : driver->elapsed_ms(ms, self->start, self->end);
}

opevo_status opevo_i_gpu_recheck(opevo_i_backend *backend, opevo_error *err)
{
    opevo_i_gpu_backend *self = (opevo_i_gpu_backend *)backend;
    uint32_t out[OPEVO_I_GPU_PROBE_THREADS];
    float ms = 0;
    int code = run_once(self, &ms);

    if (code == OPEVO_I_GPU_NOT_READY)
        return OPEVO_FAIL(err, OPEVO_FAULT,
                          "%s:%u: a kernel without a fault does not end on the device.",
                          self->vendor->kind, self->ordinal);
    if (!code)
        code = self->driver.copy_out(out, self->probe.memory, sizeof out);
    if (code)
        return OPEVO_FAIL(err, OPEVO_FAULT, "%s:%u: a kernel without a fault fails: error %d (%s).",
                          self->vendor->kind, self->ordinal, code,
                          opevo_i_gpu_words(self->vendor, code));
    for (uint32_t i = 0; i < OPEVO_I_GPU_PROBE_THREADS; i++) {
        if (out[i] != OPEVO_I_GPU_PROBE_FACTOR * i + 1)
            return OPEVO_FAIL(err, OPEVO_FAULT,
                              "%s:%u: a kernel without a fault computes what is wrong.",
                              self->vendor->kind, self->ordinal);
    }
    if (!(ms >= 0) || ms > 1e3F * (float)PROBE_S)
        return OPEVO_FAIL(err, OPEVO_FAULT, "%s:%u: a kernel without a fault takes %g ms.",
                          self->vendor->kind, self->ordinal, (double)ms);
    return OPEVO_OK;
}

opevo_status opevo_i_gpu_run_probe(opevo_i_backend *backend, const opevo_kernel *kernel,
                                   const char *object, opevo_error *err)
{
    opevo_i_gpu_backend *self = (opevo_i_gpu_backend *)backend;
    opevo_i_gpu_probe_state *probe = &self->probe;
    char *image = NULL;
    size_t size = 0;
    int code = 0;

    if (opevo_file_read(object, IMAGE_BYTES_MAX, &image, &size, err) != OPEVO_OK)
        return OPEVO_FAULT;
    code = self->driver.load_module(&probe->module, image);
    opevo_free(image);
    if (!code)
        code = self->driver.get_function(&probe->function, probe->module, kernel->entry);
    if (!code)
        code = self->driver.allocate(&probe->memory, 4 * (size_t)OPEVO_I_GPU_PROBE_THREADS);
    if (code)
        return OPEVO_FAIL(
            err, OPEVO_FAULT, "%s:%u: a kernel without a fault cannot be loaded: error %d (%s).",
            self->vendor->kind, self->ordinal, code, opevo_i_gpu_words(self->vendor, code));
    return opevo_i_gpu_recheck(backend, err);
}
