/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter beside another machine: where it accepts a variant, the other one must give the
 * same bytes. */

#ifndef OPEVO_AGREE_FIXTURE_H
#define OPEVO_AGREE_FIXTURE_H

#include "points.h"

#include <opevo/edits.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include "evolver_program_internal.h"

typedef struct fixture {
    const char *name;
    opevo_module *module;
    opevo_harness *harness;
    opevo_simt_costs *costs;
    void *machine;
    opevo_launcher *(*compile)(void *machine, const opevo_variant *variant);
} fixture;

static inline void open_kernel(fixture *f, const char *folder, const char *name)
{
    char path[512], *harness = NULL;

    f->name = name;
    snprintf(path, sizeof path, "%s/%s.ll", folder, name);
    CHECK_OK(opevo_module_load(path, &f->module, &err));
    CHECK_OK(opevo_harness_path(path, &harness, &err));
    CHECK_OK(opevo_harness_load(harness, &f->harness, &err));
    CHECK_OK(opevo_simt_costs_load(NULL, &f->costs, &err));
    opevo_free(harness);
}

static inline void close_kernel(fixture *f)
{
    opevo_simt_costs_destroy(f->costs);
    opevo_harness_destroy(f->harness);
    opevo_module_destroy(f->module);
}

/* What the launcher says of a case, which stays open. */
static inline opevo_evaluation run(const fixture *f, opevo_harness_set set, size_t i,
                                   opevo_launcher *launcher, opevo_case **what)
{
    opevo_evaluation out = {0};

    CHECK_OK(opevo_case_open(f->harness, set, i, what, &err));
    CHECK_OK(launcher->ops->run(launcher, *what, &out, &err));
    return out;
}

static inline void compare(const fixture *f, const char *edits, opevo_case *a, opevo_case *b)
{
    size_t count = 0;
    const opevo_buffer *x = opevo_case_buffers(a, &count), *y = opevo_case_buffers(b, &count);

    for (size_t i = 0; i < count; i++) {
        if (x[i].output && memcmp(x[i].data, y[i].data, x[i].size_bytes) != 0)
            fail_msg("%s, %s, %s: %s differs", f->name, edits, opevo_case_label(a), x[i].name);
    }
}

/* True if the interpreter accepts the variant in the first `cases` cases of the set, where the
 * other machine must then give the same. */
static inline bool agree(const fixture *f, opevo_harness_set set, size_t cases,
                         const opevo_edits *edits)
{
    opevo_variant *variant = NULL;
    opevo_launcher *simt = NULL, *other = NULL;
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
            if (!other)
                other = f->compile(f->machine, variant);
            out = run(f, set, i, other, &b);
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
    opevo_launcher_destroy(other);
    opevo_variant_destroy(variant);
    opevo_text_free(&text);
    return accepted;
}

/* All cases of the kernel itself. */
static inline void agree_on_kernel(const fixture *f)
{
    opevo_edits *none = opevo_edits_create();

    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++)
        agree(f, set, opevo_harness_case_count(f->harness, set), none);
    opevo_edits_destroy(none);
}

/* Random variants in the first case of a search; how many were accepted. */
static inline size_t agree_on_variants(const fixture *f, size_t count, uint64_t stream)
{
    opevo_edit_settings settings = OPEVO_EDIT_SETTINGS_DEFAULT;
    size_t accepted = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "agree", stream);
    for (size_t v = 0; v < count; v++) {
        opevo_edits *edits = NULL;

        CHECK_OK(opevo_edits_sample(f->module, &settings, 1 + v % 2, &rng, &edits, &err));
        accepted += agree(f, OPEVO_SET_SEARCH, 1, edits);
        opevo_edits_destroy(edits);
    }
    return accepted;
}

#endif
