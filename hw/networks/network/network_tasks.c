/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tasks of a network: steps with the same definitions put together. */

#include <opevo/network_tasks.h>

#include <opevo/memory.h>

#include "network_internal.h"

#include <string.h>

opevo_status opevo_i_net_find_constants(const opevo_network_inference *inference, bool **out,
                                        opevo_error *err)
{
    bool *constant = opevo_calloc((size_t)inference->values + 1, sizeof *constant);

    OPEVO_NEED_OR_RETURN(constant, "the values of the network");
    for (int i = 0; i < inference->values; i++)
        constant[i] = inference->value[i].array.data != NULL;
    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];
        bool all = true;

        for (int i = 0; i < step->inputs; i++)
            all &= step->input[i] < 0 || constant[step->input[i]];
        for (int i = 0; i < step->outputs && all; i++)
            if (step->output[i] >= 0)
                constant[step->output[i]] = true;
    }
    *out = constant;
    return OPEVO_OK;
}

bool opevo_i_net_step_is_constant(const opevo_network_step *step, const bool *constant)
{
    for (int i = 0; i < step->outputs; i++) {
        if (step->output[i] >= 0)
            return constant[step->output[i]];
    }
    return false;
}

static bool is_operand(const opevo_tensor *tensor)
{
    return tensor->role != OPEVO_ROLE_INTERMEDIATE;
}

bool opevo_network_is_same_task(const opevo_computation *a, const opevo_computation *b)
{
    bool same = opevo_computation_same(a, b);

    for (int i = 0; i < a->tensors && same && a != b; i++)
        same = !is_operand(a->tensor[i]) || !strcmp(a->tensor[i]->name, b->tensor[i]->name);
    return same;
}

/* The task of a step, a new one where no step before it computes the same. `known` has tasks by the
 * hash of their definitions, or the next number that is free. */
static opevo_status find_task(opevo_network_tasks *tasks, const opevo_network_step *step, int n,
                              opevo_index_map *known, opevo_error *err)
{
    uint64_t key = opevo_computation_hash(step->computation), number = 0;

    for (; opevo_index_map_get(known, key, &number); key++) {
        opevo_network_task *task = &tasks->task[number];

        if (!opevo_network_is_same_task(task->computation, step->computation))
            continue;
        task->count++;
        tasks->of_step[n] = (int)number;
        return OPEVO_OK;
    }
    OPEVO_NEED_OR_RETURN(opevo_index_map_put(known, key, (uint64_t)tasks->count),
                         "the tasks of the network");
    tasks->of_step[n] = tasks->count;
    tasks->task[tasks->count++] =
        (opevo_network_task){.computation = step->computation,
                             .step = n,
                             .count = 1,
                             .flop = opevo_computation_flop(step->computation)};
    return OPEVO_OK;
}

opevo_status opevo_network_inference_tasks(const opevo_network_inference *inference,
                                           opevo_network_tasks *out, opevo_error *err)
{
    size_t steps = (size_t)inference->steps + 1;
    opevo_status status = OPEVO_OK;
    opevo_index_map *known = NULL;
    bool *constant = NULL;

    *out = (opevo_network_tasks){.task = opevo_calloc(steps, sizeof *out->task),
                                 .of_step = opevo_calloc(steps, sizeof *out->of_step)};
    known = opevo_index_map_create();
    OPEVO_NEED(out->task && out->of_step && known, "the tasks of the network");
    OPEVO_TRY(opevo_i_net_find_constants(inference, &constant, err));
    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];

        out->of_step[n] = -1;
        if (step->kind == OPEVO_NETWORK_STEP_COMPUTE &&
            !opevo_i_net_step_is_constant(step, constant))
            OPEVO_TRY(find_task(out, step, n, known, err));
    }
cleanup:
    opevo_index_map_destroy(known);
    opevo_free(constant);
    return status;
}

void opevo_network_tasks_free(opevo_network_tasks *tasks)
{
    opevo_free(tasks->task);
    opevo_free(tasks->of_step);
    *tasks = (opevo_network_tasks){0};
}
