/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verification: does a sampler draw from the exact law? Goodness-of-fit tests, with the size of the
 * defects that they would have caught. */

#ifndef OPEVO_VERIFY_H
#define OPEVO_VERIFY_H

#include <opevo/child.h>
#include <opevo/sampler.h>

/* A family-wise verdict needs all the p-values; so tests are run first and judged together. */
typedef struct opevo_fit {
    uint64_t draws;
    size_t cells;  /* after pooling those that expect fewer than 10 draws into one */
    size_t pooled; /* vertices in the pooled cell */
    double degrees_of_freedom;
    double chi_square, g;     /* statistics of Pearson's and of the likelihood-ratio test */
    double p_chi_square, p_g; /* estimated: asymptotic p-values */
    double p_adjusted;        /* the smaller of the two, after Holm over the family */
    bool rejected;
    /* Smallest defect that this number of draws catches with probability 0.999 at alpha = 1e-6, by
     * the non-central chi-square law; NAN where none is caught. Estimated. */
    double detectable_q;     /* |change of q| */
    uint64_t detectable_cut; /* largest k such that a walk cut after k steps is caught; 0: none */
    double detectable_edge;  /* share of the edges whose loss, one at a time, is caught; NAN: not
                                computed */
} opevo_fit;

/* Draws one vertex; `context` is whatever it needs. */
typedef opevo_index (*opevo_draw)(void *context, opevo_rng *rng);

/* Draw `draws` times and test against probability[0 .. cells - 1]. `power` is filled by
 * opevo_verify_power alone. Errors: INVALID when fewer than two cells are left after pooling is not
 * an error: degrees_of_freedom is 0 then and both p are 1. */
opevo_status opevo_verify_draws(const double *probability, size_t count, opevo_draw draw,
                                void *context, uint64_t draws, opevo_rng *rng, opevo_fit *out,
                                opevo_error *err);
/* The power part, for the walk on one parameter's graph. */
opevo_status opevo_verify_power(const opevo_parameter *parameter, double q, opevo_index start,
                                uint64_t draws, opevo_fit *out, opevo_error *err);
/* Holm's step-down adjustment of the smaller p of each fit times two; rejected: p_adjusted < alpha.
 * Source: Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6
 * (1979). */
void opevo_verify_judge(opevo_fit *fits, size_t count, double alpha);

#endif
