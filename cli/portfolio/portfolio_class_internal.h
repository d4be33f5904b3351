/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels for a class of workloads, and the files that have them. */

#ifndef OPEVO_PORTFOLIO_CLASS_INTERNAL_H
#define OPEVO_PORTFOLIO_CLASS_INTERNAL_H

#include "portfolio_cli_internal.h"

#include <opevo/computation_class.h>
#include <opevo/kernel.h>

/* Starts as zeros. */
typedef struct opevo_i_cli_portfolio_class {
    opevo_class *of;
    size_t kernels; /* one a configuration that was chosen */
    opevo_kernel kernel[64];
    int operands;
    opevo_text types; /* of pointers to them, each with a comma behind it */
    /* Of shapes, for the tree: the ranges stand at their places, all others are the same. */
    bool has_tree, whole; /* numbers are `long`, otherwise `double` */
    double *numbers;
    size_t number_count, place[OPEVO_CLASS_NUMBERS];
} opevo_i_cli_portfolio_class;

/* The kernels of a portfolio whose workloads are all of a class (portfolio_class.c). Errors:
 * INVALID for a workload that is not, and a configuration that gives no such kernel, with the
 * reason; those of objectives; NOMEM. */
opevo_status opevo_i_cli_portfolio_class_make(const char *text, const opevo_i_cli_portfolio *from,
                                              opevo_i_cli_portfolio_class *out, opevo_error *err);
void opevo_i_cli_portfolio_class_free(opevo_i_cli_portfolio_class *self);
/* Write the folder "class" in a folder that has portfolio.h (portfolio_class_files.c). Errors:
 * INVALID where it is there already; IO; NOMEM. */
opevo_status opevo_i_cli_portfolio_class_write(const opevo_i_cli_portfolio_class *self,
                                               const char *folder, opevo_error *err);

#endif
