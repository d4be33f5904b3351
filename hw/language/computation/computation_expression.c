/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expressions of a computation's text, by precedence: or, and, comparisons, + -, * / // %, unary
 * minus. */

#include "computation_parse_internal.h"

static bool parse_expression(opevo_i_comp_parser *self, opevo_i_comp_value *out);

enum { LOOSEST, AND = 2, COMPARISON, SUM, PRODUCT };

static bool parse_at(opevo_i_comp_parser *self, int loosest, opevo_i_comp_value *out);

/* ---- Reads ---- */

/* A tensor that is not declared is an input. */
static opevo_i_comp_pending *add_input(opevo_i_comp_parser *self, const opevo_i_comp_tokens *name)
{
    opevo_i_comp_pending *pending = NULL;
    size_t symbol = 0;

    if (!opevo_i_comp_symbol_add(self, name->start, name->length, OPEVO_I_SYMBOL_TENSOR,
                                 name->place, &symbol))
        return NULL;
    pending = opevo_i_comp_tensor_add(self, symbol);
    if (!pending)
        return NULL;
    pending->implicit = true;
    pending->tensor->dims = -1; /* as many as the read has */
    return pending;
}

/* NULL where it fails. */
static opevo_i_comp_pending *find_tensor(opevo_i_comp_parser *self, const opevo_i_comp_tokens *name)
{
    size_t symbol = opevo_i_comp_symbol_find(self, name->start, name->length);
    const opevo_i_comp_symbol *known = NULL;

    if (symbol == OPEVO_I_NO_SYMBOL)
        return add_input(self, name);
    known = &self->symbols[symbol];
    if (known->kind == OPEVO_I_SYMBOL_TENSOR && known->tensor >= 0)
        return &self->pending[known->tensor];
    if (known->kind == OPEVO_I_SYMBOL_TENSOR)
        opevo_i_comp_parse_fail(self, OPEVO_INVALID, name->place, "%s reads itself.", known->name);
    else
        opevo_i_comp_parse_fail(self, OPEVO_INVALID, name->place,
                                "%s is %s (line %u), not a tensor.", known->name,
                                opevo_i_comp_symbol_kind_name(known->kind), known->place.line);
    return NULL;
}

/* The axis of a definition that an index is, or none. */
static size_t plain_axis(const opevo_i_comp_parser *self, const opevo_affine *index)
{
    bool plain = index->count == 1 && index->constant == 0 && index->term[0].factor == 1 &&
                 index->term[0].atom == OPEVO_ATOM_AXIS;

    return plain ? self->axes[index->term[0].axis] : OPEVO_I_NO_SYMBOL;
}

static bool parse_indices(opevo_i_comp_parser *self, opevo_affine *indices, int *count)
{
    if (opevo_i_comp_parse_take(self, ']'))
        return true;
    do {
        opevo_i_comp_value value = {.place = self->tokens.place};

        if (*count == OPEVO_COMPUTATION_DIMS)
            return opevo_i_comp_parse_fail(self, OPEVO_LIMIT, value.place,
                                           "a tensor has at most %d dimensions.",
                                           (int)OPEVO_COMPUTATION_DIMS);
        if (!parse_expression(self, &value))
            return false;
        if (!value.whole)
            return opevo_i_comp_parse_fail(
                self, OPEVO_INVALID, value.place,
                "an index is a sum of integer multiples of axes, //, %% and "
                "a constant.");
        indices[(*count)++] = *value.whole;
    } while (opevo_i_comp_parse_take(self, ','));
    return opevo_i_comp_parse_need(self, ']', "',' or ']'");
}

static bool parse_read(opevo_i_comp_parser *self, const opevo_i_comp_tokens *name,
                       opevo_i_comp_value *out)
{
    opevo_affine indices[OPEVO_COMPUTATION_DIMS];
    opevo_expression *node = opevo_i_comp_node(self, OPEVO_EXPR_READ, name->place);
    opevo_i_comp_pending *pending = node ? find_tensor(self, name) : NULL;
    int count = 0;

    if (!pending || !parse_indices(self, indices, &count))
        return false;
    if (pending->tensor->dims < 0) {
        pending->tensor->dims = count;
        for (int d = 0; d < count; d++)
            pending->axis[d] = plain_axis(self, &indices[d]);
    }
    if (count != pending->tensor->dims)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, name->place,
                                       "%s has %d dimensions, not %d.", pending->tensor->name,
                                       pending->tensor->dims, count);
    pending->read = true;
    node->tensor = pending->tensor;
    node->index = opevo_i_comp_arena_copy(&self->arena, indices, (size_t)count * sizeof *indices);
    if (!node->index)
        return opevo_i_comp_parse_no_memory(self);
    *out = (opevo_i_comp_value){.real = node, .depth = 1, .place = name->place};
    return true;
}

