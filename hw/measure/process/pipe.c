/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One read from a pipe into a growing text. */

#include "pipe_internal.h"

#include <errno.h>
#include <unistd.h>

opevo_i_process_read opevo_i_process_text_read_from(opevo_text *text, int descriptor, size_t limit)
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
