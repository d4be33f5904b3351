/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Samplers of the q-random walk: the literal walk, and alias tables made from a law. */

#ifndef OPEVO_SAMPLER_H
#define OPEVO_SAMPLER_H

#include <opevo/api.h>
#include <opevo/graph.h>
#include <opevo/law.h>
#include <opevo/parameter.h>
#include <opevo/random.h>

OPEVO_BEGIN_C

/* The literal walk: "while a uniform number is below q, go to a uniformly chosen neighbour". Graphs
 * up to 2^16 vertices and 2^20 edges are kept as tables of neighbours; larger ones are walked by
 * formula. Immutable, shared by any number of threads; the stream belongs to the caller. */
typedef struct opevo_walker opevo_walker;

/* `parameter` must outlive the walker. Errors: INVALID if q is outside [0, 1); NOMEM. */
OPEVO_API opevo_status opevo_walker_create(const opevo_parameter *parameter, double q,
                                           opevo_walker **out, opevo_error *err);
/* On an explicit graph that is not a parameter's; copied, always as tables. Errors as above, and
 * LIMIT above 2^32 - 1 vertices or 2^31 edges. */
OPEVO_API opevo_status opevo_walker_create_on_graph(const opevo_graph *graph, double q,
                                                    opevo_walker **out, opevo_error *err);
OPEVO_API void opevo_walker_destroy(opevo_walker *walker);

/* Where one walk from `start` ends. 1 / (1 - q) uniform numbers on average to decide when to stop
 * and q / (1 - q) to step. */
OPEVO_API opevo_index opevo_walker_draw(const opevo_walker *walker, opevo_index start,
                                        opevo_rng *rng);
/* Where the last of `count` walks ends, each of which begins where the one before it ended. Not the
 * numbers that as many calls of opevo_walker_draw would use, but the same law: the walks have a
 * negative binomial number of steps together, and on a path or a complete graph the end of so many
 * steps has a formula. Cost there: a number for 64 steps; elsewhere one for each step. */
OPEVO_API opevo_index opevo_walker_draw_many(const opevo_walker *walker, opevo_index start,
                                             uint32_t count, opevo_rng *rng);
/* Exactly one step; `vertex` itself when it has no neighbours. */
OPEVO_API opevo_index opevo_walker_step(const opevo_walker *walker, opevo_index vertex,
                                        opevo_rng *rng);

/* An alias table: draws i with probability weight[i] / sum in O(1), one 64-bit number a draw.
 * Source: Vose, "A linear algorithm for generating random numbers with a given distribution", IEEE
 * TSE 17 (1991), in whole numbers here, so that no weight is lost to rounding: an entry of weight 0
 * is never drawn, and each of the n columns of the table is realised within 2^-32 / n. 16 bytes an
 * entry. */
typedef struct opevo_alias opevo_alias;

/* Errors: INVALID for no weight, a negative or non-finite one, all zero, or more than 2^32 - 1;
 * NOMEM. */
OPEVO_API opevo_status opevo_alias_create(const double *weights, size_t count, opevo_alias **out,
                                          opevo_error *err);
/* Of a law, over its vertices; needs the law no longer. Errors: LIMIT when the vertices are more
 * than 2^26; NOMEM. */
OPEVO_API opevo_status opevo_alias_create_from_law(const opevo_law *law, opevo_alias **out,
                                                   opevo_error *err);
OPEVO_API void opevo_alias_destroy(opevo_alias *alias);
OPEVO_API size_t opevo_alias_draw(const opevo_alias *alias, opevo_rng *rng);

OPEVO_END_C

#endif
