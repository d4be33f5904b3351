/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Normalisation over groups of channels, and by the root of the mean square. */

#include "network_internal.h"

/* ---- Groups of channels ---- */

/* From opset 21 each channel has a scale, before each group. */
static opevo_status infer_groups(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t groups = opevo_i_net_attribute_int(call, "num_groups", 0);
    int64_t scales = call->opset < 21 ? groups : in->dims > 1 ? in->extent[1] : 0;

    if (in->dims < 3 || groups < 1 || in->extent[1] % groups)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its channels are not in %lld groups.",
                          (long long)groups);
    for (int i = 1; i < 3; i++) {
        const opevo_array *array = &call->in[i]->array;

        if (array->dims != 1 || array->extent[0] != scales || array->type != in->type)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d must have %lld elements of type %s.", i,
                              (long long)scales, opevo_network_type_name(in->type));
    }
    return opevo_i_net_infer_same(call, err);
}

/* ", r2:4, r3:4", or the reads of these. */
static void add_spatial(const opevo_array *in, bool extents, opevo_text *out)
{
    for (int d = 2; d < in->dims; d++) {
        opevo_text_printf(out, ", r%d", d);
        if (extents)
            opevo_text_printf(out, ":%lld", (long long)in->extent[d]);
    }
}

/* Less the first of the group, as in network_normal.c. */
static void add_element(const opevo_array *in, int64_t channels, opevo_text *out)
{
    opevo_text_printf(out, "(X0[n, g*%lld + c", (long long)channels);
    add_spatial(in, false, out);
    opevo_text_printf(out, "] - X0[n, g*%lld", (long long)channels);
    for (int d = 2; d < in->dims; d++)
        opevo_text_add(out, ", 0");
    opevo_text_add(out, "])");
}

static opevo_status define_groups(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t groups = opevo_i_net_attribute_int(call, "num_groups", 1);
    int64_t channels = in->extent[1] / groups, count = channels;
    const char *scale = "a1";
    opevo_text head = {0}, over = {0}, element = {0}, of_channel = {0};
    opevo_status status = OPEVO_OK;

    for (int d = 2; d < in->dims; d++)
        count *= in->extent[d];
    opevo_text_printf(&head, "[n:%lld, g:%lld] = ", (long long)in->extent[0], (long long)groups);
    opevo_text_printf(&over, "sum(c:%lld", (long long)channels);
    add_spatial(in, true, &over);
    add_element(in, channels, &element);
    opevo_text_printf(&of_channel, "a1//%lld", (long long)channels);
    for (int i = 0; i < 3; i++)
        opevo_i_net_declare(call, i, out);
    opevo_text_printf(out, "S%s%s) %s\nM%sS[n, g]/%lld\n", opevo_text_string(&head),
                      opevo_text_string(&over), opevo_text_string(&element),
                      opevo_text_string(&head), (long long)count);
    opevo_text_printf(out, "V%s%s) (%s - M[n, g])*(%s - M[n, g])\nD%ssqrt(V[n, g]/%lld + ",
                      opevo_text_string(&head), opevo_text_string(&over),
                      opevo_text_string(&element), opevo_text_string(&element),
                      opevo_text_string(&head), (long long)count);
    opevo_text_add_double(out, opevo_i_net_attribute_float(call, "epsilon", (double)1e-5f));
    opevo_text_add(out, ")\nY0[");
    opevo_i_net_axes("a", in, out);
    opevo_text_add(out, "] = (");
    opevo_i_net_read(call, 0, "a", in->dims, out);
    opevo_text_printf(out, " - X0[a0, a1//%lld*%lld", (long long)channels, (long long)channels);
    for (int d = 2; d < in->dims; d++)
        opevo_text_add(out, ", 0");
    opevo_text_add(out, "]");
    scale = call->opset < 21 ? opevo_text_string(&of_channel) : scale;
    opevo_text_printf(out, " - M[a0, %s])/D[a0, %s]*X1[%s] + X2[%s]\n",
                      opevo_text_string(&of_channel), opevo_text_string(&of_channel), scale, scale);
    out->failed |= head.failed || over.failed || element.failed || of_channel.failed;
    status = opevo_text_check(out, err);
    opevo_text_free(&head);
    opevo_text_free(&over);
    opevo_text_free(&element);
    opevo_text_free(&of_channel);
    return status;
}

/* ---- The root of the mean square ---- */

static opevo_status infer_root(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *scale = &call->in[1]->array;
    int64_t extent[OPEVO_NETWORK_DIMS];
    int axis = 0, dims = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", -1), in->dims, &axis, err));
    OPEVO_TRY(opevo_i_net_broadcast(in, scale, &dims, extent, err));
    for (int d = 0; d < in->dims; d++) {
        if (dims != in->dims || extent[d] != in->extent[d])
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its scale does not fit its input.");
    }
    OPEVO_TRY(opevo_i_net_infer_same(call, err));
cleanup:
    return status;
}

static void add_axes(const opevo_array *in, const char *prefix, int first, int end, bool extents,
                     opevo_text *out)
{
    for (int d = first; d < end; d++) {
        opevo_text_printf(out, "%s%s%d", d > first ? ", " : "", prefix, d);
        if (extents)
            opevo_text_printf(out, ":%lld", (long long)in->extent[d]);
    }
}

static opevo_status define_root(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    opevo_text element = {0};
    int64_t count = 1;
    int axis = 0;
    opevo_status status =
        opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", -1), in->dims, &axis, err);

    if (status != OPEVO_OK)
        return status;
    for (int d = axis; d < in->dims; d++)
        count *= in->extent[d];
    opevo_text_add(&element, "X0[");
    add_axes(in, "a", 0, axis, false, &element);
    opevo_text_add(&element, axis ? ", " : "");
    add_axes(in, "r", axis, in->dims, false, &element);
    opevo_text_add(&element, "]");
    for (int i = 0; i < 2; i++)
        opevo_i_net_declare(call, i, out);
    opevo_text_add(out, "S[");
    add_axes(in, "a", 0, axis, true, out);
    opevo_text_add(out, "] = sum(");
    add_axes(in, "r", axis, in->dims, true, out);
    opevo_text_printf(out, ") %s*%s\nY0[", opevo_text_string(&element),
                      opevo_text_string(&element));
    opevo_i_net_axes("a", in, out);
    opevo_text_add(out, "] = ");
    opevo_i_net_read(call, 0, "a", in->dims, out);
    opevo_text_add(out, "/sqrt(S[");
    add_axes(in, "a", 0, axis, false, out);
    opevo_text_printf(out, "]/%lld + ", (long long)count);
    opevo_text_add_double(out, opevo_i_net_attribute_float(call, "epsilon", (double)1e-5f));
    opevo_text_add(out, ")*");
    opevo_i_net_read(call, 1, "a", in->dims, out);
    opevo_text_add(out, "\n");
    out->failed |= element.failed;
    status = opevo_text_check(out, err);
    opevo_text_free(&element);
    return status;
}

const opevo_i_net_operator opevo_i_net_groups[] = {
    {"GroupNormalization", 18, 3, 3, 1, infer_groups, define_groups, NULL, 0,
     "epsilon=float num_groups=int! stash_type=int:21-", NULL, 0},
    {"RMSNormalization", 23, 2, 2, 1, infer_root, define_root, NULL, 0,
     "axis=int epsilon=float stash_type=int", NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
