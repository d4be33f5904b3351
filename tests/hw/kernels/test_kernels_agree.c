/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter and native code: all committed modules are accepted by both, in all cases, and
 * the bytes of their outputs are the same; so are those of random variants that the interpreter
 * accepts. OPEVO_TEST_POINTS sets the number of random variants. */

#include "agree_fixture.h"

#include <opevo/fibers.h>

static const char *const names[] = {"planted",
                                    "planted-store",
                                    "planted-test",
                                    "planted-barrier",
                                    "planted-repeat",
                                    "planted-none",
                                    "matmul",
                                    "stencil",
                                    "hotspot",
                                    "pathfinder",
                                    "nw",
                                    "bfs",
                                    "lud",
                                    "srad",
                                    "reduction",
                                    "backprop",
                                    "kmeans",
                                    "smo",
                                    "jacobi"};
enum { NAMES = sizeof names / sizeof *names, VARIANTS = 16 * NAMES };

static opevo_launcher *compile(void *machine, const opevo_variant *variant)
{
    opevo_launcher *launcher = NULL;
    opevo_text object = {0};

    CHECK_OK(opevo_variant_emit(variant, OPEVO_FORM_CPU_OBJECT, NULL, 0, &object, &err));
    CHECK_OK(opevo_fibers_launcher(machine, object.data, object.length, false, &launcher, &err));
    opevo_text_free(&object);
    return launcher;
}

static void open_native(fixture *f, const char *name)
{
    opevo_fibers_options options = opevo_fibers_defaults;
    opevo_fibers *fibers = NULL;

    options.windows = 1;
    CHECK_OK(opevo_fibers_create(&options, &fibers, &err));
    *f = (fixture){.machine = fibers, .compile = compile};
    open_kernel(f, OPEVO_TEST_KERNELS, name);
}

static void close_native(fixture *f)
{
    opevo_fibers_destroy(f->machine);
    close_kernel(f);
}

CHECK_TEST(all_kernels_are_accepted_and_equal)
{
    for (size_t k = 0; k < NAMES; k++) {
        fixture f;

        open_native(&f, names[k]);
        agree_on_kernel(&f);
        close_native(&f);
    }
}

CHECK_TEST(accepted_variants_are_equal)
{
    size_t count = test_points(VARIANTS) / NAMES; /* of a kernel */
    size_t accepted = 0;

    for (size_t k = 0; k < NAMES; k++) {
        fixture f;

        open_native(&f, names[k]);
        accepted += agree_on_variants(&f, count, k);
        close_native(&f);
    }
    print_message("%zu of %zu variants accepted\n", accepted, NAMES * count);
    assert_true(5 * accepted >= NAMES * count);
}
