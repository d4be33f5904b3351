/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The six edits. Making an edit and applying it again run the same code; they differ in where a
 * choice comes from, so a list replays what was made. */

#include "edits_internal.h"

#include <opevo/memory.h>

/* What the hash of a choice is continued with. */
enum { WITH_TAG = 1 << 20, USE_TAG = 2 << 20, OTHER_TAG = 3 << 20 };

static bool draws(const opevo_i_edit_chooser *chooser)
{
    return chooser->rng != NULL;
}

static uint64_t draw(const opevo_i_edit_chooser *chooser, const opevo_i_edit *edit, uint32_t tag,
                     uint64_t count)
{
    return draws(chooser) ? opevo_rng_below(chooser->rng, count)
                          : opevo_hash_mix(edit->hash + tag) % count;
}

/* ---- Values ---- */

/* Candidate `index` for a place: values of the type that are defined there, except `avoid`; their
 * number if there are not so many. */
static size_t candidate(const opevo_i_edit_body *body, LLVMTypeRef type, uint32_t place,
                        LLVMValueRef avoid, size_t index, opevo_i_edit_ref *ref)
{
    uint32_t function = opevo_i_edit_slot_function(body, place);
    const opevo_i_edit_function *row = &body->base->functions[function];
    size_t count = 0;

    for (uint32_t a = row->argument_first + 1; a <= row->argument_first + row->argument_count; a++)
        if (LLVMTypeOf(body->arguments[a]) == type && body->arguments[a] != avoid &&
            count++ == index) {
            *ref = (opevo_i_edit_ref){OPEVO_I_ARGUMENT, a};
            return index;
        }
    for (uint32_t s = 1; s <= body->slot_count; s++) {
        LLVMValueRef value = body->slots[s].value;

        if (value && value != avoid && LLVMTypeOf(value) == type &&
            opevo_i_edit_slot_reaches(body, s, place) && count++ == index) {
            *ref = opevo_i_edit_slot_ref(body, s);
            return index;
        }
    }
    return count;
}

/* A value of the type for a place: as recorded if that is possible, otherwise chosen. A choice that
 * is drawn is recorded. */
static LLVMValueRef choose_value(opevo_i_edit_body *body, const opevo_i_edit_chooser *chooser,
                                 const opevo_i_edit *edit, uint32_t tag, LLVMTypeRef type,
                                 uint32_t place, LLVMValueRef avoid, opevo_i_edit_ref *recorded)
{
    uint32_t function = opevo_i_edit_slot_function(body, place);
    opevo_i_edit_ref ref = {OPEVO_I_ONE, 0};
    size_t count, chosen;

    if (recorded->kind && !draws(chooser)) {
        LLVMValueRef value = opevo_i_edit_value_named(body, *recorded, function, type);

        if (value && value != avoid && opevo_i_edit_reaches(body, value, place))
            return value;
    }
    count = candidate(body, type, place, avoid, SIZE_MAX, &ref);
    chosen = count;
    if (draws(chooser) && chooser->settings->const_one == OPEVO_ONE_ALWAYS)
        chosen = (size_t)draw(chooser, edit, tag, count + 1);
    else if (count > 0)
        chosen = (size_t)draw(chooser, edit, tag, count);
    if (chosen < count)
        (void)candidate(body, type, place, avoid, chosen, &ref);
    if (draws(chooser))
        *recorded = ref;
    return opevo_i_edit_value_named(body, ref, function, type);
}

/* The entries of a phi for one block agree. */
static void set_operand(LLVMValueRef user, uint32_t operand, LLVMValueRef value)
{
    if (LLVMGetInstructionOpcode(user) != LLVMPHI) {
        LLVMSetOperand(user, operand, value);
        return;
    }
    for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
        if (LLVMGetIncomingBlock(user, i) == LLVMGetIncomingBlock(user, operand))
            LLVMSetOperand(user, i, value);
}

