/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A node that is read: its operator and edges, the shapes of what it computes, and its results
 * where they are constant. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* What is computed while reading is what shapes are made of: elements of the largest constant, and
 * their work in all (opevo_i_net_work). Larger constants are the pass fold's. */
enum { FOLDED_MOST = 65536, NODES_MOST = 1 << 20 };
#define FOLDED_WORK 0x1p26

static opevo_status say_node(const opevo_i_net_reader *self, int number, opevo_status kind,
                             const char *sentence, opevo_error *err)
{
    const opevo_i_net_node *node = &self->network->node[number];
    const char *name = node->super.name ? node->super.name : "";

    return opevo_i_net_reader_fail(self, kind, err, "node %d (%s%s%s%s): %s", number,
                                   node->source->op_type, *name ? " '" : "", name, *name ? "'" : "",
                                   sentence);
}

/* ---- Edges ---- */

/* The row of the node's operator, and its edges. */
static opevo_status bind(const opevo_i_net_reader *self, int number, const int *in, int ins,
                         const int *out, int outs, opevo_error *err)
{
    opevo_i_net_node *node = &self->network->node[number];
    const opevo_i_net_operator *row = node->row;
    opevo_error reason = {0};

    if (node->opset < row->since)
        return say_node(self, number, OPEVO_INVALID,
                        "The operator had another meaning in this opset; convert the model to "
                        "opset 13.",
                        err);
    if (ins < row->inputs_least || (row->inputs_most && ins > row->inputs_most) || outs < 1 ||
        (row->outputs_most && outs > row->outputs_most + opevo_i_net_is_counted(row)))
        return say_node(self, number, OPEVO_INVALID,
                        "The number of its inputs or outputs is wrong.", err);
    node->edges = opevo_malloc((size_t)ins + (size_t)outs, sizeof *node->edges);
    OPEVO_NEED_OR_RETURN(node->edges, "the nodes of %s", self->network->path);
    for (int i = 0; i < ins; i++) {
        node->edges[i] = in[i];
        if (in[i] < 0 && (in[i] != OPEVO_I_NET_OMITTED || i < row->inputs_least))
            return say_node(self, number, OPEVO_INVALID,
                            in[i] == OPEVO_I_NET_UNNAMED   ? "An input is not made by any node."
                            : in[i] == OPEVO_I_NET_OMITTED ? "An input is missing."
                                                           : "An input is a sequence of tensors.",
                            err);
    }
    /* Operators write their first output unasked, except for those of any number of outputs. */
    if (out[0] < 0 && row->outputs_most)
        return say_node(
            self, number, OPEVO_INVALID,
            "Its first output has no name; give it one, as only those behind it are optional.",
            err);
    for (int i = 0; i < outs; i++) {
        node->edges[ins + i] = out[i];
        if (out[i] >= 0)
            self->network->value[out[i]].producer = number;
    }
    node->super.inputs = ins;
    node->super.outputs = outs;
    node->super.input = node->edges;
    node->super.output = node->edges + ins;
    if (opevo_i_net_check_attributes(node->source, row, node->opset, &reason) != OPEVO_OK)
        return say_node(self, number, OPEVO_INVALID, reason.message, err);
    return OPEVO_OK;
}

/* ---- Shapes --------------------------------------------------------------------------------- */

/* Whether the outputs are small, and little work, which is then counted. */
static opevo_status afford(opevo_i_net_reader *self, int number, const opevo_i_net_call *call,
                           bool *yes, opevo_error *err)
{
    double work = 0;
    opevo_status status = OPEVO_OK;

    *yes = true;
    if (self->given.eager)
        return OPEVO_OK;
    for (int i = 0; i < call->outs; i++)
        *yes &= !call->out[i] || opevo_array_elements(&call->out[i]->array) <= FOLDED_MOST;
    if (!*yes)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_net_cost(self->network, number, &work, err));
    *yes = self->folded_work + work <= FOLDED_WORK;
    self->folded_work += *yes ? work : 0;
cleanup:
    return status;
}

