/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel as files. */

#ifndef OPEVO_CLI_EMITTED_FILES_INTERNAL_H
#define OPEVO_CLI_EMITTED_FILES_INTERNAL_H

#include <opevo/kernel.h>

#include "options_internal.h"

/* Refuse a folder that has files of a kernel of this dialect, named by option --OPTION, and make it
 * if `make`. */
opevo_status opevo_i_cli_kernel_folder_prepare(const char *option, const char *folder,
                                               opevo_kernel_dialect dialect, bool make,
                                               opevo_error *err);
opevo_status opevo_i_cli_kernel_folder_write(const char *folder, opevo_kernel_dialect dialect,
                                             const opevo_text *files, opevo_error *err);
/* For the folder of --emit, NULL without it: refuse an objective without kernels and a folder that
 * has such files, and make the folder unless the run is a dry one. */
opevo_status opevo_i_cli_kernel_files_prepare(const opevo_call *call, const char *folder,
                                              const opevo_objective *objective, opevo_error *err);
/* Write the kernel of a point, measured by what --on says, into the folder. */
opevo_status opevo_i_cli_kernel_files_write(const char *folder, const char *on,
                                            const opevo_objective *objective, opevo_index point,
                                            double fitness, opevo_error *err);

#endif
