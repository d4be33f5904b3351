/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernel of one mutation on the points of a small space: K(x, y) = prod_i S^(i)_{x_i}(y_i), the
 * event that no parameter moves included. */

#ifndef OPEVO_CHILD_KERNEL_H
#define OPEVO_CHILD_KERNEL_H

#include <opevo/space.h>

/* Laws of one parameter from each of its vertices. */
typedef struct opevo_i_factor {
    size_t size;
    double *law;      /* size rows of size probabilities, row u the law from u */
    uint32_t *region; /* of each vertex: what it can reach; a component, or itself when q = 0 */
    size_t region_count;
    double bound; /* largest 1-norm error of a row */
} opevo_i_factor;

typedef struct opevo_i_kernel {
    size_t point_count;
    size_t factor_count;
    opevo_i_factor *factors;
    double bound; /* largest 1-norm error of a row of K, rounding included */
} opevo_i_kernel;

/* For a space of up to OPEVO_I_KERNEL_MAX points. Errors: as opevo_law_create. */
enum { OPEVO_I_KERNEL_MAX = 4096 };
opevo_status opevo_i_kernel_init(const opevo_space *space, double q, opevo_i_kernel *out,
                                 opevo_error *err);
void opevo_i_kernel_release(opevo_i_kernel *self);

/* K(point, .) into row[0 .. point_count - 1]. */
void opevo_i_kernel_row(const opevo_i_kernel *self, size_t point, double *row);

/* Number of the set of points that a mutation of `point` can reach, below point_count; two points
 * share it exactly when they reach each other. */
size_t opevo_i_kernel_region(const opevo_i_kernel *self, size_t point);

#endif
