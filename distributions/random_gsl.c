/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A named random stream as a generator of GSL. */

#include <opevo/random_gsl.h>

#include <limits.h>

_Static_assert(ULONG_MAX == UINT64_MAX, "gsl_rng_get must carry 64 bits.");

static void restart(void *state, unsigned long seed)
{
    opevo_rng *rng = state;

    rng->key[0] = seed;
    rng->block = 0;
    rng->used = OPEVO_RNG_BUFFER;
}

static unsigned long next_word(void *state)
{
    return opevo_rng_u64(state);
}

static double next_unit(void *state)
{
    return opevo_rng_unit(state);
}

static const gsl_rng_type philox_type = {
    .name = "opevo-philox4x64-10",
    .max = UINT64_MAX,
    .min = 0,
    .size = sizeof(opevo_rng),
    .set = restart,
    .get = next_word,
    .get_double = next_unit,
};

const gsl_rng_type *const opevo_rng_gsl_type = &philox_type;
