/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Analyze: the statistics of the runs in a store. */

#include "analyze_internal.h"
#include "options_internal.h"

#include <opevo/parallel.h>
#include <opevo/text.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const opevo_option options[] = {
    {"at", "N,N,...", "checkpoints in trials; the comparison is at the last one", false},
    {"targets", "X,X,...", "fractions of the optimum (default .9,.95,.99,1)", false},
    {"objective", "NAME=WHERE", "where a landscape is: recorded:[FILE] or 'sim:DEVICE OPERATOR'",
     true},
    {"no-landscapes", NULL, "do not open landscapes: omit exact random search and scores", false},
    {"criteria", "NAME,NAME,...", "compare fronts of these by hypervolume, such as time,energy",
     false},
    {"landscape", "NAME", "only the runs on this one", true},
    {"tuner", "NAME", "only the runs of this tuner", true},
    {"budget", "BUDGET", "only runs with this budget, such as trials=500", true},
    {"confidence", "P", "confidence level of all intervals (default .95)", false},
    OPEVO_I_INTERVALS_OPTION,
    {"alpha", "P", "probability of any false verdict (default .05)", false},
    {"anytime", NULL, "verdicts that hold however the number of seeds was chosen", false},
    {"resamples", "N", "resamples of the bootstrap (default 2000)", false},
    {"seed", "N", "seed of the bootstrap (default 1)", false},
    {"threads", "N", "threads (default 0: all cores)", false},
    {"all", NULL, "print all tables: checkpoints, targets, areas, scores, all verdicts", false},
    {"csv", NULL, "print every number as one row of CSV", false},
    {"json", NULL, "print one JSON object, curves included", false},
    {"latex", NULL, "print a LaTeX table (package booktabs)", false},
    {"quiet", NULL, "no progress line", false},
};

/* The numbers of a list with commas between them, ascending and above 0; none at all where it is
 * not such a list. */
static size_t read_list(const char *text, bool whole, double most, double *values)
{
    size_t count = 0;

    for (const char *at = text; at; count++) {
        size_t length = strcspn(at, ",");
        char word[64] = "";
        uint64_t number = 0;
        bool good = false;

        if (count == OPEVO_I_MOST_LISTED || length >= sizeof word)
            return 0;
        memcpy(word, at, length);
        good = whole ? opevo_parse_u64(word, &number) : opevo_parse_double(word, &values[count]);
        if (whole)
            values[count] = (double)number;
        if (!good || values[count] > most || !(values[count] > (count ? values[count - 1] : 0)))
            return 0;
        at = at[length] ? at + length + 1 : NULL;
    }
    return count;
}

static opevo_status read_checkpoints(const opevo_call *call, opevo_i_cli_analyze_settings *self,
                                     opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "at");
    double values[OPEVO_I_MOST_LISTED];

    if (!text)
        return OPEVO_OK;
    self->options.checkpoints = self->checkpoints;
    self->options.checkpoint_count = read_list(text, true, 1e15, values);
    self->options.compare_at_horizon = false;
    for (size_t i = 0; i < self->options.checkpoint_count; i++)
        self->checkpoints[i] = (uint64_t)values[i];
    if (self->options.checkpoint_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--at %.200s: give up to %d ascending numbers of trials with commas "
                          "between them, such as 50,100.",
                          text, OPEVO_I_MOST_LISTED);
    return OPEVO_OK;
}

static opevo_status read_targets(const opevo_call *call, opevo_i_cli_analyze_settings *self,
                                 opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "targets");

    if (!text)
        return OPEVO_OK;
    self->options.targets = self->targets;
    self->options.target_count = read_list(text, false, 1, self->targets);
    if (self->options.target_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--targets %.200s: give up to %d ascending fractions of the optimum, "
                          "above 0 and at most 1, with commas between them, such as .9,.95.",
                          text, OPEVO_I_MOST_LISTED);
    return OPEVO_OK;
}

static opevo_status read_share(const opevo_call *call, const char *name, double *out,
                               opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, name);
    double value = *out;

    if (text && (!opevo_parse_double(text, &value) || !(value > 0 && value < 1)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--%s %.200s: give a number between 0 and 1.", name,
                          text);
    *out = value;
    return OPEVO_OK;
}

