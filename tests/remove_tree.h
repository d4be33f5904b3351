/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Removing a folder of a test's own. */

#ifndef OPEVO_TESTS_REMOVE_TREE_H
#define OPEVO_TESTS_REMOVE_TREE_H

#include <ftw.h>
#include <stdio.h>

static inline int remove_tree_entry(const char *path, const struct stat *facts, int kind,
                                    struct FTW *where)
{
    (void)facts;
    (void)kind;
    (void)where;
    return remove(path);
}

/* Remove the folder with all that is in it, following no links; 0 when it is gone. */
static inline int remove_tree(const char *path)
{
    return nftw(path, remove_tree_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
