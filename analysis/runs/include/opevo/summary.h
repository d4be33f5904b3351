/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Moments and quantiles of a sample. */

#ifndef OPEVO_SUMMARY_H
#define OPEVO_SUMMARY_H

#include <stddef.h>

#include <opevo/api.h>

OPEVO_BEGIN_C

/* Mean, sample standard deviation (divisor count - 1), extremes and median of a sample. NAN where
 * undefined: all of an empty sample, sd of a single value. */
typedef struct opevo_moments {
    size_t count;
    double mean, sd, min, max, median;
} opevo_moments;
/* `values` are finite and are sorted in place. Mean and sd by two passes. Cost: O(count log count).
 */
OPEVO_API opevo_moments opevo_moments_of(double *values, size_t count);

/* Quantile p, 0 <= p <= 1, of `count` <= 2^31 ascending values: linear between the order
 * statistics, value i (from 0) standing for p = i / (count - 1). NAN for no values.
 * Source: Hyndman, Fan, "Sample quantiles in statistical packages", Amer. Statist. 50 (1996),
 * definition 7. */
OPEVO_API double opevo_quantile_sorted(const double *values, size_t count, double p);

OPEVO_END_C

#endif
