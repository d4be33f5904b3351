/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The small network of N-A2C: one hidden layer of 128 rectified units, on it a policy (softmax over
 * the moves) and a value:
 *
 *     h = max(0, W1 s + b1),   pi = softmax(W2 h + b2),   V = w3 h + b3.
 *
 * All of it is in single precision, which is torch's default. All weights lie in one array: W1
 * column by column, b1, then W2 row by row with w3 as its last row, then b2 with b3 as its last.
 * Weights and biases start uniform in +-1/sqrt(inputs of the layer), as torch.nn.Linear does. Adam
 * with rate 1e-3, beta 0.9 and 0.999, eps 1e-8, as torch.optim.Adam; averages below the smallest
 * normal number are taken as 0.
 *
 * Matrix products are OpenBLAS'. The same calls on the same machine give the same bits as long as
 * OpenBLAS runs on one thread, which the program sees to; all arrays that it reads and writes keep
 * their alignment from run to run. Another kind of processor may give other last bits.
 *
 * Source: NNI, na2c.py, class ActorCritic. */

#ifndef OPEVO_ACTOR_CRITIC_INTERNAL_H
#define OPEVO_ACTOR_CRITIC_INTERNAL_H

#include <stddef.h>

#include <opevo/random.h>
#include <opevo/status.h>

enum { OPEVO_I_ACTOR_CRITIC_HIDDEN = 128 };

typedef struct opevo_i_gbfs_actor_critic opevo_i_gbfs_actor_critic;

/* What is minimised over the samples (s, a, r), summed, with A = r - V(s):
 * - PUBLISHED: -log pi(a|s) [A] + A^2, where [A] is taken as a constant.
 * - REFERENCE: +log pi(a|s) A + A^2, all of it differentiated: the authors' program. */
typedef enum opevo_i_gbfs_loss { OPEVO_I_LOSS_PUBLISHED, OPEVO_I_LOSS_REFERENCE } opevo_i_gbfs_loss;

/* The array of weights; gradients have the same order. Hook of tests. */
size_t opevo_i_gbfs_actor_critic_weight_count(const opevo_i_gbfs_actor_critic *network);
float *opevo_i_gbfs_actor_critic_weights(opevo_i_gbfs_actor_critic *network);

/* `actions` at least 1. Errors: NOMEM. */
opevo_status opevo_i_gbfs_actor_critic_create(size_t inputs, size_t actions, opevo_rng *rng,
                                              opevo_i_gbfs_actor_critic **out, opevo_error *err);
void opevo_i_gbfs_actor_critic_destroy(opevo_i_gbfs_actor_critic *network);

/* The probability of each action (out: `actions` of them, sum 1 up to rounding); returns the value.
 * Cost: 128 * (inputs + actions + 1) multiply-adds. */
float opevo_i_gbfs_actor_critic_policy(opevo_i_gbfs_actor_critic *network, const float *state,
                                       float *probabilities);

/* The gradient of the loss over `count` samples (at least 1), into an array of the network that is
 * returned through `gradient` and borrowed until the next call.
 *
 *   states   count * inputs
 *   actions  count, each below `actions`
 *   rewards  count, finite; those that single precision does not reach count as infinite
 *
 * Errors: NOMEM. Hook of tests. */
opevo_status opevo_i_gbfs_actor_critic_gradient(opevo_i_gbfs_actor_critic *network,
                                                const float *states, const size_t *actions,
                                                const double *rewards, size_t count,
                                                opevo_i_gbfs_loss loss, const float **gradient,
                                                opevo_error *err);

/* That gradient, and one step of Adam along it. A gradient whose square is not finite in single
 * precision (from 2^64 on) changes nothing: rewards may be as large as 1e308. */
opevo_status opevo_i_gbfs_actor_critic_learn(opevo_i_gbfs_actor_critic *network,
                                             const float *states, const size_t *actions,
                                             const double *rewards, size_t count,
                                             opevo_i_gbfs_loss loss, opevo_error *err);

#endif
