/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Running a node, by its definitions. */

#include "network_internal.h"

#include <opevo/memory.h>

#include <math.h>

opevo_status opevo_i_net_call_of(const opevo_network *network, int number, opevo_i_net_call *call,
                                 opevo_error *err)
{
    const opevo_i_net_node *node = &network->node[number];
    size_t ins = (size_t)node->super.inputs, outs = (size_t)node->super.outputs;
    opevo_network_value **values = opevo_calloc(ins + outs + 1, sizeof(opevo_network_value *));

    OPEVO_NEED_OR_RETURN(values, "node %d", number);
    for (size_t i = 0; i < ins + outs; i++)
        values[i] = node->edges[i] < 0 ? NULL : &network->value[node->edges[i]];
    *call = (opevo_i_net_call){.node = node,
                               .opset = node->opset,
                               .in = (const opevo_network_value *const *)values,
                               .out = values + ins,
                               .ins = (int)ins,
                               .outs = (int)outs};
    return OPEVO_OK;
}

void opevo_i_net_call_release(opevo_i_net_call *call)
{
    opevo_free((void *)call->in);
}

static opevo_status computation_of(const opevo_i_net_call *call, opevo_computation **out,
                                   opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(call->node->row->define(call, &text, err));
    OPEVO_TRY(opevo_computation_parse(opevo_text_string(&text), call->node->super.operation, NULL,
                                      0, out, err));
cleanup:
    opevo_text_free(&text);
    return status;
}

static opevo_status compute(const opevo_i_net_call *call, const void *const *data, void *const *out,
                            unsigned threads, opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(computation_of(call, &computation, err));
    OPEVO_TRY(opevo_i_net_compute(computation, data, call->ins, out, call->outs, threads, err));
cleanup:
    opevo_computation_destroy(computation);
    return status;
}

static double elements_of(const opevo_i_net_call *call)
{
    double elements = 0;

    for (int i = 0; i < call->ins; i++)
        elements += call->in[i] ? (double)opevo_array_elements(&call->in[i]->array) : 0;
    for (int i = 0; i < call->outs; i++)
        elements += call->out[i] ? (double)opevo_array_elements(&call->out[i]->array) : 0;
    return elements;
}

double opevo_i_net_work(const opevo_computation *computation)
{
    double work = opevo_computation_flop(computation).count;

    for (int i = 0; i < computation->tensors; i++) {
        if (computation->tensor[i]->definition)
            work += opevo_tensor_points(computation->tensor[i]);
    }
    return work;
}

opevo_status opevo_i_net_cost(const opevo_network *network, int node, double *out, opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_i_net_call call;
    opevo_status status = OPEVO_OK;

    *out = 0;
    if (!network->node[node].row->define)
        return OPEVO_OK;
    status = opevo_i_net_call_of(network, node, &call, err);
    if (status != OPEVO_OK)
        return status;
    status = computation_of(&call, &computation, err);
    if (status == OPEVO_OK)
        *out = opevo_i_net_work(computation);
    else if (status == OPEVO_LIMIT)
        *out = INFINITY;
    else if (!call.node->super.computed)
        *out = elements_of(&call); /* no definition of this one, or without elements */
    if (status == OPEVO_LIMIT || (status != OPEVO_NOMEM && !call.node->super.computed))
        status = OPEVO_OK;
    opevo_computation_destroy(computation);
    opevo_i_net_call_release(&call);
    return status;
}

opevo_status opevo_i_net_execute(const opevo_network *network, int node, const void *const *data,
                                 void *const *out, unsigned threads, opevo_error *err)
{
    opevo_i_net_call call;
    opevo_status status = opevo_i_net_call_of(network, node, &call, err);

    if (status != OPEVO_OK)
        return status;
    status = call.node->super.computed ? compute(&call, data, out, threads, err)
                                       : call.node->row->move(&call, data, out, err);
    opevo_i_net_call_release(&call);
    return status;
}

static opevo_status say_step(const opevo_network *network, const opevo_network_step *step,
                             opevo_status status, const opevo_error *reason, opevo_error *err)
{
    const char *name = network->node[step->node].super.name;

    if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "%.400s: node %d (%.60s%s%.200s%s): %.600s", network->path,
                   step->node, step->operation, *name ? " '" : "", name, *name ? "'" : "",
                   reason->message);
    return status;
}

opevo_status opevo_i_net_execute_step(const opevo_network *network, const opevo_network_step *step,
                                      const void *const *data, void *const *out, unsigned threads,
                                      opevo_error *err)
{
    opevo_error reason = {OPEVO_OK, ""};
    opevo_status status = opevo_i_net_execute(network, step->node, data, out, threads, &reason);

    return say_step(network, step, status, &reason, err);
}

/* The same node on float32 in the place of what it moves. */
static opevo_status execute_as_float(const opevo_i_net_call *call, const void *const *data,
                                     void *const *out, int which, opevo_error *err)
{
    size_t ins = (size_t)call->ins, all = ins + (size_t)call->outs;
    opevo_network_value *values = opevo_calloc(all + 1, sizeof *values);
    opevo_network_value **edges = opevo_calloc(all + 1, sizeof(opevo_network_value *));
    opevo_network_type moved = call->out[which]->array.type;
    opevo_i_net_call as_float = *call;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(values && edges, "a node");
    for (size_t i = 0; i < all; i++) {
        const opevo_network_value *value = i < ins ? call->in[i] : call->out[i - ins];
        bool is_place = i < ins && i < 32 && call->node->row->places >> i & 1;

        if (!value)
            continue;
        values[i] = *value;
        if (!is_place && value->array.type == moved)
            values[i].array.type = OPEVO_NETWORK_FLOAT32;
        edges[i] = &values[i];
    }
    as_float.in = (const opevo_network_value *const *)edges;
    as_float.out = edges + ins;
    status = call->node->row->move(&as_float, data, out, err);
cleanup:
    opevo_free(values);
    opevo_free((void *)edges);
    return status;
}

opevo_status opevo_i_net_execute_moved(const opevo_network *network, const opevo_network_step *step,
                                       const void *const *data, void *const *out, int which,
                                       opevo_error *err)
{
    opevo_error reason = {OPEVO_OK, ""};
    opevo_i_net_call call;
    opevo_status status = opevo_i_net_call_of(network, step->node, &call, err);

    if (status != OPEVO_OK)
        return status;
    status = execute_as_float(&call, data, out, which, &reason);
    opevo_i_net_call_release(&call);
    return say_step(network, step, status, &reason, err);
}

opevo_status opevo_network_define(const opevo_network *network, int node, opevo_text *out,
                                  opevo_error *err)
{
    opevo_i_net_call call;
    opevo_status status = OPEVO_OK;

    if (!network->node[node].super.computed)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Node %d moves elements; it has no definitions.",
                          node);
    status = opevo_i_net_call_of(network, node, &call, err);
    if (status != OPEVO_OK)
        return status;
    status = call.node->row->define(&call, out, err);
    opevo_i_net_call_release(&call);
    return status;
}

opevo_status opevo_network_flop(const opevo_network *network, int node, opevo_flop *out,
                                opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;
    opevo_i_net_call call = {0};

    *out = (opevo_flop){.exact = true};
    if (!network->node[node].super.computed)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_net_call_of(network, node, &call, err));
    OPEVO_TRY(computation_of(&call, &computation, err));
    *out = opevo_computation_flop(computation);
cleanup:
    opevo_i_net_call_release(&call);
    opevo_computation_destroy(computation);
    return status;
}
