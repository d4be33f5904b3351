/* SPDX-License-Identifier: GPL-3.0-or-later */

/* CLBlast, which generated kernels are measured against by OpenCL. Its prototypes are written after
 * "CLBlast: API reference" (github.com/CNugteren/CLBlast); matrices are stored row by row. */

#include "opencl_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112, CROSS_CORRELATION = 151 };

typedef int sgemm(int layout, int form_a, int form_b, size_t m, size_t n, size_t k, float alpha,
                  cl_mem a, size_t at_a, size_t lda, cl_mem b, size_t at_b, size_t ldb, float beta,
                  cl_mem c, size_t at_c, size_t ldc, cl_command_queue *queue, cl_event *event);
typedef int sgemm_batched(int layout, int form_a, int form_b, size_t m, size_t n, size_t k,
                          float alpha, cl_mem a, size_t at_a, size_t lda, size_t step_a, cl_mem b,
                          size_t at_b, size_t ldb, size_t step_b, float beta, cl_mem c, size_t at_c,
                          size_t ldc, size_t step_c, size_t batch, cl_command_queue *queue,
                          cl_event *event);
typedef int sconvgemm(int mode, size_t channels, size_t height, size_t width, size_t kernel_h,
                      size_t kernel_w, size_t pad_h, size_t pad_w, size_t stride_h, size_t stride_w,
                      size_t dilation_h, size_t dilation_w, size_t kernels, size_t batch,
                      cl_mem image, size_t at_image, cl_mem weights, size_t at_weights,
                      cl_mem result, size_t at_result, cl_command_queue *queue, cl_event *event);

static struct {
    sgemm *one;
    sgemm_batched *many;
    sconvgemm *convolve;
} library;

static int run_product(const opevo_operator *op, const cl_mem *memory, cl_command_queue queue)
{
    int form_x = op->transpose_x ? TRANSPOSED : PLAIN;
    int form_y = op->transpose_y ? TRANSPOSED : PLAIN;
    size_t n = (size_t)op->n, k = (size_t)op->k, m = (size_t)op->m;
    size_t ldx = op->transpose_x ? n : k;
    size_t ldy = op->transpose_y ? k : m;

    if (op->kind == OPEVO_MATMUL)
        return library.one(ROW_MAJOR, form_x, form_y, n, m, k, 1, memory[0], 0, ldx, memory[1], 0,
                           ldy, 0, memory[2], 0, m, &queue, NULL);
    return library.many(ROW_MAJOR, form_x, form_y, n, m, k, 1, memory[0], 0, ldx, n * k, memory[1],
                        0, ldy, k * m, 0, memory[2], 0, m, n * m, (size_t)op->batch, &queue, NULL);
}

static int run_convolution(const opevo_operator *op, const cl_mem *memory, cl_command_queue queue)
{
    return library.convolve(CROSS_CORRELATION, (size_t)op->in_channels, (size_t)op->height,
                            (size_t)op->width, (size_t)op->kernel_height, (size_t)op->kernel_width,
                            (size_t)op->padding, (size_t)op->padding, (size_t)op->stride,
                            (size_t)op->stride, 1, 1, (size_t)op->out_channels, (size_t)op->batch,
                            memory[0], 0, memory[1], 0, memory[2], 0, &queue, NULL);
}

int opevo_i_opencl_math_run(const opevo_operator *op, const uint64_t *operands)
{
    cl_mem memory[3];
    int code = CL_SUCCESS;

    for (int i = 0; i < 3; i++) {
        code = opevo_i_opencl_memory_at(operands[i], &memory[i]);

        if (code != CL_SUCCESS)
            return code;
    }
    code = opevo_i_opencl_mark();
    if (code != CL_SUCCESS)
        return code;
    return (op->kind == OPEVO_CONV2D ? run_convolution : run_product)(op, memory,
                                                                      opevo_i_opencl_now()->queue);
}

/* The title says how many of its kernels are tuned. */
static void take_tuned(void *opened, const char *folder, char *title, size_t size)
{
    void *found = dlsym(opened, "CLBlastOverrideParameters");
    opevo_i_opencl_override *function = NULL;

    if (!found)
        return;
    memcpy(&function, &found, sizeof found);
    snprintf(title, size, "CLBlast, %zu kernels tuned",
             opevo_i_opencl_take_tuned(folder, function, opevo_i_opencl_now()->device));
}

opevo_status opevo_i_opencl_math_open(char *title, size_t size, opevo_error *err)
{
    static const struct {
        size_t offset;
        const char *name;
    } symbols[] = {{0, "CLBlastSgemm"},
                   {sizeof(void *), "CLBlastSgemmStridedBatched"},
                   {2 * sizeof(void *), "CLBlastSconvgemm"}};
    void *opened = dlopen("libclblast.so.1", RTLD_NOW);
    const char *folder = getenv("OPEVO_CLBLAST");

    if (!opened)
        return OPEVO_FAIL(err, OPEVO_IO,
                          "libclblast.so.1 not found: install CLBlast, on Debian the package "
                          "libclblast1, or add its folder to LD_LIBRARY_PATH.");
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(opened, symbols[i].name);

        if (!found)
            return OPEVO_FAIL(err, OPEVO_IO, "the library of CLBlast has no function %s.",
                              symbols[i].name);
        memcpy((char *)&library + symbols[i].offset, &found, sizeof found);
    }
    snprintf(title, size, "CLBlast");
    if (folder)
        take_tuned(opened, folder, title, size);
    return OPEVO_OK;
}
