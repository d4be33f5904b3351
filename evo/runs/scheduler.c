/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The task scheduler: a session of each task, and rounds until a limit of all of them together is
 * reached. Before a round the session is told what is left of the common budget, so that it ends
 * at the very trial that reaches it. */

#include "scheduler_internal.h"

#include "session_internal.h"

#include <opevo/memory.h>
#include <opevo/struct_size.h>
#include <opevo/unit.h>

#include <float.h>
#include <math.h>

static const char *const allocation_names[] = {
    [OPEVO_ALLOCATION_GRADIENT] = "gradient",
    [OPEVO_ALLOCATION_ROUND_ROBIN] = "round-robin",
};

static const char *const state_names[] = {
    [OPEVO_TASK_OPEN] = "open",
    [OPEVO_TASK_OVER] = "over",
    [OPEVO_TASK_FAILING] = "failing",
    [OPEVO_TASK_STALLED] = "stalled",
};

const char *opevo_allocation_name(opevo_allocation allocation)
{
    return allocation_names[allocation];
}

const char *opevo_task_state_name(opevo_task_state state)
{
    return state_names[state];
}

void opevo_scheduler_print_options_sized(const opevo_scheduler_options *options, size_t size,
                                         size_t tasks, opevo_text *out)
{
    opevo_scheduler_options known;

    if (opevo_struct_read(options, size, "opevo_scheduler_options", &known, sizeof known, NULL))
        return;
    opevo_i_scheduler_fill_in(&known);
    opevo_text_printf(out, "allocate=%s", opevo_allocation_name(known.allocation));
    if (known.allocation == OPEVO_ALLOCATION_GRADIENT) {
        opevo_text_add(out, " alpha=");
        opevo_text_add_double(out, known.alpha);
        opevo_text_add(out, " beta=");
        opevo_text_add_double(out, known.beta);
        opevo_text_printf(out, " window=%llu", (unsigned long long)known.window);
    }
    opevo_text_add(out, " epsilon=");
    opevo_text_add_double(out, known.epsilon);
    opevo_text_printf(out, " aim=%s round=%llu patience=%llu", opevo_aim_name(known.aim),
                      (unsigned long long)opevo_i_scheduler_round(&known, tasks),
                      (unsigned long long)known.patience);
}

/* ---- Creating ------------------------------------------------------------------------------- */

