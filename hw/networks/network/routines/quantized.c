/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole numbers for floats: y = x / scale + zero, rounded to nearest, ties to even, and limited to
 * the type; products and convolutions of them. */

#include "routines.h"

static double least_of(int type)
{
    return type == ROUTINE_INT8    ? -0x1p7
           : type == ROUTINE_INT16 ? -0x1p15
           : type == ROUTINE_INT32 ? -0x1p31
                                   : 0;
}

static double most_of(int type)
{
    return type == ROUTINE_INT8     ? 0x7f
           : type == ROUTINE_UINT8  ? 0xff
           : type == ROUTINE_INT16  ? 0x7fff
           : type == ROUTINE_UINT16 ? 0xffff
                                    : 0x7fffffff;
}

static double saturated(double x, int type)
{
    return fmin(fmax(x, least_of(type)), most_of(type));
}

/* Which scale belongs to element i: whole[0] is the axis (-1: one), [1] the block (0: none). */
static int64_t scale_of(const routine_call *call, int64_t i)
{
    const routine_tensor *x = call->in, *scale = &call->in[1];
    int axis = (int)call->whole[0];
    int64_t block = call->whole[1], inner = 0, at = 0;

    if (axis < 0 || routine_elements(scale) == 1)
        return 0;
    inner = routine_product(x, axis + 1, x->dims);
    at = i / inner % x->extent[axis];
    if (block)
        return (i / inner / x->extent[axis] * scale->extent[axis] + at / block) * inner + i % inner;
    return at;
}

static double zero_of(const routine_call *call, int in, int64_t i)
{
    return routine_has(call, in)
               ? routine_number(&call->in[in], routine_elements(&call->in[in]) == 1 ? 0 : i)
               : 0;
}

/* whole[2]: the type in the file, [3]: whether it saturates, both of float8. */
const char *routine_quantize(const routine_call *call)
{
    const routine_tensor *to = call->out;

    for (int64_t i = 0, count = routine_elements(to); i < count; i++) {
        int64_t at = scale_of(call, i);
        float x = (float)routine_number(call->in, i), s = (float)routine_number(&call->in[1], at);

        if (routine_is_short(call->whole[2])) {
            ((float *)to->data)[i] =
                routine_narrow((double)(x / s), (int)call->whole[2], call->whole[3] != 0);
            continue;
        }
        routine_set_number(to, i, saturated((double)rintf(x / s) + zero_of(call, 2, at), to->type));
    }
    return NULL;
}

const char *routine_dequantize(const routine_call *call)
{
    for (int64_t i = 0, count = routine_elements(call->out); i < count; i++) {
        int64_t at = scale_of(call, i);
        float x = (float)(routine_number(call->in, i) - zero_of(call, 2, at));

        routine_set_number(call->out, i, (double)(x * (float)routine_number(&call->in[1], at)));
    }
    return NULL;
}

