/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Resamples that the intervals of many means share, and means of such means. */

#ifndef OPEVO_MEAN_INTERVAL_INTERNAL_H
#define OPEVO_MEAN_INTERVAL_INTERNAL_H

#include <opevo/bootstrap.h>

/* Of B resamples, column by column of centred rows: the sum and the sum of squares of a resample,
 * and the sum weighted by uniform shares of the rows and one further value, a bound. */
typedef struct opevo_i_analysis_resamples {
    size_t rows, columns, count;
    double *sums;        /* room for 3 B columns, of the caller */
    double *bound_share; /* of the further value; room for B, of the caller */
} opevo_i_analysis_resamples;
opevo_status opevo_i_analysis_resample(const double *rows, size_t count, size_t columns,
                                       const opevo_bootstrap *options,
                                       opevo_i_analysis_resamples *out, opevo_error *err);

/* The replicates of a weighted sum of means. */
typedef struct opevo_i_analysis_replicates {
    double mean, variance; /* of the mean */
    opevo_interval range;
    size_t least_rows;
    double *shift; /* room for 4 B numbers, of the caller; the others point into it */
    double *spread, *low, *high;
} opevo_i_analysis_replicates;
void opevo_i_analysis_replicates_clear(opevo_i_analysis_replicates *self, size_t count);
/* `variance` with divisor n. */
void opevo_i_analysis_replicates_add(const opevo_i_analysis_resamples *from, size_t column,
                                     double mean, double variance, opevo_interval range,
                                     double weight, opevo_i_analysis_replicates *to);
/* As opevo_mean_interval; sorts the replicates. */
opevo_interval opevo_i_analysis_replicates_interval(opevo_i_analysis_replicates *self, size_t count,
                                                    double confidence, bool exact);

/* Mean of values that lie `stride` apart, NAN of none, right to the last place in whatever order
 * they come: means of the same fractions are the same number. */
double opevo_i_analysis_mean(const double *values, size_t count, size_t stride);

#endif
