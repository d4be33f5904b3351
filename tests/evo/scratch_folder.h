/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A folder of a test's own in the current one, and the files in it. */

#ifndef OPEVO_TESTS_SCRATCH_FOLDER_H
#define OPEVO_TESTS_SCRATCH_FOLDER_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

typedef struct scratch_folder {
    char path[32];
    char file[64]; /* a store in it */
} scratch_folder;

static inline scratch_folder scratch_make(void)
{
    scratch_folder self = {.path = "opevo-test-XXXXXX"};

    assert_non_null(mkdtemp(self.path));
    snprintf(self.file, sizeof self.file, "%s/runs.db", self.path);
    return self;
}

/* Remove all files in the folder. */
static inline void scratch_empty(const scratch_folder *self)
{
    DIR *folder = opendir(self->path);
    struct dirent *entry = NULL;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char path[320];

        snprintf(path, sizeof path, "%s/%s", self->path, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    closedir(folder);
}

static inline void scratch_remove(const scratch_folder *self)
{
    scratch_empty(self);
    rmdir(self->path);
}

#endif
