/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Layers of convolutional networks in three forms: in float32, with QuantizeLinear and
 * DequantizeLinear around each of them, and as the operators of quantised tensors. Activations of
 * the quantised forms are uint8 and weights int8, with one scale for each output channel. */

#ifndef OPEVO_TESTS_NETWORK_LAYERS_H
#define OPEVO_TESTS_NETWORK_LAYERS_H

#include "network_nodes.h"

/* One image: [1, channels, height, width]. */
typedef struct image {
    const char *name;
    int64_t channels, height, width;
    bool positive; /* no element is below 0: how it is quantised */
} image;

enum { FORM_FLOAT, FORM_QDQ, FORM_QLINEAR };

/* Convolutions: the kernel, its stride and the groups; the width is that of the height unless it is
 * given. */
typedef struct window {
    int64_t filters, kernel, stride, groups, kernel_w, stride_w;
} window;

static int form;

/* ---- Quantised tensors ----------------------------------------------------------------------- */

/* Of an activation that is about normally distributed; of one that is not negative. */
static const double SCALE = 1. / 24, SCALE_POSITIVE = 1. / 48;

static inline const char *add_scale(double scale)
{
    return add_number(scale);
}

static inline const char *add_zero(bool positive)
{
    const uint8_t zero = positive ? 0 : 128;

    return add_stored(OPEVO_NETWORK_UINT8, 0, (int64_t[]){0}, &zero, 1);
}

static inline double scale_of(bool positive)
{
    return positive ? SCALE_POSITIVE : SCALE;
}

static inline const char *add_quantize(const char *in, bool positive)
{
    return add_node("QuantizeLinear", (const char *const[]){in, add_scale(scale_of(positive)),
                                                            add_zero(positive), NULL});
}

static inline const char *add_dequantize(const char *in, bool positive)
{
    return add_node("DequantizeLinear", (const char *const[]){in, add_scale(scale_of(positive)),
                                                              add_zero(positive), NULL});
}

/* What leaves a layer in float32 is quantised for the next one. */
static inline const char *add_settled(const char *in, bool positive)
{
    return form == FORM_QDQ ? add_dequantize(add_quantize(in, positive), positive) : in;
}

/* int8 weights, their scales and zero points, and the bias in int32 with the scale of products. */
typedef struct weights {
    const char *data, *scale, *zero, *bias, *bias_scale, *bias_zero;
} weights;

static inline weights add_weights(size_t rank, const int64_t *extent, double scale_in)
{
    int64_t count = 1, filters = extent[0];
    int8_t *data = NULL, *zero = need(calloc((size_t)filters, 1));
    int32_t *bias = need(calloc((size_t)filters, sizeof *bias));
    float *scale = need(calloc((size_t)filters, sizeof *scale));
    float *of_bias = need(calloc((size_t)filters, sizeof *of_bias));
    weights made;

    for (size_t d = 0; d < rank; d++)
        count *= extent[d];
    data = need(calloc((size_t)count, 1));
    for (int64_t i = 0; i < count; i++)
        data[i] = (int8_t)floor(255 * draw(&state) - 127);
    for (int64_t i = 0; i < filters; i++) {
        scale[i] =
            (float)(sqrt(3. * (double)filters / (double)count) / 127 * (0.75 + 0.5 * draw(&state)));
        of_bias[i] = scale[i] * (float)scale_in;
        bias[i] = (int32_t)((draw(&state) - 0.5) / (double)of_bias[i]);
    }
    made.data = add_stored(OPEVO_NETWORK_INT8, rank, extent, data, (size_t)count);
    made.scale = add_stored(OPEVO_NETWORK_FLOAT32, 1, &filters, scale, 4 * (size_t)filters);
    made.zero = add_stored(OPEVO_NETWORK_INT8, 1, &filters, zero, (size_t)filters);
    made.bias = add_stored(OPEVO_NETWORK_INT32, 1, &filters, bias, 4 * (size_t)filters);
    made.bias_scale = add_stored(OPEVO_NETWORK_FLOAT32, 1, &filters, of_bias, 4 * (size_t)filters);
    memset(bias, 0, 4 * (size_t)filters);
    made.bias_zero = add_stored(OPEVO_NETWORK_INT32, 1, &filters, bias, 4 * (size_t)filters);
    free(data);
    free(zero);
    free(bias);
    free(scale);
    free(of_bias);
    return made;
}

