/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Ansor's mutation of tile sizes, on a factorisation parameter. */

#ifndef OPEVO_TILING_INTERNAL_H
#define OPEVO_TILING_INTERNAL_H

#include <opevo/random.h>

#include "knobs_internal.h"

/* A factorisation that can be mutated. */
typedef struct opevo_i_tvm_tiling {
    size_t place; /* among the parameters of the space; the caller's */
    size_t prime_count;
    uint64_t primes[OPEVO_I_EXTENT_PRIMES_MOST];
} opevo_i_tvm_tiling;

/* False for other types, and for the product 1. */
bool opevo_i_tvm_tiling_of(const opevo_parameter *parameter, opevo_i_tvm_tiling *out);

/* Whether the last component, the innermost length, is at most `innermost` (0: no bound). */
bool opevo_i_tvm_tiling_is_bounded(const opevo_parameter *parameter, opevo_index vertex,
                                   uint64_t innermost);

/* Move a divisor from one component to another, which is one step on the graph of the topology
 * any-divisor. The components are put in a uniform order. The first that is above 1 gives a
 * divisor, uniform among those above 1, to the component after it in that order, cyclically. Where
 * this is the last component, which must not exceed `innermost` (0: no bound), the divisor is
 * uniform among those that keep the bound; if none does, the next component gives instead.
 *
 *   vertex  of a factorisation of more than one component; replaced
 *
 * False, with *vertex untouched, if no component can give. Cost: O(components primes).
 * Source: TVM v0.8, MutateTileSize. */
bool opevo_i_tvm_tiling_move(const opevo_i_tvm_tiling *tiling, const opevo_parameter *parameter,
                             uint64_t innermost, opevo_rng *rng, opevo_index *vertex);

#endif
