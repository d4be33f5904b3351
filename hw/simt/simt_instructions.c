/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Instructions to code, one by one. A vector is its elements, each in a register of its own. */

#include "simt_decode_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* What all handlers see. */
typedef struct work {
    opevo_i_simt_decoder *decoder;
    opevo_i_simt_frame *frame;
    LLVMValueRef instruction;
    opevo_i_simt_value result; /* if it has one */
} work;

/* ---- Operands and results ---- */

static unsigned log_2(uint8_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

/* An operand; false if it is not supported. */
static bool operand(const work *self, unsigned index, opevo_i_simt_value *out)
{
    const opevo_i_simt_value *value =
        opevo_i_simt_value_of(self->decoder, self->frame, LLVMGetOperand(self->instruction, index));

    if (value)
        *out = *value;
    return value != NULL;
}

static bool operands(const work *self, unsigned count, opevo_i_simt_value out[])
{
    for (unsigned i = 0; i < count; i++)
        if (!operand(self, i, &out[i]))
            return false;
    return true;
}

static bool result(work *self)
{
    const opevo_i_simt_value *value =
        opevo_i_simt_value_of(self->decoder, self->frame, self->instruction);

    if (value)
        self->result = *value;
    return value != NULL;
}

static opevo_i_simt_slot part(const work *self, const opevo_i_simt_value *value, uint32_t index)
{
    return opevo_i_simt_part(self->decoder, value, index);
}

static opevo_i_simt_code *emit(const work *self, opevo_i_simt_kind kind, uint32_t number,
                               opevo_i_simt_slot to)
{
    opevo_i_simt_code *code = opevo_i_simt_emit(self->decoder, kind);

    code->to = to.at;
    code->size = to.size;
    code->operation = self->decoder->simt->operations[number];
    return code;
}

/* ---- Arithmetic ---- */

typedef struct arithmetic {
    LLVMOpcode opcode;
    uint32_t number; /* of 8 bits, or of 16 for floats */
    bool is_float;
    uint8_t least; /* bytes of the first width */
    opevo_i_simt_kind kind;
    opevo_i_simt_cost cost_32, cost_64;
} arithmetic;

#define COST(name) OPEVO_I_SIMT_COST_##name
#define INTEGER(opcode, number, kind, cost, cost_64)                                               \
    {                                                                                              \
        opcode, OPEVO_I_SIMT_##number, false, 1, OPEVO_I_SIMT_##kind, COST(cost), COST(cost_64)    \
    }
#define FLOAT(opcode, number, least, cost, cost_64)                                                \
    {                                                                                              \
        opcode, OPEVO_I_SIMT_##number, true, least, OPEVO_I_SIMT_OPERATE, COST(cost),              \
            COST(cost_64)                                                                          \
    }

static const arithmetic arithmetics[] = {
    INTEGER(LLVMAdd, ADD, OPERATE, INTEGER, INTEGER_64),
    INTEGER(LLVMSub, SUB, OPERATE, INTEGER, INTEGER_64),
    INTEGER(LLVMMul, MUL, OPERATE, MULTIPLY, MULTIPLY_64),
    INTEGER(LLVMAnd, AND, OPERATE, INTEGER, INTEGER_64),
    INTEGER(LLVMOr, OR, OPERATE, INTEGER, INTEGER_64),
    INTEGER(LLVMXor, XOR, OPERATE, INTEGER, INTEGER_64),
    INTEGER(LLVMShl, SHL, SHIFT, INTEGER, INTEGER_64),
    INTEGER(LLVMLShr, LSHR, SHIFT, INTEGER, INTEGER_64),
    INTEGER(LLVMAShr, ASHR, SHIFT, INTEGER, INTEGER_64),
    INTEGER(LLVMUDiv, UDIV, DIVIDE, DIVIDE, DIVIDE_64),
    INTEGER(LLVMURem, UREM, DIVIDE, DIVIDE, DIVIDE_64),
    INTEGER(LLVMSDiv, SDIV, DIVIDE, DIVIDE, DIVIDE_64),
    INTEGER(LLVMSRem, SREM, DIVIDE, DIVIDE, DIVIDE_64),
    FLOAT(LLVMFAdd, FADD, 2, FLOAT_32, FLOAT_64),
    FLOAT(LLVMFSub, FSUB, 2, FLOAT_32, FLOAT_64),
    FLOAT(LLVMFMul, FMUL, 2, FLOAT_32, FLOAT_64),
    FLOAT(LLVMFDiv, FDIV, 2, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    FLOAT(LLVMFRem, FREM, 4, FUNCTION_32, FUNCTION_64),
    FLOAT(LLVMFNeg, FNEG, 2, FLOAT_32, FLOAT_64),
};

static opevo_i_simt_cost cost_of(const arithmetic *row, uint8_t size)
{
    if (size == 2 && row->cost_32 == OPEVO_I_SIMT_COST_FLOAT_32)
        return OPEVO_I_SIMT_COST_FLOAT_16;
    return size == 8 ? row->cost_64 : row->cost_32;
}

static bool decode_bits(work *self, opevo_i_simt_slot to, opevo_i_simt_slot a, opevo_i_simt_slot b)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(self->instruction);
    opevo_i_simt_kind kind = opcode == LLVMAnd  ? OPEVO_I_SIMT_BOTH
                             : opcode == LLVMOr ? OPEVO_I_SIMT_EITHER
                                                : OPEVO_I_SIMT_OPERATE;
    uint32_t number = opcode == LLVMAnd  ? OPEVO_I_SIMT_BIT_AND
                      : opcode == LLVMOr ? OPEVO_I_SIMT_BIT_OR
                                         : OPEVO_I_SIMT_BIT_XOR;
    opevo_i_simt_code *code;

    if (opcode != LLVMAnd && opcode != LLVMOr && opcode != LLVMXor && opcode != LLVMAdd &&
        opcode != LLVMSub)
        return false;
    code = emit(self, kind, number, to);
    code->a = a.at;
    code->b = b.at;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_INTEGER);
    return true;
}

