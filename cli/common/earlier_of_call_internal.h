/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials to learn from. */

#ifndef OPEVO_CLI_EARLIER_OF_CALL_INTERNAL_H
#define OPEVO_CLI_EARLIER_OF_CALL_INTERNAL_H

#include <opevo/start_list.h>

/* Append the trials of one run, given as STORE:RUN, or, where it is on another space and the tuner
 * learns from those, their loop trees; `named` is how the user named it: "--learn".
 * Errors: INVALID for a tuner that cannot learn, with those that can; those of the store. */
opevo_status opevo_i_cli_earlier_add(opevo_earlier *self, const char *named, const char *text,
                                     const opevo_tuner_ops *tuner, const opevo_space *space,
                                     opevo_error *err);

#endif
