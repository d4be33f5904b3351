/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading a model: its file, and the values of its graph; network_read_nodes.c reads the nodes. */

#include "network_read_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAY(reader, err, ...) opevo_i_net_reader_fail(reader, OPEVO_INVALID, err, __VA_ARGS__)

/* A value of the graph of the model, whose name must be new. */
static opevo_status add_value(opevo_i_net_reader *self, const char *name, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int number = 0;

    if (opevo_i_net_reader_find(self, name) >= 0)
        return SAY(self, err, "Two tensors are named '%s'.", name);
    status = opevo_i_net_reader_add(self, name, &number, err);
    return status == OPEVO_OK ? opevo_i_net_names_put(&self->main.names, name, number, err)
                              : status;
}

/* Inputs, stored tensors and results of nodes, each name once. */
static opevo_status collect(opevo_i_net_reader *self, opevo_error *err)
{
    const Onnx__Graph *graph = self->network->model->graph;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < graph->n_initializer; i++)
        OPEVO_TRY(
            add_value(self, graph->initializer[i]->name ? graph->initializer[i]->name : "", err));
    for (size_t i = 0; i < graph->n_input; i++) {
        const char *name = graph->input[i]->name;
        int found = -1;

        if (!name || !*name)
            return SAY(self, err, "Input %zu has no name.", i);
        /* A stored tensor may be listed as an input as well. */
        found = opevo_i_net_reader_find(self, name);
        if (found < 0 || found >= (int)graph->n_initializer)
            OPEVO_TRY(add_value(self, name, err));
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        for (size_t k = 0; k < graph->node[i]->n_output; k++)
            if (*graph->node[i]->output[k])
                OPEVO_TRY(add_value(self, graph->node[i]->output[k], err));
    }
cleanup:
    return status;
}

static opevo_status take_initializers(opevo_i_net_reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;

    for (size_t i = 0; i < graph->n_initializer; i++) {
        opevo_network_value *value = &network->value[i];
        opevo_text what = {0};
        opevo_status status = OPEVO_OK;

        opevo_text_printf(&what, "%s: the stored tensor '%s'", network->path, value->name);
        status = opevo_text_check(&what, err);
        if (status == OPEVO_OK)
            status = opevo_i_net_array_of(graph->initializer[i], opevo_text_string(&what),
                                          network->path, &value->array, err);
        opevo_text_free(&what);
        if (status != OPEVO_OK)
            return status;
        value->constant = true;
        value->packed = opevo_i_net_is_packed(graph->initializer[i]);
    }
    return OPEVO_OK;
}

/* ---- Inputs and outputs --------------------------------------------------------------------- */

static const opevo_network_shape *given_shape(const opevo_i_net_reader *self, const char *name)
{
    for (size_t i = 0; i < self->given.shape_count; i++) {
        if (strcmp(self->given.shapes[i].name, name) == 0)
            return &self->given.shapes[i];
    }
    return NULL;
}

static opevo_status check_input(const opevo_i_net_reader *self, const opevo_network_value *value,
                                opevo_error *err)
{
    opevo_error reason = {0};
    opevo_text what = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&what, "Input '%s'", value->name);
    OPEVO_TRY(opevo_text_check(&what, err));
    status = opevo_i_net_check_extents(opevo_text_string(&what), value->array.dims,
                                       value->array.extent, &reason);
    if (status != OPEVO_OK)
        status = opevo_i_net_reader_fail(self, status, err, "%s", reason.message);
cleanup:
    opevo_text_free(&what);
    return status;
}

static opevo_status take_input_shape(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                                     opevo_network_value *value, opevo_error *err)
{
    const Onnx__TensorType *type = info->type ? info->type->tensor_type : NULL;
    const opevo_network_shape *given = given_shape(self, value->name);
    opevo_array *array = &value->array;

    if (!type || opevo_i_net_type_of(type->elem_type) == OPEVO_NETWORK_NO_TYPE)
        return SAY(self, err, "Input '%s' is not a tensor of a type that opevo reads.",
                   value->name);
    array->type = opevo_i_net_type_of(type->elem_type);
    if (!given && !type->shape)
        return SAY(self, err, "Input '%s' has no shape; give it with --shape %s=N,N,...",
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
                       "Dimension %d%s%s of input '%s' is open%s; give its shape, of extents above "
                       "0, with --shape %s=N,N,...",
                       d, dim && dim->dim_param ? " " : "",
                       dim && dim->dim_param ? dim->dim_param : "", value->name,
                       dim && dim->has_dim_value ? ", as the model gives it no extent above 0" : "",
                       value->name);
        array->extent[d] = given ? given->extent[d] : dim->dim_value;
    }
    return check_input(self, value, err);
}

