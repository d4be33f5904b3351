/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The driver's table for OpenCL: one device, context and queue of the process. The queue is in
 * order, so that what is enqueued runs as on CUDA's default stream.
 *
 * Addresses are numbers of ours, as OpenCL 1.2 has none: an allocation is a range of them, and an
 * address inside one that is an argument of a kernel becomes a sub-buffer to the end of the
 * allocation. */

#include "opencl_internal.h"

#include <opevo/memory.h>

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_ADDRESS = 1 << 20, ADDRESS_GAP = 1 << 20 };

/* An allocation, and the part of it that was an argument last. */
typedef struct region {
    uint64_t address;
    size_t bytes;
    cl_mem whole, part;
    uint64_t part_at;
} region;

/* A moment of the queue, and the kernels next to it. */
typedef struct moment {
    cl_event marker, before, after;
} moment;

static opevo_i_opencl_context now;
static region *regions;
static size_t region_count, region_capacity;
static uint64_t next_address = FIRST_ADDRESS;
static cl_event last_kernel; /* NULL: none yet */
static moment *open_moment;  /* that no kernel was launched after yet */
static volatile sig_atomic_t fatal_signal;

const opevo_i_opencl_context *opevo_i_opencl_now(void)
{
    return &now;
}

/* ---- Faults --------------------------------------------------------------------------------- */

/* A kernel on this host's cores runs in threads of its driver. Such a thread stops here, and the
 * main one finds the number; the process ends after its result. */
static void note_signal(int number)
{
    if (getpid() == gettid()) {
        signal(number, SIG_DFL);
        return; /* and the instruction is repeated */
    }
    fatal_signal = number;
    for (;;)
        pause();
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGABRT};
    const struct sigaction action = {.sa_handler = note_signal};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static int event_state(cl_event event)
{
    cl_int state = CL_QUEUED;
    cl_int code = now.call->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                                           &state, NULL);

    if (fatal_signal)
        return OPEVO_I_OPENCL_SIGNAL;
    if (code != CL_SUCCESS || state < 0)
        return code != CL_SUCCESS ? code : state;
    return state == CL_COMPLETE ? CL_SUCCESS : OPEVO_I_GPU_NOT_READY;
}

/* Until a command has ended, or a kernel before it has got a signal, after which none ever ends. */
static int await(int code, cl_event event)
{
    const struct timespec nap = {.tv_nsec = 20000};

    if (code != CL_SUCCESS)
        return code;
    code = now.call->clFlush(now.queue);
    while (code == CL_SUCCESS && (code = event_state(event)) == OPEVO_I_GPU_NOT_READY) {
        nanosleep(&nap, NULL);
        code = CL_SUCCESS;
    }
    now.call->clReleaseEvent(event);
    return code;
}

static int synchronize(void)
{
    cl_event event = NULL;
    int code = fatal_signal ? OPEVO_I_OPENCL_SIGNAL
                            : now.call->clEnqueueMarkerWithWaitList(now.queue, 0, NULL, &event);

    return await(code, event);
}

/* ---- The device ----------------------------------------------------------------------------- */

