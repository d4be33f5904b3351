/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The trajectory of one run, kept as its improving trials, which loses nothing: the best after any
 * number of trials or seconds, and the trials to any fitness, are exact. A run of n trials in
 * random order has about ln n improvements. */

#ifndef OPEVO_RUN_CURVE_H
#define OPEVO_RUN_CURVE_H

#include <opevo/api.h>
#include <opevo/tuner.h>

OPEVO_BEGIN_C

typedef struct opevo_run_step {
    uint64_t trial; /* from 1 */
    double cost_s;  /* of all trials up to and with this one */
    double fitness; /* above that of every earlier trial, above 0 */
} opevo_run_step;

/* A plain value: start from {0}. */
typedef struct opevo_run_curve {
    opevo_run_step *steps;
    size_t count, capacity;
    uint64_t trials, failed;
    double cost_s;
} opevo_run_curve;

/* Add the next trial of the run. Errors: NOMEM, with the curve as before. Cost: O(1). */
OPEVO_API opevo_status opevo_run_curve_add(opevo_run_curve *curve, const opevo_outcome *outcome,
                                           opevo_error *err);
OPEVO_API void opevo_run_curve_free(opevo_run_curve *curve);

/* Best fitness among the first `trials` trials, or among those finished within `cost_s` seconds; 0
 * where none of them succeeded. Cost: O(log count). */
OPEVO_API double opevo_run_curve_best(const opevo_run_curve *curve, uint64_t trials);
OPEVO_API double opevo_run_curve_best_by(const opevo_run_curve *curve, double cost_s);
/* The first trial whose fitness is at least `fitness` > 0; 0 if none exists. */
OPEVO_API uint64_t opevo_run_curve_trials_to(const opevo_run_curve *curve, double fitness);

OPEVO_END_C

#endif
