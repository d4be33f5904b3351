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

const char *routine_max_pool(const routine_call *call)
{
    const routine_tensor *in = call->in, *out = call->out;
    int64_t plane = routine_product(in, 2, in->dims), cells = routine_product(out, 2, out->dims);

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
