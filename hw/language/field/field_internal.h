/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Residues and their parts of a value.
 *
 * A value has the residue modulo p in word 0, that modulo q in word 1, and bounds of the degrees of
 * its numerator and denominator in the halves of word 2. Bit 63 of word 0 says that it is infinite
 * or does not exist, that of word 1 that it has no residue modulo q.
 *
 * Both moduli are 2^k - c with a small c, so that a product is reduced by two multiplications with
 * c: 2^k = c. */

#ifndef OPEVO_FIELD_INTERNAL_H
#define OPEVO_FIELD_INTERNAL_H

#include <opevo/proof_field.h>

enum { OPEVO_I_FIELD_POWER_BITS = 8, OPEVO_I_FIELD_POWER_ROWS = 8 };

#define OPEVO_I_FIELD_SPECIAL (UINT64_C(1) << 63)
#define OPEVO_I_FIELD_INFINITE OPEVO_I_FIELD_SPECIAL
#define OPEVO_I_FIELD_MINUS_INFINITE (OPEVO_I_FIELD_SPECIAL + 1)
#define OPEVO_I_FIELD_NOTHING (OPEVO_I_FIELD_SPECIAL + 2)
#define OPEVO_I_FIELD_NO_Q (UINT64_C(1) << 63)

/* ---- Residues ---- */

__extension__ typedef unsigned __int128 opevo_i_u128;

/* a b modulo m = 2^bits - c, for a and b below m. */
static inline uint64_t opevo_i_field_product(uint64_t a, uint64_t b, uint64_t m, unsigned bits,
                                             uint64_t c)
{
    const uint64_t low = (UINT64_C(1) << bits) - 1;
    opevo_i_u128 t = (opevo_i_u128)a * b;
    uint64_t r;

    t = (uint64_t)(t >> bits) * (opevo_i_u128)c + ((uint64_t)t & low);
    r = (uint64_t)(t >> bits) * c + ((uint64_t)t & low); /* below 2^bits + c^2 */
    return r >= m ? r - m : r;
}

static inline uint64_t opevo_i_field_mul_p(uint64_t a, uint64_t b)
{
    return opevo_i_field_product(a, b, OPEVO_FIELD_P, 62, 10565);
}

static inline uint64_t opevo_i_field_mul_q(uint64_t a, uint64_t b)
{
    return opevo_i_field_product(a, b, OPEVO_FIELD_Q, 61, 5283);
}

static inline uint64_t opevo_i_field_add(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t sum = a + b;

    return sum >= m ? sum - m : sum;
}

static inline uint64_t opevo_i_field_minus(uint64_t a, uint64_t m)
{
    return a ? m - a : 0;
}

uint64_t opevo_i_field_inverse_p(uint64_t a); /* of 0: 0 */
uint64_t opevo_i_field_inverse_q(uint64_t a);

/* ---- Values ---- */

static inline bool opevo_i_field_special(const opevo_simt_value *a)
{
    return a->word[0] >> 63;
}

static inline uint64_t opevo_i_field_degrees(uint64_t numerator, uint64_t denominator)
{
    numerator = numerator >= UINT32_MAX ? UINT32_MAX - 1 : numerator;
    denominator = denominator >= UINT32_MAX ? UINT32_MAX - 1 : denominator;
    return numerator | denominator << 32;
}

static inline opevo_simt_value opevo_i_field_special_of(uint64_t which)
{
    return (opevo_simt_value){{which, OPEVO_I_FIELD_NO_Q, 0}};
}

static inline opevo_simt_value opevo_i_field_whole(uint64_t n)
{
    return (opevo_simt_value){{n, n, 0}};
}

static inline uint64_t opevo_i_field_sum_degrees(uint64_t a, uint64_t b)
{
    uint64_t above_a = (uint32_t)a, above_b = (uint32_t)b, below_a = a >> 32, below_b = b >> 32;

    if (!(below_a | below_b))
        return above_a > above_b ? above_a : above_b;
    above_a += below_b;
    above_b += below_a;
    return opevo_i_field_degrees(above_a > above_b ? above_a : above_b, below_a + below_b);
}

