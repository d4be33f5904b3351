/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernels of docs/examples/tune: random configurations of each are right, on a CPU, in the
 * interpreter and by OpenCL, where those outside the long run are of every second example. */

#include "measured_points.h"
#include "own_fixture.h"

enum { USUAL = 6 };

static const char *const names[] = {"vadd",      "matmul",    "conv",     "stencil",
                                    "reduction", "transpose", "histogram"};

static void check_example(const char *device, const char *folder, const char *name,
                          const char *ending)
{
    char source[4096], harness[4096], space_path[4096];
    const opevo_own_files files = {.source = source, .harness = harness};
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_dialect language = OPEVO_KERNEL_C;
    opevo_objective *objective = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_space *space = NULL;

    snprintf(source, sizeof source, OPEVO_TEST_EXAMPLES "/%s/%s%s", folder, name, ending);
    snprintf(harness, sizeof harness, OPEVO_TEST_EXAMPLES "/%s/%s.json", folder, name);
    snprintf(space_path, sizeof space_path, OPEVO_TEST_EXAMPLES "/%s/%s.space.json", folder, name);
    options.device = device;
    options.repeat_s = 0.01;
    assert_true(opevo_own_language(source, &language));
    CHECK_OK(opevo_space_load(space_path, &space, &err));
    CHECK_OK(opevo_own_kernels_open(&files, language, language == OPEVO_KERNEL_C, 1, space, &maker,
                                    &err));
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    assert_true(measure_points(objective, points_wanted(USUAL), name) > 0);
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_cpu)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_example("cpu", "c", names[i], ".c");
}

CHECK_TEST(test_simt)
{
    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_example("simt", "gpu", names[i], ".cu");
}

CHECK_TEST(test_opencl)
{
    if (!own_has_opencl())
        CHECK_SKIP("no OpenCL device: install pocl-opencl-icd");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (test_takes(i, 0, 2))
            check_example("opencl:0", "opencl", names[i], ".cl");
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
