/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading a model: the values and nodes of its graph, their order, and the shape of everything. */

#include "network_internal.h"

#include <stdio.h>

#include <opevo/file.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

/* Elements of the largest constant that is computed while reading: those that shapes are made of. */
enum { FOLDED_MOST = 65536 };

/* While reading: values by name. */
typedef struct reader {
    opevo_network *network;
    int *sorted; /* numbers of the first `known` values, by name */
    int known;
    opevo_network_given given;
} reader;

#define SAY(reader, err, ...) say((reader)->network->path, OPEVO_INVALID, err, __VA_ARGS__)

static opevo_status say(const char *path, opevo_status status, opevo_error *err, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));

static opevo_status say(const char *path, opevo_status status, opevo_error *err, const char *format,
                        ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return OPEVO_FAIL(err, status, "%s: %s", path, sentence);
}

/* ---- Values --------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b, void *values)
{
    const opevo_net_value *value = values;

    return strcmp(value[*(const int *)a].name, value[*(const int *)b].name);
}

/* Sort the values that there are by name, each of which must be the only one. */
static opevo_status sort_names(reader *self, opevo_error *err)
{
    const opevo_network *network = self->network;

    self->known = network->values;
    for (int i = 0; i < network->values; i++)
        self->sorted[i] = i;
    qsort_r(self->sorted, (size_t)network->values, sizeof *self->sorted, compare_names,
            network->value);
    for (int i = 1; i < network->values; i++) {
        if (compare_names(&self->sorted[i - 1], &self->sorted[i], network->value) == 0)
            return SAY(self, err, "Two tensors are named '%s'.",
                       network->value[self->sorted[i]].name);
    }
    return OPEVO_OK;
}

/* The number of a value that was there when names were sorted, -1 for an unknown name. */
static int find(const reader *self, const char *name)
{
    const opevo_network *network = self->network;
    int low = 0, high = self->known;

    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(name, network->value[self->sorted[middle]].name);

        if (order == 0)
            return self->sorted[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

static void add_value(opevo_network *network, const char *name, int producer)
{
    network->value[network->values++] = (opevo_net_value){.name = name, .producer = producer};
}

/* Inputs, stored tensors and results of nodes, each name once. */
static opevo_status collect(reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;
    size_t most = graph->n_input + graph->n_initializer;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < graph->n_node; i++)
        most += graph->node[i]->n_output;
    network->value = opevo_calloc(most + 1, sizeof *network->value);
    self->sorted = opevo_malloc(most + 1, sizeof *self->sorted);
    if (!network->value || !self->sorted)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the %zu values of %s.", most,
                          network->path);
    for (size_t i = 0; i < graph->n_initializer; i++)
        add_value(network, graph->initializer[i]->name ? graph->initializer[i]->name : "", -1);
    status = sort_names(self, err);
    for (size_t i = 0; i < graph->n_input && status == OPEVO_OK; i++) {
        const char *name = graph->input[i]->name;

        if (!name || !*name)
            return SAY(self, err, "Input %zu has no name.", i);
        if (find(self, name) < 0) /* a stored tensor may be listed as an input as well */
            add_value(network, name, -1);
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        for (size_t k = 0; k < graph->node[i]->n_output; k++)
            if (*graph->node[i]->output[k])
                add_value(network, graph->node[i]->output[k], (int)i);
    }
    return status == OPEVO_OK ? sort_names(self, err) : status;
}

static opevo_status take_initializers(reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;

    for (size_t i = 0; i < graph->n_initializer; i++) {
        opevo_net_value *value = &network->value[i];
        opevo_text what = {0};
        opevo_status status = OPEVO_OK;

        opevo_text_printf(&what, "%s: the stored tensor '%s'", network->path, value->name);
        status = opevo_text_check(&what, err);
        if (status == OPEVO_OK)
            status = opevo_i_array_of(graph->initializer[i], opevo_text_string(&what),
                                      &value->array, err);
        opevo_text_free(&what);
        if (status != OPEVO_OK)
            return status;
        value->constant = true;
    }
    return OPEVO_OK;
}

/* ---- Inputs and outputs --------------------------------------------------------------------- */

static const opevo_network_shape *given_shape(const reader *self, const char *name)
{
    for (size_t i = 0; i < self->given.shape_count; i++) {
        if (strcmp(self->given.shapes[i].name, name) == 0)
            return &self->given.shapes[i];
    }
    return NULL;
}

