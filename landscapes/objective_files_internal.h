/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which files an objective was read from, as opevo_objective says it. */

#ifndef OPEVO_OBJECTIVE_FILES_INTERNAL_H
#define OPEVO_OBJECTIVE_FILES_INTERNAL_H

#include <stddef.h>

#include <opevo/status.h>

/* Copies of those of the paths that are neither NULL nor empty, ending with NULL; release with
 * opevo_i_landscape_files_free. Errors: NOMEM. */
opevo_status opevo_i_landscape_files_copy(const char *const *paths, size_t count,
                                          const char *const **out, opevo_error *err);
void opevo_i_landscape_files_free(const char *const *files);

#endif
