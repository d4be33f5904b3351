/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How sure the best result of a program is: the interval of the median of its samples. Of kernels a
 * trial is not its median, and the finals say it. */

#include "finals_of_call_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"

#include <opevo/finals.h>
#include <opevo/json.h>
#include <opevo/live.h>
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

    if (is_program(self) && outcome->kind == OPEVO_OUTCOME_OK &&
        outcome->fitness > self->best_samples.median)
        opevo_i_cli_finalist_of_samples(outcome, &self->best_samples);
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

void opevo_i_cli_tune_print_interval(const opevo_i_cli_tuning *self, opevo_text *out)
{
    double low = 0, high = 0;

    if (!is_program(self) || !isfinite(self->best_samples.low))
        return;
    opevo_i_cli_finalist_bounds(&self->best_samples, self->objective->unit, &low, &high);
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
    const opevo_kernel_maker *maker = opevo_live_maker(self->objective);
    const char *word = maker && maker->bench ? "default configuration" : "analytic start";
    double ratio = self->results[0].best.outcome.fitness / start->fitness;

    if (!self->start.number)
        return;
    if (self->results[0].best.number == self->start.number)
        opevo_text_printf(out, "this is the %s: no other trial was faster\n", word);
    else if (start->fitness > 0)
        opevo_text_printf(out, "%.*f times as fast as the %s, %.6g %s at trial %llu\n",
                          ratio < 10 ? 2 : 0, ratio, word, opevo_unit_result(unit, start->fitness),
                          opevo_unit_name(unit), (unsigned long long)self->start.number);
    else
        opevo_text_printf(out, "the %s failed, at trial %llu\n", word,
                          (unsigned long long)self->start.number);
}

void opevo_i_cli_tune_print_offer(const opevo_i_cli_tuning *self, opevo_text *out)
{
    const opevo_run_result *result = &self->results[0];

    if (is_program(self) && !self->run.criteria && self->finals->options.most < 2 &&
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
    opevo_i_cli_finalist_bounds(&self->best_samples, self->objective->unit, &low, &high);
    opevo_json_double(out, "low", low);
    opevo_json_double(out, "high", high);
    opevo_json_index(out, "samples", self->best_samples.rounds);
}
