/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a recording of kernels says of their programs. */

#ifndef OPEVO_CLI_RECORDED_PROGRAMS_INTERNAL_H
#define OPEVO_CLI_RECORDED_PROGRAMS_INTERNAL_H

#include <opevo/landscape.h>

/* Give a recording that was just opened the features and loop trees of its kernels, if its
 * description says which kernels they are, and a template or sketches of the same space make them
 * here. Nothing is measured. Cost: that of making sketches, up to a second. */
void opevo_i_cli_recorded_programs(opevo_objective *recorded);

#endif
