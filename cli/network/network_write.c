/* SPDX-License-Identifier: GPL-3.0-or-later */

/* --write: results as files with a TensorProto of the ONNX project. */

#include "network_cli_internal.h"

#include <opevo/file.h>
#include <opevo/text.h>

#include <string.h>

/* Fields of TensorProto, and the ways in which the wire format writes them. */
enum { DIMS = 1, DATA_TYPE = 2, NAME = 8, RAW_DATA = 9, VARINT = 0, BYTES = 2 };

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

opevo_status opevo_i_cli_network_write(const char *prefix, int number, const char *name,
                                       const opevo_array *array, opevo_error *err)
{
    size_t bytes = (size_t)opevo_array_elements(array) * opevo_network_type_bytes(array->type);
    opevo_text path = {0}, text = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s%d.pb", prefix, number);
    for (int d = 0; d < array->dims; d++)
        add_field(DIMS, VARINT, (uint64_t)array->extent[d], &text);
    add_field(DATA_TYPE, VARINT, (uint64_t)array->type, &text);
    add_field(NAME, BYTES, strlen(name), &text);
    opevo_text_add_bytes(&text, name, strlen(name));
    add_field(RAW_DATA, BYTES, bytes, &text);
    opevo_text_add_bytes(&text, array->data, bytes);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_text_check(&text, err));
    status = opevo_file_write(opevo_text_string(&path), opevo_text_string(&text), text.length, err);
cleanup:
    opevo_text_free(&path);
    opevo_text_free(&text);
    return status;
}
