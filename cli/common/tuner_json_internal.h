/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuner as JSON. */

#ifndef OPEVO_CLI_TUNER_JSON_INTERNAL_H
#define OPEVO_CLI_TUNER_JSON_INTERNAL_H

#include <opevo/tuner.h>

/* One JSON object in one line (tuner_json.c). */
void opevo_i_cli_tuner_json(const opevo_tuner_ops *tuner, opevo_text *out);

#endif
