/* SPDX-License-Identifier: GPL-3.0-or-later */

/* ResNet-18 with random weights, from its layers:
 *
 *     network_resnet18 SEED OUT.onnx
 *
 * Source: He, Zhang, Ren, Sun, "Deep residual learning for image recognition", CVPR 2016, table 1
 * and figure 5; strides are in the first convolution of a block, and shortcuts of another shape are
 * convolutions of 1 x 1 (option B there). Each convolution is followed by a batch normalisation and
 * has no bias. An image of 3 x 224 x 224 gives 1000 scores. Of opset 11. */

#include "network_nodes.h"

enum { OPSET = 11, CLASSES = 1000 };

/* ---- Layers ---- */

/* A convolution of kernel x kernel, padded so that only the stride makes images smaller, with its
 * batch normalisation. */
static const char *add_convolution(const char *in, int64_t channels, int64_t filters,
                                   int64_t kernel, int64_t stride)
{
    const char *weight = add_weight(4, (int64_t[]){filters, channels, kernel, kernel});
    const char *normal[6] = {add_node("Conv", (const char *const[]){in, weight, NULL})};

    add_ints("kernel_shape", 2, kernel);
    add_ints("strides", 2, stride);
    add_ints("pads", 4, kernel / 2);
    for (int i = 1; i < 5; i++) /* scale, bias, mean, variance */
        normal[i] = add_weight(1, &filters);
    return add_node("BatchNormalization", normal);
}

/* Relu(convolutions + shortcut). */
static const char *add_block(const char *in, int64_t channels, int64_t filters, int64_t stride)
{
    const char *inner = add_unary("Relu", add_convolution(in, channels, filters, 3, stride));
    const char *sum[3] = {add_convolution(inner, filters, filters, 3, 1), in};

    if (channels != filters)
        sum[1] = add_convolution(in, channels, filters, 1, stride);
    return add_unary("Relu", add_node("Add", sum));
}

static const char *add_layers(const char *image)
{
    const char *x = add_unary("Relu", add_convolution(image, 3, 64, 7, 2));
    const char *weight = NULL, *bias = NULL;
    int64_t channels = 64;

    x = add_unary("MaxPool", x);
    add_ints("kernel_shape", 2, 3);
    add_ints("strides", 2, 2);
    add_ints("pads", 4, 1);
    for (int stage = 0; stage < 4; stage++) {
        int64_t filters = 64 << stage;

        x = add_block(x, channels, filters, stage ? 2 : 1);
        x = add_block(x, filters, filters, 1);
        channels = filters;
    }
    x = add_unary("Flatten", add_unary("GlobalAveragePool", x));
    weight = add_weight(2, (int64_t[]){CLASSES, channels});
    bias = add_weight(1, (int64_t[]){CLASSES});
    x = add_node("Gemm", (const char *const[]){x, weight, bias, NULL});
    add_int("transB", 1);
    return x;
}

int main(int count, char **argument)
{
    Onnx__Model *model = NULL;

    if (count != 3)
        stop("Give SEED OUT.onnx.");
    state = strtoull(argument[1], NULL, 10);
    model = make_model("resnet18", OPSET);
    add_input("image", OPEVO_NETWORK_FLOAT32, 4, (int64_t[]){1, 3, 224, 224});
    add_output(add_layers("image"), 2, (int64_t[]){1, CLASSES});
    write_model(model, argument[2]);
    return 0;
}
