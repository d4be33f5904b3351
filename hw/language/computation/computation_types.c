/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a definition of a whole-number type may compute: only what int32 holds for certain. */

#include "computation_parse_internal.h"

#include <math.h>

static bool check_number(opevo_i_comp_parser *self, const opevo_expression *number)
{
    opevo_i_comp_place place = {number->line, number->column};
    double value = number->number;

    if (value == rint(value) && value >= INT32_MIN && value <= INT32_MAX)
        return true;
    return opevo_i_comp_parse_fail(
        self, OPEVO_INVALID, place,
        "%.15g is not an integer of 32 bits, but %s is computed in int32; "
        "declare it float32 or write another number.",
        value, self->defined);
}

static bool check_read(opevo_i_comp_parser *self, const opevo_expression *read)
{
    opevo_i_comp_place place = {read->line, read->column};

    if (opevo_element_is_whole(read->tensor->element))
        return true;
    return opevo_i_comp_parse_fail(self, OPEVO_INVALID, place,
                                   "%s is of type %s, which is not rounded to integers, but %s is "
                                   "computed in int32; declare %s float32.",
                                   read->tensor->name, opevo_element_name(read->tensor->element),
                                   self->defined, self->defined);
}

static bool is_real(opevo_expression_kind kind)
{
    return kind == OPEVO_EXPR_DIVIDE || kind >= OPEVO_EXPR_EXP;
}

static bool check_condition(opevo_i_comp_parser *self, const opevo_condition *condition)
{
    if (condition->left)
        return check_condition(self, condition->left) && check_condition(self, condition->right);
    return condition->a || (opevo_i_comp_check_whole(self, condition->x) &&
                            opevo_i_comp_check_whole(self, condition->y));
}

bool opevo_i_comp_check_whole(opevo_i_comp_parser *self, const opevo_expression *value)
{
    if (is_real(value->kind))
        return opevo_i_comp_parse_fail(
            self, OPEVO_INVALID, (opevo_i_comp_place){value->line, value->column},
            "'/', exp, log, sqrt, tanh, erf and sigmoid have no whole values, but "
            "%s is computed in int32; declare it float32.",
            self->defined);
    if (value->kind == OPEVO_EXPR_NUMBER)
        return check_number(self, value);
    if (value->kind == OPEVO_EXPR_READ)
        return check_read(self, value);
    return (!value->left || opevo_i_comp_check_whole(self, value->left)) &&
           (!value->right || opevo_i_comp_check_whole(self, value->right)) &&
           (!value->condition || check_condition(self, value->condition));
}
