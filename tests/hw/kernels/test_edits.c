/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of LLVM modules: random lists are accepted by LLVM's verifier and replay identically, each
 * edit does what its text says, and texts that are not edit lists are refused. The environment
 * variable OPEVO_TEST_POINTS sets the number of random lists. */

#include "edits_fixture.h"

#include "edits_internal.h"
#include "points.h"

#include <llvm-c/Analysis.h>

#include <dirent.h>

enum { MODULES_MOST = 64, PATH_SIZE = 1024 };

/* Those of the tests, and the kernels that opevo comes with. */
static size_t module_paths(char paths[MODULES_MOST][PATH_SIZE])
{
    static const char *const folders[] = {OPEVO_TEST_EDITS, OPEVO_TEST_KERNELS};
    size_t count = 0;

    for (size_t f = 0; f < 2; f++) {
        struct dirent **entries = NULL;
        int entry_count = scandir(folders[f], &entries, NULL, alphasort);

        for (int i = 0; i < entry_count; i++) {
            const char *dot = strrchr(entries[i]->d_name, '.');

            if (dot && strcmp(dot, ".ll") == 0 && count < MODULES_MOST)
                snprintf(paths[count++], PATH_SIZE, "%s/%s", folders[f], entries[i]->d_name);
            free(entries[i]);
        }
        free(entries);
    }
    return count;
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

/* Four lists: drawn, two children of it and `last`, and a mutant of the first. Returns the
 * mutant. */
static opevo_edits *check_family(const opevo_module *module, const opevo_edits *last, size_t index,
                                 size_t *edit_count, size_t *changed)
{
    opevo_edit_settings settings = settings_of(index);
    opevo_edits *lists[4] = {NULL};
    size_t skipped = 0;
    opevo_error err = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 7, "edits", index);
    if (opevo_edits_sample(module, &settings, 1 + index % 7, &rng, &lists[0], &err) ||
        opevo_edits_cross(&settings, lists[0], last, &rng, &lists[1], &lists[2], &err))
        fail_msg("%s", err.message);
    if (opevo_edits_mutate(module, &settings, lists[1], 0.5, &rng, &lists[3], &err)) {
        assert_int_equal(err.status, OPEVO_LIMIT); /* all that can be deleted is */
        lists[3] = opevo_edits_create();
    }
    for (int k = 0; k < 4; k++) {
        *changed += check_list(module, lists[k], &skipped) != opevo_module_hash(module);
        *edit_count += lists[k]->count;
        /* Applying a drawn list is what drawing it did. */
        if (k == 0 && settings.order == OPEVO_ORDER_CHRONO)
            assert_int_equal(skipped, 0);
    }
    for (int k = 0; k < 3; k++)
        opevo_edits_destroy(lists[k]);
    return lists[3];
}

CHECK_TEST(test_random_lists)
{
    static char paths[MODULES_MOST][PATH_SIZE];
    size_t module_count = module_paths(paths), edit_count = 0, changed = 0;
    size_t count = 0; /* families */

    if (module_count == 0)
        fail_msg("no modules are found");
    count = test_points(16000) / module_count / 4 + 1;
    for (size_t m = 0; m < module_count; m++) {
        opevo_module *module = load_path(paths[m]);
        opevo_edits *last = opevo_edits_create();

        for (size_t i = 0; i < count; i++) {
            opevo_edits *next = check_family(module, last, i, &edit_count, &changed);

            opevo_edits_destroy(last);
            last = next;
        }
        opevo_edits_destroy(last);
        opevo_module_destroy(module);
    }
    print_message("%zu lists of %zu edits on %zu modules, none rejected; %zu change the module\n",
                  count * module_count * 4, edit_count, module_count, changed);
    assert_true(changed > count * module_count * 3);
}

/* ---- Dominators ---- */

