/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which files an objective was read from. */

#include "objective_files_internal.h"

#include <opevo/memory.h>

void opevo_i_landscape_files_free(const char *const *files)
{
    for (size_t i = 0; files && files[i]; i++)
        opevo_free((char *)files[i]);
    opevo_free((void *)files);
}

opevo_status opevo_i_landscape_files_copy(const char *const *paths, size_t count,
                                          const char *const **out, opevo_error *err)
{
    const char **files = opevo_calloc(count + 1, sizeof *files);
    size_t kept = 0;

    for (size_t i = 0; files && i < count; i++) {
        if (!paths[i] || !*paths[i])
            continue;
        files[kept] = opevo_strdup(paths[i]);
        if (!files[kept++]) {
            opevo_i_landscape_files_free(files);
            files = NULL;
        }
    }
    OPEVO_NEED_OR_RETURN(files, "the names of files");
    *out = files;
    return OPEVO_OK;
}
