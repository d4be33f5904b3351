/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Addresses, accesses to memory and local variables to code. */

#include "simt_work_internal.h"

#include <opevo/memory.h>

#include <limits.h>

/* ---- Addresses ---- */

static bool add_index(opevo_i_simt_work *self, LLVMValueRef index, uint64_t scale, uint32_t *at)
{
    const opevo_i_simt_value *value = opevo_i_simt_value_of(self->decoder, self->frame, index);
    opevo_i_simt_slot slot, to = {opevo_i_simt_register(self->decoder, 8), 8};
    opevo_i_simt_code *code;

    if (!value || value->count != 1)
        return false;
    slot = work_part(self, value, 0);
    if (slot.size == 0)
        return false;
    code = work_emit(self, OPEVO_I_SIMT_OPERATE, OPEVO_I_SIMT_INDEX + work_log_2(slot.size), to);
    code->a = *at;
    code->b = slot.at;
    code->number = (int64_t)scale;
    *at = to.at;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_INTEGER_64);
    return true;
}

/* Step into `type` by an operand: constants are added to *bytes, others by code. */
static bool step_index(opevo_i_simt_work *self, unsigned operand_index, LLVMTypeRef *type,
                       uint64_t *bytes, uint32_t *at)
{
    LLVMTargetDataRef layout = self->decoder->layout;
    LLVMValueRef index = LLVMGetOperand(self->instruction, operand_index);
    bool constant = LLVMIsAConstantInt(index) && LLVMGetIntTypeWidth(LLVMTypeOf(index)) <= 64;
    uint64_t scale;

    if (operand_index > 1 && LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
        unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);

        *bytes += LLVMOffsetOfElement(layout, *type, member);
        *type = LLVMStructGetTypeAtIndex(*type, member);
        return true;
    }
    if (operand_index > 1)
        *type = LLVMGetElementType(*type);
    scale = LLVMABISizeOfType(layout, *type);
    if (!constant)
        return add_index(self, index, scale, at);
    *bytes += (uint64_t)LLVMConstIntGetSExtValue(index) * scale;
    return true;
}

static bool decode_address(opevo_i_simt_work *self)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(self->instruction);
    int count = LLVMGetNumOperands(self->instruction);
    opevo_i_simt_value base;
    opevo_i_simt_slot slot;
    uint64_t bytes = 0;

    if (!work_operand(self, 0, &base) || base.count != 1 ||
        LLVMGetTypeKind(LLVMTypeOf(self->instruction)) != LLVMPointerTypeKind)
        return false;
    slot = work_part(self, &base, 0);
    for (int i = 1; i < count; i++)
        if (!step_index(self, (unsigned)i, &type, &bytes, &slot.at))
            return false;
    if (bytes) {
        opevo_i_simt_slot to = {opevo_i_simt_register(self->decoder, 8), 8};
        opevo_i_simt_code *code = work_emit(self, OPEVO_I_SIMT_OPERATE, OPEVO_I_SIMT_OFFSET, to);

        code->a = slot.at;
        code->number = (int64_t)bytes;
        slot = to;
        opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_INTEGER_64);
    }
    return work_gather(self, &slot, 1);
}

/* ---- Memory ---- */

uint8_t opevo_i_simt_work_space(LLVMValueRef pointer, unsigned alignment)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)), log = 0;

    while (alignment >> (log + 1) && log < 15)
        log++;
    return (uint8_t)(log << 4 | (space > 5 ? 15 : space));
}

void opevo_i_simt_work_note_granule(const opevo_i_simt_work *self, unsigned bytes)
{
    if (bytes < self->decoder->least_access)
        self->decoder->least_access = bytes;
}

/* Bytes of a part of a value of a type. */
static uint8_t size_in_memory(opevo_i_simt_slot slot, LLVMTypeRef type)
{
    LLVMTypeRef part = opevo_i_simt_part_type(type, 0);

    return slot.size == OPEVO_I_SIMT_VALUE_SIZE ? opevo_i_simt_float_size(part)
           : slot.size == OPEVO_I_SIMT_RAW_SIZE ? (uint8_t)(LLVMGetIntTypeWidth(part) / 8)
                                                : slot.size;
}

