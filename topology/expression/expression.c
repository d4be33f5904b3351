/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Evaluation of compiled expressions. Integers are 64 bits wide and an overflow is a fault, never a
 * wrap; a real result that is not finite is a fault too, so that no infinity or NaN ever reaches a
 * comparison. Truth values count as the integers 0 and 1. */

#include "expression_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

void opevo_i_topology_expression_release(opevo_i_topology_expression *expression)
{
    opevo_free(expression->code);
    opevo_free(expression->constants);
    opevo_free(expression->texts);
    opevo_free(expression->parameters);
    *expression = (opevo_i_topology_expression){0};
}

const char *opevo_i_topology_fault_text(opevo_i_topology_fault fault)
{
    static const char *const texts[OPEVO_I_FAULT_COUNT] = {
        "has a value",
        "divides by zero",
        "gives a number that is too large",
        "shifts by less than 0 or more than 63 bits",
        "uses a string as a number",
        "uses a real number where an integer is needed",
        "uses an inactive parameter",
    };

    return texts[fault];
}

static bool is_integer(const opevo_value *value)
{
    return value->kind == OPEVO_VALUE_INTEGER || value->kind == OPEVO_VALUE_BOOLEAN;
}

static int64_t as_integer(const opevo_value *value)
{
    return value->kind == OPEVO_VALUE_BOOLEAN ? value->as.boolean : value->as.integer;
}

static double as_real(const opevo_value *value)
{
    return value->kind == OPEVO_VALUE_REAL ? value->as.real : (double)as_integer(value);
}

static void set_integer(opevo_value *value, int64_t integer)
{
    value->kind = OPEVO_VALUE_INTEGER;
    value->as.integer = integer;
}

static opevo_i_topology_fault set_real(opevo_value *value, double real)
{
    value->kind = OPEVO_VALUE_REAL;
    value->as.real = real;
    return isfinite(real) ? OPEVO_I_FAULT_NONE : OPEVO_I_FAULT_OVERFLOW;
}

opevo_i_topology_fault opevo_i_topology_truth(const opevo_value *value, bool *out)
{
    if (value->kind == OPEVO_VALUE_TEXT)
        return OPEVO_I_FAULT_TEXT;
    *out = value->kind == OPEVO_VALUE_REAL ? value->as.real != 0 : as_integer(value) != 0;
    return OPEVO_I_FAULT_NONE;
}

/* By squaring; the square that is not used any more must not be computed, as it may overflow. */
static opevo_i_topology_fault integer_power(int64_t base, int64_t exponent, int64_t *out)
{
    int64_t result = 1;

    for (;;) {
        if (exponent & 1 && __builtin_mul_overflow(result, base, &result))
            return OPEVO_I_FAULT_OVERFLOW;
        exponent >>= 1;
        if (exponent == 0)
            break;
        if (__builtin_mul_overflow(base, base, &base))
            return OPEVO_I_FAULT_OVERFLOW;
    }
    *out = result;
    return OPEVO_I_FAULT_NONE;
}

/* Both divisions of C and both of Python; b is not 0. */
static opevo_i_topology_fault divide_integers(unsigned opcode, int64_t a, int64_t b, int64_t *out)
{
    if (b == -1) { /* INT64_MIN / -1 traps, and INT64_MIN % -1 with it */
        if (opcode == OPEVO_I_OP_REMAINDER || opcode == OPEVO_I_OP_FLOOR_MOD) {
            *out = 0;
            return OPEVO_I_FAULT_NONE;
        }
        return __builtin_sub_overflow(0, a, out) ? OPEVO_I_FAULT_OVERFLOW : OPEVO_I_FAULT_NONE;
    }
    switch (opcode) {
    case OPEVO_I_OP_DIVIDE:
        *out = a / b;
        break;
    case OPEVO_I_OP_REMAINDER:
        *out = a % b;
        break;
    case OPEVO_I_OP_FLOOR:
        *out = a / b - (a % b != 0 && (a < 0) != (b < 0));
        break;
    default: /* OPEVO_I_OP_FLOOR_MOD */
        *out = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    }
    return OPEVO_I_FAULT_NONE;
}

static opevo_i_topology_fault shift(unsigned opcode, int64_t a, int64_t b, int64_t *out)
{
    if (b < 0 || b > 63)
        return OPEVO_I_FAULT_SHIFT;
    if (opcode == OPEVO_I_OP_SHIFT_RIGHT) {
        *out = a >> b; /* arithmetic in gcc and clang */
        return OPEVO_I_FAULT_NONE;
    }
    if (a > INT64_MAX >> b || a < INT64_MIN >> b)
        return OPEVO_I_FAULT_OVERFLOW;
    *out = (int64_t)((uint64_t)a << b);
    return OPEVO_I_FAULT_NONE;
}

