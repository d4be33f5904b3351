/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nodes of any number of inputs, such as Sum, as steps of a few inputs each: first of the inputs,
 * then of what those make, until one is left. The others are intermediate values, each rounded to
 * float32. */

#include "network_chain_internal.h"
#include "network_passes_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { LINK = 7 }; /* inputs of a step; joined to one that reads its result they are not too many */

/* What is left to fold: numbers of values. */
typedef struct chain {
    opevo_network_inference *inference;
    const opevo_network *network;
    int number; /* of the node */
    const opevo_i_net_operator *row;
    opevo_i_net_definitions *known;
    int *left;
    int count, links;
} chain;

int opevo_i_net_chain_links(const opevo_network *network, int number)
{
    const opevo_i_net_node *node = &network->node[number];
    int links = 0;

    if (!node->super.computed || node->row->inputs_most != 0 ||
        node->super.inputs <= OPEVO_I_CHAIN_INPUTS)
        return 1;
    for (int left = node->super.inputs; left > 1; left = (left + LINK - 1) / LINK)
        links += (left + LINK - 1) / LINK;
    return links + 1;
}

/* A value of the inference as an operator sees it. */
static opevo_network_value seen(const chain *self, int number)
{
    const opevo_network_tensor *value = &self->inference->value[number];

    return (opevo_network_value){.name = value->name,
                                 .array = value->array,
                                 .constant = number < self->network->values &&
                                             self->network->value[number].constant};
}

/* The definitions of a step; out->array is its shape, that of the inputs together. */
static opevo_status define_link(const chain *self, const int *input, int inputs,
                                opevo_network_value *out, opevo_computation **made,
                                opevo_error *err)
{
    const opevo_i_net_node *source = &self->network->node[self->number];
    opevo_i_net_node node = {
        .super = source->super, .source = source->source, .row = self->row, .opset = source->opset};
    opevo_network_value in[LINK];
    const opevo_network_value *ins[LINK];
    opevo_network_value *const outs[] = {out};
    opevo_i_net_call call = {&node, source->opset, ins, outs, inputs, 1};
    opevo_text definitions = {0};
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < inputs; i++) {
        in[i] = seen(self, input[i]);
        ins[i] = &in[i];
    }
    OPEVO_TRY(self->row->infer(&call, err));
    OPEVO_TRY(self->row->define(&call, &definitions, err));
    status = opevo_i_net_definitions_read(self->known, &definitions, made, err);
cleanup:
    opevo_text_free(&definitions);
    return status;
}

/* Take over the definitions; *output is a new value unless it is one. */
static opevo_status add_step(chain *self, const int *input, int inputs, opevo_array shape,
                             int *output, opevo_computation *computation, opevo_error *err)
{
    opevo_network_inference *inference = self->inference;
    const opevo_network_node *node = &self->network->node[self->number].super;
    opevo_network_step *step = &inference->step[inference->steps++];
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;

    *step = (opevo_network_step){.kind = OPEVO_NETWORK_STEP_COMPUTE,
                                 .name = opevo_i_net_node_name(self->network, self->number),
                                 .operation = opevo_strdup(node->operation),
                                 .computation = computation,
                                 .input = opevo_calloc((size_t)inputs, sizeof *step->input),
                                 .output = opevo_calloc(1, sizeof *step->output),
                                 .node = self->number};
    OPEVO_NEED(step->name && step->operation && step->input && step->output,
               "the steps of the network");
    if (*output < 0) {
        opevo_text_printf(&name, "%s.%d", inference->value[node->output[0]].name, self->links++);
        OPEVO_TRY(opevo_text_check(&name, err));
        OPEVO_TRY(opevo_i_net_value_add(inference, name.data, &shape, output, err));
    }
    memcpy(step->input, input, (size_t)inputs * sizeof *input);
    step->inputs = inputs;
    step->output[0] = *output;
    step->outputs = 1;
cleanup:
    opevo_text_free(&name);
    return status;
}

/* Fold `inputs` values from `at` on to one, *output, which is a new value if it is -1. */
static opevo_status add_link(chain *self, int at, int inputs, int *output, opevo_error *err)
{
    opevo_network_value out = {0};
    opevo_computation *made = NULL;
    opevo_status status = OPEVO_OK;

    if (inputs == 1) {
        *output = self->left[at];
        return OPEVO_OK;
    }
    OPEVO_TRY(define_link(self, self->left + at, inputs, &out, &made, err));
    status = add_step(self, self->left + at, inputs, out.array, output, made, err);
cleanup:
    return status;
}

static opevo_status divide(chain *self, int by, int output, opevo_error *err)
{
    const opevo_array *array = &self->inference->value[output].array;
    opevo_text text = {0};
    opevo_computation *made = NULL;
    opevo_status status = OPEVO_OK;

    opevo_text_add(&text, "X0[");
    for (int d = 0; d < array->dims; d++)
        opevo_text_printf(&text, "%s%lld", d ? ", " : "", (long long)array->extent[d]);
    opevo_text_add(&text, "]\nY0[");
    opevo_i_net_axes("a", array, &text);
    opevo_text_add(&text, "] = X0[");
    for (int d = 0; d < array->dims; d++)
        opevo_text_printf(&text, "%sa%d", d ? ", " : "", d);
    opevo_text_printf(&text, "]/%d\n", by);
    OPEVO_TRY(opevo_i_net_definitions_read(self->known, &text, &made, err));
    status = add_step(self, self->left, 1, *array, &output, made, err);
cleanup:
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_i_net_chain_add(opevo_network_inference *inference, int number,
                                   opevo_i_net_definitions *known, opevo_error *err)
{
    const opevo_network *network = inference->network;
    const opevo_i_net_node *node = &network->node[number];
    bool mean = strcmp(node->row->name, "Mean") == 0;
    int output = node->super.output[0];
    chain self = {.inference = inference,
                  .network = network,
                  .number = number,
                  .known = known,
                  .row = mean ? opevo_i_net_operator_find("Sum") : node->row,
                  .count = node->super.inputs};
    opevo_status status = OPEVO_OK;

    self.left = opevo_calloc((size_t)self.count + 1, sizeof *self.left);
    OPEVO_NEED_OR_RETURN(self.left, "the steps of the network");
    memcpy(self.left, node->super.input, (size_t)self.count * sizeof *self.left);
    while (self.count > 1) {
        int made = 0;

        for (int at = 0; at < self.count; at += LINK) {
            int inputs = self.count - at < LINK ? self.count - at : LINK;
            int to = self.count <= LINK && !mean ? output : -1;

            OPEVO_TRY(add_link(&self, at, inputs, &to, err));
            self.left[made++] = to;
        }
        self.count = made;
    }
    if (mean)
        status = divide(&self, node->super.inputs, output, err);
cleanup:
    opevo_free(self.left);
    return status;
}
