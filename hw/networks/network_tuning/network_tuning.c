/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tasks of a tuning: for each computation an objective, and the run that searches it. */

#include "network_tuning_internal.h"

#include <opevo/memory.h>
#include <opevo/sketch.h>

#include <math.h>
#include <string.h>

/* ---- One task ---- */

/* Sketches of the computation on the device. */
static opevo_status open_objective(opevo_i_tuning_task *task, opevo_kernel_dialect dialect,
                                   opevo_error *err)
{
    const opevo_network_tuning_options *options = &task->whole->options;
    const opevo_sketch_target target = {
        .dialect = dialect, .cores = options->threads, .threads = options->threads};
    opevo_kernel_maker *maker = NULL;
    opevo_status status = OPEVO_OK;

    opevo_computation_print(task->computation, "; ", &task->what);
    OPEVO_TRY(opevo_text_check(&task->what, err));
    OPEVO_TRY(opevo_sketch_store_open(task->whole->plan->sketches, task->computation, &target,
                                      &maker, err));
    OPEVO_TRY(opevo_live_open(maker, &options->live, &task->super.objective, err));
cleanup:
    return status;
}

/* The settings that are given, and the defaults for so many workers. */
static opevo_status read_settings(opevo_i_tuning_task *task, opevo_error *err)
{
    const opevo_network_tuning_options *options = &task->whole->options;
    opevo_status status = OPEVO_OK;

    task->settings = opevo_calloc(options->tuner->setting_count + 1, sizeof *task->settings);
    if (!task->settings)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for settings.");
    opevo_settings_default(options->tuner, task->settings);
    opevo_settings_widen(options->tuner, opevo_live_worker_count(task->super.objective),
                         task->settings);
    for (size_t i = 0; i < options->setting_count && status == OPEVO_OK; i++)
        status = opevo_settings_set(options->tuner, options->settings[i], task->settings, err);
    return status;
}

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    opevo_i_tuning_task *task = context;
    opevo_network_tuning *self = task->whole;
    const opevo_network_watch *watch = &self->options.watch;

    opevo_finals_note(task->finals, trial);
    task->super.failed += trial->outcome.kind != OPEVO_OUTCOME_OK;
    task->super.best = fmax(task->super.best, trial->outcome.fitness);
    if (watch->trial)
        watch->trial(watch->context, self, (size_t)(task - self->tasks), trial, resumed);
}

static opevo_status prepare_run(opevo_i_tuning_task *task, opevo_error *err)
{
    const opevo_network_tuning_options *options = &task->whole->options;
    opevo_objective *objective = task->super.objective;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_tuner_suits(options->tuner, objective->space, err));
    OPEVO_TRY(read_settings(task, err));
    OPEVO_TRY(opevo_finals_create(&options->finals, &task->finals, err));
    OPEVO_TRY(opevo_live_starts_read(&options->starts, objective, &task->starts, err));
    task->run = (opevo_run_options){
        .tuner = options->tuner,
        .settings = task->settings,
        .seed = options->seed,
        .give_up = options->give_up,
        .store = options->store,
        .note = {.on = options->live.device, .what = opevo_text_string(&task->what)},
        .settings_more = opevo_text_string(&task->starts.more),
        .observer = observe,
        .observer_context = task,
        .interrupt = options->interrupt,
        .starts = task->starts.list ? &task->starts.list->starts : NULL};
    task->super.run = &task->run;
    task->super.finals = task->finals;
cleanup:
    return status;
}

/* ---- All tasks ---- */

opevo_status opevo_i_tuning_add_task(opevo_network_tuning *self,
                                     const opevo_computation *computation, const char *operation,
                                     int task, int candidate, int count, opevo_error *err)
{
    opevo_i_tuning_task *out = &self->tasks[self->count++];
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;

    out->whole = self;
    out->computation = computation;
    out->candidate = candidate;
    out->super.task = task;
    out->super.weight = count;
    opevo_text_printf(&name, task < 0 ? "%s (instead, %d)" : "%s (%d)", operation,
                      task < 0 ? candidate : task);
    out->name = opevo_strdup(opevo_text_string(&name));
    out->super.name = out->name;
    if (!out->name)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network.");
    opevo_text_free(&name);
    return status;
}

static opevo_status add_own(opevo_network_tuning *self, const opevo_network_library *library,
                            opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int t = 0; t < opevo_network_library_tasks(library) && status == OPEVO_OK; t++) {
        const opevo_network_kernel *task = opevo_network_library_task(library, t);

        if (task->has_sketches)
            status = opevo_i_tuning_add_task(self, task->computation, task->operation, t,
                                             opevo_i_tuning_candidate(self, task->computation),
                                             task->count, err);
    }
    self->own = self->count;
    if (status == OPEVO_OK && self->count == 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "No computation of the network has sketches.");
    return status;
}

