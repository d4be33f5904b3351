/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is in a network, as tables or as JSON. */

#include "network_cli_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/computation.h>
#include <opevo/json.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void opevo_i_cli_add_shape(const opevo_array *array, opevo_text *out)
{
    for (int d = 0; d < array->dims; d++)
        opevo_text_printf(out, "%s%lld", d ? " x " : "", (long long)array->extent[d]);
    if (array->dims == 0)
        opevo_text_add(out, "1");
}

/* ---- Totals ---- */

typedef struct totals {
    double flop, weight_bytes;
    bool exact;
    int computed, moved, constant; /* nodes */
} totals;

/* Weights are the constants that nodes of a run read. */
static totals total(const opevo_network *network, const opevo_network_tasks *tasks)
{
    totals sum = {.exact = true};

    for (int i = 0; i < tasks->count; i++) {
        sum.flop += tasks->task[i].flop.count * tasks->task[i].count;
        sum.exact &= tasks->task[i].flop.exact;
    }
    for (int i = 0; i < opevo_network_node_count(network); i++) {
        const opevo_network_node *node = opevo_network_node_at(network, i);

        if (node->output[0] >= 0 && opevo_network_value_at(network, node->output[0])->constant)
            sum.constant++;
        else if (node->computed)
            sum.computed++;
        else
            sum.moved++;
    }
    return sum;
}

static opevo_status weight_bytes(const opevo_network *network, double *out, opevo_error *err)
{
    int values = opevo_network_value_count(network);
    bool *counted = opevo_calloc((size_t)values + 1, sizeof *counted);
    double bytes = 0;

    OPEVO_NEED_OR_RETURN(counted, "counting the weights of the network");
    for (int i = 0; i < opevo_network_node_count(network); i++) {
        const opevo_network_node *node = opevo_network_node_at(network, i);

        if (node->output[0] < 0 || opevo_network_value_at(network, node->output[0])->constant)
            continue;
        for (int k = 0; k < node->inputs; k++) {
            const opevo_network_value *value =
                node->input[k] < 0 ? NULL : opevo_network_value_at(network, node->input[k]);

            if (!value || !value->constant || counted[node->input[k]])
                continue;
            counted[node->input[k]] = true;
            bytes += (double)opevo_array_elements(&value->array) *
                     (double)opevo_network_type_bytes(value->array.type);
        }
    }
    opevo_free(counted);
    *out = bytes;
    return OPEVO_OK;
}

/* ---- For a person ---- */

static void add_ends(const opevo_network *network, const char *role, int count,
                     int (*get)(const opevo_network *, int), opevo_text *out)
{
    for (int i = 0; i < count; i++) {
        const opevo_network_value *value = opevo_network_value_at(network, get(network, i));

        opevo_text_printf(out, "%s ", role);
        opevo_i_cli_add_name(value->name, out);
        opevo_text_printf(out, ": %s ", opevo_network_type_name(value->array.type));
        opevo_i_cli_add_shape(&value->array, out);
        opevo_text_add(out, "\n");
    }
}

typedef struct kind {
    const char *name;
    int nodes;
} kind;

static int compare_kinds(const void *a, const void *b)
{
    const kind *x = a, *y = b;

    return x->nodes != y->nodes ? y->nodes - x->nodes : strcmp(x->name, y->name);
}

/* "53 Conv, 49 Relu, ..." */
static void add_operators(const opevo_network *network, opevo_text *out)
{
    int nodes = opevo_network_node_count(network), kinds = 0;
    kind *list = opevo_calloc((size_t)nodes + 1, sizeof *list);

    for (int i = 0; i < nodes && list; i++) {
        const char *name = opevo_network_node_at(network, i)->operation;
        int k = 0;

        while (k < kinds && strcmp(list[k].name, name) != 0)
            k++;
        if (k == kinds)
            list[kinds++].name = name;
        list[k].nodes++;
    }
    if (list)
        qsort(list, (size_t)kinds, sizeof *list, compare_kinds);
    for (int k = 0; k < kinds; k++)
        opevo_text_printf(out, "%s%d %s", k ? ", " : "", list[k].nodes, list[k].name);
    opevo_text_add(out, "\n");
    out->failed |= !list;
    opevo_free(list);
}

