/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Constants in the order of blocked layouts. Mostly the first dimension of a cut is that of blocks
 * of results, whose elements stand together before and after: then each part of the memory stays
 * that of the same block, and no more than one block is copied. */

#include "network_passes_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* How the elements of an array stand after a cut; none is of one dimension. */
typedef struct cutting {
    const opevo_tensor_cut *cut;
    int64_t stride[OPEVO_NETWORK_DIMS]; /* of each dimension in the array that is cut */
    int64_t slice;                      /* elements of one index of the first dimension */
} cutting;

static cutting cutting_of(const opevo_array *from, const opevo_tensor_cut *cut, int64_t block)
{
    cutting self = {.cut = cut, .slice = opevo_array_elements(from) / cut->extent[0]};

    for (int d = 0; d < cut->dims; d++) {
        bool divided = false;

        self.stride[d] = 1;
        for (int k = cut->from[d] + 1; k < from->dims; k++)
            self.stride[d] *= from->extent[k];
        for (int k = 0; k < cut->dims; k++)
            divided |= k != d && cut->from[k] == cut->from[d];
        if (divided && !cut->inner[d])
            self.stride[d] *= block;
    }
    return self;
}

/* One slice, of which the first element is at `from`. */
static void cut_slice(const cutting *self, const float *from, float *to)
{
    const int64_t *extent = self->cut->extent, *stride = self->stride;
    int64_t place[OPEVO_NETWORK_DIMS] = {0};
    int last = self->cut->dims - 1;
    int64_t step = stride[last];

    for (float *end = to + self->slice; to < end; to += extent[last]) {
        for (int64_t k = 0; k < extent[last]; k++)
            to[k] = from[k * step];
        for (int d = last - 1; d > 0; d--) {
            from += stride[d];
            if (++place[d] < extent[d])
                break;
            from -= place[d] * stride[d];
            place[d] = 0;
        }
    }
}

/* The elements of an array in the order of a cut, in other memory. */
static opevo_status cut_array(const cutting *self, const opevo_array *from, opevo_array *out,
                              opevo_error *err)
{
    if (opevo_i_net_array_reserve(out, err) != OPEVO_OK)
        return OPEVO_NOMEM;
    for (int64_t i = 0; i < self->cut->extent[0]; i++)
        cut_slice(self, (const float *)from->data + i * self->stride[0],
                  (float *)out->data + i * self->slice);
    return OPEVO_OK;
}

/* In the same memory, which *out takes over: each slice has its own part of it. */
static opevo_status cut_in_place(const cutting *self, opevo_network_tensor *value, opevo_array *out,
                                 opevo_error *err)
{
    float *scratch = opevo_malloc((size_t)self->slice, sizeof *scratch);

    OPEVO_NEED_OR_RETURN(scratch, "the layouts of the network");
    out->data = value->array.data;
    value->array.data = NULL;
    value->owned = false;
    for (int64_t i = 0; i < self->cut->extent[0]; i++) {
        float *slice = (float *)out->data + i * self->slice;

        memcpy(scratch, slice, (size_t)self->slice * sizeof *scratch);
        cut_slice(self, scratch, slice);
    }
    opevo_free(scratch);
    return OPEVO_OK;
}

opevo_status opevo_i_net_constant_cut(opevo_network_inference *inference,
                                      const opevo_i_net_links *links, const opevo_tensor_cut *cut,
                                      int64_t block, int *number, opevo_error *err)
{
    opevo_network_tensor *old = &inference->value[*number];
    const cutting how = cutting_of(&old->array, cut, block);
    opevo_array array = {.type = old->array.type, .dims = cut->dims};
    opevo_status status = OPEVO_OK;

    memcpy(array.extent, cut->extent, (size_t)cut->dims * sizeof *cut->extent);
    if (how.stride[0] == how.slice && opevo_i_net_is_last_reader(inference, links, *number))
        status = cut_in_place(&how, old, &array, err);
    else
        status = cut_array(&how, &old->array, &array, err);
    return status == OPEVO_OK ? opevo_i_net_value_add(inference, old->name, &array, number, err)
                              : status;
}