/* ---- Names ---- */

static bool parse_variable(opevo_i_comp_parser *self, const opevo_i_comp_tokens *name,
                           opevo_i_comp_value *out)
{
    size_t symbol = opevo_i_comp_symbol_find(self, name->start, name->length);
    const opevo_i_comp_symbol *known = symbol == OPEVO_I_NO_SYMBOL ? NULL : &self->symbols[symbol];
    opevo_term axis = {.factor = 1};
    opevo_affine whole = {.count = 1};

    if (known && known->kind == OPEVO_I_SYMBOL_CONSTANT) {
        out->place = name->place;
        return opevo_i_comp_value_number(self, (double)known->value, out);
    }
    if (known && known->kind == OPEVO_I_SYMBOL_TENSOR)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, name->place,
                                       "%s is a tensor; write its indices in brackets.",
                                       known->name);
    if (!self->defined)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, name->place,
                                       "%.*s is not a number here; define it before, as %.*s = 64.",
                                       (int)name->length, name->start, (int)name->length,
                                       name->start);
    if (!known || known->local < 0)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, name->place,
                                       "%.*s is not an axis of %s; write it into %s[...] or into "
                                       "sum(...).",
                                       (int)name->length, name->start, self->defined,
                                       self->defined);
    axis.axis = known->local;
    whole.term = opevo_i_comp_arena_copy(&self->arena, &axis, sizeof axis);
    *out = (opevo_i_comp_value){.depth = 1, .place = name->place};
    out->whole = opevo_i_comp_arena_copy(&self->arena, &whole, sizeof whole);
    return (whole.term && out->whole) || opevo_i_comp_parse_no_memory(self);
}

static bool parse_call(opevo_i_comp_parser *self, opevo_expression_kind kind,
                       opevo_i_comp_value *out)
{
    opevo_i_comp_value arguments[3];
    int wanted = kind == OPEVO_EXPR_SELECT                          ? 3
                 : kind == OPEVO_EXPR_MAX || kind == OPEVO_EXPR_MIN ? 2
                                                                    : 1;

    opevo_i_comp_tokens_next(&self->tokens);
    if (!opevo_i_comp_parse_need(self, '(', "'('"))
        return false;
    for (int i = 0; i < wanted; i++) {
        if ((i && !opevo_i_comp_parse_need(self, ',', "',' and another argument")) ||
            !parse_at(self, LOOSEST, &arguments[i]))
            return false;
    }
    if (!opevo_i_comp_parse_need(self, ')', "')'"))
        return false;
    if (wanted == 3)
        return opevo_i_comp_value_select(self, &arguments[0], &arguments[1], &arguments[2], out);
    return opevo_i_comp_value_call(self, kind, &arguments[0], wanted == 2 ? &arguments[1] : NULL,
                                   out);
}

static bool parse_name(opevo_i_comp_parser *self, opevo_i_comp_value *out)
{
    static const struct {
        const char *word;
        opevo_expression_kind kind;
    } calls[] = {
        {"max", OPEVO_EXPR_MAX}, {"min", OPEVO_EXPR_MIN},   {"select", OPEVO_EXPR_SELECT},
        {"exp", OPEVO_EXPR_EXP}, {"sqrt", OPEVO_EXPR_SQRT}, {"tanh", OPEVO_EXPR_TANH},
        {"erf", OPEVO_EXPR_ERF}, {"log", OPEVO_EXPR_LOG},   {"sigmoid", OPEVO_EXPR_SIGMOID}};
    opevo_i_comp_tokens name = self->tokens;

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (opevo_i_comp_token_is(&name, calls[i].word))
            return parse_call(self, calls[i].kind, out);
    }
    if (opevo_i_comp_token_is(&name, "sum"))
        return opevo_i_comp_parse_fail(
            self, OPEVO_INVALID, name.place,
            "sum stands first, as in C[i] = sum(k) A[i, k]; define what is "
            "summed as a tensor of its own.");
    opevo_i_comp_tokens_next(&self->tokens);
    if (opevo_i_comp_parse_take(self, '['))
        return parse_read(self, &name, out);
    if (self->tokens.kind == '(')
        return opevo_i_comp_parse_fail(
            self, OPEVO_INVALID, name.place,
            "unknown function %.*s; there are max, min, select, exp, log, "
            "sqrt, tanh, erf and sigmoid.",
            name.length < 40 ? (int)name.length : 40, name.start);
    return parse_variable(self, &name, out);
}

/* ---- Operators ---- */

/* Calls may nest deeper than what they read, by parentheses and signs; what is printed has no more
 * of those than it needs, so that it always reads back. */
static bool go_deeper(opevo_i_comp_parser *self)
{
    enum { MOST = 4 * OPEVO_COMPUTATION_DEPTH };

    return ++self->depth <= MOST ||
           opevo_i_comp_parse_fail(self, OPEVO_LIMIT, self->tokens.place,
                                   "too many parentheses and signs are nested.");
}

