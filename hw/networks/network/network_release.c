/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model that runs while it is read holds a tensor until the last node that reads it: of the graph
 * of the model by the names that nodes and graphs in them read, and of what stands for a node until
 * its results are there. What lies in a sequence stays. */

#include "network_read_internal.h"

void opevo_i_net_release(const opevo_i_net_reader *self, int number)
{
    opevo_network_value *value = number >= 0 ? &self->network->value[number] : NULL;

    if (!value || !self->given.eager || !value->array.data || value->listed || value->output)
        return;
    opevo_array_free(&value->array);
    value->gone = true;
}

void opevo_i_net_release_since(const opevo_i_net_reader *self, int first, const int *kept,
                               size_t count)
{
    for (int v = first; v < self->network->values && self->given.eager; v++) {
        bool keeps = false;

        for (size_t i = 0; i < count && !keeps; i++)
            keeps = kept[i] == v;
        if (!keeps)
            opevo_i_net_release(self, v);
    }
}

/* ---- Names ---- */

/* What is done with each name that a node or a graph in it reads. */
typedef struct reads {
    opevo_i_net_names *last; /* the place of the last reader; NULL: release where `at` is that */
    const opevo_i_net_names *of;
    opevo_i_net_reader *reader;
    const opevo_i_net_scope *scope;
    int at;
} reads;

static opevo_status visit(reads *self, const char *name, opevo_error *err)
{
    if (self->last)
        return opevo_i_net_names_put(self->last, name, self->at, err);
    if (opevo_i_net_names_get(self->of, name) == self->at)
        opevo_i_net_release(self->reader, opevo_i_net_names_get(&self->scope->names, name));
    return OPEVO_OK;
}

/* The unpacker has bounded how deep this goes. */
static opevo_status visit_all(reads *self, const Onnx__Node *node, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < node->n_input; i++)
        OPEVO_TRY(visit(self, node->input[i], err));
    for (size_t k = 0; k < node->n_attribute; k++) {
        const Onnx__Graph *graph = node->attribute[k]->g;

        for (size_t i = 0; graph && i < graph->n_node; i++)
            OPEVO_TRY(visit_all(self, graph->node[i], err));
        for (size_t i = 0; graph && i < graph->n_output; i++) {
            if (graph->output[i]->name)
                OPEVO_TRY(visit(self, graph->output[i]->name, err));
        }
    }
cleanup:
    return status;
}

opevo_status opevo_i_net_find_last(const opevo_i_net_reader *self, Onnx__Node *const *node,
                                   const int *place, size_t count, opevo_i_net_names *last,
                                   opevo_error *err)
{
    reads all = {.last = last};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && self->given.eager && status == OPEVO_OK; i++) {
        all.at = (int)i;
        status = visit_all(&all, node[place[i]], err);
    }
    return status;
}

void opevo_i_net_release_read(opevo_i_net_reader *self, const opevo_i_net_scope *scope,
                              const Onnx__Node *node, int at, const opevo_i_net_names *last)
{
    reads all = {.of = last, .reader = self, .scope = scope, .at = at};

    if (!self->given.eager)
        return;
    (void)visit_all(&all, node, NULL); /* fails where names are put only */
    for (size_t k = 0; k < node->n_output; k++) {
        if (opevo_i_net_names_get(last, node->output[k]) == OPEVO_I_NET_UNNAMED)
            opevo_i_net_release(self, opevo_i_net_names_get(&scope->names, node->output[k]));
    }
}
