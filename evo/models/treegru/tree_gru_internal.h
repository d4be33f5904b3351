/* SPDX-License-Identifier: GPL-3.0-or-later */

/* TreeGRU: a recurrent network that folds a loop tree from its leaves to its root. With x the
 * embedding of a loop, s the sum of the states of the loops inside it (0 in a leaf), and * element
 * by element:
 *
 *     z = sigmoid(Wz x + Uz s + bz),  r = sigmoid(Wr x + Ur s + br),
 *     c = tanh(Wc x + bc + r * (Uc s)),  h = (1 - z) * s + z * c.
 *
 * By names, x = E[name] + A f, where f is the length and the kind of the loop, and the score is
 * w . (sum of h over the roots) + w0. By context, x = A f, where f is the whole row but the name,
 * and the states of all loops are scattered into slots before they are summed:
 *
 *     score = w0 + sum_i w_i . out_i,  out_i = sum_loops softmax(M h)_i h.
 *
 * All weights lie in one array, in the order E, A, W, b, U, M, w, w0, matrices row by row. They
 * start uniform in +-1/sqrt(inputs), w0 at the base score, the rest of the biases at 0.
 *
 * Products of matrices are OpenBLAS' on one thread, which is asked for here, so that the same calls
 * on the same machine give the same bits; another kind of processor may give other last bits. In
 * double precision where OPEVO_I_TREE_GRU_DOUBLE is defined, for tests of derivatives.
 *
 * Source: Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, sections 3.1 and 4;
 *         Tai et al., "Improved Semantic Representations From Tree-Structured LSTM Networks", ACL
 *         2015 (sums over children). docs/tuners/tree-gru.md says what the paper leaves open. */

#ifndef OPEVO_TREE_GRU_INTERNAL_H
#define OPEVO_TREE_GRU_INTERNAL_H

#include <opevo/loop_tree.h>

#include "model_internal.h"

#ifdef OPEVO_I_TREE_GRU_DOUBLE
typedef double opevo_i_real;
#else
typedef float opevo_i_real;
#endif

enum { OPEVO_I_TREE_GRU_HIDDEN = 128, OPEVO_I_TREE_GRU_SLOTS = 4, OPEVO_I_TREE_GRU_BATCH = 50 };

typedef struct opevo_i_tree_gru opevo_i_tree_gru;

typedef struct opevo_i_tree_gru_shape {
    size_t hidden;  /* numbers of an embedding and of a state */
    size_t slots;   /* of the context encoding; 0: by names */
    size_t batch;   /* candidates for a step of Adam */
    size_t updates; /* steps of a training */
    double rate;    /* of Adam */
} opevo_i_tree_gru_shape;

/* Errors: NOMEM. */
opevo_status opevo_i_tree_gru_create(const opevo_i_tree_gru_shape *shape, opevo_i_model_loss loss,
                                     const opevo_rng *rng, opevo_i_tree_gru **out,
                                     opevo_error *err);
void opevo_i_tree_gru_destroy(opevo_i_tree_gru *network);

/* Its weights, and how many; to be asked for anew before each change. */
size_t opevo_i_tree_gru_weight_count(const opevo_i_tree_gru *network);
opevo_i_real *opevo_i_tree_gru_weights(opevo_i_tree_gru *network);

/* Scores of candidates, rows[i] rows of OPEVO_LOOP_COLUMNS numbers each. Errors: NOMEM. Cost: about
 * 6 hidden^2 multiply-adds a loop that is not a leaf. */
opevo_status opevo_i_tree_gru_predict(opevo_i_tree_gru *network, const float *features,
                                      const size_t *rows, size_t count, float *scores,
                                      opevo_error *err);
/* The mean loss of all samples, and its derivatives by all weights into an array of the network.
 * Errors: NOMEM. Hook of tests. */
opevo_status opevo_i_tree_gru_gradient(opevo_i_tree_gru *network,
                                       const opevo_i_model_samples *samples, double *loss,
                                       const opevo_i_real **gradient, opevo_error *err);
/* So many steps of Adam (beta 0.9 and 0.999, eps 1e-8) as the shape has, each on the next `batch`
 * samples of an order that is drawn again when all were seen. Weights and averages go on from the
 * last training. Errors: NOMEM. */
opevo_status opevo_i_tree_gru_train(opevo_i_tree_gru *network, const opevo_i_model_samples *samples,
                                    opevo_error *err);

/* ---- Rows as levels (tree_gru_forest.c) ---- */

/* The loops of several trees, sorted by height: a leaf has height 0, a loop one more than the
 * highest inside it. */
typedef struct opevo_i_tree_gru_forest {
    size_t nodes, levels;
    size_t names;   /* one more than the largest number of a name */
    size_t *begin;  /* of each level, and the end of the last */
    size_t *parent; /* SIZE_MAX: a root */
    size_t *tree;   /* its number */
    size_t *name;
    opevo_i_real *inputs; /* f, `width` numbers each */
    size_t width;
    bool by_context;        /* all names are 0 */
    size_t *height, *place; /* by row; scratch */
    size_t node_capacity, level_capacity;
} opevo_i_tree_gru_forest;

/* Numbers of f. */
size_t opevo_i_tree_gru_inputs(bool by_context);
/* False without memory. Start from {.by_context}, and release in the end. */
bool opevo_i_tree_gru_forest_fill(opevo_i_tree_gru_forest *forest, const float *features,
                                  const size_t *rows, size_t count);
void opevo_i_tree_gru_forest_release(opevo_i_tree_gru_forest *forest);

/* ---- Losses (tree_gru_loss.c) ---- */

/* The mean loss, and its derivatives by the scores. Pairs of equal labels do not count.
 *
 *   RANK     sum over pairs y_a > y_b of log(1 + exp(s_b - s_a)) / their number
 *   SQUARED  sum of w (s - y)^2 / 2 / sum of w */
double opevo_i_tree_gru_loss(opevo_i_model_loss kind, const opevo_i_real *scores,
                             const float *labels, const float *weights, size_t count,
                             opevo_i_real *derivatives);

/* ---- Elements (tree_gru_gates.c) ---- */

/* 1 / (1 + exp(-x)) and tanh x of `count` numbers, in place; in single precision within 3e-7. */
void opevo_i_tree_gru_sigmoid(opevo_i_real *x, size_t count);
void opevo_i_tree_gru_tanh(opevo_i_real *x, size_t count);

#endif
