/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What operations on floats are where floats are values of an arithmetic. */

#include "simt_decode_internal.h"

typedef struct row {
    uint32_t first, last; /* numbers of operations on floats */
    opevo_simt_value_number value;
    opevo_simt_make make;
} row;

#define MADE(name, value, make)                                                                    \
    {                                                                                              \
        OPEVO_I_SIMT_##name, OPEVO_I_SIMT_##name##_LAST, OPEVO_SIMT_VALUE_##value,                 \
            OPEVO_SIMT_##make                                                                      \
    }
#define ROW(name, value) MADE(name, value, PLAIN)

static const row rows[] = {
    ROW(FADD, ADD),
    ROW(FSUB, SUBTRACT),
    ROW(FMUL, MULTIPLY),
    ROW(FDIV, DIVIDE),
    ROW(MINNUM, MIN),
    ROW(MAXNUM, MAX),
    MADE(MINIMUM, MIN, PROPAGATES),
    MADE(MAXIMUM, MAX, PROPAGATES),
    ROW(SQRT, SQRT),
    ROW(RECIPROCAL, RECIPROCAL),
    ROW(FLOOR, FLOOR),
    ROW(CEIL, CEIL),
    ROW(TRUNC, TRUNC),
    ROW(RINT, ROUND_EVEN),
    ROW(ROUND, ROUND),
    ROW(FNEG, NEGATE),
    ROW(FABS, ABS),
    ROW(COPYSIGN, COPYSIGN),
    ROW(RSQRT, RSQRT),
    ROW(ROUNDEVEN, ROUND_EVEN),
    ROW(ERF, ERF),
    ROW(EXP, EXP),
    ROW(EXP2, EXP2),
    ROW(LOG, LOG),
    ROW(LOG2, LOG2),
    ROW(LOG10, LOG10),
    ROW(SIN, SIN),
    ROW(COS, COS),
    ROW(TAN, TAN),
    ROW(TANH, TANH),
    ROW(FREM, REMAINDER),
    ROW(POW, POWER),
    ROW(FMA, FMA),
};

static bool within(uint32_t number, uint32_t first, uint32_t last)
{
    return number >= first && number <= last;
}

/* Of integers, the bytes of the source; below 0 if it is signed. */
static int64_t whole_bytes(uint32_t number)
{
    bool is_signed = number <= OPEVO_I_SIMT_SITOFP_64_64;
    uint32_t first = is_signed ? OPEVO_I_SIMT_SITOFP_8_32 : OPEVO_I_SIMT_UITOFP_8_32;
    int64_t bytes = INT64_C(1) << (number - first) / 2;

    return is_signed ? -bytes : bytes;
}

/* What has no row is not known, and its result counts as data. */
static void code_of_result(const opevo_i_simt_decoder *self, opevo_i_simt_code *code,
                           uint32_t number)
{
    code->kind = OPEVO_I_SIMT_BITS_OF_VALUE;
    if (within(number, OPEVO_I_SIMT_MOVE, OPEVO_I_SIMT_MOVE_LAST)) {
        code->kind = OPEVO_I_SIMT_VALUE;
        code->number = OPEVO_SIMT_VALUE_COUNT;
    } else if (within(number, OPEVO_I_SIMT_SITOFP_8_32, OPEVO_I_SIMT_UITOFP_64_64)) {
        code->kind = OPEVO_I_SIMT_WHOLE;
        code->number = whole_bytes(number);
    } else if (within(number, OPEVO_I_SIMT_CHOOSE, OPEVO_I_SIMT_CHOOSE_LAST)) {
        code->kind = OPEVO_I_SIMT_PICK;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (within(number, rows[i].first, rows[i].last)) {
            code->kind = OPEVO_I_SIMT_VALUE;
            opevo_i_simt_set_value(self, code, rows[i].value, rows[i].make);
        }
}

void opevo_i_simt_set_value(const opevo_i_simt_decoder *self, opevo_i_simt_code *code,
                            opevo_simt_value_number value, opevo_simt_make make)
{
    bool apart = opevo_i_simt_tells_apart(self);

    code->number = value + (apart ? (int64_t)make * OPEVO_I_SIMT_MAKES : 0);
}

static bool is_exact(int64_t value)
{
    switch (value % OPEVO_I_SIMT_MAKES) {
    case OPEVO_SIMT_VALUE_MAX:
    case OPEVO_SIMT_VALUE_MIN:
    case OPEVO_SIMT_VALUE_NEGATE:
    case OPEVO_SIMT_VALUE_ABS:
    case OPEVO_SIMT_VALUE_COPYSIGN:
    case OPEVO_SIMT_VALUE_REMAINDER:
    case OPEVO_SIMT_VALUE_FLOOR:
    case OPEVO_SIMT_VALUE_CEIL:
    case OPEVO_SIMT_VALUE_TRUNC:
    case OPEVO_SIMT_VALUE_ROUND:
    case OPEVO_SIMT_VALUE_ROUND_EVEN:
    case OPEVO_SIMT_VALUE_COUNT: /* a move */
        return true;
    default:
        return false;
    }
}

void opevo_i_simt_value_rounding(const opevo_i_simt_decoder *self, opevo_i_simt_code *code,
                                 uint8_t bytes)
{
    const opevo_simt_arithmetic *arithmetic = self->simt->options.arithmetic;

    if (arithmetic && bytes <= arithmetic->rounded_bytes &&
        (code->kind == OPEVO_I_SIMT_WHOLE ||
         (code->kind == OPEVO_I_SIMT_VALUE && !is_exact(code->number))))
        code->rounded = bytes & 15u;
}

void opevo_i_simt_value_code(const opevo_i_simt_decoder *self, opevo_i_simt_code *code,
                             uint32_t number)
{
    if (!self->simt->options.arithmetic)
        return;
    if (code->size == OPEVO_I_SIMT_VALUE_SIZE)
        code_of_result(self, code, number);
    else if (within(number, OPEVO_I_SIMT_OEQ, OPEVO_I_SIMT_UNO_LAST) ||
             within(number, OPEVO_I_SIMT_FPTOSI_32_8, OPEVO_I_SIMT_FPTOUI_64_64))
        code->kind = OPEVO_I_SIMT_BITS_OF_VALUE;
}
