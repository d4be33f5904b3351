/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether the roundings of a sum can be taken as independent: where each term is a product with a
 * factor that was drawn for it alone. Equal terms are rounded alike, and their errors add up as in
 * the worst case; so do those of terms that are lost in much larger ones. What is not recognised
 * here is not taken as independent. */

#include "operands_internal.h"

#include <opevo/computation_access.h>
#include <opevo/memory.h>

enum { MOST_TERMS = 1 << 20 }; /* more are lost in their sum too often */

static bool is_whole_condition(const opevo_condition *condition)
{
    return condition->left
               ? is_whole_condition(condition->left) && is_whole_condition(condition->right)
               : condition->a != NULL;
}

static bool is_zero(const opevo_expression *value)
{
    return value->kind == OPEVO_EXPR_NUMBER && value->number == 0;
}

/* What stands beside the zeros of padding. */
static const opevo_expression *without_padding(const opevo_expression *value)
{
    while (value->kind == OPEVO_EXPR_SELECT && is_whole_condition(value->condition) &&
           (is_zero(value->left) || is_zero(value->right)))
        value = is_zero(value->right) ? value->left : value->right;
    return value;
}

/* ---- Elements of like sizes ---- */

static bool is_even(const opevo_expression *value, const bool *even)
{
    value = without_padding(value);
    switch (value->kind) {
    case OPEVO_EXPR_READ:
        return even[value->tensor->number];
    case OPEVO_EXPR_MULTIPLY:
        if (value->left->kind == OPEVO_EXPR_NUMBER)
            return is_even(value->right, even);
        return value->right->kind == OPEVO_EXPR_NUMBER
                   ? is_even(value->left, even)
                   : is_even(value->left, even) && is_even(value->right, even);
    case OPEVO_EXPR_ADD:
    case OPEVO_EXPR_SUBTRACT:
        return is_even(value->left, even) && is_even(value->right, even);
    case OPEVO_EXPR_DIVIDE:
        return value->right->kind == OPEVO_EXPR_NUMBER && is_even(value->left, even);
    case OPEVO_EXPR_MAX:
    case OPEVO_EXPR_MIN:
        return is_zero(value->right) && is_even(value->left, even);
    case OPEVO_EXPR_NEGATE:
        return is_even(value->left, even);
    default:
        return false;
    }
}

static bool has_even_elements(const opevo_tensor *tensor, const bool *even)
{
    return !tensor->definition || is_even(tensor->definition->value, even);
}

/* ---- Elements that were drawn ---- */

/* Whether an index is another one for each value of an axis, whatever the other axes are. */
static bool moves(const opevo_affine *index, int axis)
{
    int plain = 0, divided = 0;

    for (int t = 0; t < index->count; t++) {
        const opevo_term *term = &index->term[t];

        if (term->atom == OPEVO_ATOM_AXIS)
            plain += term->axis == axis;
        else
            divided += (int)(opevo_affine_axes(term->inner) >> axis & 1);
    }
    return plain == 1 && divided == 0;
}

/* The dimensions along which the elements of a tensor were drawn one by one, a bit each: all of an
 * input, and those that a copy of one keeps. *input is the tensor that was drawn. */
static unsigned drawn_dims(const opevo_tensor *tensor, const opevo_tensor **input)
{
    const opevo_definition *definition = tensor->definition;
    const opevo_expression *value = definition ? without_padding(definition->value) : NULL;
    unsigned from = 0, dims = 0;

    *input = tensor;
    if (!definition)
        return (1U << tensor->dims) - 1;
    if (value->kind != OPEVO_EXPR_READ || definition->axes > definition->spatial)
        return 0;
    from = drawn_dims(value->tensor, input);
    for (int d = 0; d < value->tensor->dims; d++) {
        const opevo_affine *index = &value->index[d];

        if (from >> d & 1 && index->count == 1 && index->term[0].atom == OPEVO_ATOM_AXIS)
            dims |= 1U << index->term[0].axis;
    }
    return dims;
}