/* Compute a small constant result now. */
static opevo_status fold(opevo_i_net_reader *self, int number, const opevo_i_net_call *call,
                         opevo_error *err)
{
    opevo_network *network = self->network;
    const void **data = opevo_calloc((size_t)call->ins + 1, sizeof *data);
    void **out = opevo_calloc((size_t)call->outs + 1, sizeof *out);
    opevo_status status = OPEVO_OK;
    bool yes = false;

    if (!data || !out)
        OPEVO_TRY(
            OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the constants of %s.", network->path));
    for (int i = 0; i < call->ins; i++) {
        data[i] = call->in[i] ? call->in[i]->array.data : NULL;
        if (call->in[i] && !data[i])
            goto cleanup;
    }
    for (int i = 0; i < call->outs; i++) {
        if (call->out[i] && call->out[i]->array.data)
            goto cleanup;
    }
    OPEVO_TRY(afford(self, number, call, &yes, err));
    if (!yes)
        goto cleanup;
    for (int i = 0; i < call->outs; i++) {
        if (call->out[i]) {
            OPEVO_TRY(opevo_array_allocate(&call->out[i]->array, err));
            out[i] = call->out[i]->array.data;
        }
    }
    OPEVO_TRY(opevo_i_net_execute(network, number, data, out, self->given.eager ? 0 : 1, err));
cleanup:
    opevo_free(data);
    opevo_free(out);
    return status;
}

/* Shapes of the outputs. Of a branch that may not be taken, what cannot be computed is unknown, and
 * so is what reads it. */
static opevo_status infer_shapes(opevo_i_net_reader *self, int number, const opevo_i_net_call *call,
                                 opevo_error *err)
{
    opevo_i_net_node *node = &self->network->node[number];
    opevo_error reason = {OPEVO_OK, ""}, said = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < call->ins && status == OPEVO_OK; i++) {
        if (call->in[i] && call->in[i]->array.type == OPEVO_NETWORK_NO_TYPE)
            status = OPEVO_FAIL(&reason, OPEVO_INVALID, "Its input is not known: %.700s",
                                self->unknown ? self->unknown : "no node computes it.");
    }
    if (status == OPEVO_OK)
        status = call->node->row->infer(call, &reason);
    if (status == OPEVO_OK)
        status = opevo_i_net_count(call, &reason);
    if (status == OPEVO_OK)
        return OPEVO_OK;
    if (!node->is_branch || status == OPEVO_NOMEM)
        return say_node(self, number, status, reason.message, err);
    node->is_unknown = true;
    (void)say_node(self, number, status, reason.message, &said);
    if (!self->unknown)
        self->unknown = opevo_strdup(said.message);
    for (int i = 0; i < call->outs; i++) {
        if (call->out[i])
            call->out[i]->array.type = OPEVO_NETWORK_NO_TYPE;
    }
    return OPEVO_OK;
}

static opevo_status infer(opevo_i_net_reader *self, int number, opevo_error *err)
{
    opevo_network *network = self->network;
    opevo_i_net_node *node = &network->node[number];
    const opevo_network_value **in =
        opevo_calloc((size_t)node->super.inputs + 1, sizeof(opevo_network_value *));
    opevo_network_value **out =
        opevo_calloc((size_t)node->super.outputs + 1, sizeof(opevo_network_value *));
    opevo_i_net_call call = {.node = node,
                             .opset = node->opset,
                             .in = in,
                             .out = out,
                             .ins = node->super.inputs,
                             .outs = node->super.outputs};
    opevo_error reason = {0};
    opevo_status status = OPEVO_OK;
    bool constant = true;

    OPEVO_NEED(in && out, "the nodes of %s", network->path);
    for (int i = 0; i < call.ins; i++) {
        in[i] = node->super.input[i] < 0 ? NULL : &network->value[node->super.input[i]];
        constant &= !in[i] || in[i]->constant;
    }
    for (int i = 0; i < call.outs; i++)
        out[i] = node->super.output[i] < 0 ? NULL : &network->value[node->super.output[i]];
    OPEVO_TRY(infer_shapes(self, number, &call, err));
    if (node->is_unknown)
        goto cleanup;
    node->super.computed = opevo_i_net_is_computed(&call);
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

/* Whether the values of all inputs are. */
static bool is_known(const opevo_network *network, const int *in, int ins)
{
    bool known = true;

    for (int i = 0; i < ins; i++)
        known &= in[i] < 0 || network->value[in[i]].array.data;
    return known;
}

opevo_status opevo_i_net_append(opevo_i_net_reader *self, const opevo_i_net_scope *scope,
                                const Onnx__Node *source, const int *in, int ins, const int *out,
                                int outs, opevo_error *err)
{
    opevo_network *network = self->network;
    const char *name = source->name ? source->name : "";
    opevo_status status = OPEVO_OK;
    int both[2];

    if (network->nodes == NODES_MOST)
        return opevo_i_net_reader_fail(self, OPEVO_INVALID, err,
                                       "It has more than %d nodes, those of loops and functions as "
                                       "often as they run.",
                                       NODES_MOST);
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&network->node, &self->node_room,
                                       (size_t)network->nodes + 1, sizeof *network->node),
                         "the nodes of %s", network->path);
    if (*scope->called && *name) {
        opevo_text text = {0};

        opevo_text_printf(&text, "%s%s", scope->called, name);
        OPEVO_TRY(opevo_i_net_reader_keep(self, &text, &name, err));
    }
    network->node[network->nodes] =
        (opevo_i_net_node){.super = {.name = name, .operation = source->op_type},
                           .source = source,
                           .row = opevo_i_net_row_of(source),
                           .opset = scope->opset,
                           .is_branch = scope->is_branch};
    if (self->given.counts && outs == 1 && !is_known(network, in, ins) &&
        opevo_i_net_is_counted(network->node[network->nodes].row)) {
        both[0] = out[0];
        OPEVO_TRY(opevo_i_net_reader_add(self, "count", &both[1], err));
        out = both;
        outs = 2;
    }
    OPEVO_TRY(bind(self, network->nodes++, in, ins, out, outs, err));
    status = infer(self, network->nodes - 1, err);
cleanup:
    return status;
}