/* Whether the array has the type of the input, and the dimensions that the model does not leave
 * open. */
static opevo_status check_value(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                                const opevo_array *array, const char *file, opevo_error *err)
{
    const Onnx__TensorType *type = info->type ? info->type->tensor_type : NULL;
    const Onnx__Shape *shape = type ? type->shape : NULL;
    opevo_network_type declared =
        type ? opevo_i_net_type_of(type->elem_type) : OPEVO_NETWORK_NO_TYPE;
    const char *wanted = opevo_network_type_name(declared);

    if (type && declared != array->type && !wanted)
        return SAY(self, err, "Input '%s' is of ONNX type %d, which opevo does not read.",
                   info->name, type->elem_type);
    if (type && declared != array->type)
        return SAY(self, err, "Input '%s' is of %s; %s is of %s, so give another tensor.",
                   info->name, wanted, file, opevo_network_type_name(array->type));
    if (shape && shape->n_dim != (size_t)array->dims)
        return SAY(self, err, "Input '%s' has %zu dimensions; %s has %d, so give another tensor.",
                   info->name, shape->n_dim, file, array->dims);
    for (int d = 0; shape && d < array->dims; d++) {
        const Onnx__Dimension *dim = shape->dim[d];

        if (dim->has_dim_value && dim->dim_value > 0 && dim->dim_value != array->extent[d])
            return SAY(self, err,
                       "Dimension %d of input '%s' is %lld; that of %s is %lld, so give another "
                       "tensor.",
                       d, info->name, (long long)dim->dim_value, file, (long long)array->extent[d]);
    }
    return OPEVO_OK;
}

/* Whether a node makes the shape of its output of this input of numbers: scales of a Resize. */
static bool decides_shape(const opevo_i_net_reader *self, const char *name)
{
    const Onnx__Graph *graph = self->network->model->graph;

    for (size_t n = 0; n < graph->n_node; n++) {
        const Onnx__Node *node = graph->node[n];
        const char *operation = node->op_type ? node->op_type : "";

        if (strcmp(operation, "Resize") != 0 && strcmp(operation, "Upsample") != 0)
            continue;
        for (size_t i = 1; i < node->n_input; i++) {
            if (strcmp(node->input[i], name) == 0)
                return true;
        }
    }
    return false;
}

/* Type and shape are those of value i, and so is the value of whole numbers and of one number. */
static opevo_status take_input_value(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                                     int i, opevo_network_value *value, opevo_error *err)
{
    const opevo_array *array = &self->given.values[i];
    opevo_status status = check_value(
        self, info, array, self->given.files ? self->given.files[i] : "the tensor given", err);

    if (status != OPEVO_OK)
        return status;
    value->array = *array;
    value->array.data = NULL;
    status = check_input(self, value, err);
    if (status != OPEVO_OK)
        return status;
    if (!self->given.eager && !opevo_i_net_type_is_whole(array->type) &&
        opevo_array_elements(array) != 1 && !decides_shape(self, info->name))
        return OPEVO_OK;
    status = opevo_array_allocate(&value->array, err);
    if (status != OPEVO_OK)
        return status;
    memcpy(value->array.data, array->data, opevo_i_net_bytes(array));
    value->constant = true;
    return OPEVO_OK;
}

/* `name` is not an input; these are. */
static opevo_status say_inputs(const opevo_i_net_reader *self, const char *name, opevo_error *err)
{
    const opevo_network *network = self->network;
    opevo_text names = {0};
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < network->inputs; i++)
        opevo_text_printf(&names, "%s'%s'", i ? ", " : "", network->value[network->input[i]].name);
    OPEVO_TRY(opevo_text_check(&names, err));
    if (network->inputs)
        status = SAY(self, err, "--shape names '%.200s', which is not an input; inputs are %.400s.",
                     name, opevo_text_string(&names));
    else
        status =
            SAY(self, err, "--shape names '%.200s'; leave it out, the model has no inputs.", name);
cleanup:
    opevo_text_free(&names);
    return status;
}

