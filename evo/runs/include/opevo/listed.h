/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A run of points that its owner names one by one, such as to measure on one workload what was
 * found on another. It is kept in a store like any run, with the tuner `listed`. What the store has
 * of it comes first, whatever the owner names: so an owner whose points follow from outcomes goes on
 * after a kill as if there had been none, and another owner finds what was measured. */

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
/* How many trials the store has of it; opevo_listed_recall tells the next of them. */
uint64_t opevo_listed_stored(const opevo_listed *self);
/* The next stored trial; errors as below. */
opevo_status opevo_listed_recall(opevo_listed *self, opevo_trial *out, opevo_error *err);
/* Evaluate a point, and keep it in the store; what the store has is recalled before. `out` has
 * neither samples nor message. Where an interrupt came in between, *out has number 0. Errors:
 * INVALID for a point that the space does not allow, and while stored trials remain; those of
 * opevo_session_step. */
opevo_status opevo_listed_evaluate(opevo_listed *self, opevo_index point, opevo_trial *out,
                                   opevo_error *err);
/* Release it, in any state; NULL is allowed. The store notes `why` it ended. Errors: those of the
 * store. */
opevo_status opevo_listed_end(opevo_listed *self, opevo_stop why, opevo_error *err);

OPEVO_END_C

#endif
