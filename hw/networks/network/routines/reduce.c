/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Routines that reduce dimensions. whole[0]: the code; [1 + d]: whether dimension d is reduced. */

#include "routines.h"

static double add_number(int code, double result, double x)
{
    double most = 0;

    switch (code) {
    case ROUTINE_REDUCE_MAX:
        return isnan(result) || result > x ? result : x;
    case ROUTINE_REDUCE_MIN:
        return isnan(result) || result < x ? result : x;
    case ROUTINE_REDUCE_L1:
        return result + fabs(x);
    case ROUTINE_REDUCE_L2:
    case ROUTINE_REDUCE_SQUARES:
        return result + x * x;
    case ROUTINE_REDUCE_PRODUCT:
        return result * x;
    case ROUTINE_REDUCE_LOG_SUM_EXP: /* the logarithm of what there is so far */
        most = isnan(x) || x > result ? x : result;
        return isinf(most) ? most : most + log(exp(result - most) + exp(x - most));
    default:
        return result + x;
    }
}

static int64_t add_whole(int code, const routine_tensor *of, int64_t result, int64_t x)
{
    uint64_t a = (uint64_t)result, b = (uint64_t)x;

    switch (code) {
    case ROUTINE_REDUCE_MAX:
        return routine_order(of, result, x) > 0 ? result : x;
    case ROUTINE_REDUCE_MIN:
        return routine_order(of, result, x) < 0 ? result : x;
    case ROUTINE_REDUCE_L1:
        return (int64_t)(a + (routine_order(of, x, 0) < 0 ? 0 - b : b));
    case ROUTINE_REDUCE_SQUARES:
        return (int64_t)(a + b * b);
    case ROUTINE_REDUCE_PRODUCT:
        return (int64_t)(a * b);
    default:
        return (int64_t)(a + b);
    }
}

/* The largest or the smallest number of a whole type. */
static int64_t extreme(const routine_tensor *t, bool most)
{
    int type = t->type, bits = 8 * (int)routine_bytes(t);
    bool is_signed = type == ROUTINE_INT8 || type == ROUTINE_INT16 || type == ROUTINE_INT32 ||
                     type == ROUTINE_INT64;

    if (is_signed)
        return most ? INT64_MAX >> (64 - bits) : -(INT64_MAX >> (64 - bits)) - 1;
    return !most ? 0 : type == ROUTINE_BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - bits));
}

/* The strides of `in` along the dimensions that are reduced, or kept, 0 along the others, as a
 * walk over `shape`, which has extents of 1 there. */
static void divide(const routine_call *call, bool reduced, routine_tensor *shape,
                   routine_walk *walk)
{
    const routine_tensor *in = call->in;
    int64_t stride = 1;

    *shape = *in;
    *walk = (routine_walk){.all = shape, .tensors = 1};
    for (int d = in->dims - 1; d >= 0; d--) {
        bool mine = (call->whole[1 + d] != 0) == reduced;

        shape->extent[d] = mine ? in->extent[d] : 1;
        walk->step[0][d] = mine ? stride : 0;
        stride *= in->extent[d];
    }
}

const char *routine_reduce(const routine_call *call)
{
    static const double first[] = {[ROUTINE_REDUCE_MAX] = -INFINITY,
                                   [ROUTINE_REDUCE_MIN] = INFINITY,
                                   [ROUTINE_REDUCE_PRODUCT] = 1,
                                   [ROUTINE_REDUCE_LOG_SUM_EXP] = -INFINITY};
    const routine_tensor *in = call->in, *to = call->out;
    int code = (int)call->whole[0];
    routine_tensor kept, rest;
    routine_walk outer, start, inner;
    int64_t count = 0;

    divide(call, false, &kept, &outer);
    divide(call, true, &rest, &start);
    count = routine_elements(&rest);
    for (int64_t i = 0, results = routine_elements(to); i < results;
         i++, routine_walk_next(&outer)) {
        double value = first[code];
        int64_t whole = code == ROUTINE_REDUCE_PRODUCT ? 1 : 0;

        if (routine_is_whole(in) && (code == ROUTINE_REDUCE_MAX || code == ROUTINE_REDUCE_MIN))
            whole = extreme(in, code == ROUTINE_REDUCE_MIN);
        inner = start;
        for (int64_t k = 0; k < count; k++, routine_walk_next(&inner)) {
            if (routine_is_whole(in))
                whole = add_whole(code, in, whole, routine_whole(in, outer.at[0] + inner.at[0]));
            else
                value = add_number(code, value, routine_number(in, outer.at[0] + inner.at[0]));
        }
        if (routine_is_whole(in))
            routine_set_whole(to, i,
                              code != ROUTINE_REDUCE_MEAN || count == 0 ? whole
                              : in->type == ROUTINE_UINT64
                                  ? (int64_t)((uint64_t)whole / (uint64_t)count)
                                  : whole / count);
        else
            routine_set_number(to, i,
                               code == ROUTINE_REDUCE_MEAN      ? value / (double)count
                               : code == ROUTINE_REDUCE_L2      ? sqrt(value)
                               : code == ROUTINE_REDUCE_LOG_SUM ? log(value)
                                                                : value);
    }
    return NULL;
}

