/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that repeat elements, add a border, keep a triangle, exchange depth and space, or sum
 * from the beginning. */

#include "network_internal.h"

#include <string.h>

/* ---- Tile ---- */

static opevo_status infer_tile(const opevo_i_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t times[OPEVO_NETWORK_DIMS], extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    int count = 0;

    OPEVO_TRY(opevo_i_list(call, 1, 1, "repeats", OPEVO_NETWORK_DIMS, times, &count, err));
    if (count != in->dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "It repeats %d dimensions of %d.", count, in->dims);
    for (int d = 0; d < in->dims; d++) {
        if (times[d] < 0 || times[d] > OPEVO_COMPUTATION_EXTENT)
            return OPEVO_FAIL(err, OPEVO_INVALID, "It repeats dimension %d %lld times.", d,
                              (long long)times[d]);
        extent[d] = in->extent[d] * times[d];
    }
    OPEVO_TRY(opevo_i_shape(call->out[0], in->type, in->dims, extent, err));
cleanup:
    return status;
}

static opevo_status tile(const opevo_i_call *call, const void *const *in, void *const *out,
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
        opevo_i_copy_element(all->type, in[0], at, out[0], i);
    }
    return OPEVO_OK;
}

/* ---- Borders ---- */

/* Padding: elements before and after each dimension. */
static opevo_status pads_of(const opevo_i_call *call, int64_t *pads, opevo_error *err)
{
    int count = 0, dims = call->in[0]->array.dims;
    opevo_status status =
        opevo_i_list(call, 1, 11, "pads", 2 * OPEVO_NETWORK_DIMS, pads, &count, err);

    if (status != OPEVO_OK)
        return status;
    if (count != 2 * dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "It has %d paddings instead of %d.", count, 2 * dims);
    for (int i = 0; i < count; i++) {
        if (pads[i] > OPEVO_COMPUTATION_EXTENT || pads[i] < -OPEVO_COMPUTATION_EXTENT)
            return OPEVO_FAIL(err, OPEVO_INVALID, "A padding is %lld.", (long long)pads[i]);
    }
    return OPEVO_OK;
}

typedef enum border { CONSTANT, EDGE, REFLECT, UNKNOWN } border;

static border border_of(const opevo_i_call *call)
{
    if (!opevo_i_attribute(call, "mode") || opevo_i_attribute_is(call, "mode", "constant"))
        return CONSTANT;
    return opevo_i_attribute_is(call, "mode", "edge")      ? EDGE
           : opevo_i_attribute_is(call, "mode", "reflect") ? REFLECT
                                                           : UNKNOWN;
}

static opevo_status infer_pad(const opevo_i_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    const opevo_net_value *value = call->ins > 2 ? call->in[2] : NULL;
    int64_t pads[2 * OPEVO_NETWORK_DIMS], extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    border kind = border_of(call);

    OPEVO_TRY(pads_of(call, pads, err));
    if (kind == UNKNOWN)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute mode is not constant, edge or reflect.");
    if (value && (opevo_array_elements(&value->array) != 1 || value->array.type != in->type))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Input 2 must be one number of type %s.",
                          opevo_network_type_name(in->type));
    for (int d = 0; d < in->dims; d++) {
        int64_t most = pads[d] > pads[in->dims + d] ? pads[d] : pads[in->dims + d];

        extent[d] = in->extent[d] + pads[d] + pads[in->dims + d];
        if ((kind == EDGE && most > 0 && in->extent[d] == 0) ||
            (kind == REFLECT && most > 0 && most >= in->extent[d]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Dimension %d of %lld elements has no %lld elements to pad with.", d,
                              (long long)in->extent[d], (long long)most);
    }
    OPEVO_TRY(opevo_i_shape(call->out[0], in->type, in->dims, extent, err));
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
    return x < 0 ? -x : 2 * extent - 2 - x;
}

static opevo_status pad(const opevo_i_call *call, const void *const *in, void *const *out,
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
            opevo_i_set_number(all->type, out[0], i, opevo_i_attribute_float(call, "value", 0));
    }
    return status;
}

/* ---- Triangles ---- */

