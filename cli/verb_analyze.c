/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Analyze: the statistics of the runs in a store. */

#include "analyze_internal.h"

#include <opevo/parallel.h>

#include <string.h>

static const opevo_option options[] = {
    {"at", "N,N,...", "trials to look at, the comparison at the last of them", false},
    {"targets", "X,X,...", "fractions of the optimum (default .9,.95,.99,1)", false},
    {"objective", "NAME=WHERE", "where a landscape of the store is: recorded:FILE", true},
    {"no-landscapes", NULL, "open none: no exact random search, no scores", false},
    {"landscape", "NAME", "only the runs on this one", true},
    {"tuner", "NAME", "only the runs of this tuner", true},
    {"budget", "BUDGET", "only the runs of this one, such as trials=500", true},
    {"confidence", "P", "of all intervals (default .95)", false},
    {"alpha", "P", "chance of any false verdict (default .05)", false},
    {"resamples", "N", "of the bootstrap (default 2000)", false},
    {"seed", "N", "seed of the bootstrap (default 1)", false},
    {"threads", "N", "threads (default 0: all processors)", false},
    {"csv", NULL, "print every number as one row of CSV", false},
    {"json", NULL, "print one JSON object, curves included", false},
    {"latex", NULL, "print a LaTeX table (package booktabs)", false},
    {"quiet", NULL, "no progress line", false},
};

typedef struct plan {
    opevo_i_analyze_settings settings;
    opevo_i_study_data data;
    opevo_study_analysis *analysis;
} plan;

/* The next word of a list with commas, without the comma; false at the end. */
static bool next_word(const char **at, char *word, size_t size)
{
    size_t length = strcspn(*at, ",");

    if (!**at)
        return false;
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), *at);
    *at += length + ((*at)[length] == ',');
    return true;
}

static opevo_status read_checkpoints(const opevo_call *call, opevo_i_analyze_settings *self,
                                     opevo_error *err)
{
    const char *text = opevo_i_option(call, "at"), *at = text;
    size_t count = 0;
    bool good = true;
    char word[64];

    if (!text)
        return OPEVO_OK;
    while (good && count < OPEVO_I_MOST_LISTED && next_word(&at, word, sizeof word)) {
        uint64_t value = 0;

        good = opevo_parse_u64(word, &value) && value > (count ? self->checkpoints[count - 1] : 0);
        self->checkpoints[count] = value;
        count += good;
    }
    if (!good || *at || count == 0 || text[strlen(text) - 1] == ',')
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--at %.200s: give up to %d ascending numbers of trials with commas "
                          "between them, such as 50,100.",
                          text, OPEVO_I_MOST_LISTED);
    self->options.checkpoints = self->checkpoints;
    self->options.checkpoint_count = count;
    self->options.compare_at_horizon = false;
    return OPEVO_OK;
}

static opevo_status read_targets(const opevo_call *call, opevo_i_analyze_settings *self,
                                 opevo_error *err)
{
    const char *text = opevo_i_option(call, "targets"), *at = text;
    size_t count = 0;
    bool good = true;
    char word[64];

    if (!text)
        return OPEVO_OK;
    while (good && count < OPEVO_I_MOST_LISTED && next_word(&at, word, sizeof word)) {
        double value = 0;

        good = opevo_parse_double(word, &value) && value <= 1 &&
               value > (count ? self->targets[count - 1] : 0);
        self->targets[count] = value;
        count += good;
    }
    if (!good || *at || count == 0 || text[strlen(text) - 1] == ',')
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--targets %.200s: give up to %d ascending fractions of the optimum, "
                          "above 0 and at most 1, with commas between them, such as .9,.95.",
                          text, OPEVO_I_MOST_LISTED);
    self->options.targets = self->targets;
    self->options.target_count = count;
    return OPEVO_OK;
}

static opevo_status read_share(const opevo_call *call, const char *name, double *out,
                               opevo_error *err)
{
    const char *text = opevo_i_option(call, name);
    double value = *out;

    if (text && (!opevo_parse_double(text, &value) || !(value > 0 && value < 1)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--%s %.200s: give a number between 0 and 1.", name,
                          text);
    *out = value;
    return OPEVO_OK;
}

opevo_status opevo_i_analyze_settings_read(const opevo_call *call, opevo_i_analyze_settings *self,
                                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t threads = 0, resamples = 0;

    self->options = opevo_study_options_default();
    OPEVO_TRY(read_checkpoints(call, self, err));
    OPEVO_TRY(read_targets(call, self, err));
    OPEVO_TRY(read_share(call, "confidence", &self->options.confidence, err));
    OPEVO_TRY(read_share(call, "alpha", &self->options.alpha, err));
    OPEVO_TRY(opevo_i_option_count(call, "resamples", self->options.resamples, 100, 1000000,
                                   &resamples, err));
    OPEVO_TRY(opevo_i_option_count(call, "seed", self->options.seed, 0, UINT64_MAX,
                                   &self->options.seed, err));
    OPEVO_TRY(opevo_i_option_count(call, "threads", 0, 0, 1024, &threads, err));
    self->options.resamples = (size_t)resamples;
    self->options.threads = threads ? (unsigned)threads : opevo_processor_count();
cleanup:
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    plan self = {.analysis = NULL};
    const opevo_study_options *study_options = &self.settings.options;
    opevo_status status = OPEVO_OK;

    (void)exit_code;
    if (opevo_i_flag(call, "csv") + opevo_i_flag(call, "json") + opevo_i_flag(call, "latex") > 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Give one of --csv, --json and --latex.");
    OPEVO_TRY(opevo_i_analyze_settings_read(call, &self.settings, err));
    OPEVO_TRY(
        opevo_i_study_read(call->arguments[0], call, study_options->threads, &self.data, err));
    OPEVO_TRY(opevo_i_study_open_landscapes(call, study_options->threads, &self.data, err));
    OPEVO_TRY(opevo_i_study_assemble(&self.data, err));
    OPEVO_TRY(opevo_study_analyse(&self.data.study, study_options, &self.analysis, err));
    if (opevo_i_flag(call, "csv"))
        opevo_i_analysis_print_csv(self.analysis, out);
    else if (opevo_i_flag(call, "json"))
        opevo_i_analysis_print_json(&self.data, self.analysis, out);
    else if (opevo_i_flag(call, "latex"))
        opevo_i_analysis_print_latex(self.analysis, out);
    else
        OPEVO_TRY(
            opevo_i_analysis_print_text(call->arguments[0], &self.data, self.analysis, out, err));
cleanup:
    opevo_study_analysis_destroy(self.analysis);
    opevo_i_study_data_free(&self.data);
    return status;
}

const opevo_verb opevo_i_verb_analyze = {
    .name = "analyze",
    .arguments = "STORE",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Compare the tuners whose runs are in a store, with all the statistics.",
    .details = "  opevo tune mm1 --on sim:gtx1080ti --tuner random --runs 20 --store runs.db\n"
               "  opevo tune mm1 --on sim:gtx1080ti --tuner opevo --runs 20 --store runs.db\n"
               "  opevo analyze runs.db\n\n"
               "Runs of the same seed are pairs. docs/analysis.md gives every formula.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
