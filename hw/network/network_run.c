/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Running a network node by node, by its definitions. */

#include "network_internal.h"

#include <opevo/computation_reference.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

/* ---- One node ------------------------------------------------------------------------------- */

/* A node with its values, as its operator sees it. Free `in` of the call with opevo_free. */
static opevo_status call_of(const opevo_network *network, int number, opevo_i_call *call,
                            opevo_error *err)
{
    const opevo_i_node *node = &network->node[number];
    size_t ins = (size_t)node->super.inputs, outs = (size_t)node->super.outputs;
    opevo_net_value **values = opevo_calloc(ins + outs + 1, sizeof *values);

    if (!values)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for node %d.", number);
    for (size_t i = 0; i < ins + outs; i++)
        values[i] = node->edges[i] < 0 ? NULL : &network->value[node->edges[i]];
    *call = (opevo_i_call){.node = node,
                           .opset = network->opset,
                           .in = (const opevo_net_value *const *)values,
                           .out = values + ins,
                           .ins = (int)ins,
                           .outs = (int)outs};
    return OPEVO_OK;
}

static void release(opevo_i_call *call)
{
    opevo_free((void *)(uintptr_t)call->in);
}

static opevo_status computation_of(const opevo_i_call *call, opevo_computation **out,
                                   opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(call->node->row->define(call, &text, err));
    OPEVO_TRY(opevo_computation_parse(opevo_text_string(&text), call->node->super.operation, NULL,
                                      0, out, err));
cleanup:
    opevo_text_free(&text);
    return status;
}

/* Tensors X0, X1, ... and Y0, ... of the definitions by their numbers. */
static opevo_status compute(const opevo_i_call *call, const void *const *data, void *const *out,
                            unsigned threads, opevo_error *err)
{
    const float *inputs[16] = {NULL};
    float *outputs[16] = {NULL};
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;
    int ins = 0, outs = 0;

    OPEVO_TRY(computation_of(call, &computation, err));
    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        long number = strtol(tensor->name + 1, NULL, 10);

        if (ins == 16 || outs == 16)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_LIMIT, "It has more than 15 inputs or outputs."));
        if (tensor->role == OPEVO_ROLE_INPUT || tensor->role == OPEVO_ROLE_CONSTANT)
            inputs[ins++] = data[number];
        else if (tensor->role == OPEVO_ROLE_OUTPUT)
            outputs[outs++] = out[number];
    }
    OPEVO_TRY(opevo_computation_compute(computation, inputs, outputs, NULL, threads, err));
cleanup:
    opevo_computation_destroy(computation);
    return status;
}

opevo_status opevo_i_execute(const opevo_network *network, int node, const void *const *data,
                             void *const *out, unsigned threads, opevo_error *err)
{
    opevo_i_call call;
    opevo_status status = call_of(network, node, &call, err);

    if (status != OPEVO_OK)
        return status;
    status = call.node->super.computed ? compute(&call, data, out, threads, err)
                                       : call.node->row->move(&call, data, out, err);
    release(&call);
    return status;
}

opevo_status opevo_network_define(const opevo_network *network, int node, opevo_text *out,
                                  opevo_error *err)
{
    opevo_i_call call;
    opevo_status status = OPEVO_OK;

    if (!network->node[node].super.computed)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Node %d moves elements; it has no definitions.",
                          node);
    status = call_of(network, node, &call, err);
    if (status != OPEVO_OK)
        return status;
    status = call.node->row->define(&call, out, err);
    release(&call);
    return status;
}

opevo_status opevo_network_flop(const opevo_network *network, int node, opevo_flop *out,
                                opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;
    opevo_i_call call = {0};

    *out = (opevo_flop){.exact = true};
    if (!network->node[node].super.computed)
        return OPEVO_OK;
    OPEVO_TRY(call_of(network, node, &call, err));
    OPEVO_TRY(computation_of(&call, &computation, err));
    *out = opevo_computation_flop(computation);
cleanup:
    release(&call);
    opevo_computation_destroy(computation);
    return status;
}

/* ---- The network ---------------------------------------------------------------------------- */

/* Values while the network runs: the data of each, whether it is ours, and how many nodes are still
 * to read it. */