static opevo_status read_intervals(const opevo_call *call, opevo_analysis_options *out,
                                   opevo_error *err)
{
    const char *kind = opevo_i_cli_option(call, "intervals");

    out->exact_intervals = kind && !strcmp(kind, "exact");
    if (kind && !out->exact_intervals && strcmp(kind, "approximate") != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--intervals %.200s: give approximate or exact.",
                          kind);
    return OPEVO_OK;
}

static opevo_status read_settings(const opevo_call *call, opevo_i_cli_analyze_settings *self,
                                  opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t threads = 0, resamples = 0;

    self->options = opevo_analysis_options_default();
    OPEVO_TRY(read_checkpoints(call, self, err));
    OPEVO_TRY(read_targets(call, self, err));
    OPEVO_TRY(read_share(call, "confidence", &self->options.confidence, err));
    OPEVO_TRY(read_intervals(call, &self->options, err));
    OPEVO_TRY(read_share(call, "alpha", &self->options.alpha, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "resamples", self->options.resamples, 100, 1000000,
                                       &resamples, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", self->options.seed, 0, UINT64_MAX,
                                       &self->options.seed, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 0, 0, 1024, &threads, err));
    self->options.resamples = (size_t)resamples;
    self->options.threads = threads ? (unsigned)threads : opevo_processor_count();
cleanup:
    return status;
}

/* Leave out the scores against the community's baseline of one landscape. */
static void leave_out(opevo_study_analysis *analysis, size_t landscape, bool by_time)
{
    size_t count = analysis->study.contender_count;

    for (size_t i = 0; i < count; i++) {
        opevo_study_cell *cell = &analysis->cells[landscape * count + i];
        opevo_study_score *score = by_time ? &cell->by_time : &cell->by_trials;

        score->community = NAN;
        score->community_interval = (opevo_interval){NAN, NAN};
    }
}

/* Leave scores out where their baseline is degenerate, and say why where scores are shown. */
static void leave_out_degenerate(opevo_i_cli_analysis_work *work, bool tells)
{
    for (size_t i = 0; i < work->analysis->study.landscape_count; i++) {
        const opevo_study_place *place = &work->analysis->places[i];
        double scores[2] = {place->community_random_by_trials, place->community_random_by_time};

        for (int k = 0; k < 2; k++) {
            if (!opevo_community_is_degenerate(scores[k]))
                continue;
            leave_out(work->analysis, i, k);
            if (!tells)
                continue;
            opevo_text_printf(
                &work->data.notes,
                "%s: no scores over %s against the community's baseline, which is not "
                "random search here: that scores %.3g against it, not 0\n",
                work->analysis->study.landscapes[i].name, k ? "seconds" : "trials", scores[k]);
        }
    }
}

static opevo_status compute_fronts(const char *names, opevo_stored_study *data, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_stored_study_fronts(names, data, &inner);

    if (status == OPEVO_MISMATCH)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "--criteria %.200s: %s", names, inner.message);
    else if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "%s", inner.message);
    return status;
}

/* On demand, and of a store whose seeds were added until its pairs were resolved. */
static opevo_status choose_anytime(const opevo_call *call, opevo_i_cli_analysis_work *work,
                                   opevo_error *err)
{
    bool *anytime = &work->settings.options.anytime;
    bool asked = strcmp(call->verb->name, "analyze") == 0 && opevo_i_cli_flag(call, "anytime");
    bool looked = false;

    *anytime = asked;
    for (size_t i = 0; i < work->data.store_count; i++) {
        opevo_status status = opevo_store_is_looked(work->data.stores[i], &looked, err);

        if (status != OPEVO_OK)
            return status;
        *anytime = *anytime || looked;
    }
    if (*anytime)
        opevo_text_add(&work->data.notes,
                       asked ? "verdicts and intervals of differences hold for any choice of the "
                               "number of seeds (--anytime)\n"
                             : "seeds were added until pairs were resolved (opevo study --until): "
                               "verdicts and intervals of differences hold all the same\n");
    return OPEVO_OK;
}

/* Options that decide what is compared with what, and when. */
static opevo_status note_choices(const opevo_call *call, opevo_stored_study *data, opevo_error *err)
{
    static const char *const names[] = {"at", "alpha", "budget", "criteria", "landscape", "tuner"};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < call->given_count; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names && status == OPEVO_OK; k++) {
            if (!strcmp(call->given[i].option->name, names[k]))
                status = opevo_stored_study_choose(data, names[k], call->given[i].value, err);
        }
    }
    return status;
}