/* *a = *a opcode b for operands that are integers. */
static opevo_i_topology_fault integer_binary(unsigned opcode, opevo_value *a, int64_t y)
{
    int64_t x = as_integer(a), z = 0;
    opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;
    bool overflow = false;

    switch (opcode) {
    case OPEVO_I_OP_ADD:
        overflow = __builtin_add_overflow(x, y, &z);
        break;
    case OPEVO_I_OP_SUBTRACT:
        overflow = __builtin_sub_overflow(x, y, &z);
        break;
    case OPEVO_I_OP_MULTIPLY:
        overflow = __builtin_mul_overflow(x, y, &z);
        break;
    case OPEVO_I_OP_QUOTIENT:
        return y == 0 ? OPEVO_I_FAULT_ZERO : set_real(a, (double)x / (double)y);
    case OPEVO_I_OP_POWER:
        if (y < 0)
            return x == 0 ? OPEVO_I_FAULT_ZERO : set_real(a, pow((double)x, (double)y));
        fault = integer_power(x, y, &z);
        break;
    case OPEVO_I_OP_SHIFT_LEFT:
    case OPEVO_I_OP_SHIFT_RIGHT:
        fault = shift(opcode, x, y, &z);
        break;
    case OPEVO_I_OP_BIT_AND:
        z = x & y;
        break;
    case OPEVO_I_OP_BIT_XOR:
        z = x ^ y;
        break;
    case OPEVO_I_OP_BIT_OR:
        z = x | y;
        break;
    case OPEVO_I_OP_MINIMUM:
        z = x < y ? x : y;
        break;
    case OPEVO_I_OP_MAXIMUM:
        z = x > y ? x : y;
        break;
    default: /* the four divisions */
        fault = y == 0 ? OPEVO_I_FAULT_ZERO : divide_integers(opcode, x, y, &z);
    }
    set_integer(a, z);
    return overflow ? OPEVO_I_FAULT_OVERFLOW : fault;
}

/* *a = *a opcode b where at least one is real. */
static opevo_i_topology_fault real_binary(unsigned opcode, opevo_value *a, const opevo_value *b)
{
    double x = as_real(a), y = as_real(b), rest = 0;

    switch (opcode) {
    case OPEVO_I_OP_ADD:
        return set_real(a, x + y);
    case OPEVO_I_OP_SUBTRACT:
        return set_real(a, x - y);
    case OPEVO_I_OP_MULTIPLY:
        return set_real(a, x * y);
    case OPEVO_I_OP_DIVIDE:
    case OPEVO_I_OP_QUOTIENT:
        return y == 0 ? OPEVO_I_FAULT_ZERO : set_real(a, x / y);
    case OPEVO_I_OP_FLOOR:
    case OPEVO_I_OP_FLOOR_MOD:
        if (y == 0)
            return OPEVO_I_FAULT_ZERO;
        rest = fmod(x, y);
        if (rest != 0 && (rest < 0) != (y < 0))
            rest += y;
        /* The difference is a multiple of y up to rounding, so the quotient is almost whole. */
        return set_real(a, opcode == OPEVO_I_OP_FLOOR ? round((x - rest) / y) : rest);
    case OPEVO_I_OP_POWER:
        if (x == 0 && y < 0)
            return OPEVO_I_FAULT_ZERO;
        return set_real(a, pow(x, y));
    case OPEVO_I_OP_MINIMUM:
        if (y < x)
            *a = *b;
        return OPEVO_I_FAULT_NONE;
    case OPEVO_I_OP_MAXIMUM:
        if (y > x)
            *a = *b;
        return OPEVO_I_FAULT_NONE;
    default: /* remainder of C, shifts and bits */
        return OPEVO_I_FAULT_REAL;
    }
}

