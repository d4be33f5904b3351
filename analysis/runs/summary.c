/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Moments and quantiles of a sample. */

#include <opevo/summary.h>

#include <opevo/gsl_errors.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include <math.h>

double opevo_quantile_sorted(const double *values, size_t count, double p)
{
    return count > 0 ? gsl_stats_quantile_from_sorted_data(values, 1, count, p) : (double)NAN;
}

opevo_moments opevo_moments_of(double *values, size_t count)
{
    opevo_moments moments = {.count = count};
    double sum = 0, squares = 0;

    if (count == 0) {
        moments.mean = moments.sd = moments.min = moments.max = moments.median = NAN;
        return moments;
    }
    gsl_sort(values, 1, count);
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    moments.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - moments.mean) * (values[i] - moments.mean);
    moments.sd = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    moments.min = values[0];
    moments.max = values[count - 1];
    moments.median = gsl_stats_median_from_sorted_data(values, 1, count);
    return moments;
}
