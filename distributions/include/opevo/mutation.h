/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A point that is mutated again and again until it is allowed, where few points are. Each mutation
 * walks with all parameters, but they walk independently, and the diagram of the space asks for
 * them one by one until one does not fit. So a parameter is left where it is until it is asked for,
 * and then makes all its walks at once. The law is that of mutations made in full. */

#ifndef OPEVO_MUTATION_H
#define OPEVO_MUTATION_H

#include <opevo/diagram.h>
#include <opevo/sampler.h>

OPEVO_BEGIN_C

typedef struct opevo_mutation opevo_mutation;

/* Of a space without branches. The walkers, one for each parameter, and the diagram must outlive
 * it. NULL without memory. */
opevo_mutation *opevo_mutation_create(const opevo_diagram *diagram, opevo_walker *const *walkers,
                                      size_t width);
void opevo_mutation_destroy(opevo_mutation *mutation);

/* Mutate these vertices, in place, from now on; they are right after opevo_mutation_finish. */
void opevo_mutation_begin(opevo_mutation *mutation, opevo_index *vertices);
/* Once more, of at most 2^32 - 1 times. */
void opevo_mutation_add(opevo_mutation *mutation);
/* Whether the mutated point is allowed. Cost: the walks of the parameters that are asked for. */
bool opevo_mutation_is_allowed(opevo_mutation *mutation, opevo_rng *rng);
/* Make the walks that are left. */
void opevo_mutation_finish(opevo_mutation *mutation, opevo_rng *rng);

OPEVO_END_C

#endif
