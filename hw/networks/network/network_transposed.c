/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Definitions of transposed convolutions. */

#include "network_windows_internal.h"

#include <stdio.h>

/* Each output gathers the inputs that reach it: o + before - k dilation = i stride. */
static opevo_status define_gathered(const opevo_i_net_call *call, const opevo_i_net_window *w,
                                    opevo_text *out, opevo_error *err)
{
    int64_t groups = opevo_i_net_attribute_int(call, "group", 1);
    bool bias = call->ins > 2 && call->in[2];
    char channel[64], at[OPEVO_I_WINDOW_DIMS][96];

    for (int d = 0; d < w->dims; d++)
        snprintf(at[d], sizeof at[d], "(a%d + %lld - k%d*%lld)", 2 + d, (long long)w->before[d], d,
                 (long long)w->dilation[d]);
    for (int i = 0; i < 2 + bias; i++)
        opevo_i_net_declare(call, i, out);
    opevo_i_net_window_result(call, bias ? "C" : "Y0", out);
    opevo_i_net_window_over(w, "sum", call->in[0]->array.extent[1] / groups, out);
    opevo_text_add(out, "select(");
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, "%s%s%%%lld == 0 and 0 <= %s//%lld and %s//%lld < %lld",
                          d ? " and " : "", at[d], (long long)w->stride[d], at[d],
                          (long long)w->stride[d], at[d], (long long)w->stride[d],
                          (long long)w->in[d]);
    opevo_i_net_window_channel(call, groups, channel, sizeof channel);
    opevo_text_printf(out, ", X0[a0, %s", channel);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", %s//%lld", at[d], (long long)w->stride[d]);
    opevo_text_printf(out, "]*X1[%s, ", channel);
    opevo_text_printf(out, groups == 1 ? "a1" : "a1%%%lld",
                      (long long)call->in[1]->array.extent[1]);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", k%d", d);
    opevo_text_add(out, "], 0)\n");
    if (bias)
        opevo_i_net_window_bias(call, out);
    return opevo_text_check(out, err);
}

/* Phases of a transposed convolution: outputs o with the same r = (o + before) % stride read the
 * same taps r + stride m of the kernel, and inputs q - m with q = (o + before) // stride. Along d
 * there are `taps` m, and `quotients` q. */
typedef struct phases {
    int64_t taps[OPEVO_I_WINDOW_DIMS], quotients[OPEVO_I_WINDOW_DIMS];
} phases;

static phases phases_of(const opevo_i_net_window *w)
{
    phases out = {{0}, {0}};

    for (int d = 0; d < w->dims; d++) {
        out.taps[d] = (w->kernel[d] + w->stride[d] - 1) / w->stride[d];
        out.quotients[d] = (w->out[d] - 1 + w->before[d]) / w->stride[d] + 1;
    }
    return out;
}

/* P: the input with zeros around it, so that each q - m is inside. */
static void define_phase_input(const opevo_i_net_call *call, const opevo_i_net_window *w,
                               const phases *of, opevo_text *out)
{
    const opevo_array *in = &call->in[0]->array;

    opevo_text_printf(out, "P[pn:%lld, pc:%lld", (long long)in->extent[0],
                      (long long)in->extent[1]);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", p%d:%lld", d, (long long)(of->quotients[d] + of->taps[d] - 1));
    opevo_text_add(out, "] = select(");
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, "%s%lld <= p%d and p%d < %lld", d ? " and " : "",
                          (long long)(of->taps[d] - 1), d, d,
                          (long long)(of->taps[d] - 1 + w->in[d]));
    opevo_text_add(out, ", X0[pn, pc");
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", p%d - %lld", d, (long long)(of->taps[d] - 1));
    opevo_text_add(out, "], 0)\n");
}

/* F[n, channel, r..., q...]: all phases. */
static void define_phases(const opevo_i_net_call *call, const opevo_i_net_window *w,
                          const phases *of, opevo_text *out)
{
    int64_t groups = opevo_i_net_attribute_int(call, "group", 1);
    bool guarded = false;
    char channel[64];

    opevo_i_net_window_channel(call, groups, channel, sizeof channel);
    opevo_text_printf(out, "F[a0:%lld, a1:%lld", (long long)call->out[0]->array.extent[0],
                      (long long)call->out[0]->array.extent[1]);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", r%d:%lld", d, (long long)w->stride[d]);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", q%d:%lld", d, (long long)of->quotients[d]);
    opevo_text_printf(out, "] = sum(c:%lld", (long long)(call->in[0]->array.extent[1] / groups));
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", m%d:%lld", d, (long long)of->taps[d]);
    opevo_text_add(out, ") ");
    for (int d = 0; d < w->dims; d++) {
        if (w->kernel[d] % w->stride[d] == 0)
            continue;
        opevo_text_printf(out, "%sr%d + m%d*%lld < %lld", guarded ? " and " : "select(", d, d,
                          (long long)w->stride[d], (long long)w->kernel[d]);
        guarded = true;
    }
    opevo_text_printf(out, "%sP[a0, %s", guarded ? ", " : "", channel);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", q%d + %lld - m%d", d, (long long)(of->taps[d] - 1), d);
    opevo_text_printf(out, "]*X1[%s, ", channel);
    opevo_text_printf(out, groups == 1 ? "a1" : "a1%%%lld",
                      (long long)call->in[1]->array.extent[1]);
    for (int d = 0; d < w->dims; d++)
        opevo_text_printf(out, ", r%d + m%d*%lld", d, d, (long long)w->stride[d]);
    opevo_text_add(out, guarded ? "], 0)\n" : "]\n");
}

/* Whether a group has as many results as vectors have elements: then a vector is of them, and each
 * output's own inputs are as good as phases, which are moved once more. */
static bool has_vectors(const opevo_i_net_call *call)
{
    enum { ELEMENTS = 16 };

    return call->in[1]->array.extent[1] >= ELEMENTS;
}

static opevo_status define_transposed(const opevo_i_net_call *call, opevo_text *out,
                                      opevo_error *err)
{
    bool bias = call->ins > 2 && call->in[2], gathers = has_vectors(call);
    opevo_status status = OPEVO_OK;
    phases of;
    opevo_i_net_window w;

    OPEVO_TRY(opevo_i_net_window_of(call, &w, err));
    for (int d = 0; d < w.dims; d++)
        gathers |= w.dilation[d] > 1;
    if (gathers)
        return define_gathered(call, &w, out, err);
    of = phases_of(&w);
    for (int i = 0; i < 2 + bias; i++)
        opevo_i_net_declare(call, i, out);
    define_phase_input(call, &w, &of, out);
    define_phases(call, &w, &of, out);
    opevo_i_net_window_result(call, "Y0", out);
    opevo_text_add(out, "F[a0, a1");
    for (int d = 0; d < w.dims; d++)
        opevo_text_printf(out, ", (a%d + %lld)%%%lld", 2 + d, (long long)w.before[d],
                          (long long)w.stride[d]);
    for (int d = 0; d < w.dims; d++)
        opevo_text_printf(out, ", (a%d + %lld)//%lld", 2 + d, (long long)w.before[d],
                          (long long)w.stride[d]);
    opevo_text_add(out, bias ? "] + X2[a1]\n" : "]\n");
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

const opevo_i_net_operator opevo_i_net_transposed[] = {
    {"ConvTranspose", 1, 2, 3, 1, opevo_i_net_window_infer, define_transposed, NULL,
     OPEVO_I_WINDOW_TRANSPOSED,
     "auto_pad=string dilations=ints group=int kernel_shape=ints output_padding=ints "
     "output_shape=ints pads=ints strides=ints",
     NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
