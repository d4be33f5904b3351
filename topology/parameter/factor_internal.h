/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a factorisation is numbered; shared by factor.c (values) and factor_moves.c (neighbours).
 *
 * Write C = prod p^e. A v-tuple with product C is, for each prime p, a composition a_1 + ... + a_v
 * = e of its exponent into v parts, a_i being the exponent of p in place i. The suffix sums
 * s_i = a_(i+1) + ... + a_v, so s_0 = e and s_v = 0, number the compositions in decreasing
 * lexicographic order of (a_1, ..., a_v), the first being (e, 0, ..., 0):
 *
 *     rank = sum_{i=1}^{v-1} T[v-i][s_i],   T[m][s] = C(s-1+m, m), T[m][0] = 0,
 *
 * for the compositions that agree up to place i-1 and have a larger a_i are those that leave at
 * most s_i - 1 to the m = v - i places after i. The vertex is the mixed-radix number of the ranks,
 * the largest prime running fastest: vertex = sum_p rank_p * stride_p. Moving t from place i to
 * place j > i adds t to s_i .. s_(j-1), moving it back subtracts, so a neighbour's number differs
 * from the vertex' by a few table entries. */

#ifndef OPEVO_FACTOR_INTERNAL_H
#define OPEVO_FACTOR_INTERNAL_H

#include "parameter_internal.h"
#include "prime.h"

enum { OPEVO_I_PLACES_MAX = 1024 };

typedef struct opevo_i_topology_factor_prime {
    unsigned exponent;
    opevo_index count;     /* compositions: C(exponent + v - 1, v - 1) */
    opevo_index stride;    /* product of the counts of all larger primes */
    const int64_t *powers; /* 1, p, p^2, ..., p^exponent */
    const uint8_t *sums;   /* s_0 .. s_v of every rank, or NULL where that would be long */
} opevo_i_topology_factor_prime;

typedef struct opevo_i_topology_factor {
    opevo_parameter super;
    int64_t product;
    size_t places; /* v, also super.arity */
    size_t prime_count;
    opevo_i_topology_factor_prime primes[OPEVO_I_PRIMES_MAX];
    int64_t powers[64 + OPEVO_I_PRIMES_MAX]; /* exponents sum to at most 62 */
    size_t columns;                          /* of the table: largest exponent + 2 */
    opevo_index *table;                      /* T, v rows */
    uint8_t *sums;                           /* what the primes' sums point into */
} opevo_i_topology_factor;

static inline const opevo_index *opevo_i_topology_factor_row(const opevo_i_topology_factor *self,
                                                             size_t m)
{
    return self->table + m * self->columns;
}

/* Suffix sums s_0 .. s_v of the composition of a prime's exponent with this rank: each is the
 * largest that the rest of the rank allows. O(v + exponent). */
void opevo_i_topology_factor_unrank(const opevo_i_topology_factor *self,
                                    const opevo_i_topology_factor_prime *prime, opevo_index rank,
                                    uint8_t *sums);
/* Suffix sums s_0 .. s_v of one prime at a vertex, in `scratch` or listed for good. O(1) where they
 * are listed, O(v + exponent) elsewhere. */
const uint8_t *opevo_i_topology_factor_sums(const opevo_i_topology_factor *self,
                                            const opevo_i_topology_factor_prime *prime,
                                            opevo_index vertex, uint8_t *scratch);

extern const opevo_i_topology opevo_i_topology_factor_topologies[];
enum { OPEVO_I_FACTOR_TOPOLOGY_COUNT = 3 };

#endif