/* Give each operand of the instruction in `slot` a value that is defined there. */
static void repair(opevo_i_edit_body *body, const opevo_i_edit_chooser *chooser, opevo_i_edit *edit,
                   bool other, uint32_t slot)
{
    LLVMValueRef value = body->slots[slot].value;

    for (uint32_t i = 0; i < (uint32_t)LLVMGetNumOperands(value); i++) {
        const opevo_i_edit_ref *recorded =
            draws(chooser) ? NULL : opevo_i_edit_fixed(edit, other, i);
        opevo_i_edit_ref ref = recorded ? *recorded : (opevo_i_edit_ref){OPEVO_I_NO_REF, 0};
        LLVMValueRef now, fixed = NULL;

        if (!opevo_i_edit_operand_open(body->base, value, i))
            continue;
        now = LLVMGetOperand(value, i);
        if (recorded)
            fixed = opevo_i_edit_value_named(body, ref, opevo_i_edit_slot_function(body, slot),
                                             LLVMTypeOf(now));
        if (fixed && opevo_i_edit_reaches(body, fixed, slot)) {
            LLVMSetOperand(value, i, fixed);
        } else if (!opevo_i_edit_reaches(body, now, slot)) {
            LLVMSetOperand(value, i,
                           choose_value(body, chooser, edit, i + (other ? OTHER_TAG : 0),
                                        LLVMTypeOf(now), slot, NULL, &ref));
            if (draws(chooser) && !opevo_i_edit_fix(edit, other, i, ref))
                body->failed = true;
        }
    }
}

/* ---- Uses ---- */

static bool can_read(const opevo_i_edit_body *body, opevo_i_edit_use use, uint32_t slot,
                     LLVMTypeRef type)
{
    LLVMValueRef user = body->slots[use.slot].value;

    return user && body->base->blocks[body->slots[use.slot].block].reachable &&
           opevo_i_edit_operand_open(body->base, user, use.operand) &&
           LLVMTypeOf(LLVMGetOperand(user, use.operand)) == type &&
           opevo_i_edit_slot_reaches(body, slot, opevo_i_edit_use_place(body, use));
}

/* As candidate(), of operands that could read what `slot` holds and do not. */
static size_t candidate_use(const opevo_i_edit_body *body, uint32_t slot, LLVMTypeRef type,
                            size_t index, opevo_i_edit_use *out)
{
    uint32_t function = opevo_i_edit_slot_function(body, slot);
    size_t count = 0;

    for (opevo_i_edit_use use = {1, 0}; use.slot <= body->slot_count; use.slot++) {
        LLVMValueRef user = body->slots[use.slot].value;

        if (!user || opevo_i_edit_slot_function(body, use.slot) != function)
            continue;
        for (use.operand = 0; use.operand < (uint32_t)LLVMGetNumOperands(user); use.operand++)
            if (can_read(body, use, slot, type) &&
                LLVMGetOperand(user, use.operand) != body->slots[slot].value && count++ == index) {
                *out = use;
                return index;
            }
    }
    return count;
}

/* Let one operand read the instruction in `slot`. */
static void wire(opevo_i_edit_body *body, const opevo_i_edit_chooser *chooser, opevo_i_edit *edit,
                 uint32_t slot)
{
    LLVMValueRef value = body->slots[slot].value;
    opevo_i_edit_use use = {opevo_i_edit_slot_named(body, edit->use), edit->use_operand};

    if (draws(chooser) || !use.slot || !can_read(body, use, slot, LLVMTypeOf(value))) {
        size_t count = candidate_use(body, slot, LLVMTypeOf(value), SIZE_MAX, &use);

        if (count == 0)
            return;
        (void)candidate_use(body, slot, LLVMTypeOf(value),
                            (size_t)draw(chooser, edit, USE_TAG, count), &use);
    }
    set_operand(body->slots[use.slot].value, use.operand, value);
    if (draws(chooser)) {
        edit->use = opevo_i_edit_slot_ref(body, use.slot);
        edit->use_operand = use.operand;
    }
}

/* A use of the value that its place does not reach; false if none. */
static bool lost_use(const opevo_i_edit_body *body, LLVMValueRef value, opevo_i_edit_use *out)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        out->slot = opevo_i_edit_slot_of(body, user);
        for (out->operand = 0; out->operand < (uint32_t)LLVMGetNumOperands(user); out->operand++)
            if (LLVMGetOperand(user, out->operand) == value &&
                !opevo_i_edit_reaches(body, value, opevo_i_edit_use_place(body, *out)))
                return true;
    }
    return false;
}

/* ---- Edits ---- */

static bool is_void(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVoidTypeKind;
}

