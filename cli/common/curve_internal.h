/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A run as a drawing. */

#ifndef OPEVO_CLI_CURVE_INTERNAL_H
#define OPEVO_CLI_CURVE_INTERNAL_H

#include <opevo/run_curve.h>

/* The best fitness over the trials of a run, filled from 0 to the larger of best and optimum, which
 * is 0 where it is not known; why not for a run without success or a width below 30 columns; a
 * width of 0 means 80. */
void opevo_i_cli_curve_print(const opevo_run_curve *curve, double optimum, const char *unit,
                             unsigned width, opevo_text *out);

#endif
