/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The batch of a search on workers. It is a setting of the tuner, by default their number, and so a
 * part of what identifies the run: with other workers the same command is another search, and that
 * is said, as is what workers do first. */

#include "options_internal.h"
#include "tune_internal.h"
#include "tuner_of_call_internal.h"

#include <opevo/live.h>
#include <opevo/run.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void opevo_i_cli_print_batch(const opevo_call *call, const opevo_tuner_ops *tuner,
                             const opevo_setting_value *settings, opevo_text *out)
{
    const opevo_setting *row = opevo_settings_batch_row(tuner);

    if (row && row->batch == OPEVO_BATCH_OF_WORKERS && !opevo_i_cli_setting_of_call(call, row->key))
        opevo_text_printf(out, "%s=%.0f", row->key, settings[row - tuner->settings].number);
}

/* Whether the number of workers made the batch larger than the tuner's own. */
static bool is_widened(const opevo_run_options *run, const char *batch)
{
    const opevo_setting *row = opevo_settings_batch_row(run->tuner);

    return *batch && run->settings[row - run->tuner->settings].number > row->default_value;
}

opevo_status opevo_i_cli_tune_widen(const opevo_call *call, opevo_i_cli_tuning *self,
                                    opevo_error *err)
{
    const opevo_tuner_ops *tuner = self->run.tuner;
    size_t workers = opevo_live_worker_count(self->objective);
    opevo_status status = OPEVO_OK;

    if (!workers)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_cli_settings_of_call(call, tuner, NULL, workers, self->settings, err));
    opevo_text_clear(&self->settings_text);
    opevo_settings_print(tuner, self->settings, &self->settings_text);
    OPEVO_TRY(opevo_text_check(&self->settings_text, err));
    opevo_i_cli_print_batch(call, tuner, self->settings, &self->batch_text);
    OPEVO_TRY(opevo_text_check(&self->batch_text, err));
    self->widened = is_widened(&self->run, opevo_text_string(&self->batch_text));
cleanup:
    return status;
}

/* ---- The same search with another batch ----------------------------------------------------- */

/* The settings without the word KEY=VALUE; returns its value, or else the default. */
static double split(const char *settings, const opevo_setting *row, opevo_text *without)
{
    size_t length = strlen(row->key);
    double batch = row->default_value;

    while (*settings) {
        size_t word = strcspn(settings, " ");

        if (!strncmp(settings, row->key, length) && settings[length] == '=')
            batch = strtod(settings + length + 1, NULL);
        else
            opevo_text_printf(without, "%s%.*s", without->length ? " " : "", (int)word, settings);
        settings += word + (settings[word] == ' ');
    }
    return batch;
}

/* Runs of the store that are this search but for the batch. */
typedef struct other_batch {
    const opevo_objective *objective;
    const opevo_run_options *search;
    const opevo_setting *row;
    opevo_text without; /* the settings of this search without its batch */
    bool stored;        /* this search itself */
    int64_t run;        /* the last of the others; 0: none */
    double batch;       /* of that */
} other_batch;

/* Whether a text begins with the words of another. */
static bool begins_with(const char *text, const char *words)
{
    size_t length = strlen(words);

    return !strncmp(text, words, length) && (!text[length] || text[length] == ' ');
}

/* What stands behind the settings, such as earlier trials, is not compared. */
static void compare(void *context, const opevo_run_info *info)
{
    other_batch *self = context;
    const opevo_run_options *search = self->search;
    opevo_text without = {0};
    double batch = 0;

    if (info->seed != search->seed || strcmp(info->tuner, search->tuner->name) != 0 ||
        strcmp(info->objective, self->objective->name) != 0)
        return;
    batch = split(info->settings, self->row, &without);
    if (begins_with(opevo_text_string(&without), opevo_text_string(&self->without))) {
        if (batch == search->settings[self->row - search->tuner->settings].number) {
            self->stored = true;
        } else {
            self->run = info->run;
            self->batch = batch;
        }
    }
    opevo_text_free(&without);
}

static void tell_other(const opevo_objective *objective, const opevo_run_options *run,
                       const char *batch, opevo_text *out)
{
    other_batch found = {
        .objective = objective, .search = run, .row = opevo_settings_batch_row(run->tuner)};
    const char *path = opevo_store_path(run->store);
    opevo_text settings = {0};

    opevo_run_print_settings(objective, run, &settings);
    opevo_text_add(&settings, run->settings_more ? run->settings_more : "");
    split(opevo_text_string(&settings), found.row, &found.without);
    if (opevo_store_list(run->store, compare, &found, NULL) == OPEVO_OK && !found.stored &&
        found.run)
        opevo_text_printf(out,
                          "%s: run %lld is this search with %s=%.0f; with %s another one begins. "
                          "To continue that run, give --set %s=%.0f, or opevo resume %s:%lld.",
                          path, (long long)found.run, found.row->key, found.batch, batch,
                          found.row->key, found.batch, path, (long long)found.run);
    opevo_text_free(&settings);
    opevo_text_free(&found.without);
}

/* ---- Telling -------------------------------------------------------------------------------- */

static void tell(const char *verb, opevo_text *text)
{
    if (text->length)
        fprintf(stderr, "opevo %s: %s\n", verb, opevo_text_string(text));
    opevo_text_clear(text);
}

void opevo_i_cli_tell_batch(const char *verb, const opevo_objective *objective,
                            const opevo_run_options *run, const char *batch)
{
    size_t workers = opevo_live_worker_count(objective);
    opevo_text text = {0};

    if (is_widened(run, batch))
        opevo_text_printf(
            &text,
            "%s for %zu workers, which costs some progress per trial: see the page on "
            "tuners.",
            batch, workers);
    tell(verb, &text);
    if (*batch && run->store)
        tell_other(objective, run, batch, &text);
    tell(verb, &text);
    opevo_i_cli_print_idle(run->tuner, run->settings, workers, &text);
    tell(verb, &text);
    opevo_text_free(&text);
}

void opevo_i_cli_tell_reference(const char *verb, const char *task,
                                const opevo_objective *objective)
{
    double least_s = opevo_live_reference_least_s(objective);
    opevo_text text = {0};

    if (least_s >= 60)
        opevo_text_printf(
            &text,
            "%s%sthe first measurement waits for the reference result, which takes "
            "each worker about %.0f min of processor time or more, divided among its cores.",
            task, *task ? ": " : "", least_s / 60);
    tell(verb, &text);
    opevo_text_free(&text);
}