static bool decode_arithmetic(work *self, const arithmetic *row)
{
    opevo_i_simt_value in[2];
    unsigned count = row->opcode == LLVMFNeg ? 1 : 2;

    if (!operands(self, count, in) || !result(self))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot to = part(self, &self->result, p), a = part(self, &in[0], p);
        opevo_i_simt_slot b = part(self, &in[count - 1], p);
        opevo_i_simt_code *code;

        if (to.size == 0) {
            if (!decode_bits(self, to, a, b))
                return false;
            continue;
        }
        if (to.size < row->least)
            return false;
        code = emit(self, row->kind, row->number + log_2(to.size) - log_2(row->least), to);
        code->a = a.at;
        code->b = count == 2 ? b.at : code->b;
        opevo_i_simt_charge(self->decoder, cost_of(row, to.size));
        code->number = row->opcode == LLVMSDiv || row->opcode == LLVMSRem; /* signed */
    }
    return true;
}

/* ---- Comparisons and select ---- */

typedef struct comparison {
    uint32_t number;
    bool swapped;
} comparison;

static comparison integer_comparison(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntEQ:
        return (comparison){OPEVO_I_SIMT_EQ, false};
    case LLVMIntNE:
        return (comparison){OPEVO_I_SIMT_NE, false};
    case LLVMIntUGT:
    case LLVMIntULT:
        return (comparison){OPEVO_I_SIMT_ULT, predicate == LLVMIntUGT};
    case LLVMIntUGE:
    case LLVMIntULE:
        return (comparison){OPEVO_I_SIMT_ULE, predicate == LLVMIntUGE};
    case LLVMIntSGT:
    case LLVMIntSLT:
        return (comparison){OPEVO_I_SIMT_SLT, predicate == LLVMIntSGT};
    default:
        return (comparison){OPEVO_I_SIMT_SLE, predicate == LLVMIntSGE};
    }
}

/* Of i1, where true is 1, and -1 if it is signed. */
static comparison bit_comparison(LLVMIntPredicate predicate)
{
    comparison wide = integer_comparison(predicate);

    switch (wide.number) {
    case OPEVO_I_SIMT_EQ:
        return (comparison){OPEVO_I_SIMT_BIT_EQ, false};
    case OPEVO_I_SIMT_NE:
        return (comparison){OPEVO_I_SIMT_BIT_XOR, false};
    case OPEVO_I_SIMT_ULT:
        return (comparison){OPEVO_I_SIMT_BIT_ULT, wide.swapped};
    case OPEVO_I_SIMT_ULE:
        return (comparison){OPEVO_I_SIMT_BIT_ULE, wide.swapped};
    case OPEVO_I_SIMT_SLT:
        return (comparison){OPEVO_I_SIMT_BIT_ULT, !wide.swapped};
    default:
        return (comparison){OPEVO_I_SIMT_BIT_ULE, !wide.swapped};
    }
}

