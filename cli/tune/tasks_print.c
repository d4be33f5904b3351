/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is printed of several operators that were tuned within one budget. */

#include "finals_of_call_internal.h"
#include "recording_spec_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"
#include "tuner_library_internal.h"

#include <opevo/json.h>
#include <opevo/run.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

const char *opevo_i_cli_tasks_time(double seconds, char *out, size_t size)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
    size_t i = 0;

    if (!isfinite(seconds)) {
        snprintf(out, size, "unknown");
        return out;
    }
    while (i + 1 < sizeof units / sizeof *units && seconds * units[i].factor < 1)
        i++;
    snprintf(out, size, "%.6g %s", seconds * units[i].factor, units[i].name);
    return out;
}

static const char *aim_words(const opevo_i_cli_tasks *self)
{
    return self->options.aim == OPEVO_AIM_SUM ? "sum of weight x time"
                                              : "weighted geometric mean of the times";
}

void opevo_i_cli_tasks_print_settings(const opevo_i_cli_tasks *self, opevo_text *out)
{
    const opevo_scheduler_options *options = &self->options;
    const opevo_i_cli_tuning *first = &self->tunings[0];
    char time[40];

    opevo_text_printf(out, "%zu tasks; tuner %s", self->count, first->run.tuner->name);
    opevo_i_cli_add_library(first->run.tuner, first->settings, out);
    opevo_text_printf(out, "%s%s; seed %llu", first->settings_text.length ? " " : "",
                      opevo_text_string(&first->settings_text), (unsigned long long)options->seed);
    if (options->trials)
        opevo_text_printf(out, "; at most %llu trial%s", (unsigned long long)options->trials,
                          opevo_i_cli_plural(options->trials));
    if (options->seconds > 0)
        opevo_text_printf(out, "; at most %g s", options->seconds);
    if (options->target_s > 0)
        opevo_text_printf(out, "; to %s",
                          opevo_i_cli_tasks_time(options->target_s, time, sizeof time));
    for (size_t i = 0; i < first->run.requirement_count; i++) {
        opevo_text_add(out, i ? ", " : "; requires ");
        opevo_requirement_print(&first->requirements[i], out);
    }
    opevo_text_add(out, "\n");
    opevo_scheduler_print_options(options, self->count, out);
    opevo_text_add(out, "\n");
    opevo_i_cli_tasks_portfolio_print_settings(self, out);
    for (size_t i = 0; i < self->count; i++) {
        opevo_text_add(out, "  ");
        opevo_text_add_visible(out, self->tunings[i].objective->name);
        opevo_text_add(out, ", ");
        opevo_i_cli_text_add_points(out, self->tunings[i].objective->space);
        opevo_text_printf(out, "; weight %g\n", self->weights[i]);
        opevo_i_cli_print_ignored(self->tunings[i].objective, out);
    }
    opevo_i_cli_print_library_note(first->run.tuner, first->settings, out);
}

/* ---- The table ------------------------------------------------------------------------------ */

/* Its part of the sum of weight x time; NAN where that is unknown. */
static double share_of(const opevo_i_cli_tasks *self, size_t task)
{
    return self->weights[task] > 0 ? self->weights[task] * self->tasks[task].best_s / self->sum_s
                                   : 0;
}

/* Why a task got no more rounds. */
static const char *end_of(const opevo_task *task)
{
    const opevo_run_result *result = task->result;

    if (task->state != OPEVO_TASK_OVER)
        return task->state == OPEVO_TASK_OPEN ? "" : opevo_task_state_name(task->state);
    return result->stop == OPEVO_STOP_SEARCH_OVER && result->reason ? result->reason
                                                                    : opevo_stop_name(result->stop);
}

