/* SPDX-License-Identifier: GPL-3.0-or-later */

/* ONNX Runtime, opened where OPEVO_ONNXRUNTIME names its library (that of the npm package
 * onnxruntime-node is whole). Each case is a model of one to three nodes with constant weights;
 * the model is written here, as the fields of onnx.proto3. Images are in the order NCHW: what it
 * reorders for itself is in its time. */

#include "library_case.h"
#include "onnxruntime.h"

#include <opevo/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The model: messages of Protocol Buffers ---- */

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

static void put_varint(opevo_text *out, uint64_t value)
{
    do {
        char byte = (char)((value & 127) | (value > 127 ? 128 : 0));

        opevo_text_add_bytes(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void put_number(opevo_text *out, unsigned field, int64_t value)
{
    put_varint(out, field << 3 | WIRE_NUMBER);
    put_varint(out, (uint64_t)value);
}

static void put_bytes(opevo_text *out, unsigned field, const void *data, size_t bytes)
{
    put_varint(out, field << 3 | WIRE_BYTES);
    put_varint(out, bytes);
    opevo_text_add_bytes(out, data, bytes);
}

static void put_string(opevo_text *out, unsigned field, const char *text)
{
    put_bytes(out, field, text, strlen(text));
}

/* A message inside another one; it is freed. */
static void put_message(opevo_text *out, unsigned field, opevo_text *message)
{
    put_bytes(out, field, message->data ? message->data : "", message->length);
    opevo_text_free(message);
}

enum { ATTRIBUTE_INT = 2, ATTRIBUTE_INTS = 7, FLOAT = 1 };

static void put_attribute(opevo_text *node, const char *name, const int64_t *values, int count)
{
    opevo_text message = {0};

    put_string(&message, 1, name);
    for (int i = 0; i < count; i++)
        put_number(&message, 8, values[i]);
    put_number(&message, 20, ATTRIBUTE_INTS);
    put_message(node, 5, &message);
}

static void put_attribute_number(opevo_text *node, const char *name, int64_t value)
{
    opevo_text message = {0};

    put_string(&message, 1, name);
    put_number(&message, 3, value);
    put_number(&message, 20, ATTRIBUTE_INT);
    put_message(node, 5, &message);
}

/* A node without attributes; inputs are single letters. */
static opevo_text begin_node(const char *type, const char *inputs, const char *output)
{
    opevo_text node = {0};

    for (; *inputs; inputs++)
        put_bytes(&node, 1, inputs, 1);
    put_string(&node, 2, output);
    put_string(&node, 4, type);
    return node;
}

static void put_constant(opevo_text *graph, const char *name, int dims, const int64_t *extent,
                         const float *data)
{
    opevo_text tensor = {0};
    int64_t count = 1;

    for (int i = 0; i < dims; i++) {
        put_number(&tensor, 1, extent[i]);
        count *= extent[i];
    }
    put_number(&tensor, 2, FLOAT);
    put_string(&tensor, 8, name);
    put_bytes(&tensor, 9, data, (size_t)count * sizeof *data);
    put_message(graph, 5, &tensor);
}

/* An input (field 11) or the output (12) of the graph. */
static void put_value(opevo_text *graph, unsigned field, const char *name, int dims,
                      const int64_t *extent)
{
    opevo_text shape = {0}, tensor = {0}, type = {0}, value = {0};

    for (int i = 0; i < dims; i++) {
        opevo_text dim = {0};

        put_number(&dim, 1, extent[i]);
        put_message(&shape, 1, &dim);
    }
    put_number(&tensor, 1, FLOAT);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_string(&value, 1, name);
    put_message(&value, 2, &type);
    put_message(graph, field, &value);
}

/* ---- The library ---- */

enum { MOST_DIMS = LIBRARY_SPATIAL + 2 };

typedef struct context {
    const onnxruntime *ort;
    void *session;
    void *value[3]; /* inputs, then the output */
    int inputs;
} context;

typedef struct shapes {
    int dims, out_dims;
    int64_t in[MOST_DIMS], second[MOST_DIMS], out[MOST_DIMS];
} shapes;

static void put_convolution(const library_case *c, const library_operands *x, opevo_text *graph,
                            shapes *shape)
{
    bool transposed = c->kind == LIBRARY_TRANSPOSED;
    int64_t strides[LIBRARY_SPATIAL], dilations[LIBRARY_SPATIAL], pads[2 * LIBRARY_SPATIAL];
    int64_t w[MOST_DIMS] = {c->out, c->in / c->groups};
    int64_t count = library_case_elements(c, 1), part = count / c->out / w[1];
    float *weights = malloc((size_t)count * sizeof *weights);
    opevo_text node = begin_node(transposed ? "ConvTranspose" : "Conv", c->relu ? "XWB" : "XW",
                                 c->relu ? "S" : "O");

    *shape = (shapes){.dims = c->spatial + 2, .out_dims = c->spatial + 2};
    shape->in[0] = shape->out[0] = c->images;
    shape->in[1] = c->in;
    shape->out[1] = c->out;
    for (int i = 0; i < c->spatial; i++) {
        shape->in[i + 2] = c->size[i];
        shape->out[i + 2] = c->out_size[i];
        w[i + 2] = c->kernel;
        strides[i] = c->stride;
        dilations[i] = c->dilation;
        pads[i] = pads[c->spatial + i] = c->pad;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t f = i / part / w[1], channel = i / part % w[1];
        int64_t at = transposed ? (channel * c->out + f) * part + i % part : i;

        weights[at] = x->weights[i] * (c->relu ? x->scale[f] : 1);
    }
    if (transposed) {
        w[0] = c->in;
        w[1] = c->out;
    }
    put_attribute(&node, "strides", strides, c->spatial);
    put_attribute(&node, "dilations", dilations, c->spatial);
    put_attribute(&node, "pads", pads, 2 * c->spatial);
    put_attribute_number(&node, "group", c->groups);
    put_message(graph, 1, &node);
    put_constant(graph, "W", shape->dims, w, weights);
    free(weights);
    if (!c->relu)
        return;
    put_constant(graph, "B", 1, &c->out, x->shift);
    node = begin_node("Relu", "S", "O");
    put_message(graph, 1, &node);
}

static void put_product(const library_case *c, const library_operands *x, opevo_text *graph,
                        shapes *shape)
{
    static const int64_t left[] = {0, 2, 1, 3}, right[] = {0, 2, 3, 1};
    opevo_text node = {0};

    if (c->kind == LIBRARY_TURNED) {
        *shape = (shapes){4,
                          4,
                          {c->batch, c->rows, c->in, c->depth},
                          {c->batch, c->columns, c->in, c->depth},
                          {c->batch, c->in, c->rows, c->columns}};
        node = begin_node("Transpose", "X", "Q");
        put_attribute(&node, "perm", left, 4);
        put_message(graph, 1, &node);
        node = begin_node("Transpose", "Y", "K");
        put_attribute(&node, "perm", right, 4);
        put_message(graph, 1, &node);
        node = begin_node("MatMul", "QK", "O");
    } else {
        *shape = (shapes){3,
                          3,
                          {c->batch, c->rows, c->depth},
                          {c->batch, c->depth, c->columns},
                          {c->batch, c->rows, c->columns}};
        put_constant(graph, "W", c->batch == 1 ? 2 : 3, shape->second + (c->batch == 1),
                     x->weights);
        node = begin_node("MatMul", "XW", "O");
    }
    put_message(graph, 1, &node);
}

static void put_norm(const library_case *c, opevo_text *graph, shapes *shape)
{
    static const int64_t axes[] = {1, 2};
    opevo_text node = begin_node("ReduceL2", "X", "O");

    *shape = (shapes){3, 1, {c->batch, c->rows, c->columns}, {0}, {c->batch}};
    put_attribute(&node, "axes", axes, 2);
    put_attribute_number(&node, "keepdims", 0);
    put_message(graph, 1, &node);
}

enum { IR_VERSION = 7, OPERATORS_VERSION = 13 };

static opevo_text make_model(const library_case *c, const library_operands *x, shapes *shape)
{
    opevo_text graph = {0}, set = {0}, model = {0};

    put_string(&graph, 2, "case");
    if (c->kind == LIBRARY_NORM)
        put_norm(c, &graph, shape);
    else if (c->kind == LIBRARY_PRODUCT || c->kind == LIBRARY_TURNED)
        put_product(c, x, &graph, shape);
    else
        put_convolution(c, x, &graph, shape);
    put_value(&graph, 11, "X", shape->dims, shape->in);
    if (c->kind == LIBRARY_TURNED)
        put_value(&graph, 11, "Y", shape->dims, shape->second);
    put_value(&graph, 12, "O", shape->out_dims, shape->out);
    put_number(&model, 1, IR_VERSION);
    put_message(&model, 7, &graph);
    put_number(&set, 2, OPERATORS_VERSION);
    put_message(&model, 8, &set);
    return model;
}

static bool add_tensor(context *self, void *memory, const float *data, int dims,
                       const int64_t *extent)
{
    int64_t count = 1;

    for (int i = 0; i < dims; i++)
        count *= extent[i];
    return onnxruntime_works(self->ort,
                             self->ort->create_tensor_with_data(
                                 memory, (void *)data, (size_t)count * sizeof(float), extent,
                                 (size_t)dims, FLOAT, &self->value[self->inputs++]));
}

static bool run(void *pointer)
{
    static const char *const in[] = {"X", "Y"}, *const out[] = {"O"};
    context *self = pointer;

    return onnxruntime_works(
        self->ort, self->ort->run(self->session, NULL, in, (const void *const *)self->value,
                                  (size_t)self->inputs, out, 1, &self->value[self->inputs]));
}

static bool fetch(void *pointer)
{
    return pointer != NULL;
}

static void destroy(void *pointer)
{
    free(pointer);
}

static void *prepare(const library_case *what, const library_operands *x, int threads)
{
    static void *env, *memory;
    const onnxruntime *ort = onnxruntime_open();
    context *self = ort ? calloc(1, sizeof *self) : NULL;
    void *options = NULL;
    opevo_text model = {0};
    shapes shape;

    if (!self)
        return NULL;
    self->ort = ort;
    model = make_model(what, x, &shape);
    if ((env || onnxruntime_works(ort, ort->create_env(3, "opevo", &env))) &&
        (memory || onnxruntime_works(ort, ort->create_cpu_memory_info(0, 0, &memory))) &&
        onnxruntime_works(ort, ort->create_session_options(&options)) &&
        onnxruntime_works(ort, ort->set_intra_op_threads(options, threads)) &&
        onnxruntime_works(ort, ort->create_session_from_array(env, model.data, model.length,
                                                              options, &self->session)) &&
        add_tensor(self, memory, x->input, shape.dims, shape.in) &&
        (what->kind != LIBRARY_TURNED ||
         add_tensor(self, memory, x->weights, shape.dims, shape.second)) &&
        add_tensor(self, memory, x->output, shape.out_dims, shape.out)) {
        self->inputs--;
        opevo_text_free(&model);
        return self;
    }
    opevo_text_free(&model);
    free(self);
    return NULL;
}

const library_contender library_onnx = {"ONNX Runtime", prepare, run, fetch, destroy};
