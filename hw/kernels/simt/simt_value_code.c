/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Floats as values of an arithmetic: selects by comparisons, and the functions whose bodies are not
 * looked into. A select reads what its comparison read: each of
 * these dominates the next, so that none was computed anew in between. */

#include <opevo/simt.h>

#include "simt_work_internal.h"

#include <ctype.h>
#include <stdlib.h>

bool opevo_i_simt_work_value_bits(opevo_i_simt_work *self, unsigned index)
{
    opevo_i_simt_value in;

    if (!self->decoder->simt->options.arithmetic || !work_operand(self, index, &in) ||
        work_part(self, &in, 0).size != OPEVO_I_SIMT_VALUE_SIZE ||
        opevo_i_simt_float_size(opevo_i_simt_part_type(LLVMTypeOf(self->instruction), 0)) ||
        !work_result(self))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_code *code = work_emit(self, OPEVO_I_SIMT_BITS_OF_VALUE, OPEVO_I_SIMT_BIT_MOVE,
                                            work_part(self, &self->result, p));

        code->a = work_part(self, &in, 0).at;
    }
    return true;
}

/* ---- Selects ---- */

typedef struct choice {
    opevo_i_simt_work *work;
    uint32_t part;
    opevo_i_simt_slot to, yes, no;
} choice;

static bool choose(const choice *self, LLVMValueRef condition);

/* True where one side is a NaN: not (y <= x) for x < y. */
static bool is_order_of_nan(LLVMRealPredicate predicate)
{
    return predicate == LLVMRealULT || predicate == LLVMRealULE || predicate == LLVMRealUGT ||
           predicate == LLVMRealUGE;
}

static opevo_simt_relation other_relation(opevo_simt_relation relation)
{
    return relation == OPEVO_SIMT_LESS         ? OPEVO_SIMT_LESS_EQUAL
           : relation == OPEVO_SIMT_LESS_EQUAL ? OPEVO_SIMT_LESS
                                               : relation;
}

static bool choose_by_comparison(const choice *self, LLVMValueRef condition)
{
    static const struct {
        LLVMRealPredicate predicate;
        opevo_simt_relation relation;
        bool swapped, negated;
    } table[] = {{LLVMRealOEQ, OPEVO_SIMT_EQUAL, false, false},
                 {LLVMRealUEQ, OPEVO_SIMT_EQUAL, false, false},
                 {LLVMRealONE, OPEVO_SIMT_EQUAL, false, true},
                 {LLVMRealUNE, OPEVO_SIMT_EQUAL, false, true},
                 {LLVMRealOLT, OPEVO_SIMT_LESS, false, false},
                 {LLVMRealULT, OPEVO_SIMT_LESS, false, false},
                 {LLVMRealOLE, OPEVO_SIMT_LESS_EQUAL, false, false},
                 {LLVMRealULE, OPEVO_SIMT_LESS_EQUAL, false, false},
                 {LLVMRealOGT, OPEVO_SIMT_LESS, true, false},
                 {LLVMRealUGT, OPEVO_SIMT_LESS, true, false},
                 {LLVMRealOGE, OPEVO_SIMT_LESS_EQUAL, true, false},
                 {LLVMRealUGE, OPEVO_SIMT_LESS_EQUAL, true, false}};
    opevo_i_simt_decoder *decoder = self->work->decoder;
    LLVMRealPredicate predicate = LLVMGetFCmpPredicate(condition);
    bool apart = opevo_i_simt_tells_apart(decoder);
    bool turned = apart && is_order_of_nan(predicate);
    opevo_i_simt_slot side[2];

    if (apart && (predicate == LLVMRealUEQ || predicate == LLVMRealONE ||
                  predicate == LLVMRealORD || predicate == LLVMRealUNO))
        return false;
    if (predicate == LLVMRealORD || predicate == LLVMRealUNO) { /* there are no NaNs */
        opevo_i_simt_move(decoder, self->to, predicate == LLVMRealORD ? self->yes : self->no);
        return true;
    }
    for (unsigned i = 0; i < 2; i++) {
        const opevo_i_simt_value *found =
            opevo_i_simt_value_of(decoder, self->work->frame, LLVMGetOperand(condition, i));

        if (!found)
            return false;
        side[i] = work_part(self->work, found, found->count > 1 ? self->part : 0);
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        opevo_simt_relation relation;
        opevo_i_simt_code *code;

        relation = turned ? other_relation(table[i].relation) : table[i].relation;
        if (table[i].predicate != predicate)
            continue;
        code = opevo_i_simt_emit(decoder, OPEVO_I_SIMT_CHOOSE_VALUE);
        code->to = self->to.at;
        code->size = self->to.size;
        code->a = side[table[i].swapped != turned].at;
        code->b = side[table[i].swapped == turned].at;
        code->c = (table[i].negated != turned ? self->no : self->yes).at;
        code->number = (table[i].negated != turned ? self->yes : self->no).at;
        code->space = (uint8_t)relation;
        return true;
    }
    return false;
}

