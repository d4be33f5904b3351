/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Vendors' libraries out of a folder of stand-ins. */

#ifndef OPEVO_TESTS_FAKE_FOLDER_H
#define OPEVO_TESTS_FAKE_FOLDER_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where libraries are looked for is read when a program starts, so this one starts anew. False when
 * it cannot. */
static inline int fake_folder_enter(const char *folder, char **argv)
{
    const char *where = getenv("LD_LIBRARY_PATH");

    if (where && strcmp(where, folder) == 0)
        return 1;
    setenv("LD_LIBRARY_PATH", folder, 1);
    execv(argv[0], argv);
    return 0;
}

#endif
