/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files that users write line by line. */

#ifndef OPEVO_CLI_TEXT_LINES_INTERNAL_H
#define OPEVO_CLI_TEXT_LINES_INTERNAL_H

#include <opevo/status.h>

#include <stddef.h>

/* Takes a line, without its end, by its number from 1. */
typedef opevo_status (*opevo_i_cli_line_visitor)(void *context, const char *path, size_t number,
                                                 const char *line, opevo_error *err);

/* Visit the lines of a file of at most `most` bytes, which may end as in DOS. Errors: those of
 * opevo_file_read; what `visit` returns, with which it ends. */
opevo_status opevo_i_cli_each_line(const char *path, size_t most, opevo_i_cli_line_visitor visit,
                                   void *context, opevo_error *err);

#endif
