/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that move elements, of any type. */

#include "network_internal.h"

#include <string.h>

static opevo_status need(const opevo_i_net_call *call, int in, opevo_error *err)
{
    return in < call->ins && call->in[in]
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_INVALID, "Input %d is missing.", in);
}

/* ---- Another shape of the same elements ----------------------------------------------------- */

static opevo_status copy(const opevo_i_net_call *call, const void *const *in, void *const *out,
                         opevo_error *err)
{
    (void)err;
    memcpy(out[0], in[0], opevo_i_net_bytes(&call->out[0]->array));
    return OPEVO_OK;
}

static opevo_status infer_reshape(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = call->in[0] ? &call->in[0]->array : NULL;
    bool zeros = opevo_i_net_attribute_int(call, "allowzero", 0) != 0;
    int64_t extent[OPEVO_NETWORK_DIMS];
    double known = 1, elements = 0; /* exact up to 2^53, and a tensor has at most 2^40 */
    int dims = 0, open = -1;
    opevo_status status = need(call, 0, err);

    if (status == OPEVO_OK)
        status = opevo_i_net_list(call, 1, 1, "shape", OPEVO_NETWORK_DIMS, extent, &dims, err);
    if (status != OPEVO_OK)
        return status;
    for (int d = 0; d < dims; d++) {
        if (extent[d] == 0 && !zeros)
            extent[d] = d < in->dims ? in->extent[d] : 0;
        if (extent[d] < -1 || (extent[d] == -1 && open >= 0) ||
            extent[d] > OPEVO_COMPUTATION_EXTENT)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Number %d of its shape is %lld.", d,
                              (long long)extent[d]);
        if (extent[d] == -1)
            open = d;
        else
            known *= (double)extent[d];
    }
    elements = (double)opevo_array_elements(in);
    if (open >= 0)
        extent[open] = known > 0 ? (int64_t)(elements / known) : 0;
    if (known * (open >= 0 ? (double)extent[open] : 1) != elements)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its shape does not fit %lld elements.",
                          (long long)opevo_array_elements(in));
    return opevo_i_net_shape(call->out[0], in->type, dims, extent, err);
}

static opevo_status infer_flatten(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t extent[2] = {1, 1};
    opevo_status status = need(call, 0, err);
    int64_t axis = opevo_i_net_attribute_int(call, "axis", 1);
    int dims = status == OPEVO_OK ? call->in[0]->array.dims : 0;

    if (status != OPEVO_OK)
        return status;
    axis += axis < 0 ? dims : 0;
    if (axis < 0 || axis > dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Axis %lld is outside a tensor of %d dimensions.",
                          (long long)axis, dims);
    for (int d = 0; d < dims; d++)
        extent[d >= axis] *= call->in[0]->array.extent[d];
    return opevo_i_net_shape(call->out[0], call->in[0]->array.type, 2, extent, err);
}

static opevo_status infer_squeeze(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = call->in[0] ? &call->in[0]->array : NULL;
    int64_t axes[OPEVO_NETWORK_DIMS], extent[OPEVO_NETWORK_DIMS];
    bool dropped[OPEVO_NETWORK_DIMS] = {false};
    opevo_status status = OPEVO_OK;
    int count = 0, dims = 0;

    OPEVO_TRY(need(call, 0, err));
    OPEVO_TRY(opevo_i_net_list(call, 1, 13, "axes", OPEVO_NETWORK_DIMS, axes, &count, err));
    for (int d = 0; d < in->dims && count < 0; d++)
        dropped[d] = in->extent[d] == 1;
    for (int i = 0; i < count; i++) {
        int d = 0;

        OPEVO_TRY(opevo_i_net_axis(axes[i], in->dims, &d, err));
        if (in->extent[d] != 1)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "Dimension %d has %lld elements, not 1.", d,
                                 (long long)in->extent[d]));
        dropped[d] = true;
    }
    for (int d = 0; d < in->dims; d++) {
        if (!dropped[d])
            extent[dims++] = in->extent[d];
    }
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, dims, extent, err));
cleanup:
    return status;
}