/* ---- Convolutions ---------------------------------------------------------------------------- */

/* Of the last node, and what it makes of the image. */
static inline image windowed(const char *name, image in, window by)
{
    const int64_t kernel_w = by.kernel_w ? by.kernel_w : by.kernel;
    const int64_t stride_w = by.stride_w ? by.stride_w : by.stride;
    const int64_t h = by.kernel / 2, w = kernel_w / 2;

    add_list("kernel_shape", 2, (int64_t[]){by.kernel, kernel_w});
    add_list("strides", 2, (int64_t[]){by.stride, stride_w});
    add_list("pads", 4, (int64_t[]){h, w, h, w});
    return (image){name, by.filters ? by.filters : in.channels,
                   (in.height + 2 * h - by.kernel) / by.stride + 1,
                   (in.width + 2 * w - kernel_w) / stride_w + 1, in.positive};
}

/* "Clip6" is ReLU6. The quantised operators have ReLU and ReLU6 in the range of uint8. */
static inline const char *add_activation(const char *in, const char *kind)
{
    if (!kind)
        return in;
    if (strcmp(kind, "Clip6") == 0)
        return add_node("Clip", (const char *const[]){in, add_number(0), add_number(6), NULL});
    return add_unary(kind, in);
}

static inline const char *add_quantised_filter(const char *in, const weights *by, bool was_positive,
                                               bool positive)
{
    return add_node("QLinearConv",
                    (const char *const[]){in, add_scale(scale_of(was_positive)),
                                          add_zero(was_positive), by->data, by->scale, by->zero,
                                          add_scale(scale_of(positive)), add_zero(positive),
                                          by->bias, NULL});
}

static inline const char *add_qdq_filter(const char *in, const weights *by)
{
    const char *data =
        add_node("DequantizeLinear", (const char *const[]){by->data, by->scale, by->zero, NULL});
    const char *bias = NULL;

    add_int("axis", 0);
    bias = add_node("DequantizeLinear",
                    (const char *const[]){by->bias, by->bias_scale, by->bias_zero, NULL});
    add_int("axis", 0);
    return add_node("Conv", (const char *const[]){in, data, bias, NULL});
}

/* Padded so that only the stride makes images smaller. Activations here are not negative. */
static inline image add_filtered(image in, window by, const char *activation)
{
    const int64_t kernel_w = by.kernel_w ? by.kernel_w : by.kernel;
    const int64_t shape[] = {by.filters, in.channels / by.groups, by.kernel, kernel_w};
    const char *name = NULL;
    weights made;
    image out;

    if (form == FORM_FLOAT) {
        const char *weight = add_weight(4, shape);

        name = add_node("Conv",
                        (const char *const[]){in.name, weight, add_weight(1, &by.filters), NULL});
    } else {
        made = add_weights(4, shape, scale_of(in.positive));
        name = form == FORM_QDQ ? add_qdq_filter(in.name, &made)
                                : add_quantised_filter(in.name, &made, in.positive, activation);
    }
    out = windowed(name, in, by);
    add_int("group", by.groups);
    if (form != FORM_QLINEAR)
        out.name = add_settled(add_activation(out.name, activation), activation);
    out.positive = activation;
    return out;
}

static inline image add_convolution(image in, int64_t filters, int64_t kernel, int64_t stride,
                                    const char *activation)
{
    return add_filtered(in, (window){filters, kernel, stride, 1, 0, 0}, activation);
}

