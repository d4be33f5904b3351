/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of ONNX Runtime (com.microsoft) on quantised tensors, as those of the standard between
 * a DequantizeLinear and a QuantizeLinear; and products of quantised weights. */

#include "network_read_internal.h"

#include <stdio.h>
#include <string.h>

#define NONE OPEVO_I_NET_OMITTED

static int dequantized(opevo_i_net_builder *self, int in, int scale, int zero,
                       const char *attributes)
{
    return opevo_i_net_build(self, "DequantizeLinear", attributes, zero == NONE ? 2 : 3,
                             (int[]){in, scale, zero});
}

/* Output 0; without a zero it has the type of what is quantised, unsigned. */
static void quantize(opevo_i_net_builder *self, int in, int scale, int zero)
{
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build(self, "QuantizeLinear", NULL, zero == NONE ? 2 : 3, (int[]){in, scale, zero});
}

/* Inputs `at`, its scale and its zero. */
static int input_of(opevo_i_net_builder *self, int at)
{
    return dequantized(self, self->in[at], self->in[at + 1], opevo_i_net_build_input(self, at + 2),
                       NULL);
}

static void binary(opevo_i_net_builder *self, const char *operation)
{
    int made = opevo_i_net_build_two(self, operation, NULL, input_of(self, 0), input_of(self, 3));

    quantize(self, made, self->in[6], opevo_i_net_build_input(self, 7));
}

static void build_add(opevo_i_net_builder *self)
{
    binary(self, "Add");
}

static void build_multiply(opevo_i_net_builder *self)
{
    binary(self, "Mul");
}

/* ---- Of one tensor -------------------------------------------------------------------------- */

static void unary(opevo_i_net_builder *self, const char *operation, const char *attributes)
{
    int made = opevo_i_net_build_one(self, operation, attributes, input_of(self, 0));

    quantize(self, made, self->in[3], opevo_i_net_build_input(self, 4));
}

static void build_sigmoid(opevo_i_net_builder *self)
{
    unary(self, "Sigmoid", NULL);
}

static void build_leaky(opevo_i_net_builder *self)
{
    char text[48];

    snprintf(text, sizeof text, "alpha=%.9e", opevo_i_net_build_float(self, "alpha", 0.01));
    unary(self, "LeakyRelu", text);
}

static void build_softmax(opevo_i_net_builder *self)
{
    char text[32];

    snprintf(text, sizeof text, "axis=%d", (int)opevo_i_net_build_int(self, "axis", -1));
    unary(self, "Softmax", text);
}

/* A mean over images, with channels before or behind them. */
static void build_global_average(opevo_i_net_builder *self)
{
    const opevo_array *array = opevo_i_net_build_array(self, self->in[0]);
    bool last = opevo_i_net_build_int(self, "channels_last", 0) != 0;
    int64_t axes[OPEVO_NETWORK_DIMS];
    int count = 0, made = 0;

    for (int d = 0; array && d < array->dims - 2; d++)
        axes[count++] = d + (last ? 1 : 2);
    made = opevo_i_net_build_two(self, "ReduceMean", "keepdims=1", input_of(self, 0),
                                 opevo_i_net_build_wholes(self, count, axes));
    quantize(self, made, self->in[3], opevo_i_net_build_input(self, 4));
}

static void build_average(opevo_i_net_builder *self)
{
    int in = input_of(self, 0), made = 0;

    if (opevo_i_net_build_int(self, "channels_last", 0))
        opevo_i_net_build_fail(self, "Channels come last, which opevo reads of means of all only.");
    made = opevo_i_net_build_like(self, "AveragePool", "channels_last", 1, &in);
    quantize(self, made, self->in[3], opevo_i_net_build_input(self, 4));
}

/* ---- Of several ----------------------------------------------------------------------------- */

static void build_concat(opevo_i_net_builder *self)
{
    enum { MOST = 64 };
    int parts[MOST], count = (self->ins - 2) / 3, made = 0;
    char text[32];

    if (count < 1 || count > MOST || self->ins != 2 + 3 * count) {
        opevo_i_net_build_fail(self, "It has not three inputs of each part, or too many parts.");
        return;
    }
    for (int i = 0; i < count; i++)
        parts[i] = input_of(self, 2 + 3 * i);
    snprintf(text, sizeof text, "axis=%d", (int)opevo_i_net_build_int(self, "axis", 0));
    made = opevo_i_net_build(self, "Concat", text, count, parts);
    quantize(self, made, self->in[0], self->in[1]);
}

