/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The exponents of a vertex of factor(C,v), as suffix sums. */

#include "factor_internal.h"

void opevo_i_topology_factor_unrank(const opevo_i_topology_factor *self,
                                    const opevo_i_topology_factor_prime *prime, opevo_index rank,
                                    uint8_t *sums)
{
    unsigned sum = prime->exponent;

    sums[0] = (uint8_t)sum;
    for (size_t i = 1; i < self->places; i++) {
        const opevo_index *row = opevo_i_topology_factor_row(self, self->places - i);

        while (row[sum] > rank)
            sum--;
        rank -= row[sum];
        sums[i] = (uint8_t)sum;
    }
    sums[self->places] = 0;
}

/* Division of 64-bit numbers is several times faster. */
static opevo_index rank_of(const opevo_i_topology_factor *self,
                           const opevo_i_topology_factor_prime *prime, opevo_index vertex)
{
    if (self->super.size <= UINT64_MAX)
        return (uint64_t)vertex / (uint64_t)prime->stride % (uint64_t)prime->count;
    return vertex / prime->stride % prime->count;
}

const uint8_t *opevo_i_topology_factor_sums(const opevo_i_topology_factor *self,
                                            const opevo_i_topology_factor_prime *prime,
                                            opevo_index vertex, uint8_t *scratch)
{
    opevo_index rank = rank_of(self, prime, vertex);

    if (prime->sums)
        return prime->sums + (size_t)rank * (self->places + 1);
    opevo_i_topology_factor_unrank(self, prime, rank, scratch);
    return scratch;
}