/* Whether LLVM accepts a raw clone of an instruction before another one. */
static bool accepts_clone(opevo_i_edit_body *body, uint32_t from, uint32_t before)
{
    LLVMValueRef clone = LLVMInstructionClone(body->slots[from].value);
    LLVMValueRef function =
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(body->slots[before].value));
    bool accepted;

    LLVMPositionBuilderBefore(body->builder, body->slots[before].value);
    LLVMInsertIntoBuilder(body->builder, clone);
    accepted = !LLVMVerifyFunction(function, LLVMReturnStatusAction);
    LLVMInstructionEraseFromParent(clone);
    return accepted;
}

static bool operands_reach(const opevo_i_edit_body *body, uint32_t from, uint32_t place)
{
    LLVMValueRef value = body->slots[from].value;

    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!opevo_i_edit_reaches(body, LLVMGetOperand(value, (unsigned)i), place))
            return false;
    return true;
}

/* A copy without repairs is valid exactly where the operands reach, says LLVM's verifier. */
CHECK_TEST(test_dominators)
{
    opevo_module *module = load_module("tile.ll");
    opevo_i_edit_body body;
    size_t rejected = 0, count = 0;
    LLVMModuleRef llvm;

    CHECK_OK(opevo_i_edit_body_open(module, &body, &err));
    for (uint32_t from = 1; from <= module->instruction_count; from++)
        for (uint32_t before = 1; before <= module->instruction_count; before++) {
            if (body.slots[from].pinned ||
                LLVMGetInstructionOpcode(body.slots[before].value) == LLVMPHI ||
                opevo_i_edit_slot_function(&body, from) !=
                    opevo_i_edit_slot_function(&body, before))
                continue;
            /* The clone stands before the place, which it does not reach from itself. */
            bool accepted = accepts_clone(&body, from, before);

            if (accepted != operands_reach(&body, from, before))
                fail_msg("U%u before U%u: LLVM says %d", from, before, accepted);
            rejected += !accepted;
            count++;
        }
    print_message("%zu of %zu copies without repair are rejected\n", rejected, count);
    assert_in_range(count ? rejected * 100 / count : 0, 20, 80);
    llvm = opevo_i_edit_body_close(&body);
    LLVMDisposeModule(llvm);
    opevo_module_destroy(module);
}

/* ---- Variation ---- */

static size_t count_of(const opevo_edits *edits, uint64_t hash)
{
    size_t count = 0;

    for (size_t i = 0; i < edits->count; i++)
        count += edits->items[i]->hash == hash;
    return count;
}

/* concat: the children share out the edits of both parents. symdiff: each has the common ones once,
 * and the others are in one of them. */
CHECK_TEST(test_crossover)
{
    opevo_module *module = load_module("tile.ll");
    size_t nonempty = 0;

    for (size_t i = 0; i < 400; i++) {
        opevo_edit_settings settings = settings_of(i);
        bool concat = settings.crossover == OPEVO_CROSSOVER_CONCAT;
        opevo_edits *a = NULL, *b = NULL, *first = NULL, *second = NULL;
        opevo_rng rng;

        opevo_rng_init(&rng, 3, "cross", i);
        CHECK_OK(opevo_edits_sample(module, &settings, 4, &rng, &a, &err));
        CHECK_OK(opevo_edits_mutate(module, &settings, a, 0.5, &rng, &b, &err)); /* common ones */
        CHECK_OK(opevo_edits_cross(&settings, a, b, &rng, &first, &second, &err));
        for (size_t k = 0; k < b->count; k++) { /* b has all of a */
            uint64_t hash = b->items[k]->hash;
            size_t parents = count_of(a, hash) + count_of(b, hash);
            size_t children = count_of(first, hash) + count_of(second, hash);

            assert_int_equal(children, parents);
            if (!concat && parents == 2)
                assert_int_equal(count_of(first, hash), 1);
        }
        nonempty += first->count > 0;
        opevo_edits_destroy(a);
        opevo_edits_destroy(b);
        opevo_edits_destroy(first);
        opevo_edits_destroy(second);
    }
    assert_true(nonempty > 300);
    opevo_module_destroy(module);
}

