/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Fields: their keys and tables, and the comparison of results. */

#include "field_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#define OMEGA 4 /* a square, so that its order divides the prime q; and it is not 1 */
#define LOG2_E 1.44269504f

/* ---- Creation ---- */

static void fill_powers(opevo_field *self)
{
    uint64_t base = OMEGA;

    for (unsigned row = 0; row < OPEVO_I_FIELD_POWER_ROWS; row++) {
        self->power[row][0] = 1;
        for (unsigned i = 1; i < 1 << OPEVO_I_FIELD_POWER_BITS; i++)
            self->power[row][i] = opevo_i_field_mul_p(self->power[row][i - 1], base);
        base = opevo_i_field_mul_p(self->power[row][(1 << OPEVO_I_FIELD_POWER_BITS) - 1], base);
    }
}

static opevo_simt_value number(const opevo_simt_arithmetic *arithmetic, double value,
                               unsigned bytes)
{
    (void)arithmetic;
    return opevo_i_field_number(value, bytes);
}

opevo_status opevo_field_create(uint64_t seed, opevo_field **out, opevo_error *err)
{
    opevo_field *self = opevo_calloc(1, sizeof *self);

    if (!self || !(self->maxima = opevo_i_maxima_create())) {
        opevo_free(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a proof.");
    }
    self->key[0] = opevo_hash_mix(seed + UINT64_C(0x9e3779b97f4a7c15));
    self->key[1] = opevo_hash_mix(self->key[0] ^ UINT64_C(0xd1b54a32d192ed03));
    self->log2_e = opevo_i_field_number((double)LOG2_E, sizeof(float));
    fill_powers(self);
    opevo_i_field_operations(&self->arithmetic);
    self->arithmetic.name = "field";
    self->arithmetic.context = self;
    self->arithmetic.number = number;
    self->arithmetic.round = opevo_i_field_round;
    self->arithmetic.rounded_bytes = 2;
    *out = self;
    return OPEVO_OK;
}

void opevo_field_destroy(opevo_field *self)
{
    if (!self)
        return;
    opevo_i_maxima_destroy(self->maxima);
    opevo_free(self->stored);
    opevo_free(self);
}

const opevo_simt_arithmetic *opevo_field_arithmetic(const opevo_field *self)
{
    return &self->arithmetic;
}

bool opevo_field_failed(const opevo_field *self)
{
    return self->failed;
}

opevo_field_uses opevo_field_used(const opevo_field *self)
{
    return self->uses;
}

/* ---- Results ---- */

opevo_field_comparison opevo_field_compare(const opevo_simt_value *a, const opevo_simt_value *b)
{
    if (a->word[0] == OPEVO_I_FIELD_NOTHING || b->word[0] == OPEVO_I_FIELD_NOTHING)
        return OPEVO_FIELD_OPEN;
    return a->word[0] == b->word[0] ? OPEVO_FIELD_EQUAL : OPEVO_FIELD_DIFFERENT;
}

uint32_t opevo_field_numerator(const opevo_simt_value *value)
{
    return (uint32_t)value->word[2];
}

uint32_t opevo_field_denominator(const opevo_simt_value *value)
{
    return (uint32_t)(value->word[2] >> 32);
}
