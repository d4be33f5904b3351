/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Images unfolded on a GPU (im2col), so that a convolution becomes a product of matrices. The
 * kernel is compiled for the operator's shapes, which makes constants of all that it divides by.
 *
 * Source: Chellapilla, Puri, Simard, "High performance convolutional neural networks for document
 * processing", IWFHR 2006. */

#include "gpu_internal.h"

#include <opevo/memory.h>

enum { THREADS = 256 }; /* of a block */

/* A thread has one output pixel of one input channel and copies its window, an element to each of
 * KH * KW rows: neighbours write side by side, and what they read in common is in the cache. */
static const char body[] =
    "extern \"C\" __global__ void __launch_bounds__(THREADS)\n"
    "opevo_unfold(const float *__restrict__ images, float *__restrict__ rows, unsigned count)\n"
    "{\n"
    "    const unsigned i = blockIdx.x * THREADS + threadIdx.x;\n"
    "    const unsigned plane = i / PIXELS;\n"
    "    const unsigned pixel = i % PIXELS;\n"
    "    const int top = (int)(pixel / OUT_WIDTH) * STRIDE - PADDING;\n"
    "    const int left = (int)(pixel % OUT_WIDTH) * STRIDE - PADDING;\n"
    "    const long long corner = ((long long)plane * HEIGHT + top) * WIDTH + left;\n"
    "    float *to = rows + plane * (KH * KW * PIXELS) + pixel;\n"
    "    if (i >= count)\n"
    "        return;\n"
    "    for (int r = 0; r < KH; r++) {\n"
    "        for (int s = 0; s < KW; s++) {\n"
    "            const int y = top + r;\n"
    "            const int x = left + s;\n"
    "            const bool inside = y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH;\n"
    "            *to = inside ? images[corner + (long long)r * WIDTH + s] : 0.0f;\n"
    "            to += PIXELS;\n"
    "        }\n"
    "    }\n"
    "}\n";

opevo_status opevo_i_gpu_unfold_load(const opevo_i_gpu_vendor *vendor,
                                     const opevo_i_gpu_driver *driver, const char *arch,
                                     const opevo_operator *op, opevo_i_gpu_unfold *out,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text source = {0};
    char *code = NULL;
    size_t size = 0;
    int failed = 0;

    opevo_text_printf(
        &source,
        "enum { THREADS = %d, HEIGHT = %lld, WIDTH = %lld, KH = %lld, KW = %lld,\n"
        "       STRIDE = %lld, PADDING = %lld, OUT_WIDTH = %lld, PIXELS = %lld };\n%s",
        THREADS, (long long)op->height, (long long)op->width, (long long)op->kernel_height,
        (long long)op->kernel_width, (long long)op->stride, (long long)op->padding,
        (long long)opevo_operator_out_width(op), (long long)opevo_operator_out_pixels(op), body);
    OPEVO_TRY(opevo_text_check(&source, err));
    OPEVO_TRY(opevo_i_gpu_compile(vendor, arch, opevo_text_string(&source), &code, &size, err));
    failed = driver->load_module(&out->module, code);
    if (!failed)
        failed = driver->get_function(&out->function, out->module, "opevo_unfold");
    if (failed)
        status = OPEVO_FAIL(err, OPEVO_IO, "the kernel that unfolds images: error %d (%s).", failed,
                            opevo_i_gpu_words(vendor, failed));
cleanup:
    opevo_free(code);
    opevo_text_free(&source);
    return status;
}

int opevo_i_gpu_unfold_run(const opevo_i_gpu_unfold *self, const opevo_i_gpu_driver *driver,
                           const opevo_operator *op, uint64_t images, int64_t image_count,
                           uint64_t rows)
{
    unsigned count = (unsigned)(image_count * op->in_channels * opevo_operator_out_pixels(op));
    void *arguments[3] = {&images, &rows, &count};

    return driver->launch(self->function, (count + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0,
                          NULL, arguments, NULL);
}
