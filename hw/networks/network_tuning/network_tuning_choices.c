/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where passes have a choice, the times that are measured decide. */

#include "network_tuning_internal.h"

#include <opevo/memory.h>
#include <opevo/network_passes.h>
#include <opevo/network_tasks.h>

#include <math.h>

/* Trials that each task gets before it is given up where another one in its place is clearly
 * faster; what further ones are expected to gain at most; and by how much a task must be faster
 * than those of the passes alone: best times of few trials are noisy. */
enum { PROBE = 8 };
#define SHARE .25
#define MARGIN .03

int opevo_i_tuning_candidate(const opevo_network_tuning *self, const opevo_computation *computation)
{
    const opevo_network_choices *choices = self->plan->choices;
    int count = choices ? opevo_network_choices_candidates(choices) : 0, i = 0;

    while (i < count && !opevo_network_is_same_task(
                            opevo_network_choices_candidate(choices, i)->computation, computation))
        i++;
    return i < count ? i : -1;
}

/* How many trials each of so many tasks may have first: all together at most a quarter, and no more
 * than the tasks of the network leave; 0: too few. */
static uint64_t probe_of(const opevo_network_tuning *self, size_t others)
{
    uint64_t trials = self->limits.trials, all = trials < self->own ? 0 : trials - self->own;

    all = trials / 4 < all ? trials / 4 : all;
    return trials && others && all / others < PROBE ? all / others : PROBE;
}

/* Rounds as long as if there were nothing to choose, but each task has one. */
static void shorten_rounds(opevo_network_tuning *self)
{
    uint64_t others = (self->count - self->own) * self->probe, trials = self->limits.trials;
    uint64_t share = trials ? (trials - others) / self->own : OPEVO_SCHEDULER_ROUND;

    self->limits.round = share < OPEVO_SCHEDULER_ROUND ? share : OPEVO_SCHEDULER_ROUND;
}

opevo_status opevo_i_tuning_add_others(opevo_network_tuning *self,
                                       const opevo_network_library *library, opevo_error *err)
{
    const opevo_network_choices *choices = self->plan->choices;
    int count = opevo_network_choices_candidates(choices);
    bool *others = opevo_calloc((size_t)count + 1, sizeof *others);
    opevo_status status = OPEVO_OK;
    size_t found = 0;

    OPEVO_NEED_OR_RETURN(others, "the tasks of the network");
    for (int i = 0; i < count; i++) {
        const opevo_network_candidate *one = opevo_network_choices_candidate(choices, i);

        if (one->count == 0)
            OPEVO_TRY(
                opevo_network_library_has_sketches(library, one->computation, &others[i], err));
        found += others[i];
    }
    self->probe = probe_of(self, found);
    for (int i = 0; i < count && self->probe; i++) {
        const opevo_network_candidate *one = opevo_network_choices_candidate(choices, i);

        if (others[i])
            OPEVO_TRY(
                opevo_i_tuning_add_task(self, one->computation, one->operation, -1, i, 0, err));
    }
    if (self->count > self->own)
        shorten_rounds(self);
cleanup:
    opevo_free(others);
    return status;
}

bool opevo_i_tuning_chooses(const opevo_network_tuning *self)
{
    return self->count > self->own;
}

static void note_times(opevo_network_tuning *self)
{
    int candidates = opevo_network_choices_candidates(self->plan->choices);

    for (int i = 0; i < candidates; i++)
        self->time_s[i] = NAN;
    for (size_t i = 0; i < self->count; i++) {
        int candidate = self->tasks[i].candidate;

        if (candidate >= 0)
            self->time_s[candidate] =
                opevo_scheduler_task(self->scheduler, i)->best_s * (i < self->own ? 1 : 1 + MARGIN);
    }
}

static opevo_status weigh(opevo_network_tuning *self, size_t number, opevo_error *err)
{
    opevo_i_tuning_task *task = &self->tasks[number];
    int count = 0;

    if (task->candidate < 0)
        return OPEVO_OK;
    count = opevo_network_choices_candidate(self->plan->choices, task->candidate)->count;
    task->super.weight = count;
    /* There may be more of those than processes or files that can be open. */
    if (count == 0)
        opevo_live_rest(task->super.objective);
    return opevo_scheduler_weigh(self->scheduler, number, self->worth[task->candidate],
                                 count ? 0 : self->probe, err);
}

opevo_status opevo_i_tuning_decide(opevo_network_tuning *self, opevo_error *err)
{
    opevo_network_choices *choices = self->plan->choices;
    opevo_status status = OPEVO_OK;

    note_times(self);
    opevo_network_choices_decide(choices, self->time_s);
    opevo_network_choices_weigh(choices, self->time_s, SHARE, self->worth);
    self->network_tasks = 0;
    for (int i = 0; i < opevo_network_choices_candidates(choices); i++)
        self->network_tasks += opevo_network_choices_candidate(choices, i)->count > 0;
    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++)
        status = weigh(self, i, err);
    return status;
}

static bool is_changed(const opevo_network_tuning *self)
{
    const opevo_network_choices *choices = self->plan->choices;
    bool changed = false;

    for (int s = 0; choices && s < opevo_network_choices_sites(choices); s++)
        changed |= !opevo_network_choices_site(choices, s)->on;
    return changed;
}

static int find_task(const opevo_network_library *library, const opevo_computation *computation)
{
    int count = opevo_network_library_tasks(library), t = 0;

    while (t < count && !opevo_network_is_same_task(
                            opevo_network_library_task(library, t)->computation, computation))
        t++;
    return t < count ? t : -1;
}

opevo_status opevo_i_tuning_apply(opevo_network_tuning *self,
                                  const opevo_network_library_options *options,
                                  opevo_network_library **library, opevo_error *err)
{
    opevo_i_tuning_plan *plan = (opevo_i_tuning_plan *)self->plan;
    opevo_network_library *made = NULL;
    opevo_status status = OPEVO_OK;

    if (!is_changed(self))
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_tuning_turn(plan, err));
    OPEVO_TRY(opevo_network_plan_library(self->plan, options, &made, err));
    opevo_network_library_destroy(*library);
    *library = made;
    for (size_t i = 0; i < self->count; i++) {
        int candidate = self->tasks[i].candidate;

        self->tasks[i].super.task =
            candidate < 0
                ? -1
                : find_task(
                      made,
                      opevo_network_choices_candidate(plan->super.choices, candidate)->computation);
    }
cleanup:
    return status;
}
