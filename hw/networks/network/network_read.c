/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading a model: its file, and the values of its graph; network_read_nodes.c reads the nodes. */

#include "network_read_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <string.h>

#define SAY(reader, err, ...) opevo_i_net_reader_fail(reader, OPEVO_INVALID, err, __VA_ARGS__)

/* A value of the graph of the model, whose name must be new. */
static opevo_status add_value(opevo_i_net_reader *self, const char *name, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int number = 0;

    if (opevo_i_net_names_get(&self->main.names, name) != OPEVO_I_NET_UNNAMED)
        return SAY(self, err, "Two tensors are named '%s'.", name);
    status = opevo_i_net_reader_add(self, name, &number, err);
    return status == OPEVO_OK ? opevo_i_net_names_put(&self->main.names, name, number, err)
                              : status;
}

/* A sequence or an optional, which has no value of its own. */
static opevo_status add_list(opevo_i_net_reader *self, const char *name, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int binding = 0, *item = NULL;

    if (opevo_i_net_names_get(&self->main.names, name) != OPEVO_I_NET_UNNAMED)
        return SAY(self, err, "Two tensors are named '%s'.", name);
    status = opevo_i_net_reader_sequence(self, 0, &binding, &item, err);
    return status == OPEVO_OK ? opevo_i_net_names_put(&self->main.names, name, binding, err)
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
        if (opevo_i_net_is_list(graph->input[i]))
            OPEVO_TRY(add_list(self, name, err));
        else if (found < 0 || found >= (int)graph->n_initializer)
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
        value->stored = opevo_i_net_stored(graph->initializer[i]->data_type);
    }
    return OPEVO_OK;
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

    OPEVO_NEED_OR_RETURN(network, "%s", path);
    network->path = opevo_strdup(path);
    OPEVO_NEED(network->path, "%s", path);
    OPEVO_TRY(unpack(&self, err));
    OPEVO_TRY(take_opset(&self, err));
    self.main = (opevo_i_net_scope){.prefix = "", .called = "", .opset = network->opset};
    OPEVO_TRY(collect(&self, err));
    OPEVO_TRY(take_initializers(&self, err));
    OPEVO_TRY(opevo_i_net_take_inputs(&self, err));
    OPEVO_TRY(opevo_i_net_take_outputs(&self, err));
    OPEVO_TRY(opevo_i_net_read_nodes(&self, err));
    OPEVO_TRY(opevo_i_net_check_outputs(&self, err));
    OPEVO_TRY(opevo_i_net_add_counts(&self, err));
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
    opevo_free(network->declared);
    opevo_free(network->length);
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
