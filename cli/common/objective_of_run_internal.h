/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The objective of a stored run, opened again. */

#ifndef OPEVO_CLI_OBJECTIVE_OF_RUN_INTERNAL_H
#define OPEVO_CLI_OBJECTIVE_OF_RUN_INTERNAL_H

#include "call_file_internal.h"

#include <opevo/objective.h>
#include <opevo/store.h>

/* Start from {.objective = NULL}. */
typedef struct opevo_i_cli_objective_of_run {
    opevo_objective *objective;
    const char *on; /* what --on said */
    opevo_i_cli_call_file file;
    opevo_text call, on_text;
    int left; /* a descriptor of the folder that the process was in, plus 1; 0: none */
} opevo_i_cli_objective_of_run;

/* Open it from the call that the store keeps of the run, or else from what the store notes of its
 * objective. The process is then in the folder of the run's paths, until it is closed. Nothing is
 * measured or executed. Errors: INVALID for a run that was not of one operator or kernel, and for
 * an objective that is called otherwise here; what opening it reports; those of the store. */
opevo_status opevo_i_cli_objective_of_run_open(opevo_store *store, int64_t run,
                                               opevo_i_cli_objective_of_run *out, opevo_error *err);
/* Also on failure. */
void opevo_i_cli_objective_of_run_close(opevo_i_cli_objective_of_run *self);

#endif
