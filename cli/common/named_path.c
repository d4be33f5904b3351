/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a word of the command line names a file, and where from the root that is. */

#include "named_path_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

bool opevo_i_cli_is_table(const char *text)
{
    static const char *const endings[] = {".csv", ".csv.xz", ".csv.gz"};
    size_t length = strlen(text);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);

        if (length > ending && !strcmp(text + length - ending, endings[i]))
            return true;
    }
    return false;
}

bool opevo_i_cli_looks_like_path(const char *text)
{
    size_t length = strlen(text);

    return strchr(text, '/') || (length > 5 && !strcmp(text + length - 5, ".json"));
}

void opevo_i_cli_add_path(const char *path, opevo_text *out)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *folder = opevo_strndup(path, (size_t)(name - path));
    char *full = folder ? realpath(*folder ? folder : ".", NULL) : NULL;

    if (full && *name)
        opevo_text_printf(out, "%s%s%s", strcmp(full, "/") ? full : "", "/", name);
    else
        opevo_text_add(out, path);
    out->failed = out->failed || !folder;
    opevo_free(folder);
    free(full);
}
