/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What parzen.c, which keeps the observations, and parzen_law.c, which estimates from them, share.
 */

#ifndef OPEVO_PARZEN_STRUCT_INTERNAL_H
#define OPEVO_PARZEN_STRUCT_INTERNAL_H

#include "parzen_internal.h"

enum { OPEVO_I_PARZEN_SIDES = 2 };

/* Observations of one value on one side. A rank is a place in the order of age on the side. */
typedef struct opevo_i_tpe_tally {
    size_t count;
    size_t old;            /* those that weigh less than 1 */
    uint64_t old_ranks;    /* the sum of their ranks */
    size_t oldest, newest; /* ranks, where there are any */
} opevo_i_tpe_tally;

typedef struct opevo_i_tpe_group {
    opevo_index vertex;
    opevo_i_tpe_tally sides[OPEVO_I_PARZEN_SIDES];
} opevo_i_tpe_group;

typedef struct opevo_i_tpe_component {
    double mean, deviation;
    double weight;
    double below; /* running sum of the weights, this one's included */
    bool is_prior;
    size_t group; /* unordered */
} opevo_i_tpe_component;

/* What normal laws of one deviation put on values, -1 where not worked out. */
typedef struct opevo_i_tpe_kept {
    double deviation;
    double *near;  /* by distance + size - 1 */
    double *whole; /* by mean: on the domain */
} opevo_i_tpe_kept;

/* The deviations that nearly all components of ordered values have: the smallest one, and the gaps
 * between neighbouring values and between them and the mean of the prior. */
enum { OPEVO_I_PARZEN_LEAST, OPEVO_I_PARZEN_HALF, OPEVO_I_PARZEN_ONE, OPEVO_I_PARZEN_KEPT };

typedef struct opevo_i_tpe_mixture {
    size_t *members; /* places of observations, ascending */
    size_t member_count, member_capacity;
    bool stale; /* the tallies are not those of the members */
    bool fitted;

    opevo_i_tpe_component
        *components; /* ordered: the normal laws; unordered: one for each value, of BELOW */
    size_t count, capacity;
    double all;                                 /* unordered: the weight of all observations */
    double inside;                              /* ordered: weight that falls into the domain */
    opevo_i_tpe_kept kept[OPEVO_I_PARZEN_KEPT]; /* ordered; without tables of large parameters */
} opevo_i_tpe_mixture;

struct opevo_i_tpe_parzen {
    bool ordered;
    opevo_index size;
    size_t count;
    size_t *group_of; /* of each observation */
    bool *is_below;   /* on which side it is */
    size_t group_of_capacity, is_below_capacity;
    opevo_i_tpe_group *groups; /* as they were met */
    size_t *order;             /* of them, by vertex */
    size_t group_count, group_capacity, order_capacity;
    opevo_i_tpe_mixture sides[OPEVO_I_PARZEN_SIDES];
    double *ratios; /* by vertex, -1 where not worked out; NULL for large parameters */
    double *prior;  /* ordered: what the prior puts on each vertex, and on the domain; the same */
};

/* The group of a value; NULL if it was never observed. */
const opevo_i_tpe_group *opevo_i_tpe_parzen_find(const opevo_i_tpe_parzen *self,
                                                 opevo_index vertex);
/* Tally the members of a side anew. */
void opevo_i_tpe_parzen_tally(opevo_i_tpe_parzen *self, opevo_i_tpe_parzen_side side);

#endif
