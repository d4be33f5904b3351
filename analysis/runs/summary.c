/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <opevo/summary.h>

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double opevo_quantile_sorted(const double *values, size_t count, double p)
{
    double place = 0;
    size_t below = 0;

    if (count == 0)
        return NAN;
    place = p * (double)(count - 1);
    below = (size_t)place;
    if (below + 1 >= count)
        return values[count - 1];
    return values[below] + (place - (double)below) * (values[below + 1] - values[below]);
}

opevo_moments opevo_moments_of(double *values, size_t count)
{
    opevo_moments moments = {.count = count};
    double sum = 0, squares = 0;

    if (count == 0) {
        moments.mean = moments.sd = moments.min = moments.max = moments.median = NAN;
        return moments;
    }
    qsort(values, count, sizeof *values, ascending);
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    moments.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - moments.mean) * (values[i] - moments.mean);
    moments.sd = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    moments.min = values[0];
    moments.max = values[count - 1];
    moments.median = opevo_quantile_sorted(values, count, 0.5);
    return moments;
}
