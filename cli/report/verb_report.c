/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Report: one page with the charts of stores or of a landscape. */

#include "manifest_of_call_internal.h"
#include "options_internal.h"
#include "output_file_internal.h"
#include "recording_spec_internal.h"
#include "report_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/store.h>

#include <errno.h>
#include <string.h>

static const opevo_option options[] = {
    {"-o", "FILE", "output file (default report.html)", false},
    {"at", "N,N,...", "stores: checkpoints in trials; the comparison is at the last one", false},
    {"targets", "X,X,...", "stores: fractions of the optimum (default .9,.95,.99,1)", false},
    {"objective", "NAME=WHERE",
     "stores: where a landscape is: recorded:[FILE] or 'sim:DEVICE OPERATOR'", true},
    {"no-landscapes", NULL, "stores: do not open landscapes: omit exact random search and scores",
     false},
    {"landscape", "NAME", "stores: only the runs on this one", true},
    {"tuner", "NAME", "stores: only the runs of this tuner", true},
    {"criteria", "NAME,NAME,...", "stores: compare fronts of these by hypervolume", false},
    {"edits", "FILE", "stores: show the edits of FILE, from opevo edits explain --json", true},
    {"confidence", "P", "stores: confidence level of all intervals (default .95)", false},
    OPEVO_I_INTERVALS_OPTION,
    {"alpha", "P", "stores: probability of any false verdict (default .05)", false},
    {"resamples", "N", "stores: resamples of the bootstrap (default 2000)", false},
    {"on", "OBJECTIVE", "landscapes: sim:DEVICE for an operator, or recorded:[FILE]", false},
    {"space", "FILE", "landscapes: space file that replaces the recording's space", false},
    {"only-recorded", NULL, "landscapes: the rows of a recording are the whole space", false},
    {"topologies", "WHICH", "landscapes: all (default up to 100,000 points), current, or names",
     false},
    {"nodes", "SET", "landscapes: ok, allowed (default: failures with fitness 0) or all", false},
    {"target", "X", "landscapes: a fitness, or X% of the optimum (default 95%)", false},
    {"population", "N|FILE", "landscapes: random trials, or those of FILE (default 50)", false},
    {"lambda", "N", "landscapes: parents of a generation (default 8)", false},
    {"rho", "N", "landscapes: children of a generation (default 8)", false},
    {"q", "Q,...", "landscapes: probabilities of one more step (default 0.05,0.1,...)", false},
    {"duplicates", "RULE", "landscapes: rule for duplicates: continue (default) or redraw", false},
    {"seed", "N", "seed of the bootstrap, or of the random trials (default 1)", false},
    {"threads", "N", "threads (default 0: all cores)", false},
    {"quiet", NULL, "no progress line", false},
};

/* Whether the option is for reports of the other kind; its summary says so. */
static bool is_foreign(const opevo_option *option, bool landscape)
{
    const char *other = landscape ? "stores:" : "landscapes:";

    return !strncmp(option->summary, other, strlen(other));
}

static opevo_status check_options(const opevo_call *call, bool landscape, opevo_error *err)
{
    for (size_t i = 0; i < call->given_count; i++) {
        if (is_foreign(call->given[i].option, landscape))
            return OPEVO_FAIL(err, OPEVO_INVALID, "--%s is for the report of a %s.",
                              call->given[i].option->name, landscape ? "store" : "landscape");
    }
    if (!landscape && call->argument_count == 0)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "Nothing to report on: give a run store, recorded:[FILE], or an operator with --on.");
    return OPEVO_OK;
}

/* One run has neither contenders nor a landscape. */
static opevo_status check_options_of_run(const opevo_call *call, opevo_error *err)
{
    for (size_t i = 0; i < call->given_count; i++) {
        const char *name = call->given[i].option->name;

        if (strcmp(name, "-o") != 0 && strcmp(name, "quiet") != 0)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--%s is not for the report of one run, which takes -o only.", name);
    }
    return OPEVO_OK;
}

/* Only stores can be several. */
static opevo_status check_several(const opevo_call *call, bool landscape, opevo_error *err)
{
    if (call->argument_count < 2)
        return OPEVO_OK;
    if (landscape)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A report is of one landscape: omit %.200s.",
                          call->arguments[1]);
    for (size_t i = 0; i < call->argument_count; i++) {
        int64_t number = 0;

        opevo_free(opevo_store_split(call->arguments[i], &number));
        if (number)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "A report of one run has no other store beside it: give %.200s alone, "
                "or stores without run numbers.",
                call->arguments[i]);
        if (opevo_i_cli_is_recorded(call->arguments[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "A report is of stores or of one landscape: give %.200s alone.",
                              call->arguments[i]);
    }
    return OPEVO_OK;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *path =
        opevo_i_cli_flag(call, "-o") ? opevo_i_cli_option(call, "-o") : "report.html";
    const char *what = call->argument_count ? call->arguments[0] : opevo_i_cli_option(call, "on");
    bool landscape = opevo_i_cli_flag(call, "on") || (what && opevo_i_cli_is_recorded(what));
    opevo_status status = OPEVO_OK;
    opevo_text json = {0}, page = {0}, name = {0}, title = {0};
    int64_t number = 0;
    char *store = !landscape && what ? opevo_store_split(what, &number) : NULL;

    (void)exit_code;
    OPEVO_TRY(check_options(call, landscape, err));
    OPEVO_TRY(check_several(call, landscape, err));
    if (call->argument_count)
        opevo_i_cli_stores_name(call, &name);
    else
        opevo_text_add(&name, what);
    if (number)
        OPEVO_TRY(check_options_of_run(call, err));
    OPEVO_TRY(opevo_i_cli_check_output("-o", path, " - opevo report</title>", err));
    if (landscape)
        OPEVO_TRY(opevo_i_cli_report_landscape(call, &json, err));
    else if (store && number)
        OPEVO_TRY(opevo_i_cli_report_run(call, store, number, &json, err));
    else
        OPEVO_TRY(opevo_i_cli_report_study(call, opevo_text_string(&name), &json, err));
    OPEVO_TRY(opevo_text_check(&json, err));
    OPEVO_TRY(opevo_i_cli_manifest_add(&json, err));
    opevo_text_printf(&title, "%s - opevo report", opevo_text_string(&name));
    OPEVO_TRY(opevo_text_check(&title, err));
    OPEVO_TRY(opevo_i_cli_report_page_fill(opevo_text_string(&title), &json, false, &page, err));
    OPEVO_TRY(opevo_file_write(path, page.data, page.length, err));
    opevo_text_printf(out, "%s: %.1f MB; open it in a browser.\n", path, (double)page.length / 1e6);
cleanup:
    opevo_free(store);
    opevo_text_free(&json);
    opevo_text_free(&page);
    opevo_text_free(&name);
    opevo_text_free(&title);
    return status;
}

const opevo_verb opevo_i_cli_verb_report = {
    .name = "report",
    .arguments = "STORE [STORE...]|STORE:RUN|LANDSCAPE",
    .arguments_max = OPEVO_STORED_STUDY_MOST,
    .summary = "Write one page with the charts of stores of runs, of one run, or of a landscape.",
    .details = "The page is self-contained and works offline.\n"
               "docs/report.md describes it.\n\n"
               "  opevo report runs.db -o report.html\n"
               "  opevo report shard-*.db -o report.html\n"
               "  opevo report runs.db:1 -o run.html\n"
               "  opevo report recorded:conv_a100.csv.xz -o conv.html\n"
               "  opevo report mm1 --on sim:gtx1080ti -o mm1.html",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
