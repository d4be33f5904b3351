/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The text of edits and what each edit does, on a function of seven instructions. */

#include "edits_fixture.h"

#include "edits_internal.h"

enum { TEXT_SIZE = 2048 };

/* The instructions of the first function, one after the other. */
static void body_text(const opevo_variant *variant, char out[TEXT_SIZE])
{
    LLVMValueRef function = LLVMGetFirstFunction(opevo_variant_llvm(variant));
    size_t length = 0;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            char *text = LLVMPrintValueToString(i);
            const char *value = strstr(text, " = ");

            value = value ? value + 3 : text + strspn(text, " ");
            length += (size_t)snprintf(out + length, TEXT_SIZE - length, "%s\n", value);
            LLVMDisposeMessage(text);
        }
}

/* Arguments are %0 to %2; the first instruction is %4. */
#define ADD "add i32 %1, 1\n"
#define MUL "mul i32 %4, 2\n"
#define SUB "sub i32 %5, %1\n"
#define TAIL(cast, sum, result)                                                                    \
    "sitofp i32 " cast " to float\nfadd contract float " sum ", %2\nstore float " result           \
    ", ptr addrspace(1) %0, align 4\nret void\n"

static const struct effect {
    const char *edits, *body;
    size_t skipped;
} effects[] = {
    {"none", ADD MUL SUB TAIL("%6", "%7", "%8"), 0},
    /* A copy is read by one operand, or by none. */
    {"copy U1 U4 use=U4.0", ADD MUL SUB ADD TAIL("%7", "%8", "%9"), 0},
    {"copy U1 U4", ADD MUL SUB ADD TAIL("%6", "%8", "%9"), 0},
    {"copy U3 U1 fix0=A2 fix1=one use=U1.0",
     "sub i32 %1, 1\nadd i32 %4, 1\nmul i32 %5, 2\nsub i32 %6, %1\n" TAIL("%7", "%8", "%9"), 0},
    /* Uses of what is deleted read another value. */
    {"delete U2 with=A2", ADD "sub i32 %1, %1\n" TAIL("%5", "%6", "%7"), 0},
    {"delete U2 with=one", ADD "sub i32 1, %1\n" TAIL("%5", "%6", "%7"), 0},
    {"delete U6", ADD MUL SUB "sitofp i32 %6 to float\nfadd contract float %7, %2\nret void\n", 0},
    /* keep-uses: U2 loses U1; gevo: U3 reads it. */
    {"move U1 U3 with=A2", "mul i32 %1, 2\nadd i32 %1, 1\nsub i32 %4, %1\n" TAIL("%6", "%7", "%8"),
     0},
    {"move U1 U3 with=A2 use=U3.1",
     "mul i32 %1, 2\nadd i32 %1, 1\nsub i32 %4, %5\n" TAIL("%6", "%7", "%8"), 0},
    {"move U3 U2 fix0=A2", ADD "sub i32 %1, %1\nmul i32 %4, 2\n" TAIL("%5", "%7", "%8"), 0},
    {"replace U3 U1", ADD MUL ADD TAIL("%6", "%7", "%8"), 0},
    {"replace U1 U3 fix0=A2", "sub i32 %1, %1\n" MUL SUB TAIL("%6", "%7", "%8"), 0},
    /* Users stay with the places. */
    {"swap U1 U3 other0=A2", "sub i32 %1, %1\n" MUL ADD TAIL("%6", "%7", "%8"), 0},
    {"swap U1 U2 other0=A2", "mul i32 %1, 2\nadd i32 %1, 1\n" SUB TAIL("%6", "%7", "%8"), 0},
    {"operand U3.1 U1", ADD MUL "sub i32 %5, %4\n" TAIL("%6", "%7", "%8"), 0},
    {"operand U2.1 one", ADD "mul i32 %4, 1\n" SUB TAIL("%6", "%7", "%8"), 0},
    /* What is deleted stays a position; ids stay with places and go with moves. */
    {"delete U2 with=A2; copy U1 U2 use=U3.1", ADD ADD "sub i32 %1, %5\n" TAIL("%6", "%7", "%8"),
     0},
    {"move U1 U3 with=A2; delete U1", "mul i32 %1, 2\nsub i32 %4, %1\n" TAIL("%5", "%6", "%7"), 0},
    {"swap U1 U3 other0=A2; operand U3.1 A2",
     "sub i32 %1, %1\n" MUL "add i32 %1, %1\n" TAIL("%6", "%7", "%8"), 0},
    /* Skipped: a target that is gone, another type, a terminator, a place behind nothing. */
    {"delete U2 with=A2; delete U2", ADD "sub i32 %1, %1\n" TAIL("%5", "%6", "%7"), 1},
    {"replace U1 U4", ADD MUL SUB TAIL("%6", "%7", "%8"), 1},
    {"delete U7; move U7 U1; copy U7 U1", ADD MUL SUB TAIL("%6", "%7", "%8"), 3},
    {"move U2 U2", ADD MUL SUB TAIL("%6", "%7", "%8"), 1},
    {"operand U1.9 A2; operand U1.0 U2; operand U1.0 A3", ADD MUL SUB TAIL("%6", "%7", "%8"), 3},
    {"delete X8000000000000001", ADD MUL SUB TAIL("%6", "%7", "%8"), 1},
};

