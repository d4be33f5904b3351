/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cumulative sums. */

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

static const opevo_i_net_routine cumulative = {"routine_cumulative", routine_cumulative, take};

const opevo_i_net_operator opevo_i_net_cumulative[] = {
    {"CumSum", 11, 2, 2, 1, infer_cumulative, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     0, "exclusive=int reverse=int", &cumulative, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
