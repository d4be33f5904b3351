/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Fronts: the trials of a run that no other dominates, and the hypervolume that they dominate.
 * docs/criteria.md says what is compared with what. */

#ifndef OPEVO_FRONT_H
#define OPEVO_FRONT_H

#include <opevo/api.h>
#include <opevo/tuner.h>

OPEVO_BEGIN_C

/* A plain value: start from {0}, with `criteria` set. */
typedef struct opevo_front {
    opevo_criteria criteria; /* chosen; the same for all members */
    opevo_trial *members;    /* in no order; without samples and messages */
    size_t count, capacity;
} opevo_front;

/* Add a trial unless it failed, or a member dominates it or is as good in every chosen criterion;
 * then those that it dominates leave. *changed, which may be NULL, says whether it was added.
 * Errors: NOMEM. Cost: O(count). */
OPEVO_API opevo_status opevo_front_add(opevo_front *front, const opevo_trial *trial, bool *changed,
                                       opevo_error *err);
/* By the first chosen criterion, the best first, then by the others. */
OPEVO_API void opevo_front_sort(opevo_front *front);
OPEVO_API void opevo_front_free(opevo_front *front);

/* Whether a chosen criterion is a time, which is shown and weighed as one: criterion 0 if results
 * in `unit` are times, or if it was chosen by the name "time". */
OPEVO_API bool opevo_front_is_time(const opevo_criteria *criteria, size_t chosen, const char *unit);
/* The displayed value of a chosen criterion: its value in the outcome, for criterion 0 the result
 * in `unit` (opevo_unit_result), or, where that is a rate r chosen as a time, the time of the
 * outcome in s, or 1 / r if that is unknown or r is a speedup; NAN if unknown. A hypervolume of
 * times and one of the rates rank runs differently, because 1 / r is not linear in r. */
OPEVO_API double opevo_front_value(const opevo_criteria *criteria, size_t chosen, const char *unit,
                                   const opevo_outcome *outcome);

/* The same values as costs to minimise: values for which larger is better are negated, and unknown
 * values are INFINITY. */
OPEVO_API double opevo_front_cost(const opevo_criteria *criteria, size_t chosen, const char *unit,
                                  const opevo_outcome *outcome);

/* The best and the worst cost of each chosen criterion that some outcomes have. Start with
 * opevo_front_box_empty. */
typedef struct opevo_front_box {
    double best[OPEVO_CRITERIA_MOST], worst[OPEVO_CRITERIA_MOST];
} opevo_front_box;
OPEVO_API opevo_front_box opevo_front_box_empty(void);
/* Failures and unknown values do not change it. */
OPEVO_API void opevo_front_box_add(opevo_front_box *box, const opevo_criteria *criteria,
                                   const char *unit, const opevo_outcome *outcome);

/* The hypervolume of the front with the box's worst costs as the reference point, as a fraction of
 * the box: 1 would be a single trial that is best in every criterion. 0 if the box has no volume.
 * Errors: NOMEM. Cost: as opevo_hypervolume. */
OPEVO_API opevo_status opevo_front_volume(const opevo_front *front, const char *unit,
                                          const opevo_front_box *box, double *volume,
                                          opevo_error *err);

/* Volume of the union of the boxes between each of `count` points and the reference point:
 *
 *     lambda({x : p <= x <= reference for a point p}),   <= in each of the dimensions.
 *
 *   points     count * dimensions coordinates, point after point; what is not below the reference
 *              point in every dimension contributes nothing; dominated and equal points are allowed
 *   dimensions 1 to OPEVO_CRITERIA_MOST
 *
 * Exact up to rounding. Errors: NOMEM. Cost: n log n comparisons in two dimensions; in three as
 * many, and n^2 moves of numbers at worst; in four n^2 log n comparisons, and n^3 moves at worst.
 * Source: Fonseca, Paquete, Lopez-Ibanez, "An Improved Dimension-Sweep Algorithm for the
 *         Hypervolume Indicator", IEEE CEC 2006, section III (the sweep in three dimensions); four
 *         dimensions by slices. */
OPEVO_API opevo_status opevo_hypervolume(const double *points, size_t count, size_t dimensions,
                                         const double *reference, double *volume, opevo_error *err);

OPEVO_END_C

#endif