static bool float_comparison(LLVMRealPredicate predicate, comparison *out)
{
    static const comparison table[] = {
        [LLVMRealOEQ] = {OPEVO_I_SIMT_OEQ, false},  [LLVMRealOGT] = {OPEVO_I_SIMT_OLT, true},
        [LLVMRealOGE] = {OPEVO_I_SIMT_OLE, true},   [LLVMRealOLT] = {OPEVO_I_SIMT_OLT, false},
        [LLVMRealOLE] = {OPEVO_I_SIMT_OLE, false},  [LLVMRealONE] = {OPEVO_I_SIMT_ONE, false},
        [LLVMRealORD] = {OPEVO_I_SIMT_ORD, false},  [LLVMRealUNO] = {OPEVO_I_SIMT_UNO, false},
        [LLVMRealUEQ] = {OPEVO_I_SIMT_UEQ, false},  [LLVMRealUGT] = {OPEVO_I_SIMT_FULT, true},
        [LLVMRealUGE] = {OPEVO_I_SIMT_FULE, true},  [LLVMRealULT] = {OPEVO_I_SIMT_FULT, false},
        [LLVMRealULE] = {OPEVO_I_SIMT_FULE, false}, [LLVMRealUNE] = {OPEVO_I_SIMT_UNE, false}};

    if (predicate < LLVMRealOEQ || predicate > LLVMRealUNE)
        return false; /* always false or true: optimisers leave none */
    *out = table[predicate];
    return true;
}

static bool decode_compare(work *self, bool is_float)
{
    opevo_i_simt_value in[2];
    comparison chosen = {0};

    if (!operands(self, 2, in) || !result(self) ||
        (is_float && !float_comparison(LLVMGetFCmpPredicate(self->instruction), &chosen)))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot a = part(self, &in[0], p), b = part(self, &in[1], p);
        LLVMIntPredicate predicate = is_float ? 0 : LLVMGetICmpPredicate(self->instruction);
        uint32_t width = a.size ? log_2(a.size) - is_float : 0;
        opevo_i_simt_code *code;

        if (!is_float)
            chosen = a.size ? integer_comparison(predicate) : bit_comparison(predicate);
        code =
            emit(self, OPEVO_I_SIMT_OPERATE, chosen.number + width, part(self, &self->result, p));
        code->a = chosen.swapped ? b.at : a.at;
        code->b = chosen.swapped ? a.at : b.at;
        opevo_i_simt_charge(self->decoder, a.size == 8 && is_float ? OPEVO_I_SIMT_COST_FLOAT_64
                                           : a.size == 8           ? OPEVO_I_SIMT_COST_INTEGER_64
                                                                   : OPEVO_I_SIMT_COST_INTEGER);
    }
    return true;
}

static bool decode_select(work *self)
{
    opevo_i_simt_value in[3];

    if (!operands(self, 3, in) || !result(self))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot to = part(self, &self->result, p);
        uint32_t number =
            to.size ? OPEVO_I_SIMT_CHOOSE + log_2(to.size) : (uint32_t)OPEVO_I_SIMT_BIT_CHOOSE;
        opevo_i_simt_code *code = emit(self, OPEVO_I_SIMT_SELECT, number, to);

        code->a = part(self, &in[0], in[0].count > 1 ? p : 0).at;
        code->b = part(self, &in[1], p).at;
        code->c = part(self, &in[2], p).at;
        opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_SELECT);
    }
    return true;
}

/* ---- Conversions ---- */

/* Numbers of ZEXT and SEXT from bytes 2^i to 2^j, i < j, and of TRUNC, i > j. */
static uint32_t extension(uint32_t first, unsigned from, unsigned to)
{
    static const unsigned row[] = {0, 3, 5};

    return first + row[from] + (to - from - 1);
}

static uint32_t truncation(unsigned from, unsigned to)
{
    static const unsigned row[] = {0, 0, 1, 3};

    return OPEVO_I_SIMT_TRUNC_16_8 + row[from] + to;
}

