/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernel of one mutation on all points of a space, as a product of matrices, one a parameter.
 *
 * With mu(x) the product of the degrees of x's vertices (1 for a vertex without neighbours) the
 * kernel is K(x, y) = mu(x)^-1/2 M(x, y) mu(y)^1/2, and M is the Kronecker product of the symmetric
 * matrices (1 - q) (I - q N_i)^-1, N_i = D^-1/2 A D^-1/2, whose eigenvalues lie in (0, 1]. */

#ifndef OPEVO_MUTATION_INTERNAL_H
#define OPEVO_MUTATION_INTERNAL_H

#include <opevo/space.h>

typedef struct opevo_i_analysis_mutation_axis {
    size_t size, stride;
    double *matrix;      /* size * size numbers, symmetric */
    double *root;        /* square root of each vertex' degree, or 1 */
    uint32_t *component; /* of each vertex; the vertex itself when q = 0 */
    size_t component_count;
} opevo_i_analysis_mutation_axis;

typedef struct opevo_i_analysis_mutation {
    size_t size; /* points */
    size_t axis_count;
    opevo_i_analysis_mutation_axis *axes;
    unsigned threads;
    double bound;    /* largest 1-norm error of a row of K, rounding of a product included */
    double *root;    /* mu(x)^1/2 of each point */
    double *scratch; /* `size` numbers */
} opevo_i_analysis_mutation;

/* Errors: INVALID for q outside [0, 1); LIMIT for a parameter of more than 4096 values; NOMEM. */
opevo_status opevo_i_analysis_mutation_init(const opevo_space *space, double q, unsigned threads,
                                            opevo_i_analysis_mutation *out, opevo_error *err);
void opevo_i_analysis_mutation_release(opevo_i_analysis_mutation *self);

/* x becomes M x. The result does not depend on the threads. */
opevo_status opevo_i_analysis_mutation_apply(opevo_i_analysis_mutation *self, double *x,
                                             opevo_error *err);

/* M(x, y). */
double opevo_i_analysis_mutation_entry(const opevo_i_analysis_mutation *self, size_t x, size_t y);

/* Two points share this number, below *count, exactly when mutations lead from one to the other. */
size_t opevo_i_analysis_mutation_region(const opevo_i_analysis_mutation *self, size_t x);
size_t opevo_i_analysis_mutation_region_count(const opevo_i_analysis_mutation *self);

/* out[x] = prod_i marginal[i][x_i] over all points. */
void opevo_i_analysis_mutation_product(const opevo_i_analysis_mutation *self,
                                       const double *const *marginal, double *out);

#endif
