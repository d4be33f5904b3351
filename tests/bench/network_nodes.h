/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Graphs of nodes with random weights, for the programs that make models. Each result has a name of
 * its own; lists of names end with NULL. */

#ifndef OPEVO_TESTS_NETWORK_NODES_H
#define OPEVO_TESTS_NETWORK_NODES_H

#include "network_random.h"

enum { OF_FLOAT = 1, OF_INT = 2, OF_STRING = 3, OF_INTS = 7 }; /* kinds of attributes */

static uint64_t state;
static Onnx__Graph *graph;

static inline char *new_name(const char *prefix, size_t number)
{
    char *name = NULL;

    if (asprintf(&name, "%s%zu", prefix, number) < 0)
        stop("No memory.");
    return name;
}

/* Of the last node. */
static inline Onnx__Attribute *add_attribute(const char *name, int kind)
{
    Onnx__Node *node = graph->node[graph->n_node - 1];
    Onnx__Attribute *attribute = need(calloc(1, sizeof *attribute));

    onnx__attribute__init(attribute);
    attribute->name = need(strdup(name));
    attribute->has_type = 1;
    attribute->type = kind;
    node->attribute = need(realloc(node->attribute, (node->n_attribute + 1) * sizeof attribute));
    node->attribute[node->n_attribute++] = attribute;
    return attribute;
}

static inline void add_int(const char *name, int64_t value)
{
    Onnx__Attribute *attribute = add_attribute(name, OF_INT);

    attribute->has_i = 1;
    attribute->i = value;
}

static inline void add_string(const char *name, const char *value)
{
    Onnx__Attribute *attribute = add_attribute(name, OF_STRING);

    attribute->has_s = 1;
    attribute->s.len = strlen(value);
    attribute->s.data = need((uint8_t *)strdup(value));
}

static inline void add_list(const char *name, size_t count, const int64_t *values)
{
    Onnx__Attribute *attribute = add_attribute(name, OF_INTS);

    attribute->ints = need(calloc(count, sizeof *attribute->ints));
    attribute->n_ints = count;
    memcpy(attribute->ints, values, count * sizeof *values);
}

/* `count` times the same. */
static inline void add_ints(const char *name, size_t count, int64_t value)
{
    int64_t values[8];

    for (size_t i = 0; i < count; i++)
        values[i] = value;
    add_list(name, count, values);
}

static inline const char *keep_tensor(Onnx__Tensor *tensor)
{
    size_t count = graph->n_initializer + 1;

    graph->initializer = need(realloc(graph->initializer, count * sizeof tensor));
    graph->initializer[graph->n_initializer++] = tensor;
    return tensor->name;
}

static inline const char *add_weight(size_t rank, const int64_t *extent)
{
    char *name = new_name("weight", graph->n_initializer);
    Onnx__Tensor *tensor = random_tensor(name, rank, extent, &state);

    free(name);
    return keep_tensor(tensor);
}

/* Stored elements of a type of ONNX; the list of extents may be empty, for one element. */
static inline const char *add_stored(int type, size_t rank, const int64_t *extent, const void *data,
                                     size_t bytes)
{
    Onnx__Tensor *tensor = need(calloc(1, sizeof *tensor));

    onnx__tensor__init(tensor);
    tensor->name = new_name("constant", graph->n_initializer);
    tensor->has_data_type = tensor->has_raw_data = 1;
    tensor->data_type = type;
    tensor->n_dims = rank;
    tensor->dims = need(calloc(rank + 1, sizeof *tensor->dims));
    memcpy(tensor->dims, extent, rank * sizeof *extent);
    tensor->raw_data.len = bytes;
    tensor->raw_data.data = need(malloc(bytes + 1));
    memcpy(tensor->raw_data.data, data, bytes);
    return keep_tensor(tensor);
}

static inline const char *add_number(double value)
{
    float number = (float)value;

    return add_stored(OPEVO_NETWORK_FLOAT32, 0, (int64_t[]){0}, &number, sizeof number);
}

static inline const char *add_wholes(size_t count, const int64_t *values)
{
    return add_stored(OPEVO_NETWORK_INT64, 1, (int64_t[]){(int64_t)count}, values,
                      count * sizeof *values);
}

/* The name of its result. */
static inline const char *add_node(const char *operation, const char *const *in)
{
    Onnx__Node *node = need(calloc(1, sizeof *node));

    onnx__node__init(node);
    node->op_type = need(strdup(operation));
    while (in[node->n_input])
        node->n_input++;
    node->input = need(calloc(node->n_input + 1, sizeof *node->input));
    for (size_t i = 0; i < node->n_input; i++)
        node->input[i] = need(strdup(in[i]));
    node->output = need(calloc(1, sizeof *node->output));
    node->output[0] = new_name("value", graph->n_node);
    node->n_output = 1;
    graph->node = need(realloc(graph->node, (graph->n_node + 1) * sizeof node));
    graph->node[graph->n_node++] = node;
    return node->output[0];
}

static inline const char *add_unary(const char *operation, const char *in)
{
    return add_node(operation, (const char *const[]){in, NULL});
}

static inline const char *add_binary(const char *operation, const char *a, const char *b)
{
    return add_node(operation, (const char *const[]){a, b, NULL});
}

static inline Onnx__ValueInfo *make_value(const char *name, int type, size_t rank,
                                          const int64_t *extent)
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
    tensor->elem_type = type;
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

static inline const char *add_input(const char *name, int type, size_t rank, const int64_t *extent)
{
    graph->input = need(realloc(graph->input, (graph->n_input + 1) * sizeof(Onnx__ValueInfo *)));
    graph->input[graph->n_input++] = make_value(name, type, rank, extent);
    return name;
}

/* Of float32. */
static inline void add_output(const char *name, size_t rank, const int64_t *extent)
{
    graph->output = need(realloc(graph->output, (graph->n_output + 1) * sizeof(Onnx__ValueInfo *)));
    graph->output[graph->n_output++] = make_value(name, OPEVO_NETWORK_FLOAT32, rank, extent);
}

static inline void add_domain(Onnx__Model *model, const char *domain, int64_t version)
{
    const size_t count = model->n_opset_import + 1;
    Onnx__OperatorSet *set = need(calloc(1, sizeof *set));

    onnx__operator_set__init(set);
    set->domain = need(strdup(domain));
    set->has_version = 1;
    set->version = version;
    model->opset_import = need(realloc(model->opset_import, count * sizeof set));
    model->opset_import[model->n_opset_import++] = set;
}

/* With an empty graph. */
static inline Onnx__Model *make_model(const char *name, int64_t opset)
{
    Onnx__Model *model = need(calloc(1, sizeof *model));

    onnx__model__init(model);
    add_domain(model, "", opset);
    model->graph = graph = need(calloc(1, sizeof *graph));
    onnx__graph__init(graph);
    graph->name = need(strdup(name));
    return model;
}

#endif
