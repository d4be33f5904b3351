/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of `opevo runs` share. */

#ifndef OPEVO_RUNS_INTERNAL_H
#define OPEVO_RUNS_INTERNAL_H

#include "reasons_internal.h"

#include <opevo/store.h>

typedef enum opevo_i_cli_runs_form {
    OPEVO_I_RUNS_TEXT,
    OPEVO_I_RUNS_JSON,
    OPEVO_I_RUNS_CSV
} opevo_i_cli_runs_form;

/* Every trial of a run: a table of at most `width` columns, rows of CSV, or the members of a JSON
 * object. Samples and messages are whole in CSV and JSON. */
opevo_status opevo_i_cli_runs_print_trials(opevo_store *store, const opevo_run_info *info,
                                           opevo_i_cli_runs_form form, unsigned width,
                                           opevo_text *out, opevo_error *err);

struct opevo_i_cli_run_trials;
/* The results over the trials, drawn in characters; nothing below 10 trials or 40 columns. */
void opevo_i_cli_runs_print_scatter(const struct opevo_i_cli_run_trials *run, const char *unit,
                                    unsigned width, opevo_text *out);
/* The effect of each value of the most important parameters, as bars; nothing without a model. */
void opevo_i_cli_runs_print_effects(const struct opevo_i_cli_run_trials *run, const char *unit,
                                    opevo_text *out);

/* Show the runs of a store, or one of them, as they grow, until interrupted; on a terminal a table
 * that is drawn anew, elsewhere a line for each run that has changed. The store need not exist yet.
 * Errors: NOMEM. */
opevo_status opevo_i_cli_runs_follow(const char *path, int64_t run, opevo_error *err);

#endif