/* The operation of a conversion; OPEVO_I_SIMT_OPERATION_COUNT if it is not supported. */
static uint32_t conversion(LLVMOpcode opcode, uint8_t from_size, uint8_t to_size)
{
    unsigned from = log_2(from_size), to = log_2(to_size);

    switch (opcode) {
    case LLVMZExt:
        return from_size ? extension(OPEVO_I_SIMT_ZEXT_8_16, from, to) : OPEVO_I_SIMT_WIDEN + to;
    case LLVMSExt:
        return from_size ? extension(OPEVO_I_SIMT_SEXT_8_16, from, to) : OPEVO_I_SIMT_SPREAD + to;
    case LLVMTrunc:
        return to_size ? truncation(from, to) : OPEVO_I_SIMT_NARROW + from;
    case LLVMFPExt:
        return OPEVO_I_SIMT_FPEXT_16_32 + from + to - 3;
    case LLVMFPTrunc:
        return OPEVO_I_SIMT_FPTRUNC_32_16 + (from == 2 ? 0 : to);
    case LLVMSIToFP:
    case LLVMUIToFP:
        if (from_size == 0 || to_size < 4)
            return OPEVO_I_SIMT_OPERATION_COUNT;
        return (opcode == LLVMSIToFP ? OPEVO_I_SIMT_SITOFP_8_32 : OPEVO_I_SIMT_UITOFP_8_32) +
               2 * from + (to - 2);
    case LLVMFPToSI:
    case LLVMFPToUI:
        if (to_size == 0 || from_size < 4)
            return OPEVO_I_SIMT_OPERATION_COUNT;
        return (opcode == LLVMFPToSI ? OPEVO_I_SIMT_FPTOSI_32_8 : OPEVO_I_SIMT_FPTOUI_32_8) +
               4 * (from - 2) + to;
    default:
        return OPEVO_I_SIMT_OPERATION_COUNT;
    }
}

/* A bit as a byte: 0 or 1, or 0 or -1. */
static opevo_i_simt_slot widen(const work *self, opevo_i_simt_slot bit, bool is_signed)
{
    opevo_i_simt_slot byte = {opevo_i_simt_register(self->decoder, 1), 1};

    emit(self, OPEVO_I_SIMT_OPERATE, is_signed ? OPEVO_I_SIMT_SPREAD : OPEVO_I_SIMT_WIDEN, byte)
        ->a = bit.at;
    return byte;
}

static bool decode_conversion(work *self)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(self->instruction);
    bool whole = opcode == LLVMZExt || opcode == LLVMSExt || opcode == LLVMTrunc;
    bool checked = opcode == LLVMFPToSI || opcode == LLVMFPToUI;
    opevo_i_simt_value in;

    if (!operand(self, 0, &in) || !result(self) || in.count != self->result.count)
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot to = part(self, &self->result, p), a = part(self, &in, p);
        uint32_t number = conversion(opcode, a.size, to.size);
        opevo_i_simt_code *code;

        if ((opcode == LLVMSIToFP || opcode == LLVMUIToFP) && a.size == 0) {
            a = widen(self, a, opcode == LLVMSIToFP);
            number = conversion(opcode, a.size, to.size);
        }
        if (number == OPEVO_I_SIMT_OPERATION_COUNT)
            return false;
        code = emit(self, checked ? OPEVO_I_SIMT_CONVERT : OPEVO_I_SIMT_OPERATE, number, to);
        code->a = a.at;
        if (checked) /* what it compares with: the bytes and the sign */
            code->number = (opcode == LLVMFPToSI ? 16 : 0) + a.size;
        opevo_i_simt_charge(self->decoder, whole ? OPEVO_I_SIMT_COST_INTEGER
                                           : a.size == 8 || to.size == 8
                                               ? OPEVO_I_SIMT_COST_CONVERT_64
                                               : OPEVO_I_SIMT_COST_CONVERT);
    }
    return true;
}

/* The same bits, under another type, as another name for the same registers. */
static bool decode_same(work *self, unsigned index)
{
    opevo_i_simt_value in;
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];
    uint8_t sizes[OPEVO_I_SIMT_PARTS];
    uint32_t count = opevo_i_simt_type_parts(self->decoder, LLVMTypeOf(self->instruction), sizes);

    if (!operand(self, index, &in) || in.count != count)
        return false;
    for (uint32_t p = 0; p < count; p++) {
        slots[p] = part(self, &in, p);
        if (slots[p].size != sizes[p])
            return false;
    }
    if (opevo_i_simt_alias(self->decoder, self->frame, self->instruction, slots, count))
        return true;
    if (!result(self))
        return false;
    for (uint32_t p = 0; p < count; p++)
        opevo_i_simt_move(self->decoder, part(self, &self->result, p), slots[p]);
    return true;
}

