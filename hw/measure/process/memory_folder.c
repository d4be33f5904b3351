/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "memory_folder_internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define LOCK_NAME "/lock"
enum { PATH_BYTES = 300, ROOM_BYTES = 16 << 20, OPEN_FOLDERS = 16, ORPHAN_S = 60, ATTEMPTS = 8 };

static char own[PATH_BYTES]; /* "": none */
static int own_lock = -1;    /* held by forks of this process as well */
static pid_t owner;

/* Whether files there are in memory, can be loaded, and have room. */
static bool is_fit(const char *place)
{
    struct statfs kind;
    struct statvfs facts;

    return statfs(place, &kind) == 0 && kind.f_type == TMPFS_MAGIC && statvfs(place, &facts) == 0 &&
           !(facts.f_flag & (ST_NOEXEC | ST_RDONLY)) &&
           (double)facts.f_bavail * (double)facts.f_frsize >= ROOM_BYTES;
}

/* The folder of this user in a place; false where it is not only his. */
static bool find_parent(const char *place, char out[PATH_BYTES], bool make)
{
    struct stat facts;

    if (!place || !is_fit(place))
        return false;
    snprintf(out, PATH_BYTES, "%.200s/opevo-%u", place, (unsigned)geteuid());
    if (make)
        (void)!mkdir(out, 0700);
    return lstat(out, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
           !(facts.st_mode & (S_IWGRP | S_IWOTH));
}

static bool find_place(char out[PATH_BYTES], bool make)
{
    return find_parent("/dev/shm", out, make) ||
           find_parent(getenv("XDG_RUNTIME_DIR"), out, make) || find_parent("/tmp", out, make);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
    (void)facts, (void)kind, (void)at;
    (void)remove(path);
    return 0;
}

static void remove_all(const char *path)
{
    (void)nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

/* What has no lock is about to get one, or was left before it had one, and then is old. */
static void remove_orphan(const char *path)
{
    char name[PATH_BYTES + sizeof LOCK_NAME];
    struct stat facts;
    int lock = -1;

    snprintf(name, sizeof name, "%s" LOCK_NAME, path);
    lock = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock >= 0 ? flock(lock, LOCK_EX | LOCK_NB) == 0
                  : lstat(path, &facts) == 0 && time(NULL) - facts.st_mtime > ORPHAN_S)
        remove_all(path);
    if (lock >= 0)
        close(lock);
}

void opevo_i_process_memory_folders_sweep(void)
{
    char parent[PATH_BYTES], path[PATH_BYTES];
    DIR *folder = find_place(parent, false) ? opendir(parent) : NULL;
    struct dirent *item = NULL;

    while (folder && (item = readdir(folder)) != NULL) {
        if (item->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%.250s/%.40s", parent, item->d_name);
        if (strcmp(path, own) != 0)
            remove_orphan(path);
    }
    if (folder)
        closedir(folder);
}

void opevo_i_process_memory_folder_remove(void)
{
    char parent[PATH_BYTES];

    if (!*own || owner != getpid())
        return;
    remove_all(own);
    close(own_lock);
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(own, '/') - own), own);
    (void)rmdir(parent); /* the last one */
    *own = '\0';
}

/* Again where another process has just removed the place with its last folder. */
static bool make_folder(char path[PATH_BYTES])
{
    for (int i = 0; i < ATTEMPTS; i++) {
        if (!find_place(path, true))
            continue;
        snprintf(path + strlen(path), PATH_BYTES - strlen(path), "/XXXXXX");
        if (mkdtemp(path))
            return true;
    }
    return false;
}

const char *opevo_i_process_memory_folder(void)
{
    static bool asked;
    char path[PATH_BYTES], name[PATH_BYTES + sizeof LOCK_NAME];

    if (asked)
        return *own ? own : NULL;
    asked = true;
    opevo_i_process_memory_folders_sweep();
    if (!make_folder(path))
        return NULL;
    snprintf(name, sizeof name, "%s" LOCK_NAME, path);
    own_lock = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (own_lock < 0 || flock(own_lock, LOCK_EX | LOCK_NB) < 0) {
        if (own_lock >= 0)
            close(own_lock);
        remove_all(path);
        return NULL;
    }
    snprintf(own, sizeof own, "%s", path);
    owner = getpid();
    atexit(opevo_i_process_memory_folder_remove);
    return own;
}
