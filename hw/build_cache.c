/* SPDX-License-Identifier: GPL-3.0-or-later */

/* NAME.obj is the object; NAME.recipe holds its size and what it was made of; NAME is the hash of
 * the recipe. Nothing is flushed to the disk, which would cost more than building: after a crash of
 * the machine a cut file does not match, and is built again. Scratch files are called tmp.PID.N,
 * which tells whose they are. */

#include "build_cache_internal.h"

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/memory.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_EVERY = 64 };

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

/* Whether the process that a scratch file is named after is gone. */
static bool is_orphan(const char *name)
{
    bool scratch = strncmp(name, "tmp.", 4) == 0;
    long pid = scratch ? strtol(name + 4, NULL, 10) : 0;

    return pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Remove a scratch file, or a scratch folder with the files in it. */
static void remove_scratch(int folder, const char *name)
{
    int inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = inside >= 0 ? fdopendir(inside) : NULL;
    struct dirent *item = NULL;

    while (files && (item = readdir(files)) != NULL) {
        if (item->d_name[0] != '.')
            unlinkat(dirfd(files), item->d_name, 0);
    }
    if (files)
        closedir(files);
    else if (inside >= 0)
        close(inside);
    unlinkat(folder, name, inside >= 0 ? AT_REMOVEDIR : 0);
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

        if (is_orphan(item->d_name))
            remove_scratch(dirfd(folder), item->d_name);
        if (length <= 4 || length >= sizeof(*entries)->name ||
            strcmp(item->d_name + length - 4, ".obj") != 0 ||
            fstatat(dirfd(folder), item->d_name, &facts, 0) < 0)
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
static void trim(const opevo_i_cache *cache)
{
    DIR *folder = opendir(cache->folder);
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

/* ---- Opening and finding -------------------------------------------------------------------- */

opevo_status opevo_i_cache_open(opevo_i_cache *out, opevo_error *err)
{
    opevo_i_cache cache = {.limit_bytes = OPEVO_I_CACHE_LIMIT};
    opevo_text scratch = {0};
    opevo_status status = opevo_cache_path("kernels", &cache.folder, err);

    if (status != OPEVO_OK)
        return status;
    if (mkdir(cache.folder, 0700) < 0 && errno != EEXIST) {
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", cache.folder, strerror(errno));
        opevo_free(cache.folder);
        return status;
    }
    trim(&cache);
    opevo_i_cache_scratch(&cache, ".dir", &scratch);
    if (scratch.failed || mkdir(scratch.data, 0700) < 0) {
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", cache.folder, strerror(errno));
        opevo_text_free(&scratch);
        opevo_free(cache.folder);
        return status;
    }
    cache.scratch_folder = scratch.data;
    *out = cache;
    return OPEVO_OK;
}

void opevo_i_cache_close(opevo_i_cache *cache)
{
    if (cache->scratch_folder)
        remove_scratch(AT_FDCWD, cache->scratch_folder);
    opevo_free(cache->scratch_folder);
    opevo_free(cache->folder);
    *cache = (opevo_i_cache){0};
}

static void name_of(const opevo_i_cache *cache, const opevo_text *recipe, const char *suffix,
                    opevo_text *path)
{
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, opevo_text_string(recipe), recipe->length);

    opevo_text_clear(path);
    opevo_text_printf(path, "%s/%016llx%s", cache->folder, (unsigned long long)opevo_hash_mix(hash),
                      suffix);
}

opevo_status opevo_i_scratch_write(const char *path, const char *data, size_t size,
                                   opevo_error *err)
{
    FILE *file = fopen(path, "we");
    bool good = file && fwrite(data, 1, size, file) == size;

    if (file && fclose(file) != 0)
        good = false;
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
}

/* Whether the file at `path` is this recipe, for an object of this size. */
static bool is_recipe(const char *path, const opevo_text *recipe, uint64_t object_bytes)
{
    char *data = NULL;
    size_t size = 0;
    char head[32];
    size_t length = (size_t)snprintf(head, sizeof head, "%llu\n", (unsigned long long)object_bytes);
    bool same = opevo_file_read(path, &data, &size, NULL) == OPEVO_OK &&
                size == length + recipe->length && !memcmp(data, head, length) &&
                !memcmp(data + length, opevo_text_string(recipe), recipe->length);

    opevo_free(data);
    return same;
}

bool opevo_i_cache_find(const opevo_i_cache *cache, const opevo_text *recipe, opevo_text *path)
{
    struct stat facts;
    bool found = false;

    name_of(cache, recipe, ".obj", path);
    if (path->failed || stat(path->data, &facts) < 0)
        return false;
    name_of(cache, recipe, ".recipe", path);
    found = !path->failed && is_recipe(path->data, recipe, (uint64_t)facts.st_size);
    name_of(cache, recipe, ".obj", path);
    return found && !path->failed && utimensat(AT_FDCWD, path->data, NULL, 0) == 0;
}

void opevo_i_cache_scratch(opevo_i_cache *cache, const char *suffix, opevo_text *path)
{
    opevo_text_clear(path);
    opevo_text_printf(path, "%s/tmp.%ld.%u%s", cache->folder, (long)getpid(), cache->files++,
                      suffix);
}

opevo_status opevo_i_cache_add(opevo_i_cache *cache, const opevo_text *recipe, const char *object,
                               opevo_text *path, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text whole = {0};
    opevo_text scratch = {0};
    struct stat facts;

    if (++cache->added % LOOK_EVERY == 0)
        trim(cache);
    if (stat(object, &facts) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", object, strerror(errno));
    opevo_text_printf(&whole, "%llu\n", (unsigned long long)facts.st_size);
    opevo_text_add_bytes(&whole, opevo_text_string(recipe), recipe->length);
    opevo_i_cache_scratch(cache, ".recipe", &scratch);
    name_of(cache, recipe, ".recipe", path);
    OPEVO_TRY(opevo_text_check(&whole, err));
    OPEVO_TRY(opevo_text_check(&scratch, err));
    OPEVO_TRY(opevo_text_check(path, err));
    OPEVO_TRY(opevo_i_scratch_write(scratch.data, whole.data, whole.length, err));
    if (rename(scratch.data, path->data) < 0)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path->data, strerror(errno));
    name_of(cache, recipe, ".obj", path);
    if (status == OPEVO_OK && (path->failed || rename(object, path->data) < 0))
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", object, strerror(errno));
cleanup:
    opevo_text_free(&whole);
    opevo_text_free(&scratch);
    return status;
}
