/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Arithmetic, comparisons and select to code. */

#include "simt_work_internal.h"

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

static bool decode_bits(opevo_i_simt_work *self, opevo_i_simt_slot to, opevo_i_simt_slot a,
                        opevo_i_simt_slot b)
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
    code = work_emit(self, kind, number, to);
    code->a = a.at;
    code->b = b.at;
    opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_INTEGER);
    return true;
}

static bool decode_arithmetic(opevo_i_simt_work *self, const arithmetic *row)
{
    opevo_i_simt_value in[2];
    unsigned count = row->opcode == LLVMFNeg ? 1 : 2;

    if (!work_operands(self, count, in) || !work_result(self))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot to = work_part(self, &self->result, p), a = work_part(self, &in[0], p);
        opevo_i_simt_slot b = work_part(self, &in[count - 1], p), made;
        bool flush = row->is_float && to.size && to.size <= 4 && work_flushes(self) &&
                     (to.size == 4 || row->opcode != LLVMFDiv);
        opevo_i_simt_code *code;

        if (to.size == 0) {
            if (!decode_bits(self, to, a, b))
                return false;
            continue;
        }
        if (to.size < row->least)
            return false;
        a = work_flushed(self, a, flush);
        b = work_flushed(self, b, flush && count == 2);
        made = work_unflushed(self, to, flush);
        code = work_emit(self, row->kind,
                         row->number + work_log_2(to.size) - work_log_2(row->least), made);
        code->a = a.at;
        code->b = count == 2 ? b.at : code->b;
        if (row->kind == OPEVO_I_SIMT_DIVIDE)
            code->number = row->opcode == LLVMSDiv || row->opcode == LLVMSRem; /* signed */
        work_flush_into(self, to, made, flush);
        opevo_i_simt_charge(self->decoder, cost_of(row, to.size));
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

static bool decode_compare(opevo_i_simt_work *self, bool is_float)
{
    opevo_i_simt_value in[2];
    comparison chosen = {0};

    if (!work_operands(self, 2, in) || !work_result(self) ||
        (is_float && !float_comparison(LLVMGetFCmpPredicate(self->instruction), &chosen)))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot a = work_part(self, &in[0], p), b = work_part(self, &in[1], p);
        LLVMIntPredicate predicate = is_float ? 0 : LLVMGetICmpPredicate(self->instruction);
        uint32_t width = a.size ? work_log_2(a.size) - is_float : 0;
        bool flush = is_float && a.size <= 4 && work_flushes(self);
        opevo_i_simt_code *code;

        if (!is_float)
            chosen = a.size ? integer_comparison(predicate) : bit_comparison(predicate);
        a = work_flushed(self, a, flush);
        b = work_flushed(self, b, flush);
        code = work_emit(self, OPEVO_I_SIMT_OPERATE, chosen.number + width,
                         work_part(self, &self->result, p));
        code->a = chosen.swapped ? b.at : a.at;
        code->b = chosen.swapped ? a.at : b.at;
        opevo_i_simt_charge(self->decoder, a.size == 8 && is_float ? OPEVO_I_SIMT_COST_FLOAT_64
                                           : a.size == 8           ? OPEVO_I_SIMT_COST_INTEGER_64
                                                                   : OPEVO_I_SIMT_COST_INTEGER);
    }
    return true;
}

static bool decode_select(opevo_i_simt_work *self)
{
    opevo_i_simt_value in[3];

    if (opevo_i_simt_work_choose(self))
        return true;
    if (!work_operands(self, 3, in) || !work_result(self))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot to = work_part(self, &self->result, p);
        uint32_t number =
            to.size ? OPEVO_I_SIMT_CHOOSE + work_log_2(to.size) : (uint32_t)OPEVO_I_SIMT_BIT_CHOOSE;
        opevo_i_simt_code *code = work_emit(self, OPEVO_I_SIMT_SELECT, number, to);

        code->a = work_part(self, &in[0], in[0].count > 1 ? p : 0).at;
        code->b = work_part(self, &in[1], p).at;
        code->c = work_part(self, &in[2], p).at;
        opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_SELECT);
    }
    return true;
}

bool opevo_i_simt_work_arithmetic(opevo_i_simt_work *self)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(self->instruction);

    for (size_t i = 0; i < sizeof arithmetics / sizeof *arithmetics; i++)
        if (arithmetics[i].opcode == opcode)
            return decode_arithmetic(self, &arithmetics[i]);
    return opcode == LLVMSelect ? decode_select(self) : decode_compare(self, opcode == LLVMFCmp);
}