static bool parse_primary(opevo_i_comp_parser *self, opevo_i_comp_value *out)
{
    opevo_i_comp_value inner;

    *out = (opevo_i_comp_value){.place = self->tokens.place};
    switch (self->tokens.kind) {
    case OPEVO_I_TOKEN_NUMBER:
        if (!opevo_i_comp_value_number(self, self->tokens.number, out))
            return false;
        opevo_i_comp_tokens_next(&self->tokens);
        return true;
    case OPEVO_I_TOKEN_NAME:
        return parse_name(self, out);
    case '(':
        opevo_i_comp_tokens_next(&self->tokens);
        return parse_at(self, LOOSEST, out) && opevo_i_comp_parse_need(self, ')', "')'");
    case '-':
        opevo_i_comp_tokens_next(&self->tokens);
        if (!go_deeper(self) || !parse_primary(self, &inner))
            return false;
        self->depth--;
        return opevo_i_comp_value_call(self, OPEVO_EXPR_NEGATE, &inner, NULL, out);
    default:
        return opevo_i_comp_parse_expected(self, "a value");
    }
}

/* How tightly the token ahead binds as an operator of two operands; -1 for others. */
static int precedence(const opevo_i_comp_tokens *ahead)
{
    switch (ahead->kind) {
    case '+':
    case '-':
        return SUM;
    case '*':
    case '/':
    case '%':
    case OPEVO_I_TOKEN_FLOOR:
        return PRODUCT;
    case '<':
    case '>':
    case OPEVO_I_TOKEN_LESS_EQUAL:
    case OPEVO_I_TOKEN_GREATER_EQUAL:
    case OPEVO_I_TOKEN_EQUAL:
    case OPEVO_I_TOKEN_NOT_EQUAL:
        return COMPARISON;
    case OPEVO_I_TOKEN_NAME:
        return opevo_i_comp_token_is(ahead, "and")  ? AND
               : opevo_i_comp_token_is(ahead, "or") ? AND - 1
                                                    : -1;
    default:
        return -1;
    }
}

/* *left = *left op right, for the token `op` of that precedence. A chain a < b < c is a < b and b <
 * c; *last is its last operand. */
static bool apply(opevo_i_comp_parser *self, int op, int binds, opevo_i_comp_value *left,
                  opevo_i_comp_value *last, const opevo_i_comp_value *right)
{
    opevo_i_comp_value a = *left, compared;

    if (binds >= SUM)
        return opevo_i_comp_value_binary(self, op, &a, right, left);
    if (binds < COMPARISON)
        return opevo_i_comp_value_join(self, binds == AND ? OPEVO_COND_AND : OPEVO_COND_OR, &a,
                                       right, left);
    if (!a.condition || !last->place.line) {
        *last = *right;
        return opevo_i_comp_value_compare(self, op, &a, right, left);
    }
    if (!opevo_i_comp_value_compare(self, op, last, right, &compared))
        return false;
    *last = *right;
    return opevo_i_comp_value_join(self, OPEVO_COND_AND, &a, &compared, left);
}

static bool parse_at(opevo_i_comp_parser *self, int loosest, opevo_i_comp_value *out)
{
    opevo_i_comp_value right, last = {0};
    opevo_i_comp_place place = self->tokens.place;

    if (!go_deeper(self) || !parse_primary(self, out))
        return false;
    for (;;) {
        int op = self->tokens.kind;
        int binds = precedence(&self->tokens);

        if (binds < 0 || binds < loosest)
            break;
        opevo_i_comp_tokens_next(&self->tokens);
        if (!parse_at(self, binds + 1, &right) || !apply(self, op, binds, out, &last, &right))
            return false;
    }
    out->place = place;
    self->depth--;
    return true;
}

/* An expression, up to what cannot belong to it. */
static bool parse_expression(opevo_i_comp_parser *self, opevo_i_comp_value *out)
{
    return parse_at(self, LOOSEST, out);
}

bool opevo_i_comp_parse_real(opevo_i_comp_parser *self, const opevo_expression **out)
{
    opevo_i_comp_value value;

    return parse_expression(self, &value) && opevo_i_comp_value_real(self, &value, out);
}

bool opevo_i_comp_parse_constant(opevo_i_comp_parser *self, int64_t *out)
{
    opevo_i_comp_value value;
    opevo_i_comp_place place = self->tokens.place;

    if (!parse_expression(self, &value))
        return false;
    if (!value.whole || value.whole->count > 0)
        return opevo_i_comp_parse_fail(self, OPEVO_INVALID, place,
                                       "an integer is needed here, such as 64 or a name that "
                                       "stands for one.");
    *out = value.whole->constant;
    return true;
}
