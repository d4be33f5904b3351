/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Instructions to code, one by one. A vector is its elements, each in a register of its own. */

#include "simt_work_internal.h"

/* ---- Vectors and structs ---- */

static bool constant_index(LLVMValueRef index, uint32_t count, uint32_t *out)
{
    uint64_t value;

    if (!LLVMIsAConstantInt(index))
        return false;
    value = LLVMConstIntGetZExtValue(index);
    *out = (uint32_t)value;
    return value < count;
}

/* Whether an index that is computed is p, as a bit. */
static opevo_i_simt_slot is_index(const opevo_i_simt_work *self, opevo_i_simt_slot index,
                                  uint32_t p)
{
    opevo_i_simt_slot bit = {opevo_i_simt_register(self->decoder, 0), 0};
    uint32_t number = opevo_i_simt_constant_register(self->decoder, index.size, p, false);
    opevo_i_simt_code *code =
        work_emit(self, OPEVO_I_SIMT_OPERATE, OPEVO_I_SIMT_EQ + work_log_2(index.size), bit);

    code->a = index.at;
    code->b = number;
    return bit;
}

static opevo_i_simt_slot choose(const opevo_i_simt_work *self, opevo_i_simt_slot bit,
                                opevo_i_simt_slot yes, opevo_i_simt_slot no)
{
    opevo_i_simt_slot to = {opevo_i_simt_register(self->decoder, yes.size), yes.size};
    opevo_i_simt_code *code = work_emit(self, OPEVO_I_SIMT_SELECT,
                                        yes.size ? OPEVO_I_SIMT_CHOOSE + work_log_2(yes.size)
                                                 : (uint32_t)OPEVO_I_SIMT_BIT_CHOOSE,
                                        to);

    code->a = bit.at;
    code->b = yes.at;
    code->c = no.at;
    return to;
}

/* An element of a vector by an index that is computed; one behind the end is undefined. */
static bool extract_computed(opevo_i_simt_work *self, const opevo_i_simt_value *in)
{
    opevo_i_simt_value index;
    opevo_i_simt_slot found = work_part(self, in, 0);

    if (!work_operand(self, 1, &index) || work_part(self, &index, 0).size == 0)
        return false;
    found.at = opevo_i_simt_constant_register(self->decoder, found.size, 0, true);
    for (uint32_t p = 0; p < in->count; p++)
        found = choose(self, is_index(self, work_part(self, &index, 0), p), work_part(self, in, p),
                       found);
    return work_gather(self, &found, 1);
}

static bool insert_computed(opevo_i_simt_work *self, const opevo_i_simt_value in[2])
{
    opevo_i_simt_value index;
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];

    if (!work_operand(self, 2, &index) || work_part(self, &index, 0).size == 0)
        return false;
    for (uint32_t p = 0; p < in[0].count; p++)
        slots[p] = choose(self, is_index(self, work_part(self, &index, 0), p),
                          work_part(self, &in[1], 0), work_part(self, &in[0], p));
    return work_gather(self, slots, in[0].count);
}

static bool decode_extract(opevo_i_simt_work *self, bool is_struct)
{
    opevo_i_simt_value in;
    opevo_i_simt_slot slot;
    uint32_t index = 0;

    if (!work_operand(self, 0, &in))
        return false;
    if (is_struct) {
        if (LLVMGetNumIndices(self->instruction) != 1)
            return false;
        index = LLVMGetIndices(self->instruction)[0];
    } else if (!LLVMIsAConstantInt(LLVMGetOperand(self->instruction, 1))) {
        return extract_computed(self, &in);
    } else if (!constant_index(LLVMGetOperand(self->instruction, 1), in.count, &index)) {
        return false;
    }
    slot = work_part(self, &in, index);
    return work_gather(self, &slot, 1);
}

static bool decode_insert(opevo_i_simt_work *self, bool is_struct)
{
    opevo_i_simt_value in[2];
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];
    uint32_t index = 0;

    if (!work_operands(self, 2, in) || in[1].count != 1)
        return false;
    if (is_struct) {
        if (LLVMGetNumIndices(self->instruction) != 1)
            return false;
        index = LLVMGetIndices(self->instruction)[0];
    } else if (!LLVMIsAConstantInt(LLVMGetOperand(self->instruction, 2))) {
        return insert_computed(self, in);
    } else if (!constant_index(LLVMGetOperand(self->instruction, 2), in[0].count, &index)) {
        return false;
    }
    for (uint32_t p = 0; p < in[0].count; p++)
        slots[p] = work_part(self, p == index ? &in[1] : &in[0], p == index ? 0 : p);
    return work_gather(self, slots, in[0].count);
}

