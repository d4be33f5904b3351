/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Values of elements in memory. Arrays are of float, of uint16_t with the bits of IEEE 754 binary16
 * or of bfloat16 (the upper half of a float), of int8_t, and of int32_t. */

#ifndef OPEVO_ELEMENT_H
#define OPEVO_ELEMENT_H

#include <opevo/operator.h>

#include <stddef.h>

OPEVO_BEGIN_C

const char *opevo_element_name(opevo_element element); /* "float32" */
int opevo_element_bytes(opevo_element element);
/* In what its terms are summed: float32 for floating-point tensors, int32 for whole ones. */
opevo_element opevo_element_accumulator(opevo_element element);
static inline bool opevo_element_is_whole(opevo_element element)
{
    return element >= OPEVO_INT8;
}
/* The least and the largest value of a whole type. */
double opevo_element_least(opevo_element element);
double opevo_element_most(opevo_element element);

/* What int32 inputs hold, in size: single precision has all of these numbers, and sums of them can
 * be shown to fit into int32. */
#define OPEVO_INT32_INPUT 0x1p24

/* Element number `at` of an array; every value of every type is a double. */
double opevo_element_get(opevo_element element, const void *array, size_t at);
/* Set it to the value nearest to `value`, of two the even one. What is beyond the largest value
 * becomes an infinity, or for whole types the largest or the least; NaN stays NaN, 0 for whole
 * types. Subnormal numbers are kept. */
void opevo_element_put(opevo_element element, void *array, size_t at, double value);
double opevo_element_nearest(opevo_element element, double value);

/* Largest |nearest(x) - x| over all |x| <= size: half a unit in the last place of `size`; INFINITY
 * where some x becomes an infinity or `size` is not a number. 0 for whole types, where x is
 * whole. */
double opevo_element_rounding(opevo_element element, double size);

/* Whether every value of `part` is one of `element`; int32 has 2^31 values that float32 lacks. */
bool opevo_element_holds(opevo_element element, opevo_element part);

OPEVO_END_C

#endif
