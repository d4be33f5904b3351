/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Floats as the trees of the operations that make them, by hashes of 128 bits: two of equal trees
 * have the same bits for all inputs on every machine of IEEE 754 with the same functions. */

#ifndef OPEVO_TERMS_INTERNAL_H
#define OPEVO_TERMS_INTERNAL_H

#include <opevo/simt_values.h>

/* Laws that keep all bits but those of NaNs hold: a + b = b + a, a - b = a + (-b), signs go through
 * products, quotients and roundings, a number that a format holds is not rounded to it. */
extern const opevo_simt_arithmetic opevo_i_terms_arithmetic;

/* An input of floats of `bytes` bytes: element of a buffer. */
opevo_simt_value opevo_i_terms_input(const char *buffer, uint64_t element, unsigned bytes);
bool opevo_i_terms_equal(const opevo_simt_value *a, const opevo_simt_value *b);

#endif