static opevo_status infer_unsqueeze(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = call->in[0] ? &call->in[0]->array : NULL;
    int64_t axes[OPEVO_NETWORK_DIMS], extent[OPEVO_NETWORK_DIMS];
    bool added[OPEVO_NETWORK_DIMS] = {false};
    opevo_status status = OPEVO_OK;
    int count = 0, dims = 0, from = 0;

    OPEVO_TRY(need(call, 0, err));
    OPEVO_TRY(opevo_i_net_list(call, 1, 13, "axes", OPEVO_NETWORK_DIMS, axes, &count, err));
    if (count < 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Input 1 (axes) is missing.");
    dims = in->dims + count;
    if (dims > OPEVO_NETWORK_DIMS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The result has %d dimensions; opevo takes up to %d.",
                          dims, OPEVO_NETWORK_DIMS);
    for (int i = 0; i < count; i++) {
        int d = 0;

        OPEVO_TRY(opevo_i_net_axis(axes[i], dims, &d, err));
        if (added[d])
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "Axis %d is given twice.", d));
        added[d] = true;
    }
    for (int d = 0; d < dims; d++)
        extent[d] = added[d] ? 1 : in->extent[from++];
    OPEVO_TRY(opevo_i_net_shape(call->out[0], in->type, dims, extent, err));
cleanup:
    return status;
}

/* ---- Another order -------------------------------------------------------------------------- */

/* Where dimension d of the output is in the input. */
static opevo_status permutation(const opevo_i_net_call *call, int *from, opevo_error *err)
{
    int dims = call->in[0]->array.dims;
    int64_t perm[OPEVO_NETWORK_DIMS];
    bool used[OPEVO_NETWORK_DIMS] = {false};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_attribute_ints(call, "perm", dims, -1, perm, err));
    for (int d = 0; d < dims; d++) {
        if (!opevo_i_net_attribute(call, "perm"))
            perm[d] = dims - 1 - d;
        if (perm[d] < 0 || perm[d] >= dims || used[perm[d]])
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "Attribute perm is not a permutation."));
        used[perm[d]] = true;
        from[d] = (int)perm[d];
    }
cleanup:
    return status;
}

