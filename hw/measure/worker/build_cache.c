/* SPDX-License-Identifier: GPL-3.0-or-later */

/* NAME.obj is the object; NAME.recipe holds a line with its size, its hash and the microseconds of
 * its build, and what it was made of; NAME is the hash of the latter. Nothing is flushed to the
 * disk, which would cost more than building: after a crash of the machine a cut file does not
 * match, and is built again.
 *
 * What is half done lies in a folder of each process, tmp.XXXXXX, with a file that the process
 * keeps locked. A lock, unlike the number of a process, means the same to all hosts and containers
 * that share the folder. */

#include "build_cache_internal.h"

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/memory.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device_lock_internal.h"
#include "pipe_internal.h"

#define SCRATCH "tmp."
#define LOCK_NAME "lock"
enum { LOOK_EVERY = 64, ORPHAN_S = 24 * 3600, ATTEMPTS = 8 };

typedef struct entry {
    char name[32];
    int64_t used_ns;
    uint64_t bytes;
} entry;

/* ---- Keeping it small ----------------------------------------------------------------------- */

static int by_use(const void *a, const void *b)
{
    int64_t x = ((const entry *)a)->used_ns;
    int64_t y = ((const entry *)b)->used_ns;

    return (x > y) - (x < y);
}

static void remove_entry(int folder, const char *name)
{
    char other[64];
    int stem = (int)(strlen(name) - strlen(".obj"));

    unlinkat(folder, name, 0);
    snprintf(other, sizeof other, "%.*s.recipe", stem, name);
    unlinkat(folder, other, 0);
}

/* Remove a scratch file, or a scratch folder with the files in it. */
static void remove_scratch(int folder, const char *name)
{
    int inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *files = inside >= 0 ? fdopendir(inside) : NULL;
    struct dirent *item = NULL;

    while (files && (item = readdir(files)) != NULL) {
        if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
            unlinkat(dirfd(files), item->d_name, 0);
    }
    if (files)
        closedir(files);
    else if (inside >= 0)
        close(inside);
    unlinkat(folder, name, inside >= 0 ? AT_REMOVEDIR : 0);
}

/* Remove what a process that is gone left half done. What has no lock is about to get one, or was
 * left before it had one, and then is old. */
static void remove_orphan(int folder, const char *name)
{
    char path[300];
    struct stat facts;
    int lock = -1;

    snprintf(path, sizeof path, "%s/" LOCK_NAME, name);
    lock = openat(folder, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock >= 0 ? flock(lock, LOCK_EX | LOCK_NB) == 0
                  : fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                        time(NULL) - facts.st_mtime > ORPHAN_S)
        remove_scratch(folder, name);
    if (lock >= 0)
        close(lock);
}

