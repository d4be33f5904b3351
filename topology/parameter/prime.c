/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Small primes by trial division, then Pollard's rho with Brent's cycle search, and the
 * Miller-Rabin test to know when to stop. Sources: Brent, "An improved Monte Carlo factorization
 * algorithm", BIT 20 (1980); Sorenson and Webster, "Strong pseudoprimes to twelve prime bases",
 * Math. Comp. 86 (2017): the first twelve primes as bases make the test exact below 3.18e23. */

#include "prime.h"

#include <opevo/index.h>

#include <stdbool.h>

enum { TRIAL_LIMIT = 1000 };

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t modulus)
{
    return (uint64_t)((opevo_index)a * b % modulus);
}

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus)
{
    uint64_t result = 1;

    for (base %= modulus; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = multiply(result, base, modulus);
        base = multiply(base, base, modulus);
    }
    return result;
}

/* Whether `odd` passes as prime to one base: base^d = 1, or base^(d 2^r) = -1 for some r < s, where
 * odd - 1 = d 2^s. */
static bool passes(uint64_t odd, uint64_t base)
{
    int s = __builtin_ctzll(odd - 1);
    uint64_t x = power(base, (odd - 1) >> s, odd);

    if (x == 1 || x == odd - 1)
        return true;
    for (int r = 1; r < s; r++) {
        x = multiply(x, x, odd);
        if (x == odd - 1)
            return true;
    }
    return false;
}

/* For odd numbers above TRIAL_LIMIT. */
static bool is_prime(uint64_t odd)
{
    static const uint8_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

    for (size_t i = 0; i < sizeof bases; i++) {
        if (!passes(odd, bases[i]))
            return false;
    }
    return true;
}

/* One try with x -> x^2 + c; returns `composite` itself when it fails. */
static uint64_t rho(uint64_t composite, uint64_t c)
{
    uint64_t tortoise = 2, hare = 2, divisor = 1;

    for (uint64_t length = 1; divisor == 1; length *= 2) {
        tortoise = hare;
        for (uint64_t i = 0; i < length && divisor == 1; i++) {
            hare = (uint64_t)(((opevo_index)hare * hare + c) % composite);
            divisor = (uint64_t)opevo_index_gcd(hare > tortoise ? hare - tortoise : tortoise - hare,
                                                composite);
        }
    }
    return divisor;
}

static uint64_t proper_divisor(uint64_t composite)
{
    uint64_t divisor = composite;

    for (uint64_t c = 1; divisor == composite; c++)
        divisor = rho(composite, c);
    return divisor;
}

/* Insert a prime in its place, or raise its exponent. */
static void add_prime(uint64_t prime, opevo_i_topology_prime_power *powers, size_t *count)
{
    size_t at = 0;

    while (at < *count && powers[at].prime < prime)
        at++;
    if (at < *count && powers[at].prime == prime) {
        powers[at].exponent++;
        return;
    }
    for (size_t i = (*count)++; i > at; i--)
        powers[i] = powers[i - 1];
    powers[at] = (opevo_i_topology_prime_power){prime, 1};
}

size_t opevo_i_topology_factorise(uint64_t number,
                                  opevo_i_topology_prime_power powers[OPEVO_I_PRIMES_MAX])
{
    uint64_t waiting[64]; /* parts still to be split, each above TRIAL_LIMIT */
    size_t count = 0, waiting_count = 0;

    for (uint64_t prime = 2; prime < TRIAL_LIMIT && prime <= number; prime++) {
        for (; number % prime == 0; number /= prime)
            add_prime(prime, powers, &count);
    }
    if (number > 1)
        waiting[waiting_count++] = number;
    while (waiting_count) {
        uint64_t part = waiting[--waiting_count];

        if (is_prime(part)) {
            add_prime(part, powers, &count);
        } else {
            uint64_t divisor = proper_divisor(part);

            waiting[waiting_count++] = divisor;
            waiting[waiting_count++] = part / divisor;
        }
    }
    return count;
}