static opevo_status infer_transpose(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t extent[OPEVO_NETWORK_DIMS];
    int from[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(need(call, 0, err));
    OPEVO_TRY(permutation(call, from, err));
    for (int d = 0; d < call->in[0]->array.dims; d++)
        extent[d] = call->in[0]->array.extent[from[d]];
    OPEVO_TRY(opevo_i_net_shape(call->out[0], call->in[0]->array.type, call->in[0]->array.dims,
                                extent, err));
cleanup:
    return status;
}

/* out[i] = in[start + sum_d i_d step_d], steps in elements. */
static void gather(const opevo_array *all, const char *in, int64_t start, const int64_t *step,
                   char *out)
{
    size_t bytes = opevo_network_type_bytes(all->type);
    int64_t at[OPEVO_NETWORK_DIMS] = {0}, from = start;

    for (int64_t i = 0, count = opevo_array_elements(all); i < count; i++) {
        memcpy(out + (size_t)i * bytes, in + (size_t)from * bytes, bytes);
        for (int d = all->dims - 1; d >= 0; d--) {
            from += step[d];
            if (++at[d] < all->extent[d])
                break;
            from -= at[d] * step[d];
            at[d] = 0;
        }
    }
}

/* Elements between neighbours along each dimension. */
static void strides_of(const opevo_array *array, int64_t *stride)
{
    int64_t step = 1;

    for (int d = array->dims - 1; d >= 0; d--) {
        stride[d] = step;
        step *= array->extent[d];
    }
}

static opevo_status transpose(const opevo_i_net_call *call, const void *const *in, void *const *out,
                              opevo_error *err)
{
    int64_t stride[OPEVO_NETWORK_DIMS], step[OPEVO_NETWORK_DIMS] = {0};
    int from[OPEVO_NETWORK_DIMS];
    opevo_status status = permutation(call, from, err);

    strides_of(&call->in[0]->array, stride);
    for (int d = 0; d < call->in[0]->array.dims && status == OPEVO_OK; d++)
        step[d] = stride[from[d]];
    if (status == OPEVO_OK)
        gather(&call->out[0]->array, in[0], 0, step, out[0]);
    return status;
}

static opevo_status infer_expand(const opevo_i_net_call *call, opevo_error *err)
{
    opevo_array wanted = {0};
    int64_t extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    int dims = 0;

    OPEVO_TRY(need(call, 0, err));
    OPEVO_TRY(opevo_i_net_list(call, 1, 1, "shape", OPEVO_NETWORK_DIMS, wanted.extent, &wanted.dims,
                               err));
    OPEVO_TRY(opevo_i_net_broadcast(&call->in[0]->array, &wanted, &dims, extent, err));
    OPEVO_TRY(opevo_i_net_shape(call->out[0], call->in[0]->array.type, dims, extent, err));
cleanup:
    return status;
}

static opevo_status expand(const opevo_i_net_call *call, const void *const *in, void *const *out,
                           opevo_error *err)
{
    const opevo_array *from = &call->in[0]->array, *all = &call->out[0]->array;
    int64_t stride[OPEVO_NETWORK_DIMS], step[OPEVO_NETWORK_DIMS] = {0};

    (void)err;
    strides_of(from, stride);
    for (int d = 0; d < from->dims; d++)
        step[d + all->dims - from->dims] = from->extent[d] == 1 ? 0 : stride[d];
    gather(all, in[0], 0, step, out[0]);
    return OPEVO_OK;
}

/* ---- Parts ---------------------------------------------------------------------------------- */

static opevo_status infer_concat(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    const opevo_array *first = NULL;
    int axis = 0;

    OPEVO_TRY(need(call, 0, err));
    first = &call->in[0]->array;
    OPEVO_TRY(
        opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), first->dims, &axis, err));
    memcpy(extent, first->extent, sizeof extent);
    for (int i = 1; i < call->ins; i++) {
        const opevo_array *next = NULL;

        OPEVO_TRY(need(call, i, err));
        next = &call->in[i]->array;
        if (next->dims != first->dims || next->type != first->type)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                                 "Input %d has other dimensions or another type than input 0.", i));
        for (int d = 0; d < first->dims; d++) {
            if (d != axis && next->extent[d] != first->extent[d])
                OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                                     "Dimension %d of input %d is %lld instead of %lld.", d, i,
                                     (long long)next->extent[d], (long long)first->extent[d]));
        }
        extent[axis] += next->extent[axis];
    }
    OPEVO_TRY(opevo_i_net_shape(call->out[0], first->type, first->dims, extent, err));
cleanup:
    return status;
}

/* Elements before the axis, and of the axis and all behind it. */
static void divide(const opevo_array *array, int axis, size_t *rows, size_t *row)
{
    *rows = *row = 1;
    for (int d = 0; d < array->dims; d++)
        *(d < axis ? rows : row) *= (size_t)array->extent[d];
}

/* Copy a part along an axis into the whole array or out of it; `offset` moves on to the next part,
 * also where `to` is NULL. */
static void copy_part(const opevo_array *whole, int axis, const opevo_array *part, bool into,
                      size_t *offset, const char *from, char *to)
{
    size_t rows = 0, row = 0, part_rows = 0, part_row = 0,
           bytes = opevo_network_type_bytes(whole->type);

    divide(whole, axis, &rows, &row);
    divide(part, axis, &part_rows, &part_row);
    for (size_t i = 0; i < rows && part_row && to; i++) {
        size_t in_whole = (i * row + *offset) * bytes, in_part = i * part_row * bytes;

        memcpy(to + (into ? in_whole : in_part), from + (into ? in_part : in_whole),
               part_row * bytes);
    }
    *offset += part_row;
}

static opevo_status concat(const opevo_i_net_call *call, const void *const *in, void *const *out,
                           opevo_error *err)
{
    size_t offset = 0;
    int axis = 0;
    opevo_status status = opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0),
                                           call->in[0]->array.dims, &axis, err);

    for (int i = 0; i < call->ins && status == OPEVO_OK; i++)
        copy_part(&call->out[0]->array, axis, &call->in[i]->array, true, &offset, in[i], out[0]);
    return status;
}