/* Whether element i is beyond element k: larger, or smaller. NaN is beyond all numbers, as in
 * NumPy, which ONNX's reference implementation of ArgMax and ArgMin calls. */
static bool is_beyond(const routine_tensor *in, int64_t i, int64_t k, bool smaller)
{
    double a = 0, b = 0;

    if (routine_is_whole(in))
        return routine_order(in, routine_whole(in, i), routine_whole(in, k)) == (smaller ? -1 : 1);
    a = routine_number(in, i);
    b = routine_number(in, k);
    return isnan(a) ? !isnan(b) : smaller ? a < b : a > b;
}

/* The place of the largest or smallest element along whole[1]; [2]: the last of equal ones. */
const char *routine_place(const routine_call *call)
{
    const routine_tensor *in = call->in;
    int axis = (int)call->whole[1];
    bool last = call->whole[2] != 0, smaller = call->whole[0] == ROUTINE_ARGUMENT_MIN;
    int64_t extent = in->extent[axis], stride = routine_product(in, axis + 1, in->dims);
    int64_t rows = extent ? routine_elements(in) / extent : 0;

    if (extent == 0 && routine_elements(call->out) > 0)
        return routine_fail(call, "Dimension %d has no element whose place could be found.", axis);
    for (int64_t r = 0; r < rows; r++) {
        int64_t start = r / stride * stride * extent + r % stride, best = 0;

        for (int64_t k = 1; k < extent; k++) {
            int64_t i = start + k * stride, kept = start + best * stride;

            if (is_beyond(in, i, kept, smaller) || (last && !is_beyond(in, kept, i, smaller)))
                best = k;
        }
        ((int64_t *)call->out->data)[r] = best;
    }
    return NULL;
}

/* The largest element of a row and where it is first; with `sum`, that of exp(x - largest). */
static double largest(const routine_tensor *in, int64_t start, const routine_walk *row,
                      int64_t count, int64_t *place, double *sum)
{
    routine_walk walk = *row;
    double most = -INFINITY;

    *place = 0;
    *sum = 0;
    for (int64_t k = 0; k < count; k++, routine_walk_next(&walk)) {
        double x = routine_number(in, start + walk.at[0]);

        *place = x > most ? k : *place;
        most = fmax(x, most);
    }
    walk = *row;
    for (int64_t k = 0; k < count; k++, routine_walk_next(&walk))
        *sum += exp(routine_number(in, start + walk.at[0]) - most);
    return most;
}

const char *routine_softmax(const routine_call *call)
{
    const routine_tensor *in = call->in;
    int code = (int)call->whole[0];
    routine_tensor kept, rest;
    routine_walk outer, row, walk;
    int64_t count = 0;

    divide(call, false, &kept, &outer);
    divide(call, true, &rest, &row);
    count = routine_elements(&rest);
    for (int64_t i = 0, rows = routine_elements(&kept); i < rows; i++, routine_walk_next(&outer)) {
        int64_t place = 0;
        double sum = 0, most = largest(in, outer.at[0], &row, count, &place, &sum);

        walk = row;
        for (int64_t k = 0; k < count; k++, routine_walk_next(&walk)) {
            int64_t at = outer.at[0] + walk.at[0];
            double x = routine_number(in, at) - most;

            routine_set_number(call->out, at,
                               code == ROUTINE_HARDMAX       ? k == place
                               : code == ROUTINE_LOG_SOFTMAX ? x - log(sum)
                                                             : exp(x) / sum);
        }
    }
    return NULL;
}
