/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The driver's table for OpenCL: launches, the moments between which they are timed, and what other
 * files do for the rest. */

#include "opencl_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* A moment of the queue, and the kernels next to it. */
typedef struct moment {
    cl_event marker, before, after;
    uint64_t number; /* of the command that the marker is */
} moment;

static cl_event last_kernel; /* NULL: none yet */
static uint64_t last_kernel_number;
static moment *open_moment; /* that no kernel was launched after yet */

static int set_argument(cl_kernel kernel, cl_uint number, const opevo_i_gpu_argument *argument)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    uint64_t address = 0;
    cl_mem memory = NULL;
    int code = CL_SUCCESS;

    if (!argument->is_address)
        return now->call->clSetKernelArg(kernel, number, argument->size, argument->value);
    memcpy(&address, argument->value, sizeof address);
    code = opevo_i_opencl_memory_at(address, &memory);
    if (code != CL_SUCCESS)
        return code;
    return now->call->clSetKernelArg(kernel, number, sizeof(cl_mem), &memory);
}

/* Bytes of local memory that a kernel needs with its arguments, and those that the device has. */
static void local_memory(cl_kernel kernel, cl_ulong *used, cl_ulong *most)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();

    *used = *most = 0;
    (void)now->call->clGetKernelWorkGroupInfo(kernel, now->device, CL_KERNEL_LOCAL_MEM_SIZE,
                                              sizeof *used, used, NULL);
    (void)now->call->clGetDeviceInfo(now->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof *most, most,
                                     NULL);
}

void opevo_i_opencl_explain(void *function, const opevo_i_gpu_start *what, char *out, size_t size)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    const uint32_t *block = what->shape.block;
    size_t items = (size_t)block[0] * block[1] * block[2], most = 0;
    cl_ulong used = 0, local = 0;

    local_memory(function, &used, &local);
    (void)now->call->clGetKernelWorkGroupInfo(function, now->device, CL_KERNEL_WORK_GROUP_SIZE,
                                              sizeof most, &most, NULL);
    *out = '\0';
    if (local && used > local)
        snprintf(out, size, "it needs %llu bytes of local memory, and the device has %llu",
                 (unsigned long long)used, (unsigned long long)local);
    else if (most && items > most)
        snprintf(out, size, "it needs work groups of %zu, and the device allows it %zu", items,
                 most);
}

static void keep_event(cl_event *at, cl_event event)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();

    if (*at)
        now->call->clReleaseEvent(*at);
    *at = event;
    if (event)
        now->call->clRetainEvent(event);
}

static int start(void *function, const opevo_i_gpu_start *what)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    const opevo_launch *shape = &what->shape;
    size_t global[3], local[3];
    cl_event event = NULL;
    bool dynamic = shape->dynamic_shared_bytes > 0;
    cl_ulong used = 0, most = 0;
    int code = CL_SUCCESS;

    for (size_t i = 0; i < what->count && code == CL_SUCCESS; i++) {
        code = set_argument(function, (cl_uint)i, &what->arguments[i]);
        dynamic |= !what->arguments[i].value;
    }
    if (code == CL_SUCCESS && shape->dynamic_shared_bytes)
        code = now->call->clSetKernelArg(function, (cl_uint)what->count,
                                         shape->dynamic_shared_bytes, NULL);
    if (code == CL_SUCCESS && dynamic) /* not every driver refuses too much of it */
        local_memory(function, &used, &most);
    if (most && used > most)
        return CL_OUT_OF_RESOURCES;
    for (int i = 0; i < 3; i++) {
        local[i] = shape->block[i];
        global[i] = (size_t)shape->grid[i] * shape->block[i];
    }
    if (code == CL_SUCCESS)
        code = now->call->clEnqueueNDRangeKernel(now->queue, function, 3, NULL, global, local, 0,
                                                 NULL, &event);
    if (code != CL_SUCCESS)
        return code;
    if (open_moment)
        keep_event(&open_moment->after, event);
    open_moment = NULL;
    keep_event(&last_kernel, event);
    last_kernel_number = opevo_i_opencl_count();
    now->call->clReleaseEvent(event);
    return CL_SUCCESS;
}

