/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cache_folder.h"
#include "check.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "build_cache_internal.h"

static void add(opevo_i_cache *cache, const char *recipe_text, size_t bytes, opevo_text *path)
{
    opevo_text recipe = {0};
    opevo_text scratch = {0};
    char *data = opevo_calloc(bytes, 1);

    opevo_text_add(&recipe, recipe_text);
    opevo_i_cache_scratch(cache, ".obj", &scratch);
    CHECK_OK(opevo_i_scratch_write(scratch.data, data, bytes, &err));
    CHECK_OK(opevo_i_cache_add(cache, &recipe, scratch.data, path, &err));
    assert_int_equal(access(scratch.data, F_OK), -1);
    opevo_free(data);
    opevo_text_free(&recipe);
    opevo_text_free(&scratch);
}

static bool find(const opevo_i_cache *cache, const char *recipe_text, opevo_text *path)
{
    opevo_text recipe = {0};
    bool found = false;

    opevo_text_add(&recipe, recipe_text);
    found = opevo_i_cache_find(cache, &recipe, path);
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

static void test_find(void **state)
{
    opevo_i_cache cache;
    opevo_text path = {0};
    opevo_text found = {0};

    (void)state;
    CHECK_OK(opevo_i_cache_open(&cache, &err));
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
    opevo_text_free(&path);
    opevo_text_free(&found);
    opevo_i_cache_close(&cache);
}

/* Above its limit the entries used longest ago go first; what dead processes left goes at once. */
static void test_bounded(void **state)
{
    opevo_i_cache cache;
    opevo_i_cache again;
    opevo_text path = {0};
    char folder[4200];
    char name[4300];
    char recipe[32];

    (void)state;
    CHECK_OK(opevo_i_cache_open(&cache, &err));
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
    opevo_i_cache_close(&cache);
    snprintf(name, sizeof name, "%s/tmp.999999999.3.dir", folder); /* above any process number */
    assert_int_equal(mkdir(name, 0700), 0);
    strcat(name, "/ccXYZ.o");
    CHECK_OK(opevo_i_scratch_write(name, "x", 1, &err));
    assert_int_equal(files_in(folder) % 2, 1);
    CHECK_OK(opevo_i_cache_open(&again, &err));
    opevo_i_cache_close(&again);
    assert_int_equal(access(name, F_OK), -1);
    assert_int_equal(files_in(folder) % 2, 0); /* pairs of object and recipe */
    opevo_text_free(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_bounded),
    };

    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(cmocka_run_group_tests(tests, NULL, NULL));
}