/* ---- Vectors and structs ---- */

/* Let the result be these registers. */
static bool gather(work *self, const opevo_i_simt_slot *slots, uint32_t count)
{
    if (opevo_i_simt_alias(self->decoder, self->frame, self->instruction, slots, count))
        return true;
    if (!result(self) || self->result.count != count)
        return false;
    for (uint32_t p = 0; p < count; p++)
        opevo_i_simt_move(self->decoder, part(self, &self->result, p), slots[p]);
    return true;
}

static bool constant_index(LLVMValueRef index, uint32_t count, uint32_t *out)
{
    uint64_t value;

    if (!LLVMIsAConstantInt(index))
        return false;
    value = LLVMConstIntGetZExtValue(index);
    *out = (uint32_t)value;
    return value < count;
}

static bool decode_extract(work *self, bool is_struct)
{
    opevo_i_simt_value in;
    opevo_i_simt_slot slot;
    uint32_t index = 0;

    if (!operand(self, 0, &in))
        return false;
    if (is_struct) {
        if (LLVMGetNumIndices(self->instruction) != 1)
            return false;
        index = LLVMGetIndices(self->instruction)[0];
    } else if (!constant_index(LLVMGetOperand(self->instruction, 1), in.count, &index)) {
        return false;
    }
    slot = part(self, &in, index);
    return gather(self, &slot, 1);
}

static bool decode_insert(work *self, bool is_struct)
{
    opevo_i_simt_value in[2];
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];
    uint32_t index = 0;

    if (!operands(self, 2, in) || in[1].count != 1)
        return false;
    if (is_struct) {
        if (LLVMGetNumIndices(self->instruction) != 1)
            return false;
        index = LLVMGetIndices(self->instruction)[0];
    } else if (!constant_index(LLVMGetOperand(self->instruction, 2), in[0].count, &index)) {
        return false;
    }
    for (uint32_t p = 0; p < in[0].count; p++)
        slots[p] = part(self, p == index ? &in[1] : &in[0], p == index ? 0 : p);
    return gather(self, slots, in[0].count);
}

static bool decode_shuffle_vector(work *self)
{
    opevo_i_simt_value in[2];
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];
    unsigned count = LLVMGetNumMaskElements(self->instruction);

    if (!operands(self, 2, in) || count > OPEVO_I_SIMT_PARTS)
        return false;
    for (unsigned p = 0; p < count; p++) {
        int from = LLVMGetMaskValue(self->instruction, p);

        if (from < 0) {
            slots[p] = part(self, &in[0], 0);
            slots[p].at = opevo_i_simt_constant_register(self->decoder, slots[p].size, 0, true);
            continue;
        }
        slots[p] = (uint32_t)from < in[0].count ? part(self, &in[0], (uint32_t)from)
                                                : part(self, &in[1], (uint32_t)from - in[0].count);
    }
    return gather(self, slots, count);
}

/* ---- Addresses ---- */

static bool add_index(work *self, LLVMValueRef index, uint64_t scale, uint32_t *at)
{
    const opevo_i_simt_value *value = opevo_i_simt_value_of(self->decoder, self->frame, index);
    opevo_i_simt_slot slot, to = {opevo_i_simt_register(self->decoder, 8), 8};
    opevo_i_simt_code *code;

    if (!value || value->count != 1)
        return false;
    slot = part(self, value, 0);
    if (slot.size == 0)
        return false;
    code = emit(self, OPEVO_I_SIMT_OPERATE, OPEVO_I_SIMT_INDEX + log_2(slot.size), to);
    code->a = *at;
    code->b = slot.at;
    code->number = (int64_t)scale;
    *at = to.at;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_INTEGER_64);
    return true;
}

/* Step into `type` by an operand: constants are added to *bytes, others by code. */
static bool step_index(work *self, unsigned operand_index, LLVMTypeRef *type, uint64_t *bytes,
                       uint32_t *at)
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

