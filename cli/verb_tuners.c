/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tuners that exist, with their settings, defaults and bounds, from their own tables. */

#include "options_internal.h"
#include "style_internal.h"
#include "tuner_json_internal.h"

#include <opevo/json.h>
#include <opevo/tuners.h>

static const opevo_option options[] = {
    {"json", NULL, "print one JSON array", false},
};

static void print_setting(const opevo_setting *setting, opevo_text *out)
{
    opevo_text domain = {0};

    if (setting->kind == OPEVO_SETTING_CHOICE)
        opevo_text_printf(&domain, "one of: %s (the first is the default)", setting->choices);
    else
        opevo_text_printf(&domain, "default %g, in [%g, %g%s", setting->default_value, setting->min,
                          setting->max, setting->below_max ? ")" : "]");
    opevo_text_printf(out, "    %-12s %s; %s\n", setting->key, setting->summary,
                      opevo_text_string(&domain));
    opevo_text_free(&domain);
}

static void print_workers(const opevo_tuner_ops *tuner, opevo_text *out)
{
    const opevo_setting *row = opevo_settings_batch_row(tuner);
    bool at_most = false;
    size_t batch = opevo_settings_batch(tuner, NULL, &at_most);

    if (row && row->batch == OPEVO_BATCH_OF_WORKERS)
        opevo_text_printf(out, "    with several workers, %s is at least their number by default\n",
                          row->key);
    else if (batch == SIZE_MAX)
        opevo_text_add(out, "    keeps any number of workers busy\n");
    else
        opevo_text_printf(out, "    keeps %s%zu worker%s busy%s%s\n", at_most ? "at most " : "",
                          batch, opevo_i_cli_plural(batch), row ? ": setting " : "",
                          row ? row->key : "");
}

static void print_tuner(const opevo_tuner_ops *tuner, opevo_text *out)
{
    opevo_text_printf(out, "%s: %s\n    source: %s\n", tuner->name, tuner->summary, tuner->source);
    if (tuner->learn)
        opevo_text_add(out, "    learns from earlier runs: opevo tune ... --learn STORE:RUN\n");
    if (tuner->works_on_branches)
        opevo_text_add(out, "    works on spaces with branches\n");
    if (tuner->create_on)
        opevo_text_add(out, "    needs no search space: works on candidates of any domain\n");
    print_workers(tuner, out);
    for (size_t j = 0; j < tuner->setting_count; j++)
        print_setting(&tuner->settings[j], out);
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const opevo_tuner_ops *only = NULL;
    bool json = opevo_i_cli_flag(call, "json");

    (void)exit_code;
    if (call->argument_count)
        OPEVO_TRY(opevo_tuner_find(call->arguments[0], &only, err));
    opevo_text_add(out, json ? "[" : "");
    for (size_t i = 0; i < opevo_tuner_count(); i++) {
        const opevo_tuner_ops *tuner = opevo_tuner_get(i);

        if (only && tuner != only)
            continue;
        if (json) {
            opevo_json_next(out, "\n  ");
            opevo_i_cli_tuner_json(tuner, out);
        } else {
            opevo_text_add(out, out->length ? "\n" : "");
            print_tuner(tuner, out);
        }
    }
    opevo_text_add(out, json ? "\n]\n" : "");
cleanup:
    return status;
}

const opevo_verb opevo_i_cli_verb_tuners = {
    .name = "tuners",
    .arguments = "[TUNER]",
    .arguments_max = 1,
    .summary = "List the tuners with sources and settings.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
