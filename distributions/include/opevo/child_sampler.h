/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The child step of OpEvo: recombine, mutate, and mutate again what may not be proposed. The tuner
 * draws with it, and verification tests the very same code against the exact law of child.h. */

#ifndef OPEVO_CHILD_SAMPLER_H
#define OPEVO_CHILD_SAMPLER_H

#include <opevo/api.h>
#include <opevo/child.h>
#include <opevo/hash.h>
#include <opevo/random.h>

OPEVO_BEGIN_C

typedef struct opevo_child_sampler opevo_child_sampler;

/* The limits of opevo_child_sampler_draw. Where one mutation finds something new with probability
 * p, they move the child's law by less than (1 - p)^patience: 1e-35 for p = 0.01. child.h has the
 * law with limits. */
enum { OPEVO_CHILD_TRIES = 16384, OPEVO_CHILD_PATIENCE = OPEVO_CHILD_TRIES / 2 };

/* `space` must outlive the sampler. q is the probability of one more step, of every parameter's
 * walk. Errors: those of opevo_walker_create; NOMEM. */
OPEVO_API opevo_status opevo_child_sampler_create(const opevo_space *space, double q,
                                                  opevo_duplicate_rule rule,
                                                  opevo_child_sampler **out, opevo_error *err);
OPEVO_API void opevo_child_sampler_destroy(opevo_child_sampler *sampler);

/* Replace the parents of what is drawn next by `count` (at least 1) individuals, copied.
 *
 *   vertices  vertices[j]: one vertex of parent j for each parameter of the space, OPEVO_INACTIVE
 *             where it is not active
 *   weights   of each parent: finite, not negative, not all zero
 *
 * Errors: INVALID for weights outside their domain; NOMEM, with the parents as they were. */
OPEVO_API opevo_status opevo_child_sampler_set_parents(opevo_child_sampler *sampler,
                                                       const opevo_index *const *vertices,
                                                       const double *weights, size_t count,
                                                       opevo_error *err);

/* Draw one child that is neither in `seen` nor forbidden by a constraint.
 *
 *   vertices  out: one for each parameter; what the last mutation left when there is no child
 *   point     out: its number in the space; likewise
 *
 * In a sparse space (space_listed.h) a child that is seen or not listed becomes the nearest row
 * that is not seen. False when OPEVO_CHILD_TRIES mutations, or that search, found none. Cost: for
 * each mutation a walk a parameter. */
OPEVO_API bool opevo_child_sampler_draw(opevo_child_sampler *sampler, const opevo_index_set *seen,
                                        opevo_rng *rng, opevo_index *vertices, opevo_index *point);
/* The same with other limits, both at least 1. */
OPEVO_API bool opevo_child_sampler_try(opevo_child_sampler *sampler, const opevo_index_set *seen,
                                       opevo_child_limits limits, opevo_rng *rng,
                                       opevo_index *vertices, opevo_index *point);

OPEVO_END_C

#endif