enum { SPLIT_MOST = 1024 };

/* The axis, and how long each part is along it: between 0 and the whole, which they make up. */
static opevo_status parts_of(const opevo_i_net_call *call, int *axis, int64_t *parts,
                             opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t rest = 0, part = 0;
    opevo_status status = OPEVO_OK;
    int count = 0;

    OPEVO_TRY(opevo_i_net_axis(opevo_i_net_attribute_int(call, "axis", 0), in->dims, axis, err));
    OPEVO_TRY(opevo_i_net_list(call, 1, 13, "split", SPLIT_MOST, parts, &count, err));
    if (call->outs > SPLIT_MOST || (count >= 0 && count != call->outs))
        OPEVO_TRY(
            OPEVO_FAIL(err, OPEVO_INVALID, "It names %d parts for %d outputs.", count, call->outs));
    rest = in->extent[*axis];
    part = (rest + call->outs - 1) / call->outs;
    for (int i = 0; i < call->outs; i++) {
        if (count < 0 && call->opset >= 18) /* the last is smaller */
            parts[i] = part < rest ? part : rest;
        else if (count < 0)
            parts[i] = in->extent[*axis] / call->outs;
        if (parts[i] < 0 || parts[i] > rest)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                                 "Part %d has %lld elements of the %lld that are left.", i,
                                 (long long)parts[i], (long long)rest));
        rest -= parts[i];
    }
    if (rest)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "Its parts have %lld elements instead of %lld.",
                             (long long)(in->extent[*axis] - rest), (long long)in->extent[*axis]));
cleanup:
    return status;
}

static opevo_status infer_split(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t parts[SPLIT_MOST], extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;
    const opevo_array *in = NULL;
    int axis = 0;

    OPEVO_TRY(need(call, 0, err));
    in = &call->in[0]->array;
    OPEVO_TRY(parts_of(call, &axis, parts, err));
    memcpy(extent, in->extent, sizeof extent);
    for (int i = 0; i < call->outs; i++) {
        extent[axis] = parts[i];
        OPEVO_TRY(opevo_i_net_shape(call->out[i], in->type, in->dims, extent, err));
    }
cleanup:
    return status;
}

static opevo_status split(const opevo_i_net_call *call, const void *const *in, void *const *out,
                          opevo_error *err)
{
    const opevo_array *whole = &call->in[0]->array;
    int64_t parts[SPLIT_MOST];
    size_t offset = 0;
    int axis = 0;
    opevo_status status = parts_of(call, &axis, parts, err);

    for (int i = 0; i < call->outs && status == OPEVO_OK; i++) {
        opevo_array part = *whole;

        part.extent[axis] = parts[i];
        copy_part(whole, axis, &part, false, &offset, in[0], out[i]);
    }
    return status;
}

/* First element and step of each dimension of a slice, and how many. */
static opevo_status slice_of(const opevo_i_net_call *call, int64_t *start, int64_t *step,
                             int64_t *extent, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    int64_t starts[OPEVO_NETWORK_DIMS], ends[OPEVO_NETWORK_DIMS], axes[OPEVO_NETWORK_DIMS],
        steps[OPEVO_NETWORK_DIMS];
    int count = 0, end_count = 0, axis_count = 0, step_count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_list(call, 1, 10, "starts", OPEVO_NETWORK_DIMS, starts, &count, err));
    OPEVO_TRY(opevo_i_net_list(call, 2, 10, "ends", OPEVO_NETWORK_DIMS, ends, &end_count, err));
    OPEVO_TRY(opevo_i_net_list(call, 3, 10, "axes", OPEVO_NETWORK_DIMS, axes, &axis_count, err));
    OPEVO_TRY(opevo_i_net_list(call, 4, 10, "steps", OPEVO_NETWORK_DIMS, steps, &step_count, err));
    if (count < 0 || end_count != count || (axis_count >= 0 && axis_count != count) ||
        (step_count >= 0 && step_count != count) || count > in->dims)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "Its lists are of different lengths."));
    for (int d = 0; d < in->dims; d++) {
        start[d] = 0;
        step[d] = 1;
        extent[d] = in->extent[d];
    }
    for (int i = 0; i < count; i++) {
        int64_t by = step_count < 0 ? 1 : steps[i], size = 0, low = 0, high = 0, a = starts[i],
                b = ends[i], stride = 1;
        int d = i;

        if (axis_count >= 0)
            OPEVO_TRY(opevo_i_net_axis(axes[i], in->dims, &d, err));
        if (by == 0 || by > INT32_MAX || by < -INT32_MAX) {
            status = OPEVO_FAIL(err, OPEVO_INVALID, "A step is %lld.", (long long)by);
            goto cleanup;
        }
        size = in->extent[d];
        low = by > 0 ? 0 : -1;
        high = by > 0 ? size : size - 1;
        a = a < 0 ? (a < -size ? -size : a) + size : a;
        b = b < 0 ? (b < -size ? -size - 1 : b) + size : b;
        a = a < 0 ? 0 : a > high ? high : a;
        b = b < low ? low : b > size ? size : b;
        start[d] = a;
        step[d] = by;
        stride = by > 0 ? by : -by;
        extent[d] = ((by > 0 ? b - a : a - b) + stride - 1) / stride;
        extent[d] = extent[d] < 0 ? 0 : extent[d];
    }
