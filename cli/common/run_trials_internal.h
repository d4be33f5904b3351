/* SPDX-License-Identifier: GPL-3.0-or-later */

/* All trials of a stored run, and what they say of its parameters. */

#ifndef OPEVO_RUN_TRIALS_INTERNAL_H
#define OPEVO_RUN_TRIALS_INTERNAL_H

#include <opevo/effects.h>
#include <opevo/store.h>

typedef struct opevo_i_cli_run_trials {
    opevo_trial *trials; /* without samples and messages; origins live as long as the store */
    size_t count;
    opevo_space *space;     /* NULL: the run searched none that can be made here */
    opevo_effects *effects; /* NULL without a space, or without a success */
} opevo_i_cli_run_trials;

/* Release with opevo_i_cli_run_trials_free, also on failure. Errors: those of the store; NOMEM. */
opevo_status opevo_i_cli_run_trials_read(opevo_store *store, int64_t run,
                                         opevo_i_cli_run_trials *out, opevo_error *err);
/* The effects over the successful ones of these trials; *out is NULL without a success. Errors:
 * those of opevo_effects_create. */
opevo_status opevo_i_cli_effects_of_trials(const opevo_space *space, const opevo_trial *trials,
                                           size_t count, opevo_effects **out, opevo_error *err);
void opevo_i_cli_run_trials_free(opevo_i_cli_run_trials *self);
/* An effect as a factor of the result in this unit: of a time the reciprocal. */
double opevo_i_cli_effect_factor(const char *unit, double effect);

#endif