static void add_row(const opevo_i_cli_tasks *self, size_t number, opevo_table *table)
{
    const opevo_i_cli_tuning *tuning = &self->tunings[number];
    const opevo_task *task = &self->tasks[number];
    const opevo_trial *best = &task->result->best;
    const char *unit = tuning->objective->unit;
    opevo_text text = {0};
    char time[40];

    opevo_text_add_visible(&text, self->names[number]);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&text));
    opevo_i_cli_table_cell(table, "%g", task->weight);
    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)task->result->trials);
    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)task->result->failed);
    if (best->number)
        opevo_i_cli_table_cell(table, "%.6g %s%s%s", opevo_unit_result(unit, best->outcome.fitness),
                               opevo_unit_name(unit), tuning->kernels.any ? ", " : "",
                               opevo_i_cli_kernel_word(&tuning->kernels, best->proposal.point));
    else
        opevo_i_cli_table_cell(table, "none");
    opevo_i_cli_table_cell(table, "%s", opevo_i_cli_tasks_time(task->best_s, time, sizeof time));
    if (isfinite(share_of(self, number)))
        opevo_i_cli_table_cell(table, "%.1f %%", 100 * share_of(self, number));
    else
        opevo_i_cli_table_cell(table, "%s", "");
    opevo_i_cli_table_cell(table, "%s", end_of(task));
    opevo_text_clear(&text);
    if (best->number)
        opevo_space_print(tuning->objective->space, best->proposal.point, &text);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&text));
    opevo_text_free(&text);
}

static opevo_status print_table(const opevo_i_cli_tasks *self, opevo_text *out, opevo_error *err)
{
    static const char *const heads[] = {"<task", "weight",       "trials", "failed",        "best",
                                        "time",  "share of sum", "<ended", "<configuration"};
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .below = 2};

    for (size_t i = 0; i < self->count; i++)
        add_row(self, i, &table);
    return opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

/* ---- The rest ------------------------------------------------------------------------------- */

static void print_finals(const opevo_i_cli_tasks *self, opevo_text *out)
{
    char time[40];

    for (size_t i = 0; i < self->count; i++) {
        const opevo_i_cli_tuning *tuning = &self->tunings[i];

        if (!tuning->finals->ran && !tuning->finals->interrupted && !*tuning->finals->failure)
            continue;
        opevo_text_add_visible(out, self->names[i]);
        opevo_text_add(out, ": ");
        if (tuning->finals->interrupted)
            opevo_text_add(out, "the re-evaluation (finals) was interrupted and is dropped\n");
        opevo_i_cli_finals_print(tuning->finals, tuning->objective->space, tuning->objective->unit,
                                 &tuning->kernels, out);
        opevo_i_cli_tune_print_proofs(tuning, out);
    }
    if (isfinite(self->finals_s))
        opevo_text_printf(out, "%s of the winners: %s\n", aim_words(self),
                          opevo_i_cli_tasks_time(self->finals_s, time, sizeof time));
}

opevo_status opevo_i_cli_tasks_print(const opevo_i_cli_tasks *self, const char *store,
                                     opevo_text *out, opevo_error *err)
{
    const opevo_scheduler_result *result = &self->result;
    opevo_status status = OPEVO_OK;
    char line[160], time[40];

    OPEVO_TRY(print_table(self, out, err));
    opevo_text_printf(out, "%llu trial%s in %llu round%s, %llu failed",
                      (unsigned long long)result->trials, opevo_i_cli_plural(result->trials),
                      (unsigned long long)result->rounds, opevo_i_cli_plural(result->rounds),
                      (unsigned long long)result->failed);
    if (result->resumed)
        opevo_text_printf(out, ", %llu taken from %s", (unsigned long long)result->resumed, store);
    opevo_text_printf(out, "; cost %.1f s; stopped by: %s\n", result->cost_s,
                      result->stop == OPEVO_STOP_SEARCH_OVER ? "every task has ended"
                                                             : opevo_stop_name(result->stop));
    for (size_t i = 0; i < self->count; i++) {
        if (!self->tunings[i].live || !self->tasks[i].result->failed)
            continue;
        opevo_text_add_visible(out, self->names[i]);
        opevo_i_cli_tune_print_failures(self->tasks[i].result, out);
        opevo_text_add(out, "\n");
        opevo_i_cli_reasons_print(&self->tunings[i].reasons[0], out);
    }
    snprintf(line, sizeof line, "%s %s", aim_words(self),
             opevo_i_cli_tasks_time(result->aim_s, time, sizeof time));
    opevo_i_cli_text_add_styled(out, STDOUT_FILENO, OPEVO_STYLE_STRONG, line);
    if (isfinite(self->optimum_s) && isfinite(result->aim_s))
        opevo_text_printf(out, " = %.2f %% of the optimum %s (exact)",
                          100 * self->optimum_s / result->aim_s,
                          opevo_i_cli_tasks_time(self->optimum_s, time, sizeof time));
    opevo_text_add(out, "\n");
    print_finals(self, out);
    if (result->stop == OPEVO_STOP_INTERRUPTED && store)
        opevo_text_printf(out, "interrupted; the same command continues from %s\n", store);
cleanup:
    return status;
}

