/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Routines whose elements are at places that are numbers of an input. */

#include "routines.h"

/* Element i of the indices, counted from the end if negative; false outside of the extent. */
static bool index_of(const routine_tensor *indices, int64_t i, int64_t extent, int64_t *out)
{
    *out = routine_whole(indices, i);
    *out += *out < 0 ? extent : 0;
    return *out >= 0 && *out < extent;
}

/* Element i of input 1 is outside dimension d of a tensor. */
static const char *say_outside(const routine_call *call, int64_t i, const routine_tensor *all,
                               int d)
{
    return routine_fail(call, "Index %lld is outside dimension %d of %lld.",
                        (long long)routine_whole(&call->in[1], i), d, (long long)all->extent[d]);
}

/* whole[0]: the axis. */
const char *routine_gather(const routine_call *call)
{
    const routine_tensor *from = call->in, *indices = &call->in[1];
    int axis = (int)call->whole[0];
    int64_t rows = routine_product(from, 0, axis), count = routine_elements(indices), at = 0;
    size_t bytes = (size_t)routine_product(from, axis + 1, from->dims) * routine_bytes(from);
    char *to = call->out->data;

    for (int64_t r = 0; r < rows && bytes; r++) {
        for (int64_t i = 0; i < count; i++, to += bytes) {
            if (!index_of(indices, i, from->extent[axis], &at))
                return say_outside(call, i, from, axis);
            memcpy(to, (const char *)from->data + (size_t)(r * from->extent[axis] + at) * bytes,
                   bytes);
        }
    }
    return NULL;
}

/* Where in `all` the index of element i points to along the axis. */
static bool element_of(const routine_tensor *indices, const routine_tensor *all, int axis,
                       int64_t i, int64_t *out)
{
    int64_t rest = i, step = 1;

    *out = 0;
    for (int d = all->dims - 1; d >= 0; d--) {
        int64_t at = rest % indices->extent[d];

        rest /= indices->extent[d];
        if (d == axis && !index_of(indices, i, all->extent[d], &at))
            return false;
        *out += at * step;
        step *= all->extent[d];
    }
    return true;
}

const char *routine_gather_elements(const routine_call *call)
{
    const routine_tensor *indices = &call->in[1];

    for (int64_t i = 0, at = 0, count = routine_elements(call->out); i < count; i++) {
        if (!element_of(indices, call->in, (int)call->whole[0], i, &at))
            return say_outside(call, i, call->in, (int)call->whole[0]);
        routine_copy(call->in, at, call->out, i);
    }
    return NULL;
}

static void put(const routine_tensor *from, int64_t i, const routine_tensor *to, int64_t at,
                int how)
{
    double x = 0, y = 0;

    if (how == ROUTINE_PUT) {
        routine_copy(from, i, to, at);
        return;
    }
    if (routine_is_whole(to)) {
        int64_t m = routine_whole(to, at), n = routine_whole(from, i);

        routine_set_whole(to, at,
                          how == ROUTINE_PUT_ADD        ? (int64_t)((uint64_t)m + (uint64_t)n)
                          : how == ROUTINE_PUT_MULTIPLY ? (int64_t)((uint64_t)m * (uint64_t)n)
                          : (how == ROUTINE_PUT_MAX) == (routine_order(to, m, n) > 0) ? m
                                                                                      : n);
        return;
    }
    x = routine_number(to, at);
    y = routine_number(from, i);
    routine_set_number(to, at,
                       how == ROUTINE_PUT_ADD                                 ? x + y
                       : how == ROUTINE_PUT_MULTIPLY                          ? x * y
                       : isnan(x) || (how == ROUTINE_PUT_MAX ? x > y : x < y) ? x
                                                                              : y);
}

