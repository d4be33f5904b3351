/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Evaluation of definitions in single precision, as a kernel may do it: every operation is rounded,
 * a product and a sum are fused at random, and sums are in random orders. */

#ifndef OPEVO_TESTS_SINGLE_EVALUATOR_H
#define OPEVO_TESTS_SINGLE_EVALUATOR_H

#include "check.h"
#include "computations.h"

#include <float.h>

static inline double uniform(uint64_t *state)
{
    *state = opevo_hash_mix(*state + 1);
    return (double)(*state >> 11) * 0x1p-53;
}

static inline double evaluate_single(evaluator *self, const opevo_expression *expression,
                                     const int64_t *point, uint64_t *state);

static inline bool holds_single(evaluator *self, const opevo_condition *condition,
                                const int64_t *point, uint64_t *state)
{
    float x = 0, y = 0;

    if (condition->left) {
        bool left = holds_single(self, condition->left, point, state);
        bool right = holds_single(self, condition->right, point, state);

        return condition->kind == OPEVO_COND_AND ? left && right : left || right;
    }
    if (condition->a)
        return condition_at(self, condition, point);
    x = (float)evaluate_single(self, condition->x, point, state);
    y = (float)evaluate_single(self, condition->y, point, state);
    return condition->kind == OPEVO_COND_LESS         ? x < y
           : condition->kind == OPEVO_COND_LESS_EQUAL ? x <= y
           : condition->kind == OPEVO_COND_EQUAL      ? x == y
                                                      : x != y;
}

/* As expression_at, each operation rounded to single precision; a sum of a product is fused at
 * times. Returns a single-precision number. */
static inline double evaluate_single(evaluator *self, const opevo_expression *expression,
                                     const int64_t *point, uint64_t *state)
{
    float x = 0, y = 0;

    switch (expression->kind) {
    case OPEVO_EXPR_READ:
        return read_at(self, expression, point);
    case OPEVO_EXPR_NUMBER:
        return (double)(float)expression->number;
    case OPEVO_EXPR_WHOLE:
        return (double)(float)affine_at(expression->index, point);
    case OPEVO_EXPR_SELECT:
        return evaluate_single(self,
                               holds_single(self, expression->condition, point, state)
                                   ? expression->left
                                   : expression->right,
                               point, state);
    default:
        break;
    }
    if (expression->kind == OPEVO_EXPR_ADD && expression->left->kind == OPEVO_EXPR_MULTIPLY &&
        uniform(state) < 0.5)
        return (double)fmaf((float)evaluate_single(self, expression->left->left, point, state),
                            (float)evaluate_single(self, expression->left->right, point, state),
                            (float)evaluate_single(self, expression->right, point, state));
    x = (float)evaluate_single(self, expression->left, point, state);
    y = expression->right ? (float)evaluate_single(self, expression->right, point, state) : 0;
    switch (expression->kind) {
    case OPEVO_EXPR_ADD:
        return (double)(x + y);
    case OPEVO_EXPR_SUBTRACT:
        return (double)(x - y);
    case OPEVO_EXPR_MULTIPLY:
        return (double)(x * y);
    case OPEVO_EXPR_DIVIDE:
        return (double)(x / y);
    case OPEVO_EXPR_MAX:
        return (double)(x > y ? x : y);
    case OPEVO_EXPR_MIN:
        return (double)(x < y ? x : y);
    case OPEVO_EXPR_NEGATE:
        return (double)-x;
    case OPEVO_EXPR_EXP:
        return (double)expf(x);
    case OPEVO_EXPR_SQRT:
        return (double)sqrtf(x);
    case OPEVO_EXPR_TANH:
        return (double)tanhf(x);
    case OPEVO_EXPR_ERF:
        return (double)erff(x);
    case OPEVO_EXPR_LOG:
        return (double)logf(x);
    default:
        return (double)(1 / (1 + expf(-x)));
    }
}

/* A sum in a random order: two of the numbers left are replaced by their sum, again and again. */
static inline double add_in_random_order(float *terms, size_t count, uint64_t *state)
{
    while (count > 1) {
        size_t at = (size_t)(uniform(state) * (double)count) % count;
        float taken = terms[at];

        terms[at] = terms[--count];
        at = (size_t)(uniform(state) * (double)count) % count;
        terms[at] += taken;
    }
    return (double)terms[0];
}

static inline double element_single(evaluator *self, const opevo_definition *definition,
                                    int64_t *point, uint64_t *state)
{
    float terms[4096];
    size_t count = 0;
    float result = 0;

    do
        terms[count++] = (float)evaluate_single(self, definition->value, point, state);
    while (step_axes(definition, definition->spatial, point));
    if (definition->reducer == OPEVO_REDUCER_SUM)
        return add_in_random_order(terms, count, state);
    result = terms[0];
    for (size_t i = 1; i < count; i++) {
        if (definition->reducer == OPEVO_REDUCER_MAX ? terms[i] > result : terms[i] < result)
            result = terms[i];
    }
    return (double)result;
}

/* The error of element e of a tensor as a share of its bound, which it must not exceed; 0 for what
 * has none. Values beyond float may be anything. */
static inline double share_of_bound(const opevo_computation *computation, int tensor, size_t e,
                                    double is, double right, double bound)
{
    double off = fabs(is - right);

    if (isnan(is) || isinf(bound) || fabs(right) > FLT_MAX)
        return 0;
    if (!(off <= bound)) {
        opevo_text text = {0};

        opevo_computation_print(computation, "\n", &text);
        fail_msg("%s\n%s[%zu]: %.9g, expected %.9g within %g", opevo_text_string(&text),
                 computation->tensor[tensor]->name, e, is, right, bound);
    }
    return bound > 0 ? off / bound : 0;
}

#endif
