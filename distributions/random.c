/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Named random streams on Philox4x64-10. A stream's state is its key, its index and the number of
 * the next block, so nothing is shared between streams. */

#include <opevo/random.h>

#include <opevo/hash.h>

#include <Random123/philox.h>

#include <string.h>

void opevo_rng_init(opevo_rng *rng, uint64_t seed, const char *purpose, uint64_t index)
{
    memset(rng, 0, sizeof *rng);
    rng->key[0] = seed;
    rng->key[1] = opevo_hash_bytes(OPEVO_HASH_START, purpose, strlen(purpose));
    rng->index = index;
    rng->used = OPEVO_RNG_BUFFER;
}

void opevo_rng_refill(opevo_rng *rng)
{
    const philox4x64_key_t key = {{rng->key[0], rng->key[1]}};

    for (unsigned i = 0; i < OPEVO_RNG_BUFFER; i += 4) {
        philox4x64_ctr_t counter = {{rng->block++, rng->index, 0, 0}};
        philox4x64_ctr_t words = philox4x64_R(10, counter, key);

        memcpy(rng->word + i, words.v, sizeof words.v);
    }
    rng->used = 0;
}

opevo_index opevo_rng_below_wide(opevo_rng *rng, opevo_index bound)
{
    opevo_index mask = OPEVO_INDEX_MAX;
    opevo_index drawn = 0;

    if (bound <= UINT64_MAX)
        return opevo_rng_below(rng, (uint64_t)bound);
    while (mask >> 1 >= bound - 1)
        mask >>= 1;
    do { /* the mask is below twice the bound: fewer than two rounds on average */
        drawn = (opevo_index)opevo_rng_u64(rng) << 64;
        drawn = (drawn | opevo_rng_u64(rng)) & mask;
    } while (drawn >= bound);
    return drawn;
}

uint64_t opevo_rng_threshold(double p)
{
    return (uint64_t)(p * 0x1p64); /* exact down to 2^-11, truncated below */
}
