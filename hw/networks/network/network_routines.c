/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The routines of nodes that are not computations on float32, and what they are called with. */

#include "network_routine_internal.h"

#include <opevo/memory.h>

#include <string.h>

const char *const opevo_network_routine_texts[] = {opevo_i_net_routine_text_routine_h,
                                                   opevo_i_net_routine_text_routines_h,
                                                   opevo_i_net_routine_text_elements_c,
                                                   opevo_i_net_routine_text_places_c,
                                                   opevo_i_net_routine_text_reduce_c,
                                                   opevo_i_net_routine_text_resize_c,
                                                   opevo_i_net_routine_text_recurrent_c,
                                                   opevo_i_net_routine_text_quantized_c,
                                                   opevo_i_net_routine_text_windows_c,
                                                   opevo_i_net_routine_text_sample_c,
                                                   opevo_i_net_routine_text_einsum_c,
                                                   opevo_i_net_routine_text_select_c,
                                                   NULL};

/* ---- Parameters ---- */

opevo_status opevo_i_net_routine_whole(opevo_network_routine *to, int64_t number, opevo_error *err)
{
    int64_t *grown = opevo_realloc(to->whole, to->wholes + 1, sizeof *grown);

    OPEVO_NEED_OR_RETURN(grown, "the parameters of a routine");
    to->whole = grown;
    grown[to->wholes++] = number;
    return OPEVO_OK;
}

opevo_status opevo_i_net_routine_number(opevo_network_routine *to, double number, opevo_error *err)
{
    double *grown = opevo_realloc(to->number, to->numbers + 1, sizeof *grown);

    OPEVO_NEED_OR_RETURN(grown, "the parameters of a routine");
    to->number = grown;
    grown[to->numbers++] = number;
    return OPEVO_OK;
}

void opevo_network_routine_free(opevo_network_routine *self)
{
    opevo_free(self->whole);
    opevo_free(self->number);
    *self = (opevo_network_routine){0};
}

/* ---- Calls ---- */

static routine_tensor tensor_of(const opevo_network_value *value, const void *data)
{
    routine_tensor out = {.data = (void *)data};

    if (!value || !data)
        return out;
    out.type = (int)value->array.type;
    out.dims = value->array.dims;
    memcpy(out.extent, value->array.extent, sizeof out.extent);
    return out;
}

opevo_status opevo_i_net_move_by_routine(const opevo_i_net_call *call, const void *const *in,
                                         void *const *out, opevo_error *err)
{
    size_t ins = (size_t)call->ins, outs = (size_t)call->outs;
    routine_tensor *tensors = opevo_calloc(ins + outs + 1, sizeof *tensors);
    opevo_network_routine with = {.name = call->node->row->routine->name};
    opevo_status status = OPEVO_OK;
    char error[ROUTINE_ERROR];
    const char *wrong = NULL;

    OPEVO_NEED_OR_RETURN(tensors, "the tensors of a node");
    OPEVO_TRY(call->node->row->routine->take(call, &with, err));
    for (size_t i = 0; i < ins; i++)
        tensors[i] = tensor_of(call->in[i], in[i]);
    for (size_t i = 0; i < outs; i++)
        tensors[ins + i] = tensor_of(call->out[i], out[i]);
    wrong = call->node->row->routine->run(&(routine_call){.in = tensors,
                                                          .out = tensors + ins,
                                                          .ins = call->ins,
                                                          .outs = call->outs,
                                                          .whole = with.whole,
                                                          .number = with.number,
                                                          .error = error});
    if (wrong)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s", wrong);
cleanup:
    opevo_network_routine_free(&with);
    opevo_free(tensors);
    return status;
}

opevo_status opevo_network_step_routine(const opevo_network_inference *inference,
                                        const opevo_network_step *step, opevo_network_routine *out,
                                        opevo_error *err)
{
    opevo_i_net_call call = {0};
    const opevo_i_net_operator *row = NULL;
    opevo_status status = OPEVO_OK;

    *out = (opevo_network_routine){0};
    if (!inference->network || step->kind != OPEVO_NETWORK_STEP_NODE)
        return OPEVO_OK;
    row = inference->network->node[step->node].row;
    if (!row->routine)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_net_call_of(inference->network, step->node, &call, err));
    out->name = row->routine->name;
    status = row->routine->take(&call, out, err);
cleanup:
    opevo_i_net_call_release(&call);
    return status;
}

/* ---- What several operators take ---- */

opevo_status opevo_i_net_routine_take_none(const opevo_i_net_call *call, opevo_network_routine *out,
                                           opevo_error *err)
{
    (void)call;
    (void)out;
    (void)err;
    return OPEVO_OK;
}

opevo_status opevo_i_net_routine_take_code(const opevo_i_net_call *call, opevo_network_routine *out,
                                           opevo_error *err)
{
    return opevo_i_net_routine_whole(out, call->node->row->code, err);
}
