/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel compiled, and run in a forked process as a worker does it. */

#ifndef OPEVO_TESTS_PROCESS_FIXTURE_H
#define OPEVO_TESTS_PROCESS_FIXTURE_H

#include "cache_folder.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

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

/* The worker's side, without a check of the result; the process with its last order, to end. */
static inline opevo_i_cpu_process child_start(const opevo_i_cpu_plan *plan, const char *object,
                                              const opevo_i_reference_operands *operands,
                                              opevo_i_cpu_windows *windows)
{
    const opevo_i_reference_operands sets[OPEVO_I_CPU_SETS] = {*operands, *operands};
    opevo_i_cpu_process process;

    memset(windows, 0, sizeof *windows);
    assert_int_equal(opevo_i_cpu_process_start(plan, object, "kernel", sets, &process), 'd');
    assert_int_equal(opevo_i_cpu_prepare(&process, windows), 'd');
    assert_int_equal(opevo_i_cpu_process_ask(&process, OPEVO_I_CPU_RUN, 0, 1, plan->run_limit_s,
                                             &windows->first),
                     'd');
    return process;
}

/* With all windows. */
static inline void child_run(const opevo_i_cpu_plan *plan, const char *object,
                             const opevo_i_reference_operands *operands,
                             opevo_i_cpu_windows *windows)
{
    opevo_i_cpu_process process = child_start(plan, object, operands, windows);

    assert_int_equal(opevo_i_cpu_take_windows(&process, windows), 'd');
    opevo_i_cpu_process_end(&process);
}

#endif
