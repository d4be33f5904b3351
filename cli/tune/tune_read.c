/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a call says of the tuning of one objective. */

#include "call_file_internal.h"
#include "earlier_of_call_internal.h"
#include "emitted_files_internal.h"
#include "finals_of_call_internal.h"
#include "objective_spec_internal.h"
#include "options_internal.h"
#include "recording_spec_internal.h"
#include "shipped_model_internal.h"
#include "starts_of_call_internal.h"
#include "store_of_call_internal.h"
#include "tune_internal.h"
#include "tuner_of_call_internal.h"

#include <opevo/finals.h>
#include <opevo/live_starts.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/run_curve.h>
#include <opevo/unit.h>

#include <stdio.h>
#include <string.h>

static opevo_status read_settings(const opevo_call *call, opevo_i_cli_tuning *self,
                                  opevo_error *err)
{
    opevo_status status =
        opevo_i_cli_tuner_of_call(call, "opevo", NULL, &self->run.tuner, &self->settings, err);

    if (status != OPEVO_OK)
        return status;
    self->run.settings = self->settings;
    opevo_settings_print(self->run.tuner, self->settings, &self->settings_text);
    return opevo_text_check(&self->settings_text, err);
}

opevo_status opevo_i_cli_tune_parse_target(const opevo_call *call, double *value, bool *share,
                                           opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "target");
    size_t length = text ? strlen(text) : 0;
    char number[64];

    *value = 0;
    *share = length && text[length - 1] == '%';
    if (!text)
        return OPEVO_OK;
    snprintf(number, sizeof number, "%.*s", (int)(*share ? length - 1 : length), text);
    if (length >= sizeof number || !opevo_parse_double(number, value) || !(*value > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--target %s: give a number above 0, or such as 95%%.", text);
    if (*share && *value > 100)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--target %s: give at most 100%%.", text);
    return OPEVO_OK;
}

/* A result, or a share of the optimum. */
static opevo_status read_target(const opevo_call *call, opevo_i_cli_tuning *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool share = false;
    double value = 0;

    OPEVO_TRY(opevo_i_cli_tune_parse_target(call, &value, &share, err));
    if (share && !self->optimum.known)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--target %s: the optimum of %s is unknown; give a number.",
                          opevo_i_cli_option(call, "target"), self->objective->name);
    if (share)
        self->run.budget.target = opevo_fitness_share(value / 100, self->optimum.fitness);
    else if (value > 0)
        self->run.budget.target = opevo_unit_fitness(self->objective->unit, value);
cleanup:
    return status;
}

static opevo_status read_budget(const opevo_call *call, opevo_i_cli_tuning *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool limited = opevo_i_cli_flag(call, "trials") || opevo_i_cli_flag(call, "seconds") ||
                   opevo_i_cli_flag(call, "target");

    OPEVO_TRY(opevo_i_cli_option_count(call, "trials", limited ? 0 : 500, 1, UINT64_MAX,
                                       &self->run.budget.trials, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "seconds", &self->run.budget.seconds, err));
    OPEVO_TRY(read_target(call, self, err));
cleanup:
    return status;
}

/* What the tuner refuses of the objective and of earlier runs, before a store or a folder is made.
 * One earlier tree says as much of the settings as all. */
static opevo_status check_tuner(const opevo_i_cli_tuning *self, opevo_error *err)
{
    const opevo_run_options *run = &self->run;
    opevo_objective *objective = self->objective;
    opevo_tuner *tuner = NULL;
    opevo_status status = objective->space
                              ? opevo_tuner_create(run->tuner, objective->space, run->settings,
                                                   run->seed, &tuner, err)
                              : opevo_tuner_create_on(run->tuner, objective->domain, run->settings,
                                                      run->seed, &tuner, err);

    OPEVO_TRY(status);
    OPEVO_TRY(opevo_tuner_use_features(tuner, objective->features, err));
    OPEVO_TRY(opevo_tuner_use_trees(tuner, objective->trees, err));
    if (run->earlier_tree_count > 0)
        OPEVO_TRY(opevo_tuner_learn_trees(tuner, run->earlier_trees, 1, err));
    if (run->model)
        OPEVO_TRY(opevo_tuner_learn_model(tuner, run->model, err));
    if ((run->earlier_count > 0) + (run->earlier_tree_count > 0) + !!run->model > 1)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--learn: a run learns from runs on its own search space, from runs on "
                            "others, or from a stored model, not from two of them.");
