/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The cost model that the program brings along, notebooks-data/models/cpu-sketches.model, and the
 * searches that begin with it unless something else is said. */

#ifndef OPEVO_CLI_SHIPPED_MODEL_INTERNAL_H
#define OPEVO_CLI_SHIPPED_MODEL_INTERNAL_H

#include <stddef.h>

#include "tune_internal.h"

extern const unsigned char opevo_i_cli_shipped_model[];
extern const size_t opevo_i_cli_shipped_model_size;

/* Begin a search of `ansor` for sketches on a CPU without a start (--start none) with it, unless
 * the call says what to learn from, or another model or search. Errors: NOMEM. */
opevo_status opevo_i_cli_tune_take_shipped(const opevo_call *call, opevo_i_cli_tuning *self,
                                           opevo_error *err);

#endif
