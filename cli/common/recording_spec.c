/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Recorded landscapes by what a user writes, and what is said of the points without a row. */

#include "recorded_programs_internal.h"
#include "recording_spec_internal.h"
#include "terminal_internal.h"

#include <opevo/landscape.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char only_recorded[] = "only-recorded:";

bool opevo_i_cli_is_recorded(const char *on)
{
    return !strncmp(on, "recorded:", 9) || !strncmp(on, only_recorded, sizeof only_recorded - 1);
}

bool opevo_i_cli_is_sealed(const char *on)
{
    return !strncmp(on, "sealed:", 7);
}

opevo_status opevo_i_cli_on_of_call(const opevo_call *call, const char *on, opevo_text *text,
                                    const char **out, opevo_error *err)
{
    bool only = opevo_i_cli_flag(call, "only-recorded");
    const char *result = opevo_i_cli_option(call, "result");

    on = on ? on : opevo_i_cli_option(call, "on");
    if (only && (!on || !opevo_i_cli_is_recorded(on)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--only-recorded requires recorded:[FILE].");
    opevo_text_printf(text, "%s%s", only && *on == 'r' ? "only-" : "", on ? on : "");
    if (on && result && opevo_i_cli_is_recorded(on))
        opevo_text_printf(text, "#%s", result);
    *out = on ? opevo_text_string(text) : NULL;
    return opevo_text_check(text, err);
}

/* Spaces up to this many points are counted one by one, in less than a second. */
#define MOST_COUNTED ((opevo_index)1 << 22)

/* Say on stderr what share of the points has no row. An estimated number of points is not better
 * than to a hundredth of a percent. */
static opevo_status say_unrecorded(const opevo_objective *objective, opevo_error *err)
{
    const opevo_space *space = objective->space;
    const char *allowed = opevo_space_is_restricted(space) ? "allowed " : "";
    opevo_index rows = opevo_recorded_rows(objective);
    opevo_space_share share = {.exact = false};
    opevo_status status = opevo_space_count_allowed(space, MOST_COUNTED, 0, &share, err);
    double points = opevo_space_is_wide(space)
                        ? exp2(log2(share.share) + opevo_space_log2_size(space))
                        : share.share * (double)opevo_space_size(space);
    double missing = 1 - (double)rows / points;
    opevo_text text = {0};

    if (status != OPEVO_OK || !(missing > (share.exact ? 0 : 1e-4)))
        return status;
    opevo_text_printf(&text, "%s: ", objective->name);
    if (share.exact && share.allowed < OPEVO_INDEX_MAX) {
        opevo_i_cli_text_add_grouped(&text, share.allowed - rows);
        opevo_text_add(&text, " of ");
        opevo_i_cli_text_add_grouped(&text, share.allowed);
        opevo_text_printf(&text, " %spoints (%.2f %%)", allowed, 100 * missing);
    } else {
        opevo_text_printf(&text, "about %.2f %% of the %spoints%s", 100 * missing, allowed,
                          share.exact ? "" : " (estimated)");
    }
    fprintf(stderr,
            "%s have no row, and their trials are unrecorded; with --only-recorded the rows are "
            "the space\n",
            opevo_text_string(&text));
    opevo_text_free(&text);
    return OPEVO_OK;
}

opevo_status opevo_i_cli_recording_open(const char *path, const char *space, bool only,
                                        opevo_objective **out, opevo_error *err)
{
    opevo_objective *objective = NULL;
    opevo_status status = opevo_recorded_open(path, space, &objective, err);

    if (status != OPEVO_OK)
        return status;
    opevo_i_cli_recorded_programs(objective);
    status = only ? opevo_recorded_keep_rows(objective, err) : say_unrecorded(objective, err);
    if (status == OPEVO_OK)
        *out = objective;
    else
        opevo_objective_destroy(objective);
    return status;
}

void opevo_i_cli_judge_replay(const opevo_call *call, uint64_t trials, uint64_t unrecorded,
                              int *exit_code)
{
    if (trials == 0 || unrecorded < trials)
        return;
    fprintf(
        stderr,
        "opevo %s: No trial has a row in the recording, so the run has no result; take the rows "
        "as the space with --only-recorded (in a plan \"only-recorded\": true), or give a "
        "recording with more rows.\n",
        call->verb->name);
    *exit_code = OPEVO_EXIT_FAILED;
}

void opevo_i_cli_print_ignored(const opevo_objective *objective, opevo_text *out)
{
    size_t ignored = opevo_recorded_ignored(objective);

    if (ignored)
        opevo_text_printf(out, "%zu row%s of the recording %s outside the space and ignored\n",
                          ignored, ignored == 1 ? "" : "s", ignored == 1 ? "is" : "are");
}