static inline image add_depthwise(image in, int64_t kernel, int64_t stride, const char *activation)
{
    return add_filtered(in, (window){in.channels, kernel, stride, in.channels, 0, 0}, activation);
}

/* ---- Others ---------------------------------------------------------------------------------- */

static inline image add_sum(image a, image b, const char *activation)
{
    if (form != FORM_QLINEAR) {
        a.name = add_activation(add_binary("Add", a.name, b.name), activation);
        a.name = add_settled(a.name, activation);
    } else {
        a.name = add_node(
            "QLinearAdd",
            (const char *const[]){a.name, add_scale(scale_of(a.positive)), add_zero(a.positive),
                                  b.name, add_scale(scale_of(b.positive)), add_zero(b.positive),
                                  add_scale(scale_of(activation)), add_zero(activation), NULL});
        graph->node[graph->n_node - 1]->domain = need(strdup("com.microsoft"));
    }
    a.positive = activation;
    return a;
}

static inline image add_maxima(image in, int64_t kernel, int64_t stride)
{
    return windowed(add_unary("MaxPool", in.name), in, (window){0, kernel, stride, 1, 0, 0});
}

/* The means of channels: [1, channels], in float32 whatever the form. */
static inline const char *add_means(image in)
{
    if (form == FORM_QLINEAR)
        in.name = add_dequantize(in.name, in.positive);
    in.name = add_settled(add_unary("GlobalAveragePool", in.name), true);
    return add_unary("Flatten", in.name);
}

/* An LSTM or GRU of [rows, 1, width]: [rows, 1 or 2 directions, 1, hidden]. */
static inline const char *add_recurrent(const char *cell, const char *in, int64_t width,
                                        int64_t hidden, bool both)
{
    const bool lstm = strcmp(cell, "LSTM") == 0;
    const int64_t directions = both ? 2 : 1, gates = (lstm ? 4 : 3) * hidden;
    const double scale = 1 / sqrt((double)hidden);
    const int64_t shape[3][3] = {
        {directions, gates, width}, {directions, gates, hidden}, {directions, 2 * gates, 1}};
    const char *weight[3];

    for (int i = 0; i < 3; i++) {
        const int64_t count = shape[i][0] * shape[i][1] * shape[i][2];
        float *data = need(calloc((size_t)count, sizeof *data));

        for (int64_t j = 0; j < count; j++)
            data[j] = (float)(scale * (2 * draw(&state) - 1));
        weight[i] =
            add_stored(OPEVO_NETWORK_FLOAT32, i < 2 ? 3 : 2, shape[i], data, 4 * (size_t)count);
        free(data);
    }
    in = add_node(cell, (const char *const[]){in, weight[0], weight[1], weight[2], NULL});
    add_int("hidden_size", hidden);
    if (both)
        add_string("direction", "bidirectional");
    if (!lstm)
        add_int("linear_before_reset", 1);
    return in;
}

/* [1, channels] to [1, classes]. */
static inline const char *add_scores(const char *in, int64_t channels, int64_t classes)
{
    const char *weight = NULL, *bias = NULL;

    if (form == FORM_FLOAT) {
        weight = add_weight(2, (int64_t[]){classes, channels});
        bias = add_weight(1, &classes);
    } else {
        weights made = add_weights(2, (int64_t[]){classes, channels}, SCALE_POSITIVE);

        if (form == FORM_QLINEAR)
            in = add_dequantize(add_quantize(in, true), true);
        weight = add_node("DequantizeLinear",
                          (const char *const[]){made.data, made.scale, made.zero, NULL});
        add_int("axis", 0);
        bias = add_node("DequantizeLinear",
                        (const char *const[]){made.bias, made.bias_scale, made.bias_zero, NULL});
        add_int("axis", 0);
    }
    in = add_node("Gemm", (const char *const[]){in, weight, bias, NULL});
    add_int("transB", 1);
    return in;
}

#endif
