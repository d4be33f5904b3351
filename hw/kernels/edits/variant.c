/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variants: the base with a list of edits applied. */

#include "edits_internal.h"

#include <opevo/memory.h>

#include <llvm-c/Analysis.h>

#include <inttypes.h>
#include <string.h>

/* The verifier of functions knows all that edits can break, and costs less than that of modules,
 * which says what is wrong. */
static opevo_status verify(opevo_variant *self, opevo_error *err)
{
    bool broken = false;
    char *message = NULL;

    for (LLVMValueRef f = LLVMGetFirstFunction(self->body.llvm); f; f = LLVMGetNextFunction(f))
        broken |= !LLVMIsDeclaration(f) && LLVMVerifyFunction(f, LLVMReturnStatusAction);
    if (!broken)
        return OPEVO_OK;
    (void)LLVMVerifyModule(self->body.llvm, LLVMReturnStatusAction, &message);
    self->fault = opevo_strdup(message && *message ? message : "LLVM rejects the module.");
    LLVMDisposeMessage(message);
    return self->fault ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a variant.");
}

opevo_status opevo_variant_create(const opevo_module *module, const opevo_edits *edits,
                                  opevo_variant **out, opevo_error *err)
{
    static const opevo_i_edit_chooser replay = {NULL, NULL};
    opevo_status status = OPEVO_OK;
    opevo_variant *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED(self && (self->edits = opevo_edits_without(edits, edits->count)) &&
                   (self->skipped = opevo_calloc(edits->count + 1, sizeof *self->skipped)),
               "a variant");
    self->base = module;
    OPEVO_TRY(opevo_i_edit_body_open(module, &self->body, err));
    for (size_t i = 0; i < edits->count; i++) {
        self->skipped[i] = !opevo_i_edit_apply(&self->body, edits->items[i], &replay);
        self->skipped_count += self->skipped[i];
    }
    if (self->body.failed) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a variant.");
        goto cleanup;
    }
    OPEVO_TRY(verify(self, err));
    *out = self;
    self = NULL; /* handed over */
cleanup:
    opevo_variant_destroy(self);
    return status;
}

void opevo_variant_destroy(opevo_variant *variant)
{
    LLVMModuleRef llvm;

    if (!variant)
        return;
    llvm = opevo_i_edit_body_close(&variant->body);
    if (llvm)
        LLVMDisposeModule(llvm);
    opevo_edits_destroy(variant->edits);
    opevo_free(variant->skipped);
    opevo_free(variant->fault);
    opevo_free(variant);
}

const char *opevo_variant_fault(const opevo_variant *variant)
{
    return variant->fault;
}

size_t opevo_variant_skipped_count(const opevo_variant *variant)
{
    return variant->skipped_count;
}

bool opevo_variant_skipped(const opevo_variant *variant, size_t index)
{
    return index < variant->edits->count && variant->skipped[index];
}

struct LLVMOpaqueModule *opevo_variant_llvm(const opevo_variant *variant)
{
    return variant->body.llvm;
}

bool opevo_variant_name(const opevo_variant *variant, const struct LLVMOpaqueValue *instruction,
                        opevo_text *out)
{
    const opevo_i_edit_body *body = &variant->body;

    for (uint32_t s = 1; instruction && s <= body->slot_count; s++) {
        if (body->slots[s].value != instruction)
            continue;
        opevo_i_edit_ref_print(opevo_i_edit_slot_ref(body, s), out);
        if (s <= variant->base->instruction_count && variant->base->lines[s].line)
            opevo_text_printf(out, " (%s:%u)", variant->base->lines[s].file,
                              variant->base->lines[s].line);
        return true;
    }
    return false;
}

uint64_t opevo_variant_hash(const opevo_variant *variant)
{
    char *text = LLVMPrintModuleToString(variant->body.llvm);
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, text, strlen(text));

    LLVMDisposeMessage(text);
    return hash;
}
