/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Atoms are interned, so that equal quotients have equal numbers and expressions that are built
 * alike compare equal term by term. */

#include "affine_internal.h"

#include <opevo/memory.h>

#include <string.h>

void opevo_i_affine_atoms_free(opevo_i_affine_atoms *atoms)
{
    opevo_free(atoms->item);
    *atoms = (opevo_i_affine_atoms){0};
}

static int add_atom(opevo_i_affine_atoms *atoms, const opevo_i_affine_atom *atom)
{
    if (!opevo_reserve((void **)&atoms->item, &atoms->capacity, atoms->count + 1,
                       sizeof *atoms->item)) {
        atoms->failed = true;
        return 0;
    }
    atoms->item[atoms->count] = *atom;
    return (int)atoms->count++;
}

int opevo_i_affine_atoms_loop(opevo_i_affine_atoms *atoms, int64_t extent)
{
    return add_atom(atoms, &(opevo_i_affine_atom){.is_loop = true, .extent = extent});
}

int opevo_i_affine_atoms_argument(opevo_i_affine_atoms *atoms, int64_t most)
{
    return add_atom(
        atoms, &(opevo_i_affine_atom){.is_loop = true, .is_argument = true, .extent = most + 1});
}

bool opevo_i_affine_equal(const opevo_i_affine *a, const opevo_i_affine *b)
{
    if (a->constant != b->constant || a->count != b->count || a->overflow || b->overflow)
        return false;
    for (int i = 0; i < a->count; i++) {
        if (a->term[i].factor != b->term[i].factor || a->term[i].atom != b->term[i].atom)
            return false;
    }
    return true;
}

/* The number of an atom that is no loop variable; `failed` stands for a missing one. */
static int intern(opevo_i_affine_atoms *atoms, const opevo_i_affine_atom *atom)
{
    for (size_t i = 0; i < atoms->count; i++) {
        const opevo_i_affine_atom *one = &atoms->item[i];

        if (!one->is_loop && one->divisor == atom->divisor && one->modulus == atom->modulus &&
            one->argument == atom->argument && opevo_i_affine_equal(&one->inner, &atom->inner))
            return (int)i;
    }
    return add_atom(atoms, atom);
}

/* The atom (inner / divisor) % modulus. */
static int find_atom(opevo_i_affine_atoms *atoms, const opevo_i_affine *inner, int64_t divisor,
                     int64_t modulus)
{
    int64_t most = opevo_i_affine_most(atoms, inner);
    opevo_i_affine_atom atom = {.inner = *inner, .divisor = divisor, .modulus = modulus};

    atom.extent = most / divisor + 1;
    if (modulus && modulus < atom.extent)
        atom.extent = modulus;
    return intern(atoms, &atom);
}

opevo_i_affine opevo_i_affine_constant(int64_t constant)
{
    return (opevo_i_affine){.constant = constant};
}

opevo_i_affine opevo_i_affine_of_atom(int atom)
{
    opevo_i_affine a = {.count = 1};

    a.term[0].factor = 1;
    a.term[0].atom = atom;
    return a;
}

static void add_term(opevo_i_affine *a, int64_t factor, int atom)
{
    int at = 0;

    while (at < a->count && a->term[at].atom < atom)
        at++;
    if (at < a->count && a->term[at].atom == atom) {
        a->term[at].factor += factor;
        if (a->term[at].factor == 0) {
            a->count--;
            memmove(&a->term[at], &a->term[at + 1], (size_t)(a->count - at) * sizeof a->term[0]);
        }
        return;
    }
    if (a->count == OPEVO_I_TERMS) {
        a->overflow = true;
        return;
    }
    memmove(&a->term[at + 1], &a->term[at], (size_t)(a->count - at) * sizeof a->term[0]);
    a->count++;
    a->term[at].factor = factor;
    a->term[at].atom = atom;
}

static void add_scaled(opevo_i_affine *a, int64_t factor, const opevo_i_affine *b)
{
    a->overflow |= b->overflow;
    a->constant += factor * b->constant;
    for (int i = 0; i < b->count && factor; i++)
        add_term(a, factor * b->term[i].factor, b->term[i].atom);
}

/* d * f * (e / d) + f * (e % d) = f * e */
static bool join_once(const opevo_i_affine_atoms *atoms, opevo_i_affine *a)
{
    for (int i = 0; i < a->count; i++) {
        const opevo_i_affine_atom *rest = &atoms->item[a->term[i].atom];

        if (rest->is_loop || rest->divisor != 1)
            continue;
        for (int j = 0; j < a->count; j++) {
            const opevo_i_affine_atom *quotient = &atoms->item[a->term[j].atom];
            opevo_i_affine inner = rest->inner;
            int64_t factor = a->term[i].factor;
            int rest_atom = a->term[i].atom;
            int quotient_atom = a->term[j].atom;

            if (quotient->is_loop || quotient->modulus || quotient->divisor != rest->modulus ||
                a->term[j].factor != factor * rest->modulus ||
                !opevo_i_affine_equal(&quotient->inner, &inner))
                continue;
            add_term(a, -factor * quotient->divisor, quotient_atom);
            add_term(a, -factor, rest_atom);
            add_scaled(a, factor, &inner);
            return true;
        }
    }
    return false;
}

