/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that keep a triangle of a matrix, or exchange depth and space. */

#include "network_internal.h"

/* ---- Triangles ---- */

static opevo_status infer_triangle(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t k = 0;
    int count = 0;
    opevo_status status = opevo_i_net_list(call, 1, 1, "k", 1, &k, &count, err);

    if (status == OPEVO_OK && call->in[0]->array.dims < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its input has fewer than 2 dimensions.");
    return status == OPEVO_OK ? opevo_i_net_infer_same(call, err) : status;
}

static opevo_status triangle(const opevo_i_net_call *call, const void *const *in, void *const *out,
                             opevo_error *err)
{
    const opevo_array *all = &call->out[0]->array;
    int64_t rows = all->extent[all->dims - 2], columns = all->extent[all->dims - 1], k = 0;
    bool upper = opevo_i_net_attribute_int(call, "upper", 1) != 0;
    int count = 0;
    opevo_status status = opevo_i_net_list(call, 1, 1, "k", 1, &k, &count, err);

    k = count < 1 ? 0 : k > columns ? columns : k < -rows ? -rows : k;
    for (int64_t i = 0; i < opevo_array_elements(all) && status == OPEVO_OK; i++) {
        int64_t behind = i % columns - i / columns % rows;

        if (upper ? behind >= k : behind <= k)
            opevo_i_net_copy_element(all->type, in[0], i, out[0], i);
        else
            opevo_i_net_set_whole(all->type, out[0], i, 0);
    }
    return status;
}

/* ---- Depth and space ---- */

typedef struct blocks {
    int64_t size, channels, high, wide; /* of the result: channels, or what is left of them */
    bool depth_first;                   /* channels before places in a block */
} blocks;

enum code { TO_SPACE, TO_DEPTH };

static opevo_status blocks_of(const opevo_i_net_call *call, blocks *self, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    bool to_space = call->node->row->code == TO_SPACE;
    int64_t size = opevo_i_net_attribute_int(call, "blocksize", 0);

    *self = (blocks){.size = size,
                     .depth_first = to_space && !opevo_i_net_attribute_is(call, "mode", "CRD")};
    if (opevo_i_net_attribute(call, "mode") && !opevo_i_net_attribute_is(call, "mode", "DCR") &&
        !opevo_i_net_attribute_is(call, "mode", "CRD"))
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

static opevo_status infer_blocks(const opevo_i_net_call *call, opevo_error *err)
{
    blocks self = {0};
    opevo_status status = blocks_of(call, &self, err);
    int64_t extent[4] = {call->in[0]->array.extent[0], self.channels, self.high, self.wide};

    return status == OPEVO_OK
               ? opevo_i_net_shape(call->out[0], call->in[0]->array.type, 4, extent, err)
               : status;
}

static opevo_status define_blocks(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    blocks self = {0};
    opevo_status status = blocks_of(call, &self, err);
    long long s = self.size, c = self.channels;

    if (status != OPEVO_OK)
        return status;
    opevo_i_net_declare(call, 0, out);
    opevo_text_add(out, "Y0[");
    opevo_i_net_axes("a", &call->out[0]->array, out);
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

const opevo_i_net_operator opevo_i_net_rearrange[] = {
    {"Trilu", 14, 1, 2, 1, infer_triangle, NULL, triangle, 0, "upper=int", NULL, 2},
    {"DepthToSpace", 1, 1, 1, 1, infer_blocks, define_blocks, NULL, TO_SPACE,
     "blocksize=int! mode=string:11-", NULL, 0},
    {"SpaceToDepth", 1, 1, 1, 1, infer_blocks, define_blocks, NULL, TO_DEPTH, "blocksize=int!",
     NULL, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