/* Slot of an instruction that may be edited; 0 if it is gone or pinned. */
static uint32_t editable(const opevo_i_edit_body *body, opevo_i_edit_ref ref)
{
    uint32_t slot = opevo_i_edit_slot_named(body, ref);

    return slot && body->slots[slot].value && !body->slots[slot].pinned &&
                   body->base->blocks[body->slots[slot].block].reachable
               ? slot
               : 0;
}

/* Slot before which an instruction of `function` may stand; 0 for others. */
static uint32_t position(const opevo_i_edit_body *body, opevo_i_edit_ref ref, uint32_t function)
{
    uint32_t slot = opevo_i_edit_slot_named(body, ref);

    if (!slot || opevo_i_edit_slot_function(body, slot) != function ||
        !body->base->blocks[body->slots[slot].block].reachable)
        return 0;
    if (body->slots[slot].value && LLVMGetInstructionOpcode(body->slots[slot].value) == LLVMPHI)
        return 0;
    return slot;
}

static bool copy(opevo_i_edit_body *body, opevo_i_edit *edit, const opevo_i_edit_chooser *chooser)
{
    uint32_t from = editable(body, edit->a), slot, place;
    opevo_i_edit_use unused;
    LLVMValueRef source;

    if (!from || !(place = position(body, edit->b, opevo_i_edit_slot_function(body, from))))
        return false;
    source = body->slots[from].value;
    slot = opevo_i_edit_slot_insert(body, place);
    if (!slot || (draws(chooser) && !is_void(source) &&
                  candidate_use(body, slot, LLVMTypeOf(source), SIZE_MAX, &unused) == 0))
        return false; /* a copy that nothing can read */
    opevo_i_edit_slot_fill(body, slot, LLVMInstructionClone(source));
    repair(body, chooser, edit, false, slot);
    if (!is_void(source) && (draws(chooser) || edit->use.kind))
        wire(body, chooser, edit, slot);
    if (draws(chooser) && !opevo_i_edit_seal(edit))
        body->failed = true;
    body->slots[slot].id = edit->hash;
    return true;
}

static bool delete (opevo_i_edit_body *body, opevo_i_edit *edit,
                    const opevo_i_edit_chooser *chooser)
{
    uint32_t slot = editable(body, edit->a);
    LLVMValueRef value;

    if (!slot)
        return false;
    value = body->slots[slot].value;
    if (LLVMGetFirstUse(value))
        LLVMReplaceAllUsesWith(value, choose_value(body, chooser, edit, WITH_TAG, LLVMTypeOf(value),
                                                   slot, value, &edit->with));
    LLVMInstructionEraseFromParent(value);
    body->slots[slot].value = NULL;
    return true;
}

/* The uses that the value has lost, or all of them, read another one that reached them. */
static void leave_uses(opevo_i_edit_body *body, opevo_i_edit *edit,
                       const opevo_i_edit_chooser *chooser, LLVMValueRef value, uint32_t old,
                       bool all)
{
    opevo_i_edit_use use;
    LLVMValueRef with;

    if (all ? !LLVMGetFirstUse(value) : !lost_use(body, value, &use))
        return;
    with = choose_value(body, chooser, edit, WITH_TAG, LLVMTypeOf(value), old, value, &edit->with);
    if (all)
        LLVMReplaceAllUsesWith(value, with);
    while (!all && lost_use(body, value, &use))
        LLVMSetOperand(body->slots[use.slot].value, use.operand, with);
}

static bool move(opevo_i_edit_body *body, opevo_i_edit *edit, const opevo_i_edit_chooser *chooser)
{
    uint32_t slot = editable(body, edit->a), place, old;
    LLVMValueRef value;
    bool gevo, wired;
    opevo_i_edit_use unused;

    if (!slot || !(place = position(body, edit->b, opevo_i_edit_slot_function(body, slot))) ||
        place == slot || (draws(chooser) && body->slots[slot].after == place))
        return false;
    value = body->slots[slot].value;
    gevo = draws(chooser) ? chooser->settings->move == OPEVO_MOVE_GEVO : edit->use.kind != 0;
    wired = gevo && !is_void(value);
    old = opevo_i_edit_slot_insert(body, slot);
    if (!old)
        return false;
    opevo_i_edit_slot_move(body, slot, place);
    if (draws(chooser) && wired &&
        candidate_use(body, slot, LLVMTypeOf(value), SIZE_MAX, &unused) == 0) {
        opevo_i_edit_slot_move(body, slot, body->slots[old].after);
        return false;
    }
    LLVMInstructionRemoveFromParent(value);
    opevo_i_edit_slot_fill(body, slot, value);
    leave_uses(body, edit, chooser, value, old, wired);
    repair(body, chooser, edit, false, slot);
    if (wired)
        wire(body, chooser, edit, slot);
    return true;
}