CHECK_TEST(test_effects)
{
    opevo_module *module = load_module("line.ll");

    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        opevo_edits *edits = parsed(module, effects[i].edits);
        opevo_variant *variant = variant_of(module, edits);
        char body[TEXT_SIZE] = "";

        if (opevo_variant_fault(variant))
            fail_msg("%s: %s", effects[i].edits, opevo_variant_fault(variant));
        body_text(variant, body);
        if (strcmp(body, effects[i].body) != 0)
            fail_msg("%s gives\n%s", effects[i].edits, body);
        assert_int_equal(opevo_variant_skipped_count(variant), effects[i].skipped);
        opevo_variant_destroy(variant);
        opevo_edits_destroy(edits);
    }
    opevo_module_destroy(module);
}

/* Repairs that are missing or impossible are chosen, always in the same way, and never end in a
 * module that LLVM rejects. */
CHECK_TEST(test_fallbacks)
{
    static const char *const lists[] = {
        "delete U2",
        "delete U2 with=U3",
        "copy U5 U1 fix0=U4 use=U1.0",
        "copy U3 U1",
        "move U1 U5",
        "move U4 U1 use=U1.0",
        "swap U1 U5",
        "swap U4 U5",
        "replace U1 U3 fix0=U2 fix1=A3",
        "copy U1 U4 use=U2.0",
        "delete U2 with=A1",
        "delete U2; delete U1; delete U3",
        "move U1 U7; delete U2 with=U1",
        "replace U4 U5 fix0=X8000000000000001",
    };
    opevo_module *module = load_module("line.ll");

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        opevo_edits *edits = parsed(module, lists[i]);
        uint64_t hash = 0;

        for (int again = 0; again < 3; again++) {
            opevo_variant *variant = variant_of(module, edits);

            if (opevo_variant_fault(variant))
                fail_msg("%s: %s", lists[i], opevo_variant_fault(variant));
            if (again > 0)
                assert_true(opevo_variant_hash(variant) == hash);
            hash = opevo_variant_hash(variant);
            opevo_variant_destroy(variant);
        }
        opevo_edits_destroy(edits);
    }
    opevo_module_destroy(module);
}

/* What a copy creates has an id, which later edits name. */
CHECK_TEST(test_created)
{
    opevo_module *module = load_module("line.ll");
    opevo_edits *copy = parsed(module, "copy U1 U4 use=U4.0"), *edits;
    opevo_variant *variant;
    opevo_text name = {0};
    char text[200], body[TEXT_SIZE] = "", id[24];

    snprintf(id, sizeof id, "X%016llx", (unsigned long long)copy->items[0]->hash);
    snprintf(text, sizeof text, "copy U1 U4 use=U4.0; operand %s.1 A2; move %s U1 with=U3", id, id);
    edits = parsed(module, text);
    variant = variant_of(module, edits);
    assert_int_equal(opevo_variant_skipped_count(variant), 0);
    body_text(variant, body);
    assert_string_equal(body, "add i32 %1, %1\nadd i32 %1, 1\nmul i32 %5, 2\nsub i32 %6, %1\n" TAIL(
                                  "%4", "%8", "%9"));
    assert_true(opevo_variant_name(variant,
                                   LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(
                                       LLVMGetFirstFunction(opevo_variant_llvm(variant)))),
                                   &name));
    assert_string_equal(opevo_text_string(&name), id);
    opevo_text_free(&name);
    opevo_variant_destroy(variant);

    /* Creators come first in either order. */
    for (int order = 0; order < 2; order++) {
        opevo_edits *turned = opevo_edits_select(edits, (size_t[]){2, 1, 0}, 3);

        CHECK_OK(opevo_i_edit_settle(turned, (opevo_edit_order)order, &err));
        assert_ptr_equal(turned->items[0], edits->items[0]);
        variant = variant_of(module, turned);
        assert_int_equal(opevo_variant_skipped_count(variant), 0);
        opevo_variant_destroy(variant);
        opevo_edits_destroy(turned);
    }
    opevo_edits_destroy(edits);
    opevo_edits_destroy(copy);
    opevo_module_destroy(module);
}

