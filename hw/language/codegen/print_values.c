/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expressions of elements as text, for one element in every dialect. */

#include "print_internal.h"

#include <math.h>
#include <string.h>

/* ---- Parts ---- */

static void print_whole_number(opevo_i_print_printer *self, double number)
{
    if (number <= INT32_MIN)
        opevo_text_add(self->out, "(-2147483647 - 1)");
    else
        opevo_text_printf(self->out, number < 0 ? "(%.0f)" : "%.0f", number);
}

static void print_number(opevo_i_print_printer *self, double number)
{
    char digits[OPEVO_DOUBLE_TEXT_SIZE];
    float nearest = (float)number;

    if (isinf(nearest)) {
        opevo_text_printf(self->out, "(%s%s)", nearest < 0 ? "-" : "", self->dialect->infinity);
        return;
    }
    opevo_double_format(nearest == 0 ? (double)nearest : number, digits);
    opevo_text_printf(self->out, signbit(nearest) ? "(%s%sf)" : "%s%sf", digits,
                      strpbrk(digits, ".e") ? "" : ".0");
}

const char *opevo_i_print_relation_text(opevo_condition_kind kind)
{
    switch (kind) {
    case OPEVO_COND_AND:
        return "&&";
    case OPEVO_COND_OR:
        return "||";
    case OPEVO_COND_LESS:
        return "<";
    case OPEVO_COND_LESS_EQUAL:
        return "<=";
    case OPEVO_COND_EQUAL:
        return "==";
    default:
        return "!=";
    }
}

opevo_element opevo_i_print_compared_type(const opevo_i_nest_condition *condition)
{
    return condition->x && condition->x->type == OPEVO_INT32 && condition->y->type == OPEVO_INT32
               ? OPEVO_INT32
               : OPEVO_FLOAT32;
}

void opevo_i_print_condition(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                             const opevo_i_nest_condition *condition)
{
    opevo_element type = opevo_i_print_compared_type(condition);

    opevo_text_add(self->out, "(");
    if (condition->left)
        opevo_i_print_condition(self, leaf, condition->left);
    else if (condition->is_whole)
        opevo_i_print_affine(self, &condition->whole);
    else
        opevo_i_print_value(self, leaf, condition->x, type);
    opevo_text_printf(self->out, " %s ", opevo_i_print_relation_text(condition->kind));
    if (condition->left)
        opevo_i_print_condition(self, leaf, condition->right);
    else if (condition->is_whole)
        opevo_text_add(self->out, "0");
    else
        opevo_i_print_value(self, leaf, condition->y, type);
    opevo_text_add(self->out, ")");
}

/* ---- Values ---- */

const char *opevo_i_print_operator_text(opevo_expression_kind kind)
{
    switch (kind) {
    case OPEVO_EXPR_ADD:
        return "+";
    case OPEVO_EXPR_SUBTRACT:
        return "-";
    case OPEVO_EXPR_MULTIPLY:
        return "*";
    case OPEVO_EXPR_DIVIDE:
        return "/";
    default:
        return NULL;
    }
}

static void print_call(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                       const opevo_i_nest_value *value)
{
    opevo_i_print_function_name(self, opevo_i_print_function_of_value(value), 1);
    opevo_text_add(self->out, "(");
    opevo_i_print_value(self, leaf, value->left, value->type);
    if (value->right) {
        opevo_text_add(self->out, ", ");
        opevo_i_print_value(self, leaf, value->right, value->type);
    }
    opevo_text_add(self->out, ")");
}

/* Without brackets of its own around operators. */
static void print_bare(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                       const opevo_i_nest_value *value)
{
    switch (value->kind) {
    case OPEVO_EXPR_READ:
        opevo_i_print_load(self, &leaf->factor[value->read], value->type);
        break;
    case OPEVO_EXPR_NUMBER:
        if (value->type == OPEVO_INT32)
            print_whole_number(self, value->number);
        else
            print_number(self, value->number);
        break;
    case OPEVO_EXPR_WHOLE:
        opevo_text_printf(self->out, "(%s)(", opevo_kernel_type_text(value->type));
        opevo_i_print_affine(self, &value->whole);
        opevo_text_add(self->out, ")");
        break;
    case OPEVO_EXPR_SELECT:
        opevo_i_print_condition(self, leaf, value->condition);
        opevo_text_add(self->out, " ? ");
        opevo_i_print_value(self, leaf, value->left, value->type);
        opevo_text_add(self->out, " : ");
        opevo_i_print_value(self, leaf, value->right, value->type);
        break;
    case OPEVO_EXPR_NEGATE:
        opevo_text_add(self->out, "-");
        opevo_i_print_value(self, leaf, value->left, value->type);
        break;
    default:
        if (!opevo_i_print_operator_text(value->kind)) {
            print_call(self, leaf, value);
            break;
        }
        opevo_i_print_value(self, leaf, value->left, value->type);
        opevo_text_printf(self->out, " %s ", opevo_i_print_operator_text(value->kind));
        opevo_i_print_value(self, leaf, value->right, value->type);
        break;
    }
}

void opevo_i_print_value(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                         const opevo_i_nest_value *value, opevo_element type)
{
    bool brackets = opevo_i_print_operator_text(value->kind) || value->kind == OPEVO_EXPR_SELECT ||
                    value->kind == OPEVO_EXPR_NEGATE;

    if (value->kind == OPEVO_EXPR_READ) {
        opevo_i_print_load(self, &leaf->factor[value->read], type);
        return;
    }
    if (value->type != type)
        opevo_text_printf(self->out, "(%s)", opevo_kernel_type_text(type));
    opevo_text_add(self->out, brackets ? "(" : "");
    print_bare(self, leaf, value);
    opevo_text_add(self->out, brackets ? ")" : "");
}

void opevo_i_print_leaf_value(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf)
{
    opevo_element type = opevo_i_print_statement_type(self, leaf);
    bool most = leaf->kind == OPEVO_I_MAX;

    if (!most && leaf->kind != OPEVO_I_MIN) {
        if (leaf->value->type == type)
            print_bare(self, leaf, leaf->value);
        else
            opevo_i_print_value(self, leaf, leaf->value, type);
        return;
    }
    opevo_i_print_function_name(
        self, opevo_i_print_function_of(most ? OPEVO_EXPR_MAX : OPEVO_EXPR_MIN, type), 1);
    opevo_text_add(self->out, "(");
    opevo_i_print_load(self, &leaf->to, type);
    opevo_text_add(self->out, ", ");
    opevo_i_print_value(self, leaf, leaf->value, type);
    opevo_text_add(self->out, ")");
}
