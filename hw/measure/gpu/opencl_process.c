/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The device, context and queue of the process, and how it waits for a command. The queue is in
 * order, so that what is enqueued runs as on CUDA's default stream. */

#include "opencl_internal.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static opevo_i_opencl_context now;
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

int opevo_i_opencl_await(int code, cl_event event)
{
    const struct timespec nap = {.tv_nsec = 20000};

    if (code != CL_SUCCESS)
        return code;
    code = now.call->clFlush(now.queue);
    while (code == CL_SUCCESS &&
           (code = opevo_i_opencl_event_state(event)) == OPEVO_I_GPU_NOT_READY) {
        nanosleep(&nap, NULL);
        code = CL_SUCCESS;
    }
    now.call->clReleaseEvent(event);
    return code;
}

int opevo_i_opencl_synchronize(void)
{
    cl_event event = NULL;
    int code = fatal_signal ? OPEVO_I_OPENCL_SIGNAL
                            : now.call->clEnqueueMarkerWithWaitList(now.queue, 0, NULL, &event);

    return opevo_i_opencl_await(code, event);
}

/* ---- The device ----------------------------------------------------------------------------- */

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
    now = next;
    catch_signals();
    return CL_SUCCESS;
}