static void begin_json_task(const opevo_i_cli_tasks *self, size_t task, opevo_text *out)
{
    opevo_json_open_next(out, "\n  ", "{");
    opevo_json_string(out, "task", self->names[task]);
    opevo_json_double(out, "weight", self->weights[task]);
}

void opevo_i_cli_tasks_print_json_settings(const opevo_i_cli_tasks *self, opevo_text *out)
{
    opevo_text settings = {0};

    opevo_scheduler_print_options(&self->options, self->count, &settings);
    opevo_text_add(out, "{");
    opevo_json_string(out, "scheduler", opevo_text_string(&settings));
    opevo_json_index(out, "seed", self->options.seed);
    opevo_json_open(out, "budget", "{");
    if (self->options.trials)
        opevo_json_index(out, "trials", self->options.trials);
    if (self->options.seconds > 0)
        opevo_json_double(out, "seconds", self->options.seconds);
    if (self->options.target_s > 0)
        opevo_json_double(out, "target_s", self->options.target_s);
    opevo_text_add(out, "}");
    opevo_json_open(out, "tasks", "[");
    for (size_t i = 0; i < self->count; i++) {
        begin_json_task(self, i, out);
        opevo_i_cli_tune_add_json_settings(&self->tunings[i], out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "\n]");
    opevo_i_cli_tasks_portfolio_print_json_settings(self, out);
    opevo_text_add(out, "}\n");
    out->failed |= settings.failed;
    opevo_text_free(&settings);
}

void opevo_i_cli_tasks_print_json(const opevo_i_cli_tasks *self, opevo_text *out)
{
    const opevo_scheduler_result *result = &self->result;
    opevo_text settings = {0};

    opevo_scheduler_print_options(&self->options, self->count, &settings);
    opevo_text_add(out, "{");
    opevo_json_string(out, "aim", opevo_aim_name(self->options.aim));
    opevo_json_double(out, "aim_s", result->aim_s);
    opevo_json_double(out, "optimum_s", self->optimum_s);
    opevo_json_double(out, "finals_s", self->finals_s);
    opevo_json_index(out, "trials", result->trials);
    opevo_json_index(out, "resumed", result->resumed);
    opevo_json_index(out, "failed", result->failed);
    opevo_json_index(out, "rounds", result->rounds);
    opevo_json_double(out, "cost_s", result->cost_s);
    opevo_json_string(out, "stop", opevo_stop_name(result->stop));
    opevo_json_string(out, "scheduler", opevo_text_string(&settings));
    opevo_json_open(out, "tasks", "[");
    for (size_t i = 0; i < self->count; i++) {
        begin_json_task(self, i, out);
        opevo_json_double(out, "time_s", self->tasks[i].best_s);
        opevo_json_double(out, "share", share_of(self, i));
        opevo_json_index(out, "rounds", self->tasks[i].rounds);
        opevo_json_string(out, "state", opevo_task_state_name(self->tasks[i].state));
        opevo_i_cli_tune_add_json(&self->tunings[i], out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "\n]");
    opevo_i_cli_tasks_portfolio_print_json(self, out);
    opevo_text_add(out, "}\n");
    out->failed = out->failed || settings.failed;
    opevo_text_free(&settings);
}