static opevo_status take_inputs(opevo_i_net_reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;
    opevo_status status = OPEVO_OK;
    size_t found = 0;

    network->input = opevo_malloc(graph->n_input + 1, sizeof *network->input);
    if (!network->input)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the inputs of %s.", network->path);
    for (size_t i = 0; i < graph->n_input && status == OPEVO_OK; i++) {
        int number = opevo_i_net_reader_find(self, graph->input[i]->name);
        const char *bound = opevo_i_net_binding_of(self, graph->input[i]->name);

        if (network->value[number].constant)
            continue;
        if (bound) {
            status = opevo_i_net_bind(self, graph->input[i], bound, &network->value[number], err);
            found += status == OPEVO_OK;
            continue;
        }
        network->input[network->inputs++] = number;
        network->value[number].input = true;
        if (self->given.values && (size_t)network->inputs <= self->given.value_count)
            status = take_input_value(self, graph->input[i], network->inputs - 1,
                                      &network->value[number], err);
        else
            status = take_input_shape(self, graph->input[i], &network->value[number], err);
    }
    if (status == OPEVO_OK && self->given.values &&
        self->given.value_count != (size_t)network->inputs)
        status = SAY(self, err,
                     "The model has %d inputs, and --run gives %zu tensors; give one for each, in "
                     "the order of the model.",
                     network->inputs, self->given.value_count);
    if (status == OPEVO_OK && found != self->given.binding_count)
        status =
            SAY(self, err,
                "--bind binds %zu inputs, of which the model has %zu that are not stored; bind "
                "each input once, by its name.",
                self->given.binding_count, found);
    for (size_t s = 0; s < self->given.shape_count && status == OPEVO_OK; s++) {
        int number = opevo_i_net_reader_find(self, self->given.shapes[s].name);

        if (number < 0 || !network->value[number].input)
            status = say_inputs(self, self->given.shapes[s].name, err);
    }
    return status;
}

static opevo_status take_outputs(opevo_i_net_reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;

    network->output = opevo_malloc(graph->n_output + 1, sizeof *network->output);
    if (!network->output)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the outputs of %s.", network->path);
    for (size_t i = 0; i < graph->n_output; i++) {
        const char *name = graph->output[i]->name ? graph->output[i]->name : "";
        int number = opevo_i_net_reader_find(self, name);

        if (number < 0)
            return SAY(self, err, "Output '%s' is not computed by any node.", name);
        network->output[network->outputs++] = number;
        network->value[number].output = true;
    }
    return graph->n_output ? OPEVO_OK : SAY(self, err, "The model has no outputs.");
}

/* Whether the declared type of an output, if there is one, is that which its nodes compute. */
static opevo_status check_output(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                                 const opevo_array *array, opevo_error *err)
{
    const Onnx__TensorType *type = info->type ? info->type->tensor_type : NULL;

    if (opevo_i_net_names_get(&self->main.names, info->name) <= OPEVO_I_NET_SEQUENCE)
        return SAY(self, err, "Output '%s' is a sequence or an optional; opevo gives tensors only.",
                   info->name);
    if (array->type == OPEVO_NETWORK_NO_TYPE)
        return SAY(self, err, "Output '%s' is not known: %s", info->name,
                   self->unknown ? self->unknown : "no node computes it.");
    if (type && type->elem_type && opevo_i_net_type_of(type->elem_type) != array->type) {
        const char *declared = opevo_network_type_name(opevo_i_net_type_of(type->elem_type));

        return SAY(self, err, "Output '%s' is declared as %s, and its nodes compute %s.",
                   info->name, declared ? declared : "another type",
                   opevo_network_type_name(array->type));
    }
    return OPEVO_OK;
}

static opevo_status check_outputs(const opevo_i_net_reader *self, opevo_error *err)
{
    const opevo_network *network = self->network;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < network->outputs && status == OPEVO_OK; i++)
        status = check_output(self, network->model->graph->output[i],
                              &network->value[network->output[i]].array, err);
    return status;
}

