/* SPDX-License-Identifier: GPL-3.0-or-later */

/* --write: results as files with a TensorProto or SequenceProto of the ONNX project. */

#include "network_cli_internal.h"

#include <opevo/file.h>
#include <opevo/text.h>

#include <string.h>

/* Fields of TensorProto, and the ways in which the wire format writes them. */
enum { DIMS = 1, DATA_TYPE = 2, NAME = 8, RAW_DATA = 9, VARINT = 0, BYTES = 2 };
/* Of SequenceProto. */
enum { LIST_NAME = 1, ELEMENT_TYPE = 2, TENSORS = 3, OF_TENSORS = 1 };

static void add_number(uint64_t number, opevo_text *out)
{
    for (; number > 127; number >>= 7)
        opevo_text_add_bytes(out, &(char){(char)((number & 127) | 128)}, 1);
    opevo_text_add_bytes(out, &(char){(char)number}, 1);
}

static void add_field(unsigned field, unsigned wire, uint64_t number, opevo_text *out)
{
    add_number(field << 3 | wire, out);
    add_number(number, out);
}

static void add_text(unsigned field, const char *text, size_t length, opevo_text *out)
{
    add_field(field, BYTES, length, out);
    opevo_text_add_bytes(out, text, length);
}

static void add_tensor(const opevo_array *array, const char *name, opevo_text *out)
{
    size_t bytes = (size_t)opevo_array_elements(array) * opevo_network_type_bytes(array->type);

    for (int d = 0; d < array->dims; d++)
        add_field(DIMS, VARINT, (uint64_t)array->extent[d], out);
    add_field(DATA_TYPE, VARINT, (uint64_t)array->type, out);
    add_text(NAME, name, strlen(name), out);
    add_text(RAW_DATA, array->data, bytes, out);
}

opevo_status opevo_i_cli_network_write(const char *prefix, int number, const char *name,
                                       const opevo_array *array, int length, opevo_error *err)
{
    opevo_text path = {0}, text = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s%d.pb", prefix, number);
    if (length == OPEVO_NETWORK_TENSOR) {
        add_tensor(array, name, &text);
    } else {
        add_text(LIST_NAME, name, strlen(name), &text);
        add_field(ELEMENT_TYPE, VARINT, length == OPEVO_NETWORK_EMPTY ? 0 : OF_TENSORS, &text);
    }
    for (int i = 0; i < length; i++) {
        opevo_text tensor = {0};

        add_tensor(&array[i], "", &tensor);
        status = opevo_text_check(&tensor, err);
        if (status == OPEVO_OK)
            add_text(TENSORS, opevo_text_string(&tensor), tensor.length, &text);
        opevo_text_free(&tensor);
        if (status != OPEVO_OK)
            goto cleanup;
    }
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_text_check(&text, err));
    status = opevo_file_write(opevo_text_string(&path), opevo_text_string(&text), text.length, err);
cleanup:
    opevo_text_free(&path);
    opevo_text_free(&text);
    return status;
}
