/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tune several operators, or several objectives, within one budget: each is a run like that of a
 * single operator, and the task scheduler divides the trials among them. */

#include "tune_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdio.h>

double opevo_i_tasks_value(opevo_i_tasks *self, opevo_aim aim,
                           double (*time_s)(const opevo_i_tuning *tuning))
{
    for (size_t i = 0; i < self->count; i++)
        self->times_s[i] = time_s(&self->tunings[i]);
    return opevo_aim_value(aim, self->times_s, self->weights, self->count);
}

static double best_s(const opevo_i_tuning *tuning)
{
    return opevo_objective_time_s(tuning->objective, tuning->results[0].best.outcome.fitness);
}

static double winner_s(const opevo_i_tuning *tuning)
{
    const opevo_i_finals *finals = &tuning->finals;

    return finals->ran ? opevo_objective_time_s(tuning->objective,
                                                finals->finalists[finals->verdict.winner].median)
                       : NAN;
}

/* A task and its number, for its observer. */
typedef struct observed_task {
    opevo_i_tasks *tasks;
    size_t number;
} observed_task;

/* Of the limit that is nearest. */
static double share_done(const opevo_i_tasks *self)
{
    const opevo_scheduler_options *options = &self->options;
    double trials = 0, cost_s = 0;

    for (size_t i = 0; i < self->count; i++) {
        const opevo_run_result *result = opevo_scheduler_task(self->scheduler, i)->result;

        trials += (double)result->trials;
        cost_s += result->cost_s;
    }
    return fmin(1, fmax(options->trials ? trials / (double)options->trials : 0,
                        options->seconds > 0 ? cost_s / options->seconds : 0));
}

static void draw(opevo_i_tasks *self, size_t number, const opevo_trial *trial)
{
    const opevo_i_tuning *tuning = &self->tunings[number];
    const char *unit = tuning->objective->unit;
    char line[320], best[80] = "none", aim[40];

    if (tuning->best > 0)
        snprintf(best, sizeof best, "%.6g %s", opevo_unit_result(unit, tuning->best),
                 opevo_unit_name(unit));
    opevo_i_tasks_time(opevo_scheduler_state(self->scheduler)->aim_s, aim, sizeof aim);
    snprintf(line, sizeof line, "%s %s; %zu/%zu %.100s: trial %llu, best %s, %llu failed",
             opevo_aim_name(self->options.aim), aim, number + 1, self->count, self->names[number],
             (unsigned long long)trial->number, best, (unsigned long long)tuning->failed);
    opevo_i_progress_draw(&self->progress, share_done(self), line);
}

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    const observed_task *observed = context;
    opevo_i_tasks *self = observed->tasks;
    opevo_i_tuning *tuning = &self->tunings[observed->number];
    char which[128];

    snprintf(which, sizeof which, "%.120s, ", self->names[observed->number]);
    opevo_i_tune_note_failure(tuning, 0, which, trial, resumed);
    opevo_i_finals_note(&tuning->finals, trial);
    tuning->failed += trial->outcome.kind != OPEVO_OUTCOME_OK;
    tuning->best = fmax(tuning->best, trial->outcome.fitness);
    if (opevo_i_progress_due(&self->progress))
        draw(self, observed->number, trial);
}

/* What makes tasks similar: the kind of the operator, and where it runs; nothing for objectives
 * that are no operators, and for contractions, which are of any kind. */
static void print_kind(const char *what, const char *on, opevo_text *out)
{
    opevo_operator op;

    opevo_text_clear(out);
    if (what && opevo_operator_parse(what, &op, NULL) == OPEVO_OK && op.kind != OPEVO_CONTRACTION)
        opevo_text_printf(out, "%d %s", (int)op.kind, on);
}

static opevo_status add_tasks(opevo_i_tasks *self, observed_task *observed, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text kind = {0};

    for (size_t i = 0; i < self->count; i++) {
        opevo_i_tuning *tuning = &self->tunings[i];
        opevo_run_options *run = &tuning->run;

        observed[i] = (observed_task){self, i};
        run->threads = tuning->threads;
        run->store = self->store;
        run->observer = observe;
        run->observer_context = &observed[i];
        run->interrupt = &opevo_i_interrupted;
        tuning->progress = self->progress;
        print_kind(tuning->note.note.what, tuning->on, &kind);
        OPEVO_TRY(opevo_text_check(&kind, err));
        OPEVO_TRY(opevo_scheduler_add(self->scheduler, tuning->objective, run, self->weights[i],
                                      kind.length ? opevo_text_string(&kind) : NULL, err));
    }
cleanup:
    opevo_text_free(&kind);
    return status;
}

