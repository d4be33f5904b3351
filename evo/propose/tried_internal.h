/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a tuner has proposed, and what it was told of it. A method that comes back to a point is
 * answered from here, so that the repeat is not a trial and costs nothing. */

#ifndef OPEVO_TRIED_INTERNAL_H
#define OPEVO_TRIED_INTERNAL_H

#include <opevo/random.h>
#include <opevo/space.h>

typedef struct opevo_i_tried opevo_i_tried;

/* `space` must outlive it; NULL without memory. */
opevo_i_tried *opevo_i_tried_create(const opevo_space *space);
void opevo_i_tried_destroy(opevo_i_tried *tried);

/* Whether the point was proposed; its fitness (may be NULL) is NAN until it is told. */
bool opevo_i_tried_get(const opevo_i_tried *tried, opevo_index point, double *fitness);
/* Remember the point as proposed. Errors: NOMEM. */
opevo_status opevo_i_tried_propose(opevo_i_tried *tried, opevo_index point, opevo_error *err);
/* The fitness of a point that was proposed; one that is negative or no finite number is kept as 0.
 * Errors: NOMEM. */
opevo_status opevo_i_tried_tell(opevo_i_tried *tried, opevo_index point, double fitness,
                                opevo_error *err);

/* A point uniform over the allowed ones that were neither proposed nor drawn here before.
 *
 *   point   out: untouched if none exists
 *   reason  out: NULL when there is a point, otherwise why there is none, a static string
 *
 * Errors: NOMEM. Cost: as opevo_i_untried_draw; a proposed point is met at most once. */
opevo_status opevo_i_tried_draw(opevo_i_tried *tried, opevo_rng *rng, opevo_index *point,
                                const char **reason, opevo_error *err);

#endif
