/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums, products and inverses of pairs of residues, and the degrees that they have at most. */

#include "field_internal.h"

/* ---- Inverses of residues ---- */

/* a^-1 by Euclid's algorithm on a and m. */
static uint64_t inverse(uint64_t a, uint64_t m)
{
    uint64_t r = m, s = a;
    int64_t t = 0, u = 1; /* t a = r and u a = s modulo m; both are below m in size */

    while (s > 1) {
        uint64_t quotient = r / s, rest = r % s;
        int64_t next = t - (int64_t)quotient * u;

        r = s;
        s = rest;
        t = u;
        u = next;
    }
    return s == 0 ? 0 : u < 0 ? m - (uint64_t)-u : (uint64_t)u;
}

uint64_t opevo_i_field_inverse_p(uint64_t a)
{
    return inverse(a, OPEVO_FIELD_P);
}

uint64_t opevo_i_field_inverse_q(uint64_t a)
{
    return inverse(a, OPEVO_FIELD_Q);
}

/* ---- Sums and products ---- */

static uint64_t sum_degrees(uint64_t a, uint64_t b)
{
    uint64_t above_a = (uint32_t)a, above_b = (uint32_t)b, below_a = a >> 32, below_b = b >> 32;

    if (!(below_a | below_b))
        return above_a > above_b ? above_a : above_b;
    above_a += below_b;
    above_b += below_a;
    return opevo_i_field_degrees(above_a > above_b ? above_a : above_b, below_a + below_b);
}

static opevo_simt_value special_sum(const opevo_simt_value *a, const opevo_simt_value *b)
{
    if (!opevo_i_field_special(a))
        return *b;
    return opevo_i_field_special(b) && a->word[0] != b->word[0]
               ? opevo_i_field_special_of(OPEVO_I_FIELD_NOTHING)
               : *a;
}

opevo_simt_value opevo_i_field_sum(const opevo_simt_value *a, const opevo_simt_value *b)
{
    uint64_t no_q = (a->word[1] | b->word[1]) & OPEVO_I_FIELD_NO_Q;

    if ((a->word[0] | b->word[0]) >> 63)
        return special_sum(a, b);
    return (opevo_simt_value){
        {opevo_i_field_add(a->word[0], b->word[0], OPEVO_FIELD_P),
         no_q ? no_q : opevo_i_field_add(a->word[1], b->word[1], OPEVO_FIELD_Q),
         sum_degrees(a->word[2], b->word[2])}};
}

/* An infinity keeps its size only: the sign of the other factor is not known. */
opevo_simt_value opevo_i_field_times(const opevo_simt_value *a, const opevo_simt_value *b)
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

opevo_simt_value opevo_i_field_negative(const opevo_simt_value *a)
{
    if (opevo_i_field_special(a))
        return a->word[0] == OPEVO_I_FIELD_NOTHING ? *a : opevo_i_field_special_of(a->word[0] ^ 1);
    return (opevo_simt_value){{opevo_i_field_minus(a->word[0], OPEVO_FIELD_P),
                               a->word[1] == OPEVO_I_FIELD_NO_Q
                                   ? a->word[1]
                                   : opevo_i_field_minus(a->word[1], OPEVO_FIELD_Q),
                               a->word[2]}};
}

/* Where the residue modulo q alone is 0, the value has none. */
opevo_simt_value opevo_i_field_inverse(const opevo_simt_value *a)
{
    bool has_q = !(a->word[1] & OPEVO_I_FIELD_NO_Q) && a->word[1];

    if (a->word[0] == OPEVO_I_FIELD_INFINITE || a->word[0] == OPEVO_I_FIELD_MINUS_INFINITE)
        return opevo_i_field_whole(0);
    if (opevo_i_field_special(a) || a->word[0] == 0)
        return opevo_i_field_special_of(OPEVO_I_FIELD_NOTHING);
    return (opevo_simt_value){{opevo_i_field_inverse_p(a->word[0]),
                               has_q ? opevo_i_field_inverse_q(a->word[1]) : OPEVO_I_FIELD_NO_Q,
                               a->word[2] >> 32 | a->word[2] << 32}};
}
