/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What gaussian.c and gaussian_levels.c share. */

#ifndef OPEVO_GAUSSIAN_STRUCT_INTERNAL_H
#define OPEVO_GAUSSIAN_STRUCT_INTERNAL_H

#include "gaussian_internal.h"

struct opevo_i_qgp_gaussian {
    const opevo_i_qgp_walk_kernel *kernel;
    unsigned char *levels;
    unsigned char noise;

    /* K = C + added I = L L' of the points conditioned on; `added` is the noise, and more where C
     * was not positive definite with it. */
    size_t count, capacity;
    double added;
    double *factor;                     /* L, capacity numbers a row */
    double *one;                        /* L^-1 1 */
    double *white;                      /* L^-1 z, then L^-1 (z - mu 1) */
    float *single;                      /* white, or a row of L, in single precision */
    double mean, variance, one_squared; /* mu, s^2, |L^-1 1|^2 */

    size_t watched, row_capacity;
    float *rows;    /* L^-1 C(points, watched): one row for each point */
    float *squares; /* of each watched point: sum of its column's squares */
    float *ones;    /* and its product with `one` */
};

/* The sample variance of z that scales the prior; never 0. */
double opevo_i_qgp_gaussian_scale(const double *z, size_t count);

#endif
