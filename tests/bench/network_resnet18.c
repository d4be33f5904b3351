/* SPDX-License-Identifier: GPL-3.0-or-later */

/* ResNet-18 with random weights, from its layers:
 *
 *     network_resnet18 SEED OUT.onnx
 *
 * Source: He, Zhang, Ren, Sun, "Deep residual learning for image recognition", CVPR 2016, table 1
 * and figure 5; strides are in the first convolution of a block, and shortcuts of another shape are
 * convolutions of 1 x 1 (option B there). Each convolution is followed by a batch normalisation and
 * has no bias. An image of 3 x 224 x 224 gives 1000 scores. Of opset 11. */

#include "network_random.h"

enum { NODES = 100, WEIGHTS = 200, OPSET = 11, CLASSES = 1000 };

static uint64_t state;
static Onnx__Graph *graph;

/* ---- Nodes and weights: each result has a name of its own ---- */

static char *new_name(const char *prefix, size_t number)
{
    char *name = NULL;

    if (asprintf(&name, "%s%zu", prefix, number) < 0)
        stop("No memory.");
    return name;
}

static Onnx__Attribute *add_attribute(const char *name)
{
    Onnx__Node *node = graph->node[graph->n_node - 1];
    Onnx__Attribute *attribute = need(calloc(1, sizeof *attribute));

    onnx__attribute__init(attribute);
    attribute->name = need(strdup(name));
    attribute->has_type = 1;
    node->attribute = need(realloc(node->attribute, (node->n_attribute + 1) * sizeof attribute));
    node->attribute[node->n_attribute++] = attribute;
    return attribute;
}

/* Of the last node. */
static void add_int(const char *name, int64_t value)
{
    Onnx__Attribute *attribute = add_attribute(name);

    attribute->type = 2; /* INT */
    attribute->has_i = 1;
    attribute->i = value;
}

/* `count` times the same. */
static void add_ints(const char *name, size_t count, int64_t value)
{
    Onnx__Attribute *attribute = add_attribute(name);

    attribute->type = 7; /* INTS */
    attribute->ints = need(calloc(count, sizeof *attribute->ints));
    attribute->n_ints = count;
    for (size_t i = 0; i < count; i++)
        attribute->ints[i] = value;
}

static const char *add_weight(size_t rank, const int64_t *extent)
{
    char *name = new_name("weight", graph->n_initializer);
    Onnx__Tensor *tensor = random_tensor(name, rank, extent, &state);

    free(name);
    graph->initializer[graph->n_initializer++] = tensor;
    return tensor->name;
}

/* The name of its result. Inputs end with NULL. */
static const char *add_node(const char *operation, const char *const *in)
{
    Onnx__Node *node = need(calloc(1, sizeof *node));

    onnx__node__init(node);
    node->op_type = need(strdup(operation));
    while (in[node->n_input])
        node->n_input++;
    node->input = need(calloc(node->n_input, sizeof *node->input));
    for (size_t i = 0; i < node->n_input; i++)
        node->input[i] = need(strdup(in[i]));
    node->output = need(calloc(1, sizeof *node->output));
    node->output[0] = new_name("value", graph->n_node);
    node->n_output = 1;
    graph->node[graph->n_node++] = node;
    return node->output[0];
}

static const char *add_unary(const char *operation, const char *in)
{
    return add_node(operation, (const char *const[]){in, NULL});
}

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

/* ---- The model ---- */

static Onnx__ValueInfo *make_value(const char *name, size_t rank, const int64_t *extent)
{
    Onnx__ValueInfo *value = need(calloc(1, sizeof *value));
    Onnx__TensorType *tensor = need(calloc(1, sizeof *tensor));

    onnx__value_info__init(value);
    onnx__tensor_type__init(tensor);
    value->name = need(strdup(name));
    value->type = need(calloc(1, sizeof *value->type));
    onnx__type__init(value->type);
    value->type->tensor_type = tensor;
    tensor->has_elem_type = 1;
    tensor->elem_type = OPEVO_NETWORK_FLOAT32;
    tensor->shape = need(calloc(1, sizeof *tensor->shape));
    onnx__shape__init(tensor->shape);
    tensor->shape->dim = need(calloc(rank, sizeof *tensor->shape->dim));
    tensor->shape->n_dim = rank;
    for (size_t d = 0; d < rank; d++) {
        Onnx__Dimension *dimension = need(calloc(1, sizeof *dimension));

        onnx__dimension__init(dimension);
        dimension->has_dim_value = 1;
        dimension->dim_value = extent[d];
        tensor->shape->dim[d] = dimension;
    }
    return value;
}

static Onnx__Model *make_model(void)
{
    Onnx__Model *model = need(calloc(1, sizeof *model));
    Onnx__OperatorSet *opset = need(calloc(1, sizeof *opset));

    onnx__model__init(model);
    onnx__operator_set__init(opset);
    opset->domain = need(strdup(""));
    opset->has_version = 1;
    opset->version = OPSET;
    model->opset_import = need(calloc(1, sizeof *model->opset_import));
    model->opset_import[0] = opset;
    model->n_opset_import = 1;
    model->graph = graph = need(calloc(1, sizeof *graph));
    onnx__graph__init(graph);
    graph->name = need(strdup("resnet18"));
    graph->node = need(calloc(NODES, sizeof *graph->node));
    graph->initializer = need(calloc(WEIGHTS, sizeof *graph->initializer));
    graph->input = need(calloc(1, sizeof *graph->input));
    graph->output = need(calloc(1, sizeof *graph->output));
    graph->input[graph->n_input++] = make_value("image", 4, (int64_t[]){1, 3, 224, 224});
    graph->output[graph->n_output++] = make_value(add_layers("image"), 2, (int64_t[]){1, CLASSES});
    return model;
}

int main(int count, char **argument)
{
    if (count != 3)
        stop("Give SEED OUT.onnx.");
    state = strtoull(argument[1], NULL, 10);
    write_model(make_model(), argument[2]);
    return 0;
}
