/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Floats as rationals: of all that round to a float, the one of the least denominator, by the
 * continued fractions of the ends of its interval. Both sides of a proof have their constants by
 * the same rule, so that 1/6 is 1/6 wherever a compiler rounded it.
 *
 * Source: Graham, Knuth, Patashnik, "Concrete Mathematics", section 4.5 (the simplest fraction
 * between two others). */

#include "field_internal.h"

#include <float.h>
#include <math.h>

typedef struct rational {
    opevo_i_u128 above, below;
} rational;

/* The simplest fraction from low to high, 0 < low < high. The recursion is that of Euclid. */
static rational simplest(rational low, rational high)
{
    opevo_i_u128 whole = low.above / low.below, rest = low.above - whole * low.below;
    rational inner;

    if (rest == 0)
        return (rational){whole, 1};
    if (whole < high.above / high.below)
        return (rational){whole + 1, 1};
    inner = simplest((rational){high.below, high.above - whole * high.below},
                     (rational){low.below, rest});
    return (rational){whole * inner.above + inner.below, inner.above};
}

static opevo_simt_value of_rational(rational r)
{
    uint64_t above_p = (uint64_t)(r.above % OPEVO_FIELD_P);
    uint64_t above_q = (uint64_t)(r.above % OPEVO_FIELD_Q);
    uint64_t below_p = opevo_i_field_inverse_p((uint64_t)(r.below % OPEVO_FIELD_P));
    uint64_t below_q = opevo_i_field_inverse_q((uint64_t)(r.below % OPEVO_FIELD_Q));

    return (opevo_simt_value){
        {opevo_i_field_mul_p(above_p, below_p), opevo_i_field_mul_q(above_q, below_q), 0}};
}

/* mantissa 2^exponent, without a search: for floats so small that 128 bits do not hold the
 * interval. */
static opevo_simt_value of_tiny(uint64_t mantissa, int exponent)
{
    opevo_simt_value half = of_rational((rational){1, 2}), value = opevo_i_field_whole(mantissa);

    for (; exponent < 0; exponent++)
        value = opevo_i_field_times(&value, &half);
    return value;
}

static opevo_simt_value of_positive(double value, int digits)
{
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), digits);

    exponent -= digits;
    if (exponent >= 0) {
        opevo_simt_value whole = opevo_i_field_whole(mantissa), two = opevo_i_field_whole(2);

        for (; exponent > 0; exponent--)
            whole = opevo_i_field_times(&whole, &two);
        return whole;
    }
    if (exponent < -120)
        return of_tiny(mantissa, exponent);
    if (value == floor(value))
        return opevo_i_field_whole((uint64_t)value);
    return of_rational(
        simplest((rational){2 * (opevo_i_u128)mantissa - 1, (opevo_i_u128)1 << (1 - exponent)},
                 (rational){2 * (opevo_i_u128)mantissa + 1, (opevo_i_u128)1 << (1 - exponent)}));
}

opevo_simt_value opevo_i_field_number(double value, unsigned bytes)
{
    double most = bytes == 8 ? DBL_MAX : bytes == 4 ? (double)FLT_MAX : 65504;
    int digits = bytes == 8 ? DBL_MANT_DIG : FLT_MANT_DIG; /* 16 bits are what they are: too few */
    opevo_simt_value size;

    if (isnan(value))
        return opevo_i_field_special_of(OPEVO_I_FIELD_NOTHING);
    if (fabs(value) >= most)
        return opevo_i_field_special_of(value > 0 ? OPEVO_I_FIELD_INFINITE
                                                  : OPEVO_I_FIELD_MINUS_INFINITE);
    if (value == 0)
        return opevo_i_field_whole(0);
    size = of_positive(fabs(value), digits);
    return value < 0 ? opevo_i_field_negative(&size) : size;
}
