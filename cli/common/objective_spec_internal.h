/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a user names: objectives. */

#ifndef OPEVO_CLI_OBJECTIVE_SPEC_INTERNAL_H
#define OPEVO_CLI_OBJECTIVE_SPEC_INTERNAL_H

#include <opevo/hardware.h>
#include <opevo/store.h>

#include "options_internal.h"

/* An objective: `on` is a recording (recording_spec_internal.h) or "cmd:PROGRAM" (then `what` is
 * NULL), or "sim:DEVICE", a device such as "cpu" or "cuda:0" (then it is what
 * opevo_i_cli_workload_of takes, for sim an operator); `space` is a space file for a recorded
 * landscape, a program or kernels, or NULL. */
opevo_status opevo_i_cli_objective_of(const char *what, const char *on, const char *space,
                                      opevo_objective **out, opevo_error *err);
/* The same with the options of live objectives of a call, which has OPEVO_I_LIVE_OPTIONS. */
opevo_status opevo_i_cli_objective_of_call(const opevo_call *call, const char *what, const char *on,
                                           const char *space, opevo_objective **out,
                                           opevo_error *err);
#define OPEVO_I_OBJECTIVES "recorded:[FILE], sim:DEVICE, cmd:PROGRAM, " OPEVO_DEVICES " or simt"

/* How a store says that the objective can be opened again: `on` and `space` with their paths from
 * the root, so that it does not matter from where. Release with opevo_i_cli_note_free. */
typedef struct opevo_note_texts {
    opevo_text what, on, space;
    opevo_objective_note note; /* points into the texts, and to `what` unless that is a file */
} opevo_note_texts;

opevo_status opevo_i_cli_note_of(const char *what, const char *on, const char *space,
                                 const opevo_optimum *optimum, opevo_note_texts *out,
                                 opevo_error *err);
void opevo_i_cli_note_free(opevo_note_texts *texts);

#endif
