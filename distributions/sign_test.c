/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The exact two-sided sign test, and the interval of the median that inverts it. */

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

bool opevo_median_interval(const double *sorted, size_t count, double confidence, double *low,
                           double *high)
{
    double tail = (1 - confidence) / 2;
    size_t rank = 0; /* P(Bin < rank + 1) <= tail has been seen up to here */

    while (rank < count / 2 && gsl_cdf_binomial_P((unsigned)rank, 0.5, (unsigned)count) <= tail)
        rank++;
    if (rank == 0)
        return false;
    *low = sorted[rank - 1];
    *high = sorted[count - rank];
    return true;
}