/* C = alpha A B + bias, in which the bias has the scale of the product. */
static void build_gemm(opevo_i_net_builder *self)
{
    int bias = opevo_i_net_build_input(self, 6), scale = opevo_i_net_build_input(self, 7);
    bool flips = opevo_i_net_build_int(self, "transB", 0) != 0;
    int a = input_of(self, 0);
    int b = dequantized(self, self->in[3], self->in[4], opevo_i_net_build_input(self, 5),
                        flips ? "axis=0" : "axis=1");
    int made = opevo_i_net_build_like(self, "Gemm", "beta", 2, (int[]){a, b});

    if (bias != NONE) {
        int unit = opevo_i_net_build_two(self, "Mul", NULL, self->in[1], self->in[4]);
        int alpha = opevo_i_net_build_number(self, opevo_i_net_build_float(self, "alpha", 1));

        unit = opevo_i_net_build_two(self, "Mul", NULL, unit, alpha);
        bias = opevo_i_net_build_one(self, "Cast", "to=1", bias);
        made = opevo_i_net_build_two(self, "Add", NULL, made,
                                     opevo_i_net_build_two(self, "Mul", NULL, bias, unit));
    }
    if (scale != NONE)
        quantize(self, made, scale, opevo_i_net_build_input(self, 8));
    else
        opevo_i_net_build_output(self, 0, made);
}

/* The product in whole numbers, scaled. */
static void scaled_product(opevo_i_net_builder *self, int a, int a_scale, int a_zero, int b,
                           int b_scale, int b_zero, int bias)
{
    int in[] = {a, b, a_zero, b_zero}, ins = b_zero != NONE ? 4 : a_zero != NONE ? 3 : 2;
    int made = opevo_i_net_build(self, "MatMulInteger", NULL, ins, in);
    int scale = opevo_i_net_build_two(self, "Mul", NULL, a_scale, b_scale);

    made = opevo_i_net_build_one(self, "Cast", "to=1", made);
    if (bias == NONE)
        opevo_i_net_build_next(self, 0);
    made = opevo_i_net_build_two(self, "Mul", NULL, made, scale);
    if (bias == NONE)
        return;
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "Add", NULL, made, bias);
}

static void build_to_float(opevo_i_net_builder *self)
{
    scaled_product(self, self->in[0], self->in[2], opevo_i_net_build_input(self, 4), self->in[1],
                   self->in[3], opevo_i_net_build_input(self, 5), opevo_i_net_build_input(self, 6));
}

/* As DynamicQuantizeLinear, whose three results are made here one by one: least, most, and from
 * them scale and zero. */
static void build_dynamic(opevo_i_net_builder *self)
{
    int zero = opevo_i_net_build_number(self, 0), in = self->in[0], scale = 0, place = 0, whole = 0;
    int least = opevo_i_net_build_two(
        self, "Min", NULL, opevo_i_net_build_one(self, "ReduceMin", "keepdims=0", in), zero);
    int most = opevo_i_net_build_two(
        self, "Max", NULL, opevo_i_net_build_one(self, "ReduceMax", "keepdims=0", in), zero);

    scale = opevo_i_net_build_two(self, "Div", NULL,
                                  opevo_i_net_build_two(self, "Sub", NULL, most, least),
                                  opevo_i_net_build_number(self, 255));
    place = opevo_i_net_build_two(self, "Div", NULL,
                                  opevo_i_net_build_one(self, "Neg", NULL, least), scale);
    place = opevo_i_net_build_one(self, "Round", NULL, place);
    place = opevo_i_net_build(self, "Clip", NULL, 3,
                              (int[]){place, zero, opevo_i_net_build_number(self, 255)});
    place = opevo_i_net_build_one(self, "Cast", "to=2", place);
    whole = opevo_i_net_build(self, "QuantizeLinear", NULL, 3, (int[]){in, scale, place});
    scaled_product(self, whole, scale, place, self->in[1], self->in[2],
                   opevo_i_net_build_input(self, 3), opevo_i_net_build_input(self, 4));
}

/* ---- Weights of few bits -------------------------------------------------------------------- */

/* Weights of 2, 4 or 8 bits, of which column n has rows of blocks; scales are of each block, and
 * zeros are packed as weights are. */
typedef struct packed {
    int64_t k, n, bits, block, blocks;
    const uint8_t *weight, *zero;
    const opevo_array *scale;
} packed;

static double zero_of(const packed *self, int64_t n, int64_t block)
{
    int64_t per = 8 / self->bits, bytes = (self->blocks + per - 1) / per;
    int mask = (1 << self->bits) - 1;

    if (!self->zero)
        return (double)(1 << (self->bits - 1));
    return self->zero[n * bytes + block / per] >> (block % per * self->bits) & mask;
}

