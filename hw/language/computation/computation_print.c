/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations as text. Parentheses stand only where the text would otherwise read differently, and
 * an axis has its extent where it first stands. */

#include "computation_internal.h"

#include <opevo/hash.h>

#include <stdlib.h>

enum { SUM = 1, PRODUCT, UNARY, PRIMARY }; /* how tightly a text binds */

typedef struct printer {
    const opevo_definition *definition;
    opevo_text *out;
} printer;

static void print_expression(const printer *self, const opevo_expression *expression);
static void print_affine(const printer *self, const opevo_affine *affine);

/* ---- Integer expressions ---- */

static void print_atom(const printer *self, const opevo_term *term)
{
    bool plain = term->atom == OPEVO_ATOM_AXIS || opevo_i_comp_is_axis(term->inner);

    if (term->atom == OPEVO_ATOM_AXIS) {
        opevo_text_add(self->out, self->definition->axis[term->axis].name);
        return;
    }
    opevo_text_add(self->out, plain ? "" : "(");
    print_affine(self, term->inner);
    opevo_text_add(self->out, plain ? "" : ")");
    opevo_text_printf(self->out, "%s%lld", term->atom == OPEVO_ATOM_FLOOR ? "//" : "%",
                      (long long)term->divisor);
}

/* The term that is printed first, the first positive one; -1 for the constant, where it alone is
 * positive. */
static int leading_term(const opevo_affine *affine)
{
    for (int i = 0; i < affine->count; i++) {
        if (affine->term[i].factor > 0)
            return i;
    }
    return affine->constant > 0 ? -1 : 0;
}

static void print_term(const printer *self, const opevo_term *term, bool first)
{
    bool negative = term->factor < 0;
    bool bare =
        term->atom == OPEVO_ATOM_AXIS || term->factor == 1 || (!first && term->factor == -1);

    opevo_text_add(self->out, first ? (negative ? "-" : "") : negative ? " - " : " + ");
    if (llabs(term->factor) != 1)
        opevo_text_printf(self->out, "%lld*", llabs(term->factor));
    opevo_text_add(self->out, bare ? "" : "(");
    print_atom(self, term);
    opevo_text_add(self->out, bare ? "" : ")");
}

static void print_affine(const printer *self, const opevo_affine *affine)
{
    int leading = leading_term(affine);
    bool constant_first = leading < 0 || !affine->count;

    if (constant_first)
        opevo_text_printf(self->out, "%lld", (long long)affine->constant);
    else
        print_term(self, &affine->term[leading], true);
    for (int i = 0; i < affine->count; i++) {
        if (i != leading || constant_first)
            print_term(self, &affine->term[i], false);
    }
    if (affine->constant && !constant_first)
        opevo_text_printf(self->out, affine->constant < 0 ? " - %lld" : " + %lld",
                          llabs(affine->constant));
}

void opevo_i_comp_affine_print(const opevo_affine *affine, const opevo_definition *definition,
                               opevo_text *out)
{
    print_affine(&(printer){definition, out}, affine);
}

static int affine_binds(const opevo_affine *affine)
{
    if (affine->count + (affine->constant != 0) > 1)
        return SUM;
    if (opevo_i_comp_is_axis(affine))
        return PRIMARY;
    if (affine->count == 0)
        return affine->constant < 0 ? UNARY : PRIMARY;
    return affine->term[0].factor == -1 ? UNARY : PRODUCT;
}

/* ---- Conditions ---- */

static void print_side(const printer *self, const opevo_affine *whole,
                       const opevo_expression *value)
{
    if (whole)
        print_affine(self, whole);
    else
        print_expression(self, value);
}

