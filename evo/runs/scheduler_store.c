/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tasks of a scheduler as a group in a store, and their rounds. */

#include "scheduler_internal.h"

#include <opevo/memory.h>
#include <opevo/store_groups.h>
#include <opevo/struct_size.h>

static void add_task(const opevo_scheduler *self, const opevo_task_group_options *options, size_t i,
                     opevo_text *name, opevo_group_task *out)
{
    const opevo_task *task = &self->tasks[i].shown;

    *out = (opevo_group_task){.run = task->result->run,
                              .name = (char *)options->names[i],
                              .weight = options->weights ? options->weights[i] : task->weight,
                              .scale_s = opevo_objective_time_s(self->tasks[i].objective, 1)};
    if (!options->name)
        opevo_text_printf(name, "%s%s", i ? ", " : "", options->names[i]);
}

opevo_status opevo_scheduler_keep_sized(opevo_scheduler *self, opevo_store *store,
                                        const opevo_task_group_options *options, size_t size,
                                        int64_t *group, opevo_error *err)
{
    opevo_group_task *tasks = opevo_calloc(self->count + 1, sizeof *tasks);
    opevo_task_group_options known;
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(tasks, "%zu tasks", self->count);
    OPEVO_TRY(
        opevo_struct_read(options, size, "opevo_task_group_options", &known, sizeof known, err));
    for (size_t i = 0; i < self->count; i++)
        add_task(self, &known, i, &name, &tasks[i]);
    if (known.name)
        opevo_text_add(&name, known.name);
    OPEVO_TRY(opevo_text_check(&name, err));
    OPEVO_TRY(
        opevo_store_begin_group(store,
                                &(opevo_group){.name = name.data,
                                               .is_network = known.is_network,
                                               .aim = (char *)opevo_aim_name(self->options.aim),
                                               .tasks = tasks,
                                               .count = self->count},
                                &self->group, err));
    self->store = store;
    if (group)
        *group = self->group;
cleanup:
    opevo_text_free(&name);
    opevo_free(tasks);
    return status;
}

opevo_status opevo_i_scheduler_store_round(opevo_scheduler *self, size_t task, opevo_error *err)
{
    const opevo_group_round round = {.task = task,
                                     .trials = self->tasks[task].shown.result->trials};

    return self->store ? opevo_store_put_round(self->store, self->group,
                                               (size_t)self->result.rounds - 1, &round, err)
                       : OPEVO_OK;
}
