/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How sure the best result of a program is: the interval of the median of its samples. Of kernels a
 * trial is not its median, and the finals say it. */

#include "terminal_internal.h"
#include "tune_internal.h"

#include <opevo/finals.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

static bool is_program(const opevo_i_cli_tuning *self)
{
    return self->live && !strcmp(self->objective->ops->kind, "cmd");
}

void opevo_i_cli_tune_note_samples(opevo_i_cli_tuning *self, const opevo_trial *trial)
{
    const opevo_outcome *outcome = &trial->outcome;
    double *fitness = NULL;
    opevo_final_verdict verdict;

    if (!is_program(self) || outcome->kind != OPEVO_OUTCOME_OK ||
        !(outcome->fitness > self->best_samples.median))
        return;
    self->best_samples = (opevo_finalist){.median = outcome->fitness, .low = NAN, .high = NAN};
    if (outcome->sample_count)
        fitness = opevo_malloc(outcome->sample_count, sizeof *fitness);
    for (size_t i = 0; fitness && i < outcome->sample_count; i++)
        fitness[i] = outcome->fitness * outcome->time_s / outcome->samples_s[i];
    if (fitness)
        opevo_finals_judge(&self->best_samples, 1, outcome->sample_count, fitness, &verdict, NULL);
    self->best_samples.median = outcome->fitness;
    opevo_free(fitness);
}

opevo_status opevo_i_cli_tune_read_samples(opevo_i_cli_tuning *self, opevo_error *err)
{
    opevo_trial best = self->results[0].best;
    opevo_status status = OPEVO_OK;

    if (!is_program(self) || self->runs > 1 || !self->run.store || !best.number)
        return OPEVO_OK;
    status = opevo_store_read_details(self->run.store, self->results[0].run, &best, err);
    self->best_samples = (opevo_finalist){.median = 0};
    if (status == OPEVO_OK)
        opevo_i_cli_tune_note_samples(self, &best);
    return status;
}

/* The ends in the unit of the results, the smaller first. */
static void bounds_of(const opevo_i_cli_tuning *self, double *low, double *high)
{
    const char *unit = self->objective->unit;
    bool is_time = opevo_unit_is_time(unit);

    *low = opevo_unit_result(unit, is_time ? self->best_samples.high : self->best_samples.low);
    *high = opevo_unit_result(unit, is_time ? self->best_samples.low : self->best_samples.high);
}

void opevo_i_cli_tune_print_interval(const opevo_i_cli_tuning *self, opevo_text *out)
{
    double low = 0, high = 0;

    if (!is_program(self) || !isfinite(self->best_samples.low))
        return;
    bounds_of(self, &low, &high);
    opevo_text_add(out, " (");
    opevo_i_cli_text_add_interval(out, 'g', 6, low, high);
    opevo_text_printf(out, ", 95 %% of the median of %llu samples, estimated)",
                      (unsigned long long)self->best_samples.rounds);
}

void opevo_i_cli_tune_note_start(opevo_i_cli_tuning *self, const opevo_trial *trial)
{
    if (!strcmp(trial->proposal.origin, "default"))
        self->start = *trial;
}

void opevo_i_cli_tune_print_gain(const opevo_i_cli_tuning *self, opevo_text *out)
{
    const char *unit = self->objective->unit;
    const opevo_outcome *start = &self->start.outcome;
    double best = self->results[0].best.outcome.fitness;

    if (!self->start.number)
        return;
    if (self->results[0].best.number == self->start.number)
        opevo_text_add(out, "this is the analytic start: no other trial was faster\n");
    else if (start->fitness > 0)
        opevo_text_printf(out, "%.3g times as fast as the analytic start, %.6g %s at trial %llu\n",
                          best / start->fitness, opevo_unit_result(unit, start->fitness),
                          opevo_unit_name(unit), (unsigned long long)self->start.number);
    else
        opevo_text_printf(out, "the analytic start failed, at trial %llu\n",
                          (unsigned long long)self->start.number);
}

void opevo_i_cli_tune_print_offer(const opevo_i_cli_tuning *self, opevo_text *out)
{
    const opevo_run_result *result = &self->results[0];

    if (is_program(self) && !self->run.criteria && self->finals->options.most == 0 &&
        result->trials - result->failed > 1)
        opevo_text_add(out,
                       "the best of many measurements is biased by chance: --finals 5 measures the "
                       "best five again, side by side\n");
}

void opevo_i_cli_tune_add_json_interval(const opevo_i_cli_tuning *self, opevo_text *out)
{
    double low = NAN, high = NAN;

    if (!is_program(self) || self->runs > 1)
        return;
    bounds_of(self, &low, &high);
    opevo_json_double(out, "low", low);
    opevo_json_double(out, "high", high);
    opevo_json_index(out, "samples", self->best_samples.rounds);
}
