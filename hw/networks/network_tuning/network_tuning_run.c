/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rounds of a tuning, the finals of its tasks, and the kernels that the library gets. */

#include "network_tuning_internal.h"

#include <opevo/memory.h>

#include <math.h>

static bool is_interrupted(const opevo_network_tuning *self)
{
    return self->options.interrupt && opevo_interrupt_is_raised(self->options.interrupt);
}

/* ---- Rounds ---- */

static opevo_status add_tasks(opevo_network_tuning *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_scheduler_create(&self->limits, &self->scheduler, err));
    for (size_t i = 0; i < self->count; i++) {
        opevo_network_task_run *task = &self->tasks[i].super;

        OPEVO_TRY(opevo_scheduler_add(self->scheduler, task->objective, task->run, task->weight,
                                      NULL, err));
        task->result = opevo_scheduler_task(self->scheduler, i)->result;
    }
cleanup:
    return status;
}

/* The group in the store, with the weights of the network as it is chosen. */
static opevo_status keep(opevo_network_tuning *self, opevo_error *err)
{
    const char **names = opevo_calloc(self->count, sizeof *names);
    double *weights = opevo_calloc(self->count, sizeof *weights);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(names && weights, "the tasks of the network");
    for (size_t i = 0; i < self->count; i++) {
        names[i] = self->tasks[i].super.name;
        weights[i] = self->tasks[i].super.weight;
    }
    status = opevo_scheduler_keep(
        self->scheduler, self->options.store,
        &(const opevo_task_group_options){
            .name = self->options.name, .is_network = true, .names = names, .weights = weights},
        &self->group, err);
cleanup:
    opevo_free(names);
    opevo_free(weights);
    return status;
}

static opevo_status run_rounds(opevo_network_tuning *self, opevo_error *err)
{
    bool chooses = opevo_i_tuning_chooses(self), over = false;
    opevo_status status = OPEVO_OK;

    if (chooses)
        OPEVO_TRY(opevo_i_tuning_decide(self, err));
    if (self->options.store)
        OPEVO_TRY(keep(self, err));
    while (!over) {
        OPEVO_TRY(opevo_scheduler_step(self->scheduler, &over, err));
        if (chooses)
            OPEVO_TRY(opevo_i_tuning_decide(self, err));
    }
    if (self->options.store && chooses)
        OPEVO_TRY(keep(self, err)); /* with the weights of the end */
cleanup:
    return status;
}

/* Keep what the scheduler knows, and end it. */
static opevo_status end_rounds(opevo_network_tuning *self, opevo_error *err)
{
    opevo_scheduler *scheduler = self->scheduler;

    self->ended = *opevo_scheduler_state(scheduler);
    for (size_t i = 0; i < self->count; i++) {
        self->tasks[i].result = *self->tasks[i].super.result;
        self->tasks[i].super.result = &self->tasks[i].result;
    }
    self->scheduler = NULL;
    return opevo_scheduler_end(scheduler, err);
}

/* ---- Finals ---- */

/* Of the tasks that the network has. */
static opevo_status run_finals(opevo_network_tuning *self, opevo_error *err)
{
    const opevo_network_watch *watch = &self->options.watch;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->count && status == OPEVO_OK && !is_interrupted(self); i++) {
        opevo_i_tuning_task *task = &self->tasks[i];

        if (opevo_i_tuning_chooses(self) && task->super.weight <= 0)
            continue;
        if (watch->finals)
            watch->finals(watch->context, self, i);
        status =
            opevo_finals_run(task->finals, task->super.objective, task->run.seed,
                             self->options.store, task->result.run, self->options.interrupt, err);
    }
    return status;
}

/* ---- The library ---- */

/* Of sizes that are not known: the best finalist whose schedule can take them, where that of
 * `point` cannot; otherwise the library keeps its kernel. */
static opevo_status choose_other(opevo_i_tuning_task *task, opevo_network_library *library,
                                 opevo_index point, opevo_error *err)
{
    const opevo_finals *finals = task->finals;
    opevo_objective *objective = task->super.objective;
    opevo_status status = OPEVO_INVALID;

    for (size_t f = 0; f < finals->count && status == OPEVO_INVALID; f++) {
        const opevo_finalist *one = &finals->finalists[f];
        double time_s = one->median > 0 ? opevo_objective_time_s(objective, one->median) : NAN;

        if (one->point != point)
            status = opevo_network_library_choose(
                library, task->super.task, opevo_live_maker(objective), one->point, time_s, NULL);
    }
    task->super.kept = status == OPEVO_INVALID;
    return status == OPEVO_NOMEM ? OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a kernel.")
                                 : OPEVO_OK;
}

/* The best kernel of each task that has a success. */
static opevo_status choose_kernels(opevo_network_tuning *self, opevo_network_library *library,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++) {
        opevo_i_tuning_task *task = &self->tasks[i];
        opevo_objective *objective = task->super.objective;
        opevo_index point = 0;
        double fitness = 0;

        if (task->super.task < 0 ||
            !opevo_finals_best(task->finals, &task->result.best, &point, &fitness))
            continue;
        task->super.best = fitness;
        status =
            opevo_network_library_choose(library, task->super.task, opevo_live_maker(objective),
                                         point, opevo_objective_time_s(objective, fitness), err);
        if (status == OPEVO_INVALID && self->plan->inference->dynamic)
            status = choose_other(task, library, point, err);
    }
    return status;
}

opevo_status opevo_network_tuning_run(opevo_network_tuning *self,
                                      const opevo_network_library_options *options,
                                      opevo_network_library **library, opevo_error *err)
{
    const opevo_network_watch *watch = &self->options.watch;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(add_tasks(self, err));
    if (watch->begun)
        watch->begun(watch->context, self);
    OPEVO_TRY(run_rounds(self, err));
    OPEVO_TRY(end_rounds(self, err));
    OPEVO_TRY(run_finals(self, err));
    OPEVO_TRY(opevo_i_tuning_apply(self, options, library, err));
    if (self->options.store)
        OPEVO_TRY(opevo_i_tuning_store_memory(self, *library, err));
    OPEVO_TRY(choose_kernels(self, *library, err));
cleanup:
    return status;
}
