/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tuner of a call, its settings, and its requirements. */

#ifndef OPEVO_CLI_TUNER_OF_CALL_INTERNAL_H
#define OPEVO_CLI_TUNER_OF_CALL_INTERNAL_H

#include <opevo/tuner.h>

#include "options_internal.h"

/* The tuner of --tuner, or else the usual one, and its settings after `defaults`, as
 * opevo_settings_default_on has them, and --set; the values are the caller's, also on failure
 * (tuner_of_call.c). */
opevo_status opevo_i_cli_tuner_of_call(const opevo_call *call, const char *usual,
                                       const opevo_tuner_default *defaults,
                                       const opevo_tuner_ops **tuner, opevo_setting_value **values,
                                       opevo_error *err);
/* The settings again, with the batch of so many workers among the defaults: opevo_settings_widen.
 */
opevo_status opevo_i_cli_settings_of_call(const opevo_call *call, const opevo_tuner_ops *tuner,
                                          const opevo_tuner_default *defaults, size_t workers,
                                          opevo_setting_value *values, opevo_error *err);
/* The value of --set KEY=VALUE; NULL where the key is not set. */
const char *opevo_i_cli_setting_of_call(const opevo_call *call, const char *key);
/* A sentence where the tuner leaves some of the workers idle. */
void opevo_i_cli_print_idle(const opevo_tuner_ops *tuner, const opevo_setting_value *values,
                            size_t workers, opevo_text *out);
/* Those of --require; they are the caller's, also on failure. */
opevo_status opevo_i_cli_requirements_of_call(const opevo_call *call,
                                              const opevo_objective *objective,
                                              opevo_requirement **out, size_t *count,
                                              opevo_error *err);

#endif
