/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators by plain loops. Sums are kept in double precision, a row of the result at a time, so
 * that what they err by is far below what a kernel in single precision may. */

#include "operands_internal.h"

#include <opevo/memory.h>

static void matmul(const opevo_operator *op, const float *a, const float *b, float *c, double *row)
{
    size_t n = (size_t)op->n;
    size_t m = (size_t)op->m;
    size_t k = (size_t)op->k;
    size_t b_step = op->transpose_y ? k : 1;
    size_t b_row = op->transpose_y ? 1 : m;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++)
            row[j] = 0;
        for (size_t p = 0; p < k; p++) {
            double x = op->transpose_x ? a[p * n + i] : a[i * k + p];
            const float *y = b + p * b_row;

            for (size_t j = 0; j < m; j++)
                row[j] += x * y[j * b_step];
        }
        for (size_t j = 0; j < m; j++)
            c[i * m + j] = (float)row[j];
    }
}

/* Add what one input channel and one kernel element contribute to a row of the output. */
static void add_taps(const opevo_operator *op, const float *in, double weight, int64_t shift,
                     double *row)
{
    int64_t width = opevo_operator_out_width(op);

    for (int64_t x = 0; x < width; x++) {
        int64_t from = x * op->stride + shift;

        if (from >= 0 && from < op->width)
            row[x] += weight * in[from];
    }
}

static void conv2d_row(const opevo_operator *op, const float *image, const float *weights,
                       int64_t y, double *row)
{
    for (int64_t x = 0; x < opevo_operator_out_width(op); x++)
        row[x] = 0;
    for (int64_t channel = 0; channel < op->in_channels; channel++) {
        for (int64_t p = 0; p < op->kernel_height; p++) {
            int64_t from = y * op->stride + p - op->padding;
            const float *in = image + (channel * op->height + from) * op->width;

            if (from < 0 || from >= op->height)
                continue;
            for (int64_t q = 0; q < op->kernel_width; q++)
                add_taps(op, in, weights[(channel * op->kernel_height + p) * op->kernel_width + q],
                         q - op->padding, row);
        }
    }
}

static void conv2d(const opevo_operator *op, const float *a, const float *b, float *c, double *row)
{
    int64_t height = opevo_operator_out_height(op);
    int64_t width = opevo_operator_out_width(op);
    int64_t image = op->in_channels * op->height * op->width;
    int64_t filter = op->in_channels * op->kernel_height * op->kernel_width;

    for (int64_t i = 0; i < op->batch; i++) {
        for (int64_t f = 0; f < op->out_channels; f++) {
            for (int64_t y = 0; y < height; y++) {
                float *out = c + ((i * op->out_channels + f) * height + y) * width;

                conv2d_row(op, a + i * image, b + f * filter, y, row);
                for (int64_t x = 0; x < width; x++)
                    out[x] = (float)row[x];
            }
        }
    }
}

opevo_status opevo_i_naive(const opevo_operator *op, const float *a, const float *b, float *c,
                           opevo_error *err)
{
    int64_t width = op->kind == OPEVO_CONV2D ? opevo_operator_out_width(op) : op->m;
    double *row = opevo_malloc((size_t)width, sizeof *row);
    int64_t batch = op->kind == OPEVO_BATCH_MATMUL ? op->batch : 1;

    if (!row)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the reference.");
    if (op->kind == OPEVO_CONV2D)
        conv2d(op, a, b, c, row);
    for (int64_t i = 0; op->kind != OPEVO_CONV2D && i < batch; i++)
        matmul(op, a + i * op->n * op->k, b + i * op->k * op->m, c + i * op->n * op->m, row);
    opevo_free(row);
    return OPEVO_OK;
}
