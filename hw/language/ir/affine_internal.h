/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Index expressions: a constant plus integer multiples of atoms. An atom is a loop variable or the
 * quotient or remainder of another expression, as fused loops make them:
 *
 *     e = c + sum_i f_i * atom_i,   atom = v or (e' / d) % m or a * p,   0 <= atom < its extent.
 *
 * An argument p of the kernel, such as an extent that is known when it is called, is a loop
 * variable that no loop gives its values; a * p, the product of an atom and an argument, is what
 * strides of such arrays need.
 *
 * The operations keep what is exactly divisible out of quotients and put a quotient and its
 * remainder together again, so that a fused and then split loop usually leaves no division. */

#ifndef OPEVO_AFFINE_INTERNAL_H
#define OPEVO_AFFINE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPEVO_I_TERMS = 40 };

/* A plain value. `overflow` marks an expression that did not fit; it survives every operation. */
typedef struct opevo_i_affine {
    int64_t constant;
    int count;
    bool overflow;
    struct {
        int64_t factor; /* not 0 */
        int atom;       /* ascending */
    } term[OPEVO_I_TERMS];
} opevo_i_affine;

typedef struct opevo_i_affine_atom {
    bool is_loop;
    bool is_argument; /* a loop variable, too */
    int64_t extent;
    /* Of a quotient (modulus 0) or remainder (divisor 1); `inner` is never negative. */
    opevo_i_affine inner;
    int64_t divisor, modulus; /* both 0 for a product of `inner` with an argument: */
    int argument;             /* an atom */
} opevo_i_affine_atom;

/* Start from {0}. */
typedef struct opevo_i_affine_atoms {
    opevo_i_affine_atom *item;
    size_t count, capacity;
    bool failed; /* no memory; every expression made since is worthless */
} opevo_i_affine_atoms;

/* The greatest common divisor; 0 of two zeros. */
int64_t opevo_i_affine_gcd(int64_t a, int64_t b);

void opevo_i_affine_atoms_free(opevo_i_affine_atoms *atoms);
/* A new loop variable with values 0 .. extent - 1; 0 with `failed` set without memory. */
int opevo_i_affine_atoms_loop(opevo_i_affine_atoms *atoms, int64_t extent);
/* A new argument with values 0 .. most; likewise. */
int opevo_i_affine_atoms_argument(opevo_i_affine_atoms *atoms, int64_t most);
/* Whether an atom is a product with an argument. */
static inline bool opevo_i_affine_is_product(const opevo_i_affine_atom *atom)
{
    return !atom->is_loop && !atom->divisor && !atom->modulus;
}

opevo_i_affine opevo_i_affine_constant(int64_t constant);
opevo_i_affine opevo_i_affine_of_atom(int atom);
/* a + factor * b */
opevo_i_affine opevo_i_affine_add(const opevo_i_affine_atoms *atoms, opevo_i_affine a,
                                  int64_t factor, const opevo_i_affine *b);
/* a times an argument, for an `a` that is never negative. */
opevo_i_affine opevo_i_affine_scale(opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                                    int argument);
/* a / divisor and a % modulus, for an `a` that is never negative. */
opevo_i_affine opevo_i_affine_divide(opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                                     int64_t divisor);
opevo_i_affine opevo_i_affine_modulo(opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                                     int64_t modulus);
/* `a` with `value` in the place of the atom, also inside quotients and remainders. */
opevo_i_affine opevo_i_affine_replace(opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                                      int atom, const opevo_i_affine *value);

/* Bounds of the values: every atom taken to range freely. */
int64_t opevo_i_affine_least(const opevo_i_affine_atoms *atoms, const opevo_i_affine *a);
int64_t opevo_i_affine_most(const opevo_i_affine_atoms *atoms, const opevo_i_affine *a);
/* Whether the loop variable occurs anywhere in it. */
bool opevo_i_affine_uses(const opevo_i_affine_atoms *atoms, const opevo_i_affine *a, int atom);
bool opevo_i_affine_equal(const opevo_i_affine *a, const opevo_i_affine *b);
/* The greatest common divisor of its factors; 0 without any. */
int64_t opevo_i_affine_divisor(const opevo_i_affine *a);
/* Its factor outside quotients and remainders, 0 when absent. */
int64_t opevo_i_affine_factor(const opevo_i_affine *a, int atom);
/* Its value where value[atom] is that of each loop variable. Hook of tests. */
int64_t opevo_i_affine_value(const opevo_i_affine_atoms *atoms, const opevo_i_affine *a,
                             const int64_t *value);

/* Whether all but the term of atom `lane` is a multiple of `width`. */
bool opevo_i_affine_is_aligned(const opevo_i_affine *a, int lane, int64_t width);

#endif
