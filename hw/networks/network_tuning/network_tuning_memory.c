/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a network needs in memory with each kernel that was measured, for a report to choose
 * from. */

#include "network_tuning_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/store_groups.h>

enum { PIECE = 512 };

/* Kernels of all tasks, and their points. */
typedef struct noted {
    const opevo_network_library *library;
    const opevo_network_tuning *tuning;
    opevo_group_kernel *kernels;
    opevo_index *points;
    size_t count, kernel_capacity, point_capacity;
} noted;

static opevo_status add_trial(noted *self, size_t task, const opevo_trial *trial, opevo_error *err)
{
    if (trial->outcome.kind != OPEVO_OUTCOME_OK)
        return OPEVO_OK;
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->kernels, &self->kernel_capacity,
                                       self->count + 1, sizeof *self->kernels) &&
                             opevo_reserve((void **)&self->points, &self->point_capacity,
                                           self->count + 1, sizeof *self->points),
                         "the kernels of the network");
    self->kernels[self->count] = (opevo_group_kernel){.task = task, .trial = trial->number};
    self->points[self->count++] = trial->proposal.point;
    return OPEVO_OK;
}

static opevo_status add_task(noted *self, size_t task, opevo_error *err)
{
    int64_t run = self->tuning->tasks[task].result.run;
    opevo_store *store = self->tuning->options.store;
    opevo_trial *trials = opevo_calloc(PIECE, sizeof *trials);
    opevo_status status = OPEVO_OK;
    size_t count = PIECE;

    OPEVO_NEED_OR_RETURN(trials, "the kernels of the network");
    for (uint64_t after = 0; count == PIECE; after += count) {
        OPEVO_TRY(opevo_store_read(store, run, after, trials, PIECE, &count, err));
        for (size_t i = 0; i < count; i++)
            OPEVO_TRY(add_trial(self, task, &trials[i], err));
    }
cleanup:
    opevo_free(trials);
    return status;
}

static opevo_status measure(void *context, size_t i, unsigned worker, opevo_error *err)
{
    const noted *self = context;
    opevo_group_kernel *kernel = &self->kernels[i];
    const opevo_network_task_run *task = &self->tuning->tasks[kernel->task].super;

    (void)worker;
    return opevo_network_library_kernel_bytes(self->library, task->task,
                                              opevo_live_maker(task->objective), self->points[i],
                                              &kernel->packed_bytes, &kernel->scratch_bytes, err);
}

opevo_status opevo_i_tuning_store_memory(opevo_network_tuning *tuning,
                                         opevo_network_library *library, opevo_error *err)
{
    noted self = {.library = library, .tuning = tuning};
    opevo_network_library_sizes sizes = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_library_measure(library, &sizes, err));
    for (size_t i = 0; i < tuning->count; i++)
        if (tuning->tasks[i].super.task >= 0)
            OPEVO_TRY(add_task(&self, i, err));
    OPEVO_TRY(opevo_parallel_for(self.count, 0, measure, &self, err));
    OPEVO_TRY(opevo_store_put_memory(tuning->options.store, tuning->group, sizes.arena_bytes,
                                     sizes.weight_bytes, self.kernels, self.count, err));
cleanup:
    opevo_free(self.kernels);
    opevo_free(self.points);
    return status;
}
