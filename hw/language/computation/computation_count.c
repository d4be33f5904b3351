/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operations and bytes of a computation. A condition splits the box of a definition's axes; the
 * share of its points where given conditions hold is a product over groups of comparisons that have
 * no axis in common, and each group is counted point by point. */

#include "computation_internal.h"

#include <opevo/computation_access.h>

#include <math.h>

/* MOST_POINTS are of all groups together. */
enum { MOST_LITERALS = 64, MOST_ENUMERATED = 1 << 20, MOST_POINTS = 1 << 24 };

/* A condition that holds, or does not. */
typedef struct literal {
    const opevo_condition *condition;
    bool holds;
} literal;

typedef struct counter {
    const opevo_definition *definition;
    literal path[MOST_LITERALS]; /* neither a conjunction */
    int literals;
    bool lost;      /* a literal had no room */
    bool exact;     /* of all that was counted */
    double counted; /* points of groups */
} counter;

/* A share of points, or an upper bound. */
typedef struct share {
    double value;
    bool exact;
} share;

/* ---- Conditions at a point ---- */

static int64_t value_of(const opevo_affine *affine, const int64_t *point)
{
    int64_t sum = affine->constant;

    for (int i = 0; i < affine->count; i++) {
        const opevo_term *term = &affine->term[i];
        int64_t inner =
            term->atom == OPEVO_ATOM_AXIS ? point[term->axis] : value_of(term->inner, point);
        int64_t quotient =
            term->atom == OPEVO_ATOM_AXIS ? 0 : opevo_i_comp_floor_divide(inner, term->divisor);

        if (term->atom == OPEVO_ATOM_FLOOR)
            inner = quotient;
        else if (term->atom == OPEVO_ATOM_MODULO)
            inner -= quotient * term->divisor;
        sum += term->factor * inner;
    }
    return sum;
}

