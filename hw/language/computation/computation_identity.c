/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which computations are the same: their tensors, axes and expressions one by one, without names.
 * What the hash is taken of is what the comparison compares. */

#include "computation_internal.h"

#include <opevo/hash.h>

#include <string.h>

/* ---- Hash ---- */

static uint64_t add(uint64_t hash, uint64_t number)
{
    return opevo_hash_mix(hash + UINT64_C(0x9e3779b97f4a7c15) + number);
}

static uint64_t add_affine(uint64_t hash, const opevo_affine *affine)
{
    hash = add(add(hash, (uint64_t)affine->constant), (uint64_t)affine->count);
    for (int i = 0; i < affine->count; i++) {
        const opevo_term *term = &affine->term[i];

        hash = add(add(hash, (uint64_t)term->factor), (uint64_t)term->atom);
        if (term->atom == OPEVO_ATOM_AXIS)
            hash = add(hash, (uint64_t)term->axis);
        else
            hash = add_affine(add(hash, (uint64_t)term->divisor), term->inner);
    }
    return hash;
}

static uint64_t add_expression(uint64_t hash, const opevo_expression *expression);

static uint64_t add_condition(uint64_t hash, const opevo_condition *condition)
{
    hash = add(add(hash, (uint64_t)condition->kind), condition->a != NULL);
    if (condition->left)
        return add_condition(add_condition(hash, condition->left), condition->right);
    if (condition->a)
        return add_affine(add_affine(hash, condition->a), condition->b);
    return add_expression(add_expression(hash, condition->x), condition->y);
}

static uint64_t add_expression(uint64_t hash, const opevo_expression *expression)
{
    uint64_t bits = 0;

    hash = add(hash, (uint64_t)expression->kind);
    switch (expression->kind) {
    case OPEVO_EXPR_READ:
        hash = add(hash, (uint64_t)expression->tensor->number);
        for (int d = 0; d < expression->tensor->dims; d++)
            hash = add_affine(hash, &expression->index[d]);
        return hash;
    case OPEVO_EXPR_NUMBER:
        memcpy(&bits, &expression->number, sizeof bits);
        return add(hash, bits);
    case OPEVO_EXPR_WHOLE:
        return add_affine(hash, expression->index);
    default:
        if (expression->condition)
            hash = add_condition(hash, expression->condition);
        hash = add_expression(hash, expression->left);
        return expression->right ? add_expression(hash, expression->right) : hash;
    }
}

static uint64_t add_tensor(uint64_t hash, const opevo_tensor *tensor)
{
    const opevo_definition *definition = tensor->definition;

    hash = add(add(hash, (uint64_t)tensor->element), (uint64_t)tensor->role);
    hash = add(hash, (uint64_t)tensor->dims);
    for (int d = 0; d < tensor->dims; d++)
        hash = add(hash, (uint64_t)tensor->extent[d]);
    if (!definition)
        return hash;
    hash = add(add(hash, (uint64_t)definition->reducer), (uint64_t)definition->axes);
    for (int a = definition->spatial; a < definition->axes; a++)
        hash = add(hash, (uint64_t)definition->axis[a].extent);
    return add_expression(hash, definition->value);
}

uint64_t opevo_computation_hash(const opevo_computation *computation)
{
    uint64_t hash = (uint64_t)computation->tensors;

    for (int i = 0; i < computation->tensors; i++)
        hash = add_tensor(hash, computation->tensor[i]);
    return hash;
}

/* ---- Comparison ---- */

static bool same_affine(const opevo_affine *a, const opevo_affine *b)
{
    bool same = a->constant == b->constant && a->count == b->count;

    for (int i = 0; i < a->count && same; i++)
        same = a->term[i].factor == b->term[i].factor &&
               opevo_i_comp_atom_compare(&a->term[i], &b->term[i]) == 0;
    return same;
}

static bool same_expression(const opevo_expression *a, const opevo_expression *b);

static bool same_condition(const opevo_condition *a, const opevo_condition *b)
{
    if (a->kind != b->kind || !a->a != !b->a)
        return false;
    if (a->left)
        return same_condition(a->left, b->left) && same_condition(a->right, b->right);
    if (a->a)
        return same_affine(a->a, b->a) && same_affine(a->b, b->b);
    return same_expression(a->x, b->x) && same_expression(a->y, b->y);
}

static bool same_read(const opevo_expression *a, const opevo_expression *b)
{
    bool same = a->tensor->number == b->tensor->number && a->tensor->dims == b->tensor->dims;

    for (int d = 0; d < a->tensor->dims && same; d++)
        same = same_affine(&a->index[d], &b->index[d]);
    return same;
}

static bool same_expression(const opevo_expression *a, const opevo_expression *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case OPEVO_EXPR_READ:
        return same_read(a, b);
    case OPEVO_EXPR_NUMBER:
        return memcmp(&a->number, &b->number, sizeof a->number) == 0;
    case OPEVO_EXPR_WHOLE:
        return same_affine(a->index, b->index);
    default:
        return (!a->condition || same_condition(a->condition, b->condition)) &&
               same_expression(a->left, b->left) &&
               (!a->right || same_expression(a->right, b->right));
    }
}

static bool same_tensor(const opevo_tensor *a, const opevo_tensor *b)
{
    const opevo_definition *x = a->definition, *y = b->definition;
    bool same = a->element == b->element && a->role == b->role && a->dims == b->dims && !x == !y;

    for (int d = 0; d < a->dims && same; d++)
        same = a->extent[d] == b->extent[d];
    if (!same || !x)
        return same;
    same = x->reducer == y->reducer && x->axes == y->axes;
    for (int i = x->spatial; i < x->axes && same; i++)
        same = x->axis[i].extent == y->axis[i].extent;
    return same && same_expression(x->value, y->value);
}

bool opevo_computation_same(const opevo_computation *a, const opevo_computation *b)
{
    bool same = a->tensors == b->tensors;

    for (int i = 0; i < a->tensors && same && a != b; i++)
        same = same_tensor(a->tensor[i], b->tensor[i]);
    return same;
}