static bool choose_by_bit(const choice *self, LLVMValueRef condition)
{
    const opevo_i_simt_value *found =
        opevo_i_simt_value_of(self->work->decoder, self->work->frame, condition);
    opevo_i_simt_code *code;
    uint32_t at;

    if (!found)
        return false;
    at = work_part(self->work, found, found->count > 1 ? self->part : 0).at;
    code = work_emit(self->work, OPEVO_I_SIMT_SELECT, OPEVO_I_SIMT_CHOOSE, self->to);
    code->a = at;
    code->b = self->yes.at;
    code->c = self->no.at;
    return true;
}

static bool is_all_ones(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    return LLVMIsConstant(value) && value == LLVMConstAllOnes(type);
}

/* a and b: a ? (b ? yes : no) : no; a or b: a ? yes : (b ? yes : no). */
static bool choose_by_both(const choice *self, LLVMValueRef a, LLVMValueRef b, bool is_and)
{
    choice inner = *self, outer = *self;

    inner.to.at = opevo_i_simt_register(self->work->decoder, self->to.size);
    *(is_and ? &outer.yes : &outer.no) = inner.to;
    return choose(&inner, b) && choose(&outer, a);
}

static bool choose(const choice *self, LLVMValueRef condition)
{
    choice turned = *self;

    if (LLVMIsAFCmpInst(condition))
        return choose_by_comparison(self, condition);
    if (!LLVMIsAInstruction(condition))
        return choose_by_bit(self, condition);
    switch (LLVMGetInstructionOpcode(condition)) {
    case LLVMXor:
        if (!is_all_ones(LLVMGetOperand(condition, 1)))
            return choose_by_bit(self, condition);
        turned.yes = self->no;
        turned.no = self->yes;
        return choose(&turned, LLVMGetOperand(condition, 0));
    case LLVMAnd:
    case LLVMOr:
        return choose_by_both(self, LLVMGetOperand(condition, 0), LLVMGetOperand(condition, 1),
                              LLVMGetInstructionOpcode(condition) == LLVMAnd);
    case LLVMSelect:
        if (is_all_ones(LLVMGetOperand(condition, 1)))
            return choose_by_both(self, LLVMGetOperand(condition, 0), LLVMGetOperand(condition, 2),
                                  false);
        if (LLVMIsNull(LLVMGetOperand(condition, 2)))
            return choose_by_both(self, LLVMGetOperand(condition, 0), LLVMGetOperand(condition, 1),
                                  true);
        return choose_by_bit(self, condition);
    default:
        return choose_by_bit(self, condition);
    }
}

static bool choose_parts(opevo_i_simt_work *self, LLVMValueRef condition, unsigned yes)
{
    opevo_i_simt_value in[2];

    if (!work_operand(self, yes, &in[0]) || !work_operand(self, yes + 1, &in[1]) ||
        !work_result(self))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        const choice one = {.work = self,
                            .part = p,
                            .to = work_part(self, &self->result, p),
                            .yes = work_part(self, &in[0], p),
                            .no = work_part(self, &in[1], p)};

        if (!choose(&one, condition))
            return false;
        opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_SELECT);
    }
    return true;
}

bool opevo_i_simt_work_choose(opevo_i_simt_work *self)
{
    LLVMTypeRef type = opevo_i_simt_part_type(LLVMTypeOf(self->instruction), 0);

    return self->decoder->simt->options.arithmetic && opevo_i_simt_float_size(type) != 0 &&
           choose_parts(self, LLVMGetOperand(self->instruction, 0), 1);
}

/* ---- Functions of opevo's kernels ---- */

static const struct {
    const char *name;
    unsigned operands;
    opevo_simt_value_number value;
} own_functions[] = {{"erf", 1, OPEVO_SIMT_VALUE_ERF},         {"exp", 1, OPEVO_SIMT_VALUE_EXP},
                     {"log", 1, OPEVO_SIMT_VALUE_LOG},         {"max", 2, OPEVO_SIMT_VALUE_MAX},
                     {"maximum", 2, OPEVO_SIMT_VALUE_MAX},     {"min", 2, OPEVO_SIMT_VALUE_MIN},
                     {"minimum", 2, OPEVO_SIMT_VALUE_MIN},     {"select", 3, 0},
                     {"sigmoid", 1, OPEVO_SIMT_VALUE_SIGMOID}, {"sqrt", 1, OPEVO_SIMT_VALUE_SQRT},
                     {"tanh", 1, OPEVO_SIMT_VALUE_TANH}};