static bool holds_at(const opevo_condition *condition, const int64_t *point)
{
    int64_t a = condition->a ? value_of(condition->a, point) : 0;
    int64_t b = condition->b ? value_of(condition->b, point) : 0;

    switch (condition->kind) {
    case OPEVO_COND_AND:
        return holds_at(condition->left, point) && holds_at(condition->right, point);
    case OPEVO_COND_OR:
        return holds_at(condition->left, point) || holds_at(condition->right, point);
    case OPEVO_COND_LESS:
        return a < b;
    case OPEVO_COND_LESS_EQUAL:
        return a <= b;
    case OPEVO_COND_EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

/* ---- Axes of a condition ---- */

/* False where values are compared. */
static bool axes_of(const opevo_condition *condition, unsigned *axes)
{
    if (condition->left)
        return axes_of(condition->left, axes) && axes_of(condition->right, axes);
    if (!condition->a)
        return false;
    *axes |= opevo_affine_axes(condition->a) | opevo_affine_axes(condition->b);
    return true;
}

/* ---- Shares ---- */

static double points_of(const opevo_definition *definition, unsigned axes)
{
    double points = 1;

    for (int a = 0; a < definition->axes; a++) {
        if (axes >> a & 1)
            points *= (double)definition->axis[a].extent;
    }
    return points;
}

/* The next point of the box of these axes; false after the last. */
static bool next_point(const opevo_definition *definition, unsigned axes, int64_t *point)
{
    for (int a = definition->axes - 1; a >= 0; a--) {
        if (!(axes >> a & 1))
            continue;
        if (++point[a] < definition->axis[a].extent)
            return true;
        point[a] = 0;
    }
    return false;
}

/* Of the points of `axes`, those where all marked literals hold. */
static double enumerate(counter *self, uint64_t marked, unsigned axes)
{
    int64_t point[OPEVO_COMPUTATION_AXES] = {0};
    double found = 0;
    double points = points_of(self->definition, axes);

    self->counted += points;
    do {
        bool all = true;

        for (int i = 0; i < self->literals && all; i++)
            all = !(marked >> i & 1) ||
                  holds_at(self->path[i].condition, point) == self->path[i].holds;
        found += all;
    } while (next_point(self->definition, axes, point));
    return found / points;
}

/* The literals that share axes with literal `first`, directly or through others. */
static uint64_t group_of(const counter *self, int first, const unsigned *axes, unsigned *together)
{
    uint64_t marked = UINT64_C(1) << first;
    bool grew = true;

    *together = axes[first];
    while (grew) {
        grew = false;
        for (int i = 0; i < self->literals; i++) {
            if (marked >> i & 1 || !(axes[i] & *together))
                continue;
            marked |= UINT64_C(1) << i;
            *together |= axes[i];
            grew = true;
        }
    }
    return marked;
}

/* Share of the points where the whole path holds. */
static share share_of_path(counter *self)
{
    unsigned axes[MOST_LITERALS] = {0};
    share all = {1, !self->lost};
    uint64_t done = 0;

    for (int i = 0; i < self->literals; i++) {
        if (!axes_of(self->path[i].condition, &axes[i])) {
            axes[i] = 0;
            done |= UINT64_C(1) << i;
            all.exact = false;
        }
    }
    for (int i = 0; i < self->literals; i++) {
        unsigned together = 0;
        uint64_t group = group_of(self, i, axes, &together) & ~done;

        if (done >> i & 1)
            continue;
        done |= group;
        if (points_of(self->definition, together) > MOST_ENUMERATED || self->counted > MOST_POINTS)
            all.exact = false;
        else
            all.value *= enumerate(self, group, together);
    }
    return all;
}

static void push(counter *self, const opevo_condition *condition, bool holds)
{
    bool conjunction = condition->kind == (holds ? OPEVO_COND_AND : OPEVO_COND_OR);

    if (condition->left && conjunction) {
        push(self, condition->left, holds);
        push(self, condition->right, holds);
    } else if (self->literals == MOST_LITERALS) {
        self->lost = true;
    } else {
        self->path[self->literals++] = (literal){condition, holds};
    }
}

/* ---- Operations ---- */

static double operations(counter *self, const opevo_expression *expression, share evaluated);

/* Comparisons of values and what they compute, for each evaluation. */
static double comparisons(counter *self, const opevo_condition *condition, share evaluated)
{
    if (condition->left)
        return comparisons(self, condition->left, evaluated) +
               comparisons(self, condition->right, evaluated);
    if (condition->a)
        return 0;
    self->exact &= evaluated.exact;
    return evaluated.value + operations(self, condition->x, evaluated) +
           operations(self, condition->y, evaluated);
}

typedef double (*branch_function)(counter *self, const opevo_expression *expression,
                                  share evaluated);

/* Sum of `each` over both operands of a select, each with its share of what is evaluated: the
 * second has what the first leaves, where that is known exactly. A negated conjunction is one
 * literal of many axes, and would be counted point by point in all of them. */
static double over_branches(counter *self, const opevo_expression *select, share evaluated,
                            branch_function each)
{
    int literals = self->literals;
    bool lost = self->lost;
    share taken = {0, true};
    double sum = 0;

    for (int branch = 0; branch < 2; branch++) {
        share own = {fmax(evaluated.value - taken.value, 0), true};

        push(self, select->condition, branch == 0);
        if (branch == 0 || !evaluated.exact || !taken.exact)
            own = share_of_path(self);
        sum += each(self, branch == 0 ? select->left : select->right, own);
        taken = own;
        self->literals = literals;
        self->lost = lost;
    }
    return sum;
}

static double operations(counter *self, const opevo_expression *expression, share evaluated)
{
    switch (expression->kind) {
    case OPEVO_EXPR_READ:
    case OPEVO_EXPR_NUMBER:
    case OPEVO_EXPR_WHOLE:
        return 0;
    case OPEVO_EXPR_SELECT:
        return comparisons(self, expression->condition, evaluated) +
               over_branches(self, expression, evaluated, operations);
    default:
        self->exact &= evaluated.exact || evaluated.value == 0;
        return evaluated.value + operations(self, expression->left, evaluated) +
               (expression->right ? operations(self, expression->right, evaluated) : 0);
    }
}

/* Points whose term a sum adds: all but those of a 0 that select gives. */
static double additions(counter *self, const opevo_expression *expression, share evaluated)
{
    if (expression->kind == OPEVO_EXPR_SELECT)
        return over_branches(self, expression, evaluated, additions);
    if (expression->kind == OPEVO_EXPR_NUMBER && expression->number == 0)
        return 0;
    self->exact &= evaluated.exact;
    return evaluated.value;
}

double opevo_tensor_points(const opevo_tensor *tensor)
{
    const opevo_definition *definition = tensor->definition;

    return definition ? points_of(definition, (1U << definition->axes) - 1) : 0;
}

opevo_flop opevo_tensor_flop(const opevo_tensor *tensor)
{
    const opevo_definition *definition = tensor->definition;
    counter self = {.definition = definition, .exact = true};
    share everywhere = {1, true};
    double each = 0;

    if (!definition)
        return (opevo_flop){0, true};
    each = operations(&self, definition->value, everywhere);
    if (definition->reducer == OPEVO_REDUCER_SUM)
        each += additions(&self, definition->value, everywhere);
    else if (definition->reducer != OPEVO_REDUCER_NONE)
        each += 1;
    return (opevo_flop){rint(each * opevo_tensor_points(tensor)), self.exact};
}

opevo_flop opevo_computation_flop(const opevo_computation *computation)
{
    opevo_flop sum = {0, true};

    for (int i = 0; i < computation->tensors; i++) {
        opevo_flop one = opevo_tensor_flop(computation->tensor[i]);

        sum.count += one.count;
        sum.exact &= one.exact;
    }
    return sum;
}

double opevo_computation_bytes(const opevo_computation *computation)
{
    double bytes = 0;

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];

        if (tensor->role != OPEVO_ROLE_INTERMEDIATE)
            bytes += (double)opevo_tensor_elements(tensor) * opevo_element_bytes(tensor->element);
    }
    return bytes;
}
