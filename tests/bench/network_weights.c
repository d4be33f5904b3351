/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model whose weights are nodes ConstantOfShape, with random weights in their place:
 *
 *     network_weights MODEL.onnx SEED OUT.onnx */

#include "network_random.h"

#include <opevo/memory.h>

static uint64_t state;

static const Onnx__Tensor *find(const Onnx__Graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->n_initializer; i++) {
        if (strcmp(graph->initializer[i]->name, name) == 0)
            return graph->initializer[i];
    }
    stop("The shape of a weight is not stored.");
    return NULL;
}

/* The result of a node as a stored tensor. */
static Onnx__Tensor *weight_of(const Onnx__Graph *graph, const Onnx__Node *node)
{
    opevo_array shape = {0};
    opevo_error err = {OPEVO_OK, ""};
    Onnx__Tensor *tensor = NULL;

    if (opevo_i_net_array_of(find(graph, node->input[0]), "The shape", NULL, &shape, &err) !=
            OPEVO_OK ||
        shape.type != OPEVO_NETWORK_INT64)
        stop("The shape of a weight is not of int64.");
    tensor =
        random_tensor(node->output[0], (size_t)opevo_array_elements(&shape), shape.data, &state);
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
    write_model(model, argument[3]);
    return 0;
}
