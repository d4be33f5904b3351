/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The largest element of windows and its place. whole: storage_order, then of three dimensions each
 * strides, dilations, padding before, kernel. */

#include "routines.h"

enum { WINDOW_DIMS = 3 };

/* Along d, the points of the window of output `at` that are inside the input: the first, and how
 * many. The input is read where 0 <= at stride + k dilation - before < in. */
static int64_t points_inside(const routine_call *call, int d, int64_t at, int64_t *first)
{
    const int64_t *window = call->whole + 1 + d;
    int64_t dilation = window[WINDOW_DIMS], kernel = window[3 * WINDOW_DIMS];
    int64_t start = at * window[0] - window[2 * WINDOW_DIMS];
    int64_t end = call->in->extent[2 + d] - start;
    int64_t past = end > 0 ? (end - 1) / dilation + 1 : 0;

    *first = start < 0 ? (-start + dilation - 1) / dilation : 0;
    past = past < kernel ? past : kernel;
    return past > *first ? past - *first : 0;
}

/* Whether element i is larger than element k; NaN is larger than all numbers. */
static bool goes_before(const routine_tensor *in, int64_t i, int64_t k)
{
    double x = routine_number(in, i), y = routine_number(in, k);

    return x > y || (isnan(x) && !isnan(y));
}

/* Best element of the window of output `at` in the plane that begins at `from`, -1 if the window is
 * empty. Counted in the plane, the last dimension fastest, or the first for storage_order 1. */
static int64_t best_of(const routine_call *call, int64_t from, const int64_t *at, int64_t *index)
{
    const routine_tensor *in = call->in;
    const int64_t *window = call->whole + 1;
    int dims = in->dims - 2;
    int64_t best = -1, points = 1, first[WINDOW_DIMS] = {0}, count[WINDOW_DIMS] = {1, 1, 1};

    for (int d = 0; d < dims; d++) {
        count[d] = points_inside(call, d, at[d], &first[d]);
        points *= count[d]; /* at most those of the input */
    }
    for (int64_t k = 0; k < points; k++) {
        int64_t rest = k, row = 0, place = 0, step = 1, i[WINDOW_DIMS] = {0};

        for (int d = dims - 1; d >= 0; d--) {
            i[d] = at[d] * window[d] + (first[d] + rest % count[d]) * window[WINDOW_DIMS + d] -
                   window[2 * WINDOW_DIMS + d];
            rest /= count[d];
            row += i[d] * step;
            step *= in->extent[2 + d];
        }
        if (best >= 0 && !goes_before(in, from + row, from + best))
            continue;
        best = row;
        step = 1;
        for (int d = 0; d < dims; d++) {
            place += i[d] * step;
            step *= in->extent[2 + d];
        }
        *index = call->whole[0] ? place : row;
    }
    return best;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* to[i] = max(to[i], from[i stride]); `flip` is 128 for signed bytes. */
static void raise_bytes(const uint8_t *from, int64_t stride, int64_t count, uint8_t flip,
                        uint8_t *to)
{
    for (int64_t i = 0; i < count && stride == 1; i++) {
        const uint8_t x = from[i] ^ flip;

        to[i] = x > to[i] ? x : to[i];
    }
    for (int64_t i = 0; i < count && stride != 1; i++) {
        const uint8_t x = from[i * stride] ^ flip;

        to[i] = x > to[i] ? x : to[i];
    }
}

/* Row y of the results of a plane, in one or two dimensions. */
static void pool_row(const routine_call *call, const uint8_t *from, int64_t y, uint8_t flip,
                     uint8_t *to)
{
    const routine_tensor *in = call->in, *out = call->out;
    const int high = in->dims == 4 ? 0 : -1, wide = high + 1; /* dimensions of the window */
    const int64_t *of = call->whole + 1 + wide;
    const int64_t width = in->extent[in->dims - 1], results = out->extent[out->dims - 1];
    int64_t first = 0, rows = high < 0 ? 1 : points_inside(call, high, y, &first);

    memset(to, 0, (size_t)results);
    for (int64_t k = first; k < first + rows; k++) {
        const int64_t *down = call->whole + 1;
        int64_t row = high < 0 ? 0 : y * down[0] + k * down[WINDOW_DIMS] - down[2 * WINDOW_DIMS];

        for (int64_t p = 0; p < of[3 * WINDOW_DIMS]; p++) {
            /* Results `start` to `end` read inside of the row. */
            const int64_t shift = p * of[WINDOW_DIMS] - of[2 * WINDOW_DIMS];
            int64_t start = shift < 0 ? (of[0] - 1 - shift) / of[0] : 0;
            int64_t end = width > shift ? (width - shift + of[0] - 1) / of[0] : 0;

            end = end > results ? results : end;
            if (start < end)
                raise_bytes(from + row * width + start * of[0] + shift, of[0], end - start, flip,
                            to + start);
        }
    }
    for (int64_t x = 0; x < results && flip; x++)
        to[x] ^= flip;
}

static bool pools_bytes(const routine_call *call)
{
    const routine_tensor *in = call->in;

    return (in->type == ROUTINE_UINT8 || in->type == ROUTINE_INT8) && in->dims >= 3 &&
           in->dims <= 4 && !(call->outs > 1 && call->out[1].data);
}

static void pool_bytes(const routine_call *call)
{
    const routine_tensor *in = call->in, *out = call->out;
    const int64_t results = out->extent[out->dims - 1];
    const int64_t rows = out->dims == 4 ? out->extent[2] : 1;
    const int64_t plane = routine_product(in, 2, in->dims);

    for (int64_t i = 0, count = results ? routine_elements(out) / results : 0; i < count; i++)
        pool_row(call, (const uint8_t *)in->data + i / rows * plane, i % rows,
                 in->type == ROUTINE_INT8 ? 128 : 0, (uint8_t *)out->data + i * results);
}

/* ---- All types ------------------------------------------------------------------------------- */

const char *routine_max_pool(const routine_call *call)
{
    const routine_tensor *in = call->in, *out = call->out;
    int64_t plane = routine_product(in, 2, in->dims), cells = routine_product(out, 2, out->dims);

    if (pools_bytes(call)) {
        pool_bytes(call);
        return NULL;
    }
    for (int64_t i = 0, count = routine_elements(out); i < count; i++) {
        int64_t rest = i % cells, from = i / cells * plane, index = 0, best = 0;
        int64_t at[WINDOW_DIMS] = {0};

        for (int d = out->dims - 3; d >= 0; d--) {
            at[d] = rest % out->extent[2 + d];
            rest /= out->extent[2 + d];
        }
        best = best_of(call, from, at, &index);
        if (best < 0)
            routine_set_number(out, i, -INFINITY);
        else
            routine_copy(in, from + best, out, i);
        if (call->outs > 1 && call->out[1].data)
            ((int64_t *)call->out[1].data)[i] = from + index;
    }
    return NULL;
}