static opevo_status take_input_shape(const reader *self, const Onnx__ValueInfo *info,
                                     opevo_net_value *value, opevo_error *err)
{
    const Onnx__TensorType *type = info->type ? info->type->tensor_type : NULL;
    const opevo_network_shape *given = given_shape(self, value->name);
    opevo_array *array = &value->array;

    if (!type || !opevo_network_type_bytes((opevo_network_type)type->elem_type))
        return SAY(self, err, "Input '%s' is not a tensor of a type that opevo reads.",
                   value->name);
    array->type = (opevo_network_type)type->elem_type;
    if (!given && !type->shape)
        return SAY(self, err, "Input '%s' has no shape; give it with --shape %s=N,....",
                   value->name, value->name);
    if (given && type->shape && (size_t)given->dims != type->shape->n_dim)
        return SAY(self, err, "Input '%s' has %zu dimensions; --shape gives %d.", value->name,
                   type->shape->n_dim, given->dims);
    if (!given && type->shape->n_dim > OPEVO_NETWORK_DIMS)
        return SAY(self, err, "Input '%s' has %zu dimensions; opevo takes up to %d.", value->name,
                   type->shape->n_dim, OPEVO_NETWORK_DIMS);
    array->dims = given ? given->dims : (int)type->shape->n_dim;
    for (int d = 0; d < array->dims; d++) {
        const Onnx__Dimension *dim = type->shape ? type->shape->dim[d] : NULL;
        bool known = dim && dim->has_dim_value && dim->dim_value > 0;

        if (given && known && given->extent[d] != dim->dim_value)
            return SAY(self, err, "Dimension %d of input '%s' is %lld; --shape gives %lld.", d,
                       value->name, (long long)dim->dim_value, (long long)given->extent[d]);
        if (!given && !known)
            return SAY(self, err,
                       "Dimension %d%s%s of input '%s' is open; give its shape with --shape "
                       "%s=N,....",
                       d, dim && dim->dim_param ? " " : "",
                       dim && dim->dim_param ? dim->dim_param : "", value->name, value->name);
        array->extent[d] = given ? given->extent[d] : dim->dim_value;
        if (array->extent[d] > OPEVO_COMPUTATION_EXTENT)
            return SAY(self, err, "Dimension %d of input '%s' is %lld, which is too large.", d,
                       value->name, (long long)array->extent[d]);
    }
    return OPEVO_OK;
}

/* Type and shape are those of the array, and so is the value of whole numbers and of one number. */
static opevo_status take_input_value(const reader *self, const Onnx__ValueInfo *info,
                                     const opevo_array *array, opevo_net_value *value,
                                     opevo_error *err)
{
    const Onnx__TensorType *type = info->type ? info->type->tensor_type : NULL;
    opevo_status status = OPEVO_OK;

    if (type && type->elem_type != (int32_t)array->type)
        return SAY(self, err, "Input '%s' is of ONNX type %d; the tensor given is of %s.",
                   value->name, type->elem_type, opevo_network_type_name(array->type));
    value->array = *array;
    value->array.data = NULL;
    if (!opevo_i_type_is_whole(array->type) && opevo_array_elements(array) != 1)
        return OPEVO_OK;
    status = opevo_array_allocate(&value->array, err);
    if (status != OPEVO_OK)
        return status;
    memcpy(value->array.data, array->data,
           (size_t)opevo_array_elements(array) * opevo_network_type_bytes(array->type));
    value->constant = true;
    return OPEVO_OK;
}

static opevo_status take_inputs(reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;
    opevo_status status = OPEVO_OK;

    network->input = opevo_malloc(graph->n_input + 1, sizeof *network->input);
    if (!network->input)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the inputs of %s.", network->path);
    for (size_t i = 0; i < graph->n_input && status == OPEVO_OK; i++) {
        int number = find(self, graph->input[i]->name);

        if (network->value[number].constant)
            continue;
        network->input[network->inputs++] = number;
        network->value[number].input = true;
        if ((size_t)network->inputs <= self->given.value_count)
            status =
                take_input_value(self, graph->input[i], &self->given.values[network->inputs - 1],
                                 &network->value[number], err);
        else
            status = take_input_shape(self, graph->input[i], &network->value[number], err);
    }
    if (status == OPEVO_OK && self->given.value_count &&
        self->given.value_count != (size_t)network->inputs)
        status = SAY(self, err, "The model has %d inputs; values are given for %zu.",
                     network->inputs, self->given.value_count);
    for (size_t s = 0; s < self->given.shape_count && status == OPEVO_OK; s++) {
        int number = find(self, self->given.shapes[s].name);

        if (number < 0 || !network->value[number].input)
            status = SAY(self, err, "--shape names '%s', which is not an input.",
                         self->given.shapes[s].name);
    }
    return status;
}

