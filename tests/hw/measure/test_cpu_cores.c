/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which processors the threads of a kernel get. */

#include "check.h"

#include "cpu_internal.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder as sysfs has it, of `count` processors with these lists of siblings. */
static void write_siblings(const char *root, const char *const *siblings, int count)
{
    for (int i = 0; i < count; i++) {
        char path[300];
        FILE *file = NULL;

        snprintf(path, sizeof path, "%s/cpu%d", root, i);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/cpu%d/topology", root, i);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/cpu%d/topology/thread_siblings_list", root, i);
        file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%s\n", siblings[i]);
        assert_int_equal(fclose(file), 0);
    }
}

static void remove_siblings(const char *root, int count)
{
    for (int i = 0; i < count; i++) {
        char path[300];

        snprintf(path, sizeof path, "%s/cpu%d/topology/thread_siblings_list", root, i);
        unlink(path);
        snprintf(path, sizeof path, "%s/cpu%d/topology", root, i);
        rmdir(path);
        snprintf(path, sizeof path, "%s/cpu%d", root, i);
        rmdir(path);
    }
}

/* Threads get cores of their own as far as there are enough, whatever numbers siblings have. */
CHECK_TEST(test_cores)
{
    static const char *const pairs[] = {"0-1", "0-1", "2-3", "2-3", "4-5", "4-5"};
    static const char *const halves[] = {"0,3", "1,4", "2,5", "0,3", "1,4", "2,5"};
    static const struct {
        const char *const *siblings;
        size_t threads;
        int cores[6];
    } rows[] = {
        {pairs, 1, {0, 1, 2, 3, 4, 5}},  {pairs, 2, {0, 1, 2, 4, 3, 5}},
        {pairs, 3, {0, 2, 4, 1, 3, 5}},  {pairs, 4, {0, 2, 4, 1, 3, 5}},
        {halves, 2, {0, 1, 2, 3, 4, 5}}, {halves, 3, {0, 1, 2, 3, 4, 5}},
    };
    char root[] = "/tmp/opevo_cores_XXXXXX";
    int unknown[] = {7, 8, 9};

    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int cores[6] = {0, 1, 2, 3, 4, 5};

        write_siblings(root, rows[i].siblings, 6);
        opevo_i_cpu_choose(cores, 6, rows[i].threads, root);
        assert_memory_equal(cores, rows[i].cores, sizeof cores);
    }
    remove_siblings(root, 6);
    opevo_i_cpu_choose(unknown, 3, 2, root); /* nothing known: as they come */
    assert_memory_equal(unknown, ((const int[]){7, 8, 9}), sizeof unknown);
    assert_int_equal(rmdir(root), 0);
}