/* What the scheduler may spend. */
static opevo_status set_limits(opevo_network_tuning *self, opevo_error *err)
{
    const opevo_network_tuning_options *options = &self->options;
    uint64_t trials = options->trials;

    if (!trials && !(options->seconds > 0))
        trials = OPEVO_NETWORK_TASK_TRIALS * (uint64_t)self->own;
    if (trials && trials < self->own)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%llu trials are too few for %zu tasks.",
                          (unsigned long long)trials, self->own);
    self->limits = (opevo_scheduler_options){
        .seed = options->seed, .trials = trials, .seconds = options->seconds};
    return OPEVO_OK;
}

/* Runs of a store are told apart by the names of their objectives. */
static opevo_status check_name(const opevo_network_tuning *self, size_t number, opevo_error *err)
{
    const char *name = self->tasks[number].super.objective->name;

    for (size_t i = 0; i < number; i++) {
        if (!strcmp(self->tasks[i].super.objective->name, name))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Two tasks of the network are %.300s.", name);
    }
    return OPEVO_OK;
}

static opevo_status open_tasks(opevo_network_tuning *self, const opevo_network_library *library,
                               opevo_error *err)
{
    opevo_kernel_dialect dialect = opevo_network_library_dialect(library);
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->count; i++) {
        OPEVO_TRY(open_objective(&self->tasks[i], dialect, err));
        OPEVO_TRY(check_name(self, i, err));
        OPEVO_TRY(prepare_run(&self->tasks[i], err));
    }
cleanup:
    return status;
}

opevo_status opevo_network_tuning_create(opevo_network_plan *plan,
                                         const opevo_network_library *library,
                                         const opevo_network_tuning_options *options,
                                         opevo_network_tuning **out, opevo_error *err)
{
    size_t candidates = plan->choices ? (size_t)opevo_network_choices_candidates(plan->choices) : 0;
    opevo_network_tuning *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network.");
    self->plan = plan;
    self->options = *options;
    self->network_tasks = (size_t)opevo_network_library_tasks(library);
    self->tasks = opevo_calloc(self->network_tasks + candidates + 1, sizeof *self->tasks);
    self->time_s = opevo_calloc(candidates + 1, sizeof *self->time_s);
    self->worth = opevo_calloc(candidates + 1, sizeof *self->worth);
    if (!self->tasks || !self->time_s || !self->worth) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network.");
        goto cleanup;
    }
    OPEVO_TRY(add_own(self, library, err));
    OPEVO_TRY(set_limits(self, err));
    if (plan->choices)
        OPEVO_TRY(opevo_i_tuning_add_others(self, library, err));
    OPEVO_TRY(open_tasks(self, library, err));
    *out = self;
    self = NULL;
cleanup:
    opevo_network_tuning_destroy(self);
    return status;
}

static void free_task(opevo_i_tuning_task *task)
{
    opevo_objective_destroy(task->super.objective);
    opevo_finals_destroy(task->finals);
    opevo_live_starts_free(&task->starts);
    opevo_text_free(&task->what);
    opevo_free(task->settings);
    opevo_free(task->name);
}

void opevo_network_tuning_destroy(opevo_network_tuning *self)
{
    if (!self)
        return;
    opevo_scheduler_end(self->scheduler, NULL);
    for (size_t i = 0; i < self->count; i++)
        free_task(&self->tasks[i]);
    opevo_free(self->tasks);
    opevo_free(self->time_s);
    opevo_free(self->worth);
    opevo_free(self);
}

/* ---- To be read ---- */

size_t opevo_network_tuning_count(const opevo_network_tuning *self)
{
    return self->count;
}

const opevo_network_task_run *opevo_network_tuning_task(const opevo_network_tuning *self,
                                                        size_t task)
{
    return &self->tasks[task].super;
}

opevo_network_tuning_state opevo_network_tuning_state_of(const opevo_network_tuning *self)
{
    opevo_network_tuning_state out = {
        .result = self->scheduler ? opevo_scheduler_state(self->scheduler) : &self->ended,
        .tasks = self->network_tasks,
        .trials = self->limits.trials,
        .seconds = self->limits.seconds,
        .tries = self->probe > 0};

    for (size_t i = 0; i < self->count; i++) {
        const opevo_network_task_run *task = &self->tasks[i].super;

        if (task->weight <= 0)
            continue;
        out.tuned++;
        out.known += task->best > 0;
        if (task->best > 0)
            out.latency_s += task->weight * opevo_objective_time_s(task->objective, task->best);
    }
    if (!out.known)
        out.latency_s = NAN;
    return out;
}