/* The same stream gives the same list; q is the probability of one more edit. */
CHECK_TEST(test_streams)
{
    enum { DRAWS = 4000 };
    opevo_module *module = load_module("line.ll");
    opevo_edits *none = opevo_edits_create();
    opevo_edit_settings settings = OPEVO_EDIT_SETTINGS_DEFAULT;
    size_t kinds[OPEVO_I_EDIT_KINDS] = {0}, total = 0;

    for (size_t i = 0; i < DRAWS; i++) {
        opevo_edits *one = NULL, *two = NULL;
        opevo_rng rng, again;

        opevo_rng_init(&rng, 5, "stream", i);
        again = rng;
        CHECK_OK(opevo_edits_mutate(module, &settings, none, 0.6, &rng, &one, &err));
        CHECK_OK(opevo_edits_mutate(module, &settings, none, 0.6, &again, &two, &err));
        char *text = printed(one), *same = printed(two);
        assert_string_equal(text, same);
        total += one->count;
        kinds[one->items[0]->kind]++;
        opevo_free(text);
        opevo_free(same);
        opevo_edits_destroy(one);
        opevo_edits_destroy(two);
    }
    /* Mean 1 / (1 - q) = 2.5, standard deviation sqrt(q) / (1 - q) / sqrt(4000) = 0.031. */
    CHECK_CLOSE((double)total / DRAWS, 2.5, 5 * 0.031);
    for (int k = 0; k < OPEVO_I_EDIT_KINDS; k++) /* 1 / 6, standard deviation 0.0059 */
        CHECK_CLOSE((double)kinds[k] / DRAWS, 1.0 / 6, 5 * 0.0059);
    CHECK_FAILS(OPEVO_INVALID, "q must be in [0, 1), not 1.",
                opevo_edits_mutate(module, &settings, none, 1, NULL, &none, &err));
    opevo_edits_destroy(none);
    opevo_module_destroy(module);
}

/* ---- Facts ---- */

CHECK_TEST(test_facts)
{
    static const char *const facts[] = {"nsw",      "nuw",         "noundef",    "range(",
                                        "!tbaa",    "inbounds",    "nneg",       "!dbg",
                                        "nnan",     "memory(read", "!llvm.loop", "tail call",
                                        "readonly", "writeonly",   "align 64"};
    static const char *const names[] = {"tile.ll", "line.ll"};

    for (int m = 0; m < 2; m++) {
        opevo_module *module = load_module(names[m]);
        opevo_edits *none = opevo_edits_create();
        opevo_variant *variant = variant_of(module, none);
        opevo_text text = {0};
        const char *file, *declarations;
        char *bodies;

        CHECK_OK(opevo_variant_emit(variant, OPEVO_FORM_LL, NULL, 0, &text, &err));
        declarations = strstr(opevo_text_string(&text), "attributes #");
        bodies = strndup(opevo_text_string(&text),
                         declarations ? (size_t)(declarations - text.data) : text.length);
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
            for (char *at = bodies; (at = strstr(at, facts[i])) != NULL; at++) {
                char *start = at;

                while (start > bodies && start[-1] != '\n')
                    start--;
                if (strncmp(start, "declare", 7) != 0 && *start != ';')
                    fail_msg("%s stays: %.80s", facts[i], start);
            }
        assert_true(opevo_variant_hash(variant) == opevo_module_hash(module));
        assert_int_equal(opevo_module_source_line(module, 1, &file), m == 0 ? 18 : 0);
        assert_string_equal(file, m == 0 ? "tile.c" : "");
        free(bodies);
        opevo_text_free(&text);
        opevo_variant_destroy(variant);
        opevo_edits_destroy(none);
        opevo_module_destroy(module);
    }
}
