/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The device, context and queue of the process, and how it waits for a command. The queue is in
 * order, so that what is enqueued runs as on CUDA's default stream. */

#include "opencl_internal.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 20 };

static opevo_i_opencl_context now;
static uint64_t enqueued, ended; /* commands; the queue is in order */
static volatile sig_atomic_t fatal_signal;
static int wake = -1; /* written to where an event has come or a kernel has got a signal */

const opevo_i_opencl_context *opevo_i_opencl_now(void)
{
    return &now;
}

static void write_wake(void)
{
    const uint64_t one = 1;

    if (wake >= 0)
        (void)!write(wake, &one, sizeof one);
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
    write_wake();
    for (;;)
        pause();
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    const struct sigaction action = {.sa_handler = note_signal};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

int opevo_i_opencl_event_state(cl_event event)
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

/* ---- Waiting -------------------------------------------------------------------------------- */

uint64_t opevo_i_opencl_count(void)
{
    return ++enqueued;
}

uint64_t opevo_i_opencl_counted(void)
{
    return enqueued;
}

void opevo_i_opencl_ended(uint64_t number)
{
    if (number > ended)
        ended = number;
}

int opevo_i_opencl_settle(void)
{
    return ended == enqueued && !fatal_signal ? CL_SUCCESS : opevo_i_opencl_synchronize();
}

static void CL_CALLBACK note_event(cl_event event, cl_int state, void *context)
{
    (void)event, (void)state, (void)context;
    write_wake();
}

/* Naps would cost the kernel a core that it shares, and where cores are busy last for
 * milliseconds. */
void opevo_i_opencl_wait(cl_event event)
{
    const struct timespec nap = {.tv_nsec = 20000};
    struct pollfd come = {.fd = wake, .events = POLLIN};
    uint64_t count = 0;

    if (wake < 0 ||
        now.call->clSetEventCallback(event, CL_COMPLETE, note_event, NULL) != CL_SUCCESS)
        nanosleep(&nap, NULL);
    else if (poll(&come, 1, PATIENCE_MS) > 0)
        (void)!read(wake, &count, sizeof count);
}

int opevo_i_opencl_await(int code, cl_event event)
{
    uint64_t number = enqueued;

    if (code != CL_SUCCESS)
        return code;
    code = now.call->clFlush(now.queue);
    while (code == CL_SUCCESS &&
           (code = opevo_i_opencl_event_state(event)) == OPEVO_I_GPU_NOT_READY) {
        opevo_i_opencl_wait(event);
        code = CL_SUCCESS;
    }
    now.call->clReleaseEvent(event);
    if (code == CL_SUCCESS)
        opevo_i_opencl_ended(number);
    return code;
}

int opevo_i_opencl_synchronize(void)
{
    cl_event event = NULL;
    int code = fatal_signal ? OPEVO_I_OPENCL_SIGNAL
                            : now.call->clEnqueueMarkerWithWaitList(now.queue, 0, NULL, &event);

    opevo_i_opencl_count();
    return opevo_i_opencl_await(code, event);
}

/* ---- The device ----------------------------------------------------------------------------- */

/* What is in memory that the host and kernels share needs no commands to be read and written. */
static void note_kind(opevo_i_opencl_context *context)
{
    enum { SVM_CAPABILITIES = 0x1053, SVM_FINE_GRAIN_BUFFER = 2 }; /* of OpenCL 2.0 */
    cl_device_type type = 0;
    cl_bitfield shared = 0;

    if (context->call->clGetDeviceInfo(context->device, CL_DEVICE_TYPE, sizeof type, &type, NULL) !=
            CL_SUCCESS ||
        !(type & CL_DEVICE_TYPE_CPU))
        return;
    context->on_host = true;
    context->has_shared =
        context->call->clGetDeviceInfo(context->device, SVM_CAPABILITIES, sizeof shared, &shared,
                                       NULL) == CL_SUCCESS &&
        (shared & SVM_FINE_GRAIN_BUFFER) != 0;
}

int opevo_i_opencl_set_device(int ordinal)
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
    note_kind(&next);
    now = next;
    if (now.on_host && wake < 0)
        wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    catch_signals();
    return CL_SUCCESS;
}
