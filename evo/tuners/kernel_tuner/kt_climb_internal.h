/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Greedy hill climbing over Hamming neighbours: the parameters in random order, the other values of
 * each in random order, and on to the first neighbour that is better. The order of a long list of
 * values is a pseudo-random permutation worked out value by value.
 * Source: Kernel Tuner 1.3.3, strategies/hillclimbers.py, with restart and randomize. */

#ifndef OPEVO_KT_CLIMB_INTERNAL_H
#define OPEVO_KT_CLIMB_INTERNAL_H

#include "kt_space_internal.h"

enum { OPEVO_I_KT_SHUFFLED_MOST = 256 };

typedef struct opevo_i_kt_climb {
    const opevo_i_kt_space *space;
    opevo_rng *rng;
    opevo_index *here;  /* where it stands */
    opevo_index *there; /* the neighbour that is tried */
    double cost;        /* of `here` */
    uint32_t *order;    /* of the parameters */
    size_t parameter;   /* place in `order` */
    opevo_index value;  /* values of it that were tried */
    opevo_index others; /* values to try */
    bool opened;        /* its values are in order */
    bool allowed;       /* `shuffled` are those that the diagram allows, not numbers of others */
    uint32_t shuffled[OPEVO_I_KT_SHUFFLED_MOST];
    uint64_t key; /* of the permutation of a longer list */
} opevo_i_kt_climb;

/* Both must outlive it; false without memory, but it may be cleared then. */
bool opevo_i_kt_climb_init(opevo_i_kt_climb *self, const opevo_i_kt_space *space, opevo_rng *rng);
void opevo_i_kt_climb_clear(opevo_i_kt_climb *self);

/* Stand at `here`, which the caller has filled and which costs `cost`. */
void opevo_i_kt_climb_begin(opevo_i_kt_climb *self, double cost);
/* The next neighbour into `there`; false at a local optimum. */
bool opevo_i_kt_climb_next(opevo_i_kt_climb *self);
/* Its cost; a better one is moved to. */
void opevo_i_kt_climb_take(opevo_i_kt_climb *self, double cost);

/* Number `i` of a pseudo-random permutation of 0 .. size-1, one to one for each key.
 * Hook of tests. */
opevo_index opevo_i_kt_permuted(opevo_index i, opevo_index size, uint64_t key);

#endif
