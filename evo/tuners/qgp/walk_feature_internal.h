/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A feature of a parameter's values and its kernel by the law of the walk.
 *
 * A feature puts every value into a class. Its graph is the quotient of the parameter's: as many
 * edges between two classes as the parameter has between their values, those inside a class as
 * well. With A its edges, D its degrees and N = D^-1/2 A D^-1/2, the resolvent R(q) = (I - q N)^-1
 * is symmetric and positive definite, and scaled to a unit diagonal a correlation,
 *
 *     C_q(a, b) = R(a, b) / sqrt(R(a, a) R(b, b)).
 *
 * Where each value is its own class this is sqrt(S_u(v) S_v(u) / (S_u(u) S_v(v))) with the law S of
 * the q-random walk, for D^1/2 R D^-1/2 is S over 1 - q.
 *
 * A parameter of a branch is inactive at some points. Being inactive is one more class o, with
 *
 *     C(o, o) = 1,   C(a, o) = mean of C(a, class of v) over the values v of the parameter.
 *
 * This is a correlation as well: with C(a, b) = <f_a, f_b> for unit vectors f_a, and m the mean of
 * f over the values, C(a, o) = <f_a, m>, and |m| <= 1 as a mean of unit vectors. So for a unit
 * vector e that is orthogonal to all f_a, f_o = m + sqrt(1 - |m|^2) e has the products that C says,
 * and length 1. */

#ifndef OPEVO_WALK_FEATURE_INTERNAL_H
#define OPEVO_WALK_FEATURE_INTERNAL_H

#include <opevo/parameter.h>

enum {
    OPEVO_I_LEVELS = 9,             /* values of q, rising */
    OPEVO_I_DENSE_MOST = 1024,      /* classes: 38 MB of tables */
    OPEVO_I_CLASSIFIED_MOST = 65536 /* values that are put into fewer classes */
};
extern const double opevo_i_qgp_level_q[OPEVO_I_LEVELS];

typedef struct opevo_i_qgp_walk_feature {
    size_t classes;
    uint16_t *class_of; /* of each value */
    float *tables;      /* classes x classes for each level */
    bool borrowed;      /* both are of another feature, which outlives this one */
} opevo_i_qgp_walk_feature;

/* The k-th component of a value, for k >= 0, or one of these. */
enum {
    OPEVO_I_FEATURE_VALUE = -1, /* itself; of at most OPEVO_I_DENSE_MOST */
    OPEVO_I_FEATURE_KIND = -2   /* whether it is the integer of a power of two; of one component */
};

/* A parameter of at most OPEVO_I_CLASSIFIED_MOST values, of which a component of three or more
 * takes at most 1024 (a number of 1025 divisors has more ordered factorisations than that, and 9!
 * is more). One that has a single class has no tables and says nothing. Errors: NOMEM.
 * Cost: one look at each edge, and OPEVO_I_LEVELS inversions. */
opevo_status opevo_i_qgp_walk_feature_init(opevo_i_qgp_walk_feature *self,
                                           const opevo_parameter *parameter, int what,
                                           opevo_error *err);
/* Append the class of a parameter that is inactive: that of the value `size`, the number of values
 * of the parameter. For a feature with tables. Errors: NOMEM, with the feature as it was. Cost:
 * copying the tables. */
opevo_status opevo_i_qgp_walk_feature_add_inactive(opevo_i_qgp_walk_feature *self, size_t size,
                                                   opevo_error *err);
void opevo_i_qgp_walk_feature_clear(opevo_i_qgp_walk_feature *self);

/* Correlations of a value with each class. */
static inline const float *opevo_i_qgp_walk_feature_row(const opevo_i_qgp_walk_feature *self,
                                                        unsigned level, size_t value)
{
    return self->tables + (level * self->classes + self->class_of[value]) * self->classes;
}

#endif
