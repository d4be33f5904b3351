/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Intervals of means from resamples. Values are centred at their mean first, so that the variance
 * of a resample does not cancel. */

#include "mean_interval_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/random.h>

#include <gsl/gsl_sort.h>

#include <math.h>
#include <string.h>

/* With fewer values too many resamples have no variance. */
enum { LEAST_STUDENTISED = 5 };

/* Neumaier's compensated sum. Source: A. Neumaier, ZAMM 54 (1974). */
double opevo_i_analysis_mean(const double *values, size_t count, size_t stride)
{
    double sum = 0, lost = 0;

    for (size_t i = 0; i < count; i++) {
        double value = values[i * stride], next = sum + value;

        lost += fabs(sum) >= fabs(value) ? (sum - next) + value : (value - next) + sum;
        sum = next;
    }
    return count ? (sum + lost) / (double)count : (double)NAN;
}

/* Sum, sum of squares and weighted sum of each column, a resample; a third of the rows are not
 * drawn. */
static void add_row(const double *restrict row, size_t columns, double times, double share,
                    double *restrict sums)
{
    double *restrict squares = sums + columns, *restrict weighted = squares + columns;

    for (size_t j = 0; j < columns; j++)
        weighted[j] += share * row[j];
    for (size_t j = 0; j < columns && times > 0; j++) {
        double value = times * row[j];

        sums[j] += value;
        squares[j] += value * row[j];
    }
}

/* Exponential numbers over their sum are uniform on the simplex. */
static void draw_shares(opevo_rng *rng, size_t count, double *share)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        share[i] = -log1p(-opevo_rng_unit(rng));
        sum += share[i];
    }
    for (size_t i = 0; i < count; i++)
        share[i] /= sum;
}

opevo_status opevo_i_analysis_resample(const double *rows, size_t count, size_t columns,
                                       const opevo_bootstrap *options,
                                       opevo_i_analysis_resamples *out, opevo_error *err)
{
    double *times = opevo_malloc(count, sizeof *times);
    double *share = opevo_malloc(count + 1, sizeof *share);
    opevo_rng draws, shares;

    if (!times || !share) {
        opevo_free(times);
        opevo_free(share);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to resample %zu runs.", count);
    }
    opevo_rng_init(&draws, options->seed, "bootstrap", options->index);
    opevo_rng_init(&shares, options->seed, "simplex", options->index);
    out->rows = count;
    out->columns = columns;
    out->count = options->resamples;
    memset(out->sums, 0, 3 * options->resamples * columns * sizeof *out->sums);
    for (size_t b = 0; b < options->resamples; b++) {
        memset(times, 0, count * sizeof *times);
        for (size_t i = 0; i < count; i++)
            times[opevo_rng_below(&draws, count)]++;
        draw_shares(&shares, count + 1, share);
        for (size_t i = 0; i < count; i++)
            add_row(rows + i * columns, columns, times[i], share[i], out->sums + 3 * b * columns);
        out->bound_share[b] = share[count];
    }
    opevo_free(times);
    opevo_free(share);
    return OPEVO_OK;
}

void opevo_i_analysis_replicates_add(const opevo_i_analysis_resamples *from, size_t column,
                                     double mean, double variance, opevo_interval range,
                                     double weight, opevo_i_analysis_replicates *to)
{
    double n = (double)from->rows;

    to->mean += weight * mean;
    to->variance += weight * weight * variance / n;
    to->range.low += weight * range.low;
    to->range.high += weight * range.high;
    if (to->least_rows == 0 || from->rows < to->least_rows)
        to->least_rows = from->rows;
    for (size_t b = 0; b < from->count; b++) {
        const double *sums = from->sums + 3 * b * from->columns + column;
        double shift = sums[0] / n, spread = sums[from->columns] / n - shift * shift;
        double inside = mean + sums[2 * from->columns], share = from->bound_share[b];

        to->shift[b] += weight * shift;
        /* Below a share of 1e-20 the variance of a resample of equal values is rounding. */
        to->spread[b] += weight * weight * (spread > 1e-20 * variance ? spread / n : 0);
        to->low[b] += weight * (inside + share * (range.low - mean));
        to->high[b] += weight * (inside + share * (range.high - mean));
    }
}