typedef struct running {
    const opevo_network *network;
    void **data;
    bool *owned;
    int *readers;
} running;

static void finish(running *self)
{
    for (int i = 0; i < self->network->values && self->data && self->owned; i++) {
        if (self->owned[i])
            opevo_free(self->data[i]);
    }
    opevo_free(self->data);
    opevo_free(self->owned);
    opevo_free(self->readers);
}

static opevo_status start(running *self, const opevo_array *inputs, opevo_error *err)
{
    const opevo_network *network = self->network;
    size_t values = (size_t)network->values + 1;

    self->data = opevo_calloc(values, sizeof *self->data);
    self->owned = opevo_calloc(values, sizeof *self->owned);
    self->readers = opevo_calloc(values, sizeof *self->readers);
    if (!self->data || !self->owned || !self->readers)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to run the network.");
    for (int i = 0; i < network->values; i++)
        self->data[i] = network->value[i].array.data;
    for (int n = 0; n < network->nodes; n++) {
        for (int i = 0; i < network->node[n].super.inputs; i++)
            if (network->node[n].edges[i] >= 0)
                self->readers[network->node[n].edges[i]]++;
    }
    for (int i = 0; i < network->inputs; i++) {
        const opevo_net_value *value = &network->value[network->input[i]];
        bool fits = inputs[i].type == value->array.type && inputs[i].dims == value->array.dims;

        for (int d = 0; d < value->array.dims && fits; d++)
            fits = inputs[i].extent[d] == value->array.extent[d];
        if (!fits)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "input '%s': The tensor given has another type or shape.",
                              value->name);
        self->data[network->input[i]] = inputs[i].data;
    }
    return OPEVO_OK;
}

static opevo_status run_node(running *self, int number, unsigned threads, opevo_error *err)
{
    const opevo_i_node *node = &self->network->node[number];
    size_t ins = (size_t)node->super.inputs, outs = (size_t)node->super.outputs;
    const void **in = opevo_calloc(ins + 1, sizeof *in);
    void **out = opevo_calloc(outs + 1, sizeof *out);
    opevo_status status = OPEVO_OK;
    bool known = true;

    if (!in || !out)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for node %d.", number));
    for (size_t i = 0; i < ins; i++)
        in[i] = node->edges[i] < 0 ? NULL : self->data[node->edges[i]];
    for (size_t i = 0; i < outs; i++) {
        int value = node->edges[ins + i];
        opevo_array array = {0};

        if (value < 0 || self->data[value])
            continue;
        known = false;
        array = self->network->value[value].array;
        OPEVO_TRY(opevo_array_allocate(&array, err));
        self->data[value] = out[i] = array.data;
        self->owned[value] = true;
    }
    if (!known)
        OPEVO_TRY(opevo_i_execute(self->network, number, in, out, threads, err));
    for (size_t i = 0; i < ins; i++) {
        int value = node->edges[i];

        if (value < 0 || --self->readers[value] || !self->owned[value] ||
            self->network->value[value].output)
            continue;
        opevo_free(self->data[value]);
        self->data[value] = NULL;
        self->owned[value] = false;
    }
cleanup:
    opevo_free(in);
    opevo_free(out);
    return status;
}

opevo_status opevo_network_run(const opevo_network *network, const opevo_array *inputs,
                               opevo_array *outputs, unsigned threads, opevo_error *err)
{
    running self = {.network = network};
    opevo_status status = OPEVO_OK;
    int made = 0;

    OPEVO_TRY(start(&self, inputs, err));
    for (int n = 0; n < network->nodes; n++)
        OPEVO_TRY(run_node(&self, n, threads, err));
    for (; made < network->outputs; made++) {
        const opevo_array *array = &network->value[network->output[made]].array;

        outputs[made] = *array;
        OPEVO_TRY(opevo_array_allocate(&outputs[made], err));
        memcpy(outputs[made].data, self.data[network->output[made]],
               (size_t)opevo_array_elements(array) * opevo_network_type_bytes(array->type));
    }
cleanup:
    if (status != OPEVO_OK) {
        for (int i = 0; i < made; i++)
            opevo_array_free(&outputs[i]);
    }
    finish(&self);
    return status;
}
