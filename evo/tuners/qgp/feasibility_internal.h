/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The probability of feasibility of a point: the share of successes among the points tried, each
 * weighing as much as the walk correlates it with the point,
 *
 *     p(x) = (w r + sum_i C(x, x_i) ok_i) / (w + sum_i C(x, x_i)),
 *
 * with r = (successes + 1) / (trials + 1) and w = 1/2: a Beta posterior with kernel weights. The
 * levels of C are those of largest leave-one-out likelihood, climbed to one feature at a time.
 *
 * Source: Goetschalckx, Poupart, Hoey, "Continuous correlated Beta processes", IJCAI 2011. */

#ifndef OPEVO_FEASIBILITY_INTERNAL_H
#define OPEVO_FEASIBILITY_INTERNAL_H

#include <opevo/random.h>

#include "walk_kernel_internal.h"

typedef struct opevo_i_qgp_feasibility opevo_i_qgp_feasibility;

/* `kernel` must outlive it; NULL without memory. */
opevo_i_qgp_feasibility *opevo_i_qgp_feasibility_create(const opevo_i_qgp_walk_kernel *kernel);
void opevo_i_qgp_feasibility_destroy(opevo_i_qgp_feasibility *self);

/* An outcome; errors: NOMEM. */
opevo_status opevo_i_qgp_feasibility_tell(opevo_i_qgp_feasibility *self,
                                          const opevo_i_qgp_points *from, size_t i, bool ok,
                                          opevo_error *err);
/* One for each feature. Hook of tests. */
const unsigned char *opevo_i_qgp_feasibility_levels(const opevo_i_qgp_feasibility *self);
/* Whether any point failed; without failures every probability is 1. */
bool opevo_i_qgp_feasibility_has_failures(const opevo_i_qgp_feasibility *self);

/* The logarithm of the leave-one-out likelihood of the outcomes, r being that of all of them.
 * Errors: NOMEM. Cost: n^2 for each feature. Hook of tests. */
opevo_status opevo_i_qgp_feasibility_likelihood(const opevo_i_qgp_feasibility *self,
                                                double *log_likelihood, opevo_error *err);
/* Climb: as many times as there are features, for a uniform one, the best of the
 * current level and two that are uniform. Errors: NOMEM. Cost:
 * a likelihood for each level tried. */
opevo_status opevo_i_qgp_feasibility_fit(opevo_i_qgp_feasibility *self, opevo_rng *rng,
                                         opevo_error *err);

/* Probabilities at points first .. first + count - 1 of `at`. Errors: NOMEM. Cost: n a point. */
opevo_status opevo_i_qgp_feasibility_predict(const opevo_i_qgp_feasibility *self,
                                             const opevo_i_qgp_points *at, size_t first,
                                             size_t count, float *probability, opevo_error *err);

/* The same at all of a set of points that stays, reading only outcomes that came since the last
 * call; restart before another set, or after a fit. Errors: NOMEM. Cost: a row for each outcome. */
opevo_status opevo_i_qgp_feasibility_follow(opevo_i_qgp_feasibility *self,
                                            const opevo_i_qgp_points *field, float *probability,
                                            opevo_error *err);
void opevo_i_qgp_feasibility_restart(opevo_i_qgp_feasibility *self);

#endif
