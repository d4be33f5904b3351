/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The q-random walk on the path 0 .. n-1, from its law. The walk is one on the integers, folded at
 * both ends, from where the only step leads back. On the integers it ends a distance d from where
 * it began with the probability
 *
 *     (1 - q) sum_k q^k P(S_k = d) = (1 - r) / (1 + r) r^|d|,   r = q / (1 + sqrt(1 - q^2)),
 *
 * the law of the difference of two geometric numbers, P(X = k) = (1 - r) r^k. So m walks, one after
 * the other, end at the difference of two negative binomial numbers.
 * Source: S. Inusah, T. J. Kozubowski, "A discrete analogue of the Laplace distribution", Journal
 *         of Statistical Planning and Inference 136, 2006. */

#ifndef OPEVO_SHIFTS_H
#define OPEVO_SHIFTS_H

#include <opevo/random.h>

typedef struct opevo_i_shifts opevo_i_shifts;

#define OPEVO_I_SHIFTS_SIZE_MOST ((uint64_t)1 << 62) /* vertices */

/* Of a path of `size` >= 1 vertices; to be freed by opevo_free. NULL without memory. */
opevo_i_shifts *opevo_i_shifts_create(double q, uint64_t size);

/* Where the last of `count` walks ends. Cost: of one walk one number, with rare exceptions; of many
 * no more than of 32. */
uint64_t opevo_i_shifts_draw(const opevo_i_shifts *shifts, uint64_t start, uint32_t count,
                             opevo_rng *rng);

#endif
