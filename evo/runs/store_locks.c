/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether file locks work in the folder of a store, on which it relies. */

#include "store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

opevo_status opevo_i_store_fail_locks(const opevo_store *store, int cause, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_IO,
                      "%s: file locks do not work in its folder (%s), and a store relies on them: "
                      "use a folder of another file system.",
                      store->path, strerror(cause));
}

/* Locks belong to the open file here, so that one process can see whether a second would be kept
 * out. A file of its own, since closing any descriptor of the store would end SQLite's locks. */
static int try_locks(const char *name, bool *hold)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    int first = open(name, O_RDWR | O_CLOEXEC);
    int second = open(name, O_RDWR | O_CLOEXEC);
    int cause = 0;

    *hold = true;
    if (first >= 0 && second >= 0) {
        if (fcntl(first, F_OFD_SETLK, &range) != 0)
            cause = errno;
        else
            *hold = fcntl(second, F_OFD_SETLK, &range) != 0;
    }
    if (first >= 0)
        close(first);
    if (second >= 0)
        close(second);
    return cause;
}

opevo_status opevo_i_store_check_locks(opevo_store *store, opevo_error *err)
{
    opevo_text name = {0};
    int file = -1;
    int cause = 0;
    bool hold = true;

    opevo_text_printf(&name, "%s-lock.XXXXXX", store->path);
    if (name.failed)
        return opevo_text_check(&name, err);
    file = mkstemp(name.data);
    if (file >= 0) { /* else nothing is known of them */
        cause = try_locks(name.data, &hold);
        close(file);
        unlink(name.data);
    }
    opevo_text_free(&name);
    if (cause)
        return opevo_i_store_fail_locks(store, cause, err);
    if (!hold)
        return OPEVO_FAIL(err, OPEVO_IO,
                          "%s: two processes can have the same file lock in its folder, and a "
                          "store relies on locks: use a folder of another file system.",
                          store->path);
    return OPEVO_OK;
}
