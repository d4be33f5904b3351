/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a user names: parameters, spaces and objectives. */

#ifndef OPEVO_CLI_OBJECTIVE_SPEC_INTERNAL_H
#define OPEVO_CLI_OBJECTIVE_SPEC_INTERNAL_H

#include <opevo/store.h>

#include "options_internal.h"

/* A parameter needs a name, and sentences about it begin with that; but a user who wrote only
 * "factor(8,3)" gave none. Such a parameter is called x, and this is the sentence without it. */
const char *opevo_i_cli_unnamed(const char *message);
/* A parameter from text such as "factor(8,3)"; topology may be NULL. */
opevo_status opevo_i_cli_parameter_of(const char *text, const char *topology, opevo_parameter **out,
                                      opevo_error *err);
/* A space by a parameter ("factor(8,3)"), an operator, a space file, "recorded:[FILE]" or
 * "only-recorded:[FILE]". */
opevo_status opevo_i_cli_space_of(const char *what, opevo_space **out, opevo_error *err);
/* Whether the text is "recorded:[FILE]" or "only-recorded:[FILE]", a recording whose rows are all
 * of its space. */
bool opevo_i_cli_is_recorded(const char *on);
/* What --on says, or `on` where it is given, as "only-recorded:[FILE]" with --only-recorded; in
 * `text`, which the caller frees. NULL where nothing says it. Errors: INVALID for --only-recorded
 * with anything else than a recording. */
opevo_status opevo_i_cli_on_of_call(const opevo_call *call, const char *on, opevo_text *text,
                                    const char **out, opevo_error *err);
#define OPEVO_I_ONLY_RECORDED_OPTION                                                               \
    {                                                                                              \
        "only-recorded", NULL, "recordings: the rows are the whole space", false                   \
    }

/* An objective: `on` is recorded (above) or "cmd:PROGRAM" (then `what` is NULL), or "sim:DEVICE",
 * "cpu", "cuda:N" or "hip:N" (then it is what opevo_i_cli_workload_of takes, for sim an operator);
 * `space` is a space file for a recorded
 * landscape, a program or kernels, or NULL. */
opevo_status opevo_i_cli_objective_of(const char *what, const char *on, const char *space,
                                      opevo_objective **out, opevo_error *err);
/* The same with the options of live objectives of a call, which has OPEVO_I_LIVE_OPTIONS. */
opevo_status opevo_i_cli_objective_of_call(const opevo_call *call, const char *what, const char *on,
                                           const char *space, opevo_objective **out,
                                           opevo_error *err);
#define OPEVO_I_OBJECTIVES "recorded:[FILE], sim:DEVICE, cmd:PROGRAM, cpu, cuda:N or hip:N"
/* Whether a text ends as the name of a table does. */
bool opevo_i_cli_is_table(const char *text);
/* Whether a text that may name a thing or a file is meant as a file. */
bool opevo_i_cli_looks_like_path(const char *text);

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
/* Say on stderr, where every trial was one of a point without a row, that nothing was found out;
 * *exit_code is then that of a failure. */
void opevo_i_cli_judge_replay(const opevo_call *call, uint64_t trials, uint64_t unrecorded,
                              int *exit_code);
/* Say how many rows of a recording a space file left out, if any. */
void opevo_i_cli_print_ignored(const opevo_objective *objective, opevo_text *out);

#endif
