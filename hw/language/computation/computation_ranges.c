/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether whole values stay in their types: each part of a definition of type int8 or int32 in
 * int32, and the result in its own. Bounds are those of interval arithmetic: of inputs, what their
 * type holds, for int32 OPEVO_INT32_INPUT; conditions are not looked at. A sum of n terms is
 * between n times the least and n times the largest, and 0, whatever its order. So what is accepted
 * never overflows, and all orders and all vectors give the same result. */

#include "computation_parse_internal.h"

#include <opevo/memory.h>

#include <math.h>

typedef struct interval {
    double least, most;
} interval;

typedef struct checker {
    opevo_i_comp_parser *parser;
    const opevo_tensor *tensor; /* whose definition is looked at */
    interval *of;               /* each tensor */
} checker;

static interval around(double a, double b, double c, double d)
{
    return (interval){fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d))};
}

static bool look(const checker *self, const opevo_expression *value, interval *out);

static bool look_at_condition(const checker *self, const opevo_condition *condition)
{
    interval unused;

    if (condition->left)
        return look_at_condition(self, condition->left) &&
               look_at_condition(self, condition->right);
    return !condition->x ||
           (look(self, condition->x, &unused) && look(self, condition->y, &unused));
}

static bool look_at_leaf(const checker *self, const opevo_expression *value, interval *out)
{
    if (value->kind == OPEVO_EXPR_READ)
        *out = self->of[value->tensor->number];
    else if (value->kind == OPEVO_EXPR_NUMBER)
        *out = (interval){value->number, value->number};
    else
        opevo_i_comp_affine_range(self->tensor->definition, value->index, &out->least, &out->most);
    return true;
}

static interval combine(opevo_expression_kind kind, interval a, interval b)
{
    switch (kind) {
    case OPEVO_EXPR_ADD:
        return (interval){a.least + b.least, a.most + b.most};
    case OPEVO_EXPR_SUBTRACT:
        return (interval){a.least - b.most, a.most - b.least};
    case OPEVO_EXPR_MULTIPLY:
        return around(a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most);
    case OPEVO_EXPR_MAX:
        return (interval){fmax(a.least, b.least), fmax(a.most, b.most)};
    case OPEVO_EXPR_MIN:
        return (interval){fmin(a.least, b.least), fmin(a.most, b.most)};
    case OPEVO_EXPR_SELECT:
        return (interval){fmin(a.least, b.least), fmax(a.most, b.most)};
    default: /* NEGATE */
        return (interval){-a.most, -a.least};
    }
}

/* Fail unless the values of an expression are those of a type. */
static bool need(const checker *self, const opevo_expression *at, const char *what, interval value,
                 opevo_element element)
{
    double least = opevo_element_least(element), most = opevo_element_most(element);

    if (value.least >= least && value.most <= most)
        return true;
    return opevo_i_comp_parse_fail(
        self->parser, OPEVO_INVALID, (opevo_i_comp_place){at->line, at->column},
        "%s of %s may be from %.15g to %.15g, which %s does not hold; limit "
        "it with max and min, or "
        "declare %s %s.",
        what, self->tensor->name, value.least, value.most, opevo_element_name(element),
        self->tensor->name, element == OPEVO_INT8 ? "int32" : "float32");
}

static bool look(const checker *self, const opevo_expression *value, interval *out)
{
    interval a = {0, 0}, b = {0, 0};

    if (value->kind <= OPEVO_EXPR_WHOLE) {
        if (!look_at_leaf(self, value, out))
            return false;
    } else {
        if (!look(self, value->left, &a) || (value->right && !look(self, value->right, &b)) ||
            (value->condition && !look_at_condition(self, value->condition)))
            return false;
        *out = combine(value->kind, a, b);
    }
    return need(self, value, "A value", *out, OPEVO_INT32);
}

static bool check(checker *self, interval *out)
{
    const opevo_definition *definition = self->tensor->definition;
    double terms = 1;

    if (!look(self, definition->value, out))
        return false;
    for (int a = definition->spatial; a < definition->axes; a++)
        terms *= (double)definition->axis[a].extent;
    if (definition->reducer == OPEVO_REDUCER_SUM) {
        *out = (interval){fmin(0, terms * out->least), fmax(0, terms * out->most)};
        if (!need(self, definition->value, "A sum", *out, OPEVO_INT32))
            return false;
    }
    return need(self, definition->value, "The result", *out, self->tensor->element);
}

bool opevo_i_comp_check_ranges(opevo_i_comp_parser *parser)
{
    checker self = {.parser = parser,
                    .of = opevo_calloc(parser->tensor_count + 1, sizeof *self.of)};
    bool done = self.of != NULL;

    if (!done)
        return opevo_i_comp_parse_no_memory(parser);
    for (size_t i = 0; i < parser->tensor_count && done; i++) {
        self.tensor = parser->pending[i].tensor;
        if (!opevo_element_is_whole(self.tensor->element))
            continue;
        self.of[i] =
            self.tensor->element == OPEVO_INT32
                ? (interval){-OPEVO_INT32_INPUT, OPEVO_INT32_INPUT}
                : (interval){opevo_element_least(OPEVO_INT8), opevo_element_most(OPEVO_INT8)};
        if (self.tensor->definition)
            done = check(&self, &self.of[i]);
    }
    opevo_free(self.of);
    return done;
}
