/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The library and the features of a tuner; nothing where it has none. */

#ifndef OPEVO_CLI_TUNER_LIBRARY_INTERNAL_H
#define OPEVO_CLI_TUNER_LIBRARY_INTERNAL_H

#include <opevo/tuner.h>

/* Of a tuner with settings (NULL: the defaults), nothing if they choose a model that needs no
 * library: " with XGBoost 3.0.0". */
void opevo_i_cli_add_library(const opevo_tuner_ops *tuner, const opevo_setting_value *settings,
                             opevo_text *out);
void opevo_i_cli_add_library_json(const opevo_tuner_ops *tuner, const opevo_setting_value *settings,
                                  opevo_text *out);
/* A line where this version computes other results than those tested. */
void opevo_i_cli_print_library_note(const opevo_tuner_ops *tuner,
                                    const opevo_setting_value *settings, opevo_text *out);
/* A line where a cost model of programs sees the parameters, as the objective has no features, and
 * the settings (NULL: the defaults) do not choose another model or other features. */
void opevo_i_cli_print_features_note(const opevo_tuner_ops *tuner,
                                     const opevo_setting_value *settings,
                                     const opevo_objective *objective, opevo_text *out);

#endif