/* `and` binds more tightly than `or`; both group to the left. */
static void print_condition(const printer *self, const opevo_condition *condition, bool inside_and,
                            bool right)
{
    static const char *const words[] = {
        [OPEVO_COND_AND] = " and ",  [OPEVO_COND_OR] = " or ",
        [OPEVO_COND_LESS] = " < ",   [OPEVO_COND_LESS_EQUAL] = " <= ",
        [OPEVO_COND_EQUAL] = " == ", [OPEVO_COND_NOT_EQUAL] = " != "};
    bool joins = condition->kind == OPEVO_COND_AND || condition->kind == OPEVO_COND_OR;
    bool conjunction = condition->kind == OPEVO_COND_AND;
    bool wrapped = joins && ((inside_and && !conjunction) || (right && conjunction == inside_and));

    if (wrapped)
        opevo_text_add(self->out, "(");
    if (joins)
        print_condition(self, condition->left, conjunction, false);
    else
        print_side(self, condition->a, condition->x);
    opevo_text_add(self->out, words[condition->kind]);
    if (joins)
        print_condition(self, condition->right, conjunction, true);
    else
        print_side(self, condition->b, condition->y);
    if (wrapped)
        opevo_text_add(self->out, ")");
}

/* ---- Expressions ---- */

static int binds(const opevo_expression *expression)
{
    switch (expression->kind) {
    case OPEVO_EXPR_NUMBER:
        return expression->number < 0 ? UNARY : PRIMARY;
    case OPEVO_EXPR_WHOLE:
        return affine_binds(expression->index);
    case OPEVO_EXPR_ADD:
    case OPEVO_EXPR_SUBTRACT:
        return SUM;
    case OPEVO_EXPR_MULTIPLY:
    case OPEVO_EXPR_DIVIDE:
        return PRODUCT;
    case OPEVO_EXPR_NEGATE:
        return UNARY;
    default:
        return PRIMARY;
    }
}

/* Whether the text begins with a minus. */
static bool begins_with_minus(const opevo_expression *expression)
{
    const opevo_expression *first = expression;

    while (first->kind >= OPEVO_EXPR_ADD && first->kind <= OPEVO_EXPR_DIVIDE)
        first = first->left;
    if (first->kind == OPEVO_EXPR_WHOLE) /* which has a term */
        return leading_term(first->index) == 0 && first->index->term[0].factor < 0;
    return first->kind == OPEVO_EXPR_NEGATE ||
           (first->kind == OPEVO_EXPR_NUMBER && first->number < 0);
}

static void print_inside(const printer *self, const opevo_expression *expression, bool wrapped)
{
    opevo_text_add(self->out, wrapped ? "(" : "");
    print_expression(self, expression);
    opevo_text_add(self->out, wrapped ? ")" : "");
}

static void print_binary(const printer *self, const opevo_expression *expression, const char *word)
{
    int level = binds(expression);

    print_inside(self, expression->left, binds(expression->left) < level);
    opevo_text_add(self->out, word);
    print_inside(self, expression->right,
                 binds(expression->right) <= level || begins_with_minus(expression->right));
}

static void print_call(const printer *self, const opevo_expression *expression, const char *name)
{
    opevo_text_printf(self->out, "%s(", name);
    if (expression->kind == OPEVO_EXPR_SELECT) {
        print_condition(self, expression->condition, false, false);
        opevo_text_add(self->out, ", ");
    }
    print_expression(self, expression->left);
    if (expression->right) {
        opevo_text_add(self->out, ", ");
        print_expression(self, expression->right);
    }
    opevo_text_add(self->out, ")");
}

static void print_read(const printer *self, const opevo_expression *expression)
{
    opevo_text_printf(self->out, "%s[", expression->tensor->name);
    for (int d = 0; d < expression->tensor->dims; d++) {
        opevo_text_add(self->out, d ? ", " : "");
        print_affine(self, &expression->index[d]);
    }
    opevo_text_add(self->out, "]");
}

static void print_expression(const printer *self, const opevo_expression *expression)
{
    static const char *const words[] = {
        [OPEVO_EXPR_ADD] = " + ",        [OPEVO_EXPR_SUBTRACT] = " - ", [OPEVO_EXPR_MULTIPLY] = "*",
        [OPEVO_EXPR_DIVIDE] = "/",       [OPEVO_EXPR_MAX] = "max",      [OPEVO_EXPR_MIN] = "min",
        [OPEVO_EXPR_SELECT] = "select",  [OPEVO_EXPR_EXP] = "exp",      [OPEVO_EXPR_SQRT] = "sqrt",
        [OPEVO_EXPR_TANH] = "tanh",      [OPEVO_EXPR_ERF] = "erf",      [OPEVO_EXPR_LOG] = "log",
        [OPEVO_EXPR_SIGMOID] = "sigmoid"};

    switch (expression->kind) {
    case OPEVO_EXPR_READ:
        print_read(self, expression);
        return;
    case OPEVO_EXPR_NUMBER:
        opevo_text_add_double(self->out, expression->number);
        return;
    case OPEVO_EXPR_WHOLE:
        print_affine(self, expression->index);
        return;
    case OPEVO_EXPR_NEGATE:
        opevo_text_add(self->out, "-");
        print_inside(self, expression->left, binds(expression->left) <= UNARY);
        return;
    case OPEVO_EXPR_ADD:
    case OPEVO_EXPR_SUBTRACT:
    case OPEVO_EXPR_MULTIPLY:
    case OPEVO_EXPR_DIVIDE:
        print_binary(self, expression, words[expression->kind]);
        return;
    default:
        print_call(self, expression, words[expression->kind]);
    }
}

