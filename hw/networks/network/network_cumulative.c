/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cumulative sums. */

#include "network_internal.h"

static opevo_status infer_cumulative(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t axis = 0;
    int count = 0, d = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_list(call, 1, 1, "axis", 1, &axis, &count, err));
    OPEVO_TRY(opevo_i_net_axis(axis, call->in[0]->array.dims, &d, err));
    OPEVO_TRY(opevo_i_net_infer_same(call, err));
cleanup:
    return status;
}

static opevo_status cumulative_sum(const opevo_i_net_call *call, const void *const *in,
                                   void *const *out, opevo_error *err)
{
    const opevo_array *all = &call->out[0]->array;
    bool before = opevo_i_net_attribute_int(call, "exclusive", 0) != 0;
    bool back = opevo_i_net_attribute_int(call, "reverse", 0) != 0;
    int64_t axis = 0, stride = 1, extent = 0;
    int count = 0, d = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_list(call, 1, 1, "axis", 1, &axis, &count, err));
    OPEVO_TRY(opevo_i_net_axis(axis, all->dims, &d, err));
    extent = all->extent[d];
    for (int k = all->dims - 1; k > d; k--)
        stride *= all->extent[k];
    for (int64_t i = 0; extent && i < opevo_array_elements(all) / extent; i++) {
        int64_t start = i / stride * stride * extent + i % stride;
        uint64_t whole = 0;
        double sum = 0;

        for (int64_t k = 0; k < extent; k++) {
            int64_t at = start + (back ? extent - 1 - k : k) * stride;
            double x = opevo_i_net_number(all, in[0], at);
            uint64_t w = (uint64_t)opevo_i_net_whole(all, in[0], at);

            if (opevo_i_net_type_is_whole(all->type))
                opevo_i_net_set_whole(all->type, out[0], at, (int64_t)(before ? whole : whole + w));
            else
                opevo_i_net_set_number(all->type, out[0], at, before ? sum : sum + x);
            sum += x;
            whole += w;
        }
    }
cleanup:
    return status;
}

const opevo_i_net_operator opevo_i_net_cumulative[] = {
    {"CumSum", 11, 2, 2, 1, infer_cumulative, opevo_i_net_define_none, cumulative_sum, 0,
     "exclusive=int reverse=int"},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL},
};
