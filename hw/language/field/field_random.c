/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random values of a field: inputs, unknown functions, and powers of omega. */

#include "field_internal.h"

#include <opevo/hash.h>

/* Two residues of a state of 128 bits; a residue is off the uniform law by less than 2^-60. */
static opevo_simt_value draw(const opevo_field *self, uint64_t a, uint64_t b)
{
    uint64_t x = opevo_hash_mix(a ^ opevo_hash_mix(b + self->key[0]));
    uint64_t y = opevo_hash_mix(x + self->key[1] + b);
    uint64_t z = opevo_hash_mix(y + UINT64_C(0x9e3779b97f4a7c15) + a);
    uint64_t w = opevo_hash_mix(z ^ self->key[0]);
    opevo_i_u128 wide_p = (opevo_i_u128)y << 64 | x, wide_q = (opevo_i_u128)w << 64 | z;

    return (opevo_simt_value){{(uint64_t)(wide_p % OPEVO_FIELD_P),
                               (uint64_t)(wide_q % OPEVO_FIELD_Q), opevo_i_field_degrees(1, 0)}};
}

opevo_simt_value opevo_field_input(const opevo_field *self, uint64_t tensor, uint64_t element)
{
    return draw(self, opevo_hash_mix(tensor + 1), element);
}

opevo_simt_value opevo_i_field_unknown(opevo_field *self, uint64_t function,
                                       const uint64_t *arguments, unsigned count)
{
    uint64_t a = ~function, b = opevo_hash_mix(function ^ self->key[1]);

    self->uses.unknown++;
    for (unsigned i = 0; i < count; i++) {
        a = opevo_hash_mix(a ^ arguments[i]);
        b = opevo_hash_mix(b + arguments[i] + a);
    }
    return draw(self, a, b);
}

opevo_simt_value opevo_i_field_exp(opevo_field *self, const opevo_simt_value *x)
{
    uint64_t power = 1;

    if (x->word[0] == OPEVO_I_FIELD_MINUS_INFINITE)
        return opevo_i_field_whole(0);
    if (opevo_i_field_special(x))
        return *x;
    if (x->word[0] == 0 && (x->word[1] == 0 || x->word[1] == OPEVO_I_FIELD_NO_Q))
        return opevo_i_field_whole(1);
    self->uses.exponentials++;
    opevo_i_field_note(self, x);
    if (x->word[1] == OPEVO_I_FIELD_NO_Q) {
        opevo_simt_value unknown =
            opevo_i_field_unknown(self, OPEVO_SIMT_VALUE_EXP, &x->word[0], 1);

        unknown.word[1] = OPEVO_I_FIELD_NO_Q;
        return unknown;
    }
    for (unsigned row = 0; row < OPEVO_I_FIELD_POWER_ROWS; row++)
        power = opevo_i_field_mul_p(power, self->power[row][x->word[1] >> 8 * row & 255]);
    return (opevo_simt_value){{power, OPEVO_I_FIELD_NO_Q, opevo_i_field_degrees(1, 0)}};
}
