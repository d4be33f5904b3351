/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Weights and states of a TreeGRU, shared by its passes and its training. */

#ifndef OPEVO_TREE_GRU_NETWORK_INTERNAL_H
#define OPEVO_TREE_GRU_NETWORK_INTERNAL_H

#include "tree_gru_internal.h"

/* Where the weights of each matrix begin. H: hidden, D: inputs, S: slots. */
typedef struct opevo_i_tree_gru_layout {
    size_t names;  /* E, OPEVO_LOOP_NAMES x H; nothing by context */
    size_t inputs; /* A, H x D */
    size_t gates;  /* W, 3H x H: z, r and c */
    size_t biases; /* 3H */
    size_t states; /* U, 3H x H */
    size_t slots;  /* M, S x H */
    size_t head;   /* w, max(S, 1) x H; behind M, so that both are one matrix */
    size_t base;   /* w0 */
    size_t count;
} opevo_i_tree_gru_layout;

/* Of all nodes of a forest, a row each, in its order. */
typedef struct opevo_i_tree_gru_states {
    opevo_i_real *gates;   /* what W x + b gives, then z, r and c; 3H */
    opevo_i_real *inside;  /* s, H */
    opevo_i_real *folded;  /* U s, 3H */
    opevo_i_real *state;   /* h, H */
    opevo_i_real *readout; /* softmax(M h), then w h; 2S, or w h alone */
    opevo_i_real *by_gates, *by_folded, *by_state, *by_inside, *by_readout;
    void *block;
    size_t capacity;
    bool with_derivatives;
} opevo_i_tree_gru_states;

struct opevo_i_tree_gru {
    opevo_i_tree_gru_shape shape;
    opevo_i_model_loss loss;
    opevo_i_tree_gru_layout at;
    size_t width;   /* D */
    size_t outputs; /* of the readout */
    opevo_rng rng;
    opevo_i_real *weights, *gradient, *mean, *square;
    void *block;
    double mean_left, square_left;              /* 0.9^t and 0.999^t after t steps of Adam */
    opevo_i_real *by_name, *by_input;           /* W E + b of the first names, and W A */
    size_t folded_names;                        /* how many; 0 once weights change */
    opevo_i_real *by_name_sums, *by_input_sums; /* of derivatives */
    opevo_i_tree_gru_forest forest;
    opevo_i_tree_gru_states now;
    opevo_i_real *scores, *by_scores;
    size_t score_capacity, by_score_capacity;
    size_t *order, seen; /* of the samples in training */
    size_t order_capacity, order_count;
};

/* Scores of the trees of the forest. Errors: NOMEM. With derivatives, states are kept for
 * opevo_i_tree_gru_backward, which adds those of the loss to `gradient`, given those by scores. */
opevo_status opevo_i_tree_gru_forward(opevo_i_tree_gru *self, bool with_derivatives, size_t trees,
                                      opevo_i_real *scores, opevo_error *err);
void opevo_i_tree_gru_backward(opevo_i_tree_gru *self, const opevo_i_real *by_scores);
void opevo_i_tree_gru_states_release(opevo_i_tree_gru_states *states);

/* `count` numbers that begin at a multiple of 64 bytes; *block is to be freed. */
opevo_i_real *opevo_i_tree_gru_lines(size_t count, void **block);

#ifdef OPEVO_I_TREE_GRU_DOUBLE
#define OPEVO_I_TREE_GRU_GEMM cblas_dgemm
#define OPEVO_I_TREE_GRU_SQRT sqrt
#else
#define OPEVO_I_TREE_GRU_GEMM cblas_sgemm
#define OPEVO_I_TREE_GRU_SQRT sqrtf
#endif

#endif
