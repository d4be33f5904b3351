/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Images unfolded on a GPU (im2col), so that a convolution becomes a product of matrices. The
 * kernel is compiled for the operator's shapes, which makes constants of all that it divides by.
 *
 * Source: Chellapilla, Puri, Simard, "High performance convolutional neural networks for document
 * processing", IWFHR 2006. */

#include "gpu_internal.h"

#include <opevo/memory.h>
#include <opevo/text_fill.h>

#include <stdio.h>

enum { THREADS = 256 }; /* of a block */

/* In texts/unfold.in a thread has one output pixel of one input channel and copies its window, an
 * element to each of KH * KW rows: neighbours write side by side, and what they read in common is
 * in the cache. */
static void print_source(const opevo_operator *op, opevo_text *out)
{
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {{"threads", THREADS},
                {"height", op->height},
                {"width", op->width},
                {"kernel_height", op->kernel_height},
                {"kernel_width", op->kernel_width},
                {"stride", op->stride},
                {"padding", op->padding},
                {"out_width", opevo_operator_out_width(op)},
                {"out_pixels", opevo_operator_out_pixels(op)}};
    enum { ROWS = sizeof rows / sizeof *rows };
    char digits[ROWS][24];
    opevo_text_slot slots[ROWS];

    for (size_t i = 0; i < ROWS; i++) {
        snprintf(digits[i], sizeof digits[i], "%lld", (long long)rows[i].value);
        slots[i] = (opevo_text_slot){rows[i].name, digits[i]};
    }
    opevo_text_fill(out, opevo_i_gpu_text_unfold, slots, ROWS);
}

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

    print_source(op, &source);
    OPEVO_TRY(opevo_text_check(&source, err));
    OPEVO_TRY(
        opevo_i_gpu_compile(vendor, arch, opevo_text_string(&source), NULL, 0, &code, &size, err));
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
