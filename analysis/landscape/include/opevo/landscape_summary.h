/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a landscape holds, in a few numbers. */

#ifndef OPEVO_LANDSCAPE_SUMMARY_H
#define OPEVO_LANDSCAPE_SUMMARY_H

#include <opevo/api.h>
#include <opevo/objective.h>

OPEVO_BEGIN_C

/* What a landscape holds. Exact when every allowed point was evaluated, otherwise estimated from an
 * evenly spread sample. */
typedef struct opevo_landscape_summary {
    bool exact;
    opevo_index points; /* allowed by the constraints; when exact */
    uint64_t evaluated;
    uint64_t by_class[OPEVO_OUTCOME_CLASS_COUNT];
    /* Of the fitness of the successful points; NAN where there are too few. */
    double quantile[5]; /* .05 .25 .5 .75 .95, as opevo_quantile_sorted of summary.h */
    double mean, sd;
    /* The 99 % confidence intervals of quantiles (from order statistics) and mean (normal); when
     * exact both ends are the number itself. */
    double quantile_low[5], quantile_high[5], mean_low, mean_high;
    double best; /* largest fitness evaluated; NAN where no point succeeded */
    /* By the enumeration when exact (unknown where no point succeeded), otherwise what the
     * objective itself knows. */
    opevo_optimum optimum;
    /* Evaluated points with fitness >= 0.95 times the optimum's, or the best's if that is unknown.
     */
    uint64_t within_5_percent;
} opevo_landscape_summary;
OPEVO_API extern const double opevo_landscape_quantiles[5];

/* Evaluates all allowed points of a space of up to `enumerate_limit` points (the excluded ones
 * counted in, but of a sparse space, space_listed.h, only those that are listed) or up to 10^6, and
 * of a larger one those allowed among 10^6 evenly spread points, on `threads` threads (0: all
 * processors; one where the objective is not concurrent). The numbers do not depend on the threads.
 * Sample: multiples modulo the space's size of a number near 0.618 times the size that
 * shares no factor with it, so that points are distinct and each parameter's values equally used.
 *
 * Errors: LIMIT for an enumerate_limit above 2^31; what the objective reports; NOMEM.
 * Memory: 8 bytes a point of the space, or of the sample. */
OPEVO_API opevo_status opevo_landscape_summarise(opevo_objective *objective,
                                                 opevo_index enumerate_limit, unsigned threads,
                                                 opevo_landscape_summary *out, opevo_error *err);

OPEVO_END_C

#endif
