/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tune several operators, or several objectives, within one budget: each is a run like that of a
 * single operator, and the task scheduler divides the trials among them. */

#include "tune_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

double opevo_i_cli_tasks_value(opevo_i_cli_tasks *self, opevo_aim aim,
                               double (*time_s)(const opevo_i_cli_tuning *tuning))
{
    for (size_t i = 0; i < self->count; i++)
        self->times_s[i] = time_s(&self->tunings[i]);
    return opevo_aim_value(aim, self->times_s, self->weights, self->count);
}

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

/* Share of the limit that is nearest, and what of it was taken from the store. */
static double share_done(const opevo_i_cli_tasks *self, double *given)
{
    const opevo_scheduler_options *options = &self->options;
    double trials = 0, cost_s = 0;

    for (size_t i = 0; i < self->count; i++) {
        const opevo_run_result *result = opevo_scheduler_task(self->scheduler, i)->result;

        trials += (double)result->trials;
        cost_s += result->cost_s;
    }
    trials = options->trials ? trials / (double)options->trials : 0;
    cost_s = options->seconds > 0 ? cost_s / options->seconds : 0;
    *given = trials > cost_s ? self->resumed / (double)options->trials
             : cost_s > 0    ? self->resumed_cost_s / options->seconds
                             : 0;
    return fmin(1, fmax(trials, cost_s));
}

/* Whether a task is one of the whole as it is, and not one that might take the place of another. */
static bool is_needed(const opevo_i_cli_tasks *self, size_t task)
{
    return !self->between || self->weights[task] > 0;
}

/* "latency 1.2 ms", or of the tasks that have had a success. */
static void print_aim(const opevo_i_cli_tasks *self, char *out, size_t size)
{
    bool sums = self->options.aim == OPEVO_AIM_SUM;
    size_t known = 0, all = self->network ? self->network_tasks : self->count;
    double sum_s = 0;
    char time[40];

    for (size_t i = 0; i < self->count && sums; i++) {
        const opevo_i_cli_tuning *tuning = &self->tunings[i];

        if (!is_needed(self, i))
            continue;
        if (tuning->best > 0)
            sum_s += self->weights[i] * opevo_objective_time_s(tuning->objective, tuning->best);
        known += tuning->best > 0;
    }
    snprintf(out, size, "%s %s", self->network ? "latency" : opevo_aim_name(self->options.aim),
             opevo_i_cli_tasks_time(!sums       ? opevo_scheduler_state(self->scheduler)->aim_s
                                    : known > 0 ? sum_s
                                                : NAN,
                                    time, sizeof time));
    if (sums && known > 0 && known < all)
        snprintf(out + strlen(out), size - strlen(out), " of %zu of %zu tasks", known, all);
}