/* The row of opevo_NAME and opevo_NAMEw; -1: none. */
static int own_row(const char *name)
{
    static const char head[] = "opevo_";
    char stem[16];
    size_t length = 0;

    if (strncmp(name, head, sizeof head - 1) != 0)
        return -1;
    name += sizeof head - 1;
    while (isalpha((unsigned char)name[length]))
        length++;
    if (length >= sizeof stem || name[length + strspn(name + length, "0123456789")])
        return -1;
    memcpy(stem, name, length);
    stem[length] = '\0';
    for (size_t i = 0; i < sizeof own_functions / sizeof *own_functions; i++)
        if (strcmp(own_functions[i].name, stem) == 0)
            return (int)i;
    return -1;
}

bool opevo_simt_knows_function(const char *name)
{
    return own_row(name) >= 0;
}

/* opevo_select: lanes of all bits or none, mostly those of a comparison. */
static bool select_call(opevo_i_simt_work *self)
{
    LLVMValueRef lanes = LLVMGetOperand(self->instruction, 0);
    opevo_i_simt_value in[3];

    if (LLVMIsAInstruction(lanes) && LLVMGetInstructionOpcode(lanes) == LLVMSExt)
        return choose_parts(self, LLVMGetOperand(lanes, 0), 1);
    if (!work_operands(self, 3, in) || !work_result(self))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_slot mask = work_part(self, &in[0], p);
        opevo_i_simt_slot bit = {opevo_i_simt_register(self->decoder, 0), 0};
        opevo_i_simt_code *code;

        work_emit(self, OPEVO_I_SIMT_OPERATE, OPEVO_I_SIMT_NARROW + work_log_2(mask.size), bit)->a =
            mask.at;
        code = work_emit(self, OPEVO_I_SIMT_SELECT, OPEVO_I_SIMT_CHOOSE,
                         work_part(self, &self->result, p));
        code->a = bit.at;
        code->b = work_part(self, &in[1], p).at;
        code->c = work_part(self, &in[2], p).at;
    }
    return true;
}

/* The result of a call has as many parts as its operand, also where both are passed as a double. */
static bool passed_result(opevo_i_simt_work *self, uint32_t count)
{
    opevo_i_simt_slot slots[OPEVO_I_SIMT_PARTS];

    if (LLVMGetTypeKind(LLVMTypeOf(self->instruction)) == LLVMVectorTypeKind || count == 1 ||
        self->decoder->pairs)
        return work_result(self) && self->result.count == count;
    for (uint32_t p = 0; p < count; p++)
        slots[p] = (opevo_i_simt_slot){
            opevo_i_simt_register(self->decoder, OPEVO_I_SIMT_VALUE_SIZE), OPEVO_I_SIMT_VALUE_SIZE};
    return opevo_i_simt_alias(self->decoder, self->frame, self->instruction, slots, count) &&
           work_result(self);
}

bool opevo_i_simt_work_own_call(opevo_i_simt_work *self, const char *name)
{
    LLVMTypeRef type = opevo_i_simt_part_type(LLVMTypeOf(self->instruction), 0);
    const opevo_simt_options *options = &self->decoder->simt->options;
    int found = options->arithmetic && options->own_functions ? own_row(name) : -1;
    opevo_i_simt_value in[3];
    unsigned operands;

    if (found < 0 || !opevo_i_simt_float_size(type))
        return false;
    operands = own_functions[found].operands;
    if (operands == 3)
        return select_call(self);
    if ((unsigned)LLVMGetNumArgOperands(self->instruction) != operands ||
        !work_passed(self, 0, &in[0]) || (operands > 1 && !work_passed(self, 1, &in[1])) ||
        !passed_result(self, in[0].count))
        return false;
    for (uint32_t p = 0; p < self->result.count; p++) {
        opevo_i_simt_code *code = opevo_i_simt_emit(self->decoder, OPEVO_I_SIMT_VALUE);
        opevo_i_simt_slot to = work_part(self, &self->result, p);

        code->to = to.at;
        code->size = to.size;
        opevo_i_simt_set_value(self->decoder, code, own_functions[found].value,
                               strcmp(own_functions[found].name, "maximum") == 0 ||
                                       strcmp(own_functions[found].name, "minimum") == 0
                                   ? OPEVO_SIMT_OWN_PROPAGATES
                                   : OPEVO_SIMT_OWN);
        opevo_i_simt_value_rounding(self->decoder, code, sizeof(float));
        code->a = work_part(self, &in[0], p).at;
        code->b = operands > 1 ? work_part(self, &in[1], p).at : code->b;
        opevo_i_simt_charge(self->decoder, OPEVO_I_SIMT_COST_FUNCTION_32);
    }
    return true;
}