static int set_device(int ordinal)
{
    opevo_i_opencl_device device;
    opevo_i_opencl_context next = {.call = opevo_i_opencl_open(NULL)};
    cl_int code = CL_SUCCESS;

    if (!next.call || opevo_i_opencl_device_at((unsigned)ordinal, &device, NULL) != OPEVO_OK)
        return CL_DEVICE_NOT_FOUND;
    if (now.device == device.device)
        return CL_SUCCESS;
    next.device = device.device;
    next.context = next.call->clCreateContext(NULL, 1, &device.device, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return code;
    next.queue = next.call->clCreateCommandQueue(next.context, device.device,
                                                 CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS) {
        next.call->clReleaseContext(next.context);
        return code;
    }
    now = next;
    catch_signals();
    return CL_SUCCESS;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static region *region_of(uint64_t address)
{
    for (size_t i = 0; i < region_count; i++) {
        if (address >= regions[i].address && address - regions[i].address < regions[i].bytes)
            return &regions[i];
    }
    return NULL;
}

static int allocate(uint64_t *address, size_t bytes)
{
    void *items = regions;
    cl_int code = CL_SUCCESS;
    cl_mem memory = NULL;

    if (!opevo_reserve(&items, &region_capacity, region_count + 1, sizeof *regions))
        return CL_OUT_OF_HOST_MEMORY;
    regions = items;
    memory = now.call->clCreateBuffer(now.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS)
        return code;
    regions[region_count++] = (region){.address = next_address, .bytes = bytes, .whole = memory};
    *address = next_address;
    next_address = (next_address + bytes + ADDRESS_GAP) / ADDRESS_GAP * ADDRESS_GAP + ADDRESS_GAP;
    return CL_SUCCESS;
}

static int release(uint64_t address)
{
    region *found = region_of(address);

    if (!found)
        return CL_INVALID_MEM_OBJECT;
    if (found->part)
        now.call->clReleaseMemObject(found->part);
    now.call->clReleaseMemObject(found->whole);
    *found = regions[--region_count];
    return CL_SUCCESS;
}

/* A launch may have several parts of one allocation, each until the launch is enqueued: commands
 * keep the memory that they need. */
static int part_of(region *found, uint64_t address, cl_mem *out)
{
    size_t offset = address - found->address;
    const cl_buffer_region range = {offset, found->bytes - offset};
    cl_int code = CL_SUCCESS;

    *out = found->whole;
    if (offset == 0)
        return CL_SUCCESS;
    if (!found->part || found->part_at != address) {
        if (found->part)
            now.call->clReleaseMemObject(found->part);
        found->part = now.call->clCreateSubBuffer(found->whole, CL_MEM_READ_WRITE,
                                                  CL_BUFFER_CREATE_TYPE_REGION, &range, &code);
        found->part_at = address;
        if (code != CL_SUCCESS)
            found->part = NULL;
    }
    *out = found->part;
    return code;
}

cl_mem opevo_i_opencl_memory_at(uint64_t address)
{
    region *found = region_of(address);
    cl_mem memory = NULL;

    return found && part_of(found, address, &memory) == CL_SUCCESS ? memory : NULL;
}

static int copy_in(uint64_t to, const void *from, size_t bytes)
{
    const region *found = region_of(to);
    cl_event event = NULL;
    int code = CL_INVALID_MEM_OBJECT;

    if (found)
        code = now.call->clEnqueueWriteBuffer(now.queue, found->whole, CL_FALSE,
                                              to - found->address, bytes, from, 0, NULL, &event);
    return await(code, event);
}

static int copy_out(void *to, uint64_t from, size_t bytes)
{
    const region *found = region_of(from);
    cl_event event = NULL;
    int code = CL_INVALID_MEM_OBJECT;

    if (found)
        code = now.call->clEnqueueReadBuffer(now.queue, found->whole, CL_FALSE,
                                             from - found->address, bytes, to, 0, NULL, &event);
    return await(code, event);
}

static int copy(uint64_t to, uint64_t from, size_t bytes)
{
    const region *source = region_of(from);
    const region *target = region_of(to);

    if (!source || !target)
        return CL_INVALID_MEM_OBJECT;
    return now.call->clEnqueueCopyBuffer(now.queue, source->whole, target->whole,
                                         from - source->address, to - target->address, bytes, 0,
                                         NULL, NULL);
}

static int fill(uint64_t to, unsigned value, size_t words)
{
    const region *found = region_of(to);
    const cl_uint pattern = value;

    if (!found)
        return CL_INVALID_MEM_OBJECT;
    return words ? now.call->clEnqueueFillBuffer(now.queue, found->whole, &pattern, sizeof pattern,
                                                 to - found->address, sizeof pattern * words, 0,
                                                 NULL, NULL)
                 : CL_SUCCESS;
}

/* ---- Launches ------------------------------------------------------------------------------- */

static int set_argument(cl_kernel kernel, cl_uint number, const opevo_i_gpu_argument *argument)
{
    uint64_t address = 0;
    region *found = NULL;
    cl_mem memory = NULL;
    int code = CL_SUCCESS;

    if (!argument->is_address)
        return now.call->clSetKernelArg(kernel, number, argument->size, argument->value);
    memcpy(&address, argument->value, sizeof address);
    found = region_of(address);
    if (!found)
        return CL_INVALID_MEM_OBJECT;
    code = part_of(found, address, &memory);
    return code != CL_SUCCESS ? code
                              : now.call->clSetKernelArg(kernel, number, sizeof memory, &memory);
}

static void keep_event(cl_event *at, cl_event event)
{
    if (*at)
        now.call->clReleaseEvent(*at);
    *at = event;
    if (event)
        now.call->clRetainEvent(event);
}

static int start(void *function, const opevo_i_gpu_start *what)
{
    const opevo_launch *shape = &what->shape;
    size_t global[3], local[3];
    cl_event event = NULL;
    int code = CL_SUCCESS;

    for (size_t i = 0; i < what->count && code == CL_SUCCESS; i++)
        code = set_argument(function, (cl_uint)i, &what->arguments[i]);
    if (code == CL_SUCCESS && shape->dynamic_shared_bytes)
        code = now.call->clSetKernelArg(function, (cl_uint)what->count, shape->dynamic_shared_bytes,
                                        NULL);
    for (int i = 0; i < 3; i++) {
        local[i] = shape->block[i];
        global[i] = (size_t)shape->grid[i] * shape->block[i];
    }
    if (code == CL_SUCCESS)
        code = now.call->clEnqueueNDRangeKernel(now.queue, function, 3, NULL, global, local, 0,
                                                NULL, &event);
    if (code != CL_SUCCESS)
        return code;
    if (open_moment)
        keep_event(&open_moment->after, event);
    open_moment = NULL;
    keep_event(&last_kernel, event);
    now.call->clReleaseEvent(event);
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

static int record_event(void *event, void *stream)
{
    moment *self = event;
    int code = CL_SUCCESS;

    (void)stream;
    keep_event(&self->marker, NULL);
    keep_event(&self->after, NULL);
    keep_event(&self->before, last_kernel);
    code = now.call->clEnqueueMarkerWithWaitList(now.queue, 0, NULL, &self->marker);
    if (code != CL_SUCCESS) {
        self->marker = NULL;
        return code;
    }
    open_moment = self;
    return now.call->clFlush(now.queue);
}

static int query_event(void *event)
{
    return event_state(((const moment *)event)->marker);
}

/* From the start of the first kernel between both to the end of the last one; what a library
 * enqueues itself lies between the markers. */
static int elapsed_ms(float *ms, void *start_event, void *end_event)
{
    const moment *from = start_event;
    const moment *to = end_event;
    bool kernels = from->after && to->before;
    cl_ulong first = 0, last = 0;
    int code = now.call->clGetEventProfilingInfo(kernels ? from->after : from->marker,
                                                 kernels ? CL_PROFILING_COMMAND_START
                                                         : CL_PROFILING_COMMAND_END,
                                                 sizeof first, &first, NULL);

    if (code == CL_SUCCESS)
        code = now.call->clGetEventProfilingInfo(
            kernels ? to->before : to->marker, CL_PROFILING_COMMAND_END, sizeof last, &last, NULL);
    *ms = last > first ? (float)((double)(last - first) * 1e-6) : 0;
    return code;
}

opevo_status opevo_i_opencl_driver(opevo_i_gpu_driver *out, opevo_error *err)
{
    if (!opevo_i_opencl_open(err))
        return OPEVO_IO;
    *out = (opevo_i_gpu_driver){
        .set_device = set_device,
        .synchronize = synchronize,
        .allocate = allocate,
        .release = release,
        .copy_in = copy_in,
        .copy_out = copy_out,
        .copy = copy,
        .fill = fill,
        .load_module = opevo_i_opencl_load,
        .unload_module = opevo_i_opencl_unload,
        .get_function = opevo_i_opencl_kernel,
        .create_event = create_event,
        .record_event = record_event,
        .query_event = query_event,
        .elapsed_ms = elapsed_ms,
        .destroy_event = destroy_event,
        .start = start,
    };
    return OPEVO_OK;
}
