/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Intervals of means are BCa: fractions of an optimum are bounded by 1 and skewed towards it, which
 * the plain percentile interval does not correct for. The numbers drawn depend on the stream alone.
 */

#include <opevo/bootstrap.h>

#include <opevo/gsl_errors.h>
#include <opevo/random.h>
#include <opevo/summary.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

#include <math.h>
#include <string.h>

void opevo_bootstrap_sums(const double *rows, size_t count, size_t columns,
                          const opevo_bootstrap *options, double *sums)
{
    opevo_rng rng;

    opevo_rng_init(&rng, options->seed, "bootstrap", options->index);
    memset(sums, 0, options->resamples * columns * sizeof *sums);
    for (size_t b = 0; b < options->resamples; b++) {
        double *sum = sums + b * columns;

        for (size_t i = 0; i < count; i++) {
            const double *row = rows + opevo_rng_below(&rng, count) * columns;

            for (size_t j = 0; j < columns; j++)
                sum[j] += row[j];
        }
    }
}

/* z0, from sorted replicates. Those within rounding of the estimate count as equal to it. */
static double bias_correction(const double *replicates, size_t count, double estimate)
{
    double tolerance = 1e-12 * fabs(estimate), below = 0, least = 0.5 / (double)count;

    for (size_t i = 0; i < count && replicates[i] <= estimate + tolerance; i++)
        below += replicates[i] < estimate - tolerance ? 1 : 0.5;
    return gsl_cdf_ugaussian_Pinv(fmin(fmax(below / (double)count, least), 1 - least));
}

opevo_interval opevo_bca_interval(const double *values, size_t count, size_t value_stride,
                                  const double *sums, size_t resamples, size_t stride,
                                  double confidence, double *scratch)
{
    double mean = 0, squares = 0, cubes = 0, z0 = 0, a = 0, end[2] = {0, 0};
    double z = gsl_cdf_ugaussian_Pinv(0.5 + confidence / 2);

    if (count < 2)
        return (opevo_interval){NAN, NAN};
    for (size_t i = 0; i < count; i++)
        mean += values[i * value_stride];
    mean /= (double)count;
    for (size_t i = 0; i < count; i++) {
        double off = values[i * value_stride] - mean;

        squares += off * off;
        cubes += off * off * off;
    }
    if (!(squares > (double)count * 1e-28 * mean * mean))
        return (opevo_interval){mean, mean};
    a = cubes / (6 * squares * sqrt(squares));
    for (size_t b = 0; b < resamples; b++)
        scratch[b] = sums[b * stride] / (double)count;
    gsl_sort(scratch, 1, resamples);
    z0 = bias_correction(scratch, resamples, mean);
    for (int i = 0; i < 2; i++) {
        double shifted = z0 + (i ? z : -z);

        end[i] = opevo_quantile_sorted(scratch, resamples,
                                       gsl_cdf_ugaussian_P(z0 + shifted / (1 - a * shifted)));
    }
    return (opevo_interval){end[0], end[1]};
}

/* Between order statistics there is no going half way to infinity, so the nearest is taken. */
opevo_interval opevo_percentile_interval(double *replicates, size_t resamples, double confidence)
{
    double last = (double)resamples - 1, tail = (1 - confidence) / 2;

    gsl_sort(replicates, 1, resamples);
    return (opevo_interval){replicates[(size_t)floor(tail * last)],
                            replicates[(size_t)ceil((1 - tail) * last)]};
}

/* The x with P(X <= x) = p for X of the beta law (a, b), by bisection, as gsl_cdf_beta_Pinv of GSL
 * 2.7 does not always converge; NAN where the law itself does not, from about a + b = 10^7 on. */
static double beta_quantile(double p, double a, double b)
{
    double low = 0, high = 1;

    while (high - low > 1e-12) {
        double middle = low + (high - low) / 2;
        double below = gsl_cdf_beta_P(middle, a, b);

        if (isnan(below))
            return NAN;
        if (below < p)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

opevo_interval opevo_share_interval(uint64_t hits, uint64_t count, double confidence)
{
    double k = (double)hits, n = (double)count, tail = (1 - confidence) / 2;
    opevo_interval interval = {0, 1};

    if (count == 0)
        return (opevo_interval){NAN, NAN};
    if (hits > 0)
        interval.low = beta_quantile(tail, k, n - k + 1);
    if (hits < count)
        interval.high = beta_quantile(1 - tail, k + 1, n - k);
    return interval;
}
