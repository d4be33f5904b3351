/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verification: does a sampler draw from the exact law? Goodness-of-fit tests, with the size of the
 * defects that they would have caught. docs/verification.md gives the mathematics. */

#ifndef OPEVO_VERIFY_H
#define OPEVO_VERIFY_H

#include <opevo/api.h>
#include <opevo/child.h>
#include <opevo/sampler.h>

OPEVO_BEGIN_C

/* Whether a test would catch a defect. */
typedef enum opevo_caught { OPEVO_CAUGHT_UNKNOWN, OPEVO_CAUGHT_NO, OPEVO_CAUGHT_YES } opevo_caught;

#define OPEVO_VERIFY_POWER 0.999
#define OPEVO_VERIFY_ALPHA 1e-6

/* One test. A family-wise verdict needs the p-values of all tests; so tests are run first and
 * judged together. */
typedef struct opevo_fit {
    uint64_t draws;
    uint64_t impossible;       /* draws outside the set, or where the law is 0: each is a defect */
    size_t cells;              /* after pooling those that expect fewer than 10 draws into one */
    size_t pooled;             /* vertices or classes in the pooled cell, 0 if none */
    double degrees_of_freedom; /* cells - 1 */
    double chi_square, g;      /* statistics of Pearson's and of the likelihood-ratio test */
    double p_chi_square, p_g;  /* estimated: asymptotic p-values; 0 after an impossible draw */
    double p_adjusted;         /* the smaller of the two, after Holm over the family */
    bool rejected;
    /* Smallest defect that Pearson's test with this number of draws catches with probability
     * OPEVO_VERIFY_POWER, by the non-central chi-square law. Estimated: that law is asymptotic. */
    double detectable_q;     /* every change of q by as much, up or down, is caught; NAN: none is,
                                or not computed */
    uint64_t detectable_cut; /* largest k such that a walk made to stop after k steps is caught; 0:
                                none, or not computed */
    double detectable_edge;  /* share of the edges whose loss, one at a time, is caught; NAN: not
                                computed */
    uint64_t edges_tried;    /* edges behind detectable_edge: all of them, or 64 spread evenly */
    /* Likewise for the child step; UNKNOWN: not computed. */
    opevo_caught detects_other_rule; /* a child that follows the other duplicate rule */
    opevo_caught detects_duplicates; /* a child that is mutated once, be it a duplicate or not */
} opevo_fit;

/* Draws one vertex or point; `context` is whatever it needs. */
typedef opevo_index (*opevo_draw)(void *context, opevo_rng *rng);

/* Draw `draws` times and test against `probability`, `count` non-negative numbers, not all zero,
 * which are scaled to sum to 1. The fields on defects are left at "not computed", p_adjusted and
 * rejected at "not judged": NAN and false.
 *
 * Cells that expect fewer than 10 draws are pooled into one; when that one expects fewer than 10
 * itself, the smallest other cell joins it. One cell alone leaves nothing to test: degrees of
 * freedom 0, and both p are 1 unless a draw was impossible.
 *
 * Errors: INVALID without draws, without cells, or for a probability that is negative, not finite
 * or all zero; NOMEM. Cost: `draws` draws, 20 bytes a cell.
 * Source: Cochran, "Some methods for strengthening the common chi-square tests", Biometrics 10
 * (1954), for pooling; Sokal, Rohlf, "Biometry", for G. */
OPEVO_API opevo_status opevo_verify_draws(const double *probability, size_t count, opevo_draw draw,
                                          void *context, uint64_t draws, opevo_rng *rng,
                                          opevo_fit *out, opevo_error *err);

/* The same against the law of a walk on one parameter. Cells are the vertices; above 2^20 of them
 * they are the values that the law takes on its symmetry classes, so that even permutation(30) can
 * be tested. Errors: as above, and LIMIT above 2^24 classes. */
OPEVO_API opevo_status opevo_verify_law(const opevo_law *law, opevo_draw draw, void *context,
                                        uint64_t draws, opevo_rng *rng, opevo_fit *out,
                                        opevo_error *err);

