/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "lines_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

opevo_i_read opevo_i_text_read_from(opevo_text *text, int descriptor, size_t limit)
{
    char piece[16384];
    ssize_t got = 0;
    size_t room = text->length < limit ? limit - text->length : 0;

    do {
        got = read(descriptor, piece, sizeof piece);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? OPEVO_I_READ_NOTHING : OPEVO_I_READ_END;
    if (got == 0)
        return OPEVO_I_READ_END;
    opevo_text_add_bytes(text, piece, (size_t)got < room ? (size_t)got : room);
    return text->failed ? OPEVO_I_READ_END : OPEVO_I_READ_SOME;
}

/* Forget what was given out, so that the buffer does not grow with the conversation. */
static void drop_taken(opevo_i_lines *lines)
{
    opevo_text *received = &lines->received;

    if (!lines->taken || !received->data)
        return;
    memmove(received->data, received->data + lines->taken, received->length - lines->taken + 1);
    received->length -= lines->taken;
    lines->searched -= lines->taken;
    lines->taken = 0;
}

opevo_i_read opevo_i_lines_read(opevo_i_lines *lines, int descriptor)
{
    drop_taken(lines);
    if (lines->received.length >= OPEVO_I_LINE_LIMIT)
        return OPEVO_I_READ_END;
    return opevo_i_text_read_from(&lines->received, descriptor, SIZE_MAX);
}

char *opevo_i_lines_next(opevo_i_lines *lines)
{
    opevo_text *received = &lines->received;
    char *line = received->data ? received->data + lines->taken : NULL;
    char *end = NULL;

    if (line && received->length > lines->searched)
        end = memchr(received->data + lines->searched, '\n', received->length - lines->searched);
    if (!end) {
        lines->searched = received->length;
        return NULL;
    }
    *end = '\0';
    lines->taken = (size_t)(end + 1 - received->data);
    lines->searched = lines->taken;
    return line;
}

void opevo_i_lines_free(opevo_i_lines *lines)
{
    opevo_text_free(&lines->received);
    *lines = (opevo_i_lines){0};
}
