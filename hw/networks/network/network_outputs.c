/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Outputs of a model: each tensor of a sequence is an output of the network, and so is how much
 * counts of those whose size depends on data. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <string.h>

#define SAY(reader, err, ...) opevo_i_net_reader_fail(reader, OPEVO_INVALID, err, __VA_ARGS__)

opevo_status opevo_i_net_take_outputs(opevo_i_net_reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;

    network->output = opevo_malloc(graph->n_output + 1, sizeof *network->output);
    OPEVO_NEED_OR_RETURN(network->output, "the outputs of %s", network->path);
    for (size_t i = 0; i < graph->n_output; i++) {
        const char *name = graph->output[i]->name ? graph->output[i]->name : "";
        int number = opevo_i_net_names_get(&self->main.names, name);

        if (number == OPEVO_I_NET_UNNAMED)
            return SAY(self, err, "Output '%s' is not computed by any node.", name);
        network->output[network->outputs++] = number;
        if (number >= 0)
            network->value[number].output = true;
    }
    return graph->n_output ? OPEVO_OK : SAY(self, err, "The model has no outputs.");
}

/* What makes nodes of the graph of the model that it does not have, named after a value. */
static opevo_i_net_builder maker_of(opevo_i_net_reader *self, const Onnx__Node *named,
                                    opevo_error *err)
{
    return (opevo_i_net_builder){.reader = self,
                                 .scope = &self->main,
                                 .source = named,
                                 .target = OPEVO_I_NET_OMITTED,
                                 .err = err};
}

/* A new value, named by a text, which is freed. */
static opevo_status add_named(opevo_i_net_reader *self, opevo_text *text, int *out,
                              opevo_error *err)
{
    const char *name = NULL;
    opevo_status status = opevo_i_net_reader_keep(self, text, &name, err);

    return status == OPEVO_OK ? opevo_i_net_reader_add(self, name, out, err) : status;
}

/* Tensor `i` of the sequence `name`, as an output of its own. */
static opevo_status add_item(opevo_i_net_reader *self, const char *name, int i, int binding,
                             int *out, opevo_error *err)
{
    const Onnx__Node node = {.op_type = (char *)"Identity", .name = (char *)name};
    opevo_i_net_builder make = maker_of(self, &node, err);
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&text, "%s[%d]", name, i);
    status = add_named(self, &text, &make.target, err);
    if (status != OPEVO_OK)
        return status;
    *out = make.target;
    opevo_i_net_build_one(&make, "Identity", NULL, binding);
    return make.status;
}

opevo_status opevo_i_net_spread_outputs(opevo_i_net_reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;
    opevo_status status = OPEVO_OK;
    int *all = NULL, outputs = 0;
    size_t most = 0;

    network->length = opevo_malloc(graph->n_output + 1, sizeof *network->length);
    for (size_t i = 0; i < graph->n_output && network->length; i++) {
        int binding = opevo_i_net_names_get(&self->main.names, graph->output[i]->name);
        const opevo_i_net_sequence *of =
            binding < 0 ? &self->sequence[OPEVO_I_NET_SEQUENCE - binding] : NULL;

        network->length[i] = !of               ? OPEVO_NETWORK_TENSOR
                             : of->is_optional ? OPEVO_NETWORK_EMPTY
                                               : of->count;
        most += of ? (size_t)of->count : 1;
    }
    all = opevo_malloc(most + 1, sizeof *all);
    network->declared = opevo_malloc(most + 1, sizeof *network->declared);
    OPEVO_NEED(network->length && all && network->declared, "the outputs of %s", network->path);
    for (size_t i = 0; i < graph->n_output; i++) {
        const char *name = graph->output[i]->name;
        int binding = opevo_i_net_names_get(&self->main.names, name);

        if (binding < 0 && network->output[i] >= 0)
            network->value[network->output[i]].output = false;
        for (int k = 0; k < (binding < 0 ? network->length[i] : 1); k++) {
            all[outputs] = binding;
            if (binding < 0)
                OPEVO_TRY(add_item(self, name, k,
                                   self->sequence[OPEVO_I_NET_SEQUENCE - binding].item[k],
                                   &all[outputs], err));
            network->value[all[outputs]].output = true;
            network->declared[outputs++] = (int)i;
        }
    }
    opevo_free(network->output);
    network->output = all;
    network->outputs = network->spread = outputs;
    all = NULL;
cleanup:
    opevo_free(all);
    return status;
}

/* Whether the declared type of an output, if there is one, is that which its nodes compute. */
static opevo_status check_output(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                                 const opevo_array *array, opevo_error *err)
{
    const Onnx__TensorType *type = opevo_i_net_tensor_type(info);

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

opevo_status opevo_i_net_check_outputs(const opevo_i_net_reader *self, opevo_error *err)
{
    const opevo_network *network = self->network;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < network->outputs && status == OPEVO_OK; i++)
        status = check_output(self, network->model->graph->output[network->declared[i]],
                              &network->value[network->output[i]].array, err);
    return status;
}

opevo_status opevo_i_net_add_counts(opevo_i_net_reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    int outputs = network->outputs, *grown = NULL;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < outputs && status == OPEVO_OK; i++) {
        const opevo_network_value *value = &network->value[network->output[i]];
        const Onnx__Node node = {.op_type = (char *)"Min", .name = (char *)value->name};
        opevo_i_net_builder make = maker_of(self, &node, err);
        opevo_text text = {0};
        int most = 0;

        if (!value->counted)
            continue;
        most = value->count;
        opevo_text_printf(&text, "%s.count", value->name);
        OPEVO_TRY(add_named(self, &text, &make.target, err));
        grown = opevo_realloc(network->output, (size_t)network->outputs + 1, sizeof *grown);
        OPEVO_NEED(grown, "the outputs of a model");
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
    const Onnx__ValueInfo *info = i < network->spread ? graph->output[network->declared[i]] : NULL;
    const Onnx__TensorType *type = info ? opevo_i_net_tensor_type(info) : NULL;
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

int opevo_network_declared_count(const opevo_network *network)
{
    return (int)network->model->graph->n_output;
}

const char *opevo_network_declared_name(const opevo_network *network, int i)
{
    const char *name = network->model->graph->output[i]->name;

    return name ? name : "";
}

int opevo_network_declared_length(const opevo_network *network, int i)
{
    return network->length[i];
}
