/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expressions over the components of parameters: what constraints and T1 value lists are written
 * in. docs/formats/space.md describes the language.
 *
 * A text is compiled once into a flat list of instructions for a stack machine. Compiling proves
 * that the stack never holds more than OPEVO_I_EXPRESSION_STACK values and that all jumps go
 * forward, so an evaluation is one pass, needs no allocation and always ends. */

#ifndef OPEVO_EXPRESSION_INTERNAL_H
#define OPEVO_EXPRESSION_INTERNAL_H

#include <stddef.h>

#include <opevo/constraint_dialect.h>
#include <opevo/parameter.h>

enum {
    OPEVO_I_EXPRESSION_STACK = 96,      /* values on the stack of an evaluation */
    OPEVO_I_EXPRESSION_NESTING = 80,    /* parentheses, prefix operators and ?: inside each other */
    OPEVO_I_EXPRESSION_LENGTH = 1 << 16 /* bytes of a text */
};

/* What is known of the kind of a value before it is computed. */
typedef enum opevo_i_topology_sort {
    OPEVO_I_NUMBER, /* an integer, a real or a truth value */
    OPEVO_I_TEXT,
    OPEVO_I_EITHER
} opevo_i_topology_sort;

/* A name that an expression may use: `arity` components from `component` on of a parameter. One
 * with a single component is written bare, more need an index. */
typedef struct opevo_i_topology_symbol {
    const char *name;
    size_t parameter;
    size_t component;
    size_t arity;
    opevo_i_topology_sort sort;
} opevo_i_topology_symbol;

typedef enum opevo_i_topology_opcode {
    OPEVO_I_OP_CONSTANT, /* push constants[argument] */
    OPEVO_I_OP_LOAD,     /* push component `argument` of rows[row] */
    OPEVO_I_OP_ACTIVE,   /* push whether there is a rows[row] */
    OPEVO_I_OP_PLUS,
    OPEVO_I_OP_NEGATE,
    OPEVO_I_OP_COMPLEMENT,
    OPEVO_I_OP_NOT,
    OPEVO_I_OP_TRUTH, /* 0 or 1 */
    OPEVO_I_OP_ABSOLUTE,
    /* Two operands. */
    OPEVO_I_OP_ADD,
    OPEVO_I_OP_SUBTRACT,
    OPEVO_I_OP_MULTIPLY,
    OPEVO_I_OP_DIVIDE,    /* of integers: towards zero */
    OPEVO_I_OP_REMAINDER, /* of that division; integers only */
    OPEVO_I_OP_QUOTIENT,  /* a real number, also of integers */
    OPEVO_I_OP_FLOOR,     /* division towards minus infinity */
    OPEVO_I_OP_FLOOR_MOD, /* its remainder */
    OPEVO_I_OP_POWER,
    OPEVO_I_OP_SHIFT_LEFT,
    OPEVO_I_OP_SHIFT_RIGHT,
    OPEVO_I_OP_BIT_AND,
    OPEVO_I_OP_BIT_XOR,
    OPEVO_I_OP_BIT_OR,
    OPEVO_I_OP_MINIMUM,
    OPEVO_I_OP_MAXIMUM,
    OPEVO_I_OP_EQUAL,
    OPEVO_I_OP_UNEQUAL,
    OPEVO_I_OP_LESS,
    OPEVO_I_OP_LESS_EQUAL,
    OPEVO_I_OP_GREATER,
    OPEVO_I_OP_GREATER_EQUAL,
    /* Jumps to instruction `argument`. */
    OPEVO_I_OP_JUMP,
    OPEVO_I_OP_JUMP_UNLESS, /* pop; jump when it was false */
    OPEVO_I_OP_AND,         /* top false: make it 0 and jump; else pop */
    OPEVO_I_OP_OR,          /* top true: make it 1 and jump; else pop */
    OPEVO_I_OP_CHAIN,  /* a b: when `a row b` holds leave b, else leave 0 and jump; a comparison */
    OPEVO_I_OP_MEMBER, /* a b: when they are equal leave 1 and jump, else leave a */
    OPEVO_I_OP_NONE    /* replace the top by 0: no member matched */
} opevo_i_topology_opcode;

typedef struct opevo_i_topology_instruction {
    uint16_t opcode;
    uint16_t row;
    uint32_t argument;
    uint32_t column; /* where it stands in the text, from 1, for messages */
} opevo_i_topology_instruction;

typedef struct opevo_i_topology_expression {
    opevo_i_topology_instruction *code;
    size_t length;
    opevo_value *constants;
    size_t constant_count;
    char *texts;        /* the bytes of all text constants */
    size_t *parameters; /* those named, in the order of first mention; row r is parameters[r] */
    size_t parameter_count;
    opevo_i_topology_sort sort;
} opevo_i_topology_expression;

