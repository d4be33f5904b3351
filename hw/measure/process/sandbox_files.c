/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which files may be read, by Landlock (Linux 5.13 and later). What a loader needs is allowed: the
 * object, the folders of libraries, and what libraries read to count processors. Writing is refused
 * by the filter of system calls, and is left out here. */

#include "sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FOLDER_LENGTH = 4096 };

static const char *const readable[] = {
    "/etc/ld.so.cache", "/lib",           "/lib32",
    "/lib64",           "/usr/lib",       "/usr/lib32",
    "/usr/lib64",       "/usr/local/lib", "/sys/devices/system/cpu",
};

bool opevo_i_process_landlock_present(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

/* A path that is not there needs no rule. */
static bool allow(int rules, const char *path)
{
    struct landlock_path_beneath_attr beneath = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
    struct stat facts;
    bool good = false;

    beneath.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (beneath.parent_fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    if (fstat(beneath.parent_fd, &facts) == 0 && S_ISDIR(facts.st_mode))
        beneath.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
    good = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
    close(beneath.parent_fd);
    return good;
}

/* The folders of LD_LIBRARY_PATH. */
static bool allow_given(int rules)
{
    const char *at = getenv("LD_LIBRARY_PATH");
    bool good = true;

    while (good && at && *at) {
        size_t length = strcspn(at, ":;");
        char folder[FOLDER_LENGTH];

        if (length && length < sizeof folder) {
            memcpy(folder, at, length);
            folder[length] = '\0';
            good = allow(rules, folder);
        }
        at += length + (at[length] != '\0');
    }
    return good;
}

opevo_status opevo_i_process_landlock_restrict(const char *object, opevo_error *err)
{
    const struct landlock_ruleset_attr handled = {
        .handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR};
    int rules = -1;
    bool good = true;

    if (!opevo_i_process_landlock_present())
        return OPEVO_OK;
    rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    good = rules >= 0 && (!object || allow(rules, object)) && allow_given(rules);
    for (size_t i = 0; good && i < sizeof readable / sizeof *readable; i++)
        good = allow(rules, readable[i]);
    good = good && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    if (!good)
        opevo_error_set(err, OPEVO_IO, "The files of this machine cannot be closed to kernels: %s.",
                        strerror(errno));
    if (rules >= 0)
        close(rules);
    return good ? OPEVO_OK : OPEVO_IO;
}
