/* SPDX-License-Identifier: GPL-3.0-or-later */

/* OpenCL 1.2 behind the driver's table of gpu_internal.h. What that table leaves to a current
 * context, OpenCL is given with each call: the state of the process has it. The
 * prototypes are those of Khronos' headers; the library, the loader of drivers, is opened at run
 * time. Source: "The OpenCL Specification, Version 1.2". */

#ifndef OPEVO_OPENCL_INTERNAL_H
#define OPEVO_OPENCL_INTERNAL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "gpu_internal.h"

#define OPEVO_I_OPENCL_FUNCTIONS(X)                                                                \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clCreateBuffer)                                                                              \
    X(clCreateSubBuffer)                                                                           \
    X(clReleaseMemObject)                                                                          \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueFillBuffer)                                                                         \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateProgramWithBinary)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramInfo)                                                                            \
    X(clGetProgramBuildInfo)                                                                       \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clCreateKernelsInProgram)                                                                    \
    X(clGetKernelInfo)                                                                             \
    X(clGetKernelWorkGroupInfo)                                                                    \
    X(clReleaseKernel)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueMarkerWithWaitList)                                                                 \
    X(clGetEventInfo)                                                                              \
    X(clGetEventProfilingInfo)                                                                     \
    X(clSetEventCallback)                                                                          \
    X(clRetainEvent)                                                                               \
    X(clReleaseEvent)                                                                              \
    X(clFlush)                                                                                     \
    X(clFinish)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name */
#define OPEVO_I_OPENCL_MEMBER(name) __typeof__(&(name)) name;
typedef struct opevo_i_opencl_functions {
    OPEVO_I_OPENCL_FUNCTIONS(OPEVO_I_OPENCL_MEMBER)
} opevo_i_opencl_functions;
#undef OPEVO_I_OPENCL_MEMBER

/* ---- Devices (opencl_devices.c) ---- */

/* The functions, opened once; NULL with IO and what to install. */
const opevo_i_opencl_functions *opevo_i_opencl_open(opevo_error *err);

/* A device: its number among those of all platforms, and of which platform it is which. */
typedef struct opevo_i_opencl_device {
    cl_platform_id platform;
    cl_device_id device;
    unsigned platform_number, number;
} opevo_i_opencl_device;
/* Errors: IO where there are fewer. */
opevo_status opevo_i_opencl_device_at(unsigned ordinal, opevo_i_opencl_device *out,
                                      opevo_error *err);
opevo_status opevo_i_opencl_find(const char *which, unsigned *ordinal, opevo_error *err);
opevo_status opevo_i_opencl_describe(unsigned ordinal, opevo_i_gpu_facts *out, opevo_error *err);
void opevo_i_opencl_list(void (*add)(void *context, const opevo_hardware *row), void *context);
/* "CL_OUT_OF_RESOURCES", ...; "" for an unknown code. */
const char *opevo_i_opencl_words(int code);

/* ---- The process (opencl_process.c) ---- */

/* Where a kernel that computes on this host's cores has got a fatal signal; the driver's codes are
 * above. */
enum { OPEVO_I_OPENCL_SIGNAL = -5000 };

typedef struct opevo_i_opencl_context {
    const opevo_i_opencl_functions *call;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    bool on_host;    /* it computes on this host's cores */
    bool has_shared; /* its memory can be that of this process */
} opevo_i_opencl_context;
/* That of the device that this process uses; all NULL before it uses one. */
const opevo_i_opencl_context *opevo_i_opencl_now(void);
/* As the functions of the driver's table. */
int opevo_i_opencl_set_device(int ordinal);
int opevo_i_opencl_synchronize(void);
/* Count a command that was enqueued; its number. */
uint64_t opevo_i_opencl_count(void);
uint64_t opevo_i_opencl_counted(void); /* so far */
/* All commands up to a number have ended. */
void opevo_i_opencl_ended(uint64_t number);
/* Wait for all commands that were enqueued; the driver's code. */
int opevo_i_opencl_settle(void);
/* CL_SUCCESS, OPEVO_I_GPU_NOT_READY, OPEVO_I_OPENCL_SIGNAL or an error of the driver. */
int opevo_i_opencl_event_state(cl_event event);
/* Wait for an event, or for a kernel's fatal signal, some milliseconds at most. */
void opevo_i_opencl_wait(cl_event event);
/* Wait until a command, which was enqueued with `code`, has ended, or a kernel before it has got a
 * signal, after which none ever ends; release its event. */
int opevo_i_opencl_await(int code, cl_event event);

/* ---- Memory (opencl_memory.c) ---- */

/* The memory object that begins at an address, borrowed from its allocation. Errors:
 * CL_INVALID_MEM_OBJECT outside all allocations, and those of the driver. */
int opevo_i_opencl_memory_at(uint64_t address, cl_mem *out);
/* Set the functions of the driver's table that allocate, release, copy and fill. */
void opevo_i_opencl_memory_functions(opevo_i_gpu_driver *out);

/* ---- CLBlast (opencl_math.c) ---- */

opevo_status opevo_i_opencl_math_open(char *title, size_t size, opevo_error *err);
int opevo_i_opencl_math_run(const opevo_operator *op, const uint64_t *operands);

/* ---- Programs (opencl_build.c) ---- */

/* As opevo_i_gpu_compile, for the current device. What comes out is the driver's binary behind a
 * line that has its size. */
opevo_status opevo_i_opencl_compile(const char *source, const char *const *options, size_t count,
                                    char **code, size_t *size, opevo_error *err);
/* PoCL compiles for a size of work groups once it is launched, unless it is told before; other
 * drivers do not care. */
void opevo_i_opencl_expect(const char *blocks);
/* As the functions of the driver's table. */
int opevo_i_opencl_load(void **module, const void *image);
int opevo_i_opencl_unload(void *module);
int opevo_i_opencl_kernel(void **function, void *module, const char *name);
int opevo_i_opencl_kernel_attribute(int *value, int attribute, void *function);

/* ---- The driver's table (opencl_driver.c) ---- */

/* What of a launch with these arguments is beyond the device; "" where nothing is. */
void opevo_i_opencl_explain(void *function, const opevo_i_gpu_start *what, char *out, size_t size);

/* Before what a library enqueues: the moment that was recorded last is now. The driver's code. */
int opevo_i_opencl_mark(void);
opevo_status opevo_i_opencl_driver(opevo_i_gpu_driver *out, opevo_error *err);

/* ---- Parameters of CLBlast (opencl_tuned.c) ---- */

/* CLBlastOverrideParameters: 0 for success. */
typedef int opevo_i_opencl_override(cl_device_id device, const char *kernel, int precision,
                                    size_t count, const char **names, const size_t *values);
/* Let CLBlast have what the files of its tuners in a folder say. Returns of how many kernels. */
size_t opevo_i_opencl_take_tuned(const char *folder, opevo_i_opencl_override *function,
                                 cl_device_id device);

#endif