opevo_i_simt_code *opevo_i_simt_work_access(const opevo_i_simt_work *self, bool is_store,
                                            opevo_i_simt_slot address, opevo_i_simt_slot part,
                                            LLVMTypeRef type, uint32_t bytes)
{
    opevo_i_simt_code *code =
        opevo_i_simt_emit(self->decoder, is_store ? OPEVO_I_SIMT_STORE : OPEVO_I_SIMT_LOAD);

    code->to = is_store ? code->to : part.at;
    code->size = size_in_memory(part, type);
    code->value = part.size == OPEVO_I_SIMT_VALUE_SIZE;
    code->raw = part.size == OPEVO_I_SIMT_RAW_SIZE;
    code->a = address.at;
    code->b = is_store ? part.at : code->b;
    code->number = bytes;
    if (code->value && code->size < self->decoder->least_float)
        self->decoder->least_float = code->size;
    return code;
}

/* As it lies in memory. */
static LLVMTypeRef type_in_memory(const opevo_i_simt_work *self, LLVMTypeRef type)
{
    return self->decoder->pairs && LLVMGetTypeKind(type) == LLVMDoubleTypeKind
               ? LLVMFloatTypeInContext(LLVMGetTypeContext(type))
               : type;
}

/* The parts of a value in memory lie one after the other, as those of a vector do; a struct may
 * have gaps and is not supported. */
static bool access_parts(opevo_i_simt_work *self, bool is_store, unsigned at, unsigned alignment,
                         LLVMAtomicOrdering ordering)
{
    LLVMValueRef pointer = LLVMGetOperand(self->instruction, at);
    unsigned stored = at == 0 ? 1 : 0;
    LLVMTypeRef type =
        LLVMTypeOf(is_store ? LLVMGetOperand(self->instruction, stored) : self->instruction);
    opevo_i_simt_value address, value;
    uint32_t bytes = 0, total = 0;

    if (!work_operand(self, at, &address) || address.count != 1 ||
        (is_store ? !work_operand(self, stored, &value) : !work_result(self)) ||
        ordering > LLVMAtomicOrderingMonotonic)
        return false;
    if (!is_store)
        value = self->result;
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return false;
    type = type_in_memory(self, type);
    total = value.count * size_in_memory(work_part(self, &value, 0), type);
    for (uint32_t p = 0; p < value.count; p++) {
        opevo_i_simt_slot slot = work_part(self, &value, p);
        uint8_t size = size_in_memory(slot, type);
        opevo_i_simt_code *code = NULL;

        if (slot.size == 0)
            return false;
        code = opevo_i_simt_work_access(self, is_store, work_part(self, &address, 0), slot, type,
                                        bytes);
        code->c = p == 0 ? total : 0;
        code->space = opevo_i_simt_work_space(pointer, alignment);
        code->atomic = ordering == LLVMAtomicOrderingMonotonic;
        if (p > 0) /* the first part is as aligned as all */
            code->space &= 15;
        bytes += size;
        opevo_i_simt_work_note_granule(self, size < alignment ? size : alignment);
    }
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_FREE); /* counted where it runs */
    return true;
}

static bool decode_access(opevo_i_simt_work *self, bool is_store)
{
    return access_parts(self, is_store, is_store ? 1 : 0, LLVMGetAlignment(self->instruction),
                        LLVMGetOrdering(self->instruction));
}

/* Of a whole vector, which the instruction needs to be aligned. */
bool opevo_i_simt_work_stream(opevo_i_simt_work *self)
{
    LLVMTypeRef type;

    if (LLVMGetNumArgOperands(self->instruction) != 2)
        return false;
    type = LLVMTypeOf(LLVMGetOperand(self->instruction, 1));
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           access_parts(self, true, 0, (unsigned)LLVMABISizeOfType(self->decoder->layout, type),
                        LLVMAtomicOrderingNotAtomic);
}

