/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Comparisons, operators on truth values, and the choice between two tensors. */

#include "network_internal.h"

enum code { EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, AND, OR, XOR, NOT };

/* ---- Comparisons ---- */

static opevo_status infer(const opevo_i_net_call *call, opevo_error *err)
{
    bool logic = call->node->row->code >= AND;
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

/* `order` is the sign of a - b; 2 where one of them is NaN. */
static bool compare(enum code code, int order)
{
    switch (code) {
    case EQUAL:
        return order == 0;
    case LESS:
        return order == -1;
    case LESS_EQUAL:
        return order == -1 || order == 0;
    case GREATER:
        return order == 1;
    case GREATER_EQUAL:
        return order == 1 || order == 0;
    default:
        return false;
    }
}

static int order_of(const opevo_array *a, const void *x, int64_t i, const opevo_array *b,
                    const void *y, int64_t k)
{
    double p = opevo_i_net_number(a, x, i), q = opevo_i_net_number(b, y, k);
    int64_t m = 0, n = 0;

    if (!opevo_i_net_type_is_whole(a->type))
        return p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
    m = opevo_i_net_whole(a, x, i);
    n = opevo_i_net_whole(b, y, k);
    return (m > n) - (m < n);
}

static opevo_status move(const opevo_i_net_call *call, const void *const *in, void *const *out,
                         opevo_error *err)
{
    enum code code = (enum code)call->node->row->code;
    const opevo_array *all = &call->out[0]->array, *a = &call->in[0]->array;
    const opevo_array *b = &call->in[call->ins - 1]->array;
    const void *second = in[call->ins - 1];
    uint8_t *to = out[0];

    (void)err;
    for (int64_t i = 0, count = opevo_array_elements(all); i < count; i++) {
        int64_t at = opevo_i_net_place(all, a, i), by = opevo_i_net_place(all, b, i);
        bool x = opevo_i_net_number(a, in[0], at) != 0, y = opevo_i_net_number(b, second, by) != 0;

        if (code < AND)
            to[i] = compare(code, order_of(a, in[0], at, b, second, by));
        else
            to[i] = code == AND ? x && y : code == OR ? x || y : code == XOR ? x != y : !x;
    }
    return OPEVO_OK;
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

static opevo_status choose(const opevo_i_net_call *call, const void *const *in, void *const *out,
                           opevo_error *err)
{
    const opevo_array *all = &call->out[0]->array;

    (void)err;
    for (int64_t i = 0, count = opevo_array_elements(all); i < count; i++) {
        int64_t at = opevo_i_net_place(all, &call->in[0]->array, i);
        int from = ((const uint8_t *)in[0])[at] ? 1 : 2;

        at = opevo_i_net_place(all, &call->in[from]->array, i);
        opevo_i_net_copy_element(all->type, in[from], at, out[0], i);
    }
    return OPEVO_OK;
}

const opevo_i_net_operator opevo_i_net_logic[] = {
    {"Equal", 7, 2, 2, 1, infer, NULL, move, EQUAL, NULL},
    {"Less", 7, 2, 2, 1, infer, NULL, move, LESS, NULL},
    {"LessOrEqual", 12, 2, 2, 1, infer, NULL, move, LESS_EQUAL, NULL},
    {"Greater", 7, 2, 2, 1, infer, NULL, move, GREATER, NULL},
    {"GreaterOrEqual", 12, 2, 2, 1, infer, NULL, move, GREATER_EQUAL, NULL},
    {"And", 7, 2, 2, 1, infer, NULL, move, AND, NULL},
    {"Or", 7, 2, 2, 1, infer, NULL, move, OR, NULL},
    {"Xor", 7, 2, 2, 1, infer, NULL, move, XOR, NULL},
    {"Not", 1, 1, 1, 1, infer, NULL, move, NOT, NULL},
    {"Where", 9, 3, 3, 1, infer_where, NULL, choose, 0, NULL},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL},
};
