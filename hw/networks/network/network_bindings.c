/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inputs that the caller binds to values. */

#include "network_read_internal.h"

#include <opevo/memory.h>
#include <opevo/text.h>

#include <string.h>

#define SAY(reader, err, ...) opevo_i_net_reader_fail(reader, OPEVO_INVALID, err, __VA_ARGS__)

const char *opevo_i_net_binding_of(const opevo_i_net_reader *self, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < self->given.binding_count; i++) {
        const char *text = self->given.bindings[i];

        if (strncmp(text, name, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

/* The shape of the input if it is known and has so many elements; else one dimension. */
static void take_shape(const Onnx__Shape *shape, size_t count, opevo_array *array)
{
    size_t elements = 1;
    bool known = shape && shape->n_dim <= OPEVO_NETWORK_DIMS;

    for (size_t d = 0; known && d < shape->n_dim; d++) {
        array->extent[d] = shape->dim[d]->has_dim_value && shape->dim[d]->dim_value > 0
                               ? shape->dim[d]->dim_value
                               : 1;
        elements *= array->extent[d] <= (int64_t)count ? (size_t)array->extent[d] : 2 * count;
        known = elements <= count;
    }
    array->dims = known && elements == count ? (int)shape->n_dim : 1;
    if (array->dims == 1)
        array->extent[0] = (int64_t)count;
}

static opevo_status read_numbers(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                                 const char *text, opevo_array *out, opevo_error *err)
{
    const Onnx__TensorType *type = info->type ? info->type->tensor_type : NULL;
    char *list = opevo_strdup(text), *rest = list;
    opevo_status status = OPEVO_OK;
    size_t count = 1;

    OPEVO_NEED_OR_RETURN(list, "a binding");
    for (const char *c = text; *c; c++)
        count += *c == ',';
    out->type = opevo_i_net_type_of(type ? type->elem_type : 0);
    if (out->type == OPEVO_NETWORK_NO_TYPE)
        OPEVO_TRY(
            SAY(self, err, "Input '%s' is not a tensor of a type that opevo reads.", info->name));
    take_shape(type->shape, count, out);
    OPEVO_TRY(opevo_array_allocate(out, err));
    for (size_t i = 0; i < count; i++) {
        const char *word = strsep(&rest, ",");
        double number = 0;

        if (!opevo_parse_double(word, &number))
            OPEVO_TRY(SAY(self, err,
                          "--bind %s=%.100s: '%.40s' is not a number; give numbers, or a file .pb.",
                          info->name, text, word));
        opevo_i_net_set_number(out->type, out->data, (int64_t)i, number);
    }
cleanup:
    opevo_free(list);
    return status;
}

opevo_status opevo_i_net_bind(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                              const char *text, opevo_network_value *value, opevo_error *err)
{
    const Onnx__TensorType *type = info->type ? info->type->tensor_type : NULL;
    size_t length = strlen(text);
    opevo_status status = OPEVO_OK;

    if (length < 3 || strcmp(text + length - 3, ".pb") != 0) {
        OPEVO_TRY(read_numbers(self, info, text, &value->array, err));
    } else {
        OPEVO_TRY(opevo_array_read(text, &value->array, err));
        if (!type || opevo_i_net_type_of(type->elem_type) != value->array.type)
            OPEVO_TRY(SAY(self, err, "Input '%s' is of another type than %s.", info->name, text));
    }
    value->constant = true;
cleanup:
    return status;
}