/* whole[0]: the axis; [1]: how. */
const char *routine_scatter_elements(const routine_call *call)
{
    const routine_tensor *indices = &call->in[1], *all = call->out;

    memcpy(all->data, call->in[0].data, (size_t)routine_elements(all) * routine_bytes(all));
    for (int64_t i = 0, at = 0, count = routine_elements(indices); i < count; i++) {
        if (!element_of(indices, all, (int)call->whole[0], i, &at))
            return say_outside(call, i, all, (int)call->whole[0]);
        put(&call->in[2], i, all, at, (int)call->whole[1]);
    }
    return NULL;
}

/* ---- Slices at indices of several dimensions ---- */

/* The number of the slice at index i; the first `batch` dimensions are those of the index. */
static const char *slice_of(const routine_call *call, int batch, int depth, int64_t i, int64_t *out)
{
    const routine_tensor *in = call->in, *indices = &call->in[1];
    int64_t each = routine_product(indices, batch, indices->dims - 1), at = 0;

    *out = each ? i / each : 0;
    for (int d = 0; d < depth; d++) {
        if (!index_of(indices, i * depth + d, in->extent[batch + d], &at))
            return say_outside(call, i * depth + d, in, batch + d);
        *out = *out * in->extent[batch + d] + at;
    }
    return NULL;
}

/* whole[0]: dimensions of the batch. */
const char *routine_gather_slices(const routine_call *call)
{
    const routine_tensor *from = call->in, *indices = &call->in[1];
    int batch = (int)call->whole[0], depth = (int)indices->extent[indices->dims - 1];
    size_t bytes = (size_t)routine_product(from, batch + depth, from->dims) * routine_bytes(from);
    int64_t count = routine_product(indices, 0, indices->dims - 1);

    for (int64_t i = 0, at = 0; i < count && bytes; i++) {
        const char *wrong = slice_of(call, batch, depth, i, &at);

        if (wrong)
            return wrong;
        memcpy((char *)call->out->data + (size_t)i * bytes,
               (const char *)from->data + (size_t)at * bytes, bytes);
    }
    return NULL;
}

/* whole[0]: how. */
const char *routine_scatter_slices(const routine_call *call)
{
    const routine_tensor *all = call->out, *indices = &call->in[1];
    int depth = (int)indices->extent[indices->dims - 1];
    int64_t size = routine_product(all, depth, all->dims);
    int64_t count = routine_product(indices, 0, indices->dims - 1);

    memcpy(all->data, call->in[0].data, (size_t)routine_elements(all) * routine_bytes(all));
    for (int64_t i = 0, at = 0; i < count && size; i++) {
        const char *wrong = slice_of(call, 0, depth, i, &at);

        if (wrong)
            return wrong;
        for (int64_t k = 0; k < size; k++)
            put(&call->in[2], i * size + k, all, at * size + k, (int)call->whole[0]);
    }
    return NULL;
}

/* whole[0]: the axis. What is outside is hot nowhere. */
const char *routine_one_hot(const routine_call *call)
{
    const routine_tensor *all = call->out;
    int axis = (int)call->whole[0];
    int64_t inner = routine_product(all, axis + 1, all->dims), depth = all->extent[axis];

    for (int64_t i = 0, count = routine_elements(all); i < count; i++) {
        int64_t hot = routine_whole(call->in, i / inner / depth * inner + i % inner);

        hot += hot < 0 ? depth : 0;
        routine_copy(&call->in[2], i / inner % depth == hot, all, i);
    }
    return NULL;
}

/* ---- Along an axis ---- */

