/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernel of one mutation on the points of a small space: K(x, y) = prod_i S^(i)_{x_i}(y_i), the
 * event that no parameter moves included; child.h says what it is with branches. */

#ifndef OPEVO_CHILD_KERNEL_H
#define OPEVO_CHILD_KERNEL_H

#include "child_internal.h"

/* Laws of one parameter from each of its vertices. */
typedef struct opevo_i_law_factor {
    size_t size;
    double *law;      /* size rows of size probabilities, row u the law from u */
    double *weight;   /* of each vertex: its degree, 1 without neighbours; the law from u at v times
                         the weight of u is that from v at u times the weight of v */
    uint32_t *region; /* of each vertex: what it can reach; a component, or itself when q = 0 */
    size_t region_count;
    double bound; /* largest 1-norm error of a row */
    /* With branches: the law M_i of a parameter that becomes active, and which regions it reaches.
     */
    double *fresh;
    bool *reached;
} opevo_i_law_factor;

/* A parameter that is active at a point, and its vertex. */
typedef struct opevo_i_law_active {
    uint32_t parameter, vertex;
} opevo_i_law_active;

typedef struct opevo_i_law_kernel {
    size_t point_count;
    size_t factor_count;
    opevo_i_law_factor *factors;
    double bound; /* largest 1-norm error of a row of K, rounding included */
    /* With branches, otherwise NULL: the parameters of more than one value that are active at a
     * point x, ascending, are active[start[x] .. start[x + 1] - 1]; points with the same of them in
     * the same regions share a class. */
    size_t *start;
    opevo_i_law_active *active;
    uint32_t *class_of;
    size_t class_count;
    size_t *member; /* of each class: one of its points */
} opevo_i_law_kernel;

/* For a space of up to OPEVO_I_KERNEL_MAX points; the parents matter with branches only. Errors: as
 * opevo_law_create. */
enum { OPEVO_I_KERNEL_MAX = 4096 };
opevo_status opevo_i_law_kernel_init(const opevo_space *space, const opevo_i_law_inheritance *from,
                                     double q, opevo_i_law_kernel *out, opevo_error *err);
void opevo_i_law_kernel_release(opevo_i_law_kernel *self);

/* K(point, .) into row[0 .. point_count - 1]. */
void opevo_i_law_kernel_row(const opevo_i_law_kernel *self, size_t point, double *row);

/* mass K into `mass`, point_count numbers each; `spare` and `row` are scratch. Cost: for each
 * parameter as many multiplications as points times vertices; with branches points^2. */
void opevo_i_law_kernel_apply(const opevo_i_law_kernel *self, long double *mass, long double *spare,
                              double *row);

/* Number of the region of a point, below point_count: points of one region reach the same points.
 */
size_t opevo_i_law_kernel_region(const opevo_i_law_kernel *self, size_t point);

/* Set escapes[r] for the regions from which mutations reach a point that is not taken: one
 * mutation, or, with `repeated`, any number. Other flags stay. */
void opevo_i_law_kernel_escapes(const opevo_i_law_kernel *self, const bool *taken, bool repeated,
                                bool *escapes);

/* ---- With branches (child_branches.c) ---- */

opevo_status opevo_i_law_kernel_branches_init(opevo_i_law_kernel *self, const opevo_space *space,
                                              const opevo_i_law_inheritance *from,
                                              opevo_error *err);
void opevo_i_law_kernel_branches_release(opevo_i_law_kernel *self);
void opevo_i_law_kernel_branches_row(const opevo_i_law_kernel *self, size_t point, double *row);
void opevo_i_law_kernel_branches_escapes(const opevo_i_law_kernel *self, const bool *taken,
                                         bool repeated, bool *escapes);

#endif
