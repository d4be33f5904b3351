/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Branches of If as nodes of the graph.
 *
 * The nodes of both branches come behind those of the graph, under names of their own, and each
 * output of an If becomes a node that takes one of two tensors. Which one is known once the
 * condition is; what only the other branch needs is left out then, whether it can be computed or
 * not. */

#include "network_read_internal.h"

#include <opevo/text.h>

#include <stdlib.h>
#include <string.h>

enum {
    BRANCHES_MOST = 4096,
    BRANCH_MOST = 8192, /* nodes and constants of one: names are looked up one by one */
    DEPTH = 8           /* of graphs in graphs */
};

/* ---- How deep graphs lie -------------------------------------------------------------------- */

/* A number of the wire format; false at the end of the bytes. */
static bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;

        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* Level 0 is the model; below it graph, node, attribute, graph, ... come in turn. What is not a
 * message is left to the unpacker. */
static bool is_shallow(const uint8_t *at, const uint8_t *end, int level)
{
    static const uint64_t inner[] = {1, 5, 6}; /* fields: node, attribute, g */
    const uint64_t field = level ? inner[(level - 1) % 3] : 7;
    uint64_t key = 0, size = 0;

    if (level > 3 * DEPTH)
        return false;
    while (take_varint(&at, end, &key)) {
        switch (key & 7) {
        case 0:
            if (!take_varint(&at, end, &size))
                return true;
            continue;
        case 1:
            size = 8;
            break;
        case 2:
            if (!take_varint(&at, end, &size))
                return true;
            break;
        case 5:
            size = 4;
            break;
        default:
            return true;
        }
        if (size > (uint64_t)(end - at))
            return true;
        if ((key & 7) == 2 && key >> 3 == field && !is_shallow(at, at + size, level + 1))
            return false;
        at += size;
    }
    return true;
}

bool opevo_i_net_is_shallow(const void *bytes, size_t size)
{
    return is_shallow(bytes, (const uint8_t *)bytes + size, 0);
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* What is made here belongs to the model, which protobuf-c releases: it is of malloc. */
typedef struct expander {
    const opevo_i_net_reader *reader;
    Onnx__Graph *graph;
    int branches; /* how many If have been taken in */
} expander;

static opevo_status no_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the branches of the model.");
}

/* Whether a graph makes a tensor of this name. */
static bool makes(const Onnx__Graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->n_initializer; i++) {
        if (graph->initializer[i]->name && strcmp(graph->initializer[i]->name, name) == 0)
            return true;
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        for (size_t k = 0; k < graph->node[i]->n_output; k++)
            if (strcmp(graph->node[i]->output[k], name) == 0)
                return true;
    }
    return false;
}

static opevo_status rename_one(char **name, const char *prefix, opevo_error *err)
{
    opevo_text text = {0};
    char *made = NULL;

    opevo_text_printf(&text, "%s%s", prefix, *name);
    made = text.failed ? NULL : strdup(opevo_text_string(&text));
    opevo_text_free(&text);
    if (!made)
        return no_memory(err);
    free(*name);
    *name = made;
    return OPEVO_OK;
}

static opevo_status rename_in(const Onnx__Graph *of, Onnx__Graph *graph, const char *prefix,
                              opevo_error *err);

static opevo_status rename_names(const Onnx__Graph *of, char **names, size_t count,
                                 const char *prefix, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (*names[i] && makes(of, names[i]))
            status = rename_one(&names[i], prefix, err);
    }
    return status;
}

/* What `of` makes gets a prefix where nodes of a graph, which is `of` or inside of it, read it.
 * Names are looked up before any is changed: outputs come last. */
static opevo_status rename_in(const Onnx__Graph *of, Onnx__Graph *graph, const char *prefix,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < graph->n_node; i++) {
        Onnx__Node *node = graph->node[i];

        OPEVO_TRY(rename_names(of, node->input, node->n_input, prefix, err));
        for (size_t k = 0; k < node->n_attribute; k++) {
            if (node->attribute[k]->g)
                OPEVO_TRY(rename_in(of, node->attribute[k]->g, prefix, err));
        }
    }
    for (size_t i = 0; i < graph->n_output; i++) {
        if (graph->output[i]->name)
            OPEVO_TRY(rename_names(of, &graph->output[i]->name, 1, prefix, err));
    }
cleanup:
    return status;
}

static opevo_status rename_made(Onnx__Graph *graph, const char *prefix, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < graph->n_node; i++) {
        for (size_t k = 0; k < graph->node[i]->n_output; k++)
            if (*graph->node[i]->output[k])
                OPEVO_TRY(rename_one(&graph->node[i]->output[k], prefix, err));
    }
    for (size_t i = 0; i < graph->n_initializer; i++) {
        if (graph->initializer[i]->name)
            OPEVO_TRY(rename_one(&graph->initializer[i]->name, prefix, err));
    }
cleanup:
    return status;
}

/* ---- Branches ------------------------------------------------------------------------------- */

static Onnx__Graph *branch_of(const Onnx__Node *node, const char *name)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        if (node->attribute[i]->name && strcmp(node->attribute[i]->name, name) == 0)
            return node->attribute[i]->g;
    }
    return NULL;
}

static bool has_branches(const Onnx__Node *node)
{
    return node->op_type && strcmp(node->op_type, "If") == 0 && branch_of(node, "then_branch");
}

