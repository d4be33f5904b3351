/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The steps of a network before any pass: one for each node, several for one of many inputs. */

#include "network_chain_internal.h"
#include "network_passes_internal.h"

#include <opevo/memory.h>
#include <opevo/network_inference.h>

#include <string.h>

enum { BLOCK = 16 }; /* numbers in the widest vectors */

void opevo_network_inference_destroy(opevo_network_inference *inference)
{
    if (!inference)
        return;
    for (int i = 0; i < inference->values && inference->value; i++) {
        if (inference->value[i].owned)
            opevo_array_free(&inference->value[i].array);
        opevo_free(inference->value[i].name);
    }
    for (int i = 0; i < inference->steps && inference->step; i++)
        opevo_i_net_step_free(&inference->step[i]);
    for (int i = 0; i < inference->winograd.layers; i++)
        opevo_free(inference->winograd.layer[i].name);
    opevo_free(inference->winograd.layer);
    opevo_free(inference->value);
    opevo_free(inference->step);
    opevo_free(inference->input);
    opevo_free(inference->output);
    opevo_free(inference);
}

static opevo_status copy_numbers(const int *from, int count, int **out, opevo_error *err)
{
    OPEVO_NEW_OR_RETURN(*out, (size_t)count + 1, "the steps of the network");
    if (count) /* else `from` may be NULL */
        memcpy(*out, from, (size_t)count * sizeof **out);
    return OPEVO_OK;
}

static opevo_status take_values(opevo_network_inference *self, opevo_error *err)
{
    const opevo_network *network = self->network;
    opevo_status status = OPEVO_OK;

    self->value = opevo_calloc((size_t)network->values + 1, sizeof *self->value);
    OPEVO_NEED_OR_RETURN(self->value, "the values of the network");
    for (; self->values < network->values; self->values++) {
        const opevo_network_value *value = &network->value[self->values];

        self->value[self->values] = (opevo_network_tensor){.name = opevo_strdup(value->name),
                                                           .array = value->array,
                                                           .input = value->input,
                                                           .output = value->output};
        OPEVO_NEED_OR_RETURN(self->value[self->values].name, "the values of the network");
    }
    OPEVO_TRY(copy_numbers(network->input, network->inputs, &self->input, err));
    OPEVO_TRY(copy_numbers(network->output, network->outputs, &self->output, err));
    self->inputs = network->inputs;
    self->outputs = network->outputs;
cleanup:
    return status;
}

/* Whether the outputs are there before any run. */
static bool is_known(const opevo_network *network, const opevo_network_node *node)
{
    for (int i = 0; i < node->outputs; i++) {
        if (node->output[i] >= 0 && !network->value[node->output[i]].array.data &&
            !network->value[node->output[i]].gone)
            return false;
    }
    return true;
}

static opevo_status add_step(opevo_network_inference *self, int number,
                             opevo_i_net_definitions *known, opevo_error *err)
{
    const opevo_network_node *node = &self->network->node[number].super;
    opevo_network_step *step = &self->step[self->steps++];
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    *step = (opevo_network_step){.kind = OPEVO_NETWORK_STEP_NODE,
                                 .name = opevo_i_net_node_name(self->network, number),
                                 .operation = opevo_strdup(node->operation),
                                 .inputs = node->inputs,
                                 .outputs = node->outputs,
                                 .node = number};
    OPEVO_NEED(step->name && step->operation, "the steps of the network");
    OPEVO_TRY(copy_numbers(node->input, node->inputs, &step->input, err));
    OPEVO_TRY(copy_numbers(node->output, node->outputs, &step->output, err));
    if (!node->computed) {
        /* Operators that have definitions for other nodes compute, on whole numbers for example.
         * Where constants are moved to matters to nobody: they are moved once. */
        if (!self->network->node[number].row->define && step->outputs == 1 &&
            !(node->output[0] >= 0 && self->network->value[node->output[0]].constant))
            status = opevo_i_net_find_copies(self, step, 0, err);
        goto cleanup;
    }
    OPEVO_TRY(opevo_network_define(self->network, number, &text, err));
    step->kind = OPEVO_NETWORK_STEP_COMPUTE;
    status = opevo_i_net_definitions_read(known, &text, &step->computation, err);
cleanup:
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_network_inference_create(const opevo_network *network,
                                            opevo_network_inference **out, opevo_error *err)
{
    opevo_network_inference *self = opevo_calloc(1, sizeof *self);
    opevo_i_net_definitions known = {0};
    opevo_status status = OPEVO_OK;
    size_t steps = 0;

    OPEVO_NEED_OR_RETURN(self, "the steps of the network");
    self->network = network;
    self->block = BLOCK;
    OPEVO_TRY(take_values(self, err));
    for (int i = 0; i < network->nodes; i++)
        steps += (size_t)opevo_i_net_chain_links(network, i);
    OPEVO_NEW(self->step, steps + 1, "the steps of the network");
    for (int i = 0; i < network->nodes; i++) {
        if (is_known(network, &network->node[i].super))
            continue;
        if (opevo_i_net_chain_links(network, i) > 1)
            OPEVO_TRY(opevo_i_net_chain_add(self, i, &known, err));
        else
            OPEVO_TRY(add_step(self, i, &known, err));
    }
    *out = self;
cleanup:
    opevo_i_net_definitions_free(&known);
    if (status != OPEVO_OK)
        opevo_network_inference_destroy(self);
    return status;
}