static bool update_of(LLVMAtomicRMWBinOp operation, opevo_i_simt_update *out)
{
    switch (operation) {
#define UPDATE(llvm, ours)                                                                         \
    case LLVMAtomicRMWBinOp##llvm:                                                                 \
        *out = OPEVO_I_SIMT_UPDATE_##ours;                                                         \
        return true;
        UPDATE(Xchg, XCHG)
        UPDATE(Add, ADD)
        UPDATE(Sub, SUB)
        UPDATE(And, AND)
        UPDATE(Or, OR)
        UPDATE(Xor, XOR)
        UPDATE(Max, MAX)
        UPDATE(Min, MIN)
        UPDATE(UMax, UMAX)
        UPDATE(UMin, UMIN)
        UPDATE(FAdd, FADD)
        UPDATE(FSub, FSUB)
        UPDATE(FMax, FMAX)
        UPDATE(FMin, FMIN)
        UPDATE(UIncWrap, UINC_WRAP)
        UPDATE(UDecWrap, UDEC_WRAP)
#undef UPDATE
    default:
        return false;
    }
}

static bool decode_atomic(opevo_i_simt_work *self)
{
    opevo_i_simt_value in[2];
    opevo_i_simt_slot slot;
    opevo_i_simt_code *code;
    opevo_i_simt_update update;

    if (!work_operands(self, 2, in) || !work_result(self) || self->result.count != 1 ||
        !update_of(LLVMGetAtomicRMWBinOp(self->instruction), &update))
        return false;
    slot = work_part(self, &self->result, 0);
    if (slot.size < 4 || slot.size == OPEVO_I_SIMT_VALUE_SIZE)
        return false; /* GPUs update words */
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_ATOMIC);
    code->to = slot.at;
    code->size = slot.size;
    code->a = work_part(self, &in[0], 0).at;
    code->b = work_part(self, &in[1], 0).at;
    code->number = update == OPEVO_I_SIMT_UPDATE_FADD && slot.size == 4 && work_flushes(self)
                       ? OPEVO_I_SIMT_UPDATE_FADD_FLUSHED
                       : update;
    code->space = opevo_i_simt_work_space(LLVMGetOperand(self->instruction, 0), slot.size);
    opevo_i_simt_work_note_granule(self, slot.size);
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_FREE);
    return true;
}

static bool decode_exchange(opevo_i_simt_work *self)
{
    opevo_i_simt_value in[3];
    opevo_i_simt_slot slot;
    opevo_i_simt_code *code;

    if (!work_operands(self, 3, in) || !work_result(self) || self->result.count != 2)
        return false;
    slot = work_part(self, &self->result, 0);
    if (slot.size < 4 || slot.size == OPEVO_I_SIMT_VALUE_SIZE)
        return false;
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_EXCHANGE);
    code->to = slot.at;
    code->size = slot.size;
    code->a = work_part(self, &in[0], 0).at;
    code->b = work_part(self, &in[1], 0).at;
    code->c = work_part(self, &in[2], 0).at;
    code->number = work_part(self, &self->result, 1).at;
    code->space = opevo_i_simt_work_space(LLVMGetOperand(self->instruction, 0), slot.size);
    opevo_i_simt_work_note_granule(self, slot.size);
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_FREE);
    return true;
}

/* Of a fixed size; each has a region of its own in each inlined copy. */
static bool decode_alloca(opevo_i_simt_work *self)
{
    LLVMTypeRef type = LLVMGetAllocatedType(self->instruction);
    LLVMValueRef count = LLVMGetOperand(self->instruction, 0);
    opevo_i_simt_region *region;
    opevo_i_simt_code *code;
    size_t length;
    uint64_t bytes;

    if (!LLVMIsAConstantInt(count) || !LLVMTypeIsSized(type) || !work_result(self))
        return false;
    bytes = LLVMABISizeOfType(self->decoder->layout, type) * LLVMConstIntGetZExtValue(count);
    if (bytes > 1 << 20)
        return false;
    region = opevo_i_simt_region_add(self->decoder->simt);
    if (!region) {
        self->decoder->status =
            OPEVO_FAIL(self->decoder->err, OPEVO_NOMEM, "No memory to decode a kernel.");
        return true;
    }
    region->kind = OPEVO_I_SIMT_LOCAL;
    region->size = bytes;
    region->name = opevo_strdup(LLVMGetValueName2(self->instruction, &length));
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_ALLOCATE);
    code->to = work_part(self, &self->result, 0).at;
    code->size = 8;
    code->number = region - self->decoder->simt->regions;
    return true;
}

