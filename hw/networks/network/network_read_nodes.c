/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The nodes of a model that is read: their operators and edges, their order, and the shape of all
 * that they compute. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* What is computed while reading is what shapes are made of: elements of the largest constant, and
 * their work in all (opevo_i_net_work). Larger constants are the pass fold's. */
enum { FOLDED_MOST = 65536 };
#define FOLDED_WORK 0x1p26

static opevo_status say_node(const opevo_i_net_reader *self, int number, opevo_status kind,
                             const char *sentence, opevo_error *err)
{
    const Onnx__Node *source = self->network->node[number].source;

    return opevo_i_net_reader_fail(self, kind, err, "node %d (%s%s%s%s): %s", number,
                                   source->op_type ? source->op_type : "without an operator",
                                   source->name && *source->name ? " '" : "",
                                   source->name && *source->name ? source->name : "",
                                   source->name && *source->name ? "'" : "", sentence);
}

/* ---- Operators ---- */

/* The row of an operator; those of other domains are named "domain.Operator". NULL: unknown. */
static const opevo_i_net_operator *row_of(const Onnx__Node *source)
{
    const char *domain = source->domain ? source->domain : "";
    char name[64];

    if (!source->op_type || strchr(source->op_type, '.'))
        return NULL;
    if (!*domain || strcmp(domain, "ai.onnx") == 0)
        return opevo_i_net_operator_find(source->op_type);
    snprintf(name, sizeof name, "%.24s.%.32s", domain, source->op_type);
    return opevo_i_net_operator_find(name);
}

/* Whether both are of one operator, or without one. */
static bool is_same_operator(const Onnx__Node *a, const Onnx__Node *b)
{
    const char *x = a->op_type ? a->op_type : "", *y = b->op_type ? b->op_type : "";

    return strcmp(x, y) == 0 && strcmp(a->domain ? a->domain : "", b->domain ? b->domain : "") == 0;
}

/* "Foo of com.bar (3 nodes: 1 'a', 5, 7)": all nodes of the operator of node `first`, of which the
 * first few are named. */
static void add_unknown(const Onnx__Graph *graph, size_t first, opevo_text *out)
{
    enum { NAMED = 3 };
    const Onnx__Node *node = graph->node[first];
    size_t count = 0;

    for (size_t i = first; i < graph->n_node; i++)
        count += is_same_operator(node, graph->node[i]);
    opevo_text_printf(out, "%s%s%.60s (%zu node%s:", node->op_type ? node->op_type : "no name",
                      node->domain && *node->domain ? " of " : "", node->domain ? node->domain : "",
                      count, count == 1 ? "" : "s");
    for (size_t i = first, named = 0; i < graph->n_node && named < NAMED; i++) {
        const char *name = graph->node[i]->name;

        if (!is_same_operator(node, graph->node[i]))
            continue;
        opevo_text_printf(out, "%s %zu", named++ ? "," : "", i);
        if (name && *name)
            opevo_text_printf(out, " '%.60s'", name);
    }
    opevo_text_add(out, count > NAMED ? ", ...)" : ")");
}

/* Name all operators that opevo does not know at once, as far as a message goes. */
static opevo_status check_operators(const opevo_i_net_reader *self, opevo_error *err)
{
    enum { NAMED = 16 };
    const Onnx__Graph *graph = self->network->model->graph;
    size_t first[NAMED], unknown = 0;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < graph->n_node && unknown < NAMED; i++) {
        size_t k = 0;

        if (row_of(graph->node[i]))
            continue;
        while (k < unknown && !is_same_operator(graph->node[first[k]], graph->node[i]))
            k++;
        if (k < unknown)
            continue;
        first[unknown++] = i;
        opevo_text_add(&text, k ? ", " : "");
        add_unknown(graph, i, &text);
    }
    OPEVO_TRY(opevo_text_check(&text, err));
    if (unknown)
        status = opevo_i_net_reader_fail(
            self, OPEVO_INVALID, err,
            "opevo does not know %s%zu operator%s, which docs/formats/onnx.md does not list: "
            "%.600s.",
            unknown == NAMED ? "at least " : "", unknown, unknown == 1 ? "" : "s",
            opevo_text_string(&text));
cleanup:
    opevo_text_free(&text);
    return status;
}

