/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A task of a tuning: an objective for its computation, and the run that searches it. */

#include "network_tuning_internal.h"

#include <opevo/memory.h>
#include <opevo/sketch.h>

#include <math.h>
#include <string.h>

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

/* Runs of a store are told apart by the names of their objectives. */
static opevo_status check_name(const opevo_i_tuning_task *task, opevo_error *err)
{
    const char *name = task->super.objective->name;

    for (const opevo_i_tuning_task *other = task->whole->tasks; other < task; other++) {
        if (!strcmp(other->super.objective->name, name))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Two tasks of the network are %.300s.", name);
    }
    return OPEVO_OK;
}

/* The settings that are given, and the defaults for so many workers. */
static opevo_status read_settings(opevo_i_tuning_task *task, opevo_error *err)
{
    const opevo_network_tuning_options *options = &task->whole->options;
    opevo_status status = OPEVO_OK;

    task->settings = opevo_calloc(options->tuner->setting_count + 1, sizeof *task->settings);
    OPEVO_NEED_OR_RETURN(task->settings, "settings");
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

opevo_status opevo_i_tuning_task_open(opevo_i_tuning_task *task, opevo_kernel_dialect dialect,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(open_objective(task, dialect, err));
    OPEVO_TRY(check_name(task, err));
    OPEVO_TRY(prepare_run(task, err));
cleanup:
    return status;
}

void opevo_i_tuning_task_free(opevo_i_tuning_task *task)
{
    opevo_objective_destroy(task->super.objective);
    opevo_finals_destroy(task->finals);
    opevo_live_starts_free(&task->starts);
    opevo_text_free(&task->what);
    opevo_free(task->settings);
    opevo_free(task->name);
}