/* A text to compile. */
typedef struct opevo_i_topology_source {
    const char *text; /* `length` bytes */
    size_t length;
    size_t column; /* of its first byte, from 1 */
    opevo_dialect dialect;
    const opevo_i_topology_symbol *symbols;
    size_t symbol_count;
    const opevo_i_topology_symbol *const
        *by_name;      /* the symbols in this order; NULL: they are few */
    const char *where; /* begins each message: "space.json: constraint 2" */
} opevo_i_topology_source;

/* Errors: INVALID with "where, column n: what is wrong". */
opevo_status opevo_i_topology_expression_create(const opevo_i_topology_source *source,
                                                opevo_i_topology_expression *out, opevo_error *err);
void opevo_i_topology_expression_release(opevo_i_topology_expression *expression);

/* Why an expression has no value for some values of its parameters. */
typedef enum opevo_i_topology_fault {
    OPEVO_I_FAULT_NONE,
    OPEVO_I_FAULT_ZERO,     /* division by zero */
    OPEVO_I_FAULT_OVERFLOW, /* beyond 64 bits, or beyond what a double holds */
    OPEVO_I_FAULT_SHIFT,    /* by less than 0 or more than 63 bits */
    OPEVO_I_FAULT_TEXT,     /* a text where a number is needed */
    OPEVO_I_FAULT_REAL,     /* a real number where an integer is needed */
    OPEVO_I_FAULT_INACTIVE, /* the value of a parameter that is not active */
    OPEVO_I_FAULT_COUNT
} opevo_i_topology_fault;

/* "divides by zero", ... */
const char *opevo_i_topology_fault_text(opevo_i_topology_fault fault);

/* Whether a value is other than 0; *a = opcode *a, and *a = *a opcode *b. */
opevo_i_topology_fault opevo_i_topology_truth(const opevo_value *value, bool *out);
opevo_i_topology_fault opevo_i_topology_apply_one(unsigned opcode, opevo_value *a);
opevo_i_topology_fault opevo_i_topology_apply_two(unsigned opcode, opevo_value *a,
                                                  const opevo_value *b);

/* The same, without a call for what most constraints are made of: sums, products and bounds of
 * integers. */
static inline opevo_i_topology_fault
opevo_i_topology_apply_two_soon(unsigned opcode, opevo_value *a, const opevo_value *b)
{
    int64_t x = 0, y = 0, z = 0;

    if (a->kind != OPEVO_VALUE_INTEGER || b->kind != OPEVO_VALUE_INTEGER)
        return opevo_i_topology_apply_two(opcode, a, b);
    x = a->as.integer;
    y = b->as.integer;
    if ((opcode == OPEVO_I_OP_MULTIPLY && !__builtin_mul_overflow(x, y, &z)) ||
        (opcode == OPEVO_I_OP_ADD && !__builtin_add_overflow(x, y, &z)))
        a->as.integer = z;
    else if (opcode == OPEVO_I_OP_EQUAL)
        a->as.integer = x == y;
    else if (opcode == OPEVO_I_OP_LESS_EQUAL)
        a->as.integer = x <= y;
    else
        return opevo_i_topology_apply_two(opcode, a, b);
    return OPEVO_I_FAULT_NONE;
}

/* Compute the value; rows[r] holds the components of parameter expression->parameters[r], and is
 * NULL where that one is not active. On a fault *column says where in the text (NULL: not wanted).
 * Comparisons and logic give the integers 0 and 1. A text result is borrowed from the rows or the
 * expression. */
opevo_i_topology_fault
opevo_i_topology_expression_evaluate(const opevo_i_topology_expression *expression,
                                     const opevo_value *const *rows, opevo_value *result,
                                     uint32_t *column);

/* An evaluation that is repeated with other values. It begins where the first row that may have
 * changed was used, and is left out where none of these was. */
typedef struct opevo_i_topology_mark opevo_i_topology_mark;
typedef struct opevo_i_topology_trail {
    const opevo_i_topology_expression *expression;
    opevo_i_topology_mark *marks; /* by ascending rows */
    size_t count;
    bool begun;
    opevo_i_topology_fault fault; /* of the last evaluation, */
    opevo_value result;           /* what it gave without one, */
    uint32_t column;              /* and the place of one */
} opevo_i_topology_trail;

/* The expression stays the caller's; false without memory. */
bool opevo_i_topology_trail_init(opevo_i_topology_trail *self,
                                 const opevo_i_topology_expression *expression);
void opevo_i_topology_trail_clear(opevo_i_topology_trail *self);
/* As opevo_i_topology_expression_evaluate where rows below `changed` are as the time before.
 * Returns whether anything was evaluated; the outcome is in the trail. */
bool opevo_i_topology_trail_evaluate(opevo_i_topology_trail *self, const opevo_value *const *rows,
                                     size_t changed);

/* Whether the value is other than 0; a fault and a text count as false, but a constraint that needs
 * the value of a parameter that is not active does not apply, which counts as true. */
bool opevo_i_topology_expression_holds(const opevo_i_topology_expression *expression,
                                       const opevo_value *const *rows);

#endif
