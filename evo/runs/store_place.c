/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a store is still where it was opened. SQLite goes on in a file that was deleted, moved or
 * replaced, and whoever opens the path later finds nothing of what was committed there. */

#include "store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

opevo_status opevo_i_store_note_place(opevo_store *store, opevo_error *err)
{
    struct stat info;

    if (stat(store->path, &info) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", store->path, strerror(errno));
    store->device = info.st_dev;
    store->inode = info.st_ino;
    return OPEVO_OK;
}

static bool is_store(const opevo_store *store, const struct stat *info)
{
    return info->st_dev == store->device && info->st_ino == store->inode;
}

/* Where the open file is now; false when it has no name any more, or none that is known here. */
static bool find_file(const opevo_store *store, char *path, size_t size)
{
    DIR *open_files = opendir("/proc/self/fd");
    struct dirent *entry = NULL;
    struct stat info;
    bool found = false;

    while (open_files && !found && (entry = readdir(open_files)) != NULL) {
        ssize_t length = readlinkat(dirfd(open_files), entry->d_name, path, size - 1);

        if (length <= 0)
            continue;
        path[length] = '\0';
        found = stat(path, &info) == 0 && is_store(store, &info);
    }
    if (open_files)
        closedir(open_files);
    return found;
}

static bool is_open_here(const struct stat *wanted)
{
    DIR *open_files = opendir("/proc/self/fd");
    struct dirent *entry = NULL;
    struct stat info;
    bool found = false;

    while (open_files && !found && (entry = readdir(open_files)) != NULL)
        found = fstatat(dirfd(open_files), entry->d_name, &info, 0) == 0 &&
                info.st_dev == wanted->st_dev && info.st_ino == wanted->st_ino;
    if (open_files)
        closedir(open_files);
    return found;
}

/* Remove a file beside the old place that this process has open;
 * with `only_empty` if it is empty. */
static void remove_beside(const opevo_store *store, const char *suffix, bool only_empty)
{
    opevo_text path = {0};
    struct stat info;

    opevo_text_printf(&path, "%s%s", store->path, suffix);
    if (!path.failed && stat(path.data, &info) == 0 && is_open_here(&info) &&
        (info.st_size == 0 || !only_empty))
        unlink(path.data);
    opevo_text_free(&path);
}

/* The log and its index stay where the file was. What is in them goes into the file, and they go,
 * or whoever makes a store there finds the log of another. */
static void clean_place(opevo_store *store)
{
    if (sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) !=
        SQLITE_OK)
        return;
    remove_beside(store, "-wal", true);
    remove_beside(store, "-shm", false);
}

/* Copy the file that has no name any more beside its place, under a name that is free; false where
 * that cannot be. */
static bool save_copy(opevo_store *store, opevo_text *path)
{
    enum { COPIES_MOST = 1000 };
    sqlite3_stmt *statement = NULL;
    bool saved = false;

    opevo_text_printf(path, "%s.recovered", store->path);
    for (int copy = 2; !path->failed && access(path->data, F_OK) == 0; copy++) {
        if (copy > COPIES_MOST)
            return false;
        opevo_text_clear(path);
        opevo_text_printf(path, "%s.recovered-%d", store->path, copy);
    }
    if (!path->failed &&
        sqlite3_prepare_v2(store->db, "VACUUM INTO ?", -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, path->data, -1, SQLITE_STATIC);
        saved = sqlite3_step(statement) == SQLITE_DONE;
    }
    sqlite3_finalize(statement);
    return saved;
}

static opevo_status fail_lost(opevo_store *store, const char *what, opevo_error *err)
{
    opevo_text copy = {0};
    opevo_status status = OPEVO_LOST;

    if (save_copy(store, &copy)) {
        clean_place(store);
        OPEVO_FAIL(err, status, "%s was %s while it was in use; its contents were saved to %s.",
                   store->path, what, copy.data);
    } else {
        OPEVO_FAIL(
            err, status,
            "%s was %s while it was in use; its contents are lost: run again with another store.",
            store->path, what);
    }
    opevo_text_free(&copy);
    return status;
}

opevo_status opevo_store_check_place(opevo_store *store, opevo_error *err)
{
    struct stat info;
    bool exists = stat(store->path, &info) == 0;
    char path[PATH_MAX];

    if (exists && is_store(store, &info))
        return OPEVO_OK;
    if (!find_file(store, path, sizeof path))
        return fail_lost(store, exists ? "replaced by another file" : "deleted", err);
    clean_place(store);
    return OPEVO_FAIL(err, OPEVO_LOST, "%s was %s while it was in use; its contents are in %s.",
                      store->path, exists ? "moved and replaced by another file" : "moved", path);
}
