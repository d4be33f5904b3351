/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Models in the format of ONNX, made for tests. */

#ifndef OPEVO_TESTS_NETWORK_MODELS_H
#define OPEVO_TESTS_NETWORK_MODELS_H

#include "check.h"
#include "draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "network_internal.h"

enum { MOST = 40 }; /* nodes, inputs, attributes */

static opevo_error failure;

/* A model that is being made; messages refer to what lies in it. */
typedef struct model {
    Onnx__Model super;
    Onnx__Graph graph;
    Onnx__OperatorSet opset, *opsets[1];
    Onnx__Node node[MOST], *nodes[MOST];
    char *node_input[MOST][MOST], *node_output[MOST][MOST];
    Onnx__Attribute attribute[MOST][MOST], *attributes[MOST][MOST];
    int64_t ints[MOST][MOST][8];
    Onnx__ValueInfo value[MOST], *inputs[MOST], output, *outputs[1];
    Onnx__Tensor weights[2 * MOST], *initializers[2 * MOST];
    Onnx__Type type[MOST], output_type;
    Onnx__TensorType tensor[MOST], output_tensor;
    Onnx__Shape shape[MOST];
    Onnx__Dimension dim[MOST][8], *dims[MOST][8];
} model;

static inline void model_start(model *self)
{
    *self = (model){.super = ONNX__MODEL__INIT, .graph = ONNX__GRAPH__INIT};
    self->opset = (Onnx__OperatorSet)ONNX__OPERATOR_SET__INIT;
    self->opset.has_version = 1;
    self->opset.version = 13;
    self->opsets[0] = &self->opset;
    self->super.graph = &self->graph;
    self->super.n_opset_import = 1;
    self->super.opset_import = self->opsets;
    self->graph.node = self->nodes;
    self->graph.input = self->inputs;
    self->graph.output = self->outputs;
    self->graph.initializer = self->initializers;
}

static inline void add_value(model *self, Onnx__ValueInfo *value, size_t i, const char *name)
{
    *value = (Onnx__ValueInfo)ONNX__VALUE_INFO__INIT;
    self->type[i] = (Onnx__Type)ONNX__TYPE__INIT;
    self->tensor[i] = (Onnx__TensorType)ONNX__TENSOR_TYPE__INIT;
    self->shape[i] = (Onnx__Shape)ONNX__SHAPE__INIT;
    self->tensor[i].has_elem_type = 1;
    self->tensor[i].elem_type = OPEVO_NETWORK_FLOAT32;
    self->tensor[i].shape = &self->shape[i];
    self->type[i].tensor_type = &self->tensor[i];
    value->name = (char *)name;
    value->type = &self->type[i];
}

/* An input; an extent of 0 is open. */
static inline void add_input(model *self, const char *name, int dims, const int64_t *extent)
{
    size_t i = self->graph.n_input++;

    add_value(self, &self->value[i], i, name);
    self->inputs[i] = &self->value[i];
    self->shape[i].n_dim = (size_t)dims;
    self->shape[i].dim = self->dims[i];
    for (int d = 0; d < dims; d++) {
        self->dim[i][d] = (Onnx__Dimension)ONNX__DIMENSION__INIT;
        self->dim[i][d].has_dim_value = extent[d] != 0;
        self->dim[i][d].dim_value = extent[d];
        self->dims[i][d] = &self->dim[i][d];
    }
}

/* NOLINTBEGIN(clang-analyzer-unix.Malloc): model_finish frees what a model holds */

/* Constants from `least` to `most`, by name. */
static inline void add_weights(model *self, const char *name, int dims, const int64_t *extent,
                               double least, double most, uint64_t *state)
{
    size_t i = self->graph.n_initializer++, count = 1;
    Onnx__Tensor *tensor = &self->weights[i];

    *tensor = (Onnx__Tensor)ONNX__TENSOR__INIT;
    self->initializers[i] = tensor;
    tensor->name = strdup(name);
    tensor->has_data_type = 1;
    tensor->data_type = OPEVO_NETWORK_FLOAT32;
    tensor->n_dims = (size_t)dims;
    tensor->dims = calloc((size_t)dims + 1, sizeof *tensor->dims);
    for (int d = 0; d < dims; d++)
        count *= (size_t)(tensor->dims[d] = extent[d]);
    tensor->n_float_data = count;
    tensor->float_data = calloc(count, sizeof *tensor->float_data);
    for (size_t k = 0; k < count; k++)
        tensor->float_data[k] = (float)(least + (most - least) * (double)draw(state, 1001) / 1000);
}

/* Constant whole numbers, such as the padding of a Pad. */
static inline void add_whole(model *self, const char *name, size_t count, const int64_t *values)
{
    size_t i = self->graph.n_initializer++;
    Onnx__Tensor *tensor = &self->weights[i];

    *tensor = (Onnx__Tensor)ONNX__TENSOR__INIT;
    self->initializers[i] = tensor;
    tensor->name = strdup(name);
    tensor->has_data_type = 1;
    tensor->data_type = OPEVO_NETWORK_INT64;
    tensor->n_dims = 1;
    tensor->dims = calloc(1, sizeof *tensor->dims);
    tensor->dims[0] = (int64_t)count;
    tensor->n_int64_data = count;
    tensor->int64_data = calloc(count + 1, sizeof *tensor->int64_data);
    memcpy(tensor->int64_data, values, count * sizeof *values);
}

