/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the operators of an expression make of their operands. Integer index expressions are kept
 * apart as long as they can be; a number without axes is folded, and one that is whole is a
 * integer however it was written, so that what is printed reads back the same. Folding uses
 * only what IEEE 754 rounds correctly, so that a text means the same on every machine. */

#include "computation_parse_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Memory of a node, counted against the limit. */
static void *take_node(opevo_i_comp_parser *self, size_t bytes, opevo_i_comp_place place)
{
    void *node = NULL;

    if (++self->nodes > OPEVO_COMPUTATION_NODES) {
        opevo_i_comp_parse_fail(self, OPEVO_LIMIT, place,
                                "a computation has at most %d operations and numbers.",
                                (int)OPEVO_COMPUTATION_NODES);
        return NULL;
    }
    node = opevo_i_comp_arena_take(&self->arena, bytes);
    if (!node)
        opevo_i_comp_parse_no_memory(self);
    return node;
}

opevo_expression *opevo_i_comp_node(opevo_i_comp_parser *self, opevo_expression_kind kind,
                                    opevo_i_comp_place place)
{
    opevo_expression *node = take_node(self, sizeof *node, place);

    if (!node)
        return NULL;
    node->kind = kind;
    node->line = place.line;
    node->column = place.column;
    return node;
}

static bool set_whole(opevo_i_comp_parser *self, const opevo_i_comp_whole *whole,
                      opevo_i_comp_place place, opevo_i_comp_value *out)
{
    *out = (opevo_i_comp_value){.place = place, .depth = 1};
    out->whole = opevo_i_comp_whole_store(whole, &self->arena);
    return out->whole || opevo_i_comp_parse_no_memory(self);
}

bool opevo_i_comp_value_number(opevo_i_comp_parser *self, double number, opevo_i_comp_value *out)
{
    opevo_i_comp_place place = out->place;
    opevo_expression *node = NULL;

    if (!isfinite(number))
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, place, "this number is not finite.");
    if (number == rint(number) && fabs(number) <= (double)OPEVO_I_LARGEST_WHOLE)
        return set_whole(self, &(opevo_i_comp_whole){.constant = (int64_t)number}, place, out);
    node = opevo_i_comp_node(self, OPEVO_EXPR_NUMBER, place);
    if (!node)
        return false;
    node->number = number;
    *out = (opevo_i_comp_value){.real = node, .depth = 1, .place = place};
    return true;
}

/* A number without axes. */
static bool number_of(const opevo_i_comp_value *value, double *out)
{
    if (value->whole && value->whole->count == 0)
        *out = (double)value->whole->constant;
    else if (value->real && value->real->kind == OPEVO_EXPR_NUMBER)
        *out = value->real->number;
    else
        return false;
    return true;
}

/* Kernels compute in single precision, in which a number must not become infinite or 0. */
static bool check_number(opevo_i_comp_parser *self, double number, opevo_i_comp_place place)
{
    float rounded = (float)number;

    if (isinf(rounded))
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, place,
                                       "%g is beyond the range of float32, which ends at %g.",
                                       number, (double)copysignf(FLT_MAX, rounded));
    if (rounded == 0 && number != 0)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, place,
                                       "%g is 0 in float32, whose smallest number is %g.", number,
                                       (double)FLT_TRUE_MIN);
    return true;
}