/* How large the outputs are whose size depends on data, as outputs of their own. */
static opevo_status add_counts(opevo_i_net_reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    int outputs = network->outputs, *grown = NULL;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < outputs && status == OPEVO_OK; i++) {
        const opevo_network_value *value = &network->value[network->output[i]];
        const Onnx__Node node = {.op_type = (char *)"Min", .name = (char *)value->name};
        opevo_i_net_builder make = {.reader = self,
                                    .scope = &self->main,
                                    .source = &node,
                                    .target = OPEVO_I_NET_OMITTED,
                                    .err = err};
        const char *name = NULL;
        opevo_text text = {0};
        int most = 0;

        if (!value->counted)
            continue;
        most = value->count;
        opevo_text_printf(&text, "%s.count", value->name);
        OPEVO_TRY(opevo_i_net_reader_keep(self, &text, &name, err));
        OPEVO_TRY(opevo_i_net_reader_add(self, name, &make.target, err));
        grown = opevo_realloc(network->output, (size_t)network->outputs + 1, sizeof *grown);
        if (!grown)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the outputs of a model."));
        network->output = grown;
        network->output[network->outputs++] = make.target;
        value = &network->value[network->output[i]];
        network->value[make.target].output = true;
        opevo_i_net_build_two(
            &make, "Min", NULL, most,
            opevo_i_net_build_whole(&make, value->array.extent[value->counted - 1]));
        status = make.status;
    }
cleanup:
    return status;
}

bool opevo_network_output_is_stale(const opevo_network *network, int i, opevo_text *out)
{
    const Onnx__Graph *graph = network->model->graph;
    const Onnx__ValueInfo *info = (size_t)i < graph->n_output ? graph->output[i] : NULL;
    const Onnx__TensorType *type = info && info->type ? info->type->tensor_type : NULL;
    const Onnx__Shape *shape = type ? type->shape : NULL;
    const opevo_array *array = &network->value[network->output[i]].array;

    if (shape && shape->n_dim != (size_t)array->dims) {
        opevo_text_printf(out, "is declared with %zu dimensions, and its nodes compute %d",
                          shape->n_dim, array->dims);
        return true;
    }
    for (int d = 0; shape && d < array->dims; d++) {
        const Onnx__Dimension *dim = shape->dim[d];

        if (!dim->has_dim_value || dim->dim_value <= 0 || dim->dim_value == array->extent[d])
            continue;
        opevo_text_printf(out, "is declared with %lld in dimension %d, and its nodes compute %lld",
                          (long long)dim->dim_value, d, (long long)array->extent[d]);
        return true;
    }
    return false;
}

/* ---- The model ------------------------------------------------------------------------------ */

static opevo_status take_opset(opevo_i_net_reader *self, opevo_error *err)
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

static opevo_status unpack(opevo_i_net_reader *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *bytes = NULL;
    size_t size = 0;

    OPEVO_TRY(opevo_file_read(self->network->path, OPEVO_NETWORK_FILE, &bytes, &size, err));
    if (!opevo_i_net_is_shallow(bytes, size))
        OPEVO_TRY(SAY(self, err, "Its graphs lie too deep in each other."));
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
    opevo_i_net_reader self = {.network = network,
                               .given = given ? *given : (opevo_network_given){0}};
    opevo_status status = OPEVO_OK;

    if (!network)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %s.", path);
    network->path = opevo_strdup(path);
    if (!network->path)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %s.", path));
    OPEVO_TRY(unpack(&self, err));
    OPEVO_TRY(take_opset(&self, err));
    self.main = (opevo_i_net_scope){.prefix = "", .called = "", .opset = network->opset};
    OPEVO_TRY(collect(&self, err));
    OPEVO_TRY(take_initializers(&self, err));
    OPEVO_TRY(take_inputs(&self, err));
    OPEVO_TRY(take_outputs(&self, err));
    OPEVO_TRY(opevo_i_net_read_nodes(&self, err));
    OPEVO_TRY(check_outputs(&self, err));
    OPEVO_TRY(add_counts(&self, err));
    *out = network;
    network = NULL;
cleanup:
    opevo_network_destroy(network);
    opevo_i_net_reader_free(&self);
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
    for (size_t i = 0; i < network->texts; i++)
        opevo_free(network->text[i]);
    for (size_t i = 0; i < network->mades; i++)
        onnx__node__free_unpacked(network->made[i], NULL);
    opevo_free(network->text);
    opevo_free((void *)network->made);
    opevo_free(network->path);
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

const opevo_network_value *opevo_network_value_at(const opevo_network *network, int number)
{
    return &network->value[number];
}

int opevo_network_node_count(const opevo_network *network)
{
    return network->nodes;
}

const opevo_network_node *opevo_network_node_at(const opevo_network *network, int number)
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
