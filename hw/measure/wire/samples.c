/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Medians, and their confidence intervals from order statistics. */

#include "samples_internal.h"

#include <opevo/gsl_errors.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include <math.h>

void opevo_i_wire_sort(double *values, size_t count)
{
    gsl_sort(values, 1, count);
}

double opevo_i_wire_median(const double *sorted, size_t count)
{
    return gsl_stats_median_from_sorted_data(sorted, 1, count);
}

bool opevo_i_wire_median_interval(const double *sorted, size_t count, double confidence,
                                  double *low, double *high)
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

void opevo_i_wire_window_times(const double *elapsed_s, const double *processor_s, size_t count,
                               double *times)
{
    for (size_t i = 0; i < count; i++)
        times[i] = fmin(elapsed_s[i], processor_s[i]);
}

double opevo_i_wire_time_of_windows(const double *sorted, size_t count)
{
    return sorted[(size_t)(0.1 * (double)(count - 1) + 0.5)];
}

double opevo_i_wire_recordable_s(double time_s)
{
    double ms = time_s * 1e3;

    if (nextafter(ms, 0) / 1e3 == time_s || nextafter(ms, INFINITY) / 1e3 == time_s)
        return time_s;
    return ms / 1e3;
}