static opevo_status print_tasks(const opevo_network_inference *inference,
                                const opevo_network_tasks *tasks, opevo_text *out, opevo_error *err)
{
    static const char *const heads[] = {"<task", "<first node", "<result", "times", "MFLOP each"};
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};

    for (int i = 0; i < tasks->count; i++) {
        const opevo_network_task *task = &tasks->task[i];
        const opevo_network_step *step = &inference->step[task->step];
        const opevo_network_node *node = opevo_network_node_at(inference->network, step->node);
        opevo_text shape = {0}, name = {0};

        opevo_i_cli_add_name(node->name, &name);
        opevo_i_cli_add_shape(&inference->value[step->output[0]].array, &shape);
        opevo_i_cli_table_cell(&table, "%s", step->operation);
        if (*node->name)
            opevo_i_cli_table_cell(&table, "%s", opevo_text_string(&name));
        else
            opevo_i_cli_table_cell(&table, "%d", step->node);
        opevo_i_cli_table_cell(&table, "%s", opevo_text_string(&shape));
        opevo_i_cli_table_cell(&table, "%d", task->count);
        opevo_i_cli_table_cell(&table, "%s%.3f",
                               task->flop.exact ? "" : "<= ", task->flop.count / 1e6);
        table.failed |= shape.failed || name.failed;
        opevo_text_free(&shape);
        opevo_text_free(&name);
    }
    return opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

/* One row: what there is after a pass. */
static opevo_status add_state(const opevo_network_inference *inference, const char *pass,
                              const char *summary, opevo_table *table, opevo_error *err)
{
    opevo_network_tasks tasks = {0};
    opevo_status status = OPEVO_OK;
    double flop = 0, bytes = 0;

    OPEVO_TRY(opevo_network_inference_tasks(inference, &tasks, err));
    OPEVO_TRY(opevo_network_inference_intermediate_bytes(inference, &bytes, err));
    for (int i = 0; i < tasks.count; i++)
        flop += tasks.task[i].flop.count * tasks.task[i].count;
    opevo_i_cli_table_cell(table, "%s", pass);
    opevo_i_cli_table_cell(table, "%d", inference->steps);
    opevo_i_cli_table_cell(table, "%d", tasks.count);
    opevo_i_cli_table_cell(table, "%.3f", flop / 1e6);
    opevo_i_cli_table_cell(table, "%.3f", bytes / 1e6);
    opevo_i_cli_table_cell(table, "%s", summary);
cleanup:
    opevo_network_tasks_free(&tasks);
    return status;
}

opevo_status opevo_i_cli_network_print_passes(opevo_network_inference *inference, uint32_t mask,
                                              opevo_text *out, opevo_error *err)
{
    static const char *const heads[] = {"<after", "steps",           "tasks",
                                        "MFLOP",  "intermediate MB", "<what the pass does"};
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};
    size_t count = 0;
    const opevo_network_pass *pass = opevo_network_passes(&count);
    opevo_status status = add_state(inference, "reading", "", &table, err), printed = OPEVO_OK;

    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (!(mask & UINT32_C(1) << i))
            continue;
        status = pass[i].run(inference, err);
        if (status == OPEVO_OK)
            status = add_state(inference, pass[i].name, pass[i].summary, &table, err);
    }
    printed = opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
    opevo_i_cli_network_print_winograd(inference, out);
    return status == OPEVO_OK ? printed : status;
}

void opevo_i_cli_network_print_winograd(const opevo_network_inference *inference, opevo_text *out)
{
    for (int i = 0; i < inference->winograd.layers; i++) {
        const opevo_winograd_layer *layer = &inference->winograd.layer[i];

        opevo_i_cli_add_name(layer->name, out);
        opevo_text_printf(out, ": Winograd's F(%dx%d,3x3), error at most ", layer->tile,
                          layer->tile);
        opevo_i_cli_text_add_bound(out, layer->bound);
        opevo_text_add(out, " (bounded; ");
        opevo_i_cli_text_add_bound(out, layer->direct_bound);
        opevo_text_add(out, " without) of largest input times sum of weights\n");
    }
}

/* The end of the verb behind a count. */
static const char *of_one(int count)
{
    return count == 1 ? "s" : "";
}

