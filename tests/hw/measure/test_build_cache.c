/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The build cache: hits, foreign or spoilt entries, sharing, bounds. */

#include "cache_folder.h"
#include "check.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "build_cache_internal.h"

#define BUILD_S 1.25

static void add(opevo_i_worker_cache *cache, const char *recipe_text, size_t bytes,
                opevo_text *path)
{
    opevo_text recipe = {0};
    opevo_text scratch = {0};
    char *data = opevo_calloc(bytes, 1);

    opevo_text_add(&recipe, recipe_text);
    opevo_i_worker_cache_scratch(cache, ".obj", &scratch);
    CHECK_OK(opevo_i_worker_scratch_write(scratch.data, data, bytes, &err));
    CHECK_OK(opevo_i_worker_cache_add(cache, &recipe, scratch.data, BUILD_S, path, &err));
    assert_int_equal(access(scratch.data, F_OK), -1);
    opevo_free(data);
    opevo_text_free(&recipe);
    opevo_text_free(&scratch);
}

static opevo_text refused; /* why the last one was, where it was there */
static double found_s;     /* what the build of the last one took */

static bool find(const opevo_i_worker_cache *cache, const char *recipe_text, opevo_text *path)
{
    opevo_text recipe = {0};
    bool found = false;

    opevo_text_add(&recipe, recipe_text);
    found = opevo_i_worker_cache_find(cache, &recipe, path, &found_s, &refused);
    opevo_text_free(&recipe);
    return found;
}

