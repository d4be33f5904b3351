/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statistics of repeated measurements. */

#include "samples_internal.h"

#include <opevo/gsl_errors.h>

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