/* ---- Texts ---- */

CHECK_TEST(test_canonical_text)
{
    static const char *const texts[][2] = {
        {"none", "none"},
        {"  delete   U2\twith=A1 ;\n; operand U1.0 A2;", "delete U2 with=A1; operand U1.0 A2"},
        {"swap U1 U3 other1=one other0=A2 fix3=U1 fix1=A2",
         "swap U1 U3 fix1=A2 fix3=U1 other0=A2 other1=one"},
        {"move U1 U3 fix0=A2 use=U4.0 with=A3", "move U1 U3 with=A3 use=U4.0 fix0=A2"},
        {"copy X8000000000000abc U1\r\n", "copy X8000000000000abc U1"},
    };
    opevo_module *module = load_module("line.ll");
    char text[100];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        opevo_edits *edits = parsed(module, texts[i][0]);
        char *out = printed(edits);

        assert_string_equal(out, texts[i][1]);
        opevo_free(out);
        opevo_edits_destroy(edits);
    }
    snprintf(text, sizeof text, "module %016llx\ndelete U1",
             (unsigned long long)opevo_module_hash(module));
    opevo_edits_destroy(parsed(module, text));
    opevo_module_destroy(module);
}

CHECK_TEST(test_spoilt_texts)
{
    static const char *const texts[][2] = {
        {"", "no edits"},
        {" ; \n", "no edits"},
        {"none; delete U1", "behind 'none'"},
        {"none none", "behind 'none'"},
        {"delete U1; none", "Edit 2: 'none' is not copy"},
        {"erase U1", "Edit 1: 'erase' is not copy, delete"},
        {"delete", "Edit 1: '' is not an instruction"},
        {"delete U0", "'U0' is not an instruction"},
        {"delete U8", "'U8' is not an instruction"},
        {"delete U01", "'U01' is not an instruction"},
        {"delete U-1", "'U-1' is not an instruction"},
        {"delete A1", "'A1' is not an instruction"},
        {"delete one", "'one' is not an instruction"},
        {"delete U1 U2", "'U2' is not an option"},
        {"delete U1 with=A4", "'A4' is not a value"},
        {"delete U1 with=A1 with=A2", "stands twice"},
        {"delete U1 use=U2.0", "is not an option of this edit"},
        {"delete U1 fix0=A1", "is not an option of this edit"},
        {"copy U1 U2 other0=A1", "is not an option of this edit"},
        {"copy U1 U2 fix0=A1 fix0=A1", "stands twice"},
        {"copy U1 U2 fix=A1", "is not an option of this edit"},
        {"copy U1 U2 use=U3", "is not an operand"},
        {"copy U1 U2 use=A1.0", "'A1' is not an instruction"},
        {"copy U1", "'' is not an instruction"},
        {"copy U1 one", "'one' is not an instruction"},
        {"operand U1 A1", "'U1' is not an operand"},
        {"operand U1.x A1", "is not an operand"},
        {"operand U1.0", "'' is not a value"},
        {"operand U1.4294967296 A1", "is not an operand"},
        {"delete X0000000000000001", "is not an instruction"},
        {"delete X80000000000000AB", "is not an instruction"},
        {"delete X800000000000000", "is not an instruction"},
        {"delete U11111111111111111111111111111111111111111111111111111", "too long"},
        {"delete \x1b[31mU1", "'\\x1b[31mU1' is not an instruction"},
        {"module 12", "not the hash of a module"},
        {"module 0000000000000000; delete U1", "belong to module 0000000000000000"},
        {"delete U1; module 0000000000000000", "Edit 2: 'module' is not copy"},
        {"delete U1\\; delete U1", "is not an instruction"},
    };
    opevo_module *module = load_module("line.ll");

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        opevo_edits *edits = NULL;
        opevo_error err = {0};

        if (opevo_edits_parse(module, texts[i][0], &edits, &err) == OPEVO_OK)
            fail_msg("'%s' is accepted", texts[i][0]);
        assert_null(edits);
        if (!strstr(err.message, texts[i][1]))
            fail_msg("'%s': %s", texts[i][0], err.message);
    }
    opevo_module_destroy(module);
}

