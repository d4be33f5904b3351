/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Elements of a buffer: from numbers, and from a file of numbers as text, an array of NumPy, or the
 * bare elements. */

#include "kernel_harness_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <stdlib.h>
#include <string.h>

#define FILE_BYTES ((size_t)2 << 30)

/* ---- Elements ---- */

void opevo_i_harness_set_integer(opevo_buffer *buffer, size_t i, int64_t value)
{
    size_t size = opevo_kernel_element_size(buffer->element);

    if (opevo_kernel_element_is_real(buffer->element)) {
        opevo_kernel_element_put(buffer->element, buffer->data, i, (double)value);
        return;
    }
    for (size_t b = 0; b < size; b++) {
        size_t place = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? b : size - 1 - b;

        ((unsigned char *)buffer->data)[i * size + place] = (unsigned char)(value >> (8 * b));
    }
}

void opevo_i_harness_set_number(opevo_buffer *buffer, size_t i, double value)
{
    if (opevo_kernel_element_is_real(buffer->element))
        opevo_kernel_element_put(buffer->element, buffer->data, i, value);
    else
        opevo_i_harness_set_integer(buffer, i, (int64_t)value);
}

/* ---- Files ---- */

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), wanted = strlen(ending);

    return length > wanted && !strcmp(path + length - wanted, ending);
}

static bool is_separator(char c)
{
    return c && strchr(" \t\r\n,;", c);
}

static opevo_status read_text(const char *path, const char *text, opevo_buffer *buffer,
                              opevo_error *err)
{
    size_t found = 0;

    for (const char *at = text;; found++) {
        char *end = NULL;
        double value = 0;

        while (is_separator(*at))
            at++;
        if (!*at)
            break;
        value = strtod(at, &end);
        if (end == at || (*end && !is_separator(*end)))
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"%.20s\" is not a number.", path, at);
        if (found < buffer->count)
            opevo_i_harness_set_number(buffer, found, value);
        at = end;
    }
    return found == buffer->count
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_INVALID, "%s: %zu numbers instead of %zu.", path, found,
                            buffer->count);
}

/* Where the elements of a file of NumPy begin, version 1 to 3; 0 for another file or type. */
static size_t find_numpy(const char *data, size_t size, opevo_kernel_element element)
{
    static const char *const types[] = {
        [OPEVO_KERNEL_ELEMENT_F32] = "'<f4'", [OPEVO_KERNEL_ELEMENT_F64] = "'<f8'",
        [OPEVO_KERNEL_ELEMENT_I32] = "'<i4'", [OPEVO_KERNEL_ELEMENT_U32] = "'<u4'",
        [OPEVO_KERNEL_ELEMENT_I64] = "'<i8'", [OPEVO_KERNEL_ELEMENT_U64] = "'<u8'",
        [OPEVO_KERNEL_ELEMENT_I16] = "'<i2'", [OPEVO_KERNEL_ELEMENT_U16] = "'<u2'",
        [OPEVO_KERNEL_ELEMENT_I8] = "'|i1'",  [OPEVO_KERNEL_ELEMENT_U8] = "'|u1'",
        [OPEVO_KERNEL_ELEMENT_F16] = "'<f2'"};
    const unsigned char *bytes = (const unsigned char *)data;
    size_t head = size > 12 && bytes[6] == 1 ? 10 : 12, length = 0, end = 0;

    if (size < 16 || memcmp(data, "\x93NUMPY", 6) != 0)
        return 0;
    length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (head == 12)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    end = head + length;
    if (end > size || !memmem(data, end, types[element], strlen(types[element])) ||
        memmem(data, end, "'fortran_order': True", 21))
        return 0;
    return end;
}

opevo_status opevo_harness_read_numbers(const char *path, opevo_kernel_element element,
                                        size_t count, void *out, opevo_error *err)
{
    opevo_buffer buffer = {.element = element, .count = count, .data = out};
    size_t bytes = count * opevo_kernel_element_size(element), size = 0, from = 0;
    char *data = NULL;
    opevo_status status = opevo_file_read(path, FILE_BYTES, &data, &size, err);

    if (status != OPEVO_OK)
        return status;
    if (ends_with(path, ".txt") || ends_with(path, ".csv")) {
        status = read_text(path, data, &buffer, err);
    } else {
        if (ends_with(path, ".npy") && !(from = find_numpy(data, size, element)))
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "%s: not an array of NumPy of the type %s in the order of C.", path,
                                opevo_kernel_element_name(element));
        else if (size - from != bytes)
            status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: %zu bytes of elements instead of %zu.",
                                path, size - from, bytes);
        else
            memcpy(out, data + from, bytes);
    }
    opevo_free(data);
    return status;
}