/* The output, whose type and shape are left open. */
static inline void set_output(model *self, const char *name)
{
    add_value(self, &self->output, MOST - 1, name);
    self->output.type->tensor_type->has_elem_type = 0;
    self->output.type->tensor_type->elem_type = 0;
    self->output.type->tensor_type->shape = NULL;
    self->outputs[0] = &self->output;
    self->graph.n_output = 1;
}

static inline size_t take_names(const char *names, char **out)
{
    char *list = strdup(names), *rest = NULL;
    size_t count = 0;

    for (char *name = strtok_r(list, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        out[count++] = strdup(strcmp(name, "_") ? name : "");
    free(list);
    return count;
}

/* A node; names have blanks between, and "_" is left out. Returns its number. */
static inline size_t add_node(model *self, const char *operation, const char *inputs,
                              const char *outputs)
{
    size_t i = self->graph.n_node++;

    self->node[i] = (Onnx__Node)ONNX__NODE__INIT;
    self->node[i].op_type = (char *)operation;
    self->node[i].n_input = take_names(inputs, self->node_input[i]);
    self->node[i].n_output = take_names(outputs, self->node_output[i]);
    self->node[i].input = self->node_input[i];
    self->node[i].output = self->node_output[i];
    self->node[i].attribute = self->attributes[i];
    self->nodes[i] = &self->node[i];
    return i;
}

/* NOLINTEND(clang-analyzer-unix.Malloc) */

static inline Onnx__Attribute *add_attribute(model *self, size_t node, const char *name)
{
    size_t i = self->node[node].n_attribute++;

    self->attribute[node][i] = (Onnx__Attribute)ONNX__ATTRIBUTE__INIT;
    self->attribute[node][i].name = (char *)name;
    self->attributes[node][i] = &self->attribute[node][i];
    return &self->attribute[node][i];
}

static inline void add_ints(model *self, size_t node, const char *name, size_t count,
                            const int64_t *from)
{
    size_t i = self->node[node].n_attribute;
    Onnx__Attribute *attribute = add_attribute(self, node, name);

    memcpy(self->ints[node][i], from, count * sizeof *from);
    attribute->n_ints = count;
    attribute->ints = self->ints[node][i];
}

static inline void add_int(model *self, size_t node, const char *name, int64_t value)
{
    Onnx__Attribute *attribute = add_attribute(self, node, name);

    attribute->has_i = 1;
    attribute->i = value;
}

static inline void add_float(model *self, size_t node, const char *name, float value)
{
    Onnx__Attribute *attribute = add_attribute(self, node, name);

    attribute->has_f = 1;
    attribute->f = value;
}

static inline void model_finish(model *self)
{
    for (size_t i = 0; i < self->graph.n_node; i++) {
        for (size_t k = 0; k < self->node[i].n_input; k++)
            free(self->node_input[i][k]);
        for (size_t k = 0; k < self->node[i].n_output; k++)
            free(self->node_output[i][k]);
    }
    for (size_t i = 0; i < self->graph.n_initializer; i++) {
        free(self->weights[i].name);
        free(self->weights[i].dims);
        free(self->weights[i].float_data);
        free(self->weights[i].int64_data);
    }
}

static inline const char *write_bytes(const void *bytes, size_t size)
{
    static char path[] = "network.XXXXXX";
    static bool made;
    FILE *file = NULL;

    if (!made)
        close(mkstemp(path));
    made = true;
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

/* The file of models, at the end. */
static inline int remove_model(void **state)
{
    return unlink(write_bytes("", 0));
}

/* The bytes of the model's file; the caller frees them. */
static inline uint8_t *model_pack(const model *self, size_t *size)
{
    uint8_t *bytes = NULL;

    *size = onnx__model__get_packed_size(&self->super);
    bytes = malloc(*size + 1);
    onnx__model__pack(&self->super, bytes);
    return bytes;
}

/* Write the model, and finish with it; its file. */
static inline const char *model_write(model *self)
{
    size_t size = 0;
    uint8_t *bytes = model_pack(self, &size);
    const char *path = write_bytes(bytes, size);

    free(bytes);
    model_finish(self);
    return path;
}

/* Write the model and read it. */
static inline opevo_status model_read(model *self, const opevo_network_given *given,
                                      opevo_network **out)
{
    size_t size = 0;
    uint8_t *bytes = model_pack(self, &size);
    opevo_status status = opevo_network_read(write_bytes(bytes, size), given, out, &failure);

    free(bytes);
    return status;
}

static inline opevo_array make_array(int dims, const int64_t *extent, uint64_t *state)
{
    opevo_array array = {.type = OPEVO_NETWORK_FLOAT32, .dims = dims};

    memcpy(array.extent, extent, (size_t)dims * sizeof *extent);
    CHECK_OK(opevo_array_allocate(&array, &err));
    for (int64_t i = 0; i < opevo_array_elements(&array); i++)
        ((float *)array.data)[i] = (float)draw(state, 2001) / 1000 - 1;
    return array;
}

/* Run a model with one float input; the caller frees the result. */
static inline opevo_array run_model(model *made, const opevo_array *x)
{
    opevo_network *network = NULL;
    opevo_array y = {0};

    if (model_read(made, NULL, &network) != OPEVO_OK)
        fail_msg("%s", failure.message);
    CHECK_OK(opevo_network_run(network, x, &y, 1, &err));
    opevo_network_destroy(network);
    model_finish(made);
    return y;
}

static inline float element(const opevo_array *array, int64_t i)
{
    return ((const float *)array->data)[i];
}

#endif