/* ---- Addresses as numbers ---- */

enum { ALIGNMENT = 64, DERIVED = 64 }; /* bytes that buffers are aligned to; steps to a base */

/* Whether the bits of an address only tell how it is aligned, or how far it is from another. */
static bool is_alignment(LLVMValueRef number)
{
    for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use), mask;

        if (!LLVMIsAInstruction(user))
            return false;
        if (LLVMGetInstructionOpcode(user) == LLVMSub &&
            LLVMIsAPtrToIntInst(LLVMGetOperand(user, 0)) &&
            LLVMIsAPtrToIntInst(LLVMGetOperand(user, 1)))
            continue;
        if (LLVMIsATruncInst(user) && is_alignment(user))
            continue;
        mask = LLVMGetInstructionOpcode(user) == LLVMAnd ? LLVMGetOperand(user, 1) : NULL;
        if (!mask || !LLVMIsAConstantInt(mask) || LLVMConstIntGetZExtValue(mask) >= ALIGNMENT)
            return false;
    }
    return true;
}

static unsigned space_of(LLVMValueRef pointer)
{
    LLVMTypeRef type = LLVMTypeOf(pointer);

    return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMGetPointerAddressSpace(type)
                                                        : UINT_MAX;
}

/* Whether an address only becomes an address again: of the same space, or in kernels of opevo for
 * OpenCL on CPUs, which have one space, of that without a name. */
static bool is_cast(const opevo_i_simt_work *self)
{
    LLVMValueRef number = self->instruction;
    unsigned from = space_of(LLVMGetOperand(number, 0));
    bool is_one = self->decoder->simt->options.own_functions && from == 1;

    if (LLVMGetTypeKind(LLVMTypeOf(number)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(number)) != 64)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        unsigned to = LLVMIsAIntToPtrInst(user) ? space_of(user) : UINT_MAX;

        if (to == UINT_MAX || (to != from && !(is_one && to == 0)))
            return false;
    }
    return true;
}

/* What an address is derived from, as far as it shows. */
static LLVMValueRef base_of(LLVMValueRef address)
{
    for (unsigned i = 0; i < DERIVED; i++) {
        if (LLVMIsAGetElementPtrInst(address) || LLVMIsAAddrSpaceCastInst(address))
            address = LLVMGetOperand(address, 0);
        else if (LLVMIsAPHINode(address))
            address = LLVMGetIncomingValue(address, 0);
        else
            break;
    }
    return address;
}

static bool is_object(LLVMValueRef base)
{
    return LLVMIsAArgument(base) || LLVMIsAGlobalVariable(base) || LLVMIsAAllocaInst(base);
}

static bool orders_objects(LLVMValueRef comparison)
{
    LLVMValueRef a = base_of(LLVMGetOperand(comparison, 0));
    LLVMValueRef b = base_of(LLVMGetOperand(comparison, 1));
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);

    return LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(comparison, 0))) == LLVMPointerTypeKind &&
           predicate != LLVMIntEQ && predicate != LLVMIntNE && a != b && is_object(a) &&
           is_object(b);
}

void opevo_i_simt_work_doubt(const opevo_i_simt_work *self)
{
    bool is_number = LLVMIsAPtrToIntInst(self->instruction) != NULL;

    if (is_number ? !is_alignment(self->instruction) && !is_cast(self)
                  : orders_objects(self->instruction))
        opevo_i_simt_doubt(self->decoder->simt, self->decoder->place,
                           is_number ? "takes an address for a number"
                                     : "compares where in memory two variables are");
}

bool opevo_i_simt_work_memory(opevo_i_simt_work *self)
{
    switch (LLVMGetInstructionOpcode(self->instruction)) {
    case LLVMGetElementPtr:
        return decode_address(self);
    case LLVMAlloca:
        return decode_alloca(self);
    case LLVMAtomicRMW:
        return decode_atomic(self);
    case LLVMAtomicCmpXchg:
        return decode_exchange(self);
    default:
        return decode_access(self, LLVMGetInstructionOpcode(self->instruction) == LLVMStore);
    }
}