bool opevo_i_comp_value_real(opevo_i_comp_parser *self, const opevo_i_comp_value *value,
                             const opevo_expression **out)
{
    opevo_expression *node = NULL;
    double number = 0;

    if (value->condition)
        return opevo_i_comp_parse_fail(
            self, OPEVO_INVALID, value->place,
            "a condition is not a value; write select(CONDITION, A, B).");
    if (value->real) {
        *out = value->real;
        return value->real->kind != OPEVO_EXPR_NUMBER ||
               check_number(self, value->real->number, value->place);
    }
    node = opevo_i_comp_node(self, number_of(value, &number) ? OPEVO_EXPR_NUMBER : OPEVO_EXPR_WHOLE,
                             value->place);
    if (!node)
        return false;
    node->number = number;
    node->index = node->kind == OPEVO_EXPR_WHOLE ? value->whole : NULL;
    *out = node;
    return true;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* A node over `a` and, where they are not NULL, `b` and a condition. */
static bool make_node(opevo_i_comp_parser *self, opevo_expression_kind kind,
                      const opevo_i_comp_value *a, const opevo_i_comp_value *b,
                      const opevo_i_comp_value *condition, opevo_i_comp_value *out)
{
    int depth = 1 + larger(larger(a->depth, b ? b->depth : 0), condition ? condition->depth : 0);
    opevo_expression *node = NULL;
    opevo_i_comp_place place = a->place;

    if (depth > OPEVO_COMPUTATION_DEPTH)
        return opevo_i_comp_parse_fail(
            self, OPEVO_LIMIT, place,
            "this expression is nested more than %d deep; define a part of "
            "it as a tensor of its own.",
            (int)OPEVO_COMPUTATION_DEPTH);
    node = opevo_i_comp_node(self, kind, place);
    if (!node || !opevo_i_comp_value_real(self, a, &node->left) ||
        (b && !opevo_i_comp_value_real(self, b, &node->right)))
        return false;
    node->condition = condition ? condition->condition : NULL;
    *out = (opevo_i_comp_value){.real = node, .depth = depth, .place = place};
    return true;
}

/* ---- Integer expressions ---- */

static bool fail_large(opevo_i_comp_parser *self, opevo_i_comp_place place)
{
    if (self->arena.failed)
        return opevo_i_comp_parse_no_memory(self);
    return opevo_i_comp_parse_fail(
        self, OPEVO_LIMIT, place,
        "this integer expression has factors above 2^40 or more than %d terms.",
        (int)OPEVO_COMPUTATION_TERMS);
}

static bool within_limits(const opevo_i_comp_whole *whole)
{
    bool within = opevo_i_comp_whole_size(whole) <= OPEVO_COMPUTATION_TERMS &&
                  llabs(whole->constant) <= OPEVO_I_LARGEST_WHOLE;

    for (int i = 0; i < whole->count; i++)
        within &= llabs(whole->term[i].factor) <= OPEVO_I_LARGEST_WHOLE;
    return within;
}

bool opevo_i_comp_value_whole(opevo_i_comp_parser *self, const opevo_i_comp_whole *whole,
                              opevo_i_comp_place place, opevo_i_comp_value *out)
{
    return whole && within_limits(whole) ? set_whole(self, whole, place, out)
                                         : fail_large(self, place);
}

/* a + - * b of integers; *done: whether the result is one. */
static bool combine_whole(opevo_i_comp_parser *self, int op, const opevo_i_comp_value *a,
                          const opevo_i_comp_value *b, opevo_i_comp_value *out, bool *done)
{
    opevo_i_comp_whole left, right, sum = {0};
    bool fits = true;

    opevo_i_comp_whole_of(a->whole, &left);
    opevo_i_comp_whole_of(b->whole, &right);
    *done = op != '*' || left.count == 0 || right.count == 0;
    if (!*done)
        return true;
    if (op == '*')
        fits = left.count == 0 ? opevo_i_comp_whole_add(&sum, left.constant, &right)
                               : opevo_i_comp_whole_add(&sum, right.constant, &left);
    else
        fits = opevo_i_comp_whole_add(&sum, 1, &left) &&
               opevo_i_comp_whole_add(&sum, op == '+' ? 1 : -1, &right);
    return opevo_i_comp_value_whole(self, fits ? &sum : NULL, a->place, out);
}

static bool divide_whole(opevo_i_comp_parser *self, int op, const opevo_i_comp_value *a,
                         const opevo_i_comp_value *b, opevo_i_comp_value *out)
{
    opevo_i_comp_whole value;
    bool fits = false;

    if (!a->whole || !b->whole || b->whole->count > 0 || b->whole->constant < 1)
        return opevo_i_comp_parse_fail(
            self, OPEVO_INVALID, a->place,
            "%s takes an integer expression of axes and a positive integer; "
            "values are divided by '/'.",
            op == '%' ? "'%'" : "'//'");
    opevo_i_comp_whole_of(a->whole, &value);
    fits = opevo_i_comp_whole_divide(&value, b->whole->constant, op == '%', &self->arena);
    return opevo_i_comp_value_whole(self, fits ? &value : NULL, a->place, out);
}

/* ---- Arithmetic ---- */

static double fold(opevo_expression_kind kind, double a, double b)
{
    switch (kind) {
    case OPEVO_EXPR_ADD:
        return a + b;
    case OPEVO_EXPR_SUBTRACT:
        return a - b;
    case OPEVO_EXPR_MULTIPLY:
        return a * b;
    case OPEVO_EXPR_DIVIDE:
        return a / b;
    case OPEVO_EXPR_MAX:
        return a > b ? a : b;
    case OPEVO_EXPR_MIN:
        return a < b ? a : b;
    case OPEVO_EXPR_NEGATE:
        return -a;
    default: /* SQRT */
        return sqrt(a);
    }
}

static opevo_expression_kind kind_of(int op)
{
    switch (op) {
    case '+':
        return OPEVO_EXPR_ADD;
    case '-':
        return OPEVO_EXPR_SUBTRACT;
    case '*':
        return OPEVO_EXPR_MULTIPLY;
    default:
        return OPEVO_EXPR_DIVIDE;
    }
}

bool opevo_i_comp_value_binary(opevo_i_comp_parser *self, int op, const opevo_i_comp_value *a,
                               const opevo_i_comp_value *b, opevo_i_comp_value *out)
{
    double x = 0, y = 0;
    bool done = false;

    if (op == OPEVO_I_TOKEN_FLOOR || op == '%')
        return divide_whole(self, op, a, b, out);
    if (number_of(a, &x) && number_of(b, &y)) {
        out->place = a->place;
        return opevo_i_comp_value_number(self, fold(kind_of(op), x, y), out);
    }
    if (a->whole && b->whole && op != '/') {
        if (!combine_whole(self, op, a, b, out, &done))
            return false;
        if (done)
            return true;
    }
    return make_node(self, kind_of(op), a, b, NULL, out);
}

static bool is_folded(opevo_expression_kind kind)
{
    return kind == OPEVO_EXPR_MAX || kind == OPEVO_EXPR_MIN || kind == OPEVO_EXPR_NEGATE ||
           kind == OPEVO_EXPR_SQRT;
}

bool opevo_i_comp_value_call(opevo_i_comp_parser *self, opevo_expression_kind kind,
                             const opevo_i_comp_value *a, const opevo_i_comp_value *b,
                             opevo_i_comp_value *out)
{
    double x = 0, y = 0;

    if (is_folded(kind) && number_of(a, &x) && (!b || number_of(b, &y))) {
        out->place = a->place;
        return opevo_i_comp_value_number(self, fold(kind, x, y), out);
    }
    if (kind == OPEVO_EXPR_NEGATE && a->whole) {
        opevo_i_comp_whole value, negative = {0};

        opevo_i_comp_whole_of(a->whole, &value);
        opevo_i_comp_whole_add(&negative, -1, &value);
        return set_whole(self, &negative, a->place, out);
    }
    return make_node(self, kind, a, b, NULL, out);
}

bool opevo_i_comp_value_select(opevo_i_comp_parser *self, const opevo_i_comp_value *condition,
                               const opevo_i_comp_value *a, const opevo_i_comp_value *b,
                               opevo_i_comp_value *out)
{
    if (!condition->condition)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, condition->place,
                                       "select takes a condition first, such as 0 <= i and i < 7.");
    return make_node(self, OPEVO_EXPR_SELECT, a, b, condition, out);
}

