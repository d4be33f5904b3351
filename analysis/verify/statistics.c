/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chi-square laws, central and not, and what they say of the power of a test. */

#include <opevo/statistics.h>

#include <opevo/gsl_errors.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include <math.h>

double opevo_chi_square_tail(double x, double degrees_of_freedom)
{
    if (x <= 0)
        return x < 0 || degrees_of_freedom > 0 ? 1 : 0;
    if (degrees_of_freedom <= 0 || isinf(x))
        return 0;
    return gsl_cdf_chisq_Q(x, degrees_of_freedom);
}

double opevo_chi_square_quantile(double p, double degrees_of_freedom)
{
    double low = 0, high = degrees_of_freedom + 1;

    while (opevo_chi_square_tail(high, degrees_of_freedom) > p) {
        low = high;
        high *= 2;
    }
    if (isnan(opevo_chi_square_tail(high, degrees_of_freedom)))
        return NAN;
    while (high - low > 1e-13 * high) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            break;
        if (opevo_chi_square_tail(middle, degrees_of_freedom) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double poisson(unsigned j, double mean)
{
    if (mean <= 0)
        return j > 0 ? 0 : 1;
    return exp(j * log(mean) - mean - gsl_sf_lngamma(j + 1.0));
}

/* Terms of the mixture: Q_{k+2j}(x) grows with j by y^a e^-y / Gamma(a + 1), y = x / 2, a = k/2 +
 * j, so that one incomplete gamma function at the foot of the window is enough, and adding positive
 * numbers loses no accuracy. The window holds the Poisson law up to 9 standard deviations. */
double opevo_noncentral_chi_square_tail(double x, double degrees_of_freedom, double noncentrality,
                                        double *truncation)
{
    double mean = noncentrality / 2, reach = 9 * sqrt(mean) + 40;
    unsigned first = (unsigned)fmax(0, mean - reach), last = (unsigned)(mean + reach) + 1;
    double half = degrees_of_freedom / 2 + first, y = x / 2;
    double tail = opevo_chi_square_tail(x, 2 * half);
    double step = 0, sum = 0, inside = 0;

    if (truncation)
        *truncation = 0;
    if (x <= 0)
        return 1;
    if (isnan(tail))
        return NAN;
    step = exp(half * log(y) - y - gsl_sf_lngamma(half + 1));
    for (unsigned j = first; j <= last; j++) {
        double weight = poisson(j, mean);

        sum += weight * fmin(tail, 1);
        inside += weight;
        tail += step;
        half++;
        step *= y / half;
    }
    if (truncation && mean > 0)
        *truncation =
            (first > 0 ? gsl_cdf_poisson_P(first - 1, mean) : 0) + gsl_cdf_poisson_Q(last, mean);
    return sum / inside;
}

double opevo_noncentrality_for_power(double degrees_of_freedom, double alpha, double power)
{
    double critical = 0, low = 0, high = 1;

    if (degrees_of_freedom <= 0)
        return INFINITY;
    critical = opevo_chi_square_quantile(alpha, degrees_of_freedom);
    if (isnan(critical))
        return NAN;
    while (opevo_noncentral_chi_square_tail(critical, degrees_of_freedom, high, NULL) < power) {
        low = high;
        high *= 2;
    }
    while (high - low > 1e-10 * high) {
        double middle = low + (high - low) / 2;

        if (opevo_noncentral_chi_square_tail(critical, degrees_of_freedom, middle, NULL) < power)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double opevo_draws_to_detect(const double *law, const double *defect, size_t count, double alpha,
                             double power)
{
    double effect = 0;
    size_t cells = 0;

    for (size_t i = 0; i < count; i++) {
        if (law[i] <= 0)
            continue;
        effect += (defect[i] - law[i]) * (defect[i] - law[i]) / law[i];
        cells++;
    }
    if (cells < 2 || effect <= 0)
        return INFINITY;
    return opevo_noncentrality_for_power((double)(cells - 1), alpha, power) / effect;
}
