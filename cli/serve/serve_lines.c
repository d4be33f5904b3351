/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lines of requests. The buffer holds at most one request that is not whole beside what was read
 * last, whatever a client sends. */

#include "serve_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* Move what is not given out to the front. */
static void compact(opevo_i_cli_request_lines *self)
{
    if (self->taken == 0)
        return;
    memmove(self->data, self->data + self->taken, self->length - self->taken);
    self->length -= self->taken;
    self->searched -= self->taken;
    self->taken = 0;
}

bool opevo_i_cli_request_lines_add(opevo_i_cli_request_lines *self, const char *bytes,
                                   size_t length)
{
    void *data = self->data;

    compact(self);
    if (!opevo_reserve(&data, &self->capacity, self->length + length, 1))
        return false;
    self->data = data;
    if (length > 0)
        memcpy(self->data + self->length, bytes, length);
    self->length += length;
    return true;
}

/* Give out what stands before `end`, and step over it and the line end. */
static opevo_i_cli_got_line give(opevo_i_cli_request_lines *self, size_t end, const char **line,
                                 size_t *length)
{
    bool skipping = self->skipping;

    *line = self->data + self->taken;
    *length = end - self->taken;
    self->taken = self->searched = end < self->length ? end + 1 : end;
    self->skipping = false;
    if (skipping)
        return OPEVO_I_LINE_NONE;
    return *length > OPEVO_I_SERVE_LINE_MOST ? OPEVO_I_LINE_TOO_LONG : OPEVO_I_LINE;
}

/* Drop the beginning of a line that is too long; told the first time. */
static opevo_i_cli_got_line skip(opevo_i_cli_request_lines *self)
{
    bool skipping = self->skipping;

    if (!skipping && self->length - self->taken <= OPEVO_I_SERVE_LINE_MOST)
        return OPEVO_I_LINE_NONE;
    self->taken = self->searched = self->length;
    self->skipping = true;
    return skipping ? OPEVO_I_LINE_NONE : OPEVO_I_LINE_TOO_LONG;
}

opevo_i_cli_got_line opevo_i_cli_request_lines_next(opevo_i_cli_request_lines *self, bool at_end,
                                                    const char **line, size_t *length)
{
    while (self->searched < self->length) {
        const char *end = memchr(self->data + self->searched, '\n', self->length - self->searched);
        opevo_i_cli_got_line got = OPEVO_I_LINE_NONE;

        self->searched = self->length;
        if (!end)
            break;
        got = give(self, (size_t)(end - self->data), line, length);
        if (got != OPEVO_I_LINE_NONE)
            return got;
    }
    if (at_end && self->taken < self->length)
        return give(self, self->length, line, length);
    return skip(self);
}

void opevo_i_cli_request_lines_free(opevo_i_cli_request_lines *self)
{
    opevo_free(self->data);
    *self = (opevo_i_cli_request_lines){.data = NULL};
}