static opevo_status take_outputs(reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;

    network->output = opevo_malloc(graph->n_output + 1, sizeof *network->output);
    if (!network->output)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the outputs of %s.", network->path);
    for (size_t i = 0; i < graph->n_output; i++) {
        const char *name = graph->output[i]->name ? graph->output[i]->name : "";
        int number = find(self, name);

        if (number < 0)
            return SAY(self, err, "Output '%s' is not computed by any node.", name);
        network->output[network->outputs++] = number;
        network->value[number].output = true;
    }
    return graph->n_output ? OPEVO_OK : SAY(self, err, "The model has no outputs.");
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static opevo_status say_node(const reader *self, int number, opevo_status kind,
                             const char *sentence, opevo_error *err)
{
    const Onnx__Node *source = self->network->node[number].source;

    return say(self->network->path, kind, err, "node %d (%s%s%s%s): %s", number,
               source->op_type ? source->op_type : "without an operator",
               source->name && *source->name ? " '" : "",
               source->name && *source->name ? source->name : "",
               source->name && *source->name ? "'" : "", sentence);
}

/* The row of the node's operator, and its edges. */
static opevo_status bind(const reader *self, int number, opevo_error *err)
{
    opevo_i_node *node = &self->network->node[number];
    const Onnx__Node *source = node->source;
    const opevo_i_operator *row = source->op_type ? opevo_i_operator_find(source->op_type) : NULL;

    if (!row || (source->domain && *source->domain && strcmp(source->domain, "ai.onnx") != 0))
        return say_node(self, number, OPEVO_INVALID,
                        "opevo does not know this operator; docs/formats/onnx.md lists those that "
                        "it does.",
                        err);
    if (self->network->opset < row->since)
        return say_node(self, number, OPEVO_INVALID,
                        "The operator had another meaning in this opset; convert the model to "
                        "opset 13.",
                        err);
    if (source->n_input < (size_t)row->inputs_least ||
        (row->inputs_most && source->n_input > (size_t)row->inputs_most) || source->n_output < 1 ||
        (row->outputs_most && source->n_output > (size_t)row->outputs_most))
        return say_node(self, number, OPEVO_INVALID,
                        "The number of its inputs or outputs is wrong.", err);
    node->row = row;
    node->edges = opevo_malloc(source->n_input + source->n_output, sizeof *node->edges);
    if (!node->edges)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the nodes of %s.", self->network->path);
    for (size_t i = 0; i < source->n_input; i++) {
        const char *name = source->input[i];

        node->edges[i] = *name ? find(self, name) : -1;
        if ((*name && node->edges[i] < 0) || (!*name && i < (size_t)row->inputs_least))
            return say_node(self, number, OPEVO_INVALID,
                            *name ? "An input is not made by any node." : "An input is missing.",
                            err);
    }
    for (size_t i = 0; i < source->n_output; i++)
        node->edges[source->n_input + i] = *source->output[i] ? find(self, source->output[i]) : -1;
    node->super = (opevo_net_node){.name = source->name ? source->name : "",
                                   .operation = source->op_type,
                                   .inputs = (int)source->n_input,
                                   .outputs = (int)source->n_output,
                                   .input = node->edges,
                                   .output = node->edges + source->n_input};
    return OPEVO_OK;
}

/* Depth first from each node in the order of the file, without recursion: a model may be as deep as
 * it is long. `place` receives the new order. */
static opevo_status sort_nodes(const reader *self, int *place, opevo_error *err)
{
    const opevo_network *network = self->network;
    int *stack = opevo_malloc((size_t)network->nodes + 1, sizeof *stack);
    int *next = opevo_calloc((size_t)network->nodes + 1, sizeof *next); /* input, from 1; 0: new */
    opevo_status status = OPEVO_OK;
    int placed = 0;

    if (!stack || !next)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the nodes of %s.", network->path));
    for (int root = 0; root < network->nodes; root++) {
        int depth = 0;

        if (next[root])
            continue;
        stack[depth++] = root;
        next[root] = 1;
        while (depth) {
            int at = stack[depth - 1], i = next[at]++ - 1, producer = -1;

            if (i == network->node[at].super.inputs) {
                next[at] = network->nodes + OPEVO_NETWORK_DIMS + i + 2; /* done */
                place[placed++] = at;
                depth--;
                continue;
            }
            if (network->node[at].edges[i] >= 0)
                producer = network->value[network->node[at].edges[i]].producer;
            if (producer < 0)
                continue;
            if (next[producer] == 0) {
                next[producer] = 1;
                stack[depth++] = producer;
            } else if (next[producer] <= network->node[producer].super.inputs + 1) {
                OPEVO_TRY(say_node(self, producer, OPEVO_INVALID,
                                   "It reads its own result through other nodes.", err));
            }
        }
    }
cleanup:
    opevo_free(stack);
    opevo_free(next);
    return status;
}

static opevo_status order_nodes(const reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    size_t count = (size_t)network->nodes;
    opevo_i_node *ordered = opevo_calloc(count + 1, sizeof *ordered);
    int *place = opevo_malloc(count + 1, sizeof *place);
    opevo_status status = OPEVO_OK;

    if (!ordered || !place)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the nodes of %s.", network->path));
    OPEVO_TRY(sort_nodes(self, place, err));
    for (int i = 0; i < network->nodes; i++) {
        ordered[i] = network->node[place[i]];
        for (int k = 0; k < ordered[i].super.outputs; k++)
            if (ordered[i].super.output[k] >= 0)
                network->value[ordered[i].super.output[k]].producer = i;
    }
    opevo_free(network->node);
    network->node = ordered;
    ordered = NULL;
cleanup:
    opevo_free(ordered);
    opevo_free(place);
    return status;
}

/* ---- Shapes --------------------------------------------------------------------------------- */

/* Compute a small constant result now. */
static opevo_status fold(const reader *self, int number, const opevo_i_call *call, opevo_error *err)
{
    opevo_network *network = self->network;
    const void **data = opevo_calloc((size_t)call->ins + 1, sizeof *data);
    void **out = opevo_calloc((size_t)call->outs + 1, sizeof *out);
    opevo_status status = OPEVO_OK;

    if (!data || !out)
        OPEVO_TRY(
            OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the constants of %s.", network->path));
    for (int i = 0; i < call->ins; i++) {
        data[i] = call->in[i] ? call->in[i]->array.data : NULL;
        if (call->in[i] && !data[i])
            goto cleanup;
    }
    for (int i = 0; i < call->outs; i++) {
        const opevo_array *array = call->out[i] ? &call->out[i]->array : NULL;

        if (array && (array->data || opevo_array_elements(array) > FOLDED_MOST))
            goto cleanup;
    }
    for (int i = 0; i < call->outs; i++) {
        if (call->out[i]) {
            OPEVO_TRY(opevo_array_allocate(&call->out[i]->array, err));
            out[i] = call->out[i]->array.data;
        }
    }
    OPEVO_TRY(opevo_i_execute(network, number, data, out, 1, err));
cleanup:
    opevo_free(data);
    opevo_free(out);
    return status;
}

static opevo_status infer(const reader *self, int number, opevo_error *err)
{
    opevo_network *network = self->network;
    opevo_i_node *node = &network->node[number];
    const opevo_net_value **in = opevo_calloc((size_t)node->super.inputs + 1, sizeof *in);
    opevo_net_value **out = opevo_calloc((size_t)node->super.outputs + 1, sizeof *out);
    opevo_i_call call = {.node = node,
                         .opset = network->opset,
                         .in = in,
                         .out = out,
                         .ins = node->super.inputs,
                         .outs = node->super.outputs};
    opevo_error reason = {0};
    opevo_status status = OPEVO_OK;
    bool constant = true;

    if (!in || !out)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the nodes of %s.", network->path));
    for (int i = 0; i < call.ins; i++) {
        in[i] = node->super.input[i] < 0 ? NULL : &network->value[node->super.input[i]];
        constant &= !in[i] || in[i]->constant;
    }
    for (int i = 0; i < call.outs; i++)
        out[i] = node->super.output[i] < 0 ? NULL : &network->value[node->super.output[i]];
    status = node->row->infer(&call, &reason);
    if (status != OPEVO_OK)
        OPEVO_TRY(say_node(self, number, status, reason.message, err));
    node->super.computed = opevo_i_is_computed(&call);
    if (!node->super.computed && !node->row->move)
        OPEVO_TRY(say_node(
            self, number, OPEVO_INVALID,
            "opevo computes this operator on float32 tensors that have elements only.", err));
    for (int i = 0; i < call.outs; i++) {
        if (out[i]) /* a shape is known though its tensor is not */
            out[i]->constant = constant || out[i]->array.data;
    }
    if (constant) {
        status = fold(self, number, &call, &reason);
        if (status != OPEVO_OK)
            status = say_node(self, number, status, reason.message, err);
    }
cleanup:
    opevo_free(in);
    opevo_free(out);
    return status;
}

/* ---- The model ------------------------------------------------------------------------------ */

static opevo_status take_opset(reader *self, opevo_error *err)
{
    const Onnx__Model *model = self->network->model;

    for (size_t i = 0; i < model->n_opset_import; i++) {
        const char *domain = model->opset_import[i]->domain;

        if (!domain || !*domain || strcmp(domain, "ai.onnx") == 0)
            self->network->opset = model->opset_import[i]->version;
    }
    if (self->network->opset < 1)
        return SAY(self, err, "The model names no opset of ONNX.");
    if (self->network->opset > OPEVO_NETWORK_OPSET)
        return SAY(self, err,
                   "The model is of opset %lld; opevo reads up to %d, so export it anew.",
                   (long long)self->network->opset, OPEVO_NETWORK_OPSET);
    return OPEVO_OK;
}

static opevo_status unpack(reader *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *bytes = NULL;
    size_t size = 0;

    OPEVO_TRY(opevo_file_read(self->network->path, OPEVO_NETWORK_FILE, &bytes, &size, err));
    self->network->model = onnx__model__unpack(NULL, size, (const uint8_t *)bytes);
    if (!self->network->model || !self->network->model->graph)
        status = SAY(self, err, "It is not an ONNX model.");
cleanup:
    opevo_free(bytes);
    return status;
}

opevo_status opevo_network_read(const char *path, const opevo_network_given *given,
                                opevo_network **out, opevo_error *err)
{
    opevo_network *network = opevo_calloc(1, sizeof *network);
    reader self = {.network = network, .given = given ? *given : (opevo_network_given){0}};
    opevo_status status = OPEVO_OK;
    const Onnx__Graph *graph = NULL;

    if (!network)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %s.", path);
    network->path = path;
    OPEVO_TRY(unpack(&self, err));
    graph = network->model->graph;
    OPEVO_TRY(take_opset(&self, err));
    OPEVO_TRY(collect(&self, err));
    OPEVO_TRY(take_initializers(&self, err));
    OPEVO_TRY(take_inputs(&self, err));
    OPEVO_TRY(take_outputs(&self, err));
    network->node = opevo_calloc(graph->n_node + 1, sizeof *network->node);
    if (!network->node)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the nodes of %s.", path));
    network->nodes = (int)graph->n_node;
    for (int i = 0; i < network->nodes; i++) {
        network->node[i].source = graph->node[i];
        OPEVO_TRY(bind(&self, i, err));
    }
    OPEVO_TRY(order_nodes(&self, err));
    for (int i = 0; i < network->nodes; i++)
        OPEVO_TRY(infer(&self, i, err));
    *out = network;
    network = NULL;
cleanup:
    opevo_network_destroy(network);
    opevo_free(self.sorted);
    return status;
}

void opevo_network_destroy(opevo_network *network)
{
    if (!network)
        return;
    for (int i = 0; i < network->values; i++)
        opevo_array_free(&network->value[i].array);
    for (int i = 0; i < network->nodes; i++)
        opevo_free(network->node[i].edges);
    opevo_free(network->node);
    opevo_free(network->value);
    opevo_free(network->input);
    opevo_free(network->output);
    if (network->model)
        onnx__model__free_unpacked(network->model, NULL);
    opevo_free(network);
}

int opevo_network_opset(const opevo_network *network)
{
    return (int)network->opset;
}

const char *opevo_network_producer(const opevo_network *network)
{
    return network->model->producer_name ? network->model->producer_name : "";
}

int opevo_network_value_count(const opevo_network *network)
{
    return network->values;
}

const opevo_net_value *opevo_network_value(const opevo_network *network, int number)
{
    return &network->value[number];
}

int opevo_network_node_count(const opevo_network *network)
{
    return network->nodes;
}

const opevo_net_node *opevo_network_node(const opevo_network *network, int number)
{
    return &network->node[number].super;
}

int opevo_network_input_count(const opevo_network *network)
{
    return network->inputs;
}

int opevo_network_input(const opevo_network *network, int i)
{
    return network->input[i];
}

int opevo_network_output_count(const opevo_network *network)
{
    return network->outputs;
}

int opevo_network_output(const opevo_network *network, int i)
{
    return network->output[i];
}
