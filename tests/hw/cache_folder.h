/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A cache folder of a test's own. */

#ifndef OPEVO_TESTS_CACHE_FOLDER_H
#define OPEVO_TESTS_CACHE_FOLDER_H

#include "remove_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char cache_folder[4096]; /* absolute, as XDG_CACHE_HOME must be */

static inline int cache_folder_make(void)
{
    if (!getcwd(cache_folder, sizeof cache_folder - 32))
        return 0;
    strcat(cache_folder, "/live-test-XXXXXX");
    return mkdtemp(cache_folder) && setenv("XDG_CACHE_HOME", cache_folder, 1) == 0;
}

/* Returns `failed`, or more when the folder cannot be removed. */
static inline int cache_folder_remove(int failed)
{
    return failed + (remove_tree(cache_folder) != 0);
}

#endif
