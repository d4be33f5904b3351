/* SPDX-License-Identifier: GPL-3.0-or-later */

/* OpenCL programs: built from source in the process that compiles, loaded from the driver's binary
 * in the one that measures. */

#include "opencl_internal.h"

#include <opevo/memory.h>
#include <opevo/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "opevo OpenCL %zu\n"
enum { MAGIC_BYTES = 48, MOST_KERNELS = 64 };

/* A program with the kernels that were asked for. */
typedef struct program {
    cl_program program;
    cl_kernel kernels[MOST_KERNELS];
    size_t count;
} program;

static void print_log(cl_program built)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    size_t size = 0;
    char *log = NULL;

    if (now->call->clGetProgramBuildInfo(built, now->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                         &size) != CL_SUCCESS ||
        size < 2)
        return;
    log = opevo_calloc(size + 1, 1);
    if (log && now->call->clGetProgramBuildInfo(built, now->device, CL_PROGRAM_BUILD_LOG, size, log,
                                                NULL) == CL_SUCCESS)
        fprintf(stderr, "%s\n", log);
    opevo_free(log);
}

/* ---- Limits --------------------------------------------------------------------------------- */

/* Whether the device can run it: what it needs is known once it is built. */
static opevo_status check_kernel(cl_kernel kernel, opevo_error *err)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    char name[128] = "";
    size_t asked[3] = {0};
    size_t most = 0;
    cl_ulong used = 0, local = 0;

    (void)now->call->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    (void)now->call->clGetKernelWorkGroupInfo(
        kernel, now->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof asked, asked, NULL);
    (void)now->call->clGetKernelWorkGroupInfo(kernel, now->device, CL_KERNEL_WORK_GROUP_SIZE,
                                              sizeof most, &most, NULL);
    (void)now->call->clGetKernelWorkGroupInfo(kernel, now->device, CL_KERNEL_LOCAL_MEM_SIZE,
                                              sizeof used, &used, NULL);
    (void)now->call->clGetDeviceInfo(now->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local,
                                     NULL);
    if (local && used > local)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "error: %s needs %llu bytes of local memory, and the device has %llu.",
                          name, (unsigned long long)used, (unsigned long long)local);
    if (most && asked[0] * asked[1] * asked[2] > most)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "error: %s needs work groups of %zu, and the device allows it %zu.", name,
                          asked[0] * asked[1] * asked[2], most);
    return OPEVO_OK;
}

static opevo_status check_kernels(cl_program built, opevo_error *err)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    cl_kernel kernels[MOST_KERNELS];
    cl_uint count = 0;
    cl_int code = now->call->clCreateKernelsInProgram(built, MOST_KERNELS, kernels, &count);
    opevo_status status = OPEVO_OK;

    if (code != CL_SUCCESS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "error: its kernels cannot be had: error %d (%s).",
                          code, opevo_i_opencl_words(code));
    for (cl_uint i = 0; i < count; i++) {
        if (status == OPEVO_OK)
            status = check_kernel(kernels[i], err);
        now->call->clReleaseKernel(kernels[i]);
    }
    return status;
}

/* ---- Building ------------------------------------------------------------------------------- */

static opevo_status get_binary(cl_program built, char **code, size_t *size, opevo_error *err)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    size_t bytes = 0;
    size_t head = 0;
    char *text = NULL;
    unsigned char *binary = NULL;

    if (now->call->clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) !=
            CL_SUCCESS ||
        bytes == 0)
        return OPEVO_FAIL(err, OPEVO_IO, "error: the driver gives no binary of a program.");
    text = opevo_calloc(MAGIC_BYTES + bytes, 1);
    if (!text)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "error: no memory for %zu bytes of code.", bytes);
    head = (size_t)snprintf(text, MAGIC_BYTES, MAGIC, bytes);
    binary = (unsigned char *)text + head;
    if (now->call->clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) !=
        CL_SUCCESS) {
        opevo_free(text);
        return OPEVO_FAIL(err, OPEVO_IO, "error: the driver gives no binary of a program.");
    }
    *code = text;
    *size = head + bytes;
    return OPEVO_OK;
}

/* OpenCL C 1.2, unless the options name another version. */
static opevo_status write_options(const char *const *options, size_t count, opevo_text *out,
                                  opevo_error *err)
{
    bool named = false;

    for (size_t i = 0; i < count; i++) {
        named |= strncmp(options[i], "-cl-std=", 8) == 0;
        opevo_text_printf(out, "%s%s", i ? " " : "", options[i]);
    }
    if (!named)
        opevo_text_printf(out, "%s-cl-std=CL1.2", out->length ? " " : "");
    return opevo_text_check(out, err);
}