static bool decode_address(work *self)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(self->instruction);
    int count = LLVMGetNumOperands(self->instruction);
    opevo_i_simt_value base;
    opevo_i_simt_slot slot;
    uint64_t bytes = 0;

    if (!operand(self, 0, &base) || base.count != 1 ||
        LLVMGetTypeKind(LLVMTypeOf(self->instruction)) != LLVMPointerTypeKind)
        return false;
    slot = part(self, &base, 0);
    for (int i = 1; i < count; i++)
        if (!step_index(self, (unsigned)i, &type, &bytes, &slot.at))
            return false;
    if (bytes) {
        opevo_i_simt_slot to = {opevo_i_simt_register(self->decoder, 8), 8};
        opevo_i_simt_code *code = emit(self, OPEVO_I_SIMT_OPERATE, OPEVO_I_SIMT_OFFSET, to);

        code->a = slot.at;
        code->number = (int64_t)bytes;
        slot = to;
        opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_INTEGER_64);
    }
    return gather(self, &slot, 1);
}

/* ---- Memory ---- */

static uint8_t space_of(LLVMValueRef pointer, unsigned alignment)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)), log = 0;

    while (alignment >> (log + 1) && log < 15)
        log++;
    return (uint8_t)(log << 4 | (space > 5 ? 15 : space));
}

/* The parts of a value in memory lie one after the other, as those of a vector do; a struct may have
 * gaps and is not supported. */
static bool decode_access(work *self, bool is_store)
{
    unsigned at = is_store ? 1 : 0;
    LLVMValueRef pointer = LLVMGetOperand(self->instruction, at);
    opevo_i_simt_value address, value;
    uint32_t bytes = 0, total = 0;

    if (!operand(self, at, &address) || address.count != 1 ||
        (is_store ? !operand(self, 0, &value) : !result(self)) ||
        LLVMGetOrdering(self->instruction) > LLVMAtomicOrderingMonotonic)
        return false;
    if (!is_store)
        value = self->result;
    if (LLVMGetTypeKind(LLVMTypeOf(is_store ? LLVMGetOperand(self->instruction, 0)
                                            : self->instruction)) == LLVMStructTypeKind)
        return false;
    for (uint32_t p = 0; p < value.count; p++)
        total += part(self, &value, p).size;
    for (uint32_t p = 0; p < value.count; p++) {
        opevo_i_simt_slot slot = part(self, &value, p);
        opevo_i_simt_code *code =
            opevo_i_simt_emit(self->decoder, is_store ? OPEVO_I_SIMT_STORE : OPEVO_I_SIMT_LOAD);

        if (slot.size == 0)
            return false;
        code->to = is_store ? code->to : slot.at;
        code->size = slot.size;
        code->a = part(self, &address, 0).at;
        code->b = is_store ? slot.at : code->b;
        code->c = p == 0 ? total : 0;
        code->number = bytes;
        code->space = space_of(pointer, LLVMGetAlignment(self->instruction));
        if (p > 0) /* the first part is as aligned as all */
            code->space &= 15;
        bytes += slot.size;
        if (slot.size < self->decoder->least_access)
            self->decoder->least_access = slot.size;
    }
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_FREE); /* counted where it runs */
    return true;
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

static bool decode_atomic(work *self)
{
    opevo_i_simt_value in[2];
    opevo_i_simt_slot slot;
    opevo_i_simt_code *code;
    opevo_i_simt_update update;

    if (!operands(self, 2, in) || !result(self) || self->result.count != 1 ||
        !update_of(LLVMGetAtomicRMWBinOp(self->instruction), &update))
        return false;
    slot = part(self, &self->result, 0);
    if (slot.size < 4)
        return false; /* GPUs update words */
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_ATOMIC);
    code->to = slot.at;
    code->size = slot.size;
    code->a = part(self, &in[0], 0).at;
    code->b = part(self, &in[1], 0).at;
    code->number = update;
    code->space = space_of(LLVMGetOperand(self->instruction, 0), slot.size);
    if (slot.size < self->decoder->least_access)
        self->decoder->least_access = slot.size;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_FREE);
    return true;
}

static bool decode_exchange(work *self)
{
    opevo_i_simt_value in[3];
    opevo_i_simt_slot slot;
    opevo_i_simt_code *code;

    if (!operands(self, 3, in) || !result(self) || self->result.count != 2)
        return false;
    slot = part(self, &self->result, 0);
    if (slot.size < 4)
        return false;
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_EXCHANGE);
    code->to = slot.at;
    code->size = slot.size;
    code->a = part(self, &in[0], 0).at;
    code->b = part(self, &in[1], 0).at;
    code->c = part(self, &in[2], 0).at;
    code->number = part(self, &self->result, 1).at;
    code->space = space_of(LLVMGetOperand(self->instruction, 0), slot.size);
    if (slot.size < self->decoder->least_access)
        self->decoder->least_access = slot.size;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_FREE);
    return true;
}

