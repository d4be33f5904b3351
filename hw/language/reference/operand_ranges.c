/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random inputs are of both signs, for which a root or a quotient may not exist, nor a logarithm.
 * So the inputs that decide the sign of a divisor or of the argument of a root or logarithm are
 * drawn positive: those that are found from it through sums, products, quotients, max, min, select
 * and the definitions that are read. A product of two elements of one tensor is taken for a
 * square. */

#include "operands_internal.h"

#include <opevo/memory.h>

/* Note what makes an expression positive. */
static void want(const opevo_expression *expression, bool *positive)
{
    switch (expression->kind) {
    case OPEVO_EXPR_READ:
        positive[expression->tensor->number] = true;
        return;
    case OPEVO_EXPR_MULTIPLY:
        if (expression->left->kind == OPEVO_EXPR_READ &&
            expression->left->tensor == expression->right->tensor)
            return;
        break;
    case OPEVO_EXPR_SUBTRACT:
    case OPEVO_EXPR_TANH:
    case OPEVO_EXPR_ERF:
        want(expression->left, positive);
        return;
    case OPEVO_EXPR_ADD:
    case OPEVO_EXPR_DIVIDE:
    case OPEVO_EXPR_MAX:
    case OPEVO_EXPR_MIN:
    case OPEVO_EXPR_SELECT:
        break;
    default: /* has its sign whatever it is made of, or loses it */
        return;
    }
    want(expression->left, positive);
    want(expression->right, positive);
}

static void look(const opevo_expression *expression, bool *positive);

static void look_at_condition(const opevo_condition *condition, bool *positive)
{
    if (condition->left) {
        look_at_condition(condition->left, positive);
        look_at_condition(condition->right, positive);
    } else if (condition->x) {
        look(condition->x, positive);
        look(condition->y, positive);
    }
}

/* Find the divisors, and the arguments of roots and logarithms, below an expression. */
static void look(const opevo_expression *expression, bool *positive)
{
    if (expression->kind == OPEVO_EXPR_SQRT || expression->kind == OPEVO_EXPR_LOG)
        want(expression->left, positive);
    if (expression->kind == OPEVO_EXPR_DIVIDE)
        want(expression->right, positive);
    if (expression->condition)
        look_at_condition(expression->condition, positive);
    if (expression->left)
        look(expression->left, positive);
    if (expression->right)
        look(expression->right, positive);
}

/* Definitions come after all that they read, so the last comes first here. */
opevo_status opevo_i_reference_positive_tensors(const opevo_computation *computation, bool **out,
                                                opevo_error *err)
{
    bool *positive = opevo_calloc((size_t)computation->tensors, sizeof *positive);

    OPEVO_NEED_OR_RETURN(positive, "operands");
    for (int i = computation->tensors - 1; i >= 0; i--) {
        const opevo_definition *definition = computation->tensor[i]->definition;

        if (!definition)
            continue;
        look(definition->value, positive);
        if (positive[i])
            want(definition->value, positive);
    }
    *out = positive;
    return OPEVO_OK;
}
