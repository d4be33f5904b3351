/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of LLVM modules: random lists are accepted by LLVM's verifier and replay identically, each
 * edit does what its text says, and texts that are not edit lists are refused. The environment
 * variable OPEVO_TEST_POINTS sets the number of random lists. */

#include "edits_fixture.h"

#include <opevo/clock.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>

static const char *const modules[] = {"tile.ll"};
enum { MODULE_COUNT = sizeof modules / sizeof *modules };

static size_t list_count(size_t usual)
{
    const char *text = getenv("OPEVO_TEST_POINTS");
    uint64_t count = usual;

    if (text)
        assert_true(opevo_parse_u64(text, &count));
    return (size_t)count;
}

/* ---- Random lists ---- */

static opevo_edit_settings settings_of(size_t index)
{
    return (opevo_edit_settings){
        index & 1 ? OPEVO_MOVE_GEVO : OPEVO_MOVE_KEEP_USES,
        index & 2 ? OPEVO_ONE_ALWAYS : OPEVO_ONE_LAST,
        index & 4 ? OPEVO_ORDER_CANONICAL : OPEVO_ORDER_CHRONO,
        index & 8 ? OPEVO_CROSSOVER_CONCAT : OPEVO_CROSSOVER_SYMDIFF,
    };
}

/* The module of a list is valid, its text prints as it reads, and the list of the text gives the
 * same module. */
static uint64_t check_list(const opevo_module *module, const opevo_edits *edits, size_t *skipped)
{
    opevo_variant *variant = variant_of(module, edits), *again;
    opevo_edits *read;
    char *text = printed(edits), *text_again;
    uint64_t hash = opevo_variant_hash(variant);

    if (opevo_variant_fault(variant))
        fail_msg("%s: %s", text, opevo_variant_fault(variant));
    read = parsed(module, text);
    text_again = printed(read);
    assert_string_equal(text, text_again);
    again = variant_of(module, read);
    if (opevo_variant_hash(again) != hash)
        fail_msg("%s gives two modules", text);
    if (skipped)
        *skipped = opevo_variant_skipped_count(variant);
    assert_int_equal(opevo_variant_skipped_count(again), opevo_variant_skipped_count(variant));
    opevo_variant_destroy(again);
    opevo_variant_destroy(variant);
    opevo_edits_destroy(read);
    opevo_free(text);
    opevo_free(text_again);
    return hash;
}

/* What making a list did is what applying it does: the next edit can be made on top. */
static void test_random_lists(void **state)
{
    size_t count = list_count(3000);

    (void)state;
    for (size_t m = 0; m < MODULE_COUNT; m++) {
        opevo_module *module = load_module(modules[m]);
        opevo_edits *last = opevo_edits_create();
        size_t skipped = 0, changed = 0;

        for (size_t i = 0; i < count; i++) {
            opevo_edit_settings settings = settings_of(i);
            opevo_edits *edits = NULL, *first = NULL, *second = NULL;
            opevo_rng rng;
            opevo_error err = {0};

            opevo_rng_init(&rng, 7, "edits", i);
            if (opevo_edits_sample(module, &settings, 1 + i % 7, &rng, &edits, &err))
                fail_msg("%s", err.message);
            changed += check_list(module, edits, &skipped) != opevo_module_hash(module);
            if (settings.order == OPEVO_ORDER_CHRONO)
                assert_int_equal(skipped, 0);
            assert_int_equal(
                opevo_edits_cross(module, &settings, edits, last, &rng, &first, &second, &err), 0);
            (void)check_list(module, first, NULL);
            (void)check_list(module, second, NULL);
            opevo_edits_destroy(second);
            assert_int_equal(opevo_edits_mutate(module, &settings, first, 0.5, &rng, &second, &err),
                             0);
            (void)check_list(module, second, NULL);
            opevo_edits_destroy(first);
            opevo_edits_destroy(edits);
            opevo_edits_destroy(last);
            last = second;
        }
        if (opevo_edits_count(last) == 0)
            fail_msg("lists stay empty");
        assert_true(changed > count * 9 / 10);
        opevo_edits_destroy(last);
        opevo_module_destroy(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_lists)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
