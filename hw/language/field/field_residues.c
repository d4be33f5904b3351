/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inverses of residues, and of pairs of them. */

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

/* ---- Of values ---- */

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
