/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators whose elements are at indices, which are the numbers of an input. */

#include "network_internal.h"

#include <string.h>

/* Where input 1 points to in dimension d of `all` by its element i. Errors: INVALID outside. */
static opevo_status index_of(const opevo_i_net_call *call, const void *indices, int64_t i,
                             const opevo_array *all, int d, int64_t *out, opevo_error *err)
{
    int64_t given = opevo_i_net_whole(&call->in[1]->array, indices, i);

    *out = given + (given < 0 ? all->extent[d] : 0);
    if (*out < 0 || *out >= all->extent[d])
        return OPEVO_FAIL(err, OPEVO_INVALID, "Index %lld is outside dimension %d of %lld.",
                          (long long)given, d, (long long)all->extent[d]);
    return OPEVO_OK;
}

static opevo_status check_indices(const opevo_i_net_call *call, opevo_error *err)
{
    if (!opevo_i_net_type_is_whole(call->in[1]->array.type))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its indices are of type %s.",
                          opevo_network_type_name(call->in[1]->array.type));
    return OPEVO_OK;
}

/* ---- Slices along an axis ---- */

static opevo_status infer_gather(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *indices = &call->in[1]->array;
    int64_t extent[2 * OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    int axis = 0, dims = 0;

    OPEVO_TRY(check_indices(call, err));
    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), in->dims, &axis, err));
    for (int d = 0; d < axis; d++)
        extent[dims++] = in->extent[d];
    for (int d = 0; d < indices->dims; d++)
        extent[dims++] = indices->extent[d];
    for (int d = axis + 1; d < in->dims; d++)
        extent[dims++] = in->extent[d];
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, dims, extent, err));
cleanup:
    return status;
}

static opevo_status gather(const opevo_i_net_call *call, const void *const *in, void *const *out,
                           opevo_error *err)
{
    const opevo_array *from = &call->in[0]->array;
    int64_t count = opevo_array_elements(&call->in[1]->array), rows = 1, at = 0;
    size_t bytes = opevo_network_type_bytes(from->type); /* of a slice */
    char *to = out[0];
    int axis = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), from->dims, &axis, err));
    for (int d = 0; d < axis; d++)
        rows *= from->extent[d];
    for (int d = axis + 1; d < from->dims; d++)
        bytes *= (size_t)from->extent[d];
    for (int64_t r = 0; r < rows && bytes; r++) {
        for (int64_t i = 0; i < count; i++, to += bytes) {
            OPEVO_TRY(index_of(call, in[1], i, from, axis, &at, err));
            memcpy(to, (const char *)in[0] + (size_t)(r * from->extent[axis] + at) * bytes, bytes);
        }
    }
cleanup:
    return status;
}

/* ---- An index for each element ---- */

/* Along one axis. */
static opevo_status infer_elements(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *indices = &call->in[1]->array;
    opevo_status status = OPEVO_OK;
    bool scatters = call->ins > 2;
    int axis = 0;

    OPEVO_TRY(check_indices(call, err));
    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), in->dims, &axis, err));
    for (int d = 0; d < in->dims; d++) {
        if (indices->dims != in->dims || (d != axis && indices->extent[d] > in->extent[d]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its indices are of another shape.");
        if (scatters && (call->in[2]->array.dims != in->dims ||
                         call->in[2]->array.extent[d] != indices->extent[d]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its updates are of another shape.");
    }
    if (scatters && call->in[2]->array.type != in->type)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its updates are of another type.");
    if (scatters && opevo_i_net_attribute(call, "reduction") &&
        !opevo_i_net_attribute_is(call, "reduction", "none"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo scatters without a reduction only.");
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, in->dims,
                                scatters ? in->extent : indices->extent, err));
cleanup:
    return status;
}

/* Where in `all` the index of element i points to. */
static opevo_status element_of(const opevo_i_net_call *call, const opevo_array *all,
                               const void *const *in, int64_t i, int64_t *out, opevo_error *err)
{
    const opevo_array *indices = &call->in[1]->array;
    int64_t rest = i, step = 1;
    int axis = 0;
    opevo_status status =
        opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), all->dims, &axis, err);

    *out = 0;
    for (int d = all->dims - 1; d >= 0 && status == OPEVO_OK; d--) {
        int64_t at = rest % indices->extent[d];

        rest /= indices->extent[d];
        if (d == axis)
            status = index_of(call, in[1], i, all, d, &at, err);
        *out += at * step;
        step *= all->extent[d];
    }
    return status;
}

static opevo_status gather_elements(const opevo_i_net_call *call, const void *const *in,
                                    void *const *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int64_t i = 0; i < opevo_array_elements(&call->out[0]->array); i++) {
        int64_t at = 0;

        OPEVO_TRY(element_of(call, &call->in[0]->array, in, i, &at, err));
        opevo_i_net_copy_element(call->out[0]->array.type, in[0], at, out[0], i);
    }
cleanup:
    return status;
}

