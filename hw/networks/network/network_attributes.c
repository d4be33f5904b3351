/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether the attributes of a node are those of its operator: names, types, opsets. */

#include "network_internal.h"

#include <stdlib.h>
#include <string.h>

/* AttributeProto.AttributeType of the ONNX project, by number. */
enum { UNSET, FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS, STRINGS };
static const char *const types[] = {"unset",  "float",  "int",     "string",  "tensor",
                                    "graph",  "floats", "ints",    "strings", "tensors",
                                    "graphs", "sparse", "sparses", "type"};
enum { TYPES = sizeof types / sizeof *types };

/* One word of opevo_i_net_operator.attributes. */
typedef struct word {
    const char *name;
    size_t length; /* of the name */
    int type;
    long first, last; /* opsets that have it */
    bool required;
} word;

/* The word at `text`; returns what is behind it, NULL at the end. */
static const char *take_word(const char *text, word *out)
{
    size_t length = 0;
    char *end = NULL;

    text += strspn(text, " ");
    if (!*text)
        return NULL;
    *out = (word){.name = text, .length = strcspn(text, "="), .last = OPEVO_NETWORK_OPSET};
    text += out->length + 1;
    length = strcspn(text, ":! ");
    for (int i = 0; i < TYPES; i++) {
        if (strlen(types[i]) == length && strncmp(types[i], text, length) == 0)
            out->type = i;
    }
    text += length;
    if (*text == ':') {
        long number = strtol(text + 1, &end, 10);

        text = end + (*end == '-');
        if (number < 0)
            out->last = -number;
        else
            out->first = number;
    }
    out->required = *text == '!';
    return text + out->required;
}

static bool is_named(const word *self, const Onnx__Attribute *attribute)
{
    const char *name = attribute->name ? attribute->name : "";

    return strlen(name) == self->length && strncmp(name, self->name, self->length) == 0;
}

/* Whether there is a value of this type, or no value: empty lists are not written, and neither is a
 * 0 by some writers. */
static bool has_value_of(const Onnx__Attribute *attribute, int type)
{
    const bool has[] = {[FLOAT] = attribute->has_f,          [INT] = attribute->has_i,
                        [STRING] = attribute->has_s,         [TENSOR] = attribute->t != NULL,
                        [FLOATS] = attribute->n_floats > 0,  [INTS] = attribute->n_ints > 0,
                        [STRINGS] = attribute->n_strings > 0};
    const int count = sizeof has / sizeof *has;
    bool any = false;

    for (int i = 0; i < count; i++)
        any |= has[i];
    return !any || (type < count && has[type]);
}

/* Models of old IR versions leave the type out; then the value says it. */
static opevo_status check_type(const word *self, const Onnx__Attribute *attribute, opevo_error *err)
{
    int type = attribute->has_type ? attribute->type : UNSET;

    if (type != UNSET && type != self->type)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute %s is of type %s instead of %s.",
                          attribute->name, type > UNSET && type < TYPES ? types[type] : "unknown",
                          types[self->type]);
    if (!has_value_of(attribute, self->type))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute %s has a value of another type than %s.",
                          attribute->name, types[self->type]);
    return OPEVO_OK;
}

static opevo_status check_one(const char *known, int64_t opset, const Onnx__Attribute *attribute,
                              opevo_error *err)
{
    word self;

    while (known && (known = take_word(known, &self))) {
        if (!is_named(&self, attribute))
            continue;
        if (opset < self.first || opset > self.last)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Attribute %s is of opsets %s%ld, and the model is of opset %lld.",
                              attribute->name, opset < self.first ? "from " : "up to ",
                              opset < self.first ? self.first : self.last, (long long)opset);
        return check_type(&self, attribute, err);
    }
    return OPEVO_FAIL(err, OPEVO_INVALID, "Its operator has no attribute '%.100s'.",
                      attribute->name ? attribute->name : "");
}

opevo_status opevo_i_net_check_attributes(const Onnx__Node *node, const opevo_i_net_operator *row,
                                          int64_t opset, opevo_error *err)
{
    const char *known = row->attributes;
    opevo_status status = OPEVO_OK;
    word self;

    for (size_t i = 0; i < node->n_attribute; i++)
        OPEVO_TRY(check_one(known, opset, node->attribute[i], err));
    while (known && (known = take_word(known, &self))) {
        bool given = !self.required || opset < self.first || opset > self.last;

        for (size_t i = 0; i < node->n_attribute; i++)
            given |= is_named(&self, node->attribute[i]);
        if (!given)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute %.*s is missing.", (int)self.length,
                              self.name);
    }
cleanup:
    return status;
}