/* ---- Conditions ---- */

static opevo_condition *make_condition(opevo_i_comp_parser *self, opevo_condition_kind kind,
                                       const opevo_i_comp_value *a, const opevo_i_comp_value *b,
                                       opevo_i_comp_value *out)
{
    opevo_condition *node = NULL;
    int depth = 1 + larger(a->depth, b->depth);

    if (depth > OPEVO_COMPUTATION_DEPTH) {
        opevo_i_comp_parse_fail(self, OPEVO_LIMIT, a->place,
                                "this condition is nested more than %d deep.",
                                (int)OPEVO_COMPUTATION_DEPTH);
        return NULL;
    }
    node = take_node(self, sizeof *node, a->place);
    if (!node)
        return NULL;
    node->kind = kind;
    *out = (opevo_i_comp_value){.condition = node, .depth = depth, .place = a->place};
    return node;
}

bool opevo_i_comp_value_compare(opevo_i_comp_parser *self, int op, const opevo_i_comp_value *a,
                                const opevo_i_comp_value *b, opevo_i_comp_value *out)
{
    bool swapped = op == '>' || op == OPEVO_I_TOKEN_GREATER_EQUAL;
    const opevo_i_comp_value *x = swapped ? b : a;
    const opevo_i_comp_value *y = swapped ? a : b;
    opevo_condition *node = NULL;
    opevo_condition_kind kind = OPEVO_COND_NOT_EQUAL;

    if (op == '<' || op == '>')
        kind = OPEVO_COND_LESS;
    else if (op == OPEVO_I_TOKEN_LESS_EQUAL || op == OPEVO_I_TOKEN_GREATER_EQUAL)
        kind = OPEVO_COND_LESS_EQUAL;
    else if (op == OPEVO_I_TOKEN_EQUAL)
        kind = OPEVO_COND_EQUAL;
    node = make_condition(self, kind, a, b, out);
    if (!node)
        return false;
    if (a->whole && b->whole) {
        node->a = x->whole;
        node->b = y->whole;
        return true;
    }
    return opevo_i_comp_value_real(self, x, &node->x) && opevo_i_comp_value_real(self, y, &node->y);
}

bool opevo_i_comp_value_join(opevo_i_comp_parser *self, opevo_condition_kind kind,
                             const opevo_i_comp_value *a, const opevo_i_comp_value *b,
                             opevo_i_comp_value *out)
{
    opevo_condition *node = NULL;

    if (!a->condition || !b->condition)
        return opevo_i_comp_parse_fail(
            self, OPEVO_INVALID, (a->condition ? b : a)->place,
            "'and' and 'or' join comparisons, such as 0 <= i and i < 7.");
    node = make_condition(self, kind, a, b, out);
    if (!node)
        return false;
    node->left = a->condition;
    node->right = b->condition;
    return true;
}