cleanup:
    opevo_tuner_destroy(tuner);
    return status;
}

static bool is_learn(const opevo_call *call, size_t number)
{
    return strcmp(call->given[number].option->name, "learn") == 0;
}

/* "none" beside something would be a contradiction. */
static opevo_status refuse_none_of_several(const opevo_call *call, opevo_error *err)
{
    size_t count = 0;
    bool none = false;

    for (size_t i = 0; i < call->given_count; i++) {
        count += is_learn(call, i);
        none |= is_learn(call, i) && !strcmp(call->given[i].value, "none");
    }
    return none && count > 1 ? OPEVO_FAIL(err, OPEVO_INVALID,
                                          "--learn none says that nothing is learned from: leave "
                                          "out the other --learn.")
                             : OPEVO_OK;
}

static opevo_status refuse_repeated(const opevo_call *call, opevo_error *err)
{
    for (size_t i = 1; i < call->given_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (is_learn(call, i) && is_learn(call, k) &&
                !strcmp(call->given[i].value, call->given[k].value))
                return OPEVO_FAIL(err, OPEVO_INVALID,
                                  "--learn %.200s is given twice: its trials would count twice.",
                                  call->given[i].value);
        }
    }
    return OPEVO_OK;
}

static opevo_status read_earlier(const opevo_call *call, opevo_i_cli_tuning *self, opevo_error *err)
{
    opevo_status status = refuse_repeated(call, err);

    if (status == OPEVO_OK)
        status = refuse_none_of_several(call, err);
    for (size_t i = 0; i < call->given_count && status == OPEVO_OK; i++) {
        if (is_learn(call, i))
            status = opevo_i_cli_earlier_add(&self->earlier, "--learn", call->given[i].value,
                                             self->run.tuner, self->objective->space, err);
    }
    if (status == OPEVO_OK)
        status = opevo_i_cli_tune_take_shipped(call, self, err);
    opevo_i_cli_earlier_use(&self->earlier, &self->run);
    return status;
}

/* What the tuner searches by, of which the front is shown, and what trials must fulfil. */
static opevo_status read_search(const opevo_call *call, opevo_i_cli_tuning *self, opevo_error *err)
{
    const char *names = opevo_i_cli_option(call, "criteria");
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (names && opevo_criteria_parse(self->objective, names, &self->front.criteria, &inner))
        return OPEVO_FAIL(err, inner.status, "--criteria %.200s: %.700s", names, inner.message);
    status = opevo_i_cli_requirements_of_call(call, self->objective, &self->requirements,
                                              &self->run.requirement_count, err);
    if (status != OPEVO_OK)
        return status;
    self->criteria_words = names;
    self->run.criteria = names ? &self->front.criteria : NULL;
    self->run.requirements = self->requirements;
    return names ? opevo_i_cli_tune_fronts_create(self, err) : OPEVO_OK;
}

void opevo_i_cli_tune_print_call(const opevo_i_cli_tuning *self, uint64_t seed, opevo_text *out)
{
    const opevo_option *set = opevo_i_cli_option_find(self->call->verb, "set");
    char text[OPEVO_INDEX_TEXT_SIZE];
    opevo_call whole = *self->call;

    whole.given = opevo_calloc(whole.given_count + 1, sizeof *whole.given);
    for (size_t i = 0; whole.given && i < self->call->given_count; i++)
        whole.given[i] = self->call->given[i];
    if (self->widened && whole.given)
        whole.given[whole.given_count++] = (opevo_given){set, opevo_text_string(&self->batch_text)};
    out->failed |= !whole.given;
    if (whole.given)
        opevo_i_cli_call_print(&whole, opevo_index_format(seed, text), out);
    opevo_free(whole.given);
}

