/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The best individuals of a run, as many as can become parents: a bounded list sorted by falling
 * fitness. An individual of fitness 0 has no chance to be inherited from, so none is kept. */

#ifndef OPEVO_POPULATION_INTERNAL_H
#define OPEVO_POPULATION_INTERNAL_H

#include <stddef.h>

#include <opevo/index.h>

typedef struct opevo_i_opevo_population opevo_i_opevo_population;

/* Room for `capacity` individuals (at least 1) of `width` vertices each; NULL without memory. */
opevo_i_opevo_population *opevo_i_opevo_population_create(size_t capacity, size_t width);
void opevo_i_opevo_population_destroy(opevo_i_opevo_population *population);

/* Individuals kept; all have a positive fitness. */
size_t opevo_i_opevo_population_count(const opevo_i_opevo_population *population);
/* The individual of rank `rank`, 0 the fittest: its `width` vertices, borrowed until the next
 * addition, and its fitness (may be NULL). */
const opevo_index *opevo_i_opevo_population_get(const opevo_i_opevo_population *population,
                                                size_t rank, double *fitness);

/* Add a copy; when full, the last one leaves. Among equals the newest stands first. A fitness that
 * is not positive and finite is not kept. Cost: O(log capacity) comparisons, and moving 8 bytes for
 * each individual that stands behind. */
void opevo_i_opevo_population_add(opevo_i_opevo_population *population, double fitness,
                                  const opevo_index *vertices);

#endif
