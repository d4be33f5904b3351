/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole lines cut out of what has been received so far. */

#include "line_reader_internal.h"

#include <string.h>

/* Forget what was given out, so that the buffer does not grow with the conversation. */
static void drop_taken(opevo_i_wire_line_reader *lines)
{
    opevo_text *received = &lines->received;

    if (!lines->taken || !received->data)
        return;
    memmove(received->data, received->data + lines->taken, received->length - lines->taken + 1);
    received->length -= lines->taken;
    lines->searched -= lines->taken;
    lines->taken = 0;
}

opevo_i_process_read opevo_i_wire_line_reader_read(opevo_i_wire_line_reader *lines, int descriptor,
                                                   size_t limit)
{
    opevo_i_process_read got = OPEVO_I_READ_END;
    size_t before = 0;

    drop_taken(lines);
    before = lines->received.length;
    if (lines->unparsed_bytes < limit)
        got = opevo_i_process_text_read_from(&lines->received, descriptor, SIZE_MAX);
    lines->unparsed_bytes += lines->received.length - before;
    return got;
}

bool opevo_i_wire_line_reader_ready(opevo_i_wire_line_reader *lines)
{
    const opevo_text *received = &lines->received;
    const char *end = NULL;

    if (received->length > lines->searched)
        end = memchr(received->data + lines->searched, '\n', received->length - lines->searched);
    lines->searched = end ? (size_t)(end - received->data) : received->length;
    return end != NULL;
}

char *opevo_i_wire_line_reader_next(opevo_i_wire_line_reader *lines)
{
    char *line = NULL;

    if (!opevo_i_wire_line_reader_ready(lines))
        return NULL;
    line = lines->received.data + lines->taken;
    lines->received.data[lines->searched++] = '\0';
    lines->taken = lines->searched;
    return line;
}

void opevo_i_wire_line_reader_free(opevo_i_wire_line_reader *lines)
{
    opevo_text_free(&lines->received);
    *lines = (opevo_i_wire_line_reader){0};
}