static inline opevo_simt_value opevo_i_field_special_sum(const opevo_simt_value *a,
                                                         const opevo_simt_value *b)
{
    if (!opevo_i_field_special(a))
        return *b;
    return opevo_i_field_special(b) && a->word[0] != b->word[0]
               ? opevo_i_field_special_of(OPEVO_I_FIELD_NOTHING)
               : *a;
}

static inline opevo_simt_value opevo_i_field_sum(const opevo_simt_value *a,
                                                 const opevo_simt_value *b)
{
    uint64_t no_q = (a->word[1] | b->word[1]) & OPEVO_I_FIELD_NO_Q;

    if ((a->word[0] | b->word[0]) >> 63)
        return opevo_i_field_special_sum(a, b);
    return (opevo_simt_value){
        {opevo_i_field_add(a->word[0], b->word[0], OPEVO_FIELD_P),
         no_q ? no_q : opevo_i_field_add(a->word[1], b->word[1], OPEVO_FIELD_Q),
         opevo_i_field_sum_degrees(a->word[2], b->word[2])}};
}

/* An infinity keeps its size only: the sign of the other factor is not known. */
static inline opevo_simt_value opevo_i_field_times(const opevo_simt_value *a,
                                                   const opevo_simt_value *b)
{
    uint64_t no_q = (a->word[1] | b->word[1]) & OPEVO_I_FIELD_NO_Q;

    if ((a->word[0] | b->word[0]) >> 63)
        return opevo_i_field_special_of(OPEVO_I_FIELD_NOTHING);
    return (opevo_simt_value){
        {opevo_i_field_mul_p(a->word[0], b->word[0]),
         no_q ? no_q : opevo_i_field_mul_q(a->word[1], b->word[1]),
         opevo_i_field_degrees((uint64_t)(uint32_t)a->word[2] + (uint32_t)b->word[2],
                               (a->word[2] >> 32) + (b->word[2] >> 32))}};
}

opevo_simt_value opevo_i_field_negative(const opevo_simt_value *a);
opevo_simt_value opevo_i_field_inverse(const opevo_simt_value *a);

/* field_number.c: the rational of the least denominator within half a unit in the last place. */
opevo_simt_value opevo_i_field_number(double value, unsigned bytes);

/* ---- Fields ---- */

typedef struct opevo_i_maxima opevo_i_maxima;

struct opevo_field {
    opevo_simt_arithmetic arithmetic;
    uint64_t key[2];
    uint64_t power[OPEVO_I_FIELD_POWER_ROWS][1 << OPEVO_I_FIELD_POWER_BITS]; /* omega^(i 256^row) */
    opevo_i_maxima *maxima;
    opevo_field_uses uses;
    opevo_simt_value log2_e;
    uint64_t *stored; /* residues of opevo_field_store, ascending */
    size_t stored_count, stored_capacity;
    bool failed;
};

/* A random value for a number of an unknown function and its arguments, of degree 1. */
opevo_simt_value opevo_i_field_unknown(opevo_field *self, uint64_t function,
                                       const uint64_t *arguments, unsigned count);
/* A function other than + - * / has this argument. */
static inline void opevo_i_field_note(opevo_field *self, const opevo_simt_value *argument)
{
    uint64_t degree = (argument->word[2] & UINT32_MAX) + (argument->word[2] >> 32);

    if (2 * degree > self->uses.degree)
        self->uses.degree = 2 * degree;
}

opevo_simt_value opevo_i_field_exp(opevo_field *self, const opevo_simt_value *x);

/* field_operations.c: all functions of an arithmetic. */
void opevo_i_field_operations(opevo_simt_arithmetic *out);

/* field_rounding.c */
bool opevo_i_field_round(const opevo_simt_arithmetic *arithmetic, uint32_t lanes,
                         opevo_simt_value *values, unsigned bytes);

/* field_maxima.c */
opevo_i_maxima *opevo_i_maxima_create(void);
void opevo_i_maxima_destroy(opevo_i_maxima *self);
/* The value of the union of the sets that a and b stand for. False without memory. */
bool opevo_i_maxima_join(opevo_field *field, const opevo_simt_value *a, const opevo_simt_value *b,
                         opevo_simt_value *out);

#endif
