/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the two files on the structure of the variance share. */

#ifndef OPEVO_INTERACTION_INTERNAL_H
#define OPEVO_INTERACTION_INTERNAL_H

#include "landscape_graph_internal.h"

/* A parameter in the number of a point. */
typedef struct opevo_i_analysis_axis {
    size_t size;
    size_t stride;
} opevo_i_analysis_axis;

/* Share of the variance of `values` (mean 0 over the nodes) that the best sum of functions of
 * `order` parameters at a time explains, by least squares with conjugate gradients (CGLS) on
 * indicator columns scaled to norm 1. What is found is never more than the true share. *change is
 * what the last ten rounds gained, or where the normal equations are solved their relative
 * residual. `order` is at most axis_count, and the axes have several values each.
 * Errors: LIMIT for more than 2^28 pairs of a node and a set of parameters; NOMEM.
 * Source: Bjorck, "Numerical Methods for Least Squares Problems", 1996, algorithm 7.4.1. */
opevo_status opevo_i_analysis_interaction_fit(const opevo_landscape_graph *graph,
                                              const opevo_i_analysis_axis *axes, size_t axis_count,
                                              size_t order, const double *values, double *explained,
                                              double *change, opevo_error *err);

#endif
