/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers about runs and landscapes. */

#ifndef OPEVO_SUMMARY_H
#define OPEVO_SUMMARY_H

#include <opevo/objective.h>

/* Mean, sample standard deviation, extremes and quantiles of a sample; NAN where undefined. */
typedef struct opevo_moments {
    size_t count;
    double mean, sd, min, max, median;
} opevo_moments;
/* `values` is sorted in place. */
opevo_moments opevo_moments_of(double *values, size_t count);

/* What a landscape holds. Exact when every allowed point was evaluated, otherwise estimated from an
 * evenly spread sample. */
typedef struct opevo_landscape_summary {
    bool exact;
    opevo_index points; /* allowed by the constraints; when exact */
    uint64_t evaluated;
    uint64_t by_class[OPEVO_OUTCOME_CLASS_COUNT];
    double quantile[5]; /* .05 .25 .5 .75 .95 of the fitness of the points that are ok */
    double mean, sd;
    opevo_optimum optimum;
    uint64_t within_5_percent; /* evaluated points with fitness >= 0.95 times the best */
} opevo_landscape_summary;
extern const double opevo_landscape_quantiles[5];
/* Enumerates spaces up to `enumerate_limit` points on `threads` threads (0: all), samples 10^6
 * otherwise. */
opevo_status opevo_landscape_summarise(opevo_objective *objective, opevo_index enumerate_limit,
                                       unsigned threads, opevo_landscape_summary *out,
                                       opevo_error *err);

#endif