/* Of a fixed size; each has a region of its own in each inlined copy. */
static bool decode_alloca(work *self)
{
    LLVMTypeRef type = LLVMGetAllocatedType(self->instruction);
    LLVMValueRef count = LLVMGetOperand(self->instruction, 0);
    opevo_i_simt_region *region;
    opevo_i_simt_code *code;
    size_t length;
    uint64_t bytes;

    if (!LLVMIsAConstantInt(count) || !LLVMTypeIsSized(type) || !result(self))
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
    code->to = part(self, &self->result, 0).at;
    code->size = 8;
    code->number = region - self->decoder->simt->regions;
    return true;
}

/* ---- Calls ---- */

static bool decode_operation(work *self, const opevo_i_simt_intrinsic *found)
{
    opevo_i_simt_value in[3];

    if ((unsigned)LLVMGetNumArgOperands(self->instruction) < found->operands ||
        !operands(self, found->operands, in) || !result(self))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot to = part(self, &self->result, p);
        opevo_i_simt_code *code;

        if (to.size < found->least || to.size == 0 || part(self, &in[0], p).size != to.size)
            return false;
        code = emit(self, OPEVO_I_SIMT_OPERATE,
                    found->number + log_2(to.size) - log_2((uint8_t)found->least), to);
        code->a = part(self, &in[0], p).at;
        code->b = found->operands > 1 ? part(self, &in[1], p).at : code->b;
        code->c = found->operands > 2 ? part(self, &in[2], p).at : code->c;
        opevo_i_simt_charge(self->decoder, to.size == 8 ? found->cost_64 : found->cost_32);
    }
    return true;
}

static bool decode_special(work *self, uint32_t which)
{
    opevo_i_simt_slot slot = {opevo_i_simt_special_register(which), 4};

    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_INTEGER);
    return gather(self, &slot, 1);
}

static bool decode_warp_size(work *self)
{
    opevo_i_simt_slot slot = {
        opevo_i_simt_constant_register(self->decoder, 4, OPEVO_I_SIMT_LANES, false), 4};

    return gather(self, &slot, 1);
}

/* Only barrier 0 of all threads. */
static bool decode_barrier(work *self)
{
    LLVMValueRef which = LLVMGetOperand(self->instruction, 0);

    if (LLVMGetNumArgOperands(self->instruction) > 0 &&
        (!LLVMIsAConstantInt(which) || LLVMConstIntGetZExtValue(which) != 0))
        return false;
    (void)opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_BARRIER);
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_BARRIER);
    return true;
}

static bool decode_warp_barrier(work *self)
{
    opevo_i_simt_value mask;

    if (!operand(self, 0, &mask))
        return false;
    opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_WARP_BARRIER)->a = part(self, &mask, 0).at;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_WARP_BARRIER);
    return true;
}

static bool decode_shuffle(work *self, uint32_t which)
{
    opevo_i_simt_value in[4]; /* mask, value, lane, clamp */
    opevo_i_simt_code *code;

    if (!operands(self, 4, in) || !result(self))
        return false;
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_SHUFFLE);
    code->to = part(self, &self->result, 0).at;
    code->size = 4;
    code->a = part(self, &in[1], 0).at;
    code->b = part(self, &in[2], 0).at;
    code->c = part(self, &in[3], 0).at;
    code->number = which;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_SHUFFLE);
    return true;
}

static bool decode_vote(work *self, uint32_t which)
{
    opevo_i_simt_value in[2]; /* mask, predicate */
    opevo_i_simt_code *code;

    if (!result(self) || (which != OPEVO_I_SIMT_VOTE_ACTIVE && !operands(self, 2, in)))
        return false;
    code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_VOTE);
    code->to = part(self, &self->result, 0).at;
    code->size = part(self, &self->result, 0).size;
    code->a = which == OPEVO_I_SIMT_VOTE_ACTIVE ? code->a : part(self, &in[1], 0).at;
    code->number = which;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_VOTE);
    return true;
}

