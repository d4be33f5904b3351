/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Types of elements: their names, their sizes, and their values in memory. Values go from and to
 * double, so that nothing is rounded twice. */

#include <opevo/element.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* A floating-point type has `digits` bits behind the point of a normal number, and numbers from
 * 2^least, which are normal, to below 2^(most + 1). */
static const struct {
    const char *name;
    int bytes;
    opevo_element accumulator;
    int digits, least, most;
} types[] = {
    [OPEVO_FLOAT32] = {"float32", 4, OPEVO_FLOAT32, 23, -126, 127},
    [OPEVO_FLOAT16] = {"float16", 2, OPEVO_FLOAT32, 10, -14, 15},
    [OPEVO_BFLOAT16] = {"bfloat16", 2, OPEVO_FLOAT32, 7, -126, 127},
    [OPEVO_INT8] = {"int8", 1, OPEVO_INT32, 7, 0, 0},
    [OPEVO_INT32] = {"int32", 4, OPEVO_INT32, 31, 0, 0},
};

const char *opevo_element_name(opevo_element element)
{
    return types[element].name;
}

int opevo_element_bytes(opevo_element element)
{
    return types[element].bytes;
}

opevo_element opevo_element_accumulator(opevo_element element)
{
    return types[element].accumulator;
}

double opevo_element_least(opevo_element element)
{
    return -ldexp(1, types[element].digits);
}

double opevo_element_most(opevo_element element)
{
    return ldexp(1, types[element].digits) - 1;
}

/* The exponent of the unit in the last place of numbers as large as `size`, which is not 0. */
static int last_place(opevo_element element, double size)
{
    int exponent = ilogb(size);

    return (exponent < types[element].least ? types[element].least : exponent) -
           types[element].digits;
}

double opevo_element_nearest(opevo_element element, double value)
{
    int place = 0;
    double nearest = 0;

    if (opevo_element_is_whole(element))
        return isnan(value) ? 0
                            : fmin(opevo_element_most(element),
                                   fmax(opevo_element_least(element), rint(value)));
    if (value == 0 || !isfinite(value))
        return value;
    place = last_place(element, value);
    nearest = ldexp(rint(ldexp(value, -place)), place);
    return ilogb(nearest) > types[element].most ? copysign(INFINITY, value) : nearest;
}

/* ---- Memory ---- */

/* The bits of a value that the type holds: sign, exponent, and what is behind the point. */
static uint16_t bits_of(opevo_element element, double value)
{
    int digits = types[element].digits, least = types[element].least;
    unsigned sign = signbit(value) ? 0x8000 : 0;
    unsigned beyond = (unsigned)(types[element].most - least + 2) << digits;
    int exponent = 0;

    if (isnan(value))
        return (uint16_t)(sign | beyond | 1U << (digits - 1));
    if (isinf(value))
        return (uint16_t)(sign | beyond);
    if (value == 0)
        return (uint16_t)sign;
    exponent = ilogb(value);
    if (exponent < least)
        return (uint16_t)(sign | (unsigned)ldexp(fabs(value), digits - least));
    return (uint16_t)(sign + ((unsigned)(exponent - least) << digits) +
                      (unsigned)ldexp(fabs(value), digits - exponent));
}

static double value_of(opevo_element element, uint16_t bits)
{
    int digits = types[element].digits, least = types[element].least;
    int exponent = (bits & 0x7fff) >> digits;
    int behind = bits & ((1 << digits) - 1);
    double size = exponent ? ldexp(behind + (1 << digits), exponent - 1 + least - digits)
                           : ldexp(behind, least - digits);

    if (exponent == types[element].most - least + 2)
        size = behind ? NAN : INFINITY;
    return bits & 0x8000 ? -size : size;
}

double opevo_element_get(opevo_element element, const void *array, size_t at)
{
    switch (element) {
    case OPEVO_FLOAT32:
        return (double)((const float *)array)[at];
    case OPEVO_INT8:
        return ((const int8_t *)array)[at];
    case OPEVO_INT32:
        return ((const int32_t *)array)[at];
    default:
        return value_of(element, ((const uint16_t *)array)[at]);
    }
}

void opevo_element_put(opevo_element element, void *array, size_t at, double value)
{
    switch (element) {
    case OPEVO_FLOAT32:
        ((float *)array)[at] = (float)value;
        return;
    case OPEVO_INT8:
        ((int8_t *)array)[at] = (int8_t)opevo_element_nearest(element, value);
        return;
    case OPEVO_INT32:
        ((int32_t *)array)[at] = (int32_t)opevo_element_nearest(element, value);
        return;
    default:
        ((uint16_t *)array)[at] = bits_of(element, opevo_element_nearest(element, value));
        return;
    }
}

/* ---- Roundings ---- */

double opevo_element_rounding(opevo_element element, double size)
{
    if (opevo_element_is_whole(element) || size == 0)
        return 0;
    if (!isfinite(size) || isinf(opevo_element_nearest(element, size)))
        return INFINITY;
    return ldexp(0.5, last_place(element, size));
}

bool opevo_element_holds(opevo_element element, opevo_element part)
{
    if (element == part || part == OPEVO_INT8)
        return true;
    return element == OPEVO_FLOAT32 && (part == OPEVO_FLOAT16 || part == OPEVO_BFLOAT16);
}
