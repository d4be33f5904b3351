/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Resume: run again what a store says of one of its runs, into the same store. */

#include "call_file_internal.h"
#include "options_internal.h"
#include "store_of_call_internal.h"

#include <opevo/memory.h>
#include <opevo/store.h>

#include <stdlib.h>
#include <string.h>

static const opevo_option options[] = {
    {"trials", "N", "stop after N trials, those of the run counted", false},
    {"seconds", "S", "stop when the trials have cost S seconds", false},
    {"target", "X", "stop at this result, or at X% of the known optimum", false},
    {"finals", "K", "re-evaluate the best K side by side", false},
    {"rounds", "N", "finals: rounds of the re-evaluation", false},
    {"no-null", NULL, "finals: do not measure the first kernel twice (A/A)", false},
    {"print", NULL, "print the specification of the run, for opevo tune FILE.json, and stop",
     false},
    {"curve", NULL, "draw the best fitness over the trials of the run", false},
    {"json", NULL, "print one JSON object", false},
    {"quiet", NULL, "no progress line", false},
};

static void note_study(void *context, const opevo_run_info *info)
{
    bool *of_study = context;

    *of_study = *info->budget != '\0';
}

static opevo_status read_call(const char *path, int64_t run, opevo_text *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_store *store = NULL;
    bool of_study = false;

    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &store, err));
    OPEVO_TRY(opevo_store_visit(store, run, note_study, &of_study, err));
    OPEVO_TRY(opevo_store_call(store, run, out, err));
    if (!out->length)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: run %lld %s, and its options are not stored; repeat the command "
                            "that made it, which continues it.",
                            path, (long long)run,
                            of_study ? "is one of a study" : "is not one of opevo tune");
cleanup:
    opevo_store_close(store);
    return status;
}

static opevo_status resume(const opevo_call *call, const char *path, int64_t number,
                           opevo_text *out, int *exit_code, opevo_error *err)
{
    char *full = realpath(path, NULL);
    opevo_i_cli_call_file file = {.root = NULL};
    opevo_text text = {0}, origin = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&origin, "%s, options of run %lld", path, (long long)number);
    OPEVO_TRY(opevo_text_check(&origin, err));
    OPEVO_TRY(read_call(path, number, &text, err));
    OPEVO_TRY(opevo_i_cli_call_file_parse(opevo_text_string(&text), text.length, origin.data,
                                          &opevo_i_cli_verb_tune, &file, err));
    OPEVO_TRY(opevo_i_cli_call_file_lay_over(&file, call, err));
    OPEVO_TRY(opevo_i_cli_call_file_enter(&file, origin.data, err));
    if (opevo_i_cli_flag(call, "print")) {
        opevo_i_cli_call_print(&file.call, opevo_i_cli_option(&file.call, "seed"), out);
        opevo_text_add(out, "\n");
    } else if (!full || !opevo_i_cli_call_file_add(&file, "store", full)) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to resume a run.");
    } else {
        status = opevo_i_cli_verb_tune.run(&file.call, out, exit_code, err);
    }
cleanup:
    opevo_i_cli_call_file_free(&file);
    opevo_text_free(&text);
    opevo_text_free(&origin);
    free(full);
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    int64_t number = 0;
    char *path = NULL;
    opevo_status status = opevo_i_cli_run_split(call->arguments[0], &path, &number, err);

    if (status == OPEVO_OK)
        status = resume(call, path, number, out, exit_code, err);
    opevo_free(path);
    return status;
}

const opevo_verb opevo_i_cli_verb_resume = {
    .name = "resume",
    .arguments = "STORE:RUN",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Continue a run of opevo tune from its store alone.",
    .details = "  opevo resume runs.db:1\n"
               "  opevo resume runs.db:1 --trials 1000\n"
               "  opevo resume runs.db:1 --print >run.json && opevo tune run.json --seed 2\n\n"
               "The run has the options that it was begun with, in the folder where it was begun;\n"
               "options given here take the place of those. A program (cmd:) is run as the store\n"
               "says: look at it with --print where the store comes from somebody else.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
