/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tune several operators, or several objectives, within one budget: each is a run like that of a
 * single operator, and the task scheduler divides the trials among them. */

#include "launcher_internal.h"
#include "options_internal.h"
#include "recording_spec_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"

#include <opevo/finals.h>
#include <opevo/memory.h>
#include <opevo/operator.h>
#include <opevo/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static double best_s(const opevo_i_cli_tuning *tuning)
{
    return opevo_objective_time_s(tuning->objective, tuning->results[0].best.outcome.fitness);
}

static double winner_s(const opevo_i_cli_tuning *tuning)
{
    const opevo_finals *finals = tuning->finals;

    return finals->ran ? opevo_objective_time_s(tuning->objective,
                                                finals->finalists[finals->verdict.winner].median)
                       : NAN;
}

/* A task and its number, for its observer. */
typedef struct observed_task {
    opevo_i_cli_tasks *tasks;
    size_t number;
} observed_task;

/* "sum 1.2 ms", or of the tasks that have had a success. */
static void print_aim(const opevo_i_cli_tasks *self, char *out, size_t size)
{
    bool sums = self->options.aim == OPEVO_AIM_SUM;
    size_t known = 0;
    double sum_s = 0;
    char time[40];

    for (size_t i = 0; i < self->count && sums; i++) {
        const opevo_i_cli_tuning *tuning = &self->tunings[i];

        if (tuning->best > 0)
            sum_s += self->weights[i] * opevo_objective_time_s(tuning->objective, tuning->best);
        known += tuning->best > 0;
    }
    snprintf(out, size, "%s %s", opevo_aim_name(self->options.aim),
             opevo_i_cli_tasks_time(!sums       ? opevo_scheduler_state(self->scheduler)->aim_s
                                    : known > 0 ? sum_s
                                                : NAN,
                                    time, sizeof time));
    if (sums && known > 0 && known < self->count)
        snprintf(out + strlen(out), size - strlen(out), " of %zu of %zu tasks", known, self->count);
}

static void draw(opevo_i_cli_tasks *self, size_t number, const opevo_trial *trial)
{
    const opevo_i_cli_tuning *tuning = &self->tunings[number];
    char aim[80];

    print_aim(self, aim, sizeof aim);
    opevo_i_cli_tasks_draw(&self->progress, &self->spent, self->options.trials,
                           self->options.seconds,
                           &(const opevo_i_cli_task_trial){number, self->count, self->names[number],
                                                           aim, tuning->objective, tuning->best,
                                                           trial->number, tuning->failed});
}

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    const observed_task *observed = context;
    opevo_i_cli_tasks *self = observed->tasks;
    opevo_i_cli_tuning *tuning = &self->tunings[observed->number];
    char which[128];

    snprintf(which, sizeof which, "%.120s, ", self->names[observed->number]);
    opevo_i_cli_tune_note_failure(tuning, 0, which, trial, resumed);
    opevo_finals_note(tuning->finals, trial);
    opevo_i_cli_tasks_portfolio_note(self, observed->number, trial);
    opevo_i_cli_spent_note(&self->spent, trial, resumed);
    tuning->failed += trial->outcome.kind != OPEVO_OUTCOME_OK;
    tuning->best = fmax(tuning->best, trial->outcome.fitness);
    if (opevo_i_cli_progress_due(&self->progress))
        draw(self, observed->number, trial);
}

/* What makes tasks similar: the kind of the operator, and where it runs; nothing for objectives
 * that are not operators, and for contractions, which are of any kind. */
static void print_kind(const char *what, const char *on, opevo_text *out)
{
    opevo_operator op;

    opevo_text_clear(out);
    if (what && opevo_operator_parse(what, &op, NULL) == OPEVO_OK && op.kind != OPEVO_CONTRACTION)
        opevo_text_printf(out, "%d %s", (int)op.kind, on);
}

