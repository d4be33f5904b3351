/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What one generation of OpEvo gains, exactly: from the law of a child after duplicates are handled
 * (child.h) and the fitness of every point. With B the points better than all that were seen,
 *
 *     probability = sum over B of law(x),   gain = sum over B of law(x) (f(x) - best seen).
 *
 * Siblings are different points. As none of them lies in B before the first that does, and taking
 * away points outside B never makes B less probable, a generation of rho children has
 *
 *     1 - (1 - p)^rho <= P(some child is in B) <= 1 - prod_{k < rho} (1 - min(1, p + m_k)),
 *
 * where m_k is the sum of the k largest probabilities of the law. The expectation of the best gain
 * is bounded likewise, fitness by fitness. */

#ifndef OPEVO_IMPROVEMENT_H
#define OPEVO_IMPROVEMENT_H

#include <opevo/api.h>
#include <opevo/child.h>
#include <opevo/landscape_analysis.h>

OPEVO_BEGIN_C

typedef struct opevo_generation {
    const opevo_index *seen; /* evaluated so far; different, and allowed */
    size_t seen_count;
    opevo_parents parents; /* with their fitness as weights */
    opevo_duplicate_rule rule;
    size_t children; /* rho, at least 1 */
} opevo_generation;

typedef struct opevo_improvement {
    double q;
    double probability, gain;   /* of one child; gain in the unit of fitness */
    double mutations;           /* expected mutations that one child takes */
    double lost;                /* probability that a child finds nothing new ever */
    double bound;               /* 1-norm bound on the law behind all of them */
    double some_low, some_high; /* P(some child of the generation is better) */
    double best_low, best_high; /* expected gain of the best child */
} opevo_improvement;

/* For each of `count` values of q, 0 <= q < 1. `space` has the points of the table and may have
 * other topologies. Where a child is lost nothing is gained.
 *
 * Errors: INVALID for no seen points, a point outside the space, and those of
 *         opevo_child_law_create; LIMIT for a parameter of more than 4096 values; TOLERANCE when
 *         the bound would exceed 1e-6; NOMEM.
 * Cost, for each q: the cube of each parameter's values, then for N points about
 *       4 N sum(values of a parameter) for each product with the kernel: one, and where many points
 *       are seen or forbidden up to a few hundred. Memory: 8 doubles a point. */
OPEVO_API opevo_status opevo_improvement_curve(const opevo_landscape_table *table,
                                               const opevo_space *space,
                                               const opevo_generation *generation, const double *q,
                                               size_t count, unsigned threads,
                                               opevo_improvement *out, opevo_error *err);

/* The law itself for one q, over all points, 0 where seen or forbidden, and what follows from it.
 * Errors and cost: as above. */
OPEVO_API opevo_status opevo_improvement_law(const opevo_landscape_table *table,
                                             const opevo_space *space,
                                             const opevo_generation *generation, double q,
                                             unsigned threads, double *law, opevo_improvement *out,
                                             opevo_error *err);

OPEVO_END_C

#endif
