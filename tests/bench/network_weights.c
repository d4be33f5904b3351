/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model whose weights are nodes ConstantOfShape, with random weights in their place:
 *
 *     network_weights MODEL.onnx SEED OUT.onnx
 *
 * Weights of several dimensions are uniform with mean 0 and a variance of one over the elements that
 * a sum takes, so that the scale of elements stays; those of one dimension, among them scales,
 * variances and biases, are uniform from 0.5 to 1.5. */

#include "network_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static void stop(const char *sentence)
{
    fprintf(stderr, "network_weights: %s\n", sentence);
    exit(1);
}

static void *need(void *memory)
{
    if (!memory)
        stop("No memory.");
    return memory;
}

/* Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (SplitMix64). */
static double draw(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static const Onnx__Tensor *find(const Onnx__Graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->n_initializer; i++) {
        if (strcmp(graph->initializer[i]->name, name) == 0)
            return graph->initializer[i];
    }
    stop("The shape of a weight is not stored.");
    return NULL;
}

static Onnx__Tensor *make_tensor(const opevo_array *shape, const char *name)
{
    Onnx__Tensor *tensor = need(calloc(1, sizeof *tensor));
    const int64_t *extent = shape->data;
    int64_t rank = opevo_array_elements(shape), count = 1;
    float *data = NULL;
    double scale = 0;

    onnx__tensor__init(tensor);
    tensor->name = need(strdup(name));
    tensor->has_data_type = tensor->has_raw_data = 1;
    tensor->data_type = OPEVO_NETWORK_FLOAT32;
    tensor->n_dims = (size_t)rank;
    tensor->dims = need(calloc((size_t)rank + 1, sizeof *tensor->dims));
    for (int64_t d = 0; d < rank; d++)
        count *= tensor->dims[d] = extent[d];
    data = need(calloc((size_t)count + 1, sizeof *data));
    scale = rank > 1 ? sqrt(3. * (double)extent[0] / (double)count) : 0.5;
    for (int64_t i = 0; i < count; i++)
        data[i] = (float)(scale * (2 * draw() - 1) + (rank < 2));
    tensor->raw_data.len = (size_t)count * sizeof *data;
    tensor->raw_data.data = (uint8_t *)data;
    return tensor;
}

/* The result of a node as a stored tensor. */
static Onnx__Tensor *weight_of(const Onnx__Graph *graph, const Onnx__Node *node)
{
    opevo_array shape = {0};
    opevo_error err = {OPEVO_OK, ""};
    Onnx__Tensor *tensor = NULL;

    if (opevo_i_array_of(find(graph, node->input[0]), "The shape", NULL, &shape, &err) != OPEVO_OK ||
        shape.type != OPEVO_NETWORK_INT64)
        stop("The shape of a weight is not of int64.");
    tensor = make_tensor(&shape, node->output[0]);
    opevo_array_free(&shape);
    return tensor;
}

static void replace_weights(Onnx__Graph *graph)
{
    size_t kept = 0;

    graph->initializer = need(realloc(
        graph->initializer, (graph->n_initializer + graph->n_node + 1) * sizeof(Onnx__Tensor *)));
    for (size_t i = 0; i < graph->n_node; i++) {
        Onnx__Node *node = graph->node[i];

        if (!node->op_type || strcmp(node->op_type, "ConstantOfShape") != 0 || node->n_input != 1 ||
            node->n_output != 1) {
            graph->node[kept++] = node;
            continue;
        }
        graph->initializer[graph->n_initializer++] = weight_of(graph, node);
        onnx__node__free_unpacked(node, NULL);
    }
    graph->n_node = kept;
}

int main(int count, char **argument)
{
    opevo_error err = {OPEVO_OK, ""};
    Onnx__Model *model = NULL;
    uint8_t *packed = NULL;
    char *bytes = NULL;
    size_t size = 0;

    if (count != 4)
        stop("Give MODEL.onnx SEED OUT.onnx.");
    state = strtoull(argument[2], NULL, 10);
    if (opevo_file_read(argument[1], OPEVO_NETWORK_FILE, &bytes, &size, &err) != OPEVO_OK)
        stop(err.message);
    model = onnx__model__unpack(NULL, size, (const uint8_t *)bytes);
    opevo_free(bytes);
    if (!model || !model->graph)
        stop("It is not an ONNX model.");
    replace_weights(model->graph);
    model->has_ir_version = 1;
    model->ir_version = 4; /* from which on stored tensors need not be inputs as well */
    size = onnx__model__get_packed_size(model);
    packed = need(malloc(size + 1));
    onnx__model__pack(model, packed);
    onnx__model__free_unpacked(model, NULL);
    if (opevo_file_write(argument[3], (const char *)packed, size, &err) != OPEVO_OK)
        stop(err.message);
    free(packed);
    return 0;
}
