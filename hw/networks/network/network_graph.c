/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a graph is made of: the order of its nodes, and their operators, those of graphs in
 * attributes and of functions that are called included. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* ---- Order ---------------------------------------------------------------------------------- */

/* Which nodes each node reads: `read[first[i]]` up to `first[i + 1]`, from -1 on those of graphs
 * around this one left out. */
typedef struct dependencies {
    const opevo_i_net_reader *reader;
    opevo_i_net_names makers; /* nodes by what they make */
    int *read;
    size_t count, room, *first;
} dependencies;

/* What graphs in a node have under names of their own. */
typedef struct hidden {
    const struct hidden *outer;
    const Onnx__Graph *graph;
} hidden;

static bool is_hidden(const hidden *in, const char *name)
{
    bool found = false;

    for (; in && !found; in = in->outer) {
        for (size_t i = 0; i < in->graph->n_input && !found; i++)
            found = in->graph->input[i]->name && strcmp(in->graph->input[i]->name, name) == 0;
        for (size_t i = 0; i < in->graph->n_initializer && !found; i++)
            found = in->graph->initializer[i]->name &&
                    strcmp(in->graph->initializer[i]->name, name) == 0;
        for (size_t i = 0; i < in->graph->n_node && !found; i++) {
            for (size_t k = 0; k < in->graph->node[i]->n_output && !found; k++)
                found = strcmp(in->graph->node[i]->output[k], name) == 0;
        }
    }
    return found;
}

static opevo_status add_read(dependencies *self, const hidden *in, const char *name,
                             opevo_error *err)
{
    int maker = opevo_i_net_names_get(&self->makers, name);

    if (maker == OPEVO_I_NET_UNNAMED || is_hidden(in, name))
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(
        opevo_reserve((void **)&self->read, &self->room, self->count + 1, sizeof *self->read),
        "the nodes of %s", self->reader->network->path);
    self->read[self->count++] = maker;
    return OPEVO_OK;
}

/* The unpacker has bounded how deep this goes. */
static opevo_status add_reads(dependencies *self, const hidden *in, const Onnx__Node *node,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < node->n_input; i++)
        OPEVO_TRY(add_read(self, in, node->input[i], err));
    for (size_t k = 0; k < node->n_attribute; k++) {
        const Onnx__Graph *graph = node->attribute[k]->g;
        hidden inner = {in, graph};

        for (size_t i = 0; graph && i < graph->n_node; i++)
            OPEVO_TRY(add_reads(self, &inner, graph->node[i], err));
        for (size_t i = 0; graph && i < graph->n_output; i++) {
            if (graph->output[i]->name)
                OPEVO_TRY(add_read(self, &inner, graph->output[i]->name, err));
        }
    }
cleanup:
    return status;
}

static opevo_status find_dependencies(dependencies *self, Onnx__Node *const *node, size_t count,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->first = opevo_calloc(count + 1, sizeof *self->first);
    OPEVO_NEED_OR_RETURN(self->first, "the nodes of %s", self->reader->network->path);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < node[i]->n_output; k++)
            if (*node[i]->output[k])
                OPEVO_TRY(opevo_i_net_names_put(&self->makers, node[i]->output[k], (int)i, err));
    }
    for (size_t i = 0; i < count; i++) {
        self->first[i] = self->count;
        OPEVO_TRY(add_reads(self, NULL, node[i], err));
    }
    self->first[count] = self->count;
cleanup:
    return status;
}

/* Depth first from each node in the order of the file, without recursion: a model may be as deep as
 * it is long. next[i]: which node of those that i reads comes next, from 1; 0: i is new, -1: i has
 * its place. */
static opevo_status sort(const dependencies *self, Onnx__Node *const *node, size_t count,
                         int *place, opevo_error *err)
{
    int *stack = opevo_malloc(count + 1, sizeof *stack);
    int64_t *next = opevo_calloc(count + 1, sizeof *next);
    opevo_status status = OPEVO_OK;
    size_t placed = 0;

    OPEVO_NEED(stack && next, "the nodes of %s", self->reader->network->path);
    for (size_t root = 0; root < count; root++) {
        size_t depth = 0;

        if (next[root])
            continue;
        stack[depth++] = (int)root;
        next[root] = 1;
        while (depth) {
            int at = stack[depth - 1], maker = 0;
            size_t i = self->first[at] + (size_t)(next[at]++ - 1);

            if (i == self->first[at + 1]) {
                next[at] = -1;
                place[placed++] = at;
                depth--;
                continue;
            }
            maker = self->read[i];
            if (next[maker] == 0) {
                next[maker] = 1;
                stack[depth++] = maker;
            } else if (next[maker] > 0) {
                OPEVO_TRY(opevo_i_net_reader_fail_node(
                    self->reader, node[maker], OPEVO_INVALID,
                    "It reads its own result through other nodes.", err));
            }
        }
    }
cleanup:
    opevo_free(stack);
    opevo_free(next);
    return status;
}

opevo_status opevo_i_net_graph_order(const opevo_i_net_reader *reader, Onnx__Node *const *node,
                                     size_t count, int *place, opevo_error *err)
{
    dependencies self = {.reader = reader};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(find_dependencies(&self, node, count, err));
    status = sort(&self, node, count, place, err);
cleanup:
    opevo_i_net_names_free(&self.makers);
    opevo_free(self.read);
    opevo_free(self.first);
    return status;
}