opevo_status opevo_i_cli_tune_read(const opevo_call *call, const char *what, const char *given_on,
                                   const char *space, opevo_i_cli_tuning *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t threads = 0;

    self->verb = call->verb->name;
    self->call = call;
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 1, 0, UINT64_MAX, &self->run.seed, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "runs", 1, 1, 1000000, &self->runs, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", self->runs == 1, 0, 1024, &threads, err));
    self->threads = threads ? (unsigned)threads : opevo_processor_count();
    self->draws_curve = opevo_i_cli_flag(call, "curve");
    if (self->draws_curve && (self->runs > 1 || opevo_i_cli_flag(call, "json"))) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--curve draws one run as text; omit --runs and --json.");
        goto cleanup;
    }
    OPEVO_TRY(read_settings(call, self, err));
    OPEVO_TRY(opevo_i_cli_on_of_call(call, given_on, &self->on_text, &self->on, err));
    OPEVO_TRY(opevo_i_cli_objective_of_call(call, what, self->on, space, &self->objective, err));
    OPEVO_TRY(opevo_tuner_suits(self->run.tuner, self->objective->space, err));
    OPEVO_TRY(opevo_i_cli_tune_widen(call, self, err));
    self->live = !self->objective->concurrent;
    OPEVO_TRY(read_search(call, self, err));
    OPEVO_TRY(opevo_i_cli_give_up_read(call, self->live, &self->run.give_up, err));
    OPEVO_TRY(opevo_i_cli_finals_read(call, self->objective, &self->finals, err));
    OPEVO_TRY(opevo_i_cli_tune_prove_check(call, self, err));
    OPEVO_TRY(opevo_objective_optimum(self->objective, &self->optimum, err));
    /* Where nothing is ok there is no optimum to compare with. */
    self->optimum.known = self->optimum.known && self->optimum.fitness > 0;
    OPEVO_TRY(opevo_i_cli_note_of(what, self->on, space, &self->optimum, &self->note, err));
    self->run.note = self->note.note;
    opevo_i_cli_tune_print_call(self, self->run.seed, &self->call_text);
    OPEVO_TRY(opevo_text_check(&self->call_text, err));
    self->run.call = opevo_text_string(&self->call_text);
    OPEVO_TRY(opevo_i_cli_starts_read(call, self->objective, &self->starts, err));
    self->run.starts = self->starts.list ? &self->starts.list->starts : NULL;
    self->run.settings_more = opevo_text_string(&self->starts.more);
    self->results = opevo_calloc((size_t)self->runs, sizeof *self->results);
    if (self->live || self->runs == 1)
        self->reasons = opevo_calloc((size_t)self->runs, sizeof *self->reasons);
    if (!self->results || (!self->reasons && (self->live || self->runs == 1)))
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %llu runs.",
                            (unsigned long long)self->runs);
cleanup:
    return status;
}

opevo_status opevo_i_cli_tune_read_run(const opevo_call *call, opevo_i_cli_tuning *self,
                                       opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_tune_read(call, call->argument_count ? call->arguments[0] : NULL, NULL,
                                    opevo_i_cli_option(call, "space"), self, err));
    OPEVO_TRY(read_budget(call, self, err));
    OPEVO_TRY(read_earlier(call, self, err));
    OPEVO_TRY(check_tuner(self, err));
    OPEVO_TRY(opevo_i_cli_kernel_files_prepare(call, opevo_i_cli_option(call, "emit"),
                                               self->objective, err));
    OPEVO_TRY(opevo_i_cli_store_of_call(call, &self->run.store, err));
cleanup:
    return status;
}

void opevo_i_cli_tune_free(opevo_i_cli_tuning *self)
{
    for (uint64_t i = 0; self->reasons && i < self->runs; i++)
        opevo_i_cli_reasons_free(&self->reasons[i]);
    opevo_free(self->reasons);
    opevo_objective_destroy(self->objective);
    opevo_finals_destroy(self->finals);
    opevo_i_cli_tune_free_proofs(self);
    opevo_i_cli_note_free(&self->note);
    opevo_run_curve_free(&self->curve);
    opevo_i_cli_tune_fronts_free(self);
    opevo_free(self->requirements);
    opevo_text_free(&self->on_text);
    opevo_text_free(&self->call_text);
    opevo_text_free(&self->settings_text);
    opevo_text_free(&self->batch_text);
    opevo_free(self->settings);
    opevo_earlier_free(&self->earlier);
    opevo_live_starts_free(&self->starts);
    opevo_free(self->results);
}
