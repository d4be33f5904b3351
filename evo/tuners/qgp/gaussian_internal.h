/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A Gaussian process on the points of a space whose correlation is the walk's (walk_kernel):
 *
 *     z_i = mu + f(x_i) + e_i,   f ~ GP(0, s^2 C),   e_i ~ N(0, s^2 noise) independent,
 *
 * with a flat prior of mu and an inverse gamma prior of s^2 (shape 1, scale half the sample
 * variance of z), both integrated out. What is left, one level of q for each feature and one of the
 * noise, is drawn from its posterior under a uniform prior over the levels, but for the last of an
 * optional feature, which is as likely as all others together.
 *
 * Source: Rasmussen, Williams, "Gaussian Processes for Machine Learning", 2006, sections 2.7 and
 * 5.4.1; O'Hagan, "Curve fitting and optimal design for prediction", JRSS B 40 (1978). */

#ifndef OPEVO_GAUSSIAN_INTERNAL_H
#define OPEVO_GAUSSIAN_INTERNAL_H

#include <opevo/random.h>

#include "walk_kernel_internal.h"

typedef struct opevo_i_qgp_gaussian opevo_i_qgp_gaussian;

enum { OPEVO_I_NOISES = 7 };
extern const double opevo_i_qgp_noise[OPEVO_I_NOISES];

/* `kernel` must outlive it; NULL without memory. */
opevo_i_qgp_gaussian *opevo_i_qgp_gaussian_create(const opevo_i_qgp_walk_kernel *kernel);
void opevo_i_qgp_gaussian_destroy(opevo_i_qgp_gaussian *self);

/* What is drawn: a level for each feature, and the number of the noise. Hook of tests. */
const unsigned char *opevo_i_qgp_gaussian_levels(const opevo_i_qgp_gaussian *self);
unsigned opevo_i_qgp_gaussian_noise(const opevo_i_qgp_gaussian *self);
void opevo_i_qgp_gaussian_set(opevo_i_qgp_gaussian *self, const unsigned char *levels,
                              unsigned char noise);

/* - log of the density of z given the levels, up to a constant that depends on the number of points
 * only; DBL_MAX where the covariance is not positive definite in double precision. Errors: NOMEM.
 * Cost: n^3 / 3. Hook of tests. */
opevo_status opevo_i_qgp_gaussian_evidence(const opevo_i_qgp_gaussian *self,
                                           const opevo_i_qgp_points *points, const double *z,
                                           double *minus_log, opevo_error *err);
/* Draw each level anew, in random order, given the others: from the current one and three more,
 * which are uniform over the rest. A Gibbs step on a random subset that does not depend on where in
 * the subset the chain stands, so the posterior is invariant. Errors: NOMEM. Cost: n^3 for each
 * level. */
opevo_status opevo_i_qgp_gaussian_sweep(opevo_i_qgp_gaussian *self,
                                        const opevo_i_qgp_points *points, const double *z,
                                        opevo_rng *rng, opevo_error *err);

/* Condition on points (all of them, at least one) and forget the watched ones; then give the
 * targets, as often as they change. Where rounding leaves C + noise I indefinite, ten times the
 * noise is added, and ten times that, for these points and those appended to them. Errors:
 * TOLERANCE, with nothing conditioned on, where that does not help either, as with a correlation
 * that is NAN; NOMEM. Cost: n^3 / 3, and n^2. */
opevo_status opevo_i_qgp_gaussian_condition(opevo_i_qgp_gaussian *self,
                                            const opevo_i_qgp_points *points, opevo_error *err);
void opevo_i_qgp_gaussian_target(opevo_i_qgp_gaussian *self, const double *z);

/* Mean and standard deviation of mu + f at points first .. first + count - 1 of `at`. Errors:
 * NOMEM. Cost: n^2 a point. */
opevo_status opevo_i_qgp_gaussian_predict(opevo_i_qgp_gaussian *self,
                                          const opevo_i_qgp_points *points,
                                          const opevo_i_qgp_points *at, size_t first, size_t count,
                                          float *mean, float *deviation, opevo_error *err);

/* Keep what is needed to predict at all of these points again after one more is conditioned on.
 * Errors: NOMEM. Cost: n^2 a point; 4 n bytes a point. */
opevo_status opevo_i_qgp_gaussian_watch(opevo_i_qgp_gaussian *self,
                                        const opevo_i_qgp_points *points,
                                        const opevo_i_qgp_points *watched, opevo_error *err);
/* Condition on one more point: the next of `points` that was not conditioned on. Until the targets
 * are given again its target is what was predicted there, which leaves every mean as it was.
 * Errors, with nothing appended: TOLERANCE for a correlation that is NAN; NOMEM. Cost: n^2, and n
 * for each watched point. */
opevo_status opevo_i_qgp_gaussian_append(opevo_i_qgp_gaussian *self,
                                         const opevo_i_qgp_points *points,
                                         const opevo_i_qgp_points *watched, opevo_error *err);
/* Forget all points after the first `count` that were appended, of which at least one is left. */
void opevo_i_qgp_gaussian_retract(opevo_i_qgp_gaussian *self, size_t count);
/* Mean and standard deviation at the watched points; mean may be NULL. Cost: n a point. */
void opevo_i_qgp_gaussian_read(const opevo_i_qgp_gaussian *self, float *mean, float *deviation);

#endif
