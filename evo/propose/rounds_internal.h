/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rounds of proposals for methods that decide on several points at once and look at the outcomes
 * only when all are known. A round is made whole and handed out as asked, so that the cutting of
 * asks changes nothing. A point that was proposed in an earlier round is a repeat: it stands in the
 * round with the fitness of then, and is not handed out. */

#ifndef OPEVO_ROUNDS_INTERNAL_H
#define OPEVO_ROUNDS_INTERNAL_H

#include <opevo/tuner.h>

#include "tried_internal.h"

typedef struct opevo_i_rounds opevo_i_rounds;

/* `space` must outlive it; NULL without memory. */
opevo_i_rounds *opevo_i_rounds_create(const opevo_space *space);
void opevo_i_rounds_destroy(opevo_i_rounds *rounds);

/* Whether the point was proposed in this round or before. */
bool opevo_i_rounds_has(const opevo_i_rounds *rounds, opevo_index point);

/* In a sparse space, the nearest listed point that was not proposed, as opevo_space_nearest_listed.
 */
bool opevo_i_rounds_nearest(const opevo_i_rounds *rounds, const opevo_index *vertices,
                            opevo_index *point);

/* Trials that were not proposed here: repeats from now on. */
opevo_status opevo_i_rounds_know(opevo_i_rounds *rounds, const opevo_trial *trials, size_t count,
                                 opevo_error *err);
/* The same; the first uniform points that are added are these, in this order. */
opevo_status opevo_i_rounds_begin_with(opevo_i_rounds *rounds, const opevo_trial *trials,
                                       size_t count, opevo_error *err);

/* Forget the points of the last round, which must be complete, and start an empty one. */
void opevo_i_rounds_begin(opevo_i_rounds *rounds);
/* Add an allowed point that is not yet in this round. Errors: NOMEM. */
opevo_status opevo_i_rounds_add(opevo_i_rounds *rounds, opevo_index point, const char *origin,
                                opevo_error *err);
/* Add a point uniform over the allowed ones that were never proposed; *reason as
 * opevo_i_tried_draw. */
opevo_status opevo_i_rounds_add_uniform(opevo_i_rounds *rounds, opevo_rng *rng, const char *origin,
                                        const char **reason, opevo_error *err);

/* Turn the order of the round's points round; before any is asked for. */
void opevo_i_rounds_reverse(opevo_i_rounds *rounds);

/* The points of the round, in the order they are asked for, and their fitness once the round is
 * complete. */
size_t opevo_i_rounds_count(const opevo_i_rounds *rounds);
opevo_index opevo_i_rounds_point(const opevo_i_rounds *rounds, size_t i);
double opevo_i_rounds_fitness(const opevo_i_rounds *rounds, size_t i);
/* Whether the fitness of every point is known; true of an empty round. */
bool opevo_i_rounds_complete(const opevo_i_rounds *rounds);
/* Repeats added so far in all rounds, and how many of them since the last point that was none. */
uint64_t opevo_i_rounds_repeats(const opevo_i_rounds *rounds);
uint64_t opevo_i_rounds_repeats_in_a_row(const opevo_i_rounds *rounds);

/* As ask and tell of a tuner, on this round. */
size_t opevo_i_rounds_ask(opevo_i_rounds *rounds, opevo_proposal *proposals, size_t capacity);
opevo_status opevo_i_rounds_tell(opevo_i_rounds *rounds, const opevo_trial *trials, size_t count,
                                 opevo_error *err);

#endif
