/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernels of opevo, compiled for this machine and run as fibers, against plain C, in all cases
 * of their harnesses and in three orders of work items. */

#include "check.h"

#include <opevo/fibers.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <stdlib.h>

#include "kernel_references.h"

static opevo_harness *load(const char *name)
{
    opevo_harness *harness = NULL;
    char path[512];

    snprintf(path, sizeof path, "%s/%s.json", OPEVO_TEST_KERNELS, name);
    CHECK_OK(opevo_harness_load(path, &harness, &err));
    return harness;
}

/* The object of the kernel's source, as CMake compiled it. */
static opevo_launcher *link(opevo_fibers *fibers, const char *name)
{
    opevo_launcher *launcher = NULL;
    char path[512], *object = NULL;
    size_t size = 0;

    snprintf(path, sizeof path, "%s/%s.o", OPEVO_TEST_OBJECTS, name);
    CHECK_OK(opevo_file_read(path, 1 << 24, &object, &size, &err));
    CHECK_OK(opevo_fibers_launcher(fibers, object, size, false, &launcher, &err));
    opevo_free(object);
    return launcher;
}

static const char *label; /* of the case that is checked: "NAME=NUMBER NAME=NUMBER ..." */

/* A number of that case. */
static int number(const char *name)
{
    size_t length = strlen(name);
    const char *at = label;

    while (at && !(strncmp(at, name, length) == 0 && at[length] == '=')) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    if (!at)
        fail_msg("The case %s has no number %s.", label, name);
    return atoi(at + length + 1);
}

static void compare(const kernel_reference *reference, const opevo_buffer *computed,
                    const opevo_buffer *expected)
{
    for (size_t i = 0; computed->output && i < computed->count; i++) {
        if (computed->element == OPEVO_KERNEL_ELEMENT_F32) {
            double x = (double)((const float *)computed->data)[i];
            double g = (double)((const float *)expected->data)[i];

            if (!(fabs(x - g) <= reference->tolerance * fmax(1, fabs(g))))
                fail_msg("%s, %s: %s[%zu] = %.9g, expected %.9g", reference->name, label,
                         computed->name, i, x, g);
        } else {
            int32_t x = ((const int32_t *)computed->data)[i];
            int32_t g = ((const int32_t *)expected->data)[i];

            if (x != g)
                fail_msg("%s, %s: %s[%zu] = %d, expected %d", reference->name, label,
                         computed->name, i, x, g);
        }
    }
}

static void check_case(const kernel_reference *reference, const opevo_harness *harness,
                       opevo_harness_set set, size_t i, opevo_launcher *launcher)
{
    opevo_case *by_kernel = NULL, *by_reference = NULL;
    opevo_evaluation out = {0};
    opevo_buffer *computed, *expected;
    size_t count = 0;

    CHECK_OK(opevo_case_open(harness, set, i, &by_kernel, &err));
    CHECK_OK(opevo_case_open(harness, set, i, &by_reference, &err));
    label = opevo_case_label(by_kernel);
    CHECK_OK(launcher->ops->run(launcher, by_kernel, &out, &err));
    if (out.verdict != OPEVO_VERDICT_OK)
        fail_msg("%s, %s: %s: %s", reference->name, label, opevo_kernel_verdict_name(out.verdict),
                 out.message);
    assert_true(out.time_s > 0);
    expected = opevo_case_buffers(by_reference, &count);
    reference->compute(expected, number);
    computed = opevo_case_buffers(by_kernel, &count);
    for (size_t b = 0; b < count; b++)
        compare(reference, &computed[b], &expected[b]);
    opevo_case_close(by_reference);
    opevo_case_close(by_kernel);
}

static void check_order(opevo_fibers_order order)
{
    opevo_fibers_options options = opevo_fibers_defaults;
    opevo_fibers *fibers = NULL;

    options.order = order;
    options.windows = 1;
    CHECK_OK(opevo_fibers_create(&options, &fibers, &err));
    for (size_t k = 0; k < kernel_reference_count; k++) {
        opevo_harness *harness = load(kernel_references[k].name);
        opevo_launcher *launcher = link(fibers, kernel_references[k].name);

        for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++) {
            for (size_t i = 0; i < opevo_harness_case_count(harness, set); i++)
                check_case(&kernel_references[k], harness, set, i, launcher);
        }
        opevo_launcher_destroy(launcher);
        opevo_harness_destroy(harness);
    }
    opevo_fibers_destroy(fibers);
}

CHECK_TEST(kernels_compute_what_plain_c_does)
{
    check_order(OPEVO_FIBERS_FORWARD);
}

CHECK_TEST(the_order_of_work_items_changes_nothing)
{
    check_order(OPEVO_FIBERS_REVERSE);
    check_order(OPEVO_FIBERS_SHUFFLED);
}
