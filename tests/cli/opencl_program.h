/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What programs share that call emitted kernels with a context, a queue and buffers of their own,
 * on the first device of OpenCL. */

#ifndef OPENCL_PROGRAM_H
#define OPENCL_PROGRAM_H

#include <CL/cl.h>

#include <stddef.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

/* Whether there is a device. */
static int open_device(void)
{
    cl_platform_id platform;

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 0;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    return 1;
}

static void close_device(void)
{
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

/* A buffer of floats with these contents, or any for NULL. */
static cl_mem buffer(const float *from, int count)
{
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * (size_t)count, NULL, NULL);

    if (from)
        clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 4 * (size_t)count, from, 0, NULL, NULL);
    return memory;
}

#endif
