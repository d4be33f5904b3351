/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random edits. An edit is made by applying it to the module that the list gives so far, so that
 * what it names exists and its repairs fit. */

#include "edits_internal.h"

#include <opevo/memory.h>

enum {
    KIND_TRIES = 100,    /* kinds drawn before giving up */
    ARGUMENT_TRIES = 100 /* arguments drawn for a kind */
};

typedef struct drawer {
    opevo_i_edit_body body;
    opevo_i_edit_chooser chooser;
    uint32_t *slots; /* scratch */
    size_t capacity;
} drawer;

typedef bool slot_test(const opevo_i_edit_body *body, uint32_t slot);

static bool present(const opevo_i_edit_body *body, uint32_t slot)
{
    return body->slots[slot].value && body->base->blocks[body->slots[slot].block].reachable;
}

static bool movable(const opevo_i_edit_body *body, uint32_t slot)
{
    return present(body, slot) && !body->slots[slot].pinned;
}

static bool standable(const opevo_i_edit_body *body, uint32_t slot)
{
    return present(body, slot) && LLVMGetInstructionOpcode(body->slots[slot].value) != LLVMPHI;
}

/* A uniform slot that passes the test, of the function (or SIZE_MAX) and the type (or NULL). */
static uint32_t draw_slot(drawer *self, slot_test *test, size_t function, LLVMTypeRef type)
{
    const opevo_i_edit_body *body = &self->body;
    size_t count = 0;

    if (!opevo_reserve((void **)&self->slots, &self->capacity, body->slot_count + 1,
                       sizeof *self->slots)) {
        self->body.failed = true;
        return 0;
    }
    for (uint32_t s = 1; s <= body->slot_count; s++)
        if (test(body, s) &&
            (function == SIZE_MAX || opevo_i_edit_slot_function(body, s) == function) &&
            (!type || LLVMTypeOf(body->slots[s].value) == type))
            self->slots[count++] = s;
    return count ? self->slots[opevo_rng_below(self->chooser.rng, count)] : 0;
}

/* Fill in what the edit names; false if there is nothing to name. */
static bool draw_arguments(drawer *self, opevo_i_edit *edit)
{
    opevo_i_edit_body *body = &self->body;
    bool operand = edit->kind == OPEVO_I_EDIT_OPERAND;
    bool typed = edit->kind == OPEVO_I_EDIT_REPLACE || edit->kind == OPEVO_I_EDIT_SWAP;
    uint32_t a = draw_slot(self, operand ? present : movable, SIZE_MAX, NULL), b;

    if (!a)
        return false;
    edit->a = opevo_i_edit_slot_ref(body, a);
    if (operand) {
        uint32_t count = (uint32_t)LLVMGetNumOperands(body->slots[a].value);

        if (count > 0)
            edit->operand = (uint32_t)opevo_rng_below(self->chooser.rng, count);
        return count > 0;
    }
    if (edit->kind == OPEVO_I_EDIT_DELETE)
        return true;
    b = draw_slot(self, typed ? movable : standable, opevo_i_edit_slot_function(body, a),
                  typed ? LLVMTypeOf(body->slots[a].value) : NULL);
    if (b)
        edit->b = opevo_i_edit_slot_ref(body, b);
    return b != 0;
}

/* Make one edit, apply it and append it. */
static opevo_status draw_edit(drawer *self, opevo_edits *edits, opevo_error *err)
{
    for (int k = 0; k < KIND_TRIES && edits->count < OPEVO_EDITS_MOST; k++) {
        opevo_i_edit_kind kind =
            (opevo_i_edit_kind)opevo_rng_below(self->chooser.rng, OPEVO_I_EDIT_KINDS);

        for (int i = 0; i < ARGUMENT_TRIES && !self->body.failed; i++) {
            opevo_i_edit *edit = opevo_i_edit_create(kind);
            bool done = edit && draw_arguments(self, edit) &&
                        opevo_i_edit_apply(&self->body, edit, &self->chooser);

            if (!edit || (done && !opevo_i_edit_add(edits, edit)))
                self->body.failed = true;
            opevo_i_edit_release(edit);
            if (done && !self->body.failed)
                return OPEVO_OK;
        }
    }
    if (self->body.failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to draw edits.");
    return OPEVO_FAIL(err, OPEVO_LIMIT, "No edit of the module was found.");
}

static opevo_status extend(const opevo_module *module, const opevo_edit_settings *settings,
                           opevo_edits *edits, size_t count, opevo_rng *rng, opevo_error *err)
{
    static const opevo_i_edit_chooser replay = {NULL, NULL};
    opevo_status status = OPEVO_OK;
    drawer self = {.chooser = {rng, settings}};
    LLVMModuleRef llvm;

    OPEVO_TRY(opevo_i_edit_body_open(module, &self.body, err));
    for (size_t i = 0; i < edits->count; i++)
        (void)opevo_i_edit_apply(&self.body, edits->items[i], &replay);
    for (size_t i = 0; i < count; i++)
        OPEVO_TRY(draw_edit(&self, edits, err));
    OPEVO_TRY(opevo_i_edit_settle(edits, settings->order, err));
cleanup:
    llvm = opevo_i_edit_body_close(&self.body);
    if (llvm)
        LLVMDisposeModule(llvm);
    opevo_free(self.slots);
    return status;
}

opevo_status opevo_edits_sample(const opevo_module *module, const opevo_edit_settings *settings,
                                size_t count, opevo_rng *rng, opevo_edits **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_edits *edits = opevo_edits_create();

    OPEVO_NEED_OR_RETURN(edits, "edits");
    OPEVO_TRY(extend(module, settings, edits, count, rng, err));
    *out = edits;
    edits = NULL; /* handed over */
cleanup:
    opevo_edits_destroy(edits);
    return status;
}

opevo_status opevo_edits_mutate(const opevo_module *module, const opevo_edit_settings *settings,
                                const opevo_edits *parent, double q, opevo_rng *rng,
                                opevo_edits **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_edits *edits = NULL;
    size_t count = 1;

    if (!(q >= 0 && q < 1))
        return OPEVO_FAIL(err, OPEVO_INVALID, "q must be in [0, 1), not %g.", q);
    edits = opevo_edits_without(parent, parent->count);
    OPEVO_NEED_OR_RETURN(edits, "edits");
    while (count < OPEVO_EDITS_MOST && opevo_rng_unit(rng) < q)
        count++;
    OPEVO_TRY(extend(module, settings, edits, count, rng, err));
    *out = edits;
    edits = NULL; /* handed over */
cleanup:
    opevo_edits_destroy(edits);
    return status;
}
