/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The definitions of a step, computed on arrays that are there. */

#include "network_internal.h"

#include <opevo/computation_reference.h>
#include <opevo/memory.h>

#include <stdlib.h>

/* The number of X0, X1, ... or Y0, ..., whose data are one of `count`. */
static opevo_status find_data(const char *name, const void *const *data, int count, long *number,
                              opevo_error *err)
{
    char *end = NULL;

    *number = strtol(name + 1, &end, 10);
    if (!name[1] || *end || *number < 0 || *number >= count || !data[*number])
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown tensor %s.", name);
    return OPEVO_OK;
}

opevo_status opevo_i_net_compute(const opevo_computation *computation, const void *const *data,
                                 int data_count, void *const *out, int out_count, unsigned threads,
                                 opevo_error *err)
{
    const void *inputs[16] = {NULL};
    void *outputs[16] = {NULL};
    opevo_status status = OPEVO_OK;
    int ins = 0, outs = 0;

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        long number = 0;

        if (ins == 16 || outs == 16)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_LIMIT, "It has more than 15 inputs or outputs."));
        if (tensor->role == OPEVO_ROLE_INPUT || tensor->role == OPEVO_ROLE_CONSTANT) {
            OPEVO_TRY(find_data(tensor->name, data, data_count, &number, err));
            inputs[ins++] = data[number];
        } else if (tensor->role == OPEVO_ROLE_OUTPUT) {
            OPEVO_TRY(find_data(tensor->name, (const void *const *)out, out_count, &number, err));
            outputs[outs++] = out[number];
        }
    }
    OPEVO_TRY(opevo_computation_compute(computation, inputs, outputs, NULL, threads, err));
cleanup:
    return status;
}