cleanup:
    return status;
}

static opevo_status infer_slice(const opevo_i_net_call *call, opevo_error *err)
{
    int64_t start[OPEVO_NETWORK_DIMS], step[OPEVO_NETWORK_DIMS], extent[OPEVO_NETWORK_DIMS];
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(need(call, 0, err));
    OPEVO_TRY(slice_of(call, start, step, extent, err));
    OPEVO_TRY(opevo_i_net_shape(call->out[0], call->in[0]->array.type, call->in[0]->array.dims,
                                extent, err));
cleanup:
    return status;
}

static opevo_status slice(const opevo_i_net_call *call, const void *const *in, void *const *out,
                          opevo_error *err)
{
    int64_t start[OPEVO_NETWORK_DIMS], step[OPEVO_NETWORK_DIMS] = {0}, extent[OPEVO_NETWORK_DIMS],
                                       stride[OPEVO_NETWORK_DIMS], first = 0;
    opevo_status status = slice_of(call, start, step, extent, err);

    strides_of(&call->in[0]->array, stride);
    for (int d = 0; d < call->in[0]->array.dims && status == OPEVO_OK; d++) {
        first += start[d] * stride[d];
        /* A step along one element goes nowhere, and may be of any size. */
        step[d] = extent[d] > 1 ? step[d] * stride[d] : 0;
    }
    if (status == OPEVO_OK)
        gather(&call->out[0]->array, in[0], first, step, out[0]);
    return status;
}

const opevo_i_net_operator opevo_i_net_moves[] = {
    {"Identity", 1, 1, 1, 1, opevo_i_net_infer_same, NULL, copy, 0, NULL, NULL, 0},
    {"Reshape", 5, 2, 2, 1, infer_reshape, NULL, copy, 0, "allowzero=int:14-", NULL, 2},
    {"Flatten", 1, 1, 1, 1, infer_flatten, NULL, copy, 0, "axis=int", NULL, 0},
    {"Squeeze", 1, 1, 2, 1, infer_squeeze, NULL, copy, 0, "axes=ints:-12", NULL, 2},
    {"Unsqueeze", 1, 1, 2, 1, infer_unsqueeze, NULL, copy, 0, "axes=ints:-12!", NULL, 2},
    {"Transpose", 1, 1, 1, 1, infer_transpose, NULL, transpose, 0, "perm=ints", NULL, 0},
    {"Expand", 8, 2, 2, 1, infer_expand, NULL, expand, 0, NULL, NULL, 2},
    {"Concat", 4, 1, 0, 1, infer_concat, NULL, concat, 0, "axis=int!", NULL, 0},
    {"Split", 2, 1, 2, 0, infer_split, NULL, split, 0,
     "axis=int num_outputs=int:18- split=ints:-12", NULL, 2},
    {"Slice", 1, 1, 5, 1, infer_slice, NULL, slice, 0, "axes=ints:-9 ends=ints:-9! starts=ints:-9!",
     NULL, 30},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