/* The scale takes the range of the numbers and 0 to 0 ... 255. */
const char *routine_quantize_dynamic(const routine_call *call)
{
    const float *x = call->in->data;
    int64_t count = routine_elements(call->in);
    float least = 0, most = 0, scale = 0, zero = 0;
    uint8_t *y = call->out[0].data;

    for (int64_t i = 0; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    scale = (most - least) / 255;
    zero = scale > 0 ? (float)saturated((double)rintf(-least / scale), ROUTINE_UINT8) : 0;
    for (int64_t i = 0; i < count && y; i++)
        y[i] =
            (uint8_t)saturated(scale > 0 ? (double)(rintf(x[i] / scale) + zero) : 0, ROUTINE_UINT8);
    if (call->outs > 1 && call->out[1].data)
        *(float *)call->out[1].data = scale;
    if (call->outs > 2 && call->out[2].data)
        *(uint8_t *)call->out[2].data = (uint8_t)zero;
    return NULL;
}

/* ---- Products ---- */

/* Where a and b, their zeros, and for QLinear operators scales are among the inputs; -1: none. */
typedef struct product_inputs {
    int a, b, a_zero, b_zero, a_scale, b_scale, y_scale, y_zero, bias;
} product_inputs;

static product_inputs inputs_of(bool scaled)
{
    const product_inputs whole = {0, 1, 2, 3, -1, -1, -1, -1, -1};
    const product_inputs linear = {0, 3, 2, 5, 1, 4, 6, 7, 8};

    return scaled ? linear : whole;
}

/* The sum as int32, or for QLinear operators scaled and rounded. `column`: of b. */
static void put_sum(const routine_call *call, const product_inputs *of, bool scaled, int64_t i,
                    int64_t column, int64_t sum)
{
    float scale = 0;
    int64_t scales = scaled ? routine_elements(&call->in[of->b_scale]) : 0;

    if (!scaled) {
        routine_set_whole(call->out, i, sum);
        return;
    }
    scale = (float)routine_number(&call->in[of->a_scale], 0) *
            (float)routine_number(&call->in[of->b_scale], scales == 1 ? 0 : column) /
            (float)routine_number(&call->in[of->y_scale], 0);
    routine_set_number(call->out, i,
                       saturated((double)rintf((float)sum * scale) + zero_of(call, of->y_zero, 0),
                                 call->out->type));
}

/* Extents of a matrix in the last dimensions; a vector is a row of a, or a column of b. whole[0]:
 * whether it is a QLinear operator. Products of all types; whole numbers of 64 bits. */
const char *routine_whole_product(const routine_call *call)
{
    bool scaled = call->whole[0] != 0;
    product_inputs of = inputs_of(scaled);
    const routine_tensor *a = &call->in[of.a], *b = &call->in[of.b];
    int64_t depth = a->extent[a->dims - 1], rows = a->dims > 1 ? a->extent[a->dims - 2] : 1;
    int64_t columns = b->dims > 1 ? b->extent[b->dims - 1] : 1;
    routine_tensor all = *call->out, left = *a, right = *b;
    routine_walk walk = {.all = &all};

    left.dims = a->dims > 2 ? a->dims - 2 : 0;
    right.dims = b->dims > 2 ? b->dims - 2 : 0;
    all.dims = left.dims > right.dims ? left.dims : right.dims;
    routine_walk_add(&walk, &left);
    routine_walk_add(&walk, &right);
    for (int64_t m = 0, count = routine_elements(&all); m < count; m++, routine_walk_next(&walk)) {
        for (int64_t i = 0; i < rows * columns; i++) {
            int64_t r = i / columns, c = i % columns, at = m * rows * columns + i;
            int64_t x = (walk.at[0] * rows + r) * depth, y = walk.at[1] * depth * columns + c;
            double number = 0;
            uint64_t sum = 0;
            int64_t a_zero = (int64_t)zero_of(call, of.a_zero, r);
            int64_t b_zero = (int64_t)zero_of(call, of.b_zero, c);

            for (int64_t k = 0; k < depth; k++) {
                if (routine_is_whole(a))
                    sum += (uint64_t)(routine_whole(a, x + k) - a_zero) *
                           (uint64_t)(routine_whole(b, y + k * columns) - b_zero);
                else
                    number += routine_number(a, x + k) * routine_number(b, y + k * columns);
            }
            if (routine_is_whole(a))
                put_sum(call, &of, scaled, at, c, (int64_t)sum);
            else
                routine_set_number(call->out, at, number);
        }
    }
    return NULL;
}

/* The sum of a window: image b of the batch, output channel o, output place `at`. */
static int64_t window_sum(const routine_call *call, const product_inputs *of, int64_t b, int64_t o,
                          const int64_t *at)
{
    const routine_tensor *x = &call->in[of->a], *w = &call->in[of->b];
    const int64_t *stride = call->whole + 2, *dilation = stride + 3, *before = dilation + 3;
    int dims = x->dims - 2;
    int64_t channels = w->extent[1], group = o / (w->extent[0] / call->whole[1]);
    int64_t points = routine_product(w, 2, w->dims), sum = 0;
    int64_t a_zero = (int64_t)zero_of(call, of->a_zero, 0);
    int64_t b_zero = (int64_t)zero_of(call, of->b_zero, o);

    for (int64_t p = 0; p < points; p++) {
        int64_t rest = p, place = 0, step = 1, plane = routine_product(x, 2, x->dims);
        bool inside_image = true;

        for (int d = dims - 1; d >= 0; d--) {
            int64_t k = rest % w->extent[2 + d];
            int64_t i = at[d] * stride[d] + k * dilation[d] - before[d];

            rest /= w->extent[2 + d];
            inside_image &= i >= 0 && i < x->extent[2 + d];
            place += i * step;
            step *= x->extent[2 + d];
        }
        for (int64_t c = 0; c < channels && inside_image; c++)
            sum += (routine_whole(x, (b * x->extent[1] + group * channels + c) * plane + place) -
                    a_zero) *
                   (routine_whole(w, (o * channels + c) * points + p) - b_zero);
    }
    return sum;
}

/* whole: whether it is a QLinear operator, groups, then strides, dilations and padding before, of
 * three dimensions. */
const char *routine_whole_convolution(const routine_call *call)
{
    bool scaled = call->whole[0] != 0;
    product_inputs of = inputs_of(scaled);
    const routine_tensor *out = call->out;
    int64_t cells = routine_product(out, 2, out->dims);

    for (int64_t i = 0, count = routine_elements(out); i < count; i++) {
        int64_t rest = i % cells, o = i / cells % out->extent[1], at[3] = {0}, sum = 0;

        for (int d = out->dims - 3; d >= 0; d--) {
            at[d] = rest % out->extent[2 + d];
            rest /= out->extent[2 + d];
        }
        sum = window_sum(call, &of, i / cells / out->extent[1], o, at);
        if (scaled && routine_has(call, of.bias))
            sum += routine_whole(&call->in[of.bias], o);
        put_sum(call, &of, scaled, i, o, sum);
    }
    return NULL;
}