static void draw(opevo_i_cli_tasks *self, size_t number, const opevo_trial *trial)
{
    const opevo_i_cli_tuning *tuning = &self->tunings[number];
    const char *unit = tuning->objective->unit;
    char line[320], best[80] = "none", aim[80];
    double done = share_done(self, &self->progress.given);

    if (tuning->best > 0)
        snprintf(best, sizeof best, "%.6g %s", opevo_unit_result(unit, tuning->best),
                 opevo_unit_name(unit));
    print_aim(self, aim, sizeof aim);
    snprintf(line, sizeof line, "%s; %zu/%zu %.100s: trial %llu, best %s, %llu failed", aim,
             number + 1, self->count, self->names[number], (unsigned long long)trial->number, best,
             (unsigned long long)tuning->failed);
    opevo_i_cli_progress_draw(&self->progress, done, line);
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
    self->resumed += resumed;
    self->resumed_cost_s += resumed ? opevo_outcome_cost_s(&trial->outcome) : 0;
    tuning->failed += trial->outcome.kind != OPEVO_OUTCOME_OK;
    tuning->best = fmax(tuning->best, trial->outcome.fitness);
    if (opevo_i_cli_progress_due(&self->progress))
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

/* ---- What the store has of the whole ---- */

/* The tasks with their weights; of separate operators the name is that of all. */
static opevo_status begin_group(opevo_i_cli_tasks *self, opevo_error *err)
{
    opevo_group_task *tasks = opevo_calloc(self->count, sizeof *tasks);
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;

    if (!tasks)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu tasks.", self->count);
    for (size_t i = 0; i < self->count; i++) {
        tasks[i] =
            (opevo_group_task){.run = opevo_scheduler_task(self->scheduler, i)->result->run,
                               .name = (char *)self->names[i],
                               .weight = self->weights[i],
                               .scale_s = opevo_objective_time_s(self->tunings[i].objective, 1)};
        if (!self->network)
            opevo_text_printf(&name, "%s%s", i ? ", " : "", self->names[i]);
    }
    if (self->network)
        opevo_text_add(&name, self->network);
    OPEVO_TRY(opevo_text_check(&name, err));
    status =
        opevo_store_begin_group(self->store,
                                &(opevo_group){.name = name.data,
                                               .is_network = self->network != NULL,
                                               .aim = (char *)opevo_aim_name(self->options.aim),
                                               .tasks = tasks,
                                               .count = self->count},
                                &self->group, err);
cleanup:
    opevo_text_free(&name);
    opevo_free(tasks);
    return status;
}

/* One round, noted in the store. */
static opevo_status step(opevo_i_cli_tasks *self, bool *over, opevo_error *err)
{
    uint64_t rounds = opevo_scheduler_state(self->scheduler)->rounds;
    opevo_group_round round = {.task = self->count};
    opevo_status status = opevo_scheduler_step(self->scheduler, over, err);

    if (!self->store || status != OPEVO_OK ||
        opevo_scheduler_state(self->scheduler)->rounds == rounds)
        return status;
    for (size_t i = 0; i < self->count; i++) {
        const opevo_task *task = opevo_scheduler_task(self->scheduler, i);

        if (task->rounds > self->tasks[i].rounds)
            round = (opevo_group_round){.task = i, .trials = task->result->trials};
        self->tasks[i].rounds = task->rounds;
    }
    return opevo_store_put_round(self->store, self->group, (size_t)rounds, &round, err);
}

opevo_status opevo_i_cli_tasks_weigh(opevo_i_cli_tasks *self, size_t task, double weight,
                                     double worth, uint64_t round, opevo_error *err)
{
    self->weights[task] = weight;
    return opevo_scheduler_weigh(self->scheduler, task, worth, round, err);
}

/* Rounds until the scheduler is over. */
static opevo_status run_rounds(opevo_i_cli_tasks *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool over = false;

    if (self->between)
        OPEVO_TRY(self->between(self, err));
    if (self->store)
        OPEVO_TRY(begin_group(self, err));
    while (!over) {
        OPEVO_TRY(step(self, &over, err));
        if (self->between)
            OPEVO_TRY(self->between(self, err));
    }
    if (self->store && self->between)
        OPEVO_TRY(begin_group(self, err)); /* with the weights of the end */
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

/* They may take as long as many trials. */
static void draw_finals(opevo_i_cli_tasks *self, size_t number)
{
    char line[200];

    if (!self->progress.active || self->tunings[number].finals->count < 2)
        return;
    snprintf(line, sizeof line, "finals %zu/%zu %.100s", number + 1, self->count,
             self->names[number]);
    opevo_i_cli_progress_draw(&self->progress, (double)number / (double)self->count, line);
    self->progress.drawn_s = self->progress.started_s; /* to be cleared in the end */
}

static opevo_status run_finals(opevo_i_cli_tasks *self, bool quiet, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_i_cli_progress_start(&self->progress, quiet);
    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++) {
        opevo_i_cli_tuning *tuning = &self->tunings[i];

        if (!opevo_interrupt_is_raised(&opevo_i_cli_interrupted) && is_needed(self, i))
            draw_finals(self, i);
        if (self->store)
            status = opevo_i_cli_reasons_complete(&tuning->reasons[0], self->store,
                                                  tuning->results[0].run, err);
        if (status == OPEVO_OK && !opevo_interrupt_is_raised(&opevo_i_cli_interrupted) &&
            is_needed(self, i))
            status =
                opevo_finals_run(tuning->finals, tuning->objective, tuning->run.seed, self->store,
                                 tuning->results[0].run, &opevo_i_cli_interrupted, err);
    }
    opevo_i_cli_progress_end(&self->progress);
    return status;
}

opevo_status opevo_i_cli_tasks_run(opevo_i_cli_tasks *self, bool quiet, opevo_error *err)
{
    observed_task *observed = opevo_calloc(self->count, sizeof *observed);
    opevo_status status = OPEVO_OK;

    if (!observed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu tasks.", self->count);
    opevo_i_cli_catch_interrupts();
    opevo_i_cli_progress_start(&self->progress, quiet);
    OPEVO_TRY(opevo_scheduler_create(&self->options, &self->scheduler, err));
    OPEVO_TRY(add_tasks(self, observed, err));
    if (!quiet && self->count > 0)
        opevo_i_cli_tune_tell_batch(&self->tunings[0]);
    OPEVO_TRY(run_rounds(self, err));
    OPEVO_TRY(end_scheduler(self, err));
    opevo_i_cli_progress_end(&self->progress);
    OPEVO_TRY(run_finals(self, quiet, err));
    self->sum_s = opevo_i_cli_tasks_value(self, OPEVO_AIM_SUM, best_s);
    self->finals_s = opevo_i_cli_tasks_value(self, self->options.aim, winner_s);
cleanup:
    for (size_t i = 0; i < self->count; i++)
        opevo_i_cli_tune_tell_workers(&self->tunings[i], status == OPEVO_OK);
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

void opevo_i_cli_tasks_free(opevo_i_cli_tasks *self)
{
    opevo_store_close(self->store);
    for (size_t i = 0; self->tunings && i < self->count; i++)
        opevo_i_cli_tune_free(&self->tunings[i]);
    opevo_free(self->tunings);
    opevo_free(self->names);
    opevo_free(self->weights);
    opevo_free(self->tasks);
    opevo_free(self->times_s);
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
    OPEVO_TRY(opevo_i_cli_tasks_run(&self, opevo_i_cli_flag(call, "quiet"), err));
    emit(call, &self, exit_code);
    if (opevo_i_cli_flag(call, "json")) {
        opevo_i_cli_tasks_print_json(&self, out);
    } else {
        opevo_i_cli_tasks_print_settings(&self, out);
        OPEVO_TRY(opevo_i_cli_tasks_print(&self, opevo_i_cli_option(call, "store"), out, err));
    }
    judge(call, &self, exit_code);
cleanup:
    opevo_i_cli_tasks_free(&self);
    return status;
}
