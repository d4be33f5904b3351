/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter and native code: all committed modules are accepted by both, in all cases, and
 * the bytes of their outputs are the same; so are those of random variants that the interpreter
 * accepts. OPEVO_TEST_POINTS sets the number of random variants. */

#include "points.h"

#include <opevo/edits.h>
#include <opevo/fibers.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include "evolver_program_internal.h"

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

typedef struct fixture {
    const char *name;
    opevo_module *module;
    opevo_harness *harness;
    opevo_simt_costs *costs;
    opevo_fibers *fibers;
} fixture;

static void open_kernel(fixture *f, const char *name)
{
    opevo_fibers_options options = opevo_fibers_defaults;
    char path[512], *harness = NULL;

    *f = (fixture){.name = name};
    options.windows = 1;
    snprintf(path, sizeof path, "%s/%s.ll", OPEVO_TEST_KERNELS, name);
    CHECK_OK(opevo_module_load(path, &f->module, &err));
    CHECK_OK(opevo_harness_path(path, &harness, &err));
    CHECK_OK(opevo_harness_load(harness, &f->harness, &err));
    CHECK_OK(opevo_simt_costs_load(NULL, &f->costs, &err));
    CHECK_OK(opevo_fibers_create(&options, &f->fibers, &err));
    opevo_free(harness);
}

static void close_kernel(fixture *f)
{
    opevo_fibers_destroy(f->fibers);
    opevo_simt_costs_destroy(f->costs);
    opevo_harness_destroy(f->harness);
    opevo_module_destroy(f->module);
}

/* What the launcher says of a case, which stays open. */
static opevo_evaluation run(const fixture *f, opevo_harness_set set, size_t i,
                            opevo_launcher *launcher, opevo_case **what)
{
    opevo_evaluation out = {0};

    CHECK_OK(opevo_case_open(f->harness, set, i, what, &err));
    CHECK_OK(launcher->ops->run(launcher, *what, &out, &err));
    return out;
}

static opevo_launcher *compile(const fixture *f, const opevo_variant *variant)
{
    opevo_launcher *launcher = NULL;
    opevo_text object = {0};

    CHECK_OK(opevo_variant_emit(variant, OPEVO_FORM_CPU_OBJECT, NULL, 0, &object, &err));
    CHECK_OK(opevo_fibers_launcher(f->fibers, object.data, object.length, false, &launcher, &err));
    opevo_text_free(&object);
    return launcher;
}

static void compare(const fixture *f, const char *edits, opevo_case *a, opevo_case *b)
{
    size_t count = 0;
    const opevo_buffer *x = opevo_case_buffers(a, &count), *y = opevo_case_buffers(b, &count);

    for (size_t i = 0; i < count; i++) {
        if (x[i].output && memcmp(x[i].data, y[i].data, x[i].size_bytes) != 0)
            fail_msg("%s, %s, %s: %s differs", f->name, edits, opevo_case_label(a), x[i].name);
    }
}

/* True if the interpreter accepts the variant in the first `cases` cases of the set, where native
 * code must then give the same. */
static bool agree(const fixture *f, opevo_harness_set set, size_t cases, const opevo_edits *edits)
{
    opevo_variant *variant = NULL;
    opevo_launcher *simt = NULL, *cpu = NULL;
    opevo_i_evolver_kernel kernel = {
        .harness = f->harness, .costs = f->costs, .simt = opevo_simt_defaults};
    opevo_text text = {0};
    bool accepted = true;

    opevo_edits_print(edits, &text);
    CHECK_OK(opevo_variant_create(f->module, edits, &variant, &err));
    assert_null(opevo_variant_fault(variant));
    CHECK_OK(opevo_i_evolver_simt_launcher_create(variant, &kernel, &simt, &err));
    opevo_simt_launcher_limit(simt, 10000000);
    for (size_t i = 0; i < cases && accepted; i++) {
        opevo_case *a = NULL, *b = NULL;
        opevo_evaluation out = run(f, set, i, simt, &a);

        accepted = out.verdict == OPEVO_VERDICT_OK;
        if (accepted) {
            if (!cpu)
                cpu = compile(f, variant);
            out = run(f, set, i, cpu, &b);
            if (out.verdict != OPEVO_VERDICT_OK)
                fail_msg("%s, %s: %s: %s", f->name, opevo_text_string(&text),
                         opevo_kernel_verdict_name(out.verdict), out.message);
            compare(f, opevo_text_string(&text), a, b);
        } else if (opevo_edits_count(edits) == 0) {
            fail_msg("%s: %s: %s", f->name, opevo_kernel_verdict_name(out.verdict), out.message);
        }
        opevo_case_close(a);
        opevo_case_close(b);
    }
    opevo_launcher_destroy(simt);
    opevo_launcher_destroy(cpu);
    opevo_variant_destroy(variant);
    opevo_text_free(&text);
    return accepted;
}

CHECK_TEST(all_kernels_are_accepted_and_equal)
{
    for (size_t k = 0; k < NAMES; k++) {
        opevo_edits *none = opevo_edits_create();
        fixture f;

        open_kernel(&f, names[k]);
        for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++)
            agree(&f, set, opevo_harness_case_count(f.harness, set), none);
        close_kernel(&f);
        opevo_edits_destroy(none);
    }
}

CHECK_TEST(accepted_variants_are_equal)
{
    size_t count = test_points(VARIANTS) / NAMES; /* of a kernel */
    size_t accepted = 0;

    for (size_t k = 0; k < NAMES; k++) {
        opevo_edit_settings settings = OPEVO_EDIT_SETTINGS_DEFAULT;
        opevo_rng rng;
        fixture f;

        open_kernel(&f, names[k]);
        opevo_rng_init(&rng, 1, "agree", k);
        for (size_t v = 0; v < count; v++) {
            opevo_edits *edits = NULL;

            CHECK_OK(opevo_edits_sample(f.module, &settings, 1 + v % 2, &rng, &edits, &err));
            accepted += agree(&f, OPEVO_SET_SEARCH, 1, edits);
            opevo_edits_destroy(edits);
        }
        close_kernel(&f);
    }
    print_message("%zu of %zu variants accepted\n", accepted, NAMES * count);
    assert_true(5 * accepted >= NAMES * count);
}