/* Keep what the scheduler knows, and end it. */
static opevo_status end_scheduler(opevo_i_tasks *self, opevo_error *err)
{
    opevo_scheduler *scheduler = self->scheduler;

    self->result = *opevo_scheduler_state(scheduler);
    for (size_t i = 0; i < self->count; i++) {
        self->tasks[i] = *opevo_scheduler_task(scheduler, i);
        self->tunings[i].results[0] = *self->tasks[i].result;
        self->tasks[i].result = &self->tunings[i].results[0];
    }
    self->scheduler = NULL;
    return opevo_scheduler_end(scheduler, err);
}

static opevo_status run_finals(opevo_i_tasks *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++) {
        opevo_i_tuning *tuning = &self->tunings[i];

        if (self->store)
            status = opevo_i_reasons_complete(&tuning->reasons[0], self->store,
                                              tuning->results[0].run, err);
        if (status == OPEVO_OK && !opevo_interrupt_is_raised(&opevo_i_interrupted))
            status = opevo_i_finals_run(&tuning->finals, tuning->objective, tuning->run.seed,
                                        self->store, tuning->results[0].run, err);
    }
    return status;
}

opevo_status opevo_i_tasks_run(opevo_i_tasks *self, bool quiet, opevo_error *err)
{
    observed_task *observed = opevo_calloc(self->count, sizeof *observed);
    opevo_status status = OPEVO_OK;
    bool over = false;

    if (!observed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu tasks.", self->count);
    opevo_i_catch_interrupts();
    opevo_i_progress_start(&self->progress, quiet);
    OPEVO_TRY(opevo_scheduler_create(&self->options, &self->scheduler, err));
    OPEVO_TRY(add_tasks(self, observed, err));
    while (!over)
        OPEVO_TRY(opevo_scheduler_step(self->scheduler, &over, err));
    OPEVO_TRY(end_scheduler(self, err));
    opevo_i_progress_end(&self->progress);
    OPEVO_TRY(run_finals(self, err));
    self->sum_s = opevo_i_tasks_value(self, OPEVO_AIM_SUM, best_s);
    self->finals_s = opevo_i_tasks_value(self, self->options.aim, winner_s);
cleanup:
    opevo_scheduler_end(self->scheduler, NULL);
    self->scheduler = NULL;
    opevo_free(observed);
    return status;
}

static void emit(const opevo_call *call, const opevo_i_tasks *self, int *exit_code)
{
    opevo_text folder = {0};

    for (size_t i = 0; i < self->count && opevo_i_flag(call, "emit"); i++) {
        opevo_i_tasks_folder(call, self, i, &folder);
        opevo_i_tune_emit(&self->tunings[i], opevo_text_string(&folder), exit_code);
    }
    opevo_text_free(&folder);
}

static void judge(const opevo_call *call, const opevo_i_tasks *self, int *exit_code)
{
    uint64_t unrecorded = 0;

    for (size_t i = 0; i < self->count; i++)
        unrecorded += self->tasks[i].result->failed_by_class[OPEVO_OUTCOME_UNRECORDED];
    opevo_i_judge_replay(call, self->result.trials, unrecorded, exit_code);
    if (!isfinite(self->result.aim_s))
        *exit_code = OPEVO_EXIT_FAILED;
    if (opevo_interrupt_is_raised(&opevo_i_interrupted))
        *exit_code = OPEVO_EXIT_SIGINT;
    opevo_i_tune_check_store(self->store, exit_code);
}

void opevo_i_tasks_free(opevo_i_tasks *self)
{
    opevo_store_close(self->store);
    for (size_t i = 0; self->tunings && i < self->count; i++)
        opevo_i_tune_free(&self->tunings[i]);
    opevo_free(self->tunings);
    opevo_free(self->names);
    opevo_free(self->weights);
    opevo_free(self->tasks);
    opevo_free(self->times_s);
}

opevo_status opevo_i_tune_tasks(const opevo_call *call, opevo_text *out, int *exit_code,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_tasks self = {.count = 0};

    OPEVO_TRY(opevo_i_tasks_read(call, &self, err));
    if (opevo_i_flag(call, "dry-run")) {
        opevo_i_tasks_print_settings(&self, out);
        goto cleanup;
    }
    OPEVO_TRY(opevo_i_tasks_run(&self, opevo_i_flag(call, "quiet"), err));
    emit(call, &self, exit_code);
    if (opevo_i_flag(call, "json")) {
        opevo_i_tasks_print_json(&self, out);
    } else {
        opevo_i_tasks_print_settings(&self, out);
        OPEVO_TRY(opevo_i_tasks_print(&self, opevo_i_option(call, "store"), out, err));
    }
    judge(call, &self, exit_code);
cleanup:
    opevo_i_tasks_free(&self);
    return status;
}
