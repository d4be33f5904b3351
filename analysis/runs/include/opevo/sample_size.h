/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How many runs it takes to see that one tuner is better than another. */

#ifndef OPEVO_SAMPLE_SIZE_H
#define OPEVO_SAMPLE_SIZE_H

#include <stdint.h>

#include <opevo/api.h>
#include <opevo/status.h>

OPEVO_BEGIN_C

/* Runs that a two-sided test of level alpha needs to reject with probability `power`, when a run of
 * one tuner is better than one of the other with probability p, ties counted half.
 *
 * Independent samples of n runs each, test of Wilcoxon, Mann and Whitney, with z_a and z_b the
 * upper normal quantiles of alpha/2 and 1-power:
 *
 *   noether   n = (z_a + z_b)^2 / (6 (p - 1/2)^2), rounded up: asymptotic, for p near 1/2. Noether,
 *             "Sample size determination for some common nonparametric tests", JASA 82 (1987)
 *             645-647, formula for equal samples.
 *   exact     the smallest n at which the exact test has the power when the law of one tuner is the
 *             k-th power of the other's, k = p / (1 - p) (Lehmann, "The power of rank tests", Ann.
 *             Math. Statist. 24 (1953) 23-43). The test's statistic then has an exact law: of m
 *             runs of one and n of the other, the best is of the k-th power with probability
 *             n k / (m + n k) (Shorack, Ann. Math. Statist. 37 (1966) 284-286). 0 where that takes
 *             more than OPEVO_SAMPLE_SIZE_EXACT_MAX runs.
 *   any       for whatever laws have this p: the smallest n with
 *                 z_a sqrt((2n + 1) / (12 n^2)) + z_b sqrt(p (1 - p) / n) <= p - 1/2,
 *             the test's normal approximation with the largest variance that its statistic can have
 *             (Birnbaum, Klose, Ann. Math. Statist. 28 (1957) 933-945).
 *
 * Pairs, as when both tuners run with the same seeds or the pair shares what makes runs differ:
 *
 *   pairs_signed_rank  opevo_signed_rank_pairs, rounded up: for the signed rank test, which is the
 *                      one that a study's analysis makes (opevo_signed_rank_test). p is then the
 *                      probability that the sum of two differences is positive, of which (1 + rank
 *                      correlation) / 2 is the estimate: asymptotic.
 *   pairs_sign         the smallest n at which the exact sign test has the power; p is the
 *                      probability that a difference is positive. Above 20,000 Noether's
 *                      (z_a + z_b)^2 / (4 (p - 1/2)^2), and pairs_sign_power is 0. */
typedef struct opevo_sample_size {
    uint64_t noether, exact, any, pairs_signed_rank, pairs_sign;
    double exact_power, pairs_sign_power; /* at those n */
} opevo_sample_size;

enum { OPEVO_SAMPLE_SIZE_EXACT_MAX = 200 };

/* Errors: INVALID unless p is in (0, 1) and at least .001 away from 1/2, 0 < alpha < power < 1;
 * NOMEM. Symmetric in p and 1 - p. Cost: at most half a second. */
OPEVO_API opevo_status opevo_sample_size_for(double p, double alpha, double power,
                                             opevo_sample_size *out, opevo_error *err);

/* Power of the exact two-sided test of Wilcoxon, Mann and Whitney with n runs each under that
 * alternative. Errors: INVALID unless p and alpha are in (0, 1) and 1 <= n <=
 * OPEVO_SAMPLE_SIZE_EXACT_MAX; NOMEM. */
OPEVO_API opevo_status opevo_rank_test_power(double p, double alpha, unsigned n, double *power,
                                             opevo_error *err);

OPEVO_END_C

#endif
