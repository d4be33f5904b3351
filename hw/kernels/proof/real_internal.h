/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Real numbers in double precision, with a bound of how far the same expression in single precision
 * may be from them, its sums in any order. It is what counterexamples are confirmed by: a bound
 * that is too large loses a counterexample and invents none. */

#ifndef OPEVO_REAL_INTERNAL_H
#define OPEVO_REAL_INTERNAL_H

#include <opevo/simt_values.h>

/* Word 0 has the number, word 1 the bound, word 2 the sum of the sizes of all terms of a sum, each
 * as a double. */
extern const opevo_simt_arithmetic opevo_i_real_arithmetic;

opevo_simt_value opevo_i_real_of(double number);
double opevo_i_real_number(const opevo_simt_value *value);
double opevo_i_real_bound(const opevo_simt_value *value);

#endif