static int files_in(const char *folder)
{
    DIR *all = opendir(folder);
    struct dirent *entry = NULL;
    int count = 0;

    assert_non_null(all);
    while ((entry = readdir(all)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(all);
    return count;
}

CHECK_TEST(test_find)
{
    opevo_i_worker_cache cache;
    opevo_text path = {0};
    opevo_text found = {0};

    CHECK_OK(opevo_i_worker_cache_open(&cache, &err));
    assert_false(find(&cache, "one", &found));
    add(&cache, "one", 100, &path);
    assert_true(find(&cache, "one", &found));
    assert_string_equal(found.data, path.data);
    assert_false(find(&cache, "two", &found));
    /* An object that was cut is not believed. */
    assert_int_equal(truncate(path.data, 60), 0);
    assert_false(find(&cache, "one", &found));
    /* Nor a recipe that is another's, as after a collision of hashes. */
    assert_int_equal(truncate(path.data, 100), 0);
    assert_true(find(&cache, "one", &found));
    strcpy(strrchr(path.data, '.'), ".rec"); /* ".obj" is as long */
    opevo_text_add(&path, "ipe");
    CHECK_OK(opevo_file_write(path.data, "100\nonf", 7, &err));
    assert_false(find(&cache, "one", &found));
    assert_string_equal(opevo_text_string(&refused), "");
    opevo_text_free(&path);
    opevo_text_free(&found);
    opevo_i_worker_cache_close(&cache);
}

/* An object is found with the time of its build, and not without. */
CHECK_TEST(test_build_time)
{
    opevo_i_worker_cache cache;
    opevo_text path = {0};
    char *whole = NULL;
    char *end = NULL;
    size_t size = 0;

    CHECK_OK(opevo_i_worker_cache_open(&cache, &err));
    add(&cache, "timed", 100, &path);
    assert_true(find(&cache, "timed", &path));
    CHECK_CLOSE(found_s, BUILD_S, 1e-6);
    strcpy(strrchr(path.data, '.'), ".rec"); /* ".obj" is as long */
    opevo_text_add(&path, "ipe");
    CHECK_OK(opevo_file_read(path.data, 1000, &whole, &size, &err));
    end = strchr(whole, '\n');
    assert_non_null(end);
    memmove(strrchr(whole, ' '), end, strlen(end) + 1);
    CHECK_OK(opevo_file_write(path.data, whole, strlen(whole), &err));
    assert_false(find(&cache, "timed", &path));
    opevo_text_free(&path);
    opevo_free(whole);
    opevo_i_worker_cache_close(&cache);
}

static void check_refused(const opevo_i_worker_cache *cache, const char *words)
{
    opevo_text path = {0};

    assert_false(find(cache, "one", &path));
    if (!strstr(opevo_text_string(&refused), words))
        fail_msg("\"%s\" lacks \"%s\"", opevo_text_string(&refused), words);
    opevo_text_free(&path);
}

/* An object is loaded only where nobody else can have made or changed it. */
CHECK_TEST(test_own)
{
    opevo_i_worker_cache cache;
    opevo_i_worker_cache other;
    opevo_text path = {0};
    opevo_text moved = {0};
    opevo_text found = {0};

    umask(0); /* as some users have it, and compilers then */
    CHECK_OK(opevo_i_worker_cache_open(&cache, &err));
    add(&cache, "one", 100, &path);
    assert_true(find(&cache, "one", &found));
    CHECK_OK(opevo_i_worker_scratch_write(path.data, "changed", 7, &err));
    check_refused(&cache, "differs from what was built");
    add(&cache, "one", 100, &path);
    assert_true(find(&cache, "one", &found));
    assert_string_equal(opevo_text_string(&refused), "");
    for (mode_t bit = S_IWOTH; bit <= S_IWGRP; bit *= 8) {
        assert_int_equal(chmod(path.data, 0600 | bit), 0);
        check_refused(&cache, "another user");
    }
    assert_int_equal(chmod(path.data, 0600), 0);
    opevo_text_printf(&moved, "%s.away", path.data);
    assert_int_equal(rename(path.data, moved.data), 0);
    assert_int_equal(symlink(moved.data, path.data), 0);
    check_refused(&cache, "another user");
    assert_int_equal(rename(moved.data, path.data), 0);
    assert_true(find(&cache, "one", &found));
    if (geteuid() == 0) {
        assert_int_equal(chown(path.data, 1, 1), 0);
        check_refused(&cache, "another user");
    }
    add(&cache, "one", 100, &path);
    assert_true(find(&cache, "one", &found));
    assert_int_equal(chmod(cache.folder, 0770), 0);
    CHECK_FAILS(OPEVO_IO, "only you can write to", opevo_i_worker_cache_open(&other, &err));
    assert_int_equal(chmod(cache.folder, 0700), 0);
    opevo_text_free(&path);
    opevo_text_free(&moved);
    opevo_text_free(&found);
    opevo_i_worker_cache_close(&cache);
    umask(022);
}

/* Whoever shares the folder, names are apart, and only what nobody works at any more is removed: a
 * process that was killed leaves its scratch folder, perhaps before that has a lock. */
CHECK_TEST(test_shared)
{
    opevo_i_worker_cache one;
    opevo_i_worker_cache two;
    opevo_text path = {0};
    opevo_text old = {0};
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    pid_t child = 0;
    int said[2];
    char name[4096] = "";

    CHECK_OK(opevo_i_worker_cache_open(&one, &err));
    opevo_i_worker_cache_scratch(&one, ".c", &path);
    CHECK_OK(opevo_i_worker_scratch_write(path.data, "x", 1, &err));
    opevo_text_printf(&old, "%s/tmp.1.0.c", one.folder);
    CHECK_OK(opevo_i_worker_scratch_write(old.data, "x", 1, &err));
    CHECK_OK(opevo_i_worker_cache_open(&two, &err));
    assert_string_not_equal(one.scratch_folder, two.scratch_folder);
    assert_int_equal(access(path.data, F_OK), 0);
    assert_int_equal(access(old.data, F_OK), 0);
    opevo_i_worker_cache_close(&two);
    assert_int_equal(pipe(said), 0);
    child = fork();
    if (child == 0) {
        size_t length = 0;

        close(one.lock);
        if (opevo_i_worker_cache_open(&two, NULL) == OPEVO_OK)
            length = strlen(two.scratch_folder) + 1;
        _exit(write(said[1], two.scratch_folder, length) != (ssize_t)length);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(read(said[0], name, sizeof name) > 0);
    assert_int_equal(access(name, F_OK), 0);
    utimensat(AT_FDCWD, old.data, times, 0);
    CHECK_OK(opevo_i_worker_cache_open(&two, &err));
    assert_int_equal(access(name, F_OK), -1);
    assert_int_equal(access(old.data, F_OK), -1);
    assert_int_equal(access(path.data, F_OK), 0);
    opevo_i_worker_cache_close(&two);
    opevo_i_worker_cache_close(&one);
    assert_int_equal(access(path.data, F_OK), -1);
    close(said[0]);
    close(said[1]);
    opevo_text_free(&path);
    opevo_text_free(&old);
}

/* Above its limit the entries used longest ago go first. */
CHECK_TEST(test_bounded)
{
    opevo_i_worker_cache cache;
    opevo_text path = {0};
    char folder[4200];
    char recipe[32];

    CHECK_OK(opevo_i_worker_cache_open(&cache, &err));
    cache.limit_bytes = 20000;
    for (int i = 0; i < 63; i++) {
        struct timespec times[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};

        snprintf(recipe, sizeof recipe, "number %d", i);
        add(&cache, recipe, 1000, &path);
        utimensat(AT_FDCWD, path.data, times, 0);
    }
    assert_true(find(&cache, "number 3", &path)); /* used now */
    for (int i = 0; i < 64; i++)
        add(&cache, "another", 10, &path);
    assert_true(find(&cache, "number 3", &path));
    assert_true(find(&cache, "number 62", &path));
    assert_false(find(&cache, "number 0", &path));
    assert_false(find(&cache, "number 40", &path));
    snprintf(folder, sizeof folder, "%s/opevo/kernels", cache_folder);
    opevo_i_worker_cache_close(&cache);
    assert_int_equal(files_in(folder) % 2, 0); /* pairs of object and recipe */
    opevo_text_free(&path);
    opevo_text_free(&refused);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