/* ---- Moments -------------------------------------------------------------------------------- */

static int create_event(void **event, unsigned flags)
{
    (void)flags;
    *event = opevo_calloc(1, sizeof(moment));
    return *event ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static int destroy_event(void *event)
{
    moment *self = event;

    keep_event(&self->marker, NULL);
    keep_event(&self->before, NULL);
    keep_event(&self->after, NULL);
    if (open_moment == self)
        open_moment = NULL;
    opevo_free(self);
    return CL_SUCCESS;
}

static int enqueue_marker(moment *self)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    int code = CL_SUCCESS;

    keep_event(&self->marker, NULL);
    code = now->call->clEnqueueMarkerWithWaitList(now->queue, 0, NULL, &self->marker);
    self->number = opevo_i_opencl_count();
    if (code != CL_SUCCESS)
        self->marker = NULL;
    return code;
}

/* Where the last command is a kernel, its end is the moment, and costs no command of its own. */
static int record_event(void *event, void *stream)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    moment *self = event;
    int code = CL_SUCCESS;

    (void)stream;
    keep_event(&self->after, NULL);
    keep_event(&self->before, last_kernel);
    if (last_kernel && last_kernel_number == opevo_i_opencl_counted()) {
        keep_event(&self->marker, last_kernel);
        self->number = last_kernel_number;
    } else {
        code = enqueue_marker(self);
    }
    open_moment = code == CL_SUCCESS ? self : NULL;
    return code == CL_SUCCESS ? now->call->clFlush(now->queue) : code;
}

int opevo_i_opencl_mark(void)
{
    int code = open_moment ? enqueue_marker(open_moment) : CL_SUCCESS;

    open_moment = NULL;
    opevo_i_opencl_count(); /* what the library is about to enqueue */
    return code;
}

static int query_event(void *event)
{
    const moment *self = event;
    int code = opevo_i_opencl_event_state(self->marker);

    if (code == CL_SUCCESS)
        opevo_i_opencl_ended(self->number);
    return code;
}

static void wait_event(void *event)
{
    opevo_i_opencl_wait(((const moment *)event)->marker);
}

/* From the start of the first kernel between both to the end of the last one; what a library
 * enqueues itself lies between the markers. */
static int elapsed_ms(float *ms, void *start_event, void *end_event)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    const moment *from = start_event;
    const moment *to = end_event;
    bool kernels = from->after && to->before;
    cl_ulong first = 0, last = 0;
    int code = now->call->clGetEventProfilingInfo(kernels ? from->after : from->marker,
                                                  kernels ? CL_PROFILING_COMMAND_START
                                                          : CL_PROFILING_COMMAND_END,
                                                  sizeof first, &first, NULL);

    if (code == CL_SUCCESS)
        code = now->call->clGetEventProfilingInfo(
            kernels ? to->before : to->marker, CL_PROFILING_COMMAND_END, sizeof last, &last, NULL);
    *ms = last > first ? (float)((double)(last - first) * 1e-6) : 0;
    return code;
}

opevo_status opevo_i_opencl_driver(opevo_i_gpu_driver *out, opevo_error *err)
{
    if (!opevo_i_opencl_open(err))
        return OPEVO_IO;
    *out = (opevo_i_gpu_driver){
        .set_device = opevo_i_opencl_set_device,
        .synchronize = opevo_i_opencl_synchronize,
        .load_module = opevo_i_opencl_load,
        .unload_module = opevo_i_opencl_unload,
        .get_function = opevo_i_opencl_kernel,
        .function_attribute = opevo_i_opencl_kernel_attribute,
        .create_event = create_event,
        .record_event = record_event,
        .query_event = query_event,
        .wait = wait_event,
        .elapsed_ms = elapsed_ms,
        .destroy_event = destroy_event,
        .start = start,
    };
    opevo_i_opencl_memory_functions(out);
    return OPEVO_OK;
}
