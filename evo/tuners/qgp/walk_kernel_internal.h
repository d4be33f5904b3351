/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernel of two points, from the law of the walk: the product over features of their parameters
 * (walk_feature) of how alike the two classes are, each with a level of q of its own.
 *
 * A value of one or two components is compared as it stands, by the parameter's own graph.
 *
 * A value of more components is compared component by component: which of them matter is then
 * learned apart, where the graph of all of them together has one q for every exchange. The
 * components determine the value, so points that differ are never taken for the same.
 *
 * A parameter is mixed where some but not all of its three or more integers are powers of two.
 * These two kinds of values are compared as well: alignment makes that difference on most hardware,
 * and no path of increasing values shows it. Where several parameters are mixed, so is whether all
 * of them have a power of two: a tile has to divide an extent, where one factor that is not spoils
 * what the others do, and a second no more, which no product over parameters can say. Often only
 * one of the two matters, so these features are optional.
 *
 * A parameter of more than OPEVO_I_DENSE_MOST values (OPEVO_I_CLASSIFIED_MOST of three or more
 * components) has no table; its values are equal or not, with the correlation q, which is that of a
 * complete graph for some other q. So has whether all are powers of two, and so have runs, where
 * points were measured in several.
 *
 * With branches, each feature of a parameter of a branch has one more class: that the parameter is
 * inactive (walk_feature). It correlates with itself by 1, and with a class by the mean of the
 * class's correlations with all values. So two points correlate by the product over the features of
 * the parameters that are active in both, the choices of their branches among them, times, for each
 * feature of a parameter that is active in one of them only, the mean over what the other might
 * have there. Whether all are powers of two is of those that are active.
 *
 * The kernel is positive semidefinite: each feature is, with the class of being inactive
 * (walk_feature), as a function of a part of the point, and a product of positive semidefinite
 * matrices element by element is (Schur). Of equality, q + (1 - q) [u = v] over n values, the mean
 * is q + (1 - q) / n. */

#ifndef OPEVO_WALK_KERNEL_INTERNAL_H
#define OPEVO_WALK_KERNEL_INTERNAL_H

#include <opevo/space.h>

#include "walk_feature_internal.h"

enum {
    OPEVO_I_JOINT_MOST = 4096 /* values of a group of parameters: its row stays in the cache */
};

typedef struct opevo_i_qgp_walk_kernel opevo_i_qgp_walk_kernel;

/* `space` must outlive it; `runs`, at least 1, are those that points were measured in. Errors:
 * NOMEM. Cost: as for each feature. */
opevo_status opevo_i_qgp_walk_kernel_create(const opevo_space *space, size_t runs,
                                            opevo_i_qgp_walk_kernel **out, opevo_error *err);
void opevo_i_qgp_walk_kernel_destroy(opevo_i_qgp_walk_kernel *kernel);
/* Each has a level. */
size_t opevo_i_qgp_walk_kernel_features(const opevo_i_qgp_walk_kernel *kernel);
/* Whether it is as likely before anything is known that a feature matters as that it does not, that
 * is, has the last level: true of those on powers of two where several parameters are mixed. */
bool opevo_i_qgp_walk_kernel_is_optional(const opevo_i_qgp_walk_kernel *kernel, size_t feature);
/* The level to begin with: the last for what is optional and of one parameter. */
unsigned char opevo_i_qgp_walk_kernel_start(const opevo_i_qgp_walk_kernel *kernel, size_t feature);

/* Points as the kernel sees them: for each parameter, for powers of two and the run where these are
 * compared, and for each group of parameters, a column with a number for each point. */
typedef struct opevo_i_qgp_points {
    const opevo_i_qgp_walk_kernel *kernel;
    size_t count, capacity;
    uint32_t **values; /* one column for each parameter, and for what else is compared */
    uint32_t **joints; /* one for each group */
} opevo_i_qgp_points;

opevo_status opevo_i_qgp_points_init(opevo_i_qgp_points *points,
                                     const opevo_i_qgp_walk_kernel *kernel, opevo_error *err);
void opevo_i_qgp_points_clear(opevo_i_qgp_points *points);
/* Append a point of the space, measured in run 0, 1, ... of the kernel's; errors: NOMEM. The kernel
 * remembers values of large parameters. */
opevo_status opevo_i_qgp_points_add(opevo_i_qgp_points *points, opevo_i_qgp_walk_kernel *kernel,
                                    opevo_index point, size_t run, opevo_error *err);
/* Append point i of other points of the same kernel. Errors: NOMEM. */
opevo_status opevo_i_qgp_points_copy(opevo_i_qgp_points *points, const opevo_i_qgp_points *from,
                                     size_t i, opevo_error *err);

/* Points first .. first + count - 1 of a set. */
typedef struct opevo_i_qgp_point_range {
    const opevo_i_qgp_points *points;
    size_t first, count;
} opevo_i_qgp_point_range;

/* products[j] *= correlation by one feature between point i of `of` and point j of the range
 * `to`. */
void opevo_i_qgp_walk_kernel_multiply(const opevo_i_qgp_walk_kernel *kernel, size_t feature,
                                      unsigned level, const opevo_i_qgp_points *of, size_t i,
                                      opevo_i_qgp_point_range to, float *products);
/* products[j] = correlation of the points: one look-up for each group. Cost, beside that: up to
 * OPEVO_I_JOINT_MOST products for each group. */
void opevo_i_qgp_walk_kernel_row(const opevo_i_qgp_walk_kernel *kernel, const unsigned char *levels,
                                 const opevo_i_qgp_points *of, size_t i, opevo_i_qgp_point_range to,
                                 float *products);

#endif