/* Append the pointers of a list to another one, which takes what they point to. */
static opevo_status append(void ***to, size_t *to_count, void **from, size_t *from_count,
                           opevo_error *err)
{
    void **grown = NULL;

    if (*from_count == 0)
        return OPEVO_OK;
    grown = realloc(*to, (*to_count + *from_count) * sizeof *grown);
    if (!grown)
        return no_memory(err);
    *to = grown;
    memcpy(grown + *to_count, from, *from_count * sizeof *grown);
    *to_count += *from_count;
    *from_count = 0;
    return OPEVO_OK;
}

/* The nodes and constants of a branch, under their new names. */
static opevo_status take_branch(expander *self, Onnx__Graph *branch, const char *word,
                                opevo_error *err)
{
    opevo_text prefix = {0};
    opevo_status status = OPEVO_OK;

    if (branch->n_node + branch->n_initializer > BRANCH_MOST)
        return opevo_i_net_reader_fail(self->reader, OPEVO_INVALID, err,
                                       "A branch of an If has more than %d nodes and constants.",
                                       BRANCH_MOST);
    opevo_text_printf(&prefix, "%s_%d/", word, self->branches);
    OPEVO_TRY(opevo_text_check(&prefix, err));
    OPEVO_TRY(rename_in(branch, branch, opevo_text_string(&prefix), err));
    OPEVO_TRY(rename_made(branch, opevo_text_string(&prefix), err));
    OPEVO_TRY(append((void ***)&self->graph->node, &self->graph->n_node, (void **)branch->node,
                     &branch->n_node, err));
    OPEVO_TRY(append((void ***)&self->graph->initializer, &self->graph->n_initializer,
                     (void **)branch->initializer, &branch->n_initializer, err));
cleanup:
    opevo_text_free(&prefix);
    return status;
}

/* A node If with inputs condition, one of `yes`, one of `no`. */
static opevo_status add_choice(expander *self, const Onnx__Node *source, size_t which,
                               const char *yes, const char *no, opevo_error *err)
{
    Onnx__Node *node = calloc(1, sizeof *node);
    const char *inputs[] = {source->input[0], yes, no};
    void *list[] = {node};
    opevo_status status = OPEVO_OK;
    size_t one = 1;

    if (!node)
        return no_memory(err);
    onnx__node__init(node);
    node->op_type = strdup("If");
    node->name = strdup(source->name ? source->name : "");
    node->input = calloc(3, sizeof *node->input);
    node->output = calloc(1, sizeof *node->output);
    if (!node->op_type || !node->name || !node->input || !node->output)
        OPEVO_TRY(no_memory(err));
    for (; node->n_input < 3; node->n_input++) {
        node->input[node->n_input] = strdup(inputs[node->n_input]);
        if (!node->input[node->n_input])
            OPEVO_TRY(no_memory(err));
    }
    node->output[0] = strdup(source->output[which]);
    if (!node->output[0])
        OPEVO_TRY(no_memory(err));
    node->n_output = 1;
    OPEVO_TRY(append((void ***)&self->graph->node, &self->graph->n_node, list, &one, err));
    node = NULL;
cleanup:
    if (node)
        onnx__node__free_unpacked(node, NULL);
    return status;
}

static opevo_status expand(expander *self, Onnx__Node *source, opevo_error *err)
{
    Onnx__Graph *yes = branch_of(source, "then_branch"), *no = branch_of(source, "else_branch");
    opevo_status status = OPEVO_OK;

    if (!yes || !no || source->n_input != 1 || !*source->input[0] ||
        yes->n_output != source->n_output || no->n_output != source->n_output)
        return opevo_i_net_reader_fail(self->reader, OPEVO_INVALID, err,
                                       "An If has no condition, or not two branches with its "
                                       "outputs.");
    if (++self->branches > BRANCHES_MOST)
        return opevo_i_net_reader_fail(self->reader, OPEVO_INVALID, err, "It has more than %d If.",
                                       BRANCHES_MOST);
    OPEVO_TRY(take_branch(self, yes, "then", err));
    OPEVO_TRY(take_branch(self, no, "else", err));
    for (size_t i = 0; i < source->n_output; i++) {
        if (*source->output[i])
            OPEVO_TRY(add_choice(self, source, i, yes->output[i]->name ? yes->output[i]->name : "",
                                 no->output[i]->name ? no->output[i]->name : "", err));
    }
cleanup:
    return status;
}

opevo_status opevo_i_net_expand_branches(opevo_i_net_reader *reader, opevo_error *err)
{
    expander self = {.reader = reader, .graph = reader->network->model->graph};
    size_t kept = 0;
    opevo_status status = OPEVO_OK;

    /* Branches are appended, so that those in branches come in turn. */
    for (size_t i = 0; i < self.graph->n_node; i++) {
        Onnx__Node *node = self.graph->node[i];

        if (has_branches(node))
            OPEVO_TRY(expand(&self, node, err));
    }
    for (size_t i = 0, main = reader->main_nodes; i < self.graph->n_node; i++) {
        Onnx__Node *node = self.graph->node[i];

        if (has_branches(node)) {
            onnx__node__free_unpacked(node, NULL);
            reader->main_nodes -= i < main;
        } else {
            self.graph->node[kept++] = node;
        }
    }
    self.graph->n_node = kept;
cleanup:
    return status;
}
