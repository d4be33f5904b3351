/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The chi-square laws that goodness-of-fit tests and their power rest on. Each is NAN where GSL
 * cannot compute the incomplete gamma function that it takes. */

#ifndef OPEVO_STATISTICS_H
#define OPEVO_STATISTICS_H

#include <stddef.h>

#include <opevo/api.h>

OPEVO_BEGIN_C

/* P(X > x) for X chi-square distributed. A number below 1e-300 may come back as 0.
 *
 *   degrees_of_freedom  positive; with 0, X is 0 for certain
 *
 * Source: Abramowitz and Stegun 26.4.19, by the incomplete gamma function of GSL. */
OPEVO_API double opevo_chi_square_tail(double x, double degrees_of_freedom);

/* The x with opevo_chi_square_tail(x) = p for 0 < p < 1, to a relative error of 1e-12. Found by
 * bisection of the tail: gsl_cdf_chisq_Qinv of GSL 2.7 is wrong for many degrees of freedom. */
OPEVO_API double opevo_chi_square_quantile(double p, double degrees_of_freedom);

/* P(X > x) for X non-central chi-square distributed, as a Poisson mixture of central laws:
 *
 *     P(X > x) = sum_j e^(-m) m^j / j! P(chi2 with k + 2 j degrees > x),   m = noncentrality / 2.
 *
 * Only the j of a window around m are summed. What is left out is at most the Poisson mass outside
 * it, below 1e-14, and *truncation (may be NULL) is set to that mass.
 * Domain: k = degrees_of_freedom > 0, 0 <= noncentrality <= 1e9. Cost: O(sqrt(noncentrality)).
 * Source: Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions" 2, 29.3. */
OPEVO_API double opevo_noncentral_chi_square_tail(double x, double degrees_of_freedom,
                                                  double noncentrality, double *truncation);

/* The smallest noncentrality at which a chi-square test of size alpha rejects with probability
 * `power`, alpha < power < 1, to a relative error of 1e-9; INFINITY without degrees of freedom. A
 * test of N draws against p, when the truth is p', has noncentrality N sum (p' - p)^2 / p.
 * Source: Cohen, "Statistical Power Analysis", 1988, chapter 7. */
OPEVO_API double opevo_noncentrality_for_power(double degrees_of_freedom, double alpha,
                                               double power);

/* Draws that Pearson's test of size alpha needs to reject `law` with probability `power` when the
 * truth is `defect`, each outcome being a cell: the noncentrality above over
 * sum (defect - law)^2 / law. Both are `count` probabilities. Outcomes where law is 0 count for
 * nothing (a single draw there is proof enough); INFINITY when the two do not differ elsewhere. */
OPEVO_API double opevo_draws_to_detect(const double *law, const double *defect, size_t count,
                                       double alpha, double power);

OPEVO_END_C

#endif
