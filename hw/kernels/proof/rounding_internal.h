/* SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OPEVO_ROUNDING_INTERNAL_H
#define OPEVO_ROUNDING_INTERNAL_H

#include <opevo/simt_values.h>

/* Bounds of sizes and errors for all inputs of at most 1 in size. Of a kernel, as its instructions
 * round; `of_any_order` of a definition in single precision, whose sums have any order. */
extern const opevo_simt_arithmetic opevo_i_rounding_arithmetic;
extern const opevo_simt_arithmetic opevo_i_rounding_of_any_order;

opevo_simt_value opevo_i_rounding_input(void);
/* How far what is computed is from the real number, at most; infinite: not known. */
double opevo_i_rounding_error(const opevo_simt_value *value);

#endif
