/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tasks of a network: steps with equal definitions put together. */

#include <opevo/network_tasks.h>

#include <opevo/memory.h>

#include "network_internal.h"

#include <stdlib.h>
#include <string.h>

opevo_status opevo_i_net_find_constants(const opevo_network_inference *inference, bool **out,
                                        opevo_error *err)
{
    bool *constant = opevo_calloc((size_t)inference->values + 1, sizeof *constant);

    if (!constant)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the values of the network.");
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

static int compare_texts(const void *a, const void *b)
{
    const opevo_network_task *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order ? order : x->step - y->step;
}

static int compare_steps(const void *a, const void *b)
{
    return ((const opevo_network_task *)a)->step - ((const opevo_network_task *)b)->step;
}

/* Put equal texts together, each at its first step. Until the tasks are in order, of_step has
 * the first step instead of the task. */
static void join(opevo_network_tasks *tasks, int steps)
{
    int kept = 0;

    qsort(tasks->task, (size_t)tasks->count, sizeof *tasks->task, compare_texts);
    for (int i = 0; i < tasks->count; i++) {
        if (kept && !strcmp(tasks->task[kept - 1].text, tasks->task[i].text))
            tasks->task[kept - 1].count++;
        else
            tasks->task[kept++] = tasks->task[i];
        tasks->of_step[tasks->task[i].step] = tasks->task[kept - 1].step;
    }
    tasks->count = kept;
    qsort(tasks->task, (size_t)kept, sizeof *tasks->task, compare_steps);
    for (int n = 0; n < steps; n++) {
        opevo_network_task key = {.step = tasks->of_step[n]};
        const opevo_network_task *found =
            key.step < 0 ? NULL
                         : bsearch(&key, tasks->task, (size_t)kept, sizeof key, compare_steps);

        tasks->of_step[n] = found ? (int)(found - tasks->task) : -1;
    }
}

static opevo_status count_flop(opevo_network_task *task, opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_status status =
        opevo_computation_parse(task->text, "definitions", NULL, 0, &computation, err);

    if (status == OPEVO_OK)
        task->flop = opevo_computation_flop(computation);
    opevo_computation_destroy(computation);
    return status;
}

opevo_status opevo_network_inference_tasks(const opevo_network_inference *inference,
                                           opevo_network_tasks *out, opevo_error *err)
{
    size_t steps = (size_t)inference->steps + 1;
    opevo_status status = OPEVO_OK;
    bool *constant = NULL;

    *out = (opevo_network_tasks){.task = opevo_calloc(steps, sizeof *out->task),
                                 .of_step = opevo_calloc(steps, sizeof *out->of_step)};
    if (!out->task || !out->of_step)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network."));
    OPEVO_TRY(opevo_i_net_find_constants(inference, &constant, err));
    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];

        out->of_step[n] = -1;
        if (step->kind == OPEVO_NETWORK_STEP_COMPUTE &&
            !opevo_i_net_step_is_constant(step, constant))
            out->task[out->count++] =
                (opevo_network_task){.text = step->text, .step = n, .count = 1};
    }
    join(out, inference->steps);
    for (int i = 0; i < out->count; i++)
        OPEVO_TRY(count_flop(&out->task[i], err));
cleanup:
    opevo_free(constant);
    return status;
}

void opevo_network_tasks_free(opevo_network_tasks *tasks)
{
    opevo_free(tasks->task);
    opevo_free(tasks->of_step);
    *tasks = (opevo_network_tasks){0};
}
