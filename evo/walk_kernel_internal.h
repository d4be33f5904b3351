/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How alike two points are, from the law of the walk: the product over parameters of how alike
 * their values are.
 *
 * With N = D^-1/2 A D^-1/2 of a parameter's graph, the resolvent R(q) = (I - q N)^-1 is symmetric
 * and positive definite, and D^1/2 R D^-1/2 is the law S of the q-random walk over 1 - q. Scaled to
 * a unit diagonal it is a correlation,
 *
 *     C_q(u, v) = R(u, v) / sqrt(R(u, u) R(v, v)) = sqrt(S_u(v) S_v(u) / (S_u(u) S_v(v))):
 *
 * for q -> 0 values tell nothing about each other, for q -> 1 the parameter does not matter.
 *
 * Where some but not all of a parameter's integers are powers of two, a second factor says whether
 * both or neither of two values are: the same correlation on the complete graph of these two kinds,
 * which is q for different kinds. Alignment makes that difference on most hardware, and no path of
 * increasing values shows it.
 *
 * A parameter of more than OPEVO_I_DENSE_MOST values has no table; its values are equal or not,
 * with the correlation q, which is that of a complete graph for some other q. */

#ifndef OPEVO_WALK_KERNEL_INTERNAL_H
#define OPEVO_WALK_KERNEL_INTERNAL_H

#include <opevo/space.h>

enum {
    OPEVO_I_LEVELS = 9,        /* values of q, rising */
    OPEVO_I_DENSE_MOST = 1024, /* 38 MB of tables */
    OPEVO_I_JOINT_MOST = 4096  /* values of a group of parameters: its row stays in the cache */
};
extern const double opevo_i_level_q[OPEVO_I_LEVELS];

typedef struct opevo_i_walk_kernel opevo_i_walk_kernel;

/* Numbers of levels: of the walk and of the kind of value, one pair for each parameter. */
typedef struct opevo_i_levels {
    unsigned char walk, kind;
} opevo_i_levels;

/* `space` must outlive it. Errors: NOMEM. Cost: OPEVO_I_LEVELS inversions for each parameter. */
opevo_status opevo_i_walk_kernel_create(const opevo_space *space, opevo_i_walk_kernel **out,
                                        opevo_error *err);
void opevo_i_walk_kernel_destroy(opevo_i_walk_kernel *kernel);
size_t opevo_i_walk_kernel_width(const opevo_i_walk_kernel *kernel); /* parameters */
/* Whether the level of the walk, and that of the kind, changes anything. */
bool opevo_i_walk_kernel_has_walk(const opevo_i_walk_kernel *kernel, size_t parameter);
bool opevo_i_walk_kernel_has_kind(const opevo_i_walk_kernel *kernel, size_t parameter);

/* Points as the kernel sees them: for each parameter, and for each group of parameters, a column
 * with a number for each point. */
typedef struct opevo_i_points {
    const opevo_i_walk_kernel *kernel;
    size_t count, capacity;
    uint32_t **values; /* one column for each parameter */
    uint32_t **joints; /* one for each group */
} opevo_i_points;

opevo_status opevo_i_points_init(opevo_i_points *points, const opevo_i_walk_kernel *kernel,
                                 opevo_error *err);
void opevo_i_points_clear(opevo_i_points *points);
/* Append a point of the space; errors: NOMEM. The kernel remembers values of large parameters. */
opevo_status opevo_i_points_add(opevo_i_points *points, opevo_i_walk_kernel *kernel,
                                opevo_index point, opevo_error *err);
/* Append point i of other points of the same kernel. Errors: NOMEM. */
opevo_status opevo_i_points_copy(opevo_i_points *points, const opevo_i_points *from, size_t i,
                                 opevo_error *err);

/* products[j] *= correlation of one parameter between point i of `of` and point first + j of `to`,
 * j < count. */
void opevo_i_walk_kernel_multiply(const opevo_i_walk_kernel *kernel, size_t parameter,
                                  opevo_i_levels levels, const opevo_i_points *of, size_t i,
                                  const opevo_i_points *to, size_t first, size_t count,
                                  float *products);
/* products[j] = correlation of the points: one look-up for each group. Cost, beside that: up to
 * OPEVO_I_JOINT_MOST products for each group. */
void opevo_i_walk_kernel_row(const opevo_i_walk_kernel *kernel, const opevo_i_levels *levels,
                             const opevo_i_points *of, size_t i, const opevo_i_points *to,
                             size_t first, size_t count, float *products);

#endif
