/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expressions of elements as text, for one element in every dialect. Functions that C lacks, and
 * max and min, which C would have to evaluate twice, stand before the kernel. */

#include "print_internal.h"

#include <math.h>
#include <string.h>

/* ---- Parts ---- */

static void print_number(opevo_i_printer *self, double number)
{
    char digits[OPEVO_DOUBLE_TEXT_SIZE];
    float nearest = (float)number;

    if (isinf(nearest)) {
        opevo_text_printf(self->out, "(%s%s)", nearest < 0 ? "-" : "",
                          self->dialect->gpu ? "__int_as_float(0x7f800000)" : "__builtin_inff()");
        return;
    }
    opevo_double_format(nearest == 0 ? (double)nearest : number, digits);
    opevo_text_printf(self->out, signbit(nearest) ? "(%s%sf)" : "%s%sf", digits,
                      strpbrk(digits, ".e") ? "" : ".0");
}

static const char *relation_of(opevo_condition_kind kind)
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

static void print_value(opevo_i_printer *self, const opevo_i_leaf *leaf,
                        const opevo_i_value *value);

static void print_condition(opevo_i_printer *self, const opevo_i_leaf *leaf,
                            const opevo_i_condition *condition)
{
    opevo_text_add(self->out, "(");
    if (condition->left)
        print_condition(self, leaf, condition->left);
    else if (condition->is_whole)
        opevo_i_print_affine(self, &condition->whole);
    else
        print_value(self, leaf, condition->x);
    opevo_text_printf(self->out, " %s ", relation_of(condition->kind));
    if (condition->left)
        print_condition(self, leaf, condition->right);
    else if (condition->is_whole)
        opevo_text_add(self->out, "0");
    else
        print_value(self, leaf, condition->y);
    opevo_text_add(self->out, ")");
}

/* ---- Functions ---- */

/* Of one operand or two, for one element: its name in a dialect for GPUs, NULL where it stands
 * before the kernel as in C. */
static const char *gpu_name(opevo_expression_kind kind)
{
    switch (kind) {
    case OPEVO_EXPR_EXP:
        return "expf";
    case OPEVO_EXPR_SQRT:
        return "sqrtf";
    case OPEVO_EXPR_TANH:
        return "tanhf";
    case OPEVO_EXPR_ERF:
        return "erff";
    default:
        return NULL;
    }
}

static const struct {
    opevo_expression_kind kind;
    const char *name, *body;
} functions[] = {
    {OPEVO_EXPR_MAX, "max", "float x, float y)\n{\n    return x > y ? x : y;\n}\n"},
    {OPEVO_EXPR_MIN, "min", "float x, float y)\n{\n    return x < y ? x : y;\n}\n"},
    {OPEVO_EXPR_EXP, "exp", "float x)\n{\n    return __builtin_expf(x);\n}\n"},
    {OPEVO_EXPR_SQRT, "sqrt", "float x)\n{\n    return __builtin_sqrtf(x);\n}\n"},
    {OPEVO_EXPR_TANH, "tanh", "float x)\n{\n    return __builtin_tanhf(x);\n}\n"},
    {OPEVO_EXPR_ERF, "erf", "float x)\n{\n    return __builtin_erff(x);\n}\n"},
    {OPEVO_EXPR_SIGMOID, "sigmoid",
     "float x)\n{\n    return 1.0f / (1.0f + __builtin_expf(-x));\n}\n"},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void print_function_name(opevo_i_printer *self, opevo_expression_kind kind)
{
    const char *name = self->dialect->gpu ? gpu_name(kind) : NULL;

    if (name) {
        opevo_text_add(self->out, name);
        return;
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        if (functions[i].kind == kind)
            opevo_text_printf(self->out, "opevo_%s", functions[i].name);
    }
    self->functions |= 1U << kind;
}

void opevo_i_print_functions(opevo_i_printer *self)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        if (!(self->functions >> functions[i].kind & 1))
            continue;
        opevo_text_printf(self->out, "static %sinline float opevo_%s(",
                          self->dialect->gpu ? "__device__ " : "", functions[i].name);
        if (self->dialect->gpu && functions[i].kind == OPEVO_EXPR_SIGMOID)
            opevo_text_add(self->out, "float x)\n{\n    return 1.0f / (1.0f + expf(-x));\n}\n");
        else
            opevo_text_add(self->out, functions[i].body);
    }
}

/* ---- Values ---- */

static const char *operator_of(opevo_expression_kind kind)
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

static void print_call(opevo_i_printer *self, const opevo_i_leaf *leaf, const opevo_i_value *value)
{
    print_function_name(self, value->kind);
    opevo_text_add(self->out, "(");
    print_value(self, leaf, value->left);
    if (value->right) {
        opevo_text_add(self->out, ", ");
        print_value(self, leaf, value->right);
    }
    opevo_text_add(self->out, ")");
}

/* Without brackets of its own around operators. */
static void print_bare(opevo_i_printer *self, const opevo_i_leaf *leaf, const opevo_i_value *value)
{
    switch (value->kind) {
    case OPEVO_EXPR_READ:
        opevo_i_print_element(self, &leaf->factor[value->read]);
        break;
    case OPEVO_EXPR_NUMBER:
        print_number(self, value->number);
        break;
    case OPEVO_EXPR_WHOLE:
        opevo_text_add(self->out, "(float)(");
        opevo_i_print_affine(self, &value->whole);
        opevo_text_add(self->out, ")");
        break;
    case OPEVO_EXPR_SELECT:
        print_condition(self, leaf, value->condition);
        opevo_text_add(self->out, " ? ");
        print_value(self, leaf, value->left);
        opevo_text_add(self->out, " : ");
        print_value(self, leaf, value->right);
        break;
    case OPEVO_EXPR_NEGATE:
        opevo_text_add(self->out, "-");
        print_value(self, leaf, value->left);
        break;
    default:
        if (!operator_of(value->kind)) {
            print_call(self, leaf, value);
            break;
        }
        print_value(self, leaf, value->left);
        opevo_text_printf(self->out, " %s ", operator_of(value->kind));
        print_value(self, leaf, value->right);
        break;
    }
}

static void print_value(opevo_i_printer *self, const opevo_i_leaf *leaf, const opevo_i_value *value)
{
    bool brackets = operator_of(value->kind) || value->kind == OPEVO_EXPR_SELECT ||
                    value->kind == OPEVO_EXPR_NEGATE;

    opevo_text_add(self->out, brackets ? "(" : "");
    print_bare(self, leaf, value);
    opevo_text_add(self->out, brackets ? ")" : "");
}

void opevo_i_print_leaf_value(opevo_i_printer *self, const opevo_i_leaf *leaf)
{
    if (leaf->kind != OPEVO_I_MAX && leaf->kind != OPEVO_I_MIN) {
        print_bare(self, leaf, leaf->value);
        return;
    }
    print_function_name(self, leaf->kind == OPEVO_I_MAX ? OPEVO_EXPR_MAX : OPEVO_EXPR_MIN);
    opevo_text_add(self->out, "(");
    opevo_i_print_element(self, &leaf->to);
    opevo_text_add(self->out, ", ");
    print_value(self, leaf, leaf->value);
    opevo_text_add(self->out, ")");
}