/* Collect the objects; remove scratch files that nobody works at. False without memory. */
static bool look(DIR *folder, entry **entries, size_t *count, uint64_t *bytes)
{
    struct dirent *item = NULL;
    size_t capacity = 0;

    while ((item = readdir(folder)) != NULL) {
        size_t length = strlen(item->d_name);
        struct stat facts;
        void *grown = *entries;

        if (!strncmp(item->d_name, SCRATCH, strlen(SCRATCH)))
            remove_orphan(dirfd(folder), item->d_name);
        if (length <= 4 || length >= sizeof(*entries)->name ||
            strcmp(item->d_name + length - 4, ".obj") != 0 ||
            fstatat(dirfd(folder), item->d_name, &facts, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (!opevo_reserve(&grown, &capacity, *count + 1, sizeof **entries))
            return false;
        *entries = grown;
        (*entries)[*count] =
            (entry){.used_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec,
                    .bytes = (uint64_t)facts.st_size};
        memcpy((*entries)[(*count)++].name, item->d_name, length + 1);
        *bytes += (uint64_t)facts.st_size;
    }
    return true;
}

/* Down to four fifths of the limit where it is exceeded, so that this is seldom. */
static void trim(const opevo_i_worker_cache *cache)
{
    DIR *folder = opendir(cache->confined ? cache->scratch_folder : cache->folder);
    entry *entries = NULL;
    size_t count = 0;
    uint64_t bytes = 0;

    if (!folder)
        return;
    if (look(folder, &entries, &count, &bytes) && bytes > cache->limit_bytes) {
        qsort(entries, count, sizeof *entries, by_use);
        for (size_t i = 0; i < count && bytes > cache->limit_bytes / 5 * 4; i++) {
            remove_entry(dirfd(folder), entries[i].name);
            bytes -= entries[i].bytes;
        }
    }
    opevo_free(entries);
    closedir(folder);
}

/* ---- Opening -------------------------------------------------------------------------------- */

/* Whether nobody else could have written it. */
static bool is_own(const struct stat *facts, mode_t kind)
{
    return (facts->st_mode & S_IFMT) == kind && facts->st_uid == geteuid() &&
           !(facts->st_mode & (S_IWGRP | S_IWOTH));
}

static opevo_status fail_unusable(const char *folder, int why, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_IO,
                      "The cache of kernels %s cannot be used: %s; set XDG_CACHE_HOME to a folder "
                      "that you can write to.",
                      folder, strerror(why));
}

static opevo_status open_folder(const char *folder, opevo_error *err)
{
    struct stat facts;

    if ((mkdir(folder, 0700) < 0 && errno != EEXIST) || lstat(folder, &facts) < 0)
        return fail_unusable(folder, errno, err);
    if (!is_own(&facts, S_IFDIR))
        return OPEVO_FAIL(
            err, OPEVO_IO,
            "%s: kernels are loaded only from a folder that you own and that only you can write "
            "to; remove it, run chmod go-w on it, or set XDG_CACHE_HOME to another folder.",
            folder);
    return OPEVO_OK;
}

/* Make a scratch folder and take its lock; false to try again, with errno 0, and on failure. Where
 * the file system has no locks, nobody removes what has none. */
static bool make_scratch(opevo_i_worker_cache *cache, char *path)
{
    opevo_text name = {0};
    struct stat facts;

    cache->lock = -1;
    if (!mkdtemp(path))
        return false;
    opevo_text_printf(&name, "%s/" LOCK_NAME, path);
    if (!name.failed)
        cache->lock = open(name.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    opevo_text_free(&name);
    if (cache->lock < 0) {
        rmdir(path);
        return false;
    }
    if ((flock(cache->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
        fstat(cache->lock, &facts) == 0 && facts.st_nlink > 0)
        return true;
    close(cache->lock); /* somebody cleaned up in between */
    errno = 0;
    return false;
}

static opevo_status open_scratch(opevo_i_worker_cache *cache, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text path = {0};
    bool made = false;

    for (int i = 0; i < ATTEMPTS && !made; i++) {
        opevo_text_clear(&path);
        opevo_text_printf(&path, "%s/" SCRATCH "XXXXXX", cache->folder);
        OPEVO_TRY(opevo_text_check(&path, err));
        made = make_scratch(cache, path.data);
        if (!made && errno)
            break;
    }
    if (!made)
        status = fail_unusable(cache->folder, errno ? errno : EBUSY, err);
cleanup:
    cache->scratch_folder = path.data;
    return status;
}

opevo_status opevo_i_worker_cache_open(opevo_i_worker_cache *out, opevo_error *err)
{
    opevo_i_worker_cache cache = {.limit_bytes = OPEVO_I_CACHE_LIMIT, .lock = -1};
    opevo_status status = opevo_cache_path(OPEVO_I_KERNEL_CACHE, &cache.folder, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(open_folder(cache.folder, err));
    trim(&cache);
    OPEVO_TRY(open_scratch(&cache, err));
    *out = cache;
cleanup:
    if (status != OPEVO_OK) {
        opevo_free(cache.scratch_folder);
        opevo_free(cache.folder);
    }
    return status;
}

void opevo_i_worker_cache_close(opevo_i_worker_cache *cache)
{
    if (cache->scratch_folder) {
        close(cache->lock);
        remove_scratch(AT_FDCWD, cache->scratch_folder);
    }
    opevo_free(cache->scratch_folder);
    opevo_free(cache->folder);
    *cache = (opevo_i_worker_cache){.lock = -1};
}

void opevo_i_worker_cache_confine(opevo_i_worker_cache *cache)
{
    cache->confined = true;
}

/* ---- Finding and adding --------------------------------------------------------------------- */

static void name_of(const opevo_i_worker_cache *cache, const opevo_text *recipe, const char *suffix,
                    opevo_text *path)
{
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, opevo_text_string(recipe), recipe->length);

    opevo_text_clear(path);
    opevo_text_printf(path, "%s/%016llx%s", cache->confined ? cache->scratch_folder : cache->folder,
                      (unsigned long long)opevo_hash_mix(hash), suffix);
}

opevo_status opevo_i_worker_scratch_write(const char *path, const char *data, size_t size,
                                          opevo_error *err)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool good = file && fwrite(data, 1, size, file) == size;

    if (file && fclose(file) != 0)
        good = false;
    else if (!file && descriptor >= 0)
        close(descriptor);
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
}

/* The file at `path`, if only its owner, who is this process' user, could have written it. A file
 * that is there and is not so adds to `why`. */
static bool read_own(const char *path, opevo_text *out, opevo_text *why)
{
    opevo_i_process_read got = OPEVO_I_READ_SOME;
    struct stat facts;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool own = file >= 0 && fstat(file, &facts) == 0 && is_own(&facts, S_IFREG);

    if (!own && (file >= 0 || errno == ELOOP))
        opevo_text_printf(why, "%s could have been written by another user", path);
    else if (!own && errno != ENOENT)
        opevo_text_printf(why, "%s cannot be read: %s", path, strerror(errno));
    while (own && got == OPEVO_I_READ_SOME)
        got = opevo_i_process_text_read_from(out, file, SIZE_MAX);
    if (file >= 0)
        close(file);
    return own && !out->failed;
}

/* What the first line of a recipe begins with. */
static void print_head(const opevo_text *object, opevo_text *out)
{
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, opevo_text_string(object), object->length);

    opevo_text_printf(out, "%zu %016llx", object->length, (unsigned long long)opevo_hash_mix(hash));
}

/* The rest of that line; false where it does not begin so. */
static bool read_head(const opevo_text *whole, const opevo_text *head, double *build_s)
{
    const char *rest = whole->data + head->length;

    if (head->failed || strncmp(whole->data, head->data, head->length) != 0 || *rest != ' ')
        return false;
    *build_s = (double)strtoull(rest, NULL, 10) / 1e6;
    return true;
}

/* Whether `whole` is this recipe; it may be another one with the same name. */
static bool is_recipe(const opevo_text *whole, const opevo_text *recipe)
{
    const char *end = memchr(opevo_text_string(whole), '\n', whole->length);
    size_t head = end ? (size_t)(end + 1 - whole->data) : 0;

    return head && whole->length - head == recipe->length &&
           !memcmp(whole->data + head, opevo_text_string(recipe), recipe->length);
}

bool opevo_i_worker_cache_find(const opevo_i_worker_cache *cache, const opevo_text *recipe,
                               opevo_text *path, double *build_s, opevo_text *why)
{
    opevo_text whole = {0};
    opevo_text object = {0};
    opevo_text head = {0};
    bool found = false;

    opevo_text_clear(why);
    name_of(cache, recipe, ".recipe", path);
    found = !path->failed && read_own(path->data, &whole, why) && is_recipe(&whole, recipe);
    name_of(cache, recipe, ".obj", path);
    found = found && !path->failed && read_own(path->data, &object, why);
    if (found) {
        print_head(&object, &head);
        found = read_head(&whole, &head, build_s);
        if (!found)
            opevo_text_printf(why, "%s differs from what was built", path->data);
    }
    opevo_text_free(&whole);
    opevo_text_free(&object);
    opevo_text_free(&head);
    return found && utimensat(AT_FDCWD, path->data, NULL, 0) == 0;
}

void opevo_i_worker_cache_scratch(opevo_i_worker_cache *cache, const char *suffix, opevo_text *path)
{
    opevo_text_clear(path);
    opevo_text_printf(path, "%s/%u%s", cache->scratch_folder, cache->files++, suffix);
}

/* Whatever the umask of the compiler was. */
static opevo_status read_built(const char *path, mode_t mode, opevo_text *out, opevo_error *err)
{
    opevo_text why = {0};
    bool good = chmod(path, mode) == 0 && read_own(path, out, &why);

    if (!good)
        opevo_error_set(err, OPEVO_IO, "%s: %s.", path,
                        why.length ? "not a file of this user" : strerror(errno));
    opevo_text_free(&why);
    return good ? OPEVO_OK : OPEVO_IO;
}

opevo_status opevo_i_worker_cache_add(opevo_i_worker_cache *cache, const opevo_text *recipe,
                                      const char *object, double build_s, opevo_text *path,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text built = {0};
    opevo_text whole = {0};
    opevo_text scratch = {0};

    if (++cache->added % LOOK_EVERY == 0)
        trim(cache);
    OPEVO_TRY(read_built(object, cache->confined ? 0700 : 0600, &built, err));
    print_head(&built, &whole);
    opevo_text_printf(&whole, " %llu\n", (unsigned long long)(build_s * 1e6));
    opevo_text_add_bytes(&whole, opevo_text_string(recipe), recipe->length);
    opevo_i_worker_cache_scratch(cache, ".recipe", &scratch);
    name_of(cache, recipe, ".recipe", path);
    OPEVO_TRY(opevo_text_check(&whole, err));
    OPEVO_TRY(opevo_text_check(&scratch, err));
    OPEVO_TRY(opevo_text_check(path, err));
    OPEVO_TRY(opevo_i_worker_scratch_write(scratch.data, whole.data, whole.length, err));
    if (rename(scratch.data, path->data) < 0)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path->data, strerror(errno));
    name_of(cache, recipe, ".obj", path);
    if (status == OPEVO_OK && (path->failed || rename(object, path->data) < 0))
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", object, strerror(errno));
cleanup:
    opevo_text_free(&built);
    opevo_text_free(&whole);
    opevo_text_free(&scratch);
    return status;
}
