/* SPDX-License-Identifier: GPL-3.0-or-later */

/* OpenBLAS beside kernels on the CPU, in finals and alone. */

#include "cache_folder.h"
#include "zoo.h"

#include <opevo/worker.h>

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend_internal.h"
#include "finalists.h"

/* OpenBLAS in the finals passes the check like a kernel; the winner is a kernel all the same, and a
 * single kernel has no rival. */
CHECK_TEST(test_library)
{
    opevo_objective *objective = zoo_open(zoo_of_products(48), 5);
    opevo_finalist finalists[2] = {{.point = 0}, {.point = OPEVO_LIBRARY_POINT}};
    opevo_final_verdict verdict;
    double fitness[2 * 6];
    opevo_text library = {0};

    CHECK_OK(measure_finalists(objective, finalists, 2, 6, NULL, fitness, &library, &err));
    assert_non_null(strstr(opevo_text_string(&library), "OpenBLAS, its kernels for "));
    CHECK_OK(opevo_finals_judge(finalists, 2, 6, fitness, &verdict, &err));
    assert_true(finalists[0].median > 0 && finalists[1].median > 0);
    assert_int_equal(verdict.winner, 0);
    assert_int_equal(verdict.rival, 2);
    assert_int_equal(verdict.library, 1);
    assert_false(verdict.faster);
    assert_true(isnan(verdict.ratio));
    assert_true(verdict.library_low <= verdict.library_ratio &&
                verdict.library_ratio <= verdict.library_high);
    opevo_text_free(&library);
    opevo_objective_destroy(objective);
}

/* The parent of a process; 0 if it is gone. */
static long parent_of(long process)
{
    char path[64];
    char text[512] = "";
    char *end = NULL;
    FILE *file = NULL;

    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    file = fopen(path, "r");
    if (!file)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    end = strrchr(text, ')'); /* ") S PARENT" */
    return end && strlen(end) > 4 ? strtol(end + 4, NULL, 10) : 0;
}

/* Threads of a process; 0 if it is gone. */
static int threads_of(long process)
{
    char path[64];
    DIR *tasks = NULL;
    struct dirent *entry = NULL;
    int count = 0;

    snprintf(path, sizeof path, "/proc/%ld/task", process);
    tasks = opendir(path);
    while (tasks && (entry = readdir(tasks)) != NULL)
        count += *entry->d_name != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

typedef struct watch {
    _Atomic(bool) over;
    int seen, most; /* processes of workers, and threads in one of them */
} watch;

/* Count the threads of what workers of this process start. */
static void *watch_threads(void *context)
{
    watch *self = context;

    while (!self->over) {
        DIR *all = opendir("/proc");
        struct dirent *entry = NULL;

        while (all && (entry = readdir(all)) != NULL) {
            long process = strtol(entry->d_name, NULL, 10);
            int count =
                process > 0 && parent_of(parent_of(process)) == getpid() ? threads_of(process) : 0;

            self->seen += count > 0;
            self->most = count > self->most ? count : self->most;
        }
        if (all)
            closedir(all);
    }
    return NULL;
}

/* The library has one thread, also where OpenBLAS would take more. */
CHECK_TEST(test_library_alone)
{
    opevo_finalist finalists[2] = {{.point = OPEVO_LIBRARY_POINT}, {.point = 0}};
    opevo_objective *objective = NULL;
    double fitness[2 * 12];
    watch seen = {.over = false};
    pthread_t thread;

    unsetenv("BLAS_NUM_THREADS");
    objective = zoo_open(zoo_of_products(256), 5);
    assert_int_equal(pthread_create(&thread, NULL, watch_threads, &seen), 0);
    CHECK_OK(measure_finalists(objective, finalists, 2, 12, NULL, fitness, NULL, &err));
    seen.over = true;
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(fitness[0] > 0 && seen.seen > 0);
    assert_int_equal(seen.most, 1);
    opevo_objective_destroy(objective);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
