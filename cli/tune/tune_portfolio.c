/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Several operators that end with a few configurations for all of them: the searches get a share of
 * the budget, and the rest measures what they found on each other's operators. */

#include "style_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"

#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/portfolio_crossing.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 3, MOST = 64 };
#define PROOF_SECONDS 60

/* ---- What is asked for ---- */

static opevo_status read_key(const char *text, const char *word, opevo_i_cli_tasks_portfolio *out,
                             opevo_error *err)
{
    if (!strcmp(word, "by=mean") || !strcmp(word, "by=worst")) {
        out->by_mean = !strcmp(word, "by=mean");
        return OPEVO_OK;
    }
    if (!strncmp(word, "share=", 6) && opevo_parse_double(word + 6, &out->share) &&
        out->share >= 0 && out->share < 1)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "--portfolio %s: give a number of configurations, then ,by=worst or ,by=mean "
                      "and ,share=P from 0 to below 1.",
                      text);
}

static opevo_status read_words(const char *text, opevo_i_cli_tasks_portfolio *out, opevo_error *err)
{
    char *copy = opevo_strdup(text), *rest = NULL;
    const char *word = copy ? strtok_r(copy, ",", &rest) : NULL;
    opevo_status status = OPEVO_OK;
    double most = 0;

    OPEVO_NEED_OR_RETURN(copy, "--portfolio");
    if (!word || !opevo_parse_double(word, &most) || !(most >= 1 && most <= MOST) ||
        most != floor(most))
        status =
            OPEVO_FAIL(err, OPEVO_INVALID,
                       "--portfolio %s: give a number of configurations from 1 to %d.", text, MOST);
    out->most = status == OPEVO_OK ? (size_t)most : 0;
    while (status == OPEVO_OK && (word = strtok_r(NULL, ",", &rest)) != NULL)
        status = read_key(text, word, out, err);
    opevo_free(copy);
    return status;
}

opevo_status opevo_i_cli_tasks_portfolio_read(const opevo_call *call, opevo_i_cli_tasks *self,
                                              opevo_error *err)
{
    opevo_i_cli_tasks_portfolio *out = &self->portfolio;
    opevo_scheduler_options *search = &self->options;
    const char *text = opevo_i_cli_option(call, "portfolio");
    opevo_status status = OPEVO_OK;
    uint64_t left = 0;

    if (!text)
        return OPEVO_OK;
    out->share = 0.5;
    OPEVO_TRY(read_words(text, out, err));
    for (size_t i = 0; i < self->count; i++)
        if (!self->tunings[i].objective->space)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "--portfolio %s: %.200s has no search space, and so no configurations "
                "that others have.",
                text, self->names[i]);
    out->trials_of = opevo_calloc(self->count, sizeof(opevo_trial *));
    out->trial_counts = opevo_calloc(self->count, sizeof *out->trial_counts);
    out->trial_capacities = opevo_calloc(self->count, sizeof *out->trial_capacities);
    out->noted = opevo_calloc(self->count, sizeof *out->noted);
    OPEVO_NEED_OR_RETURN(out->trials_of && out->trial_counts && out->trial_capacities && out->noted,
                         "a portfolio");
    out->trials = search->trials;
    out->seconds = search->seconds;
    left = (uint64_t)floor(out->share * (double)search->trials);
    if (search->trials)
        search->trials = search->trials - left < self->count ? self->count : search->trials - left;
    search->seconds *= 1 - out->share;
cleanup:
    return status;
}

/* ---- The searches ---- */

void opevo_i_cli_tasks_portfolio_note(opevo_i_cli_tasks *self, size_t task,
                                      const opevo_trial *trial)
{
    opevo_i_cli_tasks_portfolio *kept = &self->portfolio;
    opevo_trial copy = *trial;

    if (!kept->most || kept->failed)
        return;
    copy.outcome.samples_s = NULL;
    copy.outcome.sample_count = 0;
    copy.outcome.message = NULL;
    if (opevo_reserve((void **)&kept->trials_of[task], &kept->trial_capacities[task],
                      kept->trial_counts[task] + 1, sizeof copy))
        kept->trials_of[task][kept->trial_counts[task]++] = copy;
    else
        kept->failed = true;
}

/* ---- Their configurations elsewhere ---- */

static opevo_status begin(opevo_i_cli_tasks *self, opevo_error *err)
{
    opevo_i_cli_tasks_portfolio *own = &self->portfolio;
    const opevo_portfolio_options options = {.most = own->most,
                                             .worst = !own->by_mean,
                                             .weights = own->by_mean ? self->weights : NULL,
                                             .interrupt = &opevo_i_cli_interrupted};
    opevo_status status = opevo_crossing_create(&options, &own->crossing, err);

    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++)
        status = opevo_crossing_add(own->crossing, self->tunings[i].objective,
                                    &self->tunings[i].run, err);
    return status;
}

