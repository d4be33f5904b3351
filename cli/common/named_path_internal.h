/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a word of the command line names a file. */

#ifndef OPEVO_CLI_NAMED_PATH_INTERNAL_H
#define OPEVO_CLI_NAMED_PATH_INTERNAL_H

#include <opevo/text.h>

/* Whether a text ends as the name of a table does. */
bool opevo_i_cli_is_table(const char *text);
/* Whether a text that may name a thing or a file is meant as a file. */
bool opevo_i_cli_looks_like_path(const char *text);
/* Append the path from the root of a file that may be named without its ending; the path as it is
 * where its folder is not there. */
void opevo_i_cli_add_path(const char *path, opevo_text *out);

#endif
