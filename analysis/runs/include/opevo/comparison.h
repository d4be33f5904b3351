/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Comparing tuners: two by paired ranks, many over several landscapes by Friedman's test. */

#ifndef OPEVO_COMPARISON_H
#define OPEVO_COMPARISON_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/api.h>
#include <opevo/bootstrap.h>
#include <opevo/status.h>

OPEVO_BEGIN_C

/* Numbers that are compared are rounded: 0.5 - 0.3, 0.9 - 0.7 and 0.3 - 0.1 are three doubles. A
 * number x that was read as a decimal, turned into another unit and divided by an optimum is taken
 * to be known to within OPEVO_ROUNDING |x|, eight half units in the last place; what may be equal
 * is a tie. */
#define OPEVO_ROUNDING (4 * DBL_EPSILON)

/* ---- Two, paired ---- */

typedef struct opevo_signed_rank {
    size_t pairs, wins, ties, losses; /* wins: pairs with a positive difference */
    double plus, minus;               /* sums of the ranks of positive and negative differences */
    double p;                         /* two-sided; 1 where all differences are 0 */
    bool exact;                       /* otherwise the normal approximation */
    double rank_biserial;             /* (plus - minus) / (plus + minus), in [-1, 1]; 0 for 0/0 */
    double superiority;               /* (wins + ties / 2) / pairs; NAN without pairs */
} opevo_signed_rank;

/* Wilcoxon's signed-rank test of `count` differences. |d| are ranked with midranks, zeros included,
 * and the zeros' ranks then dropped (Pratt). Under the hypothesis that the two of a pair are
 * exchangeable every sign is an even chance, whatever the ties: p is 2 P(T <= min(plus, minus)), at
 * most 1, under the 2^n equally likely signs. Exact for up to 150 differences that are not 0;
 * beyond, normal with variance (sum of squared ranks) / 4 and continuity correction.
 * The differences are taken as they are: equal ones are ties.
 * Errors: INVALID for a difference that is not a number; NOMEM. Cost: O(count^3), below 10 ms.
 * Source: Pratt, "Remarks on zeros and ties in the Wilcoxon signed rank procedures", JASA 54
 * (1959); effect size: Kerby, "The simple difference formula", Compr. Psychol. 3 (2014). */
OPEVO_API opevo_status opevo_signed_rank_test(const double *differences, size_t count,
                                              opevo_signed_rank *out, opevo_error *err);
/* The same of the differences a[i] - b[i], which are known to within
 * e_i = OPEVO_ROUNDING (|a[i]| + |b[i]|): one of at most e_i is 0, and sizes |d_i| whose intervals
 * |d_i| -+ e_i meet, directly or by others, are ties. */
OPEVO_API opevo_status opevo_signed_rank_test_of_pairs(const double *a, const double *b,
                                                       size_t count, opevo_signed_rank *out,
                                                       opevo_error *err);

/* Pairs that the signed-rank test of two-sided size alpha needs to resolve, with probability
 * `power`, a difference with the given share = plus / (plus + minus): (z_(1 - alpha/2) +
 * z_power)^2 / (3 (share - 1/2)^2). INFINITY for a half. Source: Noether, "Sample size
 * determination for some common nonparametric tests", JASA 82 (1987). */
OPEVO_API double opevo_signed_rank_pairs(double share, double alpha, double power);

/* Holm's step-down adjustment of `count` p-values: ascending, p_(i) becomes the largest of
 * min(1, (count - j + 1) p_(j)) over j <= i. NAN stays and does not count. Errors: NOMEM. Cost:
 * O(count log count). Source: Holm, Scand. J. Statist. 6 (1979). */
OPEVO_API opevo_status opevo_holm_adjust(const double *p, size_t count, double *adjusted,
                                         opevo_error *err);

/* ---- Many, over blocks ---- */

/* Ranks 1 (largest value) to count, ties sharing the mean of theirs; values that follow each other
 * are tied if they may be equal, each being known to within OPEVO_ROUNDING of itself. `order` is
 * scratch room for count numbers. */
OPEVO_API void opevo_midranks_descending(const double *values, size_t count, size_t *order,
                                         double *ranks);

typedef struct opevo_friedman {
    size_t blocks, count;
    double chi_square;         /* corrected for ties */
    double p;                  /* that it is as large as that under random orders of the ranks */
    bool exact;                /* over all of them; otherwise estimated from some */
    opevo_interval p_interval; /* 95 % confidence; p twice where it is exact */
    double p_chi_square;       /* approximate: count - 1 degrees of freedom */
    double f, p_f; /* Iman and Davenport's form; p approximate, less conservative than the former */
} opevo_friedman;

/* Friedman's test on values[block * count + j], larger is better; mean_ranks has room for `count`
 * numbers. With ranks r, blocks n, count k:
 *
 *     X = (k - 1) sum_j (R_j - n (k + 1) / 2)^2 / (sum r^2 - n k (k + 1)^2 / 4),
 *     F = (n - 1) X / (n (k - 1) - X)   with k - 1 and (k - 1)(n - 1) degrees of freedom.
 *
 * Where all ranks are the same X = 0 and p = 1; where they are opposite to none F is infinite and
 * its p is (1 / k!)^(n - 1). Under the hypothesis that a block's values are exchangeable each order
 * of its ranks, ties as they are, is equally probable, so that p is the share of the (k!)^(n - 1)
 * combinations with such an X, the first block being left as it is: counted where they are at most
 * 4 million, and otherwise (hits + 1) / (draws + 1) of 10,000 to 100,000 random ones, from the
 * stream (seed, "friedman", 0), with the interval of Clopper and Pearson. The other two p are
 * approximations for many blocks, and poor for few. Errors: INVALID for fewer than 2 blocks or 2 to
 * compare, or a NAN; NOMEM. Cost: below a second up to 2,000 values.
 * Source: Conover, "Practical Nonparametric Statistics", 3rd ed., 5.8; Iman, Davenport, Comm.
 * Statist. A9 (1980); Demsar, "Statistical comparisons of classifiers over multiple data sets",
 * JMLR 7 (2006). */
OPEVO_API opevo_status opevo_friedman_test(const double *values, size_t blocks, size_t count,
                                           uint64_t seed, double *mean_ranks, opevo_friedman *out,
                                           opevo_error *err);

/* P(range of `count` independent standard normal variables > q), and the q with that tail; from
 *     P(range <= q) = k int phi(z) (Phi(z) - Phi(z - q))^(k - 1) dz
 * by Gauss-Legendre quadrature, to 1e-10; NAN without memory. Domain: count >= 2. */
OPEVO_API double opevo_normal_range_tail(double q, size_t count);
OPEVO_API double opevo_normal_range_quantile(double tail, size_t count);

/* Nemenyi's critical difference of mean ranks: q_alpha / sqrt(2) * sqrt(k (k + 1) / (6 n)), q_alpha
 * the quantile above; NAN without memory. Source: Demsar, 2006, section 3.2.2. */
OPEVO_API double opevo_nemenyi_difference(size_t count, size_t blocks, double alpha);

OPEVO_END_C

#endif
