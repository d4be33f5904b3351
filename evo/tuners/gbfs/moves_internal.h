/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A fixed list of moves that make sense at every point of a space, and the numbers that describe a
 * point: what a policy network needs as its outputs and inputs.
 *
 *   parameter                       moves
 *   factor, prime-move/any-divisor  take d out of place i and put it into place j, for all i != j
 *                                   and every d that the topology moves
 *   a path                          down, up
 *   a complete graph                go to vertex k, for all k
 *   anything else                   go to the k-th neighbour, for all k below the largest degree
 *
 * A move may lead nowhere from where one is; one of a parameter that is not active always does. A
 * move to another branch leads to its first point. A parameter with too many moves gets a list of
 * limited length instead: move k of n goes to a neighbour drawn from the k-th of n equal parts of
 * the list of neighbours.
 *
 * A component of a factorisation is described by its share of the product, any other parameter by
 * its vertex; both are scaled to [-1/2, 1/2] and rounded to single precision. What is not active is
 * described by 0.
 *
 * Source: NNI, na2c.py, for factorisations with prime moves; the rest is a generalisation. */

#ifndef OPEVO_MOVES_INTERNAL_H
#define OPEVO_MOVES_INTERNAL_H

#include <opevo/random.h>
#include <opevo/space.h>

typedef struct opevo_i_gbfs_moves opevo_i_gbfs_moves;

/* `space` must outlive it. Errors: NOMEM. Cost: a degree of at most 2^12 vertices a parameter. */
opevo_status opevo_i_gbfs_moves_create(const opevo_space *space, opevo_i_gbfs_moves **out,
                                       opevo_error *err);
void opevo_i_gbfs_moves_destroy(opevo_i_gbfs_moves *moves);

/* Number of moves; 0 where no parameter has two values. */
size_t opevo_i_gbfs_moves_count(const opevo_i_gbfs_moves *moves);
/* The parameter that a move changes. */
size_t opevo_i_gbfs_moves_parameter(const opevo_i_gbfs_moves *moves, size_t move);
/* Whether where the move leads from these vertices is drawn. */
bool opevo_i_gbfs_moves_draws(const opevo_i_gbfs_moves *moves, size_t move,
                              const opevo_index *vertices);
/* Make a move: one of `vertices` changes, and with branches what depends on it; false, with all as
 * they were, where it leads nowhere. */
bool opevo_i_gbfs_moves_apply(const opevo_i_gbfs_moves *moves, size_t move, opevo_rng *rng,
                              opevo_index *vertices);

size_t opevo_i_gbfs_moves_feature_count(const opevo_i_gbfs_moves *moves);
void opevo_i_gbfs_moves_features(const opevo_i_gbfs_moves *moves, const opevo_index *vertices,
                                 float *features);

#endif
