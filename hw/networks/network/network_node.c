/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What operators ask of their node: attributes, constant inputs, and the text of definitions. */

#include "network_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* Whether definitions read input `in`. */
static bool is_declared(const opevo_text *text, int in)
{
    char name[16];

    snprintf(name, sizeof name, "X%d[", in);
    return strstr(opevo_text_string(text), name) != NULL;
}

bool opevo_i_net_is_computed(const opevo_i_net_call *call)
{
    opevo_text text = {0};
    bool computed = call->node->row->define && call->ins && call->in[0] &&
                    call->in[0]->array.type == OPEVO_NETWORK_FLOAT32;

    for (int i = 0; i < call->ins; i++) {
        if (call->in[i] && call->in[i]->array.type == OPEVO_NETWORK_FLOAT32 &&
            opevo_array_elements(&call->in[i]->array) == 0)
            computed = false;
    }
    for (int i = 0; i < call->outs; i++) {
        if (call->out[i] && (call->out[i]->array.type != OPEVO_NETWORK_FLOAT32 ||
                             opevo_array_elements(&call->out[i]->array) == 0))
            computed = false;
    }
    if (computed)
        computed = call->node->row->define(call, &text, NULL) == OPEVO_OK;
    for (int i = 0; i < call->ins && computed; i++) {
        if (call->in[i] && call->in[i]->array.type != OPEVO_NETWORK_FLOAT32)
            computed = !is_declared(&text, i);
    }
    opevo_text_free(&text);
    return computed;
}

char *opevo_i_net_node_name(const opevo_network *network, int number)
{
    const char *given = network->node[number].super.name;
    char name[32];

    if (*given)
        return opevo_strdup(given);
    snprintf(name, sizeof name, "node %d", number);
    return opevo_strdup(name);
}

/* ---- Attributes ---- */

const Onnx__Attribute *opevo_i_net_attribute(const opevo_i_net_call *call, const char *name)
{
    const Onnx__Node *source = call->node->source;

    for (size_t i = 0; i < source->n_attribute; i++) {
        if (source->attribute[i]->name && strcmp(source->attribute[i]->name, name) == 0)
            return source->attribute[i];
    }
    return NULL;
}

int64_t opevo_i_net_attribute_int(const opevo_i_net_call *call, const char *name, int64_t absent)
{
    const Onnx__Attribute *attribute = opevo_i_net_attribute(call, name);

    return attribute ? attribute->i : absent;
}

double opevo_i_net_attribute_float(const opevo_i_net_call *call, const char *name, double absent)
{
    const Onnx__Attribute *attribute = opevo_i_net_attribute(call, name);

    return attribute ? (double)attribute->f : absent;
}

bool opevo_i_net_attribute_is(const opevo_i_net_call *call, const char *name, const char *text)
{
    const Onnx__Attribute *attribute = opevo_i_net_attribute(call, name);

    return attribute && attribute->s.len == strlen(text) &&
           memcmp(attribute->s.data, text, attribute->s.len) == 0;
}

opevo_status opevo_i_net_fail_open(const opevo_i_net_call *call, int in, const char *name,
                                   const char *what, opevo_error *err)
{
    const opevo_network_value *value = call->in[in];

    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "Input %d%s%s%s must be %s, so that shapes are known%s%.100s%s.", in,
                      name ? " (" : "", name ? name : "", name ? ")" : "", what,
                      value->input ? "; bind it with --bind '" : "",
                      value->input ? value->name : "", value->input ? "=VALUE'" : "");
}

opevo_status opevo_i_net_attribute_ints(const opevo_i_net_call *call, const char *name, int count,
                                        int64_t absent, int64_t *out, opevo_error *err)
{
    const Onnx__Attribute *attribute = opevo_i_net_attribute(call, name);

    if (attribute && attribute->n_ints != (size_t)count)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute %s has %zu numbers instead of %d.", name,
                          attribute->n_ints, count);
    for (int i = 0; i < count; i++)
        out[i] = attribute ? attribute->ints[i] : absent;
    return OPEVO_OK;
}

opevo_status opevo_i_net_list(const opevo_i_net_call *call, int in, int since, const char *name,
                              int most, int64_t *out, int *count, opevo_error *err)
{
    const opevo_network_value *value = in >= 0 && in < call->ins ? call->in[in] : NULL;
    const Onnx__Attribute *attribute = opevo_i_net_attribute(call, name);
    int64_t given = value       ? opevo_array_elements(&value->array)
                    : attribute ? (int64_t)attribute->n_ints
                                : -1;

    if (value && call->opset < since)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Input %d (%s) is of opsets from %d; in opset %lld it is an attribute.",
                          in, name, since, (long long)call->opset);
    if (value && (!value->array.data || !opevo_i_net_type_is_whole(value->array.type)))
        return opevo_i_net_fail_open(call, in, name, "constant whole numbers", err);
    if (given > most)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has %lld numbers, which is more than %d.", name,
                          (long long)given, most);
    for (int64_t i = 0; i < given; i++)
        out[i] =
            value ? opevo_i_net_whole(&value->array, value->array.data, i) : attribute->ints[i];
    *count = (int)given;
    return OPEVO_OK;
}

opevo_status opevo_i_net_infer_same(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;

    return opevo_i_net_shape(call->out[0], in->type, in->dims, in->extent, err);
}

opevo_status opevo_i_net_define_none(const opevo_i_net_call *call, opevo_text *out,
                                     opevo_error *err)
{
    (void)call;
    (void)out;
    return OPEVO_FAIL(err, OPEVO_MISMATCH, "It has no definitions.");
}

/* ---- Text ---- */

void opevo_i_net_axes(const char *prefix, const opevo_array *array, opevo_text *out)
{
    for (int d = 0; d < array->dims; d++)
        opevo_text_printf(out, "%s%s%d:%lld", d ? ", " : "", prefix, d,
                          (long long)array->extent[d]);
}

void opevo_i_net_declare(const opevo_i_net_call *call, int in, opevo_text *out)
{
    const opevo_array *array = &call->in[in]->array;

    opevo_text_printf(out, "%sX%d[", call->in[in]->constant ? "const " : "", in);
    for (int d = 0; d < array->dims; d++)
        opevo_text_printf(out, "%s%lld", d ? ", " : "", (long long)array->extent[d]);
    opevo_text_add(out, "]\n");
}

void opevo_i_net_read(const opevo_i_net_call *call, int in, const char *prefix, int dims,
                      opevo_text *out)
{
    const opevo_array *array = &call->in[in]->array;

    opevo_text_printf(out, "X%d[", in);
    for (int d = 0; d < array->dims; d++) {
        opevo_text_add(out, d ? ", " : "");
        if (array->extent[d] == 1)
            opevo_text_add(out, "0");
        else
            opevo_text_printf(out, "%s%d", prefix, d + dims - array->dims);
    }
    opevo_text_add(out, "]");
}
