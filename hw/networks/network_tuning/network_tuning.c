/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuning: its tasks within one budget. */

#include "network_tuning_internal.h"

#include <opevo/memory.h>
#include <opevo/sketch.h>

#include <math.h>

/* ---- Made ---- */

static opevo_status add_own(opevo_network_tuning *self, const opevo_network_library *library,
                            opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int t = 0; t < opevo_network_library_tasks(library) && status == OPEVO_OK; t++) {
        const opevo_network_kernel *task = opevo_network_library_task(library, t);

        if (task->has_sketches)
            status = opevo_i_tuning_add_task(self, task->member, task->operation, t,
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

static opevo_status open_tasks(opevo_network_tuning *self, const opevo_network_library *library,
                               opevo_error *err)
{
    opevo_kernel_dialect dialect = opevo_network_library_dialect(library);
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++)
        status = opevo_i_tuning_task_open(&self->tasks[i], dialect, err);
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

    OPEVO_NEED_OR_RETURN(self, "the tasks of the network");
    self->plan = plan;
    self->options = *options;
    self->network_tasks = (size_t)opevo_network_library_tasks(library);
    self->tasks = opevo_calloc(self->network_tasks + candidates + 1, sizeof *self->tasks);
    self->time_s = opevo_calloc(candidates + 1, sizeof *self->time_s);
    self->worth = opevo_calloc(candidates + 1, sizeof *self->worth);
    OPEVO_NEED(self->tasks && self->time_s && self->worth, "the tasks of the network");
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

void opevo_network_tuning_destroy(opevo_network_tuning *self)
{
    if (!self)
        return;
    opevo_scheduler_end(self->scheduler, NULL);
    for (size_t i = 0; i < self->count; i++)
        opevo_i_tuning_task_free(&self->tasks[i]);
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
