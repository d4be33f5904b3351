/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that repeat a tensor or put a border around it. */

#include "network_internal.h"

#include <string.h>

/* ---- Tile ---- */

static opevo_status infer_tile(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t times[OPEVO_NETWORK_DIMS], extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    int count = 0;

    OPEVO_TRY(opevo_i_net_list(call, 1, 1, "repeats", OPEVO_NETWORK_DIMS, times, &count, err));
    if (count != in->dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "It repeats %d dimensions of %d.", count, in->dims);
    for (int d = 0; d < in->dims; d++) {
        if (times[d] < 0 || times[d] > OPEVO_COMPUTATION_EXTENT)
            return OPEVO_FAIL(err, OPEVO_INVALID, "It repeats dimension %d %lld times.", d,
                              (long long)times[d]);
        extent[d] = in->extent[d] * times[d];
    }
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, in->dims, extent, err));
cleanup:
    return status;
}

static opevo_status tile(const opevo_i_net_call *call, const void *const *in, void *const *out,
                         opevo_error *err)
{
    const opevo_array *from = &call->in[0]->array, *all = &call->out[0]->array;

    (void)err;
    for (int64_t i = 0, count = opevo_array_elements(all); i < count; i++) {
        int64_t rest = i, at = 0, step = 1;

        for (int d = all->dims - 1; d >= 0; d--) {
            at += rest % all->extent[d] % from->extent[d] * step;
            rest /= all->extent[d];
            step *= from->extent[d];
        }
        opevo_i_net_copy_element(all->type, in[0], at, out[0], i);
    }
    return OPEVO_OK;
}

/* ---- Borders ---- */

/* Padding: elements before and after each dimension; those that input 3 does not name have none. */
static opevo_status pads_of(const opevo_i_net_call *call, int64_t *pads, opevo_error *err)
{
    int64_t given[2 * OPEVO_NETWORK_DIMS], axes[OPEVO_NETWORK_DIMS];
    int count = 0, named = 0, dims = call->in[0]->array.dims;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_list(call, 1, 11, "pads", 2 * OPEVO_NETWORK_DIMS, given, &count, err));
    OPEVO_TRY(opevo_i_net_list(call, 3, 18, "axes", dims, axes, &named, err));
    for (int i = 0; i < dims && named < 0; i++)
        axes[i] = i;
    named = named < 0 ? dims : named;
    if (count != 2 * named)
        return OPEVO_FAIL(err, OPEVO_INVALID, "It has %d paddings instead of %d.", count,
                          2 * named);
    memset(pads, 0, 2 * OPEVO_NETWORK_DIMS * sizeof *pads);
    for (int i = 0; i < count; i++) {
        int axis = 0;

        if (given[i] > OPEVO_COMPUTATION_EXTENT || given[i] < -OPEVO_COMPUTATION_EXTENT)
            return OPEVO_FAIL(err, OPEVO_INVALID, "A padding is %lld.", (long long)given[i]);
        OPEVO_TRY(opevo_i_net_axis(axes[i % named], dims, &axis, err));
        pads[i < named ? axis : dims + axis] = given[i];
    }
cleanup:
    return status;
}

typedef enum border { CONSTANT, EDGE, REFLECT, WRAP, UNKNOWN } border;

static border border_of(const opevo_i_net_call *call)
{
    if (!opevo_i_net_attribute(call, "mode") || opevo_i_net_attribute_is(call, "mode", "constant"))
        return CONSTANT;
    return opevo_i_net_attribute_is(call, "mode", "edge")                        ? EDGE
           : opevo_i_net_attribute_is(call, "mode", "reflect")                   ? REFLECT
           : call->opset >= 19 && opevo_i_net_attribute_is(call, "mode", "wrap") ? WRAP
                                                                                 : UNKNOWN;
}

static opevo_status infer_pad(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    const opevo_network_value *value = call->ins > 2 ? call->in[2] : NULL;
    int64_t pads[2 * OPEVO_NETWORK_DIMS], extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    border kind = border_of(call);

    OPEVO_TRY(pads_of(call, pads, err));
    if (kind == UNKNOWN)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Attribute mode is not constant, edge, reflect, or from opset 19 wrap.");
    if (value && (opevo_array_elements(&value->array) != 1 || value->array.type != in->type))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Input 2 must be one number of type %s.",
                          opevo_network_type_name(in->type));
    for (int d = 0; d < in->dims; d++) {
        int64_t most = pads[d] > pads[in->dims + d] ? pads[d] : pads[in->dims + d];

        extent[d] = in->extent[d] + pads[d] + pads[in->dims + d];
        if (((kind == EDGE || kind == WRAP) && most > 0 && in->extent[d] == 0) ||
            (kind == REFLECT && most > 0 && most >= in->extent[d]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Dimension %d of %lld elements has no %lld elements to pad with.", d,
                              (long long)in->extent[d], (long long)most);
    }
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, in->dims, extent, err));
cleanup:
    return status;
}

/* The place inside that element x of a dimension takes; -1 for the constant. */
static int64_t place_inside(border kind, int64_t x, int64_t extent)
{
    if (x >= 0 && x < extent)
        return x;
    if (kind == CONSTANT)
        return -1;
    if (kind == EDGE)
        return x < 0 ? 0 : extent - 1;
    if (kind == WRAP)
        return (x % extent + extent) % extent;
    return x < 0 ? -x : 2 * extent - 2 - x;
}

static opevo_status pad(const opevo_i_net_call *call, const void *const *in, void *const *out,
                        opevo_error *err)
{
    const opevo_array *from = &call->in[0]->array, *all = &call->out[0]->array;
    bool given = call->ins > 2 && call->in[2];
    int64_t pads[2 * OPEVO_NETWORK_DIMS];
    size_t bytes = opevo_network_type_bytes(all->type);
    opevo_status status = pads_of(call, pads, err);
    border kind = border_of(call);

    for (int64_t i = 0, count = opevo_array_elements(all); i < count && status == OPEVO_OK; i++) {
        int64_t rest = i, at = 0, step = 1;
        char *to = (char *)out[0] + (size_t)i * bytes;
        bool inside = true;

        for (int d = all->dims - 1; d >= 0; d--) {
            int64_t x = place_inside(kind, rest % all->extent[d] - pads[d], from->extent[d]);

            rest /= all->extent[d];
            inside &= x >= 0;
            at += x * step;
            step *= from->extent[d];
        }
        if (inside || given)
            memcpy(to, inside ? (const char *)in[0] + (size_t)at * bytes : in[2], bytes);
        else
            opevo_i_net_set_number(all->type, out[0], i,
                                   opevo_i_net_attribute_float(call, "value", 0));
    }
    return status;
}

const opevo_i_net_operator opevo_i_net_padding[] = {
    {"Tile", 6, 2, 2, 1, infer_tile, NULL, tile, 0, NULL, NULL, 2},
    {"Pad", 2, 1, 4, 1, infer_pad, NULL, pad, 0, "mode=string pads=ints:-10! value=float:-10", NULL,
     10},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
