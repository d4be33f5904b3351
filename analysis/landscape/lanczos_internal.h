/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Gauss rules of spectral measures by the Lanczos process. */

#ifndef OPEVO_LANCZOS_INTERNAL_H
#define OPEVO_LANCZOS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <opevo/status.h>

/* y = M x for a symmetric matrix M of n rows. */
typedef opevo_status (*opevo_i_analysis_product)(void *context, const double *x, double *y,
                                                 opevo_error *err);

typedef struct opevo_i_analysis_gauss_rule {
    double *node, *weight; /* of the caller, with room for `steps`; nodes ascending */
    size_t count;
    bool complete; /* each node is an eigenvalue to 1e-8, so that the rule is the measure */
} opevo_i_analysis_gauss_rule;

/* The Gauss rule of the measure of `start` (norm 1) under M, with the moments of start' M^s start
 * up to s = 2 steps - 1.
 *
 * Orthogonalised against all vectors before, twice. Errors: what the product reports; TOLERANCE
 * where LAPACK's dstev fails; NOMEM. Memory: steps * n doubles. */
opevo_status opevo_i_analysis_lanczos(opevo_i_analysis_product product, void *context,
                                      const double *start, size_t n, size_t steps,
                                      opevo_i_analysis_gauss_rule *rule, opevo_error *err);

#endif
