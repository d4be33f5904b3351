/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a user names: recorded landscapes. */

#ifndef OPEVO_CLI_RECORDING_SPEC_INTERNAL_H
#define OPEVO_CLI_RECORDING_SPEC_INTERNAL_H

#include <opevo/objective.h>

#include "options_internal.h"

/* Whether the text is "recorded:[FILE]" or "only-recorded:[FILE]", a recording whose rows are all
 * of its space. */
bool opevo_i_cli_is_recorded(const char *on);
/* Whether the text is "sealed:FILE". */
bool opevo_i_cli_is_sealed(const char *on);
/* What --on says, or `on` where it is given, as "only-recorded:[FILE]" with --only-recorded; in
 * `text`, which the caller frees. NULL where nothing says it. Errors: INVALID for --only-recorded
 * with anything else than a recording. */
opevo_status opevo_i_cli_on_of_call(const opevo_call *call, const char *on, opevo_text *text,
                                    const char **out, opevo_error *err);
/* A recorded landscape with the space of the file `space` (NULL: its own). Its rows are all of the
 * space with `only`; otherwise the points without one are counted on stderr. */
opevo_status opevo_i_cli_recording_open(const char *path, const char *space, bool only,
                                        opevo_objective **out, opevo_error *err);
#define OPEVO_I_ONLY_RECORDED_OPTION                                                               \
    {                                                                                              \
        "only-recorded", NULL, "recordings: the rows are the whole space", false                   \
    }
/* Say on stderr, where every trial was one of a point without a row, that nothing was found out;
 * *exit_code is then that of a failure. */
void opevo_i_cli_judge_replay(const opevo_call *call, uint64_t trials, uint64_t unrecorded,
                              int *exit_code);
/* Say how many rows of a recording a space file left out, if any. */
void opevo_i_cli_print_ignored(const opevo_objective *objective, opevo_text *out);

#endif