/* What the searches have measured since the last time. */
static opevo_status note_trials(opevo_i_cli_tasks *self, opevo_error *err)
{
    opevo_i_cli_tasks_portfolio *own = &self->portfolio;

    if (own->failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the trials of a portfolio.");
    for (size_t i = 0; i < self->count; i++) {
        for (; own->noted[i] < own->trial_counts[i]; own->noted[i]++) {
            opevo_status status =
                opevo_crossing_note(own->crossing, i, &own->trials_of[i][own->noted[i]], err);

            if (status != OPEVO_OK)
                return status;
        }
    }
    return OPEVO_OK;
}

static void draw(opevo_i_cli_tasks *self)
{
    const opevo_crossing_state *state = opevo_crossing_state_of(self->portfolio.crossing);
    uint64_t done = opevo_scheduler_state(self->scheduler)->trials + state->trials;
    double most = (double)self->portfolio.trials;
    char line[200];

    if (!opevo_i_cli_progress_due(&self->progress))
        return;
    snprintf(line, sizeof line, "portfolio: %llu trials on other operators; regret %.4f to %.4f",
             (unsigned long long)state->trials, state->portfolio.floor, state->portfolio.value);
    opevo_i_cli_progress_draw(&self->progress, most > 0 ? (double)done / most : 0, line);
}

/* What the searches have measured, on other operators, with all that is left of the budget. */
static opevo_status cross(opevo_i_cli_tasks *self, opevo_crossing_end *end, opevo_error *err)
{
    opevo_i_cli_tasks_portfolio *own = &self->portfolio;
    const opevo_scheduler_result *search = opevo_scheduler_state(self->scheduler);
    opevo_status status = note_trials(self, err);

    opevo_crossing_allow(own->crossing, own->trials ? own->trials - search->trials : 0,
                         own->seconds > 0 ? fmax(own->seconds - search->cost_s, 1e-9) : 0);
    *end = OPEVO_CROSSING_OPEN;
    while (status == OPEVO_OK && *end == OPEVO_CROSSING_OPEN) {
        status = opevo_crossing_step(own->crossing, end, err);
        draw(self);
    }
    return status;
}

/* Let the searches have their share of the trials that are left; false where these are too few. */
static opevo_status extend(opevo_i_cli_tasks *self, bool *extended, opevo_error *err)
{
    const opevo_i_cli_tasks_portfolio *own = &self->portfolio;
    uint64_t searched = opevo_scheduler_state(self->scheduler)->trials;
    uint64_t left = own->trials - searched - opevo_crossing_state_of(own->crossing)->trials;

    *extended = left >= 2 * self->count;
    return *extended ? opevo_scheduler_extend(
                           self->scheduler,
                           searched + left - (uint64_t)floor(own->share * (double)left), err)
                     : OPEVO_OK;
}

opevo_status opevo_i_cli_tasks_portfolio_run(opevo_i_cli_tasks *self, opevo_error *err)
{
    const opevo_scheduler_result *search = opevo_scheduler_state(self->scheduler);
    opevo_crossing_end end = OPEVO_CROSSING_OPEN;
    opevo_status status = OPEVO_OK;

    if (!self->portfolio.most || !isfinite(search->aim_s))
        return OPEVO_OK; /* the whole call fails where nothing succeeds of an operator */
    OPEVO_TRY(begin(self, err));
    for (;;) {
        bool extended = false, over = false;

        OPEVO_TRY(cross(self, &end, err));
        if (end == OPEVO_CROSSING_CLOSED && search->stop == OPEVO_STOP_TRIALS)
            OPEVO_TRY(extend(self, &extended, err));
        if (!extended)
            break;
        while (!over)
            OPEVO_TRY(opevo_scheduler_step(self->scheduler, &over, err));
    }
cleanup:
    return status;
}

/* The numbers of the matrix, for what the verb portfolio prints. */
static opevo_status take(opevo_i_cli_tasks *self, opevo_error *err)
{
    opevo_i_cli_tasks_portfolio *own = &self->portfolio;
    const opevo_crossing_state *state = opevo_crossing_state_of(own->crossing);
    opevo_status status = OPEVO_OK;

    for (size_t w = 0; w < self->count; w++) {
        size_t row = 0;

        OPEVO_TRY(opevo_i_cli_portfolio_workload_of(&own->found, self->names[w], &row, err));
        own->found.workloads[row].weight = self->weights[w];
        OPEVO_TRY(opevo_i_cli_portfolio_name_numbers(&own->found.workloads[row],
                                                     self->tunings[w].note.note.what, err));
        for (size_t c = 0; c < state->matrix.configurations; c++) {
            double fitness = opevo_crossing_fitness(own->crossing, c, w);

            if (!isnan(fitness))
                OPEVO_TRY(opevo_i_cli_portfolio_add(
                    &own->found, row, opevo_crossing_text(own->crossing, c), NULL, fitness, err));
        }
    }
cleanup:
    return status;
}

opevo_status opevo_i_cli_tasks_portfolio_find(opevo_i_cli_tasks *self, opevo_error *err)
{
    opevo_i_cli_tasks_portfolio *own = &self->portfolio;
    opevo_status status = OPEVO_OK;

    if (!own->crossing)
        return OPEVO_OK;
    own->found.options = (opevo_portfolio_options){.most = own->most,
                                                   .worst = !own->by_mean,
                                                   .seconds = PROOF_SECONDS,
                                                   .interrupt = &opevo_i_cli_interrupted};
    OPEVO_TRY(take(self, err));
    OPEVO_TRY(opevo_i_cli_portfolio_make_matrix(&own->found, err));
    OPEVO_TRY(opevo_i_cli_portfolio_join_numbers(&own->found, err));
    own->found.options.weights = own->by_mean ? own->found.weights : NULL;
    status = opevo_i_cli_portfolio_find(&own->found, DEPTH, err);
cleanup:
    return status;
}

/* ---- What is printed ---- */

void opevo_i_cli_tasks_portfolio_print_settings(const opevo_i_cli_tasks *self, opevo_text *out)
{
    const opevo_i_cli_tasks_portfolio *own = &self->portfolio;

    if (!own->most)
        return;
    opevo_text_printf(out, "portfolio=%zu by=%s share=%g: ", own->most,
                      own->by_mean ? "mean" : "worst", own->share);
    if (own->trials)
        opevo_text_printf(out, "%llu trials in all; ", (unsigned long long)own->trials);
    if (own->seconds > 0)
        opevo_text_printf(out, "%g s in all; ", own->seconds);
    opevo_text_add(out, "the rest measures configurations on other operators\n");
}

void opevo_i_cli_tasks_portfolio_print_json_settings(const opevo_i_cli_tasks *self, opevo_text *out)
{
    const opevo_i_cli_tasks_portfolio *own = &self->portfolio;

    if (!own->most)
        return;
    opevo_json_open(out, "portfolio", "{");
    opevo_json_index(out, "most", own->most);
    opevo_json_string(out, "by", own->by_mean ? "mean" : "worst");
    opevo_json_double(out, "share", own->share);
    if (own->trials)
        opevo_json_index(out, "trials", own->trials);
    if (own->seconds > 0)
        opevo_json_double(out, "seconds", own->seconds);
    opevo_text_add(out, "}");
}

static const char *end_of(opevo_crossing_end end)
{
    static const char *const words[] = {
        [OPEVO_CROSSING_OPEN] = "",
        [OPEVO_CROSSING_CLOSED] = "nothing else that could be measured would change the choice",
        [OPEVO_CROSSING_TRIALS] = "the trials of the budget are spent",
        [OPEVO_CROSSING_SECONDS] = "the seconds of the budget are spent",
        [OPEVO_CROSSING_LIMIT] = "the proof was given up",
        [OPEVO_CROSSING_INTERRUPTED] = "interrupted"};

    return words[end];
}

opevo_status opevo_i_cli_tasks_portfolio_print(const opevo_i_cli_tasks *self, opevo_text *out,
                                               opevo_error *err)
{
    const opevo_crossing_state *state = NULL;

    if (!self->portfolio.crossing)
        return OPEVO_OK;
    state = opevo_crossing_state_of(self->portfolio.crossing);
    opevo_text_printf(out, "\nportfolio: %llu trial%s on other operators, %llu failed",
                      (unsigned long long)state->trials, opevo_i_cli_plural(state->trials),
                      (unsigned long long)state->failed);
    if (state->resumed)
        opevo_text_printf(out, ", %llu from the store", (unsigned long long)state->resumed);
    opevo_text_printf(out, "; cost %.1f s; %s\n", state->cost_s, end_of(state->end));
    return opevo_i_cli_portfolio_print(&self->portfolio.found, out, err);
}

void opevo_i_cli_tasks_portfolio_print_json(const opevo_i_cli_tasks *self, opevo_text *out)
{
    const opevo_crossing_state *state = NULL;

    if (!self->portfolio.crossing)
        return;
    state = opevo_crossing_state_of(self->portfolio.crossing);
    opevo_json_open(out, "crossed", "{");
    opevo_json_index(out, "trials", state->trials);
    opevo_json_index(out, "resumed", state->resumed);
    opevo_json_index(out, "failed", state->failed);
    opevo_json_double(out, "cost_s", state->cost_s);
    opevo_json_string(out, "end", opevo_crossing_end_name(state->end));
    opevo_text_add(out, "}");
    opevo_json_key(out, "portfolio");
    opevo_i_cli_portfolio_print_json(&self->portfolio.found, out);
}

void opevo_i_cli_tasks_portfolio_free(opevo_i_cli_tasks *self)
{
    opevo_i_cli_tasks_portfolio *own = &self->portfolio;

    opevo_crossing_destroy(own->crossing);
    opevo_i_cli_portfolio_free(&own->found);
    for (size_t i = 0; own->trials_of && i < self->count; i++)
        opevo_free(own->trials_of[i]);
    opevo_free(own->trials_of);
    opevo_free(own->trial_counts);
    opevo_free(own->trial_capacities);
    opevo_free(own->noted);
}