static opevo_status infer_triangle(const opevo_i_call *call, opevo_error *err)
{
    int64_t k = 0;
    int count = 0;
    opevo_status status = opevo_i_list(call, 1, 1, "k", 1, &k, &count, err);

    if (status == OPEVO_OK && call->in[0]->array.dims < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input has fewer than 2 dimensions.");
    return status == OPEVO_OK ? opevo_i_infer_same(call, err) : status;
}

static opevo_status triangle(const opevo_i_call *call, const void *const *in, void *const *out,
                             opevo_error *err)
{
    const opevo_array *all = &call->out[0]->array;
    int64_t rows = all->extent[all->dims - 2], columns = all->extent[all->dims - 1], k = 0;
    bool upper = opevo_i_attribute_int(call, "upper", 1) != 0;
    int count = 0;
    opevo_status status = opevo_i_list(call, 1, 1, "k", 1, &k, &count, err);

    k = count < 1 ? 0 : k > columns ? columns : k < -rows ? -rows : k;
    for (int64_t i = 0; i < opevo_array_elements(all) && status == OPEVO_OK; i++) {
        int64_t behind = i % columns - i / columns % rows;

        if (upper ? behind >= k : behind <= k)
            opevo_i_copy_element(all->type, in[0], i, out[0], i);
        else
            opevo_i_set_whole(all->type, out[0], i, 0);
    }
    return status;
}

/* ---- Depth and space ---- */

typedef struct blocks {
    int64_t size, channels, high, wide; /* of the result: channels, or what is left of them */
    bool depth_first;                   /* channels before places in a block */
} blocks;

enum code { TO_SPACE, TO_DEPTH };

static opevo_status blocks_of(const opevo_i_call *call, blocks *self, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    bool to_space = call->node->row->code == TO_SPACE;
    int64_t size = opevo_i_attribute_int(call, "blocksize", 0);

    *self = (blocks){.size = size,
                     .depth_first = to_space && !opevo_i_attribute_is(call, "mode", "CRD")};
    if (opevo_i_attribute(call, "mode") && !opevo_i_attribute_is(call, "mode", "DCR") &&
        !opevo_i_attribute_is(call, "mode", "CRD"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute mode is not DCR or CRD.");
    if (in->dims != 4)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input has %d dimensions instead of 4.",
                          in->dims);
    if (size < 1 || size > INT16_MAX ||
        (to_space ? in->extent[1] % (size * size) : in->extent[2] % size || in->extent[3] % size))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Blocks of %lld do not fit its input.",
                          (long long)size);
    self->channels = to_space ? in->extent[1] / (size * size) : in->extent[1] * size * size;
    self->high = to_space ? in->extent[2] * size : in->extent[2] / size;
    self->wide = to_space ? in->extent[3] * size : in->extent[3] / size;
    return OPEVO_OK;
}

static opevo_status infer_blocks(const opevo_i_call *call, opevo_error *err)
{
    blocks self = {0};
    opevo_status status = blocks_of(call, &self, err);
    int64_t extent[4] = {call->in[0]->array.extent[0], self.channels, self.high, self.wide};

    return status == OPEVO_OK ? opevo_i_shape(call->out[0], call->in[0]->array.type, 4, extent, err)
                              : status;
}

static opevo_status define_blocks(const opevo_i_call *call, opevo_text *out, opevo_error *err)
{
    blocks self = {0};
    opevo_status status = blocks_of(call, &self, err);
    long long s = self.size, c = self.channels;

    if (status != OPEVO_OK)
        return status;
    opevo_i_declare(call, 0, out);
    opevo_text_add(out, "Y0[");
    opevo_i_axes("a", &call->out[0]->array, out);
    opevo_text_add(out, "] = X0[a0, ");
    if (call->node->row->code == TO_DEPTH)
        opevo_text_printf(out, "a1%%%lld, a2*%lld + a1//%lld, a3*%lld + a1//%lld%%%lld]\n",
                          (long long)call->in[0]->array.extent[1], s,
                          (long long)call->in[0]->array.extent[1] * s, s,
                          (long long)call->in[0]->array.extent[1], s);
    else if (self.depth_first)
        opevo_text_printf(out, "a2%%%lld*%lld + a3%%%lld*%lld + a1, a2//%lld, a3//%lld]\n", s,
                          s * c, s, c, s, s);
    else
        opevo_text_printf(out, "a1*%lld + a2%%%lld*%lld + a3%%%lld, a2//%lld, a3//%lld]\n", s * s,
                          s, s, s, s, s);
    return opevo_text_check(out, err);
}

/* ---- Sums from the beginning ---- */

static opevo_status infer_sums(const opevo_i_call *call, opevo_error *err)
{
    int64_t axis = 0;
    int count = 0, d = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_list(call, 1, 1, "axis", 1, &axis, &count, err));
    OPEVO_TRY(opevo_i_axis(axis, call->in[0]->array.dims, &d, err));
    OPEVO_TRY(opevo_i_infer_same(call, err));
cleanup:
    return status;
}

static opevo_status sums(const opevo_i_call *call, const void *const *in, void *const *out,
                         opevo_error *err)
{
    const opevo_array *all = &call->out[0]->array;
    bool before = opevo_i_attribute_int(call, "exclusive", 0) != 0;
    bool back = opevo_i_attribute_int(call, "reverse", 0) != 0;
    int64_t axis = 0, stride = 1, extent = 0;
    int count = 0, d = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_list(call, 1, 1, "axis", 1, &axis, &count, err));
    OPEVO_TRY(opevo_i_axis(axis, all->dims, &d, err));
    extent = all->extent[d];
    for (int k = all->dims - 1; k > d; k--)
        stride *= all->extent[k];
    for (int64_t i = 0; extent && i < opevo_array_elements(all) / extent; i++) {
        int64_t start = i / stride * stride * extent + i % stride;
        uint64_t whole = 0;
        double sum = 0;

        for (int64_t k = 0; k < extent; k++) {
            int64_t at = start + (back ? extent - 1 - k : k) * stride;
            double x = opevo_i_number(all, in[0], at);
            uint64_t w = (uint64_t)opevo_i_whole(all, in[0], at);

            if (opevo_i_type_is_whole(all->type))
                opevo_i_set_whole(all->type, out[0], at, (int64_t)(before ? whole : whole + w));
            else
                opevo_i_set_number(all->type, out[0], at, before ? sum : sum + x);
            sum += x;
            whole += w;
        }
    }
cleanup:
    return status;
}

const opevo_i_operator opevo_i_network_places[] = {
    {"Tile", 6, 2, 2, 1, infer_tile, NULL, tile, 0, NULL},
    {"Pad", 2, 1, 3, 1, infer_pad, NULL, pad, 0, "mode=string pads=ints:-10! value=float:-10"},
    {"Trilu", 14, 1, 2, 1, infer_triangle, NULL, triangle, 0, "upper=int"},
    {"DepthToSpace", 1, 1, 1, 1, infer_blocks, define_blocks, NULL, TO_SPACE,
     "blocksize=int! mode=string:11-"},
    {"SpaceToDepth", 1, 1, 1, 1, infer_blocks, define_blocks, NULL, TO_DEPTH, "blocksize=int!"},
    {"CumSum", 11, 2, 2, 1, infer_sums, opevo_i_define_none, sums, 0, "exclusive=int reverse=int"},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL},
};
