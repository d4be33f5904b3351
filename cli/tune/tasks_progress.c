/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The line of progress of tasks that share a budget. */

#include "terminal_internal.h"
#include "tune_internal.h"

#include <opevo/finals.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdio.h>

void opevo_i_cli_spent_note(opevo_i_cli_spent *self, const opevo_trial *trial, bool resumed)
{
    double cost_s = opevo_outcome_cost_s(&trial->outcome);

    self->trials++;
    self->cost_s += cost_s;
    self->resumed += resumed;
    self->resumed_cost_s += resumed ? cost_s : 0;
}

/* Share of the limit that is nearest, and what of it was taken from the store. */
static double share_done(const opevo_i_cli_spent *spent, uint64_t trials, double seconds,
                         double *given)
{
    double of_trials = trials ? spent->trials / (double)trials : 0;
    double of_seconds = seconds > 0 ? spent->cost_s / seconds : 0;

    *given = of_trials > of_seconds ? spent->resumed / (double)trials
             : of_seconds > 0       ? spent->resumed_cost_s / seconds
                                    : 0;
    return fmin(1, fmax(of_trials, of_seconds));
}

void opevo_i_cli_tasks_draw(opevo_progress *progress, const opevo_i_cli_spent *spent,
                            uint64_t trials, double seconds, const opevo_i_cli_task_trial *what)
{
    const char *unit = what->objective->unit;
    char line[320], best[80] = "none";
    double done = share_done(spent, trials, seconds, &progress->given);

    if (what->best > 0)
        snprintf(best, sizeof best, "%.6g %s", opevo_unit_result(unit, what->best),
                 opevo_unit_name(unit));
    snprintf(line, sizeof line, "%s; %zu/%zu %.100s: trial %llu, best %s, %llu failed", what->aim,
             what->number + 1, what->count, what->name, (unsigned long long)what->trial, best,
             (unsigned long long)what->failed);
    opevo_i_cli_progress_draw(progress, done, line);
}

void opevo_i_cli_tasks_draw_finals(opevo_progress *progress, size_t number, size_t count,
                                   const char *name, const opevo_finals *finals)
{
    char line[200];

    if (!progress->active || finals->count < 2)
        return;
    snprintf(line, sizeof line, "finals %zu/%zu %.100s", number + 1, count, name);
    opevo_i_cli_progress_draw(progress, (double)number / (double)count, line);
    progress->drawn_s = progress->started_s; /* to be cleared in the end */
}
