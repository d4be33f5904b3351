/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stores of a call as a study, and what of them is left out. */

#include "analyze_internal.h"
#include "options_internal.h"
#include "terminal_internal.h"

#include <opevo/memory.h>
#include <opevo/text.h>

#include <stdio.h>
#include <string.h>

void opevo_i_cli_stores_name(const opevo_call *call, opevo_text *out)
{
    size_t count = call->argument_count;

    opevo_text_add(out, call->arguments[0]);
    if (count == 2)
        opevo_text_printf(out, " and %s", call->arguments[1]);
    if (count > 2)
        opevo_text_printf(out, " and %zu more stores", count - 1);
}

static opevo_status fail_empty(const opevo_call *call, const opevo_stored_study *data,
                               opevo_error *err)
{
    opevo_text name = {0};
    bool one = call->argument_count == 1;
    const char *have = one ? "has" : "have", *whose = one ? "its" : "their";
    opevo_status status = OPEVO_INVALID;

    opevo_i_cli_stores_name(call, &name);
    if (opevo_i_cli_option(call, "landscape") || opevo_i_cli_option(call, "tuner") ||
        opevo_i_cli_option(call, "budget"))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s %s no run with trials that matches --landscape, --tuner and "
                            "--budget; opevo runs lists %s runs.",
                            opevo_text_string(&name), have, whose);
    else if (data->planned)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s %s no run with trials: a study has planned %llu run%s and started "
                            "none; run its command.",
                            opevo_text_string(&name), have, (unsigned long long)data->planned,
                            data->planned == 1 ? "" : "s");
    else
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "%s %s no run with trials; opevo runs lists %s runs.",
                       opevo_text_string(&name), have, whose);
    opevo_text_free(&name);
    return status;
}

static void note_unfinished(opevo_stored_study *data)
{
    if (data->planned)
        opevo_text_printf(&data->notes,
                          "the study is not finished: %llu planned run%s not started; repeat "
                          "the command of opevo study\n",
                          (unsigned long long)data->planned, data->planned == 1 ? " is" : "s are");
    if (data->empty)
        opevo_text_printf(&data->notes, "%zu run%s without a trial excluded\n", data->empty,
                          data->empty == 1 ? "" : "s");
}

/* Runs of different budgets are different contenders; the smallest one decides how far all are
 * compared. */
static void note_budgets(opevo_stored_study *data)
{
    for (size_t i = 1; i < data->contender_count; i++) {
        if (!strcmp(data->contenders[i].budget, data->contenders[0].budget))
            continue;
        opevo_text_add(&data->notes, "the runs have several budgets and are compared up to the "
                                     "smallest one; --budget, such as trials=500, selects one\n");
        return;
    }
}

static void draw(void *context, size_t done, size_t of)
{
    opevo_progress *progress = context;
    char line[64];

    if (!opevo_i_cli_progress_due(progress))
        return;
    snprintf(line, sizeof line, "run %zu of %zu", done, of);
    opevo_i_cli_progress_draw(progress, (double)done / (double)of, line);
}

opevo_status opevo_i_cli_study_read(const opevo_call *call, unsigned threads,
                                    opevo_stored_study *out, opevo_error *err)
{
    opevo_progress progress;
    opevo_stored_study_options options = {.stores = {call->arguments, call->argument_count},
                                          .threads = threads,
                                          .progress = draw,
                                          .progress_context = &progress};
    const char *const names[] = {"landscape", "tuner", "budget"};
    opevo_names *filters[] = {&options.landscapes, &options.tuners, &options.budgets};
    const char **lists[3] = {NULL};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < 3; i++) {
        OPEVO_TRY(opevo_i_cli_option_all(call, names[i], &lists[i], &filters[i]->count, err));
        filters[i]->names = lists[i];
    }
    opevo_i_cli_progress_start(&progress, opevo_i_cli_flag(call, "quiet"));
    status = opevo_stored_study_read(&options, out, err);
    opevo_i_cli_progress_end(&progress);
    if (status == OPEVO_OK && out->run_count == 0)
        status = fail_empty(call, out, err);
    OPEVO_TRY(status);
    note_unfinished(out);
    note_budgets(out);
cleanup:
    for (size_t i = 0; i < 3; i++)
        opevo_free(lists[i]);
    return status;
}
