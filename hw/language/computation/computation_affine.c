/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Integer index expressions in their canonical form: a constant and terms in order, no atom
 * twice. */

#include "computation_internal.h"

#include <string.h>

int64_t opevo_i_comp_floor_divide(int64_t a, int64_t divisor)
{
    int64_t quotient = a / divisor;

    return a % divisor < 0 ? quotient - 1 : quotient;
}

bool opevo_i_comp_is_axis(const opevo_affine *affine)
{
    return affine->count == 1 && affine->constant == 0 && affine->term[0].factor == 1 &&
           affine->term[0].atom == OPEVO_ATOM_AXIS;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_affine(const opevo_affine *a, const opevo_affine *b)
{
    int order = compare(a->count, b->count);

    for (int i = 0; i < a->count && order == 0; i++) {
        order = opevo_i_comp_atom_compare(&a->term[i], &b->term[i]);
        if (order == 0)
            order = compare(a->term[i].factor, b->term[i].factor);
    }
    return order ? order : compare(a->constant, b->constant);
}

int opevo_i_comp_atom_compare(const opevo_term *a, const opevo_term *b)
{
    int order = compare((int)a->atom, (int)b->atom);

    if (order == 0 && a->atom == OPEVO_ATOM_AXIS)
        return compare(a->axis, b->axis);
    if (order == 0)
        order = compare(a->divisor, b->divisor);
    return order ? order : compare_affine(a->inner, b->inner);
}

void opevo_i_comp_whole_of(const opevo_affine *affine, opevo_i_comp_whole *out)
{
    out->constant = affine->constant;
    out->count = affine->count;
    if (affine->count)
        memcpy(out->term, affine->term, (size_t)affine->count * sizeof *affine->term);
}

/* *a += factor b. */
static bool add_product(int64_t *a, int64_t factor, int64_t b)
{
    int64_t product = 0;

    return !__builtin_mul_overflow(factor, b, &product) && !__builtin_add_overflow(*a, product, a);
}

/* The place of an atom in the order; *found: whether it stands there. */
static int place_of(const opevo_i_comp_whole *a, const opevo_term *term, bool *found)
{
    for (int i = 0; i < a->count; i++) {
        int order = opevo_i_comp_atom_compare(&a->term[i], term);

        if (order >= 0) {
            *found = order == 0;
            return i;
        }
    }
    *found = false;
    return a->count;
}

static bool add_term(opevo_i_comp_whole *a, int64_t factor, const opevo_term *term)
{
    bool found = false;
    int at = place_of(a, term, &found);
    size_t behind = (size_t)(a->count - at) * sizeof *a->term;

    if (!found) {
        if (a->count == 2 * OPEVO_COMPUTATION_TERMS)
            return false;
        memmove(&a->term[at + 1], &a->term[at], behind);
        a->count++;
        a->term[at] = *term;
        a->term[at].factor = 0;
    }
    if (!add_product(&a->term[at].factor, factor, term->factor))
        return false;
    if (a->term[at].factor == 0) {
        a->count--;
        memmove(&a->term[at], &a->term[at + 1], (size_t)(a->count - at) * sizeof *a->term);
    }
    return true;
}

bool opevo_i_comp_whole_add(opevo_i_comp_whole *a, int64_t factor, const opevo_i_comp_whole *b)
{
    bool fits = add_product(&a->constant, factor, b->constant);

    for (int i = 0; i < b->count && fits && factor; i++)
        fits = add_term(a, factor, &b->term[i]);
    return fits;
}

bool opevo_i_comp_whole_divide(opevo_i_comp_whole *a, int64_t divisor, bool modulo,
                               opevo_i_comp_arena *arena)
{
    opevo_i_comp_whole inner = {0};
    opevo_i_comp_whole quotient = {.constant = opevo_i_comp_floor_divide(a->constant, divisor)};
    opevo_term rest = {
        .factor = 1, .atom = modulo ? OPEVO_ATOM_MODULO : OPEVO_ATOM_FLOOR, .divisor = divisor};

    inner.constant = a->constant - quotient.constant * divisor;
    for (int i = 0; i < a->count; i++) {
        opevo_term term = a->term[i];
        bool whole = term.factor % divisor == 0;

        if (whole)
            term.factor /= divisor;
        if (!add_term(whole ? &quotient : &inner, 1, &term))
            return false;
    }
    if (modulo)
        quotient = (opevo_i_comp_whole){0};
    *a = quotient;
    if (inner.count == 0) {
        a->constant += modulo ? inner.constant : 0;
        return true;
    }
    rest.inner = opevo_i_comp_whole_store(&inner, arena);
    return rest.inner && add_term(a, 1, &rest);
}

static int size_of(const opevo_term *term, int count)
{
    int size = count;

    for (int i = 0; i < count; i++) {
        if (term[i].atom != OPEVO_ATOM_AXIS)
            size += size_of(term[i].inner->term, term[i].inner->count);
    }
    return size;
}

int opevo_i_comp_whole_size(const opevo_i_comp_whole *a)
{
    return size_of(a->term, a->count);
}

opevo_affine *opevo_i_comp_whole_store(const opevo_i_comp_whole *a, opevo_i_comp_arena *arena)
{
    opevo_affine *stored = opevo_i_comp_arena_take(arena, sizeof *stored);
    const opevo_term *terms =
        opevo_i_comp_arena_copy(arena, a->term, (size_t)a->count * sizeof *a->term);

    if (!stored || !terms)
        return NULL;
    *stored = (opevo_affine){.constant = a->constant, .count = a->count, .term = terms};
    return stored;
}

bool opevo_i_comp_whole_uses(const opevo_affine *a, int axis)
{
    for (int i = 0; i < a->count; i++) {
        if (a->term[i].atom == OPEVO_ATOM_AXIS ? a->term[i].axis == axis
                                               : opevo_i_comp_whole_uses(a->term[i].inner, axis))
            return true;
    }
    return false;
}