/* Any bytes are refused or read as a list that prints and applies. */
CHECK_TEST(test_random_texts)
{
    static const char *const pieces[] = {
        "copy ",    "delete ", "move ", "replace ", "swap ",
        "operand ", "U1",      "U2",    "U7",       "A1",
        "one",      ".0",      ".1",    " ",        ";",
        "with=",    "use=",    "fix0=", "other1=",  "X8000000000000001",
        "\n",       "=",       "none",  "module ",  "9"};
    opevo_module *module = load_module("line.ll");
    opevo_rng rng;
    size_t accepted = 0;

    opevo_rng_init(&rng, 1, "texts", 0);
    for (int i = 0; i < 100000; i++) {
        char text[400] = "";
        opevo_edits *edits = NULL;
        opevo_error err = {0};

        for (uint64_t k = opevo_rng_below(&rng, 14); k > 0; k--)
            strcat(text, pieces[opevo_rng_below(&rng, sizeof pieces / sizeof *pieces)]);
        if (opevo_edits_parse(module, text, &edits, &err)) {
            assert_true(strlen(err.message) > 10);
            continue;
        }
        opevo_variant *variant = variant_of(module, edits);
        if (opevo_variant_fault(variant))
            fail_msg("%s: %s", text, opevo_variant_fault(variant));
        opevo_variant_destroy(variant);
        opevo_edits_destroy(edits);
        accepted++;
    }
    assert_true(accepted > 100);
    opevo_module_destroy(module);
}

CHECK_TEST(test_settings)
{
    opevo_edit_settings settings = OPEVO_EDIT_SETTINGS_DEFAULT;

    CHECK_OK(opevo_edit_settings_set(&settings, "move", "gevo", &err));
    CHECK_OK(opevo_edit_settings_set(&settings, "const-one", "always", &err));
    CHECK_OK(opevo_edit_settings_set(&settings, "order", "canonical", &err));
    CHECK_OK(opevo_edit_settings_set(&settings, "crossover", "concat", &err));
    assert_int_equal(settings.move, OPEVO_MOVE_GEVO);
    assert_int_equal(settings.const_one, OPEVO_ONE_ALWAYS);
    assert_int_equal(settings.order, OPEVO_ORDER_CANONICAL);
    assert_int_equal(settings.crossover, OPEVO_CROSSOVER_CONCAT);
    CHECK_FAILS(OPEVO_INVALID, "move must be gevo or keep-uses, not 'x'.",
                opevo_edit_settings_set(&settings, "move", "x", &err));
    CHECK_FAILS(OPEVO_INVALID, "Unknown setting 'x'",
                opevo_edit_settings_set(&settings, "x", "gevo", &err));
}

/* Without memory a call says so, changes nothing and leaves nothing alive. */
CHECK_TEST(test_no_memory)
{
    opevo_module *module = load_module("line.ll");
    int64_t live = opevo_memory_live();
    bool done = false;

    for (int64_t n = 1; !done; n++) {
        opevo_edit_settings settings = OPEVO_EDIT_SETTINGS_DEFAULT;
        opevo_edits *edits = NULL, *more = NULL, *child = NULL;
        opevo_variant *variant = NULL;
        opevo_error err = {0};
        opevo_rng rng;

        opevo_rng_init(&rng, 1, "memory", 0);
        opevo_memory_fail_at(n);
        done =
            !opevo_edits_parse(module, "swap U1 U5; copy U3 U1 fix0=A2 use=U1.0", &edits, &err) &&
            !opevo_edits_mutate(module, &settings, edits, 0.5, &rng, &more, &err) &&
            !opevo_edits_cross(&settings, edits, more, &rng, &child, NULL, &err) &&
            !opevo_variant_create(module, more, &variant, &err);
        if (!done)
            assert_int_equal(err.status, OPEVO_NOMEM);
        opevo_memory_fail_at(0);
        opevo_variant_destroy(variant);
        opevo_edits_destroy(edits);
        opevo_edits_destroy(more);
        opevo_edits_destroy(child);
        assert_int_equal(opevo_memory_live(), live);
    }
    opevo_module_destroy(module);
}