/* A quantile, outwards. */
static double at(const double *sorted, size_t count, double p, bool up)
{
    double place = p * (double)(count - 1);

    return sorted[(size_t)(up ? ceil(place) : floor(place))];
}

/* By the t of resamples (bootstrap-t). That of a resample without variance is infinite, which may
 * put an end of the interval at that of the range. */
static opevo_interval studentised(opevo_i_analysis_replicates *self, size_t count, double tail)
{
    double length = sqrt(self->variance);

    for (size_t b = 0; b < count; b++) {
        double shift = self->shift[b];

        if (self->spread[b] > 0)
            self->shift[b] = shift / sqrt(self->spread[b]);
        else
            self->shift[b] = shift > 0 ? INFINITY : shift < 0 ? -INFINITY : 0;
    }
    gsl_sort(self->shift, 1, count);
    return (opevo_interval){
        fmax(self->mean - length * at(self->shift, count, 1 - tail, true), self->range.low),
        fmin(self->mean - length * at(self->shift, count, tail, false), self->range.high)};
}

opevo_interval opevo_i_analysis_replicates_interval(opevo_i_analysis_replicates *self, size_t count,
                                                    double confidence, bool exact)
{
    double tail = (1 - confidence) / 2;
    opevo_interval bounded, other;

    if (self->least_rows < 2)
        return (opevo_interval){NAN, NAN};
    gsl_sort(self->low, 1, count);
    gsl_sort(self->high, 1, count);
    bounded =
        (opevo_interval){at(self->low, count, tail, false), at(self->high, count, 1 - tail, true)};
    /* Where the values differ by rounding only, there is nothing to divide by. */
    if (exact || self->least_rows < LEAST_STUDENTISED ||
        !(self->variance > 1e-28 * self->mean * self->mean))
        return bounded;
    other = studentised(self, count, tail);
    return other.high - other.low < bounded.high - bounded.low ? other : bounded;
}

void opevo_i_analysis_replicates_clear(opevo_i_analysis_replicates *self, size_t count)
{
    self->mean = self->variance = 0;
    self->range = (opevo_interval){0, 0};
    self->least_rows = 0;
    memset(self->shift, 0, 4 * count * sizeof *self->shift);
    self->spread = self->shift + count;
    self->low = self->spread + count;
    self->high = self->low + count;
}

opevo_status opevo_mean_interval(const double *values, size_t count, opevo_interval range,
                                 const opevo_bootstrap *options, double confidence, bool exact,
                                 opevo_interval *out, opevo_error *err)
{
    size_t most = options->resamples;
    double *centred = opevo_malloc(count, sizeof *centred);
    opevo_i_analysis_resamples resamples = {.sums = opevo_malloc(3 * most, sizeof(double)),
                                            .bound_share = opevo_malloc(most, sizeof(double))};
    opevo_i_analysis_replicates replicates = {.shift = opevo_malloc(4 * most, sizeof(double))};
    double mean = opevo_i_analysis_mean(values, count, 1), variance = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(centred && resamples.sums && resamples.bound_share && replicates.shift,
               "an interval");
    for (size_t i = 0; i < count; i++) {
        centred[i] = values[i] - mean;
        variance += centred[i] * centred[i] / (double)count;
    }
    opevo_i_analysis_replicates_clear(&replicates, most);
    if (count > 0)
        OPEVO_TRY(opevo_i_analysis_resample(centred, count, 1, options, &resamples, err));
    if (count > 0)
        opevo_i_analysis_replicates_add(&resamples, 0, mean, variance, range, 1, &replicates);
    *out = opevo_i_analysis_replicates_interval(&replicates, most, confidence, exact);
cleanup:
    opevo_free(centred);
    opevo_free(resamples.sums);
    opevo_free(resamples.bound_share);
    opevo_free(replicates.shift);
    return status;
}
