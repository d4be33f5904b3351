/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files that a verb writes. */

#ifndef OPEVO_CLI_OUTPUT_FILE_INTERNAL_H
#define OPEVO_CLI_OUTPUT_FILE_INTERNAL_H

#include <opevo/status.h>

/* Before the work, so that a typing mistake costs neither it nor a file: refuse a folder, and a
 * file without `mark` in its first 4 KiB, which opevo did not write. Devices, pipes and empty files
 * are taken. */
opevo_status opevo_i_cli_check_output(const char *option, const char *path, const char *mark,
                                      opevo_error *err);

#endif
