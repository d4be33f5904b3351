/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the port share. */

#ifndef OPEVO_PORT_INTERNAL_H
#define OPEVO_PORT_INTERNAL_H

#include <opevo/operator.h>
#include <opevo/tuner.h>

/* The `count` reserved places of a table of functions are 0. Errors: INVALID, naming "the tuner
 * opevo". */
opevo_status opevo_i_port_reserved_check(void (*const *reserved)(void), size_t count,
                                         const char *kind, const char *name, opevo_error *err);

/* Every value within its setting's domain, otherwise INVALID. */
opevo_status opevo_i_port_settings_check(const opevo_tuner_ops *ops,
                                         const opevo_setting_value *values, opevo_error *err);

/* Make an outcome one that every reader can rely on: see opevo_objective_evaluate. */
void opevo_i_port_outcome_clean(const opevo_objective *objective, opevo_outcome *outcome);

/* A contraction as opevo_operator_parse and _print take it. Errors: INVALID with the form. */
opevo_status opevo_i_port_contraction_parse(const char *text, opevo_operator *out,
                                            opevo_error *err);
void opevo_i_port_contraction_print(const opevo_contraction *contraction, opevo_text *out);

/* ---- observed.c ---- */

/* Remember trials at points that the tuner did not propose. Errors: INVALID for a point that was
 * told before; NOMEM. */
opevo_status opevo_i_port_observed_add(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                       opevo_error *err);
void opevo_i_port_observed_free(opevo_tuner *tuner);
/* Take proposals of the tuner, answer those whose outcome is known as far as it is their turn, and
 * leave the others, *count of them. Nothing where nothing was observed. */
opevo_status opevo_i_port_observed_ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t *count,
                                       opevo_error *err);
/* Tell the tuner these outcomes, which are at most those that it waits for, and each known one when
 * it is its turn. */
opevo_status opevo_i_port_observed_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                        opevo_error *err);

#endif
