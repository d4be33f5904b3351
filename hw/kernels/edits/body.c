/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bodies: the clone in which edits are applied, and what is defined where in it. */

#include "edits_internal.h"

#include <opevo/memory.h>

static const uint64_t order_step = UINT64_C(1) << 32; /* room for 32 halvings */

static opevo_status no_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a variant.");
}

static bool is_pinned(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMPHI:
    case LLVMAlloca:
    case LLVMLandingPad:
    case LLVMCleanupPad:
    case LLVMCatchPad:
    case LLVMVAArg:
        return true;
    case LLVMCall:
        return !LLVMIsAFunction(LLVMGetCalledValue(instruction)) ||
               LLVMGetNumOperandBundles(instruction) > 0 ||
               LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMTokenTypeKind;
    default:
        return LLVMIsATerminatorInst(instruction) != NULL;
    }
}

/* The instructions of the clone are in the order of the base's. */
static bool fill(opevo_i_edit_body *body)
{
    const opevo_module *base = body->base;
    uint32_t slot = 1, block = 0;
    size_t argument = 1;

    for (LLVMValueRef f = LLVMGetFirstFunction(body->llvm); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        for (LLVMValueRef a = LLVMGetFirstParam(f); a; a = LLVMGetNextParam(a))
            body->arguments[argument++] = a;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            uint32_t first = slot;

            body->firsts[block] = first;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i), slot++) {
                body->slots[slot] = (opevo_i_edit_slot){.value = i,
                                                        .id = slot,
                                                        .order = (slot - first + 1) * order_step,
                                                        .block = block,
                                                        .before = slot > first ? slot - 1 : 0,
                                                        .after = slot + 1,
                                                        .pinned = is_pinned(i)};
                if (!opevo_index_map_put(body->places, (uintptr_t)i, slot))
                    return false;
            }
            body->slots[base->blocks[block].last].after = 0;
            block++;
        }
    }
    return true;
}

opevo_status opevo_i_edit_body_open(const opevo_module *base, opevo_i_edit_body *body,
                                    opevo_error *err)
{
    *body = (opevo_i_edit_body){.base = base, .slot_count = base->instruction_count};
    body->slot_capacity = base->instruction_count + 17;
    body->slots = opevo_calloc(body->slot_capacity, sizeof *body->slots);
    body->firsts = opevo_calloc(base->block_count + 1, sizeof *body->firsts);
    body->arguments = opevo_calloc(base->argument_count + 1, sizeof(LLVMValueRef));
    body->places = opevo_index_map_create();
    if (body->slots && body->firsts && body->arguments && body->places) {
        body->llvm = LLVMCloneModule(base->llvm);
        body->builder = LLVMCreateBuilderInContext(base->context);
        if (fill(body))
            return OPEVO_OK;
    }
    LLVMModuleRef llvm = opevo_i_edit_body_close(body);
    if (llvm)
        LLVMDisposeModule(llvm);
    return no_memory(err);
}

LLVMModuleRef opevo_i_edit_body_close(opevo_i_edit_body *body)
{
    LLVMModuleRef llvm = body->llvm;

    if (body->builder)
        LLVMDisposeBuilder(body->builder);
    opevo_free(body->slots);
    opevo_free(body->firsts);
    opevo_free(body->arguments);
    opevo_index_map_destroy(body->places);
    *body = (opevo_i_edit_body){0};
    return llvm;
}

/* ---- Slots ---- */

uint32_t opevo_i_edit_slot_of(const opevo_i_edit_body *body, LLVMValueRef value)
{
    uint64_t slot = 0;

    /* The address of an erased instruction may belong to another value now. */
    if (!LLVMIsAInstruction(value) || !opevo_index_map_get(body->places, (uintptr_t)value, &slot) ||
        body->slots[slot].value != value)
        return 0;
    return (uint32_t)slot;
}

uint32_t opevo_i_edit_slot_named(const opevo_i_edit_body *body, opevo_i_edit_ref ref)
{
    if (ref.kind == OPEVO_I_INSTRUCTION && ref.number <= body->base->instruction_count)
        return (uint32_t)ref.number;
    if (ref.kind == OPEVO_I_CREATED)
        for (size_t i = body->base->instruction_count + 1; i <= body->slot_count; i++)
            if (body->slots[i].id == ref.number)
                return (uint32_t)i;
    return 0;
}

opevo_i_edit_ref opevo_i_edit_slot_ref(const opevo_i_edit_body *body, uint32_t slot)
{
    return (opevo_i_edit_ref){slot <= body->base->instruction_count ? OPEVO_I_INSTRUCTION
                                                                    : OPEVO_I_CREATED,
                              body->slots[slot].id};
}

uint32_t opevo_i_edit_slot_function(const opevo_i_edit_body *body, uint32_t slot)
{
    return body->base->blocks[body->slots[slot].block].function;
}

static void link_before(opevo_i_edit_body *body, uint32_t slot, uint32_t place)
{
    opevo_i_edit_slot *self = &body->slots[slot], *next = &body->slots[place];
    uint32_t before = next->before;
    uint64_t low = before ? body->slots[before].order : 0;

    self->block = next->block;
    self->before = before;
    self->after = place;
    next->before = slot;
    if (before)
        body->slots[before].after = slot;
    else
        body->firsts[self->block] = slot;
    self->order = low + (next->order - low) / 2;
    if (self->order == low || self->order == next->order) { /* no room */
        uint64_t order = order_step;

        for (uint32_t i = body->firsts[self->block]; i; i = body->slots[i].after) {
            body->slots[i].order = order;
            order += order_step;
        }
    }
}