/* The power part: fills the fields on defects, for Pearson's test of size `alpha`, or
 * OPEVO_VERIFY_ALPHA, of the walk from `start` with this number of draws. For the rule of
 * opevo_verify_judge that size is opevo_verify_size. The defects are
 *   q     the walk continues with probability q - delta or q + delta (at most q + 0.9 (1 - q));
 *         a larger delta is assumed to be easier to detect; delta is found to 1 %
 *   cut   the walk stops after k steps for certain
 *   edge  one edge is missing, in both directions
 * Graphs of more than 2^20 vertices or 2^22 edges: detectable_q alone.
 *
 * Errors: as opevo_law_create; INVALID unless 0 < alpha < OPEVO_VERIFY_POWER. Cost: up to 90 laws,
 * 64 of them for the edges. */
OPEVO_API opevo_status opevo_verify_power(const opevo_parameter *parameter, double q,
                                          opevo_index start, uint64_t draws, opevo_fit *out,
                                          opevo_error *err);
OPEVO_API opevo_status opevo_verify_power_at(const opevo_parameter *parameter, double q,
                                             opevo_index start, uint64_t draws, double alpha,
                                             opevo_fit *out, opevo_error *err);

/* The whole child step of a tuner: recombine, mutate, handle duplicates. `draw` gives the point of
 * one child of this step, or a number of at least opevo_space_size(space) where it finds none; the
 * test is against opevo_child_law_without_duplicates, whose `lost` is the probability of none.
 *
 *   step    its taken points are at least the parents, as a rule; its limits are the sampler's:
 *           OPEVO_CHILD_PATIENCE and OPEVO_CHILD_TRIES for opevo_child_sampler_draw
 *   bound   out: 1-norm bound of the law; may be NULL
 *
 * Errors: as opevo_child_law_without_duplicates, LIMIT above 4096 points, and as
 * opevo_verify_draws. */
OPEVO_API opevo_status opevo_verify_child(const opevo_child_step *step, opevo_draw draw,
                                          void *context, uint64_t draws, opevo_rng *rng,
                                          opevo_fit *out, double *bound, opevo_error *err);

/* The power part of opevo_verify_child, for the same arguments: fills detectable_q (one q for all
 * parameters, changed as in opevo_verify_power), detects_other_rule and detects_duplicates; the
 * defects of a single walk, cut and edge, become "not computed". A defect whose law cannot be
 * certified to 1e-9 counts as not caught.
 *
 * So that the answer takes seconds at most, detectable_q is not computed above 1024 points, nor
 * detects_other_rule where the other rule continues from more than 2048 taken points.
 *
 * Errors: as opevo_verify_child and opevo_verify_power. Cost: up to 26 of
 * opevo_child_law_without_duplicates, about a second at 1024 points with a third of them taken. */
OPEVO_API opevo_status opevo_verify_child_power(const opevo_child_step *step, uint64_t draws,
                                                opevo_fit *out, opevo_error *err);
OPEVO_API opevo_status opevo_verify_child_power_at(const opevo_child_step *step, uint64_t draws,
                                                   double alpha, opevo_fit *out, opevo_error *err);

/* Holm's step-down adjustment: each fit enters with twice the smaller of its two p-values, which
 * are thereby corrected for their being two; rejected: p_adjusted < alpha. The probability that any
 * fit of a correct sampler is rejected is then at most alpha. Cost: O(count^2).
 * Source: Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6
 * (1979). */
OPEVO_API void opevo_verify_judge(opevo_fit *fits, size_t count, double alpha);
/* alpha / (2 family): a fit of the family whose p_chi_square is below this is rejected, whatever
 * the other p are, as no step of Holm's divides alpha by more than the family. So the rule detects
 * a defect at least as often as Pearson's test of this size. */
OPEVO_API double opevo_verify_size(double alpha, size_t family);

OPEVO_END_C

#endif
