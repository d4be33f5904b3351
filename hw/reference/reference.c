/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators in plain loops: written to be seen to be right. */

#include <opevo/reference.h>

#include <math.h>

int64_t opevo_operand_elements(const opevo_operator *op, int operand)
{
    int64_t batch = op->kind == OPEVO_MATMUL ? 1 : op->batch;

    if (op->kind == OPEVO_CONV2D) {
        switch (operand) {
        case 0:
            return batch * op->in_channels * op->height * op->width;
        case 1:
            return op->out_channels * op->in_channels * op->kernel_height * op->kernel_width;
        default:
            return batch * op->out_channels * opevo_operator_out_height(op) *
                   opevo_operator_out_width(op);
        }
    }
    switch (operand) {
    case 0:
        return batch * op->n * op->k;
    case 1:
        return batch * op->k * op->m;
    default:
        return batch * op->n * op->m;
    }
}

int64_t opevo_operator_terms(const opevo_operator *op)
{
    return op->kind == OPEVO_CONV2D ? op->in_channels * op->kernel_height * op->kernel_width
                                    : op->k;
}

/* A sum of products and of their absolute values. */
typedef struct dot {
    double sum, magnitude;
} dot;

static void add(dot *self, float a, float b)
{
    double product = (double)a * (double)b;

    self->sum += product;
    self->magnitude += fabs(product);
}

static void put(const dot *self, int64_t at, float *c, double *magnitude)
{
    c[at] = (float)self->sum;
    if (magnitude)
        magnitude[at] = self->magnitude;
}

static void matmul(const opevo_operator *op, const float *a, const float *b, float *c,
                   double *magnitude)
{
    for (int64_t i = 0; i < op->n; i++) {
        for (int64_t j = 0; j < op->m; j++) {
            dot one = {0, 0};

            for (int64_t k = 0; k < op->k; k++)
                add(&one, a[op->transpose_x ? k * op->n + i : i * op->k + k],
                    b[op->transpose_y ? j * op->k + k : k * op->m + j]);
            put(&one, i * op->m + j, c, magnitude);
        }
    }
}

/* One image, one output channel. */
static void convolve(const opevo_operator *op, const float *image, const float *kernel, float *c,
                     double *magnitude)
{
    int64_t out_height = opevo_operator_out_height(op);
    int64_t out_width = opevo_operator_out_width(op);
    int64_t window = op->in_channels * op->kernel_height * op->kernel_width;

    for (int64_t at = 0; at < out_height * out_width; at++) {
        int64_t top = at / out_width * op->stride - op->padding;
        int64_t left = at % out_width * op->stride - op->padding;
        dot one = {0, 0};

        for (int64_t w = 0; w < window; w++) {
            int64_t x = left + w % op->kernel_width;
            int64_t y = top + w / op->kernel_width % op->kernel_height;
            int64_t channel = w / op->kernel_width / op->kernel_height;

            if (x >= 0 && x < op->width && y >= 0 && y < op->height)
                add(&one, image[(channel * op->height + y) * op->width + x], kernel[w]);
        }
        put(&one, at, c, magnitude);
    }
}

void opevo_reference_compute(const opevo_operator *op, const float *a, const float *b, float *c,
                             double *magnitude)
{
    int64_t batch = op->kind == OPEVO_MATMUL ? 1 : op->batch;
    int64_t size[3];

    for (int i = 0; i < 3; i++)
        size[i] = opevo_operand_elements(op, i) / (op->kind == OPEVO_CONV2D && i == 1 ? 1 : batch);
    for (int64_t one = 0; one < batch; one++) {
        const float *left = a + one * size[0];
        double *magnitudes = magnitude ? magnitude + one * size[2] : NULL;

        if (op->kind != OPEVO_CONV2D) {
            matmul(op, left, b + one * size[1], c + one * size[2], magnitudes);
            continue;
        }
        for (int64_t f = 0; f < op->out_channels; f++) {
            int64_t plane = size[2] / op->out_channels;

            convolve(op, left, b + f * (size[1] / op->out_channels), c + one * size[2] + f * plane,
                     magnitudes ? magnitudes + f * plane : NULL);
        }
    }
}

double opevo_reference_bound(const opevo_operator *op, double magnitude)
{
    double roundings = ((double)opevo_operator_terms(op) + 1) * 0x1p-24;

    return roundings < 1 ? roundings / (1 - roundings) * magnitude : INFINITY;
}
