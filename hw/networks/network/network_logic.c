/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Comparisons, operators on truth values, and the choice between two tensors. */

#include "network_routine_internal.h"

/* ---- Comparisons ---- */

static opevo_status infer(const opevo_i_net_call *call, opevo_error *err)
{
    bool logic = call->node->row->code >= ROUTINE_AND;
    opevo_array all = {0};
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < call->ins; i++) {
        opevo_network_type type = call->in[i]->array.type;

        if (type != (logic ? OPEVO_NETWORK_BOOL : call->in[0]->array.type))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d is of type %s instead of %s.", i,
                              opevo_network_type_name(type),
                              logic ? "bool" : opevo_network_type_name(call->in[0]->array.type));
    }
    status = opevo_i_net_broadcast_inputs(call, 0, &all, err);
    return status == OPEVO_OK
               ? opevo_i_net_shape(call->out[0], OPEVO_NETWORK_BOOL, all.dims, all.extent, err)
               : status;
}

/* ---- The choice ---- */

static opevo_status infer_where(const opevo_i_net_call *call, opevo_error *err)
{
    opevo_array all = {0};
    opevo_status status = opevo_i_net_broadcast_inputs(call, 0, &all, err);

    if (status != OPEVO_OK)
        return status;
    if (call->in[0]->array.type != OPEVO_NETWORK_BOOL ||
        call->in[1]->array.type != call->in[2]->array.type)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its inputs are of types %s, %s and %s.",
                          opevo_network_type_name(call->in[0]->array.type),
                          opevo_network_type_name(call->in[1]->array.type),
                          opevo_network_type_name(call->in[2]->array.type));
    return opevo_i_net_shape(call->out[0], call->in[1]->array.type, all.dims, all.extent, err);
}

/* ---- Branches ---- */

/* Of a condition that is known only the tensor that it takes matters. */
static opevo_status infer_if(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *condition = &call->in[0]->array, *yes = &call->in[1]->array,
                      *no = &call->in[2]->array;
    bool same = yes->type == no->type && yes->dims == no->dims;

    if (condition->type != OPEVO_NETWORK_BOOL || opevo_array_elements(condition) != 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its condition must be one Boolean.");
    if (condition->data)
        yes = no = opevo_i_net_whole(condition, condition->data, 0) ? yes : no;
    for (int d = 0; d < yes->dims && same; d++)
        same = yes->extent[d] == no->extent[d];
    if (!same && yes != no)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Its branches give tensors of different types or shapes, and its "
                          "condition is not constant; bind the input that decides it with --bind.");
    return opevo_i_net_shape(call->out[0], yes->type, yes->dims, yes->extent, err);
}

static const opevo_i_net_routine branch = {"routine_if", routine_if, opevo_i_net_routine_take_none,
                                           NULL};
static const opevo_i_net_routine logic = {"routine_logic", routine_logic,
                                          opevo_i_net_routine_take_code, NULL};
static const opevo_i_net_routine choice = {"routine_where", routine_where,
                                           opevo_i_net_routine_take_none, NULL};

const opevo_i_net_operator opevo_i_net_logic[] = {
    {"Equal", 7, 2, 2, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     ROUTINE_EQUAL, NULL, &logic, 0},
    {"Less", 7, 2, 2, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine, ROUTINE_LESS,
     NULL, &logic, 0},
    {"LessOrEqual", 12, 2, 2, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     ROUTINE_LESS_EQUAL, NULL, &logic, 0},
    {"Greater", 7, 2, 2, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     ROUTINE_GREATER, NULL, &logic, 0},
    {"GreaterOrEqual", 12, 2, 2, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     ROUTINE_GREATER_EQUAL, NULL, &logic, 0},
    {"And", 7, 2, 2, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine, ROUTINE_AND,
     NULL, &logic, 0},
    {"Or", 7, 2, 2, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine, ROUTINE_OR,
     NULL, &logic, 0},
    {"Xor", 7, 2, 2, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine, ROUTINE_XOR,
     NULL, &logic, 0},
    {"Not", 1, 1, 1, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine, ROUTINE_NOT,
     NULL, &logic, 0},
    {"Where", 9, 3, 3, 1, infer_where, NULL, opevo_i_net_move_by_routine, 0, NULL, &choice, 1},
    {"If", 1, 3, 3, 1, infer_if, NULL, opevo_i_net_move_by_routine, 0, NULL, &branch, 1},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
