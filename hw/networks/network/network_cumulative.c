/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Along an axis: cumulative sums, and the largest elements. */

#include "network_routine_internal.h"

static opevo_status infer_cumulative(const opevo_i_net_call *call, opevo_error *err)
{
    if (opevo_array_elements(&call->in[1]->array) != 1 || call->in[0]->array.dims < 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Input 1 (axis) must be one dimension of input 0.");
    return opevo_i_net_infer_same(call, err);
}

static opevo_status take(const opevo_i_net_call *call, opevo_network_routine *out, opevo_error *err)
{
    opevo_status status =
        opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "exclusive", 0), err);

    return status == OPEVO_OK
               ? opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "reverse", 0), err)
               : status;
}

static const opevo_i_net_routine cumulative = {"routine_cumulative", routine_cumulative, take,
                                               NULL};

/* ---- The largest elements ---- */

static opevo_status infer_top(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t k = 0, extent[OPEVO_NETWORK_DIMS];
    int axis = 0, count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", -1), in->dims, &axis, err));
    if (call->outs > 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "It has %d outputs.", call->outs);
    if (call->opset < 10)
        k = opevo_i_net_attribute_int(call, "k", -1);
    else
        OPEVO_TRY(opevo_i_net_list(call, 1, 10, "k", 1, &k, &count, err));
    if ((call->opset >= 10 && count != 1) || k < 0 || k > in->extent[axis])
        return OPEVO_FAIL(err, OPEVO_INVALID, "K is %lld of %lld elements.", (long long)k,
                          (long long)in->extent[axis]);
    for (int d = 0; d < in->dims; d++)
        extent[d] = d == axis ? k : in->extent[d];
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, in->dims, extent, err));
    if (call->outs > 1)
        OPEVO_TRY(opevo_i_net_shape(call->out[1], OPEVO_NETWORK_INT64, in->dims, extent, err));
cleanup:
    return status;
}

static opevo_status take_top(const opevo_i_net_call *call, opevo_network_routine *out,
                             opevo_error *err)
{
    int axis = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", -1), call->in[0]->array.dims,
                               &axis, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, axis, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "largest", 1), err));
cleanup:
    return status;
}

static const opevo_i_net_routine top = {"routine_top", routine_top, take_top, routine_top_need};

const opevo_i_net_operator opevo_i_net_cumulative[] = {
    {"CumSum", 11, 2, 2, 1, infer_cumulative, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     0, "exclusive=int reverse=int", &cumulative, 0},
    {"TopK", 1, 1, 2, 0, infer_top, opevo_i_net_define_none, opevo_i_net_move_by_routine, 0,
     "axis=int k=int:-9! largest=int:11- sorted=int:11-", &top, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
