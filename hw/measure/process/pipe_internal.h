/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading what is there in a pipe. */

#ifndef OPEVO_PIPE_INTERNAL_H
#define OPEVO_PIPE_INTERNAL_H

#include <opevo/text.h>

typedef enum opevo_i_process_read {
    OPEVO_I_READ_SOME,
    OPEVO_I_READ_NOTHING, /* for now */
    OPEVO_I_READ_END      /* end of file, a failure, no memory, or more than may be read */
} opevo_i_process_read;

/* Read once into `text`, keeping at most `limit` bytes of it and dropping the rest. */
opevo_i_process_read opevo_i_process_text_read_from(opevo_text *text, int descriptor, size_t limit);

#endif
