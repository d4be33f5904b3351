/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A folder of a test's own, in which it builds libraries. */

#ifndef OPEVO_TESTS_LIBRARY_PLACE_H
#define OPEVO_TESTS_LIBRARY_PLACE_H

#include "build_source.h"
#include "remove_tree.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char library_place[] = "/tmp/opevo_library_XXXXXX";

/* Make the folder the current one. Without make no library is built, and the program ends as
 * skipped. */
static inline bool enter_folder(void)
{
    if (!program_succeeds((const char *const[]){"make", "--version", NULL})) {
        puts("skipped: make is not installed");
        exit(77);
    }
    return mkdtemp(library_place) && chdir(library_place) == 0;
}

/* Remove it, unless libraries that failed are there to be looked at; the status of main. */
static inline int leave_folder(int failed)
{
    if (!failed)
        remove_tree(library_place);
    return failed;
}

#endif
