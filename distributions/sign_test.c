/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The exact two-sided sign test. */

#include <opevo/sign_test.h>

#include <opevo/gsl_errors.h>

#include <gsl/gsl_cdf.h>

#include <math.h>

double opevo_sign_test(uint64_t wins, uint64_t losses)
{
    uint64_t fewer = wins < losses ? wins : losses;

    if (wins + losses == 0)
        return 1;
    if (wins + losses > UINT32_MAX) /* where GSL's counts end */
        return fmin(1, 2 * gsl_cdf_ugaussian_P(((double)fewer + 0.5 - (double)(wins + losses) / 2) /
                                               sqrt((double)(wins + losses) / 4)));
    return fmin(1, 2 * gsl_cdf_binomial_P((unsigned)fewer, 0.5, (unsigned)(wins + losses)));
}
