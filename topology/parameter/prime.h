/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Factorisation of a positive 63-bit integer. */

#ifndef OPEVO_PRIME_H
#define OPEVO_PRIME_H

#include <stddef.h>
#include <stdint.h>

/* The product of the 16 smallest primes exceeds 2^63. */
enum { OPEVO_I_PRIMES_MAX = 15 };

typedef struct opevo_i_topology_prime_power {
    uint64_t prime;
    unsigned exponent;
} opevo_i_topology_prime_power;

/* The prime powers of `number` (1 .. 2^63 - 1), primes ascending; returns how many. Cost: at most
 * some milliseconds, reached when two primes near 2^31 are to be separated. */
size_t opevo_i_topology_factorise(uint64_t number,
                                  opevo_i_topology_prime_power powers[OPEVO_I_PRIMES_MAX]);

#endif
