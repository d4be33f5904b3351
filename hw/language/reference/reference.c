/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators in plain loops: written to be seen to be right. */

#include <opevo/reference.h>

#include <math.h>
#include <string.h>

int64_t opevo_operand_elements(const opevo_operator *op, int operand)
{
    opevo_operand_list list;
    int64_t elements = 1;

    opevo_operator_operands(op, &list);
    for (int d = 0; d < list.item[operand].dims; d++)
        elements *= list.item[operand].extent[d];
    return elements;
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

static void compute_known(const opevo_operator *op, const float *a, const float *b, float *c,
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

/* ---- Contractions ---- */

typedef struct contraction {
    const opevo_contraction *what;
    const float *const *inputs;
    int64_t index[OPEVO_CONTRACTION_AXES]; /* of each axis */
    bool summed[OPEVO_CONTRACTION_AXES];
} contraction;

static double product_of(const contraction *self, unsigned factors)
{
    double product = 1;

    for (int i = 0; factors; i++, factors >>= 1) {
        int64_t at = 0;

        if (!(factors & 1))
            continue;
        for (const char *name = self->what->operand[i].axes; *name; name++) {
            int axis = opevo_contraction_axis(self->what, *name);

            at = at * self->what->axis[axis].extent + self->index[axis];
        }
        product *= (double)self->inputs[i][at];
    }
    return product;
}

/* The next term of an element, false after the last. */
static bool next_term(contraction *self)
{
    for (int a = OPEVO_CONTRACTION_AXES - 1; a >= 0; a--) {
        if (!self->summed[a])
            continue;
        if (++self->index[a] < self->what->axis[a].extent)
            return true;
        self->index[a] = 0;
    }
    return false;
}

static void start_element(contraction *self, int operand, int64_t at)
{
    const char *axes = self->what->operand[operand].axes;

    for (size_t d = strlen(axes); d-- > 0;) {
        int axis = opevo_contraction_axis(self->what, axes[d]);

        self->index[axis] = at % self->what->axis[axis].extent;
        at /= self->what->axis[axis].extent;
    }
}

static void compute_output(const opevo_operator *op, int operand, const float *const *inputs,
                           float *out, double *magnitude)
{
    contraction self = {.what = &op->contraction, .inputs = inputs};
    unsigned factors = self.what->operand[operand].factors;

    for (int a = 0; a < OPEVO_CONTRACTION_AXES && self.what->axis[a].name; a++)
        self.summed[a] = opevo_contraction_reduces(self.what, operand, a);
    for (int64_t at = 0; at < opevo_operand_elements(op, operand); at++) {
        dot one = {0, 0};

        start_element(&self, operand, at);
        do {
            double product = product_of(&self, factors);

            one.sum += product;
            one.magnitude += fabs(product);
        } while (next_term(&self));
        put(&one, at, out, magnitude);
    }
}

/* ---- All operators ---- */

void opevo_reference_compute(const opevo_operator *op, const float *const *inputs,
                             float *const *outputs, double *const *magnitudes)
{
    opevo_operand_list list;

    if (op->kind != OPEVO_CONTRACTION) {
        compute_known(op, inputs[0], inputs[1], outputs[0], magnitudes ? magnitudes[0] : NULL);
        return;
    }
    opevo_operator_operands(op, &list);
    for (int i = 0; i < list.count - list.inputs; i++)
        compute_output(op, list.inputs + i, inputs, outputs[i], magnitudes ? magnitudes[i] : NULL);
}

double opevo_reference_roundings(const opevo_operator *op, int output)
{
    return (double)opevo_operator_terms(op, output) + opevo_operator_factors(op, output) - 2;
}

double opevo_reference_bound(const opevo_operator *op, int output, double magnitude)
{
    double roundings = (opevo_reference_roundings(op, output) + 1) * 0x1p-24;

    return roundings < 1 ? roundings / (1 - roundings) * magnitude : INFINITY;
}
