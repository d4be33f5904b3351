/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The nodes of graphs, in an order in which each reads what is there, and those that others stand
 * for in their place. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* The value that an output of a node is: in the graph of the model, and where a graph gives its
 * result to the one around it, it is there. */
static opevo_status take_output(opevo_i_net_reader *self, opevo_i_net_scope *scope,
                                const char *name, int *out, opevo_error *err)
{
    opevo_text text = {0};
    const char *kept = NULL;
    opevo_status status = OPEVO_OK;

    *out = OPEVO_I_NET_OMITTED;
    if (!*name)
        return OPEVO_OK;
    *out = opevo_i_net_names_get(&scope->names, name);
    if (*out >= 0 && self->network->value[*out].producer < 0 &&
        self->network->value[*out].array.type == OPEVO_NETWORK_NO_TYPE)
        return OPEVO_OK;
    if (*out != OPEVO_I_NET_UNNAMED)
        return opevo_i_net_reader_fail(self, OPEVO_INVALID, err, "Two tensors are named '%s'.",
                                       name);
    opevo_text_printf(&text, "%s%s", scope->prefix, name);
    OPEVO_TRY(opevo_i_net_reader_keep(self, &text, &kept, err));
    OPEVO_TRY(opevo_i_net_reader_add(self, kept, out, err));
    OPEVO_TRY(opevo_i_net_names_put(&scope->names, name, *out, err));
cleanup:
    return status;
}

/* A node of a row. */
static opevo_status read_row(opevo_i_net_reader *self, opevo_i_net_scope *scope,
                             const Onnx__Node *source, opevo_error *err)
{
    int *edges = opevo_malloc(source->n_input + source->n_output + 1, sizeof *edges), *outs = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(edges, "the nodes of %s", self->network->path);
    outs = edges + source->n_input;
    for (size_t i = 0; i < source->n_input; i++)
        edges[i] = *source->input[i] ? opevo_i_net_scope_find(scope, source->input[i])
                                     : OPEVO_I_NET_OMITTED;
    if (source->n_output == 1 && source->n_input == 1 && edges[0] <= OPEVO_I_NET_SEQUENCE &&
        edges[0] != OPEVO_I_NET_UNNAMED && strcmp(source->op_type, "Identity") == 0) {
        status = opevo_i_net_names_put(&scope->names, source->output[0], edges[0], err);
        goto cleanup;
    }
    for (size_t i = 0; i < source->n_output; i++)
        OPEVO_TRY(take_output(self, scope, source->output[i], &outs[i], err));
    status = opevo_i_net_append(self, scope, source, edges, (int)source->n_input, outs,
                                (int)source->n_output, err);
cleanup:
    opevo_free(edges);
    return status;
}

static opevo_status read_all(opevo_i_net_reader *self, opevo_i_net_scope *scope,
                             Onnx__Node *const *node, size_t count, opevo_error *err)
{
    int *place = opevo_malloc(count + 1, sizeof *place);
    bool whole = !scope->outer && !scope->function; /* names stand for nothing outside */
    opevo_i_net_names last = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(place, "the nodes of %s", self->network->path);
    OPEVO_TRY(opevo_i_net_graph_order(self, node, count, place, err));
    if (whole)
        OPEVO_TRY(opevo_i_net_find_last(self, node, place, count, &last, err));
    for (size_t i = 0; i < count; i++) {
        const Onnx__Node *source = node[place[i]];
        const opevo_i_net_form *form = opevo_i_net_form_of(source);

        if (scope->function)
            OPEVO_TRY(opevo_i_net_resolve(self, scope, source, &source, err));
        if (form)
            OPEVO_TRY(opevo_i_net_expand(self, scope, source, form, err));
        else if (opevo_i_net_row_of(source))
            OPEVO_TRY(read_row(self, scope, source, err));
        else
            OPEVO_TRY(opevo_i_net_read_call(self, scope, source, err));
        if (whole)
            opevo_i_net_release_read(self, scope, source, (int)i, &last);
    }
cleanup:
    opevo_i_net_names_free(&last);
    opevo_free(place);
    return status;
}

/* Remove nodes of branches that no output needs. */
static opevo_status drop_branches(opevo_network *network, opevo_error *err)
{
    bool *needed = opevo_calloc((size_t)network->values + 1, sizeof *needed);
    int kept = 0;

    OPEVO_NEED_OR_RETURN(needed, "the nodes of %s", network->path);
    for (int i = 0; i < network->outputs; i++)
        needed[network->output[i]] = true;
    for (int n = network->nodes - 1; n >= 0; n--) {
        opevo_i_net_node *node = &network->node[n];
        bool read = !node->is_branch;

        for (int i = 0; i < node->super.outputs; i++)
            read |= node->super.output[i] >= 0 && needed[node->super.output[i]];
        for (int i = 0; i < node->super.inputs && read; i++)
            if (node->super.input[i] >= 0)
                needed[node->super.input[i]] = true;
        node->is_branch = !read;
    }
    for (int n = 0; n < network->nodes; n++) {
        opevo_i_net_node *node = &network->node[n];

        if (node->is_branch) {
            for (int i = 0; i < node->super.outputs; i++)
                if (node->super.output[i] >= 0)
                    network->value[node->super.output[i]].producer = -1;
            opevo_free(node->edges);
            continue;
        }
        for (int i = 0; i < node->super.outputs; i++)
            if (node->super.output[i] >= 0)
                network->value[node->super.output[i]].producer = kept;
        network->node[kept++] = *node;
    }
    network->nodes = kept;
    opevo_free(needed);
    return OPEVO_OK;
}

opevo_status opevo_i_net_read_nodes(opevo_i_net_reader *self, opevo_error *err)
{
    const Onnx__Graph *graph = self->network->model->graph;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_check_operators(self, err));
    self->read_all = read_all;
    OPEVO_TRY(read_all(self, &self->main, graph->node, graph->n_node, err));
    OPEVO_TRY(opevo_i_net_spread_outputs(self, err));
    status = drop_branches(self->network, err);
cleanup:
    return status;
}