/* A function with a body: its parameters are the registers of the arguments. */
static bool decode_inlined(work *self, LLVMValueRef function)
{
    bool is_void = LLVMGetTypeKind(LLVMTypeOf(self->instruction)) == LLVMVoidTypeKind;
    opevo_i_simt_frame frame = {.function = function, .depth = self->frame->depth + 1};
    unsigned count = LLVMCountParams(function);
    bool ok = frame.depth < OPEVO_I_SIMT_CALL_DEPTH && (is_void || result(self)) &&
              count == LLVMGetNumArgOperands(self->instruction);

    for (unsigned i = 0; ok && i < count; i++) {
        opevo_i_simt_value in;
        opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];

        ok = operand(self, i, &in);
        for (uint32_t p = 0; ok && p < in.count; p++)
            slots[p] = part(self, &in, p);
        ok = ok &&
             opevo_i_simt_alias(self->decoder, &frame, LLVMGetParam(function, i), slots, in.count);
    }
    frame.result = &self->result;
    if (ok) {
        opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_BRANCH);
        opevo_i_simt_inline(self->decoder, &frame);
    }
    opevo_i_simt_map_free(&frame.values);
    return ok;
}

static bool decode_call(work *self, const char **what)
{
    LLVMValueRef function = LLVMGetCalledValue(self->instruction);
    opevo_i_simt_intrinsic found;
    size_t length;

    if (!LLVMIsAFunction(function)) {
        *what = LLVMIsAInlineAsm(function) ? "inline assembly" : "an indirect call";
        return false;
    }
    if (!LLVMIsDeclaration(function))
        return decode_inlined(self, function);
    *what = LLVMGetValueName2(function, &length);
    found = opevo_i_simt_intrinsic_find(*what);
    switch (found.callee) {
    case OPEVO_I_SIMT_CALL_NOTHING:
        if (found.cost_32 != OPEVO_I_SIMT_COST_FREE)
            opevo_i_simt_charge(self->decoder, found.cost_32);
        return true;
    case OPEVO_I_SIMT_CALL_SAME:
        return decode_same(self, 0);
    case OPEVO_I_SIMT_CALL_OPERATION:
        return decode_operation(self, &found);
    case OPEVO_I_SIMT_CALL_SPECIAL:
        return decode_special(self, found.number);
    case OPEVO_I_SIMT_CALL_WARP_SIZE:
        return decode_warp_size(self);
    case OPEVO_I_SIMT_CALL_BARRIER:
        return decode_barrier(self);
    case OPEVO_I_SIMT_CALL_WARP_BARRIER:
        return decode_warp_barrier(self);
    case OPEVO_I_SIMT_CALL_SHUFFLE:
        return decode_shuffle(self, found.number);
    case OPEVO_I_SIMT_CALL_VOTE:
        return decode_vote(self, found.number);
    case OPEVO_I_SIMT_CALL_UNKNOWN:
        break;
    }
    return false;
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

static bool decode(work *self, const char **what)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(self->instruction);

    for (size_t i = 0; i < sizeof arithmetics / sizeof *arithmetics; i++)
        if (arithmetics[i].opcode == opcode)
            return decode_arithmetic(self, &arithmetics[i]);
    switch (opcode) {
    case LLVMICmp:
    case LLVMFCmp:
        return decode_compare(self, opcode == LLVMFCmp);
    case LLVMSelect:
        return decode_select(self);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI:
        return decode_conversion(self);
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        return decode_same(self, 0);
    case LLVMGetElementPtr:
        return decode_address(self);
    case LLVMLoad:
    case LLVMStore:
        return decode_access(self, opcode == LLVMStore);
    case LLVMAlloca:
        return decode_alloca(self);
    case LLVMAtomicRMW:
        return decode_atomic(self);
    case LLVMAtomicCmpXchg:
        return decode_exchange(self);
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
        return decode_call(self, what);
    default:
        return false;
    }
}

void opevo_i_simt_instruction(opevo_i_simt_decoder *self, opevo_i_simt_frame *frame,
                              LLVMValueRef instruction)
{
    work all = {.decoder = self, .frame = frame, .instruction = instruction};
    const char *what = opcode_name(LLVMGetInstructionOpcode(instruction));

    if (!decode(&all, &what) && self->status == OPEVO_OK)
        opevo_i_simt_emit_unsupported(self, what);
}