/* The row of the node's operator, and its edges. */
static opevo_status bind(const opevo_i_net_reader *self, int number, opevo_error *err)
{
    opevo_i_net_node *node = &self->network->node[number];
    const Onnx__Node *source = node->source;
    const opevo_i_net_operator *row = row_of(source);
    opevo_error reason = {0};

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

        node->edges[i] = *name ? opevo_i_net_reader_find(self, name) : -1;
        if ((*name && node->edges[i] < 0) || (!*name && i < (size_t)row->inputs_least))
            return say_node(self, number, OPEVO_INVALID,
                            *name ? "An input is not made by any node." : "An input is missing.",
                            err);
    }
    /* Operators write their first output unasked, except for those of any number of outputs. */
    if (!*source->output[0] && row->outputs_most)
        return say_node(
            self, number, OPEVO_INVALID,
            "Its first output has no name; give it one, as only those behind it are optional.",
            err);
    for (size_t i = 0; i < source->n_output; i++)
        node->edges[source->n_input + i] =
            *source->output[i] ? opevo_i_net_reader_find(self, source->output[i]) : -1;
    node->super = (opevo_network_node){.name = source->name ? source->name : "",
                                       .operation = source->op_type,
                                       .inputs = (int)source->n_input,
                                       .outputs = (int)source->n_output,
                                       .input = node->edges,
                                       .output = node->edges + source->n_input};
    if (opevo_i_net_check_attributes(source, row, self->network->opset, &reason) != OPEVO_OK)
        return say_node(self, number, OPEVO_INVALID, reason.message, err);
    return OPEVO_OK;
}

/* Depth first from each node in the order of the file, without recursion: a model may be as deep as
 * it is long. `place` receives the new order. */
static opevo_status sort_nodes(const opevo_i_net_reader *self, int *place, opevo_error *err)
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

static opevo_status order_nodes(const opevo_i_net_reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    size_t count = (size_t)network->nodes;
    opevo_i_net_node *ordered = opevo_calloc(count + 1, sizeof *ordered);
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

/* Whether the outputs are small, and little work, which is then counted. */
static opevo_status afford(opevo_i_net_reader *self, int number, const opevo_i_net_call *call,
                           bool *yes, opevo_error *err)
{
    double work = 0;
    opevo_status status = OPEVO_OK;

    *yes = true;
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
    OPEVO_TRY(opevo_i_net_execute(network, number, data, out, 1, err));
cleanup:
    opevo_free(data);
    opevo_free(out);
    return status;
}

/* An input of a choice that is never taken. */
static bool is_other_branch(const opevo_i_net_call *call, int in)
{
    const opevo_network_value *condition = call->ins == 3 ? call->in[0] : NULL;

    return in > 0 && call->node->row == opevo_i_net_choice && condition && condition->array.data &&
           in != (opevo_i_net_whole(&condition->array, condition->array.data, 0) ? 1 : 2);
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
        if (call->in[i] && call->in[i]->array.type == OPEVO_NETWORK_NO_TYPE &&
            !is_other_branch(call, i))
            status = OPEVO_FAIL(&reason, OPEVO_INVALID, "Its input is not known: %.700s",
                                self->unknown ? self->unknown : "no node computes it.");
    }
    if (status == OPEVO_OK)
        status = call->node->row->infer(call, &reason);
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

/* A choice whose condition is known is the tensor that it takes. */
static void take_choice(opevo_i_net_node *node, const opevo_i_net_call *call)
{
    if (node->row != opevo_i_net_choice || !call->in[0]->array.data)
        return;
    node->edges[0] = node->edges[is_other_branch(call, 1) ? 2 : 1];
    node->edges[1] = node->edges[3];
    node->super.inputs = 1;
    node->super.output = node->edges + 1;
    node->row = opevo_i_net_operator_find("Identity");
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
    OPEVO_TRY(infer_shapes(self, number, &call, err));
    if (node->is_unknown)
        goto cleanup;
    if (node->row == opevo_i_net_choice && call.in[0]->array.data) {
        take_choice(node, &call);
        call.ins = 1;
        in[0] = &network->value[node->edges[0]];
        constant = in[0]->constant;
    }
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

/* Remove nodes of branches that no output needs. */
static opevo_status drop_branches(opevo_network *network, opevo_error *err)
{
    bool *needed = opevo_calloc((size_t)network->values + 1, sizeof *needed);
    int kept = 0;

    if (!needed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the nodes of %s.", network->path);
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
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;
    opevo_status status = OPEVO_OK;

    network->node = opevo_calloc(graph->n_node + 1, sizeof *network->node);
    if (!network->node)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the nodes of %s.", network->path);
    network->nodes = (int)graph->n_node;
    OPEVO_TRY(check_operators(self, err));
    for (int i = 0; i < network->nodes; i++) {
        network->node[i].source = graph->node[i];
        network->node[i].is_branch = (size_t)i >= self->main_nodes;
        OPEVO_TRY(bind(self, i, err));
    }
    OPEVO_TRY(order_nodes(self, err));
    for (int i = 0; i < network->nodes; i++)
        OPEVO_TRY(infer(self, i, err));
    status = drop_branches(network, err);
cleanup:
    return status;
}
