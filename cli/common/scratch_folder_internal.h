/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A folder of files for as long as a call lasts. */

#ifndef OPEVO_CLI_SCRATCH_FOLDER_INTERNAL_H
#define OPEVO_CLI_SCRATCH_FOLDER_INTERNAL_H

#include <opevo/status.h>

enum { OPEVO_I_SCRATCH_PATH = 4096 };

/* In $TMPDIR or /tmp, named after `what`. Errors: IO. */
opevo_status opevo_i_cli_scratch_make(const char *what, char path[OPEVO_I_SCRATCH_PATH],
                                      opevo_error *err);
/* With its files, which it has no folders beside. */
void opevo_i_cli_scratch_remove(const char *path);

#endif