opevo_status opevo_i_opencl_compile(const char *source, const char *const *options, size_t count,
                                    char **code, size_t *size, opevo_error *err)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    opevo_status status = OPEVO_OK;
    opevo_text words = {0};
    cl_program built = NULL;
    cl_int failed = CL_SUCCESS;

    OPEVO_TRY(write_options(options, count, &words, err));
    built = now->call->clCreateProgramWithSource(now->context, 1, &source, NULL, &failed);
    if (failed != CL_SUCCESS) {
        status = OPEVO_FAIL(err, OPEVO_IO, "error: the compiler cannot be started: error %d (%s).",
                            failed, opevo_i_opencl_words(failed));
        goto cleanup;
    }
    failed =
        now->call->clBuildProgram(built, 1, &now->device, opevo_text_string(&words), NULL, NULL);
    print_log(built);
    if (failed != CL_SUCCESS)
        status = OPEVO_FAIL(err,
                            failed == CL_BUILD_PROGRAM_FAILURE || failed == CL_INVALID_BUILD_OPTIONS
                                ? OPEVO_INVALID
                                : OPEVO_IO,
                            "error %d of the compiler (%s)", failed, opevo_i_opencl_words(failed));
    if (status == OPEVO_OK)
        status = check_kernels(built, err);
    if (status == OPEVO_OK)
        status = get_binary(built, code, size, err);
cleanup:
    if (built)
        now->call->clReleaseProgram(built);
    opevo_text_free(&words);
    return status;
}

void opevo_i_opencl_expect(const char *blocks)
{
    opevo_text words = {0};

    while (*blocks) {
        size_t length = strcspn(blocks, ",");

        opevo_text_printf(&words, "%s%.*s-goffs0-smallgrid", words.length ? "," : "", (int)length,
                          blocks);
        blocks += length + (blocks[length] == ',');
    }
    if (words.length && !words.failed)
        setenv("POCL_BINARY_SPECIALIZE_WG", words.data, 1);
    opevo_text_free(&words);
}

/* ---- Loading -------------------------------------------------------------------------------- */

int opevo_i_opencl_load(void **module, const void *image)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    const char *text = image;
    const char *line = strchr(text, '\n');
    program *self = NULL;
    size_t bytes = 0;
    const unsigned char *binary = NULL;
    cl_int code = CL_SUCCESS;

    if (!line || sscanf(text, "opevo OpenCL %zu", &bytes) != 1) /* NOLINT(cert-err34-c): ours */
        return CL_INVALID_BINARY;
    self = opevo_calloc(1, sizeof *self);
    if (!self)
        return CL_OUT_OF_HOST_MEMORY;
    binary = (const unsigned char *)line + 1;
    self->program = now->call->clCreateProgramWithBinary(now->context, 1, &now->device, &bytes,
                                                         &binary, NULL, &code);
    if (code == CL_SUCCESS)
        code = now->call->clBuildProgram(self->program, 1, &now->device, "", NULL, NULL);
    if (code != CL_SUCCESS) {
        opevo_i_opencl_unload(self);
        return code;
    }
    *module = self;
    return CL_SUCCESS;
}

int opevo_i_opencl_unload(void *module)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    program *self = module;

    if (!self)
        return CL_SUCCESS;
    for (size_t i = 0; i < self->count; i++)
        now->call->clReleaseKernel(self->kernels[i]);
    if (self->program)
        now->call->clReleaseProgram(self->program);
    opevo_free(self);
    return CL_SUCCESS;
}

/* Private memory is the only one of CUDA's attributes that OpenCL has. */
int opevo_i_opencl_kernel_attribute(int *value, int attribute, void *function)
{
    enum { LOCAL_BYTES = 3 };
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    cl_ulong bytes = 0;
    cl_int code = CL_INVALID_VALUE;

    if (attribute == LOCAL_BYTES)
        code = now->call->clGetKernelWorkGroupInfo(
            function, now->device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL);
    *value = (int)bytes;
    return code;
}

int opevo_i_opencl_kernel(void **function, void *module, const char *name)
{
    const opevo_i_opencl_context *now = opevo_i_opencl_now();
    program *self = module;
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = NULL;

    for (size_t i = 0; i < self->count; i++) {
        char known[256] = "";

        if (now->call->clGetKernelInfo(self->kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof known - 1,
                                       known, NULL) == CL_SUCCESS &&
            !strcmp(known, name)) {
            *function = self->kernels[i];
            return CL_SUCCESS;
        }
    }
    if (self->count == MOST_KERNELS)
        return CL_OUT_OF_RESOURCES;
    kernel = now->call->clCreateKernel(self->program, name, &code);
    if (code != CL_SUCCESS)
        return code;
    self->kernels[self->count++] = kernel;
    *function = kernel;
    return CL_SUCCESS;
}