opevo_status opevo_i_cli_network_print(const opevo_network_inference *inference,
                                       const opevo_network_tasks *tasks, opevo_text *out,
                                       opevo_error *err)
{
    const opevo_network *network = inference->network;
    totals sum = total(network, tasks);
    const char *producer = opevo_network_producer(network);
    int nodes = opevo_network_node_count(network);
    opevo_status status = OPEVO_OK;
    double bytes = 0;

    OPEVO_TRY(weight_bytes(network, &bytes, err));
    opevo_text_printf(out, "ONNX opset %d%s", opevo_network_opset(network),
                      *producer ? ", made by " : "");
    opevo_i_cli_add_name(producer, out);
    opevo_text_add(out, "\n");
    add_ends(network, "input", opevo_network_input_count(network), opevo_network_input, out);
    add_ends(network, "output", opevo_network_output_count(network), opevo_network_output, out);
    opevo_text_printf(out, "%d node%s: ", nodes, opevo_i_cli_plural((unsigned)nodes));
    add_operators(network, out);
    opevo_text_printf(out,
                      "%d of them compute%s, %d move%s elements, %d depend%s on constants only\n"
                      "weights: %.3f MB\n%s%.3f MFLOP (%s)\n",
                      sum.computed, of_one(sum.computed), sum.moved, of_one(sum.moved),
                      sum.constant, of_one(sum.constant), bytes / 1e6, sum.exact ? "" : "at most ",
                      sum.flop / 1e6, sum.exact ? "exact" : "bounded");
    opevo_i_cli_network_print_winograd(inference, out);
    if (tasks->count == 0)
        goto cleanup;
    opevo_text_printf(out, "\n%d different computation%s:\n", tasks->count,
                      opevo_i_cli_plural((unsigned)tasks->count));
    status = print_tasks(inference, tasks, out, err);
cleanup:
    return status;
}

/* ---- JSON ---- */

static void add_json_ends(const opevo_network *network, const char *key, int count,
                          int (*get)(const opevo_network *, int), opevo_text *out)
{
    opevo_json_open(out, key, "[");
    for (int i = 0; i < count; i++) {
        const opevo_network_value *value = opevo_network_value_at(network, get(network, i));

        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, "name", value->name);
        opevo_json_string(out, "type", opevo_network_type_name(value->array.type));
        opevo_json_open(out, "shape", "[");
        for (int d = 0; d < value->array.dims; d++)
            opevo_text_printf(out, "%s%lld", d ? ", " : "", (long long)value->array.extent[d]);
        opevo_text_add(out, "]}");
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_network_add_json_winograd(const opevo_network_inference *inference,
                                           opevo_text *out)
{
    if (inference->winograd.error <= 0)
        return;
    opevo_json_open(out, "winograd", "[");
    for (int i = 0; i < inference->winograd.layers; i++) {
        const opevo_winograd_layer *layer = &inference->winograd.layer[i];

        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_string(out, "step", layer->name);
        opevo_json_double(out, "tile", layer->tile);
        opevo_json_double(out, "error", layer->bound);
        opevo_json_double(out, "direct_error", layer->direct_bound);
        opevo_json_string(out, "error_sure", "bounded");
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "\n]");
}

opevo_status opevo_i_cli_network_print_json(const opevo_network_inference *inference,
                                            const opevo_network_tasks *tasks, opevo_text *out,
                                            opevo_error *err)
{
    const opevo_network *network = inference->network;
    totals sum = total(network, tasks);
    opevo_text definitions = {0};
    opevo_status status = OPEVO_OK;
    double bytes = 0;

    OPEVO_TRY(weight_bytes(network, &bytes, err));
    opevo_text_add(out, "{");
    opevo_json_double(out, "opset", opevo_network_opset(network));
    opevo_json_string(out, "producer", opevo_network_producer(network));
    add_json_ends(network, "inputs", opevo_network_input_count(network), opevo_network_input, out);
    add_json_ends(network, "outputs", opevo_network_output_count(network), opevo_network_output,
                  out);
    opevo_json_double(out, "nodes", opevo_network_node_count(network));
    opevo_json_double(out, "weight_bytes", bytes);
    opevo_json_double(out, "flop", sum.flop);
    opevo_json_string(out, "flop_sure", sum.exact ? "exact" : "bounded");
    opevo_json_open(out, "tasks", "[");
    for (int i = 0; i < tasks->count; i++) {
        const opevo_network_task *task = &tasks->task[i];
        const opevo_network_step *step = &inference->step[task->step];

        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_string(out, "operator", step->operation);
        opevo_json_double(out, "first_node", step->node);
        opevo_json_double(out, "times", task->count);
        opevo_json_double(out, "flop", task->flop.count);
        opevo_json_string(out, "flop_sure", task->flop.exact ? "exact" : "bounded");
        opevo_text_clear(&definitions);
        opevo_computation_print(task->computation, "\n", &definitions);
        OPEVO_TRY(opevo_text_check(&definitions, err));
        opevo_json_string(out, "computation", opevo_text_string(&definitions));
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "\n]");
    opevo_i_cli_network_add_json_winograd(inference, out);
    opevo_text_add(out, "}\n");
cleanup:
    opevo_text_free(&definitions);
    return status;
}
