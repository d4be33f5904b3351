/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials to learn from. */

#ifndef OPEVO_CLI_EARLIER_OF_CALL_INTERNAL_H
#define OPEVO_CLI_EARLIER_OF_CALL_INTERNAL_H

#include <opevo/run.h>
#include <opevo/start_list.h>

/* Append the trials of one run, given as STORE:RUN, or, where it is on another space and the tuner
 * learns from those, their loop trees; or read the file of a stored cost model; or, for "none", do
 * nothing. `named` is how the user named it: "--learn". Errors: INVALID for a tuner that cannot
 * learn, with those that can, and for a second model; those of the store and of the model. */
opevo_status opevo_i_cli_earlier_add(opevo_earlier *self, const char *named, const char *text,
                                     const opevo_tuner_ops *tuner, const opevo_space *space,
                                     opevo_error *err);

/* Append the loop trees of a run, given as STORE:RUN, or of all rows of recorded:FILE. Errors:
 * INVALID where the programs are not known; those of the store and of the recording. */
opevo_status opevo_i_cli_earlier_add_trees(opevo_earlier *self, const char *text, opevo_error *err);
/* What a run learns from of all that. */
void opevo_i_cli_earlier_use(const opevo_earlier *self, opevo_run_options *run);

#endif