static opevo_status check_options(const opevo_scheduler_options *options, opevo_error *err)
{
    if ((unsigned)options->allocation > OPEVO_ALLOCATION_ROUND_ROBIN ||
        (unsigned)options->aim > OPEVO_AIM_GEOMETRIC_MEAN)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The allocation or the aim is unknown.");
    if (!(options->seconds >= 0 && isfinite(options->seconds)) ||
        !(options->target_s >= 0 && isfinite(options->target_s)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A limit in seconds must be positive, or 0 for no such limit.");
    if (options->trials == 0 && options->seconds == 0 && options->target_s == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A scheduler needs a limit: a number of trials, seconds or a target.");
    if (!(options->alpha <= 1))
        return OPEVO_FAIL(err, OPEVO_INVALID, "alpha must be at most 1.");
    if (!(options->beta >= 0 && isfinite(options->beta)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "beta must be positive, or 0 for the default.");
    if (!(options->epsilon >= 0 && options->epsilon <= 1))
        return OPEVO_FAIL(err, OPEVO_INVALID, "epsilon must be a probability, from 0 to 1.");
    return OPEVO_OK;
}

opevo_status opevo_scheduler_create_sized(const opevo_scheduler_options *options, size_t size,
                                          opevo_scheduler **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_scheduler *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a scheduler");
    OPEVO_TRY(opevo_struct_read(options, size, "opevo_scheduler_options", &self->options,
                                sizeof self->options, err));
    OPEVO_TRY(check_options(&self->options, err));
    opevo_i_scheduler_fill_in(&self->options);
    self->result = (opevo_scheduler_result){.stop = OPEVO_STOP_INTERRUPTED, .aim_s = INFINITY};
    *out = self;
    self = NULL;
cleanup:
    opevo_free(self);
    return status;
}

static opevo_status check_weight(const opevo_objective *objective, double weight, opevo_error *err)
{
    if (!(weight >= 0 && isfinite(weight)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "The weight of %.200s must be a number from 0.",
                          objective->name);
    return OPEVO_OK;
}

static opevo_status check_task(const opevo_scheduler *self, const opevo_objective *objective,
                               const opevo_run_options *run, double weight, opevo_error *err)
{
    const opevo_budget *budget = &run->budget;

    if (self->result.rounds > 0 || self->failed)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Tasks are added before the first step.");
    if (budget->trials || budget->seconds != 0 || budget->target != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The budget of a task is that of the scheduler: leave it 0.");
    if (check_weight(objective, weight, err) != OPEVO_OK)
        return OPEVO_INVALID;
    if (opevo_objective_is_external(objective))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The outcomes of %.200s come from the caller: it cannot be a task.",
                          objective->name);
    if (isnan(opevo_objective_time_s(objective, 1)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%.200s is measured in %.60s, and its FLOP are unknown: tasks are "
                          "compared by time, which cannot be computed.",
                          objective->name, opevo_unit_name(objective->unit));
    return OPEVO_OK;
}

static void free_task(opevo_i_scheduler_task_entry *task)
{
    opevo_free(task->history_s);
    opevo_free(task->kind);
    *task = (opevo_i_scheduler_task_entry){.session = NULL};
}

opevo_status opevo_scheduler_add_sized(opevo_scheduler *scheduler, opevo_objective *objective,
                                       const opevo_run_options *run, size_t size, double weight,
                                       const char *kind, opevo_error *err)
{
    opevo_scheduler *self = scheduler;
    const opevo_scheduler_options *limits = &self->options;
    opevo_i_scheduler_task_entry task = {
        .objective = objective, .size_class = opevo_i_scheduler_size_class(objective->flop)};
    opevo_status status = OPEVO_OK;
    opevo_run_options options;

    OPEVO_TRY(opevo_struct_read(run, size, "opevo_run_options", &options, sizeof options, err));
    OPEVO_TRY(check_task(self, objective, &options, weight, err));
    task.kind = kind ? opevo_strdup(kind) : NULL;
    OPEVO_NEED((task.kind || !kind) && opevo_reserve((void **)&self->tasks, &self->capacity,
                                                     self->count + 1, sizeof *self->tasks),
               "a task");
    options.budget = (opevo_budget){.trials = limits->trials,
                                    .seconds = limits->seconds,
                                    .target = limits->target_s > 0 ? DBL_MAX : 0};
    OPEVO_TRY(opevo_session_create(objective, &options, &task.session, err));
    task.shown = (opevo_task){
        .result = opevo_session_result(task.session), .weight = weight, .best_s = INFINITY};
    self->tasks[self->count++] = task;
    task = (opevo_i_scheduler_task_entry){.session = NULL};
cleanup:
    free_task(&task);
    return status;
}

opevo_status opevo_scheduler_weigh(opevo_scheduler *scheduler, size_t task, double weight,
                                   uint64_t round, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (task >= scheduler->count)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The scheduler has %zu tasks; task %zu is unknown.",
                          scheduler->count, task);
    OPEVO_TRY(check_weight(scheduler->tasks[task].objective, weight, err));
    scheduler->tasks[task].shown.weight = weight;
    scheduler->tasks[task].round = round;
    scheduler->result.aim_s = opevo_i_scheduler_aim_s(scheduler);
cleanup:
    return status;
}

/* ---- Stepping ------------------------------------------------------------------------------- */

static opevo_status begin(opevo_scheduler *self, opevo_error *err)
{
    uint64_t trials = self->options.trials;
    bool weighs = false;

    for (size_t i = 0; i < self->count; i++)
        weighs = weighs || self->tasks[i].shown.weight > 0;
    if (!weighs)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A scheduler needs a task, and one of positive weight.");
    if (trials && trials < self->count)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%llu trials are not enough for %zu tasks: allow at least one for each.",
                          (unsigned long long)trials, self->count);
    self->options.round = opevo_i_scheduler_round(&self->options, self->count);
    return OPEVO_OK;
}

/* The runs that could have gone on end for the same reason. */
static void stop(opevo_scheduler *self, opevo_stop why)
{
    self->over = true;
    self->result.stop = why;
    for (size_t i = 0; i < self->count; i++) {
        if (!self->tasks[i].session->ended)
            opevo_i_session_stop(self->tasks[i].session, why);
    }
}

/* Let the session end where the scheduler has to. */
static void limit(opevo_scheduler *self, size_t number)
{
    opevo_session *session = self->tasks[number].session;
    opevo_budget *budget = &session->options.budget;
    double needed = 0;

    if (self->options.seconds > 0)
        budget->seconds = session->result.cost_s + (self->options.seconds - self->result.cost_s);
    if (self->options.target_s > 0) {
        needed = opevo_i_scheduler_needed_s(self, number);
        /* Fitness and time are inverse to each other up to a factor. */
        budget->target =
            needed > 0 ? opevo_objective_time_s(session->objective, 1) / needed : DBL_MAX;
        budget->target = fmin(budget->target, DBL_MAX);
    }
}

/* Sum up all sessions. */
static void add_up(opevo_scheduler *self)
{
    opevo_scheduler_result *result = &self->result;

    result->trials = result->resumed = result->failed = 0;
    result->cost_s = 0;
    for (size_t i = 0; i < self->count; i++) {
        const opevo_run_result *one = self->tasks[i].shown.result;

        result->trials += one->trials;
        result->resumed += one->resumed;
        result->failed += one->failed;
        result->cost_s += one->cost_s;
    }
    result->aim_s = opevo_i_scheduler_aim_s(self);
}

/* What a round has changed of its task and of the whole. */
static opevo_status note_round(opevo_scheduler *self, size_t number, bool over, opevo_error *err)
{
    opevo_i_scheduler_task_entry *task = &self->tasks[number];
    const opevo_run_result *result = task->shown.result;

    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&task->history_s, &task->history_capacity,
                                       task->shown.rounds + 1, sizeof *task->history_s),
                         "another round");
    if (result->best.number > 0)
        task->shown.best_s = opevo_objective_time_s(task->objective, result->best.outcome.fitness);
    task->history_s[task->shown.rounds++] = task->shown.best_s;
    self->result.rounds++;
    if (over)
        task->shown.state = OPEVO_TASK_OVER;
    opevo_i_scheduler_judge(self, number);
    add_up(self);
    return OPEVO_OK;
}

/* End with a limit that the session, or all together, have reached. */
static void check_limits(opevo_scheduler *self, opevo_stop of_session, bool over)
{
    const opevo_scheduler_options *options = &self->options;
    const opevo_scheduler_result *result = &self->result;

    if (over && of_session == OPEVO_STOP_INTERRUPTED)
        stop(self, OPEVO_STOP_INTERRUPTED);
    else if (options->target_s > 0 && over && of_session == OPEVO_STOP_TARGET)
        stop(self, OPEVO_STOP_TARGET);
    else if (options->seconds > 0 &&
             (result->cost_s >= options->seconds || (over && of_session == OPEVO_STOP_SECONDS)))
        stop(self, OPEVO_STOP_SECONDS);
    else if (options->trials > 0 && result->trials >= options->trials)
        stop(self, OPEVO_STOP_TRIALS);
}

static opevo_status run_round(opevo_scheduler *self, size_t number, opevo_error *err)
{
    opevo_i_scheduler_task_entry *task = &self->tasks[number];
    uint64_t trials = self->options.round;
    opevo_status status = OPEVO_OK;
    bool over = false;

    if (task->round && task->round < trials)
        trials = task->round;
    if (self->options.trials && self->options.trials - self->result.trials < trials)
        trials = self->options.trials - self->result.trials;
    limit(self, number);
    OPEVO_TRY(opevo_session_step(task->session, trials, &over, err));
    OPEVO_TRY(note_round(self, number, over, err));
    OPEVO_TRY(opevo_i_scheduler_store_round(self, number, err));
    check_limits(self, task->shown.result->stop, over);
cleanup:
    return status;
}

opevo_status opevo_scheduler_step(opevo_scheduler *scheduler, bool *over, opevo_error *err)
{
    opevo_scheduler *self = scheduler;
    opevo_status status = OPEVO_OK;

    if (self->failed)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A scheduler with a failed step can only be ended.");
    if (self->result.rounds == 0)
        status = begin(self, err);
    if (status == OPEVO_OK && !self->over) {
        size_t task = opevo_i_scheduler_choose(self);

        if (task == self->count)
            stop(self, OPEVO_STOP_SEARCH_OVER);
        else
            status = run_round(self, task, err);
    }
    self->failed = status != OPEVO_OK;
    if (!self->failed)
        *over = self->over;
    return status;
}

opevo_status opevo_scheduler_extend(opevo_scheduler *scheduler, uint64_t trials, opevo_error *err)
{
    uint64_t *limit = &scheduler->options.trials;

    if (*limit == 0 || trials < *limit)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A scheduler is extended to more trials than its limit of %llu.",
                          (unsigned long long)*limit);
    *limit = trials;
    for (size_t i = 0; i < scheduler->count; i++) {
        opevo_i_scheduler_task_entry *task = &scheduler->tasks[i];
        opevo_session *session = task->session;

        session->options.budget.trials = trials;
        if (!session->ended || session->result.stop != OPEVO_STOP_TRIALS)
            continue;
        session->ended = false;
        session->result.stop = OPEVO_STOP_INTERRUPTED;
        if (task->shown.state == OPEVO_TASK_OVER)
            task->shown.state = OPEVO_TASK_OPEN;
    }
    scheduler->over = scheduler->over && scheduler->result.stop != OPEVO_STOP_TRIALS;
    return OPEVO_OK;
}

/* ---- Results and the end -------------------------------------------------------------------- */

const opevo_scheduler_result *opevo_scheduler_state(const opevo_scheduler *scheduler)
{
    return &scheduler->result;
}

const opevo_task *opevo_scheduler_task(const opevo_scheduler *scheduler, size_t task)
{
    return &scheduler->tasks[task].shown;
}

size_t opevo_scheduler_count(const opevo_scheduler *scheduler)
{
    return scheduler->count;
}

opevo_status opevo_scheduler_end(opevo_scheduler *scheduler, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; scheduler && i < scheduler->count; i++) {
        opevo_status ended =
            opevo_session_end(scheduler->tasks[i].session, NULL, status == OPEVO_OK ? err : NULL);

        status = status == OPEVO_OK ? ended : status;
        free_task(&scheduler->tasks[i]);
    }
    if (scheduler)
        opevo_free(scheduler->tasks);
    opevo_free(scheduler);
    return status;
}
