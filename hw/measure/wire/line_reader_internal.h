/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lines that come in over a pipe, in whatever pieces the pipe delivers them. */

#ifndef OPEVO_LINE_READER_INTERNAL_H
#define OPEVO_LINE_READER_INTERNAL_H

#include "pipe_internal.h"

/* Who sends more without getting on speaks another language: a worker, and its engine, whose jobs
 * carry sources. */
#define OPEVO_I_WORKER_BYTES ((size_t)4 << 20)
#define OPEVO_I_ENGINE_BYTES ((size_t)64 << 20)

/* A plain value; start from {0}. */
typedef struct opevo_i_wire_line_reader {
    opevo_text received;
    size_t taken;          /* bytes of it already given out */
    size_t searched;       /* bytes of it known to hold no further line end */
    size_t unparsed_bytes; /* read since the owner last set this to 0, which only progress does */
} opevo_i_wire_line_reader;

/* Read once what is there, unless `limit` bytes are unparsed. */
opevo_i_process_read opevo_i_wire_line_reader_read(opevo_i_wire_line_reader *lines, int descriptor,
                                                   size_t limit);
/* Whether a whole line is there; each byte is looked at once. */
bool opevo_i_wire_line_reader_ready(opevo_i_wire_line_reader *lines);
/* The next whole line without its end, NULL if none exists; borrowed until the next read. */
char *opevo_i_wire_line_reader_next(opevo_i_wire_line_reader *lines);
void opevo_i_wire_line_reader_free(opevo_i_wire_line_reader *lines);

#endif
