/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The gain of a generation whose child law is known. */

#ifndef OPEVO_GENERATION_INTERNAL_H
#define OPEVO_GENERATION_INTERNAL_H

#include <opevo/improvement.h>

/* Fill probability, gain, and the bounds on a generation of `children` in *out, which are 0 on
 * entry. `law` has a number for each point of the table; `best` is the largest fitness seen. */
opevo_status opevo_i_analysis_generation_gain(const opevo_landscape_table *table, const double *law,
                                              double best, size_t children, opevo_improvement *out,
                                              opevo_error *err);

#endif