/* whole[0]: whether a sum leaves its own element out; [1]: whether it goes backwards. */
const char *routine_cumulative(const routine_call *call)
{
    const routine_tensor *all = call->out;
    int64_t axis = routine_whole(&call->in[1], 0), stride = 1, extent = 0;
    bool before = call->whole[0] != 0, back = call->whole[1] != 0;

    axis += axis < 0 ? all->dims : 0;
    if (axis < 0 || axis >= all->dims)
        return "The axis is outside the tensor.";
    extent = all->extent[axis];
    stride = routine_product(all, (int)axis + 1, all->dims);
    for (int64_t i = 0; extent && i < routine_elements(all) / extent; i++) {
        int64_t start = i / stride * stride * extent + i % stride;
        uint64_t whole = 0;
        double sum = 0;

        for (int64_t k = 0; k < extent; k++) {
            int64_t at = start + (back ? extent - 1 - k : k) * stride;

            if (routine_is_whole(all)) {
                uint64_t w = (uint64_t)routine_whole(call->in, at);

                routine_set_whole(all, at, (int64_t)(before ? whole : whole + w));
                whole += w;
            } else {
                double x = routine_number(call->in, at);

                routine_set_number(all, at, before ? sum : sum + x);
                sum += x;
            }
        }
    }
    return NULL;
}

/* Whether element i comes before element k: NaN is larger than all numbers. */
static bool comes_before(const routine_tensor *in, int64_t i, int64_t k, bool largest)
{
    if (routine_is_whole(in)) {
        int order = routine_order(in, routine_whole(in, i), routine_whole(in, k));

        return order == (largest ? 1 : -1);
    }
    double x = routine_number(in, i), y = routine_number(in, k);

    if (isnan(x) || isnan(y))
        return largest ? isnan(x) && !isnan(y) : !isnan(x) && isnan(y);
    return largest ? x > y : x < y;
}

/* Move the root of a heap down to where it belongs; the last in order is at the top. */
static void sift(const routine_tensor *in, int64_t start, int64_t stride, int64_t *heap,
                 int64_t count, bool largest, int64_t at)
{
    for (int64_t child = 2 * at + 1; child < count; at = child, child = 2 * at + 1) {
        int64_t kept = heap[at];

#define ROUTINE_BEFORE(a, b)                                                                       \
    (comes_before(in, start + (a)*stride, start + (b)*stride, largest) ||                          \
     (!comes_before(in, start + (b)*stride, start + (a)*stride, largest) && (a) < (b)))
        if (child + 1 < count && ROUTINE_BEFORE(heap[child], heap[child + 1]))
            child++;
        if (ROUTINE_BEFORE(heap[child], kept))
            return;
        heap[at] = heap[child];
        heap[child] = kept;
    }
}

double routine_top_need(const routine_call *call)
{
    return (double)call->in->extent[call->whole[0]] * (double)sizeof(int64_t);
}

/* whole[0]: the axis; [1]: whether the largest come first, or the smallest. Equal elements are in
 * the order of their places. */
const char *routine_top(const routine_call *call)
{
    const routine_tensor *in = call->in, *values = &call->out[0], *places = &call->out[1];
    const routine_tensor *shape = values->data ? values : places;
    int axis = (int)call->whole[0];
    bool largest = call->whole[1] != 0;
    int64_t extent = in->extent[axis], stride = routine_product(in, axis + 1, in->dims);
    int64_t most = shape->extent[axis], rows = extent ? routine_elements(in) / extent : 0;
    int64_t *heap = call->memory;

    for (int64_t r = 0; r < rows; r++) {
        int64_t start = r / stride * stride * extent + r % stride;
        int64_t to = r / stride * stride * most + r % stride;

        for (int64_t k = 0; k < extent; k++)
            heap[k] = k;
        for (int64_t k = extent / 2 - 1; k >= 0; k--)
            sift(in, start, stride, heap, extent, largest, k);
        for (int64_t k = extent - 1; k > 0; k--) {
            int64_t last = heap[0];

            heap[0] = heap[k];
            heap[k] = last;
            sift(in, start, stride, heap, k, largest, 0);
        }
        for (int64_t k = 0; k < most; k++) {
            if (values->data)
                routine_copy(in, start + heap[k] * stride, values, to + k * stride);
            if (call->outs > 1 && places->data)
                routine_set_whole(places, to + k * stride, heap[k]);
        }
    }
    return NULL;
}