static opevo_status add_tasks(opevo_i_cli_tasks *self, observed_task *observed, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text kind = {0};

    for (size_t i = 0; i < self->count; i++) {
        opevo_i_cli_tuning *tuning = &self->tunings[i];
        opevo_run_options *run = &tuning->run;

        observed[i] = (observed_task){self, i};
        run->threads = tuning->threads;
        run->store = self->store;
        run->observer = observe;
        run->observer_context = &observed[i];
        run->interrupt = &opevo_i_cli_interrupted;
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

/* Rounds until the scheduler is over, as a group in the store. */
static opevo_status run_rounds(opevo_i_cli_tasks *self, opevo_error *err)
{
    const opevo_task_group_options group = {.names = self->names};
    opevo_status status = OPEVO_OK;
    bool over = false;

    if (self->store)
        OPEVO_TRY(opevo_scheduler_keep(self->scheduler, self->store, &group, NULL, err));
    while (!over)
        OPEVO_TRY(opevo_scheduler_step(self->scheduler, &over, err));
cleanup:
    return status;
}

/* Keep what the scheduler knows, and end it. */
static opevo_status end_scheduler(opevo_i_cli_tasks *self, opevo_error *err)
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

static opevo_status run_finals(opevo_i_cli_tasks *self, bool quiet, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_i_cli_progress_start(&self->progress, quiet);
    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++) {
        opevo_i_cli_tuning *tuning = &self->tunings[i];

        if (!opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
            opevo_i_cli_tasks_draw_finals(&self->progress, i, self->count, self->names[i],
                                          tuning->finals);
        if (self->store)
            status = opevo_i_cli_reasons_complete(&tuning->reasons[0], self->store,
                                                  tuning->results[0].run, err);
        if (status == OPEVO_OK)
            status = opevo_i_cli_tune_read_proofs(tuning, err);
        if (status == OPEVO_OK && opevo_i_cli_flag(tuning->call, "prove"))
            status = opevo_i_cli_tune_prove(tuning, err);
        if (status == OPEVO_OK && !opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
            status =
                opevo_finals_run(tuning->finals, tuning->objective, tuning->run.seed, self->store,
                                 tuning->results[0].run, &opevo_i_cli_interrupted, err);
    }
    opevo_i_cli_progress_end(&self->progress);
    return status;
}

/* Tune them; `quiet` for no progress line. An interrupt ends it early. */
static opevo_status run_tasks(opevo_i_cli_tasks *self, bool quiet, opevo_error *err)
{
    observed_task *observed = opevo_calloc(self->count, sizeof *observed);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(observed, "%zu tasks", self->count);
    opevo_i_cli_catch_interrupts();
    opevo_i_cli_progress_start(&self->progress, quiet);
    OPEVO_TRY(opevo_scheduler_create(&self->options, &self->scheduler, err));
    OPEVO_TRY(add_tasks(self, observed, err));
    if (!quiet && self->count > 0)
        opevo_i_cli_tell_batch(self->tunings[0].verb, self->tunings[0].objective,
                               &self->tunings[0].run,
                               opevo_text_string(&self->tunings[0].batch_text));
    for (size_t i = 0; i < self->count && !quiet; i++)
        opevo_i_cli_tell_reference(self->tunings[i].verb, self->names[i],
                                   self->tunings[i].objective);
    OPEVO_TRY(run_rounds(self, err));
    OPEVO_TRY(opevo_i_cli_tasks_portfolio_run(self, err));
    OPEVO_TRY(end_scheduler(self, err));
    opevo_i_cli_progress_end(&self->progress);
    OPEVO_TRY(opevo_i_cli_tasks_portfolio_find(self, err));
    OPEVO_TRY(run_finals(self, quiet, err));
    self->sum_s = opevo_i_cli_tasks_value(self, OPEVO_AIM_SUM, best_s);
    self->finals_s = opevo_i_cli_tasks_value(self, self->options.aim, winner_s);
cleanup:
    for (size_t i = 0; i < self->count; i++)
        opevo_i_cli_tell_run_workers(self->tunings[i].verb, self->tunings[i].objective, self->store,
                                     self->tunings[i].results, status == OPEVO_OK ? 1 : 0);
    opevo_scheduler_end(self->scheduler, NULL);
    self->scheduler = NULL;
    opevo_free(observed);
    return status;
}

static void emit(const opevo_call *call, const opevo_i_cli_tasks *self, int *exit_code)
{
    opevo_text folder = {0};

    for (size_t i = 0; i < self->count && opevo_i_cli_flag(call, "emit"); i++) {
        opevo_i_cli_tasks_folder(call, self, i, &folder);
        opevo_i_cli_tune_emit(&self->tunings[i], opevo_text_string(&folder), exit_code);
    }
    opevo_text_free(&folder);
}

static void judge(const opevo_call *call, const opevo_i_cli_tasks *self, int *exit_code)
{
    uint64_t unrecorded = 0;
    int code = OPEVO_EXIT_OK; /* of what was found */

    for (size_t i = 0; i < self->count; i++) {
        unrecorded += self->tasks[i].result->failed_by_class[OPEVO_OUTCOME_UNRECORDED];
        if (*self->tunings[i].finals->failure)
            *exit_code = OPEVO_EXIT_FAILED;
    }
    opevo_i_cli_judge_replay(call, self->result.trials, unrecorded, &code);
    if (!isfinite(self->result.aim_s))
        code = OPEVO_EXIT_FAILED;
    if (code != OPEVO_EXIT_OK && !(self->store && opevo_i_cli_is_one_of_several()))
        *exit_code = code;
    if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        *exit_code = OPEVO_EXIT_SIGINT;
    opevo_i_cli_tune_check_store(call->verb->name, self->store, exit_code);
}

opevo_status opevo_i_cli_tune_tasks(const opevo_call *call, opevo_text *out, int *exit_code,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_cli_tasks self = {.count = 0};

    OPEVO_TRY(opevo_i_cli_tasks_read(call, &self, err));
    if (opevo_i_cli_flag(call, "dry-run")) {
        (opevo_i_cli_flag(call, "json") ? opevo_i_cli_tasks_print_json_settings
                                        : opevo_i_cli_tasks_print_settings)(&self, out);
        goto cleanup;
    }
    OPEVO_TRY(run_tasks(&self, opevo_i_cli_flag(call, "quiet"), err));
    emit(call, &self, exit_code);
    if (opevo_i_cli_flag(call, "json")) {
        opevo_i_cli_tasks_print_json(&self, out);
    } else {
        opevo_i_cli_tasks_print_settings(&self, out);
        OPEVO_TRY(opevo_i_cli_tasks_print(&self, opevo_i_cli_option(call, "store"), out, err));
        OPEVO_TRY(opevo_i_cli_tasks_portfolio_print(&self, out, err));
    }
    judge(call, &self, exit_code);
cleanup:
    opevo_i_cli_tasks_free(&self);
    return status;
}
