/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tasks of a network: its different computations, and how often each occurs. */

#include "network_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

static int compare_texts(const void *a, const void *b)
{
    const opevo_i_task *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order ? order : x->node - y->node;
}

static int compare_nodes(const void *a, const void *b)
{
    return ((const opevo_i_task *)a)->node - ((const opevo_i_task *)b)->node;
}

/* Put equal texts together; the first node of each stays. */
static void join(opevo_i_tasks *tasks)
{
    size_t kept = 0;

    qsort(tasks->task, tasks->count, sizeof *tasks->task, compare_texts);
    for (size_t i = 0; i < tasks->count; i++) {
        if (kept && !strcmp(tasks->task[kept - 1].text, tasks->task[i].text)) {
            tasks->task[kept - 1].count++;
            opevo_free(tasks->task[i].text);
        } else {
            tasks->task[kept++] = tasks->task[i];
        }
    }
    tasks->count = kept;
    qsort(tasks->task, tasks->count, sizeof *tasks->task, compare_nodes);
}

static opevo_status add(const opevo_network *network, int node, opevo_i_tasks *tasks,
                        opevo_error *err)
{
    opevo_i_task *task = &tasks->task[tasks->count];
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_define(network, node, &text, err));
    *task = (opevo_i_task){.text = opevo_strdup(opevo_text_string(&text)),
                           .operation = opevo_network_node(network, node)->operation,
                           .node = node,
                           .count = 1};
    if (!task->text)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network."));
    tasks->count++;
cleanup:
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_i_tasks_of(const opevo_network *network, opevo_i_tasks *out, opevo_error *err)
{
    int nodes = opevo_network_node_count(network);
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_tasks){.task = opevo_calloc((size_t)nodes + 1, sizeof *out->task)};
    if (!out->task)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network.");
    for (int i = 0; i < nodes && status == OPEVO_OK; i++) {
        /* What depends on weights alone is computed once, before any run. */
        const opevo_net_node *node = opevo_network_node(network, i);

        if (node->computed && !opevo_network_value(network, node->output[0])->constant)
            status = add(network, i, out, err);
    }
    if (status == OPEVO_OK)
        join(out);
    for (size_t i = 0; i < out->count && status == OPEVO_OK; i++)
        status = opevo_network_flop(network, out->task[i].node, &out->task[i].flop, err);
    return status;
}

void opevo_i_tasks_free(opevo_i_tasks *tasks)
{
    for (size_t i = 0; i < tasks->count; i++)
        opevo_free(tasks->task[i].text);
    opevo_free(tasks->task);
}
