/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Winograd's minimal filtering F(m x m, 3 x 3): the matrices, the definitions of its three steps in
 * blocks of channels, transformed weights, and the bound of their rounding errors.
 *
 * Source: Lavin, Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016, section 4;
 * Winograd, "Arithmetic Complexity of Computations", 1980. */

#ifndef OPEVO_NETWORK_WINOGRAD_INTERNAL_H
#define OPEVO_NETWORK_WINOGRAD_INTERNAL_H

#include <opevo/network.h>

enum {
    OPEVO_I_WINOGRAD_KERNEL = 3,
    OPEVO_I_WINOGRAD_TILE = 4,                          /* largest m */
    OPEVO_I_WINOGRAD_POINTS = OPEVO_I_WINOGRAD_TILE + 2 /* m + 3 - 1 */
};

/* y = A^T ((G g) * (B^T d)), with * by elements, is y_i = sum_k g_k d_{i+k}, 0 <= i < m; of images
 * in both dimensions. With p = m + 2 points: A^T is m x p, B^T is p x p, G is p x 3 and given as
 * integers over one for each row. */
typedef struct opevo_i_net_winograd {
    int tile, points;
    int output[OPEVO_I_WINOGRAD_TILE][OPEVO_I_WINOGRAD_POINTS];    /* A^T */
    int input[OPEVO_I_WINOGRAD_POINTS][OPEVO_I_WINOGRAD_POINTS];   /* B^T */
    int weights[OPEVO_I_WINOGRAD_POINTS][OPEVO_I_WINOGRAD_KERNEL]; /* G, times ... */
    int divisor[OPEVO_I_WINOGRAD_POINTS];
} opevo_i_net_winograd;

/* All, the smallest tile first. */
const opevo_i_net_winograd *opevo_i_net_winograds(size_t *count);

/* A convolution of 3 x 3 with stride 1, with channels in whole blocks: groups ins block of the
 * image, of which each result depends on those of its group, and outs block results. The image has
 * its padding: height rows give height - 2 results. */
typedef struct opevo_i_net_winograd_shape {
    int64_t images, height, width;
    int64_t ins, outs, block, groups;
    bool plain_image, plain_result; /* not in blocks: [images, channels, height, width] */
} opevo_i_net_winograd_shape;

/* Rows and columns of tiles that cover a result. */
int64_t opevo_i_net_winograd_rows(const opevo_i_net_winograd *form,
                                  const opevo_i_net_winograd_shape *shape);
int64_t opevo_i_net_winograd_columns(const opevo_i_net_winograd *form,
                                     const opevo_i_net_winograd_shape *shape);

/* ---- Definitions ---- */

/* In blocks; plain images and results are converted in definitions of their own.
 *
 * V[p, p, groups ins, images, rows, columns, block] = B^T d B of the tiles d of A[images, groups
 * ins, height, width, block]; beyond its edges are zeros. */
void opevo_i_net_winograd_define_input(const opevo_i_net_winograd *form,
                                       const opevo_i_net_winograd_shape *shape, opevo_text *out);
/* M[p p, outs, tiles, block] = sum of V[p p, groups ins, tiles, block] U[p p, outs, ins, block,
 * block] over the input channels of a group. */
void opevo_i_net_winograd_define_product(const opevo_i_net_winograd *form,
                                         const opevo_i_net_winograd_shape *shape, opevo_text *out);
/* C[images, outs, height - 2, width - 2, block] = A^T M A of M[p, p, outs, images, rows, columns,
 * block]. */
void opevo_i_net_winograd_define_output(const opevo_i_net_winograd *form,
                                        const opevo_i_net_winograd_shape *shape, opevo_text *out);

/* ---- Weights ---- */

/* U = G g G^T of weights g[outs, ins, 3, 3, block, block] in double precision, rounded once; and
 * *bound: in whatever order sums are taken and whether products are fused or not, without underflow
 * or overflow, a result differs from the exact one by at most
 *
 *     bound max|d| sum|g|,  bound = gamma_n max_{o,i,j} (|A^T| (sum_c |U_oc| * b b^T) |A|)_ij /
 *     sum|g_o|
 *
 * with d the image, g the weights of an output channel, b the sums of the rows of |B^T|,
 * gamma_n = n u / (1 - n u), u = 2^-24, and n the roundings on the way of a number: one of each
 * weight, as many as input channels in the product, and in each of both dimensions those in the
 * longest row of B^T and of A^T. `out` is allocated.
 *
 * Errors: NOMEM. Cost: p (3 + p) 3 multiply-adds for each pair of channels.
 * Source: Barabasz, Anderson, Soodhalter, Gregg, "Error Analysis and Improving the Accuracy of
 * Winograd Convolution for Deep Neural Networks", ACM TOMS 46 (2020), theorem 3.3, here by elements
 * and with the weights that are known; Higham, "Accuracy and Stability of Numerical Algorithms",
 * 2002, section 3.1. */
opevo_status opevo_i_net_winograd_weights(const opevo_i_net_winograd *form,
                                          const opevo_i_net_winograd_shape *shape,
                                          const float *weights, opevo_array *out, double *bound,
                                          opevo_error *err);
/* The same bound of the sum itself, gamma_{9 channels}. */
double opevo_i_net_direct_bound(const opevo_i_net_winograd_shape *shape);

/* ---- Cost ---- */

/* Time in units of a multiply-add of the product: its own, those of bytes that the transforms read
 * and write, and of bytes of weights; docs/networks.md has the formulas. Additions are hidden
 * behind bytes. */
double opevo_i_net_winograd_cost(const opevo_i_net_winograd *form,
                                 const opevo_i_net_winograd_shape *shape);
double opevo_i_net_direct_cost(const opevo_i_net_winograd_shape *shape);

#endif