opevo_i_affine opevo_i_affine_add(const opevo_i_affine_atoms *atoms, opevo_i_affine a,
                                  int64_t factor, const opevo_i_affine *b)
{
    add_scaled(&a, factor, b);
    while (join_once(atoms, &a))
        continue;
    return a;
}

/* a = divisor * whole + rest, with 0 <= rest constant < divisor. */
static void separate(const opevo_i_affine *a, int64_t divisor, opevo_i_affine *whole,
                     opevo_i_affine *rest)
{
    *whole = opevo_i_affine_constant(a->constant / divisor);
    *rest = opevo_i_affine_constant(a->constant % divisor);
    whole->overflow = rest->overflow = a->overflow;
    if (rest->constant < 0) {
        rest->constant += divisor;
        whole->constant--;
    }
    for (int i = 0; i < a->count; i++) {
        if (a->term[i].factor % divisor == 0)
            add_term(whole, a->term[i].factor / divisor, a->term[i].atom);
        else
            add_term(rest, a->term[i].factor, a->term[i].atom);
    }
}

int64_t opevo_i_affine_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

int64_t opevo_i_affine_divisor(const opevo_i_affine *a)
{
    int64_t divisor = 0;

    for (int i = 0; i < a->count; i++)
        divisor = opevo_i_affine_gcd(divisor, a->term[i].factor);
    return divisor;
}

/* e = unit * coarse + fine with 0 <= fine < unit and unit a divisor of `divisor`, as large as the
 * terms allow. What is fine changes no quotient and passes through the remainder. */
static int64_t find_unit(const opevo_i_affine_atoms *atoms, const opevo_i_affine *e,
                         int64_t divisor, opevo_i_affine *coarse, opevo_i_affine *fine)
{
    for (int i = 0; i < e->count; i++) {
        /* The terms with a factor at least as large as this one's are coarse. */
        int64_t least = e->term[i].factor;
        int64_t unit = divisor;

        for (int j = 0; j < e->count; j++) {
            if (e->term[j].factor >= least)
                unit = opevo_i_affine_gcd(unit, e->term[j].factor);
        }
        if (unit <= 1)
            continue;
        *coarse = opevo_i_affine_constant(e->constant / unit);
        *fine = opevo_i_affine_constant(e->constant % unit);
        coarse->overflow = e->overflow;
        for (int j = 0; j < e->count; j++) {
            if (e->term[j].factor % unit == 0)
                add_term(coarse, e->term[j].factor / unit, e->term[j].atom);
            else
                add_term(fine, e->term[j].factor, e->term[j].atom);
        }
        if (opevo_i_affine_least(atoms, fine) >= 0 && opevo_i_affine_most(atoms, fine) < unit)
            return unit;
    }
    return 1;
}

opevo_i_affine opevo_i_affine_scale(opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                                    int argument)
{
    opevo_i_affine result = opevo_i_affine_constant(0);
    opevo_i_affine scale = opevo_i_affine_of_atom(argument);

    result.overflow = a->overflow;
    for (int i = 0; i < a->count; i++) {
        opevo_i_affine_atom atom = {.inner = opevo_i_affine_of_atom(a->term[i].atom),
                                    .argument = argument};
        int64_t most = opevo_i_affine_most(atoms, &atom.inner);

        atom.extent = most * (atoms->item[argument].extent - 1) + 1;
        add_term(&result, a->term[i].factor, intern(atoms, &atom));
    }
    add_scaled(&result, a->constant, &scale);
    return result;
}

opevo_i_affine opevo_i_affine_divide(opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                                     int64_t divisor)
{
    opevo_i_affine whole;
    opevo_i_affine rest;
    opevo_i_affine coarse;
    opevo_i_affine fine;
    int64_t unit = 1;

    if (divisor == 1)
        return *a;
    separate(a, divisor, &whole, &rest);
    if (opevo_i_affine_least(atoms, &rest) < 0) { /* a mixture of signs: keep it in one piece */
        whole = opevo_i_affine_constant(0);
        whole.overflow = a->overflow;
        rest = *a;
    }
    if (opevo_i_affine_most(atoms, &rest) < divisor)
        return whole;
    unit = find_unit(atoms, &rest, divisor, &coarse, &fine);
    if (unit > 1)
        rest = coarse;
    add_term(&whole, 1, find_atom(atoms, &rest, divisor / unit, 0));
    return whole;
}