static opevo_status scatter_elements(const opevo_i_net_call *call, const void *const *in,
                                     void *const *out, opevo_error *err)
{
    const opevo_array *all = &call->out[0]->array;
    opevo_status status = OPEVO_OK;

    memcpy(out[0], in[0], opevo_i_net_bytes(all));
    for (int64_t i = 0; i < opevo_array_elements(&call->in[1]->array); i++) {
        int64_t at = 0;

        OPEVO_TRY(element_of(call, all, in, i, &at, err));
        opevo_i_net_copy_element(all->type, in[2], i, out[0], at);
    }
cleanup:
    return status;
}

/* ---- Slices at indices of several dimensions ---- */

/* How many dimensions are batches, and how many an index has; elements of a slice. */
typedef struct slices {
    int batch, depth;
    int64_t count, size; /* indices, and elements behind each */
} slices;

static opevo_status slices_of(const opevo_i_net_call *call, slices *self, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array, *indices = &call->in[1]->array;
    int64_t batch = opevo_i_net_attribute_int(call, "batch_dims", 0), depth = 0;
    opevo_status status = check_indices(call, err);

    if (status != OPEVO_OK)
        return status;
    depth = indices->dims ? indices->extent[indices->dims - 1] : 0;
    if (in->dims < 1 || indices->dims < 1 || batch < 0 || batch >= indices->dims || depth < 1 ||
        depth > in->dims - batch)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its indices do not fit its input.");
    *self = (slices){.batch = (int)batch, .depth = (int)depth, .count = 1, .size = 1};
    for (int d = 0; d < self->batch; d++) {
        if (in->extent[d] != indices->extent[d])
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its batches differ.");
    }
    for (int d = 0; d < indices->dims - 1; d++)
        self->count *= indices->extent[d];
    for (int d = self->batch + self->depth; d < in->dims; d++)
        self->size *= in->extent[d];
    return OPEVO_OK;
}

/* Number of the slice at index i. */
static opevo_status slice_of(const opevo_i_net_call *call, const slices *self, const void *indices,
                             int64_t i, int64_t *out, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t batches = 1, at = 0;
    opevo_status status = OPEVO_OK;

    for (int d = 0; d < self->batch; d++)
        batches *= in->extent[d];
    *out = i / (self->count / batches);
    for (int d = 0; d < self->depth; d++) {
        OPEVO_TRY(index_of(call, indices, i * self->depth + d, in, self->batch + d, &at, err));
        *out = *out * in->extent[self->batch + d] + at;
    }
cleanup:
    return status;
}

/* Indices, then what they do not name. */
static int slice_shape(const opevo_i_net_call *call, const slices *self, int64_t *extent)
{
    const opevo_array *in = &call->in[0]->array, *indices = &call->in[1]->array;
    int dims = 0;

    for (int d = 0; d < indices->dims - 1; d++)
        extent[dims++] = indices->extent[d];
    for (int d = self->batch + self->depth; d < in->dims; d++)
        extent[dims++] = in->extent[d];
    return dims;
}

