/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Named random streams. A stream is the output of a counter-based generator under a key made from
 * (seed, purpose, index): no state is shared, so adding a consumer or a thread changes nobody
 * else's numbers, and a stream is the same on every machine.
 *
 * Generator: Philox4x64-10 of Random123. Block b of a stream is philox(counter = (b, index, 0, 0),
 * key = (seed, FNV-1a of purpose)), its four words in order.
 * Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */

#ifndef OPEVO_RANDOM_H
#define OPEVO_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <opevo/api.h>
#include <opevo/index.h>

OPEVO_BEGIN_C

enum {
    OPEVO_RNG_BUFFER = 16,
    OPEVO_RNG_ITEM_SIZE = 16 /* bytes of what can be shuffled, at most */
};

/* A plain value; a copy continues the stream from the same position. */
typedef struct opevo_rng {
    uint64_t key[2];
    uint64_t index;
    uint64_t block;                  /* next block to generate */
    uint64_t word[OPEVO_RNG_BUFFER]; /* words generated ahead */
    unsigned used;                   /* of them already given */
} opevo_rng;

OPEVO_API void opevo_rng_init(opevo_rng *rng, uint64_t seed, const char *purpose, uint64_t index);
OPEVO_API void opevo_rng_refill(opevo_rng *rng);

/* 64 uniform bits. */
static inline uint64_t opevo_rng_u64(opevo_rng *rng)
{
    if (rng->used == OPEVO_RNG_BUFFER)
        opevo_rng_refill(rng);
    return rng->word[rng->used++];
}

/* Uniform on the multiples of 2^-53 in [0, 1). */
static inline double opevo_rng_unit(opevo_rng *rng)
{
    return (double)(opevo_rng_u64(rng) >> 11) / 9007199254740992.0;
}

/* Uniform on 0 .. bound - 1 for bound >= 1, exactly, by rejection.
 * Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019). */
static inline uint64_t opevo_rng_below(opevo_rng *rng, uint64_t bound)
{
    opevo_index product = (opevo_index)opevo_rng_u64(rng) * bound;

    if ((uint64_t)product < bound) {
        uint64_t least = -bound % bound;

        while ((uint64_t)product < least)
            product = (opevo_index)opevo_rng_u64(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}

/* The same for bounds up to 2^128 - 1. */
OPEVO_API opevo_index opevo_rng_below_wide(opevo_rng *rng, opevo_index bound);

/* ---- Uniform orders, by the Fisher-Yates shuffle ----
 *
 * How each draws is fixed, as stored trials depend on it. An item has at most OPEVO_RNG_ITEM_SIZE
 * bytes; a constant `size` costs no calls. Source: Durstenfeld, "Algorithm 235", CACM 7 (1964). */

/* Swap items[i] and items[j]. */
static inline void opevo_rng_swap(void *items, size_t i, size_t j, size_t size)
{
    unsigned char *a = (unsigned char *)items + i * size;
    unsigned char *b = (unsigned char *)items + j * size;
    unsigned char kept[OPEVO_RNG_ITEM_SIZE];

    memcpy(kept, a, size);
    memmove(a, b, size); /* they may be the same */
    memcpy(b, kept, size);
}

/* Put all `count` items in a uniform order: for i = count - 1 .. 1, item i changes places with a
 * uniform one of items 0 .. i. */
static inline void opevo_rng_shuffle(opevo_rng *rng, void *items, size_t count, size_t size)
{
    for (size_t i = count; i > 1; i--)
        opevo_rng_swap(items, i - 1, (size_t)opevo_rng_below(rng, i), size);
}

/* Put a uniform choice of `chosen` <= count items, in a uniform order, before the others: for
 * i = 0 .. chosen - 1, item i changes places with a uniform one of items i .. count - 1. */
static inline void opevo_rng_choose(opevo_rng *rng, void *items, size_t count, size_t chosen,
                                    size_t size)
{
    for (size_t i = 0; i < chosen; i++)
        opevo_rng_swap(items, i, i + (size_t)opevo_rng_below(rng, count - i), size);
}

/* The numbers 0 .. count - 1, shuffled by opevo_rng_shuffle. */
static inline void opevo_rng_order(opevo_rng *rng, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    opevo_rng_shuffle(rng, order, count, sizeof *order);
}

/* Place i below `count` with probability (cumulative[i] - cumulative[i - 1]) / cumulative[count -
 * 1]: cumulative[i] adds the weights of places 0 .. i, and the last is positive. A place of weight
 * 0 is never drawn. */
static inline size_t opevo_rng_weighted(opevo_rng *rng, const double *cumulative, size_t count)
{
    double x = opevo_rng_unit(rng) * cumulative[count - 1];
    size_t first = 0;

    if (x >= cumulative[count - 1]) /* rounded up, as happens to subnormal numbers only */
        x = 0;

    /* The first place whose sum exceeds x is in [first, first + count). */
    while (count > 1) {
        size_t half = count / 2;

        first += cumulative[first + half - 1] <= x ? half : 0;
        count -= half;
    }
    return first;
}

/* The number t such that "opevo_rng_u64() < t" has probability p up to 2^-64, for 0 <= p < 1. */
OPEVO_API uint64_t opevo_rng_threshold(double p);

OPEVO_END_C

#endif
