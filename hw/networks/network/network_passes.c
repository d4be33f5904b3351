/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of passes, and running them. */

#include "network_passes_internal.h"

#include <opevo/memory.h>

#include <string.h>

static const opevo_network_pass passes[] = {
    {"fold", "computes what depends on constants alone", opevo_i_net_pass_fold},
    {"split", "makes one step of each output that moves elements", opevo_i_net_pass_split},
    {"drop", "removes steps that change nothing or that nobody reads", opevo_i_net_pass_drop},
    {"scale", "multiplies batch normalisation and scales into weights", opevo_i_net_pass_scale},
    {"fuse", "joins steps to computations of several definitions", opevo_i_net_pass_fuse},
    {"attention", "joins scores, softmax and product to blocks of rows",
     opevo_i_net_pass_attention},
    {"block", "cuts channels into blocks as long as vectors", opevo_i_net_pass_block},
    {"winograd", "transforms convolutions of 3 x 3, as far as --error allows",
     opevo_i_net_pass_winograd},
};

enum { PASSES = sizeof passes / sizeof *passes };

const opevo_network_pass *opevo_network_passes(size_t *count)
{
    *count = PASSES;
    return passes;
}

opevo_status opevo_network_passes_named(const char *names, uint32_t *mask, opevo_error *err)
{
    char *list = opevo_strdup(names), *rest = NULL, *name = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(list, "the names of passes");
    *mask = 0;
    rest = list;
    while ((name = strsep(&rest, ","))) {
        int i = 0;

        while (i < PASSES && strcmp(passes[i].name, name) != 0)
            i++;
        if (i == PASSES)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                                 "unknown pass '%s'; passes are fold, split, drop, scale, "
                                 "fuse, attention, block and winograd.",
                                 name));
        *mask |= UINT32_C(1) << i;
    }
cleanup:
    opevo_free(list);
    return status;
}

opevo_status opevo_network_inference_pass(opevo_network_inference *inference, uint32_t mask,
                                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < PASSES; i++) {
        if (mask & UINT32_C(1) << i)
            OPEVO_TRY(passes[i].run(inference, err));
    }
cleanup:
    return status;
}

opevo_status opevo_network_inference_intermediate_bytes(const opevo_network_inference *inference,
                                                        double *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool *constant = NULL;
    double bytes = 0;

    OPEVO_TRY(opevo_i_net_find_constants(inference, &constant, err));
    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];

        for (int i = 0; i < step->outputs && step->kind != OPEVO_NETWORK_STEP_VIEW; i++) {
            const opevo_network_tensor *value =
                step->output[i] < 0 ? NULL : &inference->value[step->output[i]];

            if (value && !value->output && !constant[step->output[i]])
                bytes += (double)opevo_array_elements(&value->array) *
                         (double)opevo_network_type_bytes(value->array.type);
        }
    }
    *out = bytes;
cleanup:
    opevo_free(constant);
    return status;
}
