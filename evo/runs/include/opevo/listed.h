/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A run of points that its owner names one by one, such as to measure on one workload what was
 * found on another. It is kept in a store like any run, with the tuner `listed`. What the store has
 * of it is not measured again as long as the owner names the same points, as one does whose points
 * follow from outcomes and who goes on after a kill; another owner recalls what is there first. */

#ifndef OPEVO_LISTED_H
#define OPEVO_LISTED_H

#include <opevo/run.h>

OPEVO_BEGIN_C

typedef struct opevo_listed opevo_listed;

/* `options` as for opevo_session_create: tuner, settings, budget, starts, observer and what is
 * learned from are not looked at. Errors: as there; INVALID for an external objective and for a
 * domain that is not a space. */
opevo_status opevo_listed_create(opevo_objective *objective, const opevo_run_options *options,
                                 opevo_listed **out, opevo_error *err);
/* The point of the next trial that the store has of it; false where it has no more. Errors: those
 * of the store. */
opevo_status opevo_listed_stored(opevo_listed *self, bool *any, opevo_index *point,
                                 opevo_error *err);
/* Evaluate a point, and keep it in the store; where the store has more trials, it must be that of
 * the next, which is taken from there: then *recalled is true. `out` has neither samples nor
 * message; where an interrupt came in between, its number is 0. Errors: INVALID for a point that
 * the space does not allow; those of opevo_session_step, among them MISMATCH for another point than
 * the store has. */
opevo_status opevo_listed_evaluate(opevo_listed *self, opevo_index point, opevo_trial *out,
                                   bool *recalled, opevo_error *err);
/* Release it, in any state; NULL is allowed. The store notes `why` it ended. Errors: those of the
 * store. */
opevo_status opevo_listed_end(opevo_listed *self, opevo_stop why, opevo_error *err);

OPEVO_END_C

#endif
