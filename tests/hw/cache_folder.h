/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A cache folder of a test's own. */

#ifndef OPEVO_TESTS_CACHE_FOLDER_H
#define OPEVO_TESTS_CACHE_FOLDER_H

#include <ftw.h>
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

static inline int cache_folder_drop(const char *path, const struct stat *facts, int kind,
                                    struct FTW *where)
{
    (void)facts;
    (void)kind;
    (void)where;
    return remove(path);
}

/* Returns `failed`, or more when the folder cannot be removed. */
static inline int cache_folder_remove(int failed)
{
    return failed + (nftw(cache_folder, cache_folder_drop, 8, FTW_DEPTH | FTW_PHYS) != 0);
}

#endif