/* ---- Statements ---- */

/* An axis; its extent too where its name does not stand in the text before. Each axis has one name
 * in the memory of its computation. `named` may be NULL: then always. */
static void print_axis(const opevo_axis *axis, opevo_index_set *named, opevo_text *out)
{
    opevo_index key = (opevo_index)(uintptr_t)axis->name;

    opevo_text_add(out, axis->name);
    if (named && opevo_index_set_has(named, key))
        return;
    opevo_text_printf(out, ":%lld", (long long)axis->extent);
    out->failed |= named && !opevo_index_set_add(named, key);
}

static void print_dimensions(const opevo_tensor *tensor, opevo_index_set *named, opevo_text *out)
{
    opevo_text_printf(out, "%s[", tensor->name);
    for (int d = 0; d < tensor->dims; d++) {
        opevo_axis axis = {tensor->dim_name[d], tensor->extent[d]};

        opevo_text_add(out, d ? ", " : "");
        if (axis.name)
            print_axis(&axis, named, out);
        else
            opevo_text_printf(out, "%lld", (long long)axis.extent);
    }
    opevo_text_add(out, "]");
}

/* A body that begins with a minus would make max(k) a function. */
static void print_definition(const opevo_definition *definition, opevo_index_set *named,
                             opevo_text *out)
{
    static const char *const words[] = {[OPEVO_REDUCER_NONE] = "",
                                        [OPEVO_REDUCER_SUM] = "sum",
                                        [OPEVO_REDUCER_MAX] = "max",
                                        [OPEVO_REDUCER_MIN] = "min"};
    bool reduces = definition->reducer != OPEVO_REDUCER_NONE;

    opevo_text_add(out, " = ");
    for (int a = definition->spatial; a < definition->axes; a++) {
        opevo_text_printf(out, "%s", a == definition->spatial ? words[definition->reducer] : ", ");
        opevo_text_add(out, a == definition->spatial ? "(" : "");
        print_axis(&definition->axis[a], named, out);
    }
    opevo_text_add(out, reduces ? ") " : "");
    print_inside(&(printer){definition, out}, definition->value,
                 reduces && begins_with_minus(definition->value));
}

static void print_tensor(const opevo_tensor *tensor, bool output, opevo_index_set *named,
                         opevo_text *out)
{
    opevo_text_add(out, output ? "output " : "");
    opevo_text_add(out, tensor->role == OPEVO_ROLE_CONSTANT ? "const " : "");
    if (tensor->element != OPEVO_FLOAT32)
        opevo_text_printf(out, "%s ", opevo_element_name(tensor->element));
    print_dimensions(tensor, named, out);
    if (tensor->definition)
        print_definition(tensor->definition, named, out);
}

void opevo_tensor_print(const opevo_tensor *tensor, opevo_text *out)
{
    print_tensor(tensor, false, NULL, out);
}

void opevo_computation_print(const opevo_computation *computation, const char *between,
                             opevo_text *out)
{
    opevo_index_set *named = opevo_index_set_create();

    out->failed |= !named;
    for (int i = 0; i < computation->tensors && !out->failed; i++) {
        const opevo_tensor *tensor = computation->tensor[i];

        opevo_text_add(out, i ? between : "");
        print_tensor(tensor, tensor->role == OPEVO_ROLE_OUTPUT && tensor->readers, named, out);
    }
    opevo_index_set_destroy(named);
}