/* ---- Operators ------------------------------------------------------------------------------ */

int opevo_i_net_function_of(const opevo_i_net_reader *self, const Onnx__Node *source)
{
    const Onnx__Model *model = self->network->model;
    const char *overload = source->overload ? source->overload : "";

    for (size_t i = 0; i < model->n_functions; i++) {
        const Onnx__Function *function = model->functions[i];

        if (function->name && source->op_type && strcmp(function->name, source->op_type) == 0 &&
            strcmp(opevo_i_net_domain_of(function->domain),
                   opevo_i_net_domain_of(source->domain)) == 0 &&
            strcmp(function->overload ? function->overload : "", overload) == 0)
            return (int)i;
    }
    return -1;
}

/* Nodes of operators that opevo does not know, one of each. */
enum { NAMED = 16, NODES_NAMED = 3 };
typedef struct unknown_operators {
    struct unknown_operator {
        const Onnx__Node *node;
        size_t count;
        opevo_text nodes; /* the first of them */
    } item[NAMED];
    size_t count;
} unknown_operators;

/* Whether both are of one operator, or without one. */
static bool is_same_operator(const Onnx__Node *a, const Onnx__Node *b)
{
    const char *x = a->op_type ? a->op_type : "", *y = b->op_type ? b->op_type : "";

    return strcmp(x, y) == 0 &&
           strcmp(opevo_i_net_domain_of(a->domain), opevo_i_net_domain_of(b->domain)) == 0;
}

static void add_unknown(unknown_operators *self, const Onnx__Node *node, size_t number)
{
    size_t k = 0;

    while (k < self->count && !is_same_operator(self->item[k].node, node))
        k++;
    if (k == NAMED)
        return;
    self->item[k].node = node;
    self->count += k == self->count;
    if (self->item[k].count++ >= NODES_NAMED)
        return;
    opevo_text_printf(&self->item[k].nodes, "%s %zu", self->item[k].count > 1 ? "," : "", number);
    if (node->name && *node->name)
        opevo_text_printf(&self->item[k].nodes, " '%.60s'", node->name);
}

enum { CALLED = 1, CHECKED };

/* Of nodes, and of graphs in them. Functions that they call are marked. */
static void find_unknown(opevo_i_net_reader *self, Onnx__Node *const *node, size_t count,
                         unknown_operators *out)
{
    for (size_t i = 0; i < count; i++) {
        bool known = opevo_i_net_row_of(node[i]) || opevo_i_net_form_of(node[i]);
        int function = known ? -1 : opevo_i_net_function_of(self, node[i]);

        for (size_t k = 0; k < node[i]->n_attribute; k++) {
            if (node[i]->attribute[k]->g)
                find_unknown(self, node[i]->attribute[k]->g->node, node[i]->attribute[k]->g->n_node,
                             out);
        }
        if (function >= 0 && !self->called[function])
            self->called[function] = CALLED;
        if (!known && function < 0)
            add_unknown(out, node[i], i);
    }
}

static void find_all_unknown(opevo_i_net_reader *self, unknown_operators *out)
{
    const Onnx__Model *model = self->network->model;
    bool more = true;

    find_unknown(self, model->graph->node, model->graph->n_node, out);
    while (more) {
        more = false;
        for (size_t f = 0; f < model->n_functions; f++) {
            if (self->called[f] != CALLED)
                continue;
            self->called[f] = CHECKED;
            more = true;
            find_unknown(self, model->functions[f]->node, model->functions[f]->n_node, out);
        }
    }
}

/* "Foo of com.bar (3 nodes: 1 'a', 5, 7)". */
static void print_unknown(const struct unknown_operator *self, opevo_text *out)
{
    const Onnx__Node *node = self->node;

    opevo_text_printf(out, "%s%s%.60s (%zu node%s:%s%s)", node->op_type ? node->op_type : "no name",
                      node->domain && *node->domain ? " of " : "", node->domain ? node->domain : "",
                      self->count, self->count == 1 ? "" : "s", opevo_text_string(&self->nodes),
                      self->count > NODES_NAMED ? ", ..." : "");
}

opevo_status opevo_i_net_check_operators(opevo_i_net_reader *self, opevo_error *err)
{
    const Onnx__Model *model = self->network->model;
    unknown_operators unknown = {.count = 0};
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    self->called = opevo_calloc(model->n_functions + 1, 1);
    OPEVO_NEED(self->called, "reading %s", self->network->path);
    find_all_unknown(self, &unknown);
    for (size_t i = 0; i < unknown.count; i++) {
        opevo_text_add(&text, i ? ", " : "");
        OPEVO_TRY(opevo_text_check(&unknown.item[i].nodes, err));
        print_unknown(&unknown.item[i], &text);
    }
    OPEVO_TRY(opevo_text_check(&text, err));
    if (unknown.count)
        status = opevo_i_net_reader_fail(
            self, OPEVO_INVALID, err,
            "opevo does not know %s%zu operator%s, which docs/formats/onnx.md does not list: "
            "%.600s.",
            unknown.count == NAMED ? "at least " : "", unknown.count, unknown.count == 1 ? "" : "s",
            opevo_text_string(&text));
cleanup:
    for (size_t i = 0; i < unknown.count; i++)
        opevo_text_free(&unknown.item[i].nodes);
    opevo_text_free(&text);
    return status;
}
