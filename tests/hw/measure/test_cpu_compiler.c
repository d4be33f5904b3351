/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A cache of kernels that several compilers of one name fill: each gets what it built itself, and
 * the device that a worker names tells them apart. */

#include "cache_folder.h"
#include "zoo.h"

#include <sys/stat.h>

#include "cpu_internal.h"

/* Put a folder first on the path whose `cc` is the one there with more arguments. */
static void use_wrapper(const char *name, const char *more)
{
    static char usual[8192];
    char folder[4200];
    char path[4300];
    char paths[sizeof folder + sizeof usual + 1];
    FILE *file = NULL;

    if (!*usual)
        snprintf(usual, sizeof usual, "%s", getenv("PATH"));
    snprintf(folder, sizeof folder, "%s/%s", cache_folder, name);
    snprintf(path, sizeof path, "%s/cc", folder);
    mkdir(folder, 0700);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\nPATH='%s'\nexec cc \"$@\" %s\n", usual, more);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    snprintf(paths, sizeof paths, "%s:%s", folder, usual);
    setenv("PATH", paths, 1);
}

CHECK_TEST(test_identity)
{
    static const char *const more[] = {"", "-O0", "-mno-avx", "-fno-tree-vectorize", "-O2 -g"};
    enum { COUNT = sizeof more / sizeof *more };
    char device[COUNT][256];
    opevo_objective *objective = NULL;

    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < COUNT; i++) {
            char again[256];
            char name[32];

            snprintf(name, sizeof name, "identity%zu", i);
            use_wrapper(name, more[i]);
            opevo_i_cpu_identity(again, sizeof again);
            if (turn)
                assert_string_equal(again, device[i]);
            memcpy(device[i], again, sizeof again);
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(again, device[k]);
        }
    }
    setenv("OPEVO_CC", "no-such-compiler", 1);
    opevo_i_cpu_identity(device[0], sizeof device[0]);
    assert_non_null(strstr(device[0], "no-such-compiler is missing"));
    CHECK_FAILS(OPEVO_FAULT, "cpu: the compiler no-such-compiler does not work",
                opevo_live_open(&zoo_of_products(16)->super,
                                &(opevo_live_options){.device = "cpu",
                                                      .check_every = 1,
                                                      .build_limit_s = 1,
                                                      .run_limit_s = 1,
                                                      .precision = 0.1,
                                                      .repeat_s = 1},
                                &objective, &err));
    unsetenv("OPEVO_CC");
}

static opevo_outcome measure(const char *name, const char *more)
{
    opevo_objective *objective = NULL;
    opevo_outcome outcome;
    opevo_index point = 0;

    use_wrapper(name, more);
    objective = zoo_open(zoo_of_products(64), 5);
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    opevo_objective_destroy(objective);
    return outcome;
}

CHECK_TEST(test_shared_cache)
{
    opevo_outcome slow = measure("slow", "-O0");
    opevo_outcome fast = measure("fast", "");
    opevo_outcome again = measure("slow", "-O0");

    assert_true(slow.build_s > 0 && fast.build_s > 0);
    assert_true(again.build_s == 0);
    assert_true(fast.time_s < 0.7 * slow.time_s && fast.time_s < 0.7 * again.time_s);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
