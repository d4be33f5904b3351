/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Divisors are drawn by their exponents, and drawn again until they are above 1 and within the
 * bound, so that none is listed. */

#include "tiling_internal.h"

enum { ARITY_MOST = 1024 };

bool opevo_i_tvm_tiling_of(const opevo_parameter *parameter, opevo_i_tvm_tiling *out)
{
    out->prime_count = opevo_i_tvm_extent_primes(parameter, out->primes);
    return out->prime_count > 0;
}

bool opevo_i_tvm_tiling_is_bounded(const opevo_parameter *parameter, opevo_index vertex,
                                   uint64_t innermost)
{
    opevo_value value[ARITY_MOST];

    if (innermost == 0)
        return true;
    opevo_parameter_value(parameter, vertex, value);
    return (uint64_t)value[opevo_parameter_arity(parameter) - 1].as.integer <= innermost;
}

/* Whether a divisor of `number` above 1 is at most `most`: the smallest one is a prime. */
static bool has_divisor(const opevo_i_tvm_tiling *self, uint64_t number, uint64_t most)
{
    for (size_t i = 0; i < self->prime_count; i++) {
        if (number % self->primes[i] == 0 && self->primes[i] <= most)
            return true;
    }
    return false;
}

/* A divisor of `number`, uniform over those above 1 and at most `most`; there is one. */
static uint64_t draw_divisor(const opevo_i_tvm_tiling *self, uint64_t number, uint64_t most,
                             opevo_rng *rng)
{
    uint64_t divisor = 1;

    while (divisor == 1 || divisor > most) {
        uint64_t left = number;

        divisor = 1;
        for (size_t i = 0; i < self->prime_count; i++) {
            uint64_t exponent = 0;

            for (; left % self->primes[i] == 0; left /= self->primes[i])
                exponent++;
            for (exponent = opevo_rng_below(rng, exponent + 1); exponent > 0; exponent--)
                divisor *= self->primes[i];
        }
    }
    return divisor;
}

bool opevo_i_tvm_tiling_move(const opevo_i_tvm_tiling *tiling, const opevo_parameter *parameter,
                             uint64_t innermost, opevo_rng *rng, opevo_index *vertex)
{
    size_t arity = opevo_parameter_arity(parameter);
    size_t order[ARITY_MOST];
    opevo_value value[ARITY_MOST];

    opevo_parameter_value(parameter, *vertex, value);
    opevo_rng_order(rng, order, arity);
    for (size_t i = 0; i < arity; i++) {
        int64_t *giver = &value[order[i]].as.integer;
        size_t taker = order[(i + 1) % arity];
        int64_t *taken = &value[taker].as.integer;
        bool bounded = innermost > 0 && taker == arity - 1;
        uint64_t most = bounded ? innermost / (uint64_t)*taken : UINT64_MAX;
        uint64_t divisor = 0;

        if (*giver == 1 || !has_divisor(tiling, (uint64_t)*giver, most))
            continue;
        divisor = draw_divisor(tiling, (uint64_t)*giver, most, rng);
        *giver /= (int64_t)divisor;
        *taken *= (int64_t)divisor;
        return opevo_parameter_find(parameter, value, vertex);
    }
    return false;
}
