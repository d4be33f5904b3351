/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Natural numbers of a fixed number of 64-bit limbs, the lowest first: counts of points beyond
 * 2^128. Nothing here checks for overflow; callers know how large their numbers can become. */

#ifndef OPEVO_NATURAL_H
#define OPEVO_NATURAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 opevo_i_topology_double_limb;

static inline int opevo_i_topology_natural_compare(const uint64_t *a, const uint64_t *b,
                                                   size_t limbs)
{
    for (size_t i = limbs; i-- > 0;) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* sum += a * times; returns what does not fit. */
static inline uint64_t opevo_i_topology_natural_add_times(uint64_t *sum, const uint64_t *a,
                                                          uint64_t times, size_t limbs)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < limbs; i++) {
        opevo_i_topology_double_limb x =
            (opevo_i_topology_double_limb)a[i] * times + sum[i] + carry;

        sum[i] = (uint64_t)x;
        carry = (uint64_t)(x >> 64);
    }
    return carry;
}

/* a -= b, which is not larger. */
static inline void opevo_i_topology_natural_subtract(uint64_t *a, const uint64_t *b, size_t limbs)
{
    bool borrow = false;

    for (size_t i = 0; i < limbs; i++) {
        bool first = __builtin_sub_overflow(a[i], b[i], &a[i]);

        borrow = __builtin_sub_overflow(a[i], (uint64_t)borrow, &a[i]) || first;
    }
}

/* a /= by; returns the remainder. */
static inline uint64_t opevo_i_topology_natural_divide(uint64_t *a, uint64_t by, size_t limbs)
{
    uint64_t rest = 0;

    for (size_t i = limbs; i-- > 0;) {
        opevo_i_topology_double_limb x = (opevo_i_topology_double_limb)rest << 64 | a[i];

        a[i] = (uint64_t)(x / by);
        rest = (uint64_t)(x % by);
    }
    return rest;
}

static inline bool opevo_i_topology_natural_is_zero(const uint64_t *a, size_t limbs)
{
    uint64_t any = 0;

    for (size_t i = 0; i < limbs; i++)
        any |= a[i];
    return any == 0;
}

#endif