/* Put a computation at a slot, where the users of what it held read it. */
static LLVMValueRef put(opevo_i_edit_body *body, uint32_t slot, LLVMValueRef computation)
{
    LLVMValueRef old = body->slots[slot].value;

    opevo_i_edit_slot_fill(body, slot, computation);
    LLVMReplaceAllUsesWith(old, computation);
    return old;
}

static bool replace(opevo_i_edit_body *body, opevo_i_edit *edit,
                    const opevo_i_edit_chooser *chooser)
{
    uint32_t slot = editable(body, edit->a), from = editable(body, edit->b);

    if (!slot || !from || slot == from ||
        opevo_i_edit_slot_function(body, slot) != opevo_i_edit_slot_function(body, from) ||
        LLVMTypeOf(body->slots[slot].value) != LLVMTypeOf(body->slots[from].value))
        return false;
    LLVMInstructionEraseFromParent(put(body, slot, LLVMInstructionClone(body->slots[from].value)));
    repair(body, chooser, edit, false, slot);
    return true;
}

static bool swap(opevo_i_edit_body *body, opevo_i_edit *edit, const opevo_i_edit_chooser *chooser)
{
    uint32_t a = editable(body, edit->a), b = editable(body, edit->b);

    if (!a || !b || a == b ||
        opevo_i_edit_slot_function(body, a) != opevo_i_edit_slot_function(body, b) ||
        LLVMTypeOf(body->slots[a].value) != LLVMTypeOf(body->slots[b].value))
        return false;
    LLVMValueRef from_a = LLVMInstructionClone(body->slots[a].value);
    LLVMValueRef from_b = LLVMInstructionClone(body->slots[b].value);
    LLVMValueRef old_a = put(body, a, from_b);
    LLVMValueRef old_b = put(body, b, from_a);

    LLVMInstructionEraseFromParent(old_a);
    LLVMInstructionEraseFromParent(old_b);
    repair(body, chooser, edit, false, b);
    repair(body, chooser, edit, true, a);
    return true;
}

static bool operand(opevo_i_edit_body *body, opevo_i_edit *edit,
                    const opevo_i_edit_chooser *chooser)
{
    opevo_i_edit_use use = {opevo_i_edit_slot_named(body, edit->a), edit->operand};
    LLVMValueRef user = use.slot ? body->slots[use.slot].value : NULL, now, value;
    uint32_t place;

    if (!user || !body->base->blocks[body->slots[use.slot].block].reachable ||
        !opevo_i_edit_operand_open(body->base, user, use.operand))
        return false;
    now = LLVMGetOperand(user, use.operand);
    place = opevo_i_edit_use_place(body, use);
    if (draws(chooser))
        value = choose_value(body, chooser, edit, 0, LLVMTypeOf(now), place, now, &edit->b);
    else
        value = opevo_i_edit_value_named(body, edit->b, opevo_i_edit_slot_function(body, use.slot),
                                         LLVMTypeOf(now));
    if (!value || !opevo_i_edit_reaches(body, value, place) || (draws(chooser) && value == now))
        return false;
    set_operand(user, use.operand, value);
    return true;
}

bool opevo_i_edit_apply(opevo_i_edit_body *body, opevo_i_edit *edit,
                        const opevo_i_edit_chooser *chooser)
{
    static bool (*const apply[OPEVO_I_EDIT_KINDS])(opevo_i_edit_body *, opevo_i_edit *,
                                                   const opevo_i_edit_chooser *) = {
        [OPEVO_I_EDIT_SWAP] = swap,     [OPEVO_I_EDIT_MOVE] = move,
        [OPEVO_I_EDIT_COPY] = copy,     [OPEVO_I_EDIT_REPLACE] = replace,
        [OPEVO_I_EDIT_DELETE] = delete, [OPEVO_I_EDIT_OPERAND] = operand};

    if (!apply[edit->kind](body, edit, chooser))
        return false;
    if (draws(chooser) && edit->kind != OPEVO_I_EDIT_COPY && !opevo_i_edit_seal(edit))
        body->failed = true;
    return true;
}
