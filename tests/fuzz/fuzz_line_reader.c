/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lines from a pipe. The first byte says in how large pieces the rest arrives; what comes out is
 * what stands between the line ends. */

#include "fuzz.h"

#include "line_reader_internal.h"

#include <string.h>
#include <unistd.h>

/* Take what has arrived and compare it with the bytes at *next. */
static void take(opevo_i_wire_line_reader *lines, const uint8_t *data, size_t arrived, size_t *next)
{
    while (opevo_i_wire_line_reader_ready(lines)) {
        const char *line = opevo_i_wire_line_reader_next(lines);
        const uint8_t *end = memchr(data + *next, '\n', arrived - *next);
        size_t length = 0;

        FUZZ_CHECK(line != NULL && end != NULL);
        length = (size_t)(end - data) - *next;
        FUZZ_CHECK(memcmp(line, data + *next, length) == 0 && line[length] == '\0');
        *next += length + 1;
    }
    FUZZ_CHECK(opevo_i_wire_line_reader_next(lines) == NULL);
    FUZZ_CHECK(*next == arrived || !memchr(data + *next, '\n', arrived - *next));
}

void fuzz_one(const uint8_t *data, size_t size)
{
    opevo_i_wire_line_reader lines = {0};
    size_t piece = size ? (size_t)data[0] + 1 : 1;
    size_t next = 1;
    int ends[2];

    FUZZ_CHECK(pipe(ends) == 0);
    for (size_t at = 1; at < size;) {
        size_t length = piece < size - at ? piece : size - at;

        FUZZ_CHECK(write(ends[1], data + at, length) == (ssize_t)length);
        FUZZ_CHECK(opevo_i_wire_line_reader_read(&lines, ends[0], OPEVO_I_ENGINE_BYTES) ==
                   OPEVO_I_READ_SOME);
        at += length;
        take(&lines, data, at, &next);
    }
    close(ends[1]);
    FUZZ_CHECK(opevo_i_wire_line_reader_read(&lines, ends[0], OPEVO_I_ENGINE_BYTES) ==
               OPEVO_I_READ_END);
    close(ends[0]);
    opevo_i_wire_line_reader_free(&lines);
}
