/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The sign test, which a study compares runs by and finals compare kernels by, and the interval of
 * the median that follows from it. */

#ifndef OPEVO_SIGN_TEST_H
#define OPEVO_SIGN_TEST_H

#include <opevo/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

OPEVO_BEGIN_C

/* Two-sided p of so uneven a split, without ties: 2 P(X <= min(wins, losses)), at most 1,
 * X binomial (wins + losses, 1/2); by the normal law, with its continuity correction, from 2^32 on.
 * 1 where there is neither. */
double opevo_sign_test(uint64_t wins, uint64_t losses);

/* A confidence interval for the median of the distribution that `count` ascending values are
 * independent draws from, whatever its shape: [x_(l), x_(n+1-l)] with the largest l for which
 * P(Bin(n, 1/2) < l) <= (1 - confidence) / 2. False, with nothing written, where there are too few
 * values for any (fewer than 6 for 95 %). Source: order statistics; David and Nagaraja, "Order
 * Statistics", 3rd edition, section 7.1. */
bool opevo_median_interval(const double *sorted, size_t count, double confidence, double *low,
                           double *high);

OPEVO_END_C

#endif