static opevo_status infer_slices(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t extent[2 * OPEVO_NETWORK_DIMS];
    const opevo_array *in = &call->in[0]->array, *updates = NULL;
    slices self = {0};
    opevo_status status = slices_of(call, &self, err);
    int dims = 0;

    if (status != OPEVO_OK)
        return status;
    dims = slice_shape(call, &self, extent);
    if (call->ins < 3)
        return opevo_i_net_shape(call->out[0], in->type, dims, extent, err);
    updates = &call->in[2]->array;
    if (updates->type != in->type)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its updates are of another type.");
    if (opevo_i_net_attribute(call, "reduction") &&
        !opevo_i_net_attribute_is(call, "reduction", "none"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo scatters without a reduction only.");
    for (int d = 0; d < dims; d++) {
        if (updates->dims != dims || updates->extent[d] != extent[d])
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its updates are of another shape.");
    }
    return opevo_i_net_infer_same(call, err);
}

static opevo_status move_slices(const opevo_i_net_call *call, const void *const *in,
                                void *const *out, opevo_error *err)
{
    const opevo_array *all = &call->in[0]->array;
    bool scatters = call->ins > 2;
    slices self = {0};
    size_t bytes = 0;
    opevo_status status = slices_of(call, &self, err);

    if (status != OPEVO_OK)
        return status;
    bytes = (size_t)self.size * opevo_network_type_bytes(all->type);
    if (scatters)
        memcpy(out[0], in[0], opevo_i_net_bytes(all));
    for (int64_t i = 0; i < self.count && bytes; i++) {
        int64_t at = 0;

        OPEVO_TRY(slice_of(call, &self, in[1], i, &at, err));
        if (scatters)
            memcpy((char *)out[0] + (size_t)at * bytes, (const char *)in[2] + (size_t)i * bytes,
                   bytes);
        else
            memcpy((char *)out[0] + (size_t)i * bytes, (const char *)in[0] + (size_t)at * bytes,
                   bytes);
    }
cleanup:
    return status;
}

/* ---- One among zeros ---- */

static opevo_status infer_one_hot(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *indices = &call->in[0]->array, *depth = &call->in[1]->array;
    int64_t extent[OPEVO_NETWORK_DIMS + 1];
    opevo_status status = OPEVO_OK;
    int axis = 0, dims = 0;

    if (!depth->data || opevo_array_elements(depth) != 1)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "Input 1 (depth) must be one constant number, so that the shape is known.");
    if (opevo_array_elements(&call->in[2]->array) != 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Input 2 must have two numbers.");
    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", -1), indices->dims + 1,
                               &axis, err));
    for (int d = 0; d <= indices->dims; d++)
        extent[d] = d == axis ? opevo_i_net_whole(depth, depth->data, 0) : indices->extent[dims++];
    OPEVO_TRY(opevo_i_net_shape(call->out[0], call->in[2]->array.type, dims + 1, extent, err));
cleanup:
    return status;
}

static opevo_status one_hot(const opevo_i_net_call *call, const void *const *in, void *const *out,
                            opevo_error *err)
{
    const opevo_array *all = &call->out[0]->array, *indices = &call->in[0]->array;
    int64_t inner = 1, depth = 0;
    int axis = 0;
    opevo_status status =
        opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", -1), all->dims, &axis, err);

    for (int d = all->dims - 1; d > axis; d--)
        inner *= all->extent[d];
    depth = all->extent[axis];
    for (int64_t i = 0; i < opevo_array_elements(all) && status == OPEVO_OK; i++) {
        int64_t at = i / inner / depth * inner + i % inner;
        int64_t hot = opevo_i_net_whole(indices, in[0], at);

        hot += hot < 0 ? depth : 0;
        opevo_i_net_copy_element(all->type, in[2], i / inner % depth == hot, out[0], i);
    }
    return status;
}

const opevo_i_net_operator opevo_i_net_indices[] = {
    {"Gather", 1, 2, 2, 1, infer_gather, NULL, gather, 0, "axis=int"},
    {"GatherElements", 11, 2, 2, 1, infer_elements, NULL, gather_elements, 0, "axis=int"},
    {"ScatterElements", 11, 3, 3, 1, infer_elements, NULL, scatter_elements, 0,
     "axis=int reduction=string:16-"},
    {"GatherND", 11, 2, 2, 1, infer_slices, NULL, move_slices, 0, "batch_dims=int:12-"},
    {"ScatterND", 11, 3, 3, 1, infer_slices, NULL, move_slices, 0, "reduction=string:16-"},
    {"OneHot", 9, 3, 3, 1, infer_one_hot, opevo_i_net_define_none, one_hot, 0, "axis=int"},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL},
};
