/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of a model: a call is the nodes of its function, on the tensors of the call. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64 };

/* ---- Attributes that are those of the call -------------------------------------------------- */

static bool refers(const Onnx__Attribute *attribute)
{
    return attribute->ref_attr_name && *attribute->ref_attr_name;
}

static bool any_refers(const Onnx__Node *node)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Onnx__Graph *graph = node->attribute[i]->g;

        if (refers(node->attribute[i]))
            return true;
        for (size_t k = 0; graph && k < graph->n_node; k++)
            if (any_refers(graph->node[k]))
                return true;
    }
    return false;
}

static const Onnx__Attribute *find(Onnx__Attribute *const *attribute, size_t count,
                                   const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (attribute[i]->name && strcmp(attribute[i]->name, name) == 0)
            return attribute[i];
    }
    return NULL;
}

/* Copies go through the wire format, and are of malloc. NULL without memory. */
static Onnx__Attribute *copy_attribute(const Onnx__Attribute *from, const char *name)
{
    Onnx__Attribute like = *from, *made = NULL;
    uint8_t *bytes = NULL;

    like.name = (char *)name;
    bytes = malloc(onnx__attribute__get_packed_size(&like) + 1);
    if (bytes)
        made = onnx__attribute__unpack(NULL, onnx__attribute__pack(&like, bytes), bytes);
    free(bytes);
    return made;
}

/* Attributes without a value in the call and without a default are left out. */
static bool resolve(Onnx__Node *node, const opevo_i_net_scope *scope)
{
    size_t kept = 0;
    bool made = true;

    for (size_t i = 0; i < node->n_attribute; i++) {
        Onnx__Attribute *attribute = node->attribute[i];
        const Onnx__Attribute *value = NULL;

        node->attribute[kept] = attribute;
        if (refers(attribute)) {
            const char *name = attribute->ref_attr_name;

            value = find(scope->call->attribute, scope->call->n_attribute, name);
            if (!value)
                value = find(scope->function->attribute_proto, scope->function->n_attribute_proto,
                             name);
            node->attribute[kept] =
                value ? copy_attribute(value, attribute->name ? attribute->name : "") : NULL;
            made &= !value || node->attribute[kept];
            onnx__attribute__free_unpacked(attribute, NULL);
        } else if (attribute->g) {
            for (size_t k = 0; k < attribute->g->n_node; k++)
                made &= resolve(attribute->g->node[k], scope);
        }
        kept += node->attribute[kept] != NULL;
    }
    node->n_attribute = kept;
    return made;
}

opevo_status opevo_i_net_resolve(opevo_i_net_reader *self, const opevo_i_net_scope *scope,
                                 const Onnx__Node *source, const Onnx__Node **out, opevo_error *err)
{
    Onnx__Node *made = NULL;

    *out = source;
    if (!any_refers(source))
        return OPEVO_OK;
    made = opevo_i_net_copy_node(source);
    if (!made || !resolve(made, scope)) {
        if (made)
            onnx__node__free_unpacked(made, NULL);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a function of %s.", self->network->path);
    }
    *out = made;
    return opevo_i_net_reader_own(self, made, err);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static int64_t opset_of(const Onnx__Function *function, int64_t absent)
{
    for (size_t i = 0; i < function->n_opset_import; i++) {
        const char *domain = function->opset_import[i]->domain;

        if (!domain || !*domain || strcmp(domain, "ai.onnx") == 0)
            return function->opset_import[i]->version;
    }
    return absent;
}

/* Results that are not those of nodes of the function, but its inputs, are copied. */
static void call(opevo_i_net_builder *self, const Onnx__Function *function)
{
    opevo_i_net_scope inner = {.prefix = "",
                               .call = self->source,
                               .function = function,
                               .opset = opset_of(function, self->scope->opset),
                               .depth = self->scope->depth + 1,
                               .is_branch = self->scope->is_branch};
    int *target = opevo_malloc((size_t)self->outs + 1, sizeof *target);
    opevo_status status = OPEVO_OK;
    opevo_error *err = self->err;

    OPEVO_NEED(target, "a function of a model");
    OPEVO_TRY(opevo_i_net_reader_start(self->reader, self->scope->prefix, function->name,
                                       &inner.prefix, err));
    inner.called = inner.prefix;
    for (size_t i = 0; i < function->n_input; i++)
        OPEVO_TRY(opevo_i_net_names_put(&inner.names, function->input[i],
                                        opevo_i_net_build_input(self, (int)i), err));
    for (int i = 0; i < self->outs; i++) {
        target[i] = opevo_i_net_build_target(self, i);
        if (target[i] >= 0 &&
            opevo_i_net_names_get(&inner.names, function->output[i]) == OPEVO_I_NET_UNNAMED)
            OPEVO_TRY(opevo_i_net_names_put(&inner.names, function->output[i], target[i], err));
    }
    OPEVO_TRY(self->status);
    OPEVO_TRY(self->reader->read_all(self->reader, &inner, function->node, function->n_node, err));
    for (int i = 0; i < self->outs && self->status == OPEVO_OK; i++) {
        int made = opevo_i_net_names_get(&inner.names, function->output[i]);

        if (made == OPEVO_I_NET_UNNAMED && target[i] >= 0)
            opevo_i_net_build_fail(self, "An output of its function is not made by any node.");
        else if (made != target[i])
            opevo_i_net_build_output(self, i, made);
    }
    status = self->status;
cleanup:
    opevo_i_net_names_free(&inner.names);
    opevo_free(target);
    self->status = status;
}

static void call_of_source(opevo_i_net_builder *self)
{
    int number = opevo_i_net_function_of(self->reader, self->source);
    const Onnx__Function *function =
        number < 0 ? NULL : self->reader->network->model->functions[number];

    if (!function || (size_t)self->ins > function->n_input ||
        (size_t)self->outs > function->n_output)
        opevo_i_net_build_fail(self, "The model has no function of so many inputs and outputs.");
    else if (self->scope->depth == DEPTH)
        opevo_i_net_build_fail(self, "Functions call each other more than 64 deep.");
    else
        call(self, function);
}

opevo_status opevo_i_net_read_call(opevo_i_net_reader *self, opevo_i_net_scope *scope,
                                   const Onnx__Node *source, opevo_error *err)
{
    static const opevo_i_net_form form = {"", 0, 0, 0, call_of_source};

    return opevo_i_net_expand(self, scope, source, &form, err);
}