static void unpack(const packed *self, float *out)
{
    int64_t per = 8 / self->bits, bytes = self->block / per;
    int mask = (1 << self->bits) - 1;

    for (int64_t n = 0; n < self->n; n++) {
        for (int64_t k = 0; k < self->k; k++) {
            int64_t block = k / self->block, in = k % self->block;
            uint8_t byte = self->weight[(n * self->blocks + block) * bytes + in / per];
            double number = byte >> (in % per * self->bits) & mask;
            double scale =
                opevo_i_net_number(self->scale, self->scale->data, n * self->blocks + block);

            out[k * self->n + n] = (float)((number - zero_of(self, n, block)) * scale);
        }
    }
}

static bool is_packed(const packed *self, const opevo_array *weight, const opevo_array *zero)
{
    int64_t per = self->bits ? 8 / self->bits : 1;

    return weight && weight->data && self->scale && self->scale->data && self->k > 0 &&
           self->n > 0 && self->block > 0 && self->block % per == 0 &&
           (self->bits == 2 || self->bits == 4 || self->bits == 8) &&
           weight->type == OPEVO_NETWORK_UINT8 && self->k <= OPEVO_COMPUTATION_EXTENT &&
           self->n <= OPEVO_COMPUTATION_EXTENT &&
           opevo_array_elements(weight) == self->n * self->blocks * (self->block / per) &&
           opevo_array_elements(self->scale) == self->n * self->blocks &&
           (!zero || (zero->data && zero->type == OPEVO_NETWORK_UINT8 &&
                      opevo_array_elements(zero) == self->n * ((self->blocks + per - 1) / per)));
}

static void build_few_bits(opevo_i_net_builder *self)
{
    const opevo_array *weight = opevo_i_net_build_array(self, self->in[1]);
    const opevo_array *zero = opevo_i_net_build_array(self, opevo_i_net_build_input(self, 3));
    int bias = opevo_i_net_build_input(self, 5), made = 0;
    float *at = NULL;
    packed of = {.k = opevo_i_net_build_int(self, "K", 0),
                 .n = opevo_i_net_build_int(self, "N", 0),
                 .bits = opevo_i_net_build_int(self, "bits", 4),
                 .block = opevo_i_net_build_int(self, "block_size", 0),
                 .scale = opevo_i_net_build_array(self, self->in[2])};

    of.blocks = of.block > 0 ? (of.k + of.block - 1) / of.block : 0;
    if (!is_packed(&of, weight, zero) || opevo_i_net_build_input(self, 4) != NONE) {
        opevo_i_net_build_fail(self, "Its weights are not constants in blocks as opevo reads them, "
                                     "of 2, 4 or 8 bits without an order of groups.");
        return;
    }
    of.weight = weight->data;
    of.zero = zero ? zero->data : NULL;
    made = opevo_i_net_build_floats(self, 2, (int64_t[]){of.k, of.n}, &at);
    if (!at)
        return;
    of.scale = opevo_i_net_build_array(self, self->in[2]);
    unpack(&of, at);
    if (bias == NONE)
        opevo_i_net_build_next(self, 0);
    made = opevo_i_net_build_two(self, "MatMul", NULL, self->in[0], made);
    if (bias == NONE)
        return;
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "Add", NULL, made, bias);
}

/* ---- The standard's, with other types ------------------------------------------------------- */

static void build_same(opevo_i_net_builder *self)
{
    const char *operation = self->source->op_type;

    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_like(self, operation, NULL, self->ins, self->in);
}

const opevo_i_net_form opevo_i_net_scaled[] = {
    {"com.microsoft.QLinearAdd", 7, 8, 1, build_add},
    {"com.microsoft.QLinearMul", 7, 8, 1, build_multiply},
    {"com.microsoft.QLinearSigmoid", 4, 5, 1, build_sigmoid},
    {"com.microsoft.QLinearLeakyRelu", 4, 5, 1, build_leaky},
    {"com.microsoft.QLinearSoftmax", 4, 5, 1, build_softmax},
    {"com.microsoft.QLinearGlobalAveragePool", 4, 5, 1, build_global_average},
    {"com.microsoft.QLinearAveragePool", 4, 5, 1, build_average},
    {"com.microsoft.QLinearConcat", 5, 0, 1, build_concat},
    {"com.microsoft.QGemm", 6, 9, 1, build_gemm},
    {"com.microsoft.MatMulIntegerToFloat", 4, 7, 1, build_to_float},
    {"com.microsoft.DynamicQuantizeMatMul", 3, 5, 1, build_dynamic},
    {"com.microsoft.MatMulNBits", 3, 6, 1, build_few_bits},
    {"com.microsoft.QuantizeLinear", 2, 3, 1, build_same},
    {"com.microsoft.DequantizeLinear", 2, 3, 1, build_same},
    {NULL, 0, 0, 0, NULL},
};
