/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "scratch_folder_internal.h"

#include <opevo/text.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

opevo_status opevo_i_cli_scratch_make(const char *what, char path[OPEVO_I_SCRATCH_PATH],
                                      opevo_error *err)
{
    const char *parent = getenv("TMPDIR");

    snprintf(path, OPEVO_I_SCRATCH_PATH, "%s/opevo-%s-XXXXXX", parent && *parent ? parent : "/tmp",
             what);
    return mkdtemp(path) ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
}

void opevo_i_cli_scratch_remove(const char *path)
{
    DIR *folder = opendir(path);
    opevo_text name = {0};

    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        opevo_text_clear(&name);
        opevo_text_printf(&name, "%s/%s", path, entry->d_name);
        if (*entry->d_name != '.' && !name.failed)
            (void)unlink(name.data);
    }
    if (folder)
        closedir(folder);
    opevo_text_free(&name);
    (void)rmdir(path);
}