/* Whether or not the expression fits. */
static opevo_i_affine modulo(opevo_i_affine_atoms *atoms, const opevo_i_affine *a, int64_t modulus)
{
    opevo_i_affine whole;
    opevo_i_affine rest;
    opevo_i_affine coarse;
    opevo_i_affine fine;
    opevo_i_affine result;
    int64_t unit = 1;

    if (modulus == 1)
        return opevo_i_affine_constant(0);
    separate(a, modulus, &whole, &rest);
    if (opevo_i_affine_least(atoms, &rest) < 0)
        rest = *a;
    if (opevo_i_affine_most(atoms, &rest) < modulus)
        return rest;
    unit = find_unit(atoms, &rest, modulus, &coarse, &fine);
    if (unit == 1)
        return opevo_i_affine_of_atom(find_atom(atoms, &rest, 1, modulus));
    result = fine;
    if (modulus > unit)
        add_term(&result, unit, find_atom(atoms, &coarse, 1, modulus / unit));
    return result;
}

opevo_i_affine opevo_i_affine_modulo(opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                                     int64_t modulus)
{
    opevo_i_affine result = modulo(atoms, a, modulus);

    result.overflow |= a->overflow;
    return result;
}

opevo_i_affine opevo_i_affine_replace(opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                                      int atom, const opevo_i_affine *value)
{
    opevo_i_affine result = opevo_i_affine_constant(a->constant);

    if (!opevo_i_affine_uses(atoms, a, atom))
        return *a;
    result.overflow = a->overflow;
    for (int i = 0; i < a->count; i++) {
        int one = a->term[i].atom;
        opevo_i_affine piece = opevo_i_affine_of_atom(one);

        if (one == atom) {
            piece = *value;
        } else if (!atoms->item[one].is_loop &&
                   opevo_i_affine_uses(atoms, &atoms->item[one].inner, atom)) {
            opevo_i_affine_atom copy = atoms->item[one];
            opevo_i_affine inner = opevo_i_affine_replace(atoms, &copy.inner, atom, value);

            if (opevo_i_affine_is_product(&copy))
                piece = opevo_i_affine_scale(atoms, &inner, copy.argument);
            else
                piece = copy.modulus ? opevo_i_affine_modulo(atoms, &inner, copy.modulus)
                                     : opevo_i_affine_divide(atoms, &inner, copy.divisor);
        }
        result = opevo_i_affine_add(atoms, result, a->term[i].factor, &piece);
    }
    return result;
}

int64_t opevo_i_affine_least(const opevo_i_affine_atoms *atoms, const opevo_i_affine *a)
{
    int64_t least = a->constant;

    for (int i = 0; i < a->count; i++) {
        if (a->term[i].factor < 0)
            least += a->term[i].factor * (atoms->item[a->term[i].atom].extent - 1);
    }
    return least;
}

int64_t opevo_i_affine_most(const opevo_i_affine_atoms *atoms, const opevo_i_affine *a)
{
    int64_t most = a->constant;

    for (int i = 0; i < a->count; i++) {
        if (a->term[i].factor > 0)
            most += a->term[i].factor * (atoms->item[a->term[i].atom].extent - 1);
    }
    return most;
}

bool opevo_i_affine_uses(const opevo_i_affine_atoms *atoms, const opevo_i_affine *a, int atom)
{
    for (int i = 0; i < a->count; i++) {
        const opevo_i_affine_atom *one = &atoms->item[a->term[i].atom];

        if (a->term[i].atom == atom || (opevo_i_affine_is_product(one) && one->argument == atom) ||
            (!one->is_loop && opevo_i_affine_uses(atoms, &one->inner, atom)))
            return true;
    }
    return false;
}

int64_t opevo_i_affine_factor(const opevo_i_affine *a, int atom)
{
    for (int i = 0; i < a->count; i++) {
        if (a->term[i].atom == atom)
            return a->term[i].factor;
    }
    return 0;
}

int64_t opevo_i_affine_value(const opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                             const int64_t *value)
{
    int64_t sum = a->constant;

    for (int i = 0; i < a->count; i++) {
        int one = a->term[i].atom;
        const opevo_i_affine_atom *atom = &atoms->item[one];
        int64_t number =
            atom->is_loop ? value[one] : opevo_i_affine_value(atoms, &atom->inner, value);

        if (opevo_i_affine_is_product(atom))
            number *= value[atom->argument];
        else if (!atom->is_loop)
            number = atom->modulus ? number % atom->modulus : number / atom->divisor;
        sum += a->term[i].factor * number;
    }
    return sum;
}

bool opevo_i_affine_is_aligned(const opevo_i_affine *a, int lane, int64_t width)
{
    if (a->constant % width)
        return false;
    for (int i = 0; i < a->count; i++) {
        if (a->term[i].atom != lane && a->term[i].factor % width)
            return false;
    }
    return true;
}