uint32_t opevo_i_edit_slot_insert(opevo_i_edit_body *body, uint32_t slot)
{
    if (!opevo_reserve((void **)&body->slots, &body->slot_capacity, body->slot_count + 2,
                       sizeof *body->slots)) {
        body->failed = true;
        return 0;
    }
    body->slots[++body->slot_count] = (opevo_i_edit_slot){0};
    link_before(body, (uint32_t)body->slot_count, slot);
    return (uint32_t)body->slot_count;
}

void opevo_i_edit_slot_move(opevo_i_edit_body *body, uint32_t slot, uint32_t place)
{
    opevo_i_edit_slot *self = &body->slots[slot];

    if (self->before)
        body->slots[self->before].after = self->after;
    else
        body->firsts[self->block] = self->after;
    if (self->after)
        body->slots[self->after].before = self->before;
    link_before(body, slot, place);
}

void opevo_i_edit_slot_fill(opevo_i_edit_body *body, uint32_t slot, LLVMValueRef value)
{
    uint32_t next = body->slots[slot].after;

    while (!body->slots[next].value) /* a terminator is never gone */
        next = body->slots[next].after;
    LLVMPositionBuilderBefore(body->builder, body->slots[next].value);
    LLVMInsertIntoBuilder(body->builder, value);
    body->slots[slot].value = value;
    if (!opevo_index_map_put(body->places, (uintptr_t)value, slot))
        body->failed = true;
}

/* ---- What may be edited ---- */

static bool has_struct(LLVMTypeRef type)
{
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMStructTypeKind;
}

static bool is_variable(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
    case LLVMPPC_FP128TypeKind:
    case LLVMIntegerTypeKind:
    case LLVMPointerTypeKind:
    case LLVMVectorTypeKind:
    case LLVMScalableVectorTypeKind:
    case LLVMStructTypeKind:
    case LLVMArrayTypeKind:
        return true;
    default:
        return false;
    }
}

static bool call_operand_open(const opevo_module *base, LLVMValueRef call, uint32_t operand)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    return LLVMIsAFunction(callee) && operand < LLVMGetNumArgOperands(call) &&
           !LLVMGetEnumAttributeAtIndex(callee, operand + 1, base->immarg_kind);
}

bool opevo_i_edit_operand_open(const opevo_module *base, LLVMValueRef instruction, uint32_t operand)
{
    if (operand >= (uint32_t)LLVMGetNumOperands(instruction))
        return false;
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAlloca:
        return false;
    case LLVMBr:
        return operand == 0 && LLVMIsConditional(instruction);
    case LLVMSwitch:
        return operand == 0; /* the rest are constants and blocks */
    case LLVMCall:
        if (!call_operand_open(base, instruction, operand))
            return false;
        break;
    case LLVMGetElementPtr: /* fields of structs are constants */
        if (operand >= 2 && has_struct(LLVMGetGEPSourceElementType(instruction)))
            return false;
        break;
    default:
        break;
    }
    return is_variable(LLVMTypeOf(LLVMGetOperand(instruction, operand)));
}

/* ---- What is defined where ---- */

bool opevo_i_edit_slot_reaches(const opevo_i_edit_body *body, uint32_t from, uint32_t place)
{
    if (!from || from == place)
        return false;
    if (body->slots[from].block == body->slots[place].block)
        return body->slots[from].order < body->slots[place].order;
    return opevo_i_edit_dominates(body->base, body->slots[from].block, body->slots[place].block);
}

bool opevo_i_edit_reaches(const opevo_i_edit_body *body, LLVMValueRef value, uint32_t place)
{
    return !LLVMIsAInstruction(value) ||
           opevo_i_edit_slot_reaches(body, opevo_i_edit_slot_of(body, value), place);
}

uint32_t opevo_i_edit_use_place(const opevo_i_edit_body *body, opevo_i_edit_use use)
{
    LLVMValueRef user = body->slots[use.slot].value;

    if (LLVMGetInstructionOpcode(user) != LLVMPHI)
        return use.slot;
    return opevo_i_edit_slot_of(
        body, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, use.operand)));
}

static LLVMValueRef edit_one(LLVMTypeRef type)
{
    LLVMValueRef scalar;

    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMConstInt(type, 1, false);
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
    case LLVMPPC_FP128TypeKind:
        return LLVMConstReal(type, 1);
    case LLVMVectorTypeKind: {
        LLVMValueRef items[64];
        unsigned count = LLVMGetVectorSize(type);

        scalar = edit_one(LLVMGetElementType(type));
        if (count > 64)
            return LLVMConstNull(type);
        for (unsigned i = 0; i < count; i++)
            items[i] = scalar;
        return LLVMConstVector(items, count);
    }
    default:
        return LLVMConstNull(type);
    }
}

LLVMValueRef opevo_i_edit_value_named(const opevo_i_edit_body *body, opevo_i_edit_ref ref,
                                      uint32_t function, LLVMTypeRef type)
{
    const opevo_i_edit_function *row = &body->base->functions[function];
    LLVMValueRef value = NULL;
    uint32_t slot;

    switch (ref.kind) {
    case OPEVO_I_ONE:
        return edit_one(type);
    case OPEVO_I_ARGUMENT:
        if (ref.number > row->argument_first &&
            ref.number <= row->argument_first + row->argument_count)
            value = body->arguments[ref.number];
        break;
    case OPEVO_I_INSTRUCTION:
    case OPEVO_I_CREATED:
        slot = opevo_i_edit_slot_named(body, ref);
        if (slot && opevo_i_edit_slot_function(body, slot) == function)
            value = body->slots[slot].value;
        break;
    case OPEVO_I_NO_REF:
        break;
    }
    return value && LLVMTypeOf(value) == type ? value : NULL;
}
