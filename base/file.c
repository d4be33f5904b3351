/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files read whole within a limit and replaced atomically; the folder of caches. */

#include <opevo/file.h>

#include <opevo/memory.h>
#include <opevo/text.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static opevo_status fail_errno(opevo_error *err, const char *path)
{
    if (!*path)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The path of a file is empty: name one.");
    return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
}

static opevo_status fail_too_large(opevo_error *err, const char *path, size_t limit)
{
    return OPEVO_FAIL(
        err, OPEVO_LIMIT,
        "%s is larger than %zu bytes, the limit for files of its kind; make it smaller.", path,
        limit);
}

/* What the file is, before a byte is read: a pipe could block for ever, a device never ends. */
static opevo_status check_kind(const char *path, int file, size_t limit, opevo_error *err)
{
    struct stat info;

    if (fstat(file, &info) != 0)
        return fail_errno(err, path);
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return fail_errno(err, path);
    }
    if (!S_ISREG(info.st_mode))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is not a regular file; save its contents to one and name that.",
                          path);
    return (uint64_t)info.st_size > limit ? fail_too_large(err, path, limit) : OPEVO_OK;
}

opevo_status opevo_file_open(const char *path, size_t limit, int *file, opevo_error *err)
{
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    opevo_status status = OPEVO_OK;

    if (opened < 0)
        return fail_errno(err, path);
    status = check_kind(path, opened, limit, err);
    if (status == OPEVO_OK)
        *file = opened;
    else
        close(opened);
    return status;
}

opevo_status opevo_file_read(const char *path, size_t limit, char **data, size_t *size,
                             opevo_error *err)
{
    void *buffer = NULL;
    size_t length = 0;
    size_t capacity = 0;
    int file = -1;
    opevo_status status = opevo_file_open(path, limit, &file, err);

    if (status != OPEVO_OK)
        return status;
    for (;;) {
        ssize_t got = 0;

        OPEVO_NEED(opevo_reserve(&buffer, &capacity, length + 65536, 1), "reading %s", path);
        got = read(file, (char *)buffer + length, capacity - length - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            status = fail_errno(err, path);
            goto cleanup;
        }
        if (got == 0)
            break;
        length += (size_t)got;
        if (length > limit) { /* it grows, or is one of /proc */
            status = fail_too_large(err, path, limit);
            goto cleanup;
        }
    }
    ((char *)buffer)[length] = '\0';
    *data = buffer;
    *size = length;
    buffer = NULL;
cleanup:
    opevo_free(buffer);
    close(file);
    return status;
}

bool opevo_write_all(int file, const void *data, size_t size)
{
    const char *at = data;

    while (size) {
        ssize_t put = write(file, at, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static opevo_status write_straight(const char *path, const char *data, size_t size,
                                   opevo_error *err)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    opevo_status status = OPEVO_OK;

    if (file < 0)
        return fail_errno(err, path);
    if (!opevo_write_all(file, data, size))
        status = fail_errno(err, path);
    if (close(file) && status == OPEVO_OK)
        status = fail_errno(err, path);
    return status;
}

/* Open and lock the file that is written before it is renamed; -1 with errno set. Its name is
 * fixed, so that what a killed process left is taken over by the next one. Another process that
 * writes the same target renames it while the lock is waited for:
 * then it is another file and is opened again. */
static int open_partial(const char *path)
{
    for (;;) {
        int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        struct stat mine, there;
        int got = -1;

        if (file < 0 && errno == EACCES) {
            if (unlink(path) == 0)
                continue;   /* it was about to take the place of a read-only file */
            errno = EACCES; /* that of the folder, which says more than that nothing was there */
        }
        if (file < 0)
            return -1;
        do
            got = flock(file, LOCK_EX);
        while (got < 0 && errno == EINTR);
        if (got == 0 && fstat(file, &mine) == 0 && stat(path, &there) == 0 &&
            mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
            return file;
        close(file);
        if (got < 0)
            return -1;
    }
}

opevo_status opevo_file_write(const char *path, const char *data, size_t size, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text partial = {0};
    struct stat info;
    int file = -1;
    bool exists = stat(path, &info) == 0;

    if (exists && !S_ISREG(info.st_mode))
        return write_straight(path, data, size, err);
    opevo_text_printf(&partial, "%s.opevo-partial", path);
    OPEVO_TRY(opevo_text_check(&partial, err));
    file = open_partial(partial.data);
    if (file < 0) {
        status = fail_errno(err, path);
        goto cleanup;
    }
    if (ftruncate(file, 0) || !opevo_write_all(file, data, size) ||
        fchmod(file, exists ? info.st_mode & 0777 : 0644) || fsync(file) ||
        rename(partial.data, path)) {
        status = fail_errno(err, path);
        unlink(partial.data);
    }
cleanup:
    if (file >= 0)
        close(file);
    opevo_text_free(&partial);
    return status;
}

opevo_status opevo_file_write_in(const char *folder, const char *name, const opevo_text *text,
                                 opevo_error *err)
{
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/%s", folder, name);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_text_check(text, err));
    status = opevo_file_write(path.data, opevo_text_string(text), text->length, err);
cleanup:
    opevo_text_free(&path);
    return status;
}

/* As mkdir -p; false with errno set. */
static bool make_folders(char *path)
{
    for (char *at = path + 1; *at; at++) {
        if (*at == '/') {
            *at = '\0';
            if (mkdir(path, 0755) && errno != EEXIST)
                return false;
            *at = '/';
        }
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

opevo_status opevo_cache_path(const char *name, char **path, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text text = {0};
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");

    if (cache && *cache == '/')
        opevo_text_printf(&text, "%s/opevo", cache);
    else if (home && *home == '/')
        opevo_text_printf(&text, "%s/.cache/opevo", home);
    else
        return OPEVO_FAIL(err, OPEVO_IO, "No cache folder: set XDG_CACHE_HOME or HOME.");
    OPEVO_TRY(opevo_text_check(&text, err));
    if (!make_folders(text.data)) {
        status = OPEVO_FAIL(err, OPEVO_IO,
                            "The cache folder %s cannot be made: %s; set XDG_CACHE_HOME to a "
                            "folder that you can write to.",
                            text.data, strerror(errno));
        goto cleanup;
    }
    opevo_text_printf(&text, "/%s", name);
    OPEVO_TRY(opevo_text_check(&text, err));
    *path = text.data;
    text.data = NULL;
cleanup:
    opevo_text_free(&text);
    return status;
}
