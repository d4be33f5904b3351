/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Index expressions: whatever the operations simplify, the value stays that of the operations done
 * on numbers, and never leaves the stated bounds. */

#include "check.h"

#include <opevo/memory.h>
#include <opevo/random.h>

#include "affine_internal.h"

enum { LOOPS = 6, TRIALS = 3000 };

/* A random expression and, at a random place, its value. */
typedef struct pair {
    opevo_i_affine e;
    int64_t value;
} pair;

static pair random_sum(opevo_i_affine_atoms *atoms, opevo_rng *rng, const int *loop,
                       const int64_t *at)
{
    pair sum = {opevo_i_affine_constant(0), 0};

    sum.value = (int64_t)opevo_rng_below(rng, 20);
    sum.e.constant = sum.value;
    for (int i = 0; i < LOOPS; i++) {
        opevo_i_affine one = opevo_i_affine_of_atom(loop[i]);
        int64_t factor = (int64_t)opevo_rng_below(rng, 4) * (int64_t)(1 + opevo_rng_below(rng, 9));

        sum.e = opevo_i_affine_add(atoms, sum.e, factor, &one);
        sum.value += factor * at[loop[i]];
    }
    return sum;
}

static void check_pair(opevo_i_affine_atoms *atoms, const pair *one, const int64_t *at)
{
    assert_false(one->e.overflow);
    assert_int_equal(opevo_i_affine_value(atoms, &one->e, at), one->value);
    assert_true(opevo_i_affine_least(atoms, &one->e) <= one->value);
    assert_true(opevo_i_affine_most(atoms, &one->e) >= one->value);
}

CHECK_TEST(test_operations)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "affine", 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        opevo_i_affine_atoms atoms = {0};
        int loop[LOOPS];
        int64_t at[256] = {0};
        pair sum;
        opevo_i_affine other;

        for (int i = 0; i < LOOPS; i++) {
            int64_t extent = 1 + (int64_t)opevo_rng_below(&rng, 7);

            loop[i] = opevo_i_affine_atoms_loop(&atoms, extent);
            at[loop[i]] = (int64_t)opevo_rng_below(&rng, (uint64_t)extent);
        }
        sum = random_sum(&atoms, &rng, loop, at);
        for (int i = 0; i < 5; i++) {
            int64_t number = 1 + (int64_t)opevo_rng_below(&rng, 12);
            pair next = random_sum(&atoms, &rng, loop, at);

            switch (opevo_rng_below(&rng, 3)) {
            case 0:
                sum.e = opevo_i_affine_divide(&atoms, &sum.e, number);
                sum.value /= number;
                break;
            case 1:
                sum.e = opevo_i_affine_modulo(&atoms, &sum.e, number);
                sum.value %= number;
                break;
            default:
                sum.e = opevo_i_affine_add(&atoms, sum.e, number, &next.e);
                sum.value += number * next.value;
            }
            check_pair(&atoms, &sum, at);
        }
        /* Replacing a loop by what has its value changes nothing. */
        other = opevo_i_affine_constant(at[loop[2]]);
        sum.e = opevo_i_affine_replace(&atoms, &sum.e, loop[2], &other);
        check_pair(&atoms, &sum, at);
        assert_false(opevo_i_affine_uses(&atoms, &sum.e, loop[2]));
        opevo_i_affine_atoms_free(&atoms);
    }
}

/* Loops that are fused and split again leave no division where the lengths fit. */
CHECK_TEST(test_simplified)
{
    opevo_i_affine_atoms atoms = {0};
    opevo_i_affine outer = opevo_i_affine_of_atom(opevo_i_affine_atoms_loop(&atoms, 3));
    opevo_i_affine inner = opevo_i_affine_of_atom(opevo_i_affine_atoms_loop(&atoms, 8));
    opevo_i_affine fused = opevo_i_affine_add(&atoms, inner, 8, &outer);
    opevo_i_affine quotient = opevo_i_affine_divide(&atoms, &fused, 8);
    opevo_i_affine rest = opevo_i_affine_modulo(&atoms, &fused, 8);
    opevo_i_affine again;

    assert_true(opevo_i_affine_equal(&quotient, &outer));
    assert_true(opevo_i_affine_equal(&rest, &inner));
    /* 7 (e / 7) + e % 7 is e, although neither part is simple. */
    quotient = opevo_i_affine_divide(&atoms, &fused, 7);
    rest = opevo_i_affine_modulo(&atoms, &fused, 7);
    assert_false(opevo_i_affine_equal(&rest, &fused));
    again = opevo_i_affine_add(&atoms, rest, 7, &quotient);
    assert_true(opevo_i_affine_equal(&again, &fused));
    /* Four lanes change no quotient by a multiple of four of what is a multiple of four. */
    fused = opevo_i_affine_of_atom(opevo_i_affine_atoms_loop(&atoms, 100));
    inner = opevo_i_affine_of_atom(opevo_i_affine_atoms_loop(&atoms, 4));
    again = opevo_i_affine_add(&atoms, inner, 4, &fused);
    quotient = opevo_i_affine_divide(&atoms, &again, 12);
    rest = opevo_i_affine_modulo(&atoms, &again, 12);
    assert_false(opevo_i_affine_uses(&atoms, &quotient, inner.term[0].atom));
    assert_int_equal(opevo_i_affine_factor(&rest, inner.term[0].atom), 1);
    opevo_i_affine_atoms_free(&atoms);
}

/* What did not fit stays marked as such, whatever is done to it. */
CHECK_TEST(test_overflow)
{
    opevo_i_affine_atoms atoms = {0};
    opevo_i_affine sum = opevo_i_affine_constant(1);
    opevo_i_affine zero = opevo_i_affine_constant(0);
    int first = opevo_i_affine_atoms_loop(&atoms, 8);

    for (int i = 0; i < OPEVO_I_TERMS; i++) {
        opevo_i_affine one =
            opevo_i_affine_of_atom(i ? opevo_i_affine_atoms_loop(&atoms, 8) : first);

        assert_false(sum.overflow);
        sum = opevo_i_affine_add(&atoms, sum, 1 + i % 3, &one);
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        opevo_i_affine one = opevo_i_affine_of_atom(opevo_i_affine_atoms_loop(&atoms, 2));
        opevo_i_affine most = opevo_i_affine_add(&atoms, sum, sign, &one);

        assert_true(most.overflow);
        for (int64_t number = 1; number < 2000; number += number < 20 ? 1 : 97) {
            assert_true(opevo_i_affine_divide(&atoms, &most, number).overflow);
            assert_true(opevo_i_affine_modulo(&atoms, &most, number).overflow);
        }
        assert_true(opevo_i_affine_add(&atoms, most, -1, &zero).overflow);
        assert_true(opevo_i_affine_add(&atoms, zero, -1, &most).overflow);
        assert_true(opevo_i_affine_replace(&atoms, &most, first, &zero).overflow);
    }
    opevo_i_affine_atoms_free(&atoms);
}
