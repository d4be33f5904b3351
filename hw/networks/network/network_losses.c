/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Losses of classes: a weighted mean or sum of what a target picks. */

#include "network_read_internal.h"

#include <stdio.h>
#include <string.h>

/* 1 where the target counts, 0 where it is the one to be ignored; then its weight. */
static int weights_of(opevo_i_net_builder *self, int target, int safe, int weight, bool *any)
{
    bool ignores = opevo_i_net_build_attribute(self, "ignore_index") != NULL;
    int counts = OPEVO_I_NET_OMITTED, taken = OPEVO_I_NET_OMITTED;
    int type = 0;
    char text[32];

    *any = ignores || weight != OPEVO_I_NET_OMITTED;
    if (ignores) {
        int number = opevo_i_net_build_whole(self, opevo_i_net_build_int(self, "ignore_index", 0));

        counts = opevo_i_net_build_two(self, "Equal", NULL, target, number);
        counts = opevo_i_net_build_one(self, "Not", NULL, counts);
        counts = opevo_i_net_build_one(self, "Cast", "to=1", counts);
    }
    if (weight == OPEVO_I_NET_OMITTED)
        return counts;
    type = (int)(self->status == OPEVO_OK ? opevo_i_net_build_array(self, weight)->type : 1);
    taken = opevo_i_net_build_two(self, "Gather", "axis=0", weight, safe);
    snprintf(text, sizeof text, "to=%d", type);
    return ignores ? opevo_i_net_build_two(self, "Mul", NULL, taken,
                                           opevo_i_net_build_one(self, "Cast", text, counts))
                   : taken;
}

/* -x[n, target[n, ...], ...] w[target[n, ...]], reduced. */
static void build_likelihood(opevo_i_net_builder *self, int x)
{
    int target = self->in[1], weight = opevo_i_net_build_input(self, 2), picked = 0, sum = 0;
    int axes = opevo_i_net_build_wholes(self, 1, (int64_t[]){1}), safe = 0, scale = 0;
    bool any = false, summed = opevo_i_net_build_is(self, "reduction", "sum");

    target = opevo_i_net_build_one(self, "Cast", "to=7", target);
    safe = target; /* what is ignored need not be a class */
    if (opevo_i_net_build_attribute(self, "ignore_index")) {
        int number = opevo_i_net_build_whole(self, opevo_i_net_build_int(self, "ignore_index", 0));
        int ignored = opevo_i_net_build_two(self, "Equal", NULL, target, number);

        safe = opevo_i_net_build(self, "Where", NULL, 3,
                                 (int[]){ignored, opevo_i_net_build_whole(self, 0), target});
    }
    scale = weights_of(self, target, safe, weight, &any);
    safe = opevo_i_net_build_two(self, "Unsqueeze", NULL, safe, axes);
    picked = opevo_i_net_build_two(self, "GatherElements", "axis=1", x, safe);
    picked = opevo_i_net_build_two(self, "Squeeze", NULL, picked, axes);
    if (any)
        picked = opevo_i_net_build_two(self, "Mul", NULL, picked, scale);
    if (opevo_i_net_build_is(self, "reduction", "none")) {
        opevo_i_net_build_next(self, 0);
        opevo_i_net_build_one(self, "Neg", NULL, picked);
        return;
    }
    picked = opevo_i_net_build_one(self, "Neg", NULL, picked);
    if (!any || summed) {
        opevo_i_net_build_next(self, 0);
        opevo_i_net_build_one(self, summed ? "ReduceSum" : "ReduceMean", "keepdims=0", picked);
        return;
    }
    sum = opevo_i_net_build_one(self, "ReduceSum", "keepdims=0", picked);
    scale = opevo_i_net_build_one(self, "ReduceSum", "keepdims=0", scale);
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "Div", NULL, sum, scale);
}

static void build_negative(opevo_i_net_builder *self)
{
    build_likelihood(self, self->in[0]);
}

static void build_cross(opevo_i_net_builder *self)
{
    int x = opevo_i_net_build_one(self, "LogSoftmax", "axis=1", self->in[0]);

    opevo_i_net_build_output(self, 1, x);
    build_likelihood(self, x);
}

const opevo_i_net_form opevo_i_net_losses[] = {
    {"NegativeLogLikelihoodLoss", 2, 3, 1, build_negative},
    {"SoftmaxCrossEntropyLoss", 2, 3, 2, build_cross},
    {NULL, 0, 0, 0, NULL},
};