static bool ordered(unsigned opcode, int order)
{
    switch (opcode) {
    case OPEVO_I_OP_EQUAL:
        return order == 0;
    case OPEVO_I_OP_UNEQUAL:
        return order != 0;
    case OPEVO_I_OP_LESS:
        return order < 0;
    case OPEVO_I_OP_LESS_EQUAL:
        return order <= 0;
    case OPEVO_I_OP_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* A text equals only an equal text; it has no order. */
static opevo_i_topology_fault compare(unsigned opcode, const opevo_value *a, const opevo_value *b,
                                      bool *out)
{
    int order = 1;

    if (a->kind == OPEVO_VALUE_TEXT || b->kind == OPEVO_VALUE_TEXT) {
        if (opcode != OPEVO_I_OP_EQUAL && opcode != OPEVO_I_OP_UNEQUAL)
            return OPEVO_I_FAULT_TEXT;
        if (a->kind == b->kind)
            order = strcmp(a->as.text, b->as.text);
    } else if (is_integer(a) && is_integer(b)) {
        int64_t x = as_integer(a), y = as_integer(b);

        order = (x > y) - (x < y);
    } else {
        double x = as_real(a), y = as_real(b);

        order = (x > y) - (x < y);
    }
    *out = ordered(opcode, order);
    return OPEVO_I_FAULT_NONE;
}

opevo_i_topology_fault opevo_i_topology_apply_two(unsigned opcode, opevo_value *a,
                                                  const opevo_value *b)
{
    if (opcode >= OPEVO_I_OP_EQUAL) {
        bool holds = false;
        opevo_i_topology_fault fault = compare(opcode, a, b, &holds);

        set_integer(a, holds);
        return fault;
    }
    if (is_integer(a) && is_integer(b))
        return integer_binary(opcode, a, as_integer(b));
    if (a->kind == OPEVO_VALUE_TEXT || b->kind == OPEVO_VALUE_TEXT)
        return OPEVO_I_FAULT_TEXT;
    return real_binary(opcode, a, b);
}

opevo_i_topology_fault opevo_i_topology_apply_one(unsigned opcode, opevo_value *a)
{
    bool holds = false;
    int64_t x = 0;
    opevo_i_topology_fault fault = opevo_i_topology_truth(a, &holds);

    if (fault)
        return fault;
    if (opcode == OPEVO_I_OP_NOT || opcode == OPEVO_I_OP_TRUTH) {
        set_integer(a, holds == (opcode == OPEVO_I_OP_TRUTH));
        return OPEVO_I_FAULT_NONE;
    }
    if (!is_integer(a)) {
        if (opcode == OPEVO_I_OP_COMPLEMENT)
            return OPEVO_I_FAULT_REAL;
        if (opcode == OPEVO_I_OP_NEGATE || (opcode == OPEVO_I_OP_ABSOLUTE && a->as.real < 0))
            a->as.real = -a->as.real;
        return OPEVO_I_FAULT_NONE;
    }
    x = as_integer(a);
    if (opcode == OPEVO_I_OP_COMPLEMENT)
        x = ~x;
    else if (opcode == OPEVO_I_OP_NEGATE || (opcode == OPEVO_I_OP_ABSOLUTE && x < 0))
        fault = __builtin_sub_overflow(0, x, &x) ? OPEVO_I_FAULT_OVERFLOW : OPEVO_I_FAULT_NONE;
    set_integer(a, x);
    return fault;
}

/* Carry out a jump: set *taken, and leave in *top what the opcode says. */
static opevo_i_topology_fault branch(const opevo_i_topology_instruction *at, opevo_value **top,
                                     bool *taken)
{
    opevo_value *a = *top;
    opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;
    bool holds = false;

    switch (at->opcode) {
    case OPEVO_I_OP_JUMP_UNLESS:
        fault = opevo_i_topology_truth(a, &holds);
        *taken = !holds;
        *top = a - 1;
        break;
    case OPEVO_I_OP_AND:
    case OPEVO_I_OP_OR:
        fault = opevo_i_topology_truth(a, &holds);
        *taken = holds == (at->opcode == OPEVO_I_OP_OR);
        if (*taken)
            set_integer(a, holds);
        else
            *top = a - 1;
        break;
    case OPEVO_I_OP_CHAIN:
        fault = compare(at->row, a - 1, a, &holds);
        *taken = !holds;
        *top = a - 1;
        if (holds)
            a[-1] = *a;
        else
            set_integer(a - 1, 0);
        break;
    case OPEVO_I_OP_MEMBER:
        fault = compare(OPEVO_I_OP_EQUAL, a - 1, a, taken);
        *top = a - 1;
        if (*taken)
            set_integer(a - 1, 1);
        break;
    default: /* OPEVO_I_OP_JUMP */
        *taken = true;
    }
    return fault;
}

/* Where and with which stack a repeated evaluation came to use a row. */
struct opevo_i_topology_mark {
    size_t row;
    const opevo_i_topology_instruction *at;
    size_t depth;
    opevo_value stack[OPEVO_I_EXPRESSION_STACK];
};

/* Note the first use of a row beyond those that were used before. */
static void note(opevo_i_topology_trail *trail, const opevo_i_topology_instruction *at,
                 const opevo_value *stack, const opevo_value *top)
{
    opevo_i_topology_mark *mark = &trail->marks[trail->count];

    if (trail->count > 0 && at->row <= mark[-1].row)
        return;
    mark->row = at->row;
    mark->at = at;
    mark->depth = (size_t)(top - stack);
    memcpy(mark->stack, stack + 1, mark->depth * sizeof *stack);
    trail->count++;
}

/* Evaluate; with a trail (NULL: none) from its last mark on. */
static opevo_i_topology_fault run(const opevo_i_topology_expression *expression,
                                  const opevo_value *const *rows, opevo_i_topology_trail *trail,
                                  opevo_value *result, uint32_t *column)
{
    opevo_value stack[OPEVO_I_EXPRESSION_STACK + 2];
    opevo_value *top = stack + 1; /* the topmost value; the first two are never one */
    const opevo_i_topology_instruction *at = expression->code, *end = at + expression->length;
    opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;

    stack[0] = stack[1] = (opevo_value){0};
    if (trail && trail->count > 0) {
        const opevo_i_topology_mark *mark = &trail->marks[trail->count - 1];

        memcpy(stack + 1, mark->stack, mark->depth * sizeof *stack);
        top = stack + mark->depth;
        at = mark->at;
    }
    for (; at < end; at++) {
        bool taken = false;

        if (trail && (at->opcode == OPEVO_I_OP_LOAD || at->opcode == OPEVO_I_OP_ACTIVE))
            note(trail, at, stack, top);
        if (at->opcode == OPEVO_I_OP_LOAD) {
            if (rows[at->row])
                *++top = rows[at->row][at->argument];
            else
                fault = OPEVO_I_FAULT_INACTIVE;
        } else if (at->opcode == OPEVO_I_OP_CONSTANT) {
            *++top = expression->constants[at->argument];
        } else if (at->opcode >= OPEVO_I_OP_ADD && at->opcode < OPEVO_I_OP_JUMP) {
            fault = opevo_i_topology_apply_two_soon(at->opcode, top - 1, top);
            top--;
        } else if (at->opcode == OPEVO_I_OP_ACTIVE) {
            set_integer(++top, rows[at->row] != NULL);
        } else if (at->opcode < OPEVO_I_OP_ADD) {
            fault = opevo_i_topology_apply_one(at->opcode, top);
        } else if (at->opcode == OPEVO_I_OP_NONE) {
            set_integer(top, 0);
        } else {
            fault = branch(at, &top, &taken);
        }
        if (fault) {
            if (column)
                *column = at->column;
            return fault;
        }
        if (taken)
            at = expression->code + at->argument - 1;
    }
    *result = *top;
    return OPEVO_I_FAULT_NONE;
}

opevo_i_topology_fault
opevo_i_topology_expression_evaluate(const opevo_i_topology_expression *expression,
                                     const opevo_value *const *rows, opevo_value *result,
                                     uint32_t *column)
{
    return run(expression, rows, NULL, result, column);
}

bool opevo_i_topology_trail_init(opevo_i_topology_trail *self,
                                 const opevo_i_topology_expression *expression)
{
    *self = (opevo_i_topology_trail){.expression = expression};
    self->marks = opevo_malloc(expression->parameter_count, sizeof *self->marks);
    return self->marks;
}

void opevo_i_topology_trail_clear(opevo_i_topology_trail *self)
{
    opevo_free(self->marks);
    *self = (opevo_i_topology_trail){0};
}

bool opevo_i_topology_trail_evaluate(opevo_i_topology_trail *self, const opevo_value *const *rows,
                                     size_t changed)
{
    size_t used = 0;

    while (used < self->count && self->marks[used].row < changed)
        used++;
    if (self->begun && used == self->count)
        return false;
    self->count = self->begun ? used + 1 : 0;
    self->begun = true;
    self->column = 0;
    self->fault = run(self->expression, rows, self, &self->result, &self->column);
    return true;
}

bool opevo_i_topology_expression_holds(const opevo_i_topology_expression *expression,
                                       const opevo_value *const *rows)
{
    opevo_value value = {0};
    bool holds = false;
    opevo_i_topology_fault fault =
        opevo_i_topology_expression_evaluate(expression, rows, &value, NULL);

    return fault == OPEVO_I_FAULT_INACTIVE ||
           (!fault && !opevo_i_topology_truth(&value, &holds) && holds);
}
