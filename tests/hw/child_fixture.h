/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel compiled, and run in a forked process as a worker does it. */

#ifndef OPEVO_TESTS_CHILD_FIXTURE_H
#define OPEVO_TESTS_CHILD_FIXTURE_H

#include "cache_folder.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu_internal.h"

/* The path of a shared object made from a source; a static string. */
static inline const char *child_build(const char *name, const char *source)
{
    static char object[4200];
    char path[4200];
    char command[3 * 4200];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s.c", cache_folder, name);
    snprintf(object, sizeof object, "%s/%s.so", cache_folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(source, file) >= 0);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "cc -O2 -fPIC -shared -o '%s' '%s'", object, path);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): the words are ours */
    return object;
}

/* The worker's side, without a check of the result. */
static inline void child_run(const opevo_i_cpu_plan *plan, const char *object,
                             const opevo_i_operands *operands, opevo_i_cpu_report *report)
{
    int up[2] = {-1, -1};
    int down[2] = {-1, -1};
    char letter = 0;
    pid_t child = 0;

    assert_true(pipe(up) == 0 && pipe(down) == 0);
    child = fork();
    if (child == 0) {
        int to = dup2(up[1], 100);
        int from = dup2(down[0], 101);

        dup2(from, OPEVO_I_CPU_FROM);
        dup2(to, OPEVO_I_CPU_TO);
        opevo_i_cpu_child(plan, object, "kernel", operands, report);
    }
    close(up[1]);
    close(down[0]);
    assert_true(read(up[0], &letter, 1) == 1 && letter == 'c');
    assert_int_equal(write(down[1], "g", 1), 1);
    assert_true(read(up[0], &letter, 1) == 1 && letter == 'd');
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(up[0]);
    close(down[1]);
}

#endif
