/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The routines of nodes that are not computations on float32, and what they are called with. */

#include "network_routine_internal.h"

#include <opevo/memory.h>

#include <string.h>

const opevo_network_routine_text opevo_network_routine_texts[] = {
    {"routine.h", opevo_i_net_routine_text_routine_h},
    {"routines.h", opevo_i_net_routine_text_routines_h},
    {"elements.c", opevo_i_net_routine_text_elements_c},
    {"places.c", opevo_i_net_routine_text_places_c},
    {"reduce.c", opevo_i_net_routine_text_reduce_c},
    {"resize.c", opevo_i_net_routine_text_resize_c},
    {"recurrent.c", opevo_i_net_routine_text_recurrent_c},
    {"quantized.c", opevo_i_net_routine_text_quantized_c},
    {"tiles.h", opevo_i_net_routine_text_tiles_h},
    {"byte_products.c", opevo_i_net_routine_text_byte_products_c},
    {"byte_windows.c", opevo_i_net_routine_text_byte_windows_c},
    {"windows.c", opevo_i_net_routine_text_windows_c},
    {"sample.c", opevo_i_net_routine_text_sample_c},
    {"einsum.c", opevo_i_net_routine_text_einsum_c},
    {"select.c", opevo_i_net_routine_text_select_c},
    {NULL, NULL},
};

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

static routine_tensor tensor_of(const opevo_network_value *value)
{
    routine_tensor out = {0};

    if (!value)
        return out;
    out.type = (int)value->array.type;
    out.dims = value->array.dims;
    memcpy(out.extent, value->array.extent, sizeof out.extent);
    return out;
}

/* The call of a node without data, with tensors that are to be freed, also on failure. */
static opevo_status make_call(const opevo_i_net_call *call, const opevo_network_routine *with,
                              routine_tensor **tensors, routine_call *out, opevo_error *err)
{
    size_t ins = (size_t)call->ins, outs = (size_t)call->outs;

    *tensors = opevo_calloc(ins + outs + 1, sizeof **tensors);
    OPEVO_NEED_OR_RETURN(*tensors, "the tensors of a node");
    for (size_t i = 0; i < ins; i++)
        (*tensors)[i] = tensor_of(call->in[i]);
    for (size_t i = 0; i < outs; i++)
        (*tensors)[ins + i] = tensor_of(call->out[i]);
    *out = (routine_call){.in = *tensors,
                          .out = *tensors + ins,
                          .ins = call->ins,
                          .outs = call->outs,
                          .whole = with->whole,
                          .number = with->number};
    return OPEVO_OK;
}

static void put_data(routine_tensor *tensor, const void *data)
{
    *tensor = data ? *tensor : (routine_tensor){0};
    tensor->data = (void *)data;
}

/* Memory of so many bytes, if there are any. */
static opevo_status take_memory(double bytes, void **out, opevo_error *err)
{
    *out = NULL;
    if (bytes > 0)
        *out = bytes < 0x1p62 ? opevo_malloc((size_t)bytes, 1) : NULL;
    if (bytes > 0 && !*out)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %.3g bytes beside its tensors.", bytes);
    return OPEVO_OK;
}

opevo_status opevo_i_net_move_by_routine(const opevo_i_net_call *call, const void *const *in,
                                         void *const *out, opevo_error *err)
{
    const opevo_i_net_routine *by = call->node->row->routine;
    opevo_network_routine with = {.name = by->name};
    routine_tensor *tensors = NULL;
    routine_call made = {0};
    opevo_status status = OPEVO_OK;
    char error[ROUTINE_ERROR];
    const char *wrong = NULL;

    OPEVO_TRY(by->take(call, &with, err));
    OPEVO_TRY(make_call(call, &with, &tensors, &made, err));
    if (by->need)
        OPEVO_TRY(take_memory(by->need(&made), &made.memory, err));
    for (int i = 0; i < call->ins; i++)
        put_data(&tensors[i], in[i]);
    for (int i = 0; i < call->outs; i++)
        put_data(&tensors[call->ins + i], out[i]);
    made.error = error;
    wrong = by->run(&made);
    if (wrong)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s", wrong);
cleanup:
    opevo_network_routine_free(&with);
    opevo_free(made.memory);
    opevo_free(tensors);
    return status;
}

/* The memory that a call of a node is given. */
static opevo_status measure(const opevo_i_net_call *call, opevo_network_routine *self,
                            opevo_error *err)
{
    const opevo_i_net_routine *by = call->node->row->routine;
    routine_tensor *tensors = NULL;
    routine_call made = {0};
    opevo_status status = make_call(call, self, &tensors, &made, err);

    if (status == OPEVO_OK && by->need) {
        self->memory_bytes = by->need(&made);
        made.scarce = true;
        self->least_memory_bytes = by->need(&made);
    }
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
    OPEVO_TRY(row->routine->take(&call, out, err));
    status = measure(&call, out, err);
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
