/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The child of OpEvo given that it is allowed. Before constraints the law of a child is a product
 * over the parameters that are active in it (opevo/child.h); its sum over the allowed points, and
 * draws from it given that it is allowed, come from the diagram of the space, without rejection. */

#ifndef OPEVO_CHILD_GIVEN_H
#define OPEVO_CHILD_GIVEN_H

#include <opevo/child.h>
#include <opevo/random.h>

OPEVO_BEGIN_C

typedef struct opevo_child_given opevo_child_given;

/* For these parents; `space` must outlive it.
 *
 * Errors: as opevo_child_law_create; LIMIT where the space has no diagram (opevo_space_diagram).
 * Cost:   as opevo_child_law_create, and a multiplication for each vertex of each arc of the
 *         diagram: 2 ms for the tiles of a GEMM up to 1024. */
opevo_status opevo_child_given_create(const opevo_space *space, const opevo_parents *parents,
                                      double q, opevo_child_given **out, opevo_error *err);
void opevo_child_given_destroy(opevo_child_given *given);

/* The probability that a child is allowed, and how far it may be off (`bound`, may be NULL). */
double opevo_child_given_probability(const opevo_child_given *given, double *bound);

/* Draw a child from its law given that it is allowed; false, with nothing written, where that has
 * probability 0. Cost: about 2 us for 10 parameters. */
bool opevo_child_given_draw(const opevo_child_given *given, opevo_rng *rng, opevo_index *vertices);

/* The law of one parameter of that child: law[v], and behind the last vertex the probability that
 * it is inactive. Errors: INVALID where no child is allowed; NOMEM. */
opevo_status opevo_child_given_law(const opevo_child_given *given, size_t parameter, double *law,
                                   opevo_error *err);

OPEVO_END_C

#endif