/* How many different elements that were drawn one by one a read gives the terms of one sum. */
static double count_drawn(const opevo_definition *definition, const opevo_expression *read,
                          const opevo_tensor **input)
{
    unsigned drawn = drawn_dims(read->tensor, input), used = 0;
    double count = 1;

    for (int d = 0; d < read->tensor->dims; d++) {
        int best = -1;

        for (int a = definition->spatial; a < definition->axes && drawn >> d & 1; a++) {
            if (!(used >> a & 1) && moves(&read->index[d], a) &&
                (best < 0 || definition->axis[a].extent > definition->axis[best].extent))
                best = a;
        }
        if (best >= 0) {
            used |= 1U << best;
            count *= (double)definition->axis[best].extent;
        }
    }
    return count;
}

/* ---- Terms ---- */

enum { OTHER_PLACES = 4 }; /* more are not told apart */

typedef struct term_reads {
    const opevo_definition *definition;
    const opevo_tensor *input; /* of which most elements were drawn for the sum */
    double drawn;              /* so many */
    const opevo_expression *read[OTHER_PLACES];
    int places; /* where a term reads it */
} term_reads;

static bool is_same_index(const opevo_affine *a, const opevo_affine *b)
{
    bool same = a->constant == b->constant && a->count == b->count;

    for (int t = 0; same && t < a->count; t++) {
        const opevo_term *one = &a->term[t], *other = &b->term[t];

        same = one->atom == other->atom && one->factor == other->factor &&
               (one->atom == OPEVO_ATOM_AXIS
                    ? one->axis == other->axis
                    : one->divisor == other->divisor && is_same_index(one->inner, other->inner));
    }
    return same;
}

static bool is_same_place(const opevo_expression *a, const opevo_expression *b)
{
    bool same = a->tensor == b->tensor;

    for (int d = 0; same && d < a->tensor->dims; d++)
        same = is_same_index(&a->index[d], &b->index[d]);
    return same;
}

/* Whether a term is a product of elements of like sizes and numbers. */
static bool is_product(const opevo_expression *value, const bool *even)
{
    value = without_padding(value);
    switch (value->kind) {
    case OPEVO_EXPR_MULTIPLY:
        return is_product(value->left, even) && is_product(value->right, even);
    case OPEVO_EXPR_NEGATE:
        return is_product(value->left, even);
    case OPEVO_EXPR_READ:
        return even[value->tensor->number];
    default:
        return value->kind == OPEVO_EXPR_NUMBER;
    }
}

static void find_drawn(void *context, const opevo_expression *read)
{
    term_reads *self = context;
    const opevo_tensor *input = NULL;
    double drawn = count_drawn(self->definition, read, &input);

    if (drawn > self->drawn) {
        self->drawn = drawn;
        self->input = input;
    }
}

static void note_place(void *context, const opevo_expression *read)
{
    term_reads *self = context;
    const opevo_tensor *input = NULL;

    drawn_dims(read->tensor, &input);
    if (input != self->input)
        return;
    for (int i = 0; i < self->places && i < OTHER_PLACES; i++) {
        if (is_same_place(self->read[i], read))
            return;
    }
    if (self->places < OTHER_PLACES)
        self->read[self->places] = read;
    self->places++;
}

/* How many terms of a sum may be alike. */
static double count_alike(const opevo_definition *definition, const bool *even)
{
    term_reads self = {.definition = definition};
    double terms = 1;

    for (int a = definition->spatial; a < definition->axes; a++)
        terms *= (double)definition->axis[a].extent;
    if (terms > MOST_TERMS || !is_product(definition->value, even))
        return terms;
    opevo_expression_reads(definition->value, find_drawn, &self);
    opevo_expression_reads(definition->value, note_place, &self);
    return self.drawn > 1 ? terms / self.drawn * self.places : terms;
}

opevo_status opevo_i_reference_find_alike(const opevo_computation *computation, double **out,
                                          opevo_error *err)
{
    size_t count = (size_t)computation->tensors;
    bool *even = opevo_calloc(count, sizeof *even);
    double *alike = opevo_calloc(count, sizeof *alike);

    if (!even || !alike) {
        opevo_free(even);
        opevo_free(alike);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to evaluate a computation.");
    }
    for (size_t i = 0; i < count; i++) {
        const opevo_tensor *tensor = computation->tensor[i];

        alike[i] = tensor->definition ? count_alike(tensor->definition, even) : 1;
        even[i] = has_even_elements(tensor, even);
    }
    opevo_free(even);
    *out = alike;
    return OPEVO_OK;
}
