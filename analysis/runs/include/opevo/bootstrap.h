/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Confidence intervals of means over runs, by the bootstrap, and of shares of runs. */

#ifndef OPEVO_BOOTSTRAP_H
#define OPEVO_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/api.h>
#include <opevo/status.h>

OPEVO_BEGIN_C

typedef struct opevo_interval {
    double low, high; /* NAN if none */
} opevo_interval;

/* Which random numbers: the stream (seed, "bootstrap", index). */
typedef struct opevo_bootstrap {
    size_t resamples; /* B, at least 1 */
    uint64_t seed, index;
} opevo_bootstrap;

/* Draw `count` >= 1 rows with replacement, B times, and write the sum of each column:
 * sums[b * columns + j]. A row is what one run contributes, so that numbers of the same run are
 * drawn together. Cost: B * count * columns additions. */
OPEVO_API void opevo_bootstrap_sums(const double *rows, size_t count, size_t columns,
                                    const opevo_bootstrap *options, double *sums);

/* The bias-corrected and accelerated interval (BCa) of the mean of `count` values from B means of
 * resamples, which lie `stride` apart in `sums` as sums: with z0 = Phi^-1 of the share of
 * replicates below the mean (ties half), a = sum (x - m)^3 / (6 (sum (x - m)^2)^1.5), the ends are
 * the replicates' quantiles Phi(z0 + (z0 + z) / (1 - a (z0 + z))), z = -+ Phi^-1((1+confidence)/2).
 * Values that are all the same give that value twice; fewer than two values NAN.
 * `scratch` has room for B numbers. Cost: O(B log B).
 * Source: Efron, "Better bootstrap confidence intervals", JASA 82 (1987); Efron, Tibshirani, "An
 * Introduction to the Bootstrap", 1993, chapter 14. */
OPEVO_API opevo_interval opevo_bca_interval(const double *values, size_t count, size_t value_stride,
                                            const double *sums, size_t resamples, size_t stride,
                                            double confidence, double *scratch);

/* An interval of the mean of `count` values in `range`; NAN for fewer than two. `exact`: the one
 * that holds for every distribution in the range,
 *
 *     the quantile (1 - confidence) / 2 of sum_i d_i x_i + d_0 range.low,  and of the reverse,
 *     d uniform on the simplex of count + 1 shares,
 *
 * which for values of 0 and 1 is that of Clopper and Pearson; no distribution is known that it
 * covers less often than it says. Otherwise the narrower of that and, for 5 values or more that are
 * not all the same, the studentised bootstrap: mean - s t, t the quantiles of (m_b - mean) / s_b
 * over the resamples, cut at the range. That is approximate: it knows nothing of a value that comes
 * so rarely that no run had it. Errors: NOMEM. Cost: O(B count).
 * Source: Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a
 * nonnegative variable", Math. Methods Statist. 14 (2005); Learned-Miller, Thomas, "A new
 * confidence interval for the mean of a bounded random variable", arXiv 1905.06208 (2019); Efron,
 * Tibshirani, "An Introduction to the Bootstrap", 1993, section 12.5. */
OPEVO_API opevo_status opevo_mean_interval(const double *values, size_t count, opevo_interval range,
                                           const opevo_bootstrap *options, double confidence,
                                           bool exact, opevo_interval *out, opevo_error *err);

/* The plain quantiles of B replicates, which may be infinite; they are sorted in place. */
OPEVO_API opevo_interval opevo_percentile_interval(double *replicates, size_t resamples,
                                                   double confidence);

/* The exact (conservative) interval of a probability of which `hits` of `count` were seen; NAN for
 * count = 0, and an end that GSL cannot compute, which takes some 10^7 counts. Source: Clopper,
 * Pearson, Biometrika 26 (1934). */
OPEVO_API opevo_interval opevo_share_interval(uint64_t hits, uint64_t count, double confidence);

OPEVO_END_C

#endif