opevo_status opevo_i_cli_analysis_make(const opevo_call *call, opevo_i_cli_analysis_work *work,
                                       opevo_error *err)
{
    const opevo_analysis_options *study_options = &work->settings.options;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(read_settings(call, &work->settings, err));
    OPEVO_TRY(opevo_i_cli_study_read(call, study_options->threads, &work->data, err));
    if (!opevo_i_cli_option(call, "criteria"))
        OPEVO_TRY(
            opevo_i_cli_study_open_landscapes(call, study_options->threads, &work->data, err));
    OPEVO_TRY(opevo_stored_study_name_contenders(&work->data, err));
    if (opevo_i_cli_option(call, "criteria"))
        OPEVO_TRY(compute_fronts(opevo_i_cli_option(call, "criteria"), &work->data, err));
    OPEVO_TRY(opevo_stored_study_assemble(&work->data, err));
    OPEVO_TRY(choose_anytime(call, work, err));
    OPEVO_TRY(opevo_study_analyse(&work->data.study, study_options, &work->analysis, err));
    OPEVO_TRY(note_choices(call, &work->data, err));
    leave_out_degenerate(work, opevo_i_cli_flag(call, "all") || opevo_i_cli_flag(call, "json") ||
                                   strcmp(call->verb->name, "analyze") != 0);
cleanup:
    return status;
}

void opevo_i_cli_analysis_free(opevo_i_cli_analysis_work *work)
{
    opevo_study_analysis_destroy(work->analysis);
    opevo_stored_study_free(&work->data);
}

static opevo_status check_forms(const opevo_call *call, opevo_error *err)
{
    int forms = opevo_i_cli_flag(call, "csv") + opevo_i_cli_flag(call, "json") +
                opevo_i_cli_flag(call, "latex");

    if (forms > 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Give one of --csv, --json and --latex.");
    if (forms && opevo_i_cli_flag(call, "all"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--all is for tables: omit it with --csv, --json and --latex.");
    return OPEVO_OK;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_i_cli_analysis_work work = {.analysis = NULL};
    opevo_text name = {0};
    opevo_status status = check_forms(call, err);

    (void)exit_code;
    if (status != OPEVO_OK)
        return status;
    opevo_i_cli_stores_name(call, &name);
    OPEVO_TRY(opevo_i_cli_analysis_make(call, &work, err));
    if (opevo_i_cli_flag(call, "csv") ||
        opevo_i_cli_flag(call, "latex")) /* these have no place for notes */
        fputs(opevo_text_string(&work.data.notes), stderr);
    if (opevo_i_cli_flag(call, "csv"))
        opevo_i_cli_analysis_print_csv(&work.data, work.analysis, out);
    else if (opevo_i_cli_flag(call, "json"))
        opevo_i_cli_analysis_print_json(&work.data, work.analysis, out);
    else if (opevo_i_cli_flag(call, "latex"))
        opevo_i_cli_analysis_print_latex(&work.data, work.analysis, out);
    else
        OPEVO_TRY(opevo_i_cli_analysis_print_text(opevo_text_string(&name), &work.data,
                                                  work.analysis, opevo_i_cli_flag(call, "all"), out,
                                                  err));
cleanup:
    opevo_i_cli_analysis_free(&work);
    opevo_text_free(&name);
    return status;
}

const opevo_verb opevo_i_cli_verb_analyze = {
    .name = "analyze",
    .arguments = "STORE [STORE...]",
    .arguments_min = 1,
    .arguments_max = OPEVO_STORED_STUDY_MOST,
    .summary = "Compare the tuners in one store or several.",
    .details = "  opevo tune mm1 --on sim:gtx1080ti --tuner random --runs 20 --store runs.db\n"
               "  opevo tune mm1 --on sim:gtx1080ti --tuner opevo --runs 20 --store runs.db\n"
               "  opevo analyze runs.db\n"
               "  opevo analyze runs.db --all\n"
               "  opevo analyze shard-*.db\n\n"
               "Several stores count as one; a run that more than one of them has counts once.\n"
               "Runs with the same seed are paired. docs/analysis.md gives every formula.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_manifest = true,
    .run = run,
};