static bool decode_shuffle_vector(opevo_i_simt_work *self)
{
    opevo_i_simt_value in[2];
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];
    unsigned count = LLVMGetNumMaskElements(self->instruction);

    if (!work_operands(self, 2, in) || count > OPEVO_I_SIMT_PARTS)
        return false;
    for (unsigned p = 0; p < count; p++) {
        int from = LLVMGetMaskValue(self->instruction, p);

        if (from < 0) {
            slots[p] = work_part(self, &in[0], 0);
            slots[p].at = opevo_i_simt_constant_register(self->decoder, slots[p].size, 0, true);
            continue;
        }
        slots[p] = (uint32_t)from < in[0].count
                       ? work_part(self, &in[0], (uint32_t)from)
                       : work_part(self, &in[1], (uint32_t)from - in[0].count);
    }
    return work_gather(self, slots, count);
}

/* ---- All ---- */

/* Names of what is not supported, as LLVM's manual has them. */
static const char *opcode_name(LLVMOpcode opcode)
{
    switch (opcode) {
    case LLVMLoad:
        return "this load";
    case LLVMStore:
        return "this store";
    case LLVMAlloca:
        return "this alloca";
    case LLVMGetElementPtr:
        return "this getelementptr";
    case LLVMAtomicRMW:
        return "this atomicrmw";
    case LLVMAtomicCmpXchg:
        return "this cmpxchg";
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return "this vector operation";
    case LLVMExtractValue:
    case LLVMInsertValue:
        return "this operation on a struct";
    case LLVMICmp:
    case LLVMFCmp:
        return "this comparison";
    case LLVMSelect:
        return "this select";
    case LLVMVAArg:
        return "va_arg";
    case LLVMInvoke:
        return "invoke";
    default:
        return "this operation on values of this type";
    }
}

/* Scalars, and vectors by element. */
static bool decode_computation(opevo_i_simt_work *self, LLVMOpcode opcode)
{
    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMURem:
    case LLVMSDiv:
    case LLVMSRem:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFNeg:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
        return opevo_i_simt_work_arithmetic(self);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI:
        return opevo_i_simt_work_conversion(self);
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        return opevo_i_simt_work_same(self, 0);
    default:
        return false;
    }
}

static bool decode(opevo_i_simt_work *self, const char **what)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(self->instruction);

    if (opcode == LLVMPtrToInt || opcode == LLVMICmp)
        opevo_i_simt_work_doubt(self);
    switch (opcode) {
    case LLVMGetElementPtr:
    case LLVMLoad:
    case LLVMStore:
    case LLVMAlloca:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return opevo_i_simt_work_memory(self);
    case LLVMFence:
        opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_WARP_BARRIER);
        return true;
    case LLVMExtractValue:
    case LLVMExtractElement:
        return decode_extract(self, opcode == LLVMExtractValue);
    case LLVMInsertValue:
    case LLVMInsertElement:
        return decode_insert(self, opcode == LLVMInsertValue);
    case LLVMShuffleVector:
        return decode_shuffle_vector(self);
    case LLVMCall:
        return opevo_i_simt_work_call(self, what);
    default:
        return decode_computation(self, opcode);
    }
}

/* Why an instruction on floats gives no certain bits; NULL: it does. */
static const char *uncertain(const opevo_i_simt_frame *frame, LLVMValueRef instruction)
{
    if (LLVMCanValueUseFastMathFlags(instruction) && LLVMGetFastMathFlags(instruction))
        return "floats with flags that allow other bits";
    return frame->denormals != OPEVO_I_SIMT_DENORMALS_KEPT &&
                   opevo_i_simt_computes_floats(instruction)
               ? "floats in a function that does not keep denormals"
               : NULL;
}

void opevo_i_simt_instruction(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame,
                              LLVMValueRef instruction)
{
    opevo_i_simt_work all = {.decoder = self, .frame = frame, .instruction = instruction};
    const char *what = opcode_name(LLVMGetInstructionOpcode(instruction));

    if (frame->denormals == OPEVO_I_SIMT_DENORMALS_OPEN && !self->simt->options.arithmetic &&
        opevo_i_simt_computes_floats(instruction))
        opevo_i_simt_emit_unsupported(self, "floats in a function whose \"denormal-fp-math\" is "
                                            "neither \"ieee\" nor \"preserve-sign\"");
    else if (opevo_i_simt_tells_apart(self) && uncertain(frame, instruction))
        opevo_i_simt_emit_unsupported(self, uncertain(frame, instruction));
    else if (!decode(&all, &what) && self->status == OPEVO_OK)
        opevo_i_simt_emit_unsupported(self, what);
}
