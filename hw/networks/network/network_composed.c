/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of the standard that are several others: norms, shapes, places, and random numbers. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NONE OPEVO_I_NET_OMITTED

/* Numbers from `from` up to `to`. */
static int range(opevo_i_net_builder *self, int64_t from, int64_t to)
{
    return opevo_i_net_build(self, "Range", NULL, 3,
                             (int[]){opevo_i_net_build_whole(self, from),
                                     opevo_i_net_build_whole(self, to),
                                     opevo_i_net_build_whole(self, 1)});
}

static void cast_output(opevo_i_net_builder *self, int made, int64_t type)
{
    char text[32];

    snprintf(text, sizeof text, "to=%d", (int)type);
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_one(self, "Cast", text, made);
}

/* ---- Norms ---------------------------------------------------------------------------------- */

/* x / |x|, and 0 where that is 0. */
static void build_normal(opevo_i_net_builder *self)
{
    int64_t p = opevo_i_net_build_int(self, "p", 2);
    int axes =
        opevo_i_net_build_wholes(self, 1, (int64_t[]){opevo_i_net_build_int(self, "axis", -1)});
    int norm = opevo_i_net_build_two(self, p == 1 ? "ReduceL1" : "ReduceL2", "keepdims=1",
                                     self->in[0], axes);

    if (p != 1 && p != 2)
        opevo_i_net_build_fail(self, "Attribute p is not 1 or 2.");
    norm = opevo_i_net_build_two(self, "Max", NULL, norm, opevo_i_net_build_number(self, 0x1p-126));
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "Div", NULL, self->in[0], norm);
}

/* |x|^p, of whose sum give_root takes the root. */
static int powered(opevo_i_net_builder *self, int in, double p)
{
    in = opevo_i_net_build_one(self, "Abs", NULL, in);
    return p == 1 ? in
                  : opevo_i_net_build_two(self, "Pow", NULL, in, opevo_i_net_build_number(self, p));
}

static void give_root(opevo_i_net_builder *self, int sum, double p)
{
    if (p == 1) {
        opevo_i_net_build_output(self, 0, sum);
        return;
    }
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "Pow", NULL, sum, opevo_i_net_build_number(self, 1 / p));
}

static void build_global_norm(opevo_i_net_builder *self)
{
    const opevo_array *array = opevo_i_net_build_array(self, self->in[0]);
    double p = (double)opevo_i_net_build_int(self, "p", 2);
    int64_t axes[OPEVO_NETWORK_DIMS];
    int count = 0, sum = 0;

    for (int d = 2; array && d < array->dims; d++)
        axes[count++] = d;
    if (!(p >= 1))
        opevo_i_net_build_fail(self, "Attribute p is below 1.");
    sum = opevo_i_net_build_two(self, "ReduceSum", "keepdims=1", powered(self, self->in[0], p),
                                opevo_i_net_build_wholes(self, count, axes));
    give_root(self, sum, p);
}

/* A sum over a window is a convolution with ones; images lie one channel each. */
static void build_pool(opevo_i_net_builder *self)
{
    enum { WINDOW = 1 << 10 };
    const opevo_array *array = opevo_i_net_build_array(self, self->in[0]);
    const Onnx__Attribute *window = opevo_i_net_build_attribute(self, "kernel_shape");
    double p = (double)opevo_i_net_build_int(self, "p", 2);
    int dims = array ? array->dims : 0, in = 0, weights = 0;
    int64_t extent[OPEVO_NETWORK_DIMS], ones[OPEVO_NETWORK_DIMS] = {1, 1}, batch = 0, count = 1;
    float *at = NULL;

    if (!window || dims < 3 || window->n_ints != (size_t)dims - 2 || !(p >= 1) ||
        opevo_i_net_build_int(self, "ceil_mode", 0))
        opevo_i_net_build_fail(self, "Its window is not that of its image, or rounds up.");
    if (self->status != OPEVO_OK)
        return;
    memcpy(extent, array->extent, sizeof extent);
    batch = extent[0];
    extent[0] *= extent[1];
    extent[1] = 1;
    for (int d = 2; d < dims; d++) {
        ones[d] = window->ints[d - 2] > 0 && window->ints[d - 2] < WINDOW ? window->ints[d - 2] : 1;
        count *= ones[d];
    }
    in = opevo_i_net_build_reshape(self, powered(self, self->in[0], p), dims, extent);
    weights = opevo_i_net_build_floats(self, dims, ones, &at);
    for (int64_t i = 0; i < count && at; i++)
        at[i] = 1;
    in = opevo_i_net_build_like(self, "Conv", "p=", 2, (int[]){in, weights});
    array = opevo_i_net_build_array(self, in);
    if (!array)
        return;
    memcpy(extent, array->extent, sizeof extent);
    extent[1] = extent[0] / (batch ? batch : 1);
    extent[0] = batch;
    give_root(self, opevo_i_net_build_reshape(self, in, dims, extent), p);
}

/* ---- Places --------------------------------------------------------------------------------- */

static void build_eye(opevo_i_net_builder *self)
{
    const opevo_array *in = opevo_i_net_build_array(self, self->in[0]);
    int64_t k = opevo_i_net_build_int(self, "k", 0), type = in ? in->type : 1;
    int64_t extent[2] = {0};
    float *at = NULL;
    int made = 0;

    if (!in || in->dims != 2) {
        opevo_i_net_build_fail(self, "Its input is not a matrix.");
        return;
    }
    type = opevo_i_net_build_int(self, "dtype", type);
    memcpy(extent, in->extent, sizeof extent);
    made = opevo_i_net_build_floats(self, 2, extent, &at);
    for (int64_t i = 0; i < extent[0] * extent[1] && at; i++)
        at[i] = i % extent[1] - i / extent[1] == k ? 1.f : 0.f;
    cast_output(self, made, type);
}

/* Place t of batch b is length[b] - 1 - t where that is not below 0, else t. */
static void build_reverse(opevo_i_net_builder *self)
{
    const opevo_array *in = opevo_i_net_build_array(self, self->in[0]);
    int64_t time = opevo_i_net_build_int(self, "time_axis", 0);
    int64_t batch = opevo_i_net_build_int(self, "batch_axis", 1), extent[OPEVO_NETWORK_DIMS];
    int64_t times[OPEVO_NETWORK_DIMS], batches[OPEVO_NETWORK_DIMS];
    int dims = in ? in->dims : 0, steps = 0, last = 0, lengths = 0;
    char text[32];

    if (dims < 2 || time < 0 || batch < 0 || time > 1 || batch > 1 || time == batch) {
        opevo_i_net_build_fail(self, "Its axes of time and batch are not 0 and 1.");
        return;
    }
    for (int d = 0; d < dims; d++) {
        extent[d] = in->extent[d];
        times[d] = d == time ? extent[d] : 1;
        batches[d] = d == batch ? extent[d] : 1;
    }
    steps = opevo_i_net_build_reshape(self, range(self, 0, extent[time]), dims, times);
    lengths = opevo_i_net_build_one(self, "Cast", "to=7", self->in[1]);
    lengths = opevo_i_net_build_reshape(self, lengths, dims, batches);
    last = opevo_i_net_build_two(self, "Sub", NULL, lengths, opevo_i_net_build_whole(self, 1));
    last = opevo_i_net_build_two(self, "Sub", NULL, last, steps);
    steps = opevo_i_net_build(
        self, "Where", NULL, 3,
        (int[]){opevo_i_net_build_two(self, "Less", NULL, steps, lengths), last, steps});
    steps = opevo_i_net_build_two(self, "Expand", NULL, steps,
                                  opevo_i_net_build_wholes(self, dims, extent));
    snprintf(text, sizeof text, "axis=%d", (int)time);
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "GatherElements", text, self->in[0], steps);
}

/* The elements of a pool at the places in its input that they came from; a larger shape that is
 * given has zeros behind. */
static void build_unpool(opevo_i_net_builder *self)
{
    const opevo_array *in = opevo_i_net_build_array(self, self->in[0]);
    const opevo_array *given = opevo_i_net_build_array(self, opevo_i_net_build_input(self, 2));
    const Onnx__Attribute *window = opevo_i_net_build_attribute(self, "kernel_shape");
    const Onnx__Attribute *strides = opevo_i_net_build_attribute(self, "strides");
    const Onnx__Attribute *pads = opevo_i_net_build_attribute(self, "pads");
    int dims = in ? in->dims : 0, spatial = dims - 2, made = 0;
    int64_t extent[OPEVO_NETWORK_DIMS] = {0}, behind[2 * OPEVO_NETWORK_DIMS] = {0}, all = 1;

    if (spatial < 1 || !window || window->n_ints != (size_t)spatial ||
        (strides && strides->n_ints != (size_t)spatial) ||
        (pads && pads->n_ints != 2 * (size_t)spatial) ||
        (given && (!given->data || opevo_array_elements(given) != dims))) {
        opevo_i_net_build_fail(self, "Its window is not that of its image.");
        return;
    }
    for (int d = 0; d < dims; d++) {
        int s = d - 2;

        extent[d] = in->extent[d];
        if (s >= 0)
            extent[d] = (extent[d] - 1) * (strides ? strides->ints[s] : 1) + window->ints[s] -
                        (pads ? pads->ints[s] + pads->ints[s + spatial] : 0);
        behind[dims + d] = given ? opevo_i_net_whole(given, given->data, d) - extent[d] : 0;
    }
    if (opevo_i_net_check_extents("The result", dims, extent, NULL) != OPEVO_OK) {
        opevo_i_net_build_fail(self, "Its result is too large.");
        return;
    }
    for (int d = 0; d < dims; d++)
        all *= extent[d];
    made = opevo_i_net_build_one(self, "ConstantOfShape", NULL,
                                 opevo_i_net_build_wholes(self, 1, &all));
    made = opevo_i_net_build(
        self, "ScatterElements", "axis=0", 3,
        (int[]){made, opevo_i_net_build_reshape(self, self->in[1], 1, (int64_t[]){-1}),
                opevo_i_net_build_reshape(self, self->in[0], 1, (int64_t[]){-1})});
    made = opevo_i_net_build_reshape(self, made, dims, extent);
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "Pad", NULL, made,
                          opevo_i_net_build_wholes(self, 2 * dims, behind));
}

static void build_scatter(opevo_i_net_builder *self)
{
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_like(self, "ScatterElements", NULL, 3, self->in);
}

/* The middle of a tensor, or a tensor with zeros around it. */
static void build_middle(opevo_i_net_builder *self)
{
    const opevo_array *in = opevo_i_net_build_array(self, self->in[0]);
    const opevo_array *size = opevo_i_net_build_array(self, self->in[1]);
    const Onnx__Attribute *axes = opevo_i_net_build_attribute(self, "axes");
    int64_t start[OPEVO_NETWORK_DIMS] = {0}, end[OPEVO_NETWORK_DIMS] = {0};
    int64_t pads[2 * OPEVO_NETWORK_DIMS] = {0}, axis[OPEVO_NETWORK_DIMS];
    int dims = in ? in->dims : 0, made = self->in[0];
    size_t count = axes ? axes->n_ints : (size_t)dims;

    if (!in || !size || !size->data || opevo_array_elements(size) != (int64_t)count ||
        count > (size_t)dims) {
        opevo_i_net_build_fail(self, "Its shape must be constant, with an extent for each axis.");
        return;
    }
    for (int d = 0; d < dims; d++) {
        axis[d] = d;
        end[d] = in->extent[d];
    }
    for (size_t i = 0; i < count; i++) {
        int64_t d = axes ? axes->ints[i] : (int64_t)i, wanted = 0, more = 0;

        d += d < 0 ? dims : 0;
        if (d < 0 || d >= dims) {
            opevo_i_net_build_fail(self, "An axis is outside of its input.");
            return;
        }
        wanted = opevo_i_net_whole(size, size->data, (int64_t)i);
        more = wanted - in->extent[d];
        pads[d] = more > 0 ? more / 2 : 0;
        pads[d + dims] = more > 0 ? more - more / 2 : 0;
        start[d] = more < 0 ? -more / 2 : 0;
        end[d] = start[d] + (more < 0 ? wanted : in->extent[d]);
    }
    made = opevo_i_net_build(self, "Slice", NULL, 4,
                             (int[]){made, opevo_i_net_build_wholes(self, dims, start),
                                     opevo_i_net_build_wholes(self, dims, end),
                                     opevo_i_net_build_wholes(self, dims, axis)});
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "Pad", NULL, made, opevo_i_net_build_wholes(self, 2 * dims, pads));
}

/* theta times (x, y, 1) of each place, from -1 to 1. */
static void build_grid(opevo_i_net_builder *self)
{
    const opevo_array *size = opevo_i_net_build_array(self, self->in[1]);
    bool corners = opevo_i_net_build_int(self, "align_corners", 0) != 0;
    int64_t batch = 0, extent[6] = {0}, places = 1;
    int spatial = 0, made = 0;
    float *at = NULL;

    if (!size || !size->data ||
        (opevo_array_elements(size) != 4 && opevo_array_elements(size) != 5)) {
        opevo_i_net_build_fail(self, "Its size must be constant, of 4 or 5 numbers.");
        return;
    }
    spatial = (int)opevo_array_elements(size) - 2;
    batch = opevo_i_net_whole(size, size->data, 0);
    for (int d = 0; d < spatial; d++) {
        extent[d] = opevo_i_net_whole(size, size->data, 2 + d);
        if (extent[d] < 1 || extent[d] > 1 << 20 || places > (int64_t)1 << 30) {
            opevo_i_net_build_fail(self, "Its size is not that of images.");
            return;
        }
        places *= extent[d];
    }
    made = opevo_i_net_build_floats(self, 2, (int64_t[]){places, spatial + 1}, &at);
    for (int64_t i = 0; i < places && at; i++) {
        int64_t rest = i;

        for (int d = spatial - 1; d >= 0; rest /= extent[d], d--) {
            double x = (double)(rest % extent[d]), n = (double)extent[d];

            at[i * (spatial + 1) + spatial - 1 - d] =
                (float)(corners ? (n > 1 ? 2 * x / (n - 1) - 1 : 0) : (2 * x + 1) / n - 1);
        }
        at[i * (spatial + 1) + spatial] = 1;
    }
    made =
        opevo_i_net_build_two(self, "MatMul", NULL, made,
                              opevo_i_net_build_one(self, "Transpose", "perm=0,2,1", self->in[0]));
    memmove(extent + 1, extent, (size_t)spatial * sizeof *extent);
    extent[0] = batch;
    extent[spatial + 1] = spatial;
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_reshape(self, made, spatial + 2, extent);
}

/* ---- Random numbers ------------------------------------------------------------------------- */

/* Of (0, 1), by a counter and the seed: SplitMix64. */
static double uniform(uint64_t seed, uint64_t i)
{
    uint64_t bits = opevo_hash_mix(seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));

    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

/* Numbers that are drawn once, when the model is read: of a normal law (Box and Muller), or uniform
 * from `low` to `high`. */
static int drawn(opevo_i_net_builder *self, int dims, const int64_t *extent, bool normal)
{
    double seed = opevo_i_net_build_float(self, "seed", 0);
    double low = opevo_i_net_build_float(self, normal ? "mean" : "low", 0);
    double high = opevo_i_net_build_float(self, normal ? "scale" : "high", 1);
    uint64_t from = opevo_hash_bytes(
        opevo_hash_u64(OPEVO_HASH_START, (uint64_t)self->reader->graphs++), &seed, sizeof seed);
    int64_t count = 1;
    float *at = NULL;
    int made = opevo_i_net_build_floats(self, dims, extent, &at);

    for (int d = 0; d < dims; d++)
        count *= extent[d];
    for (int64_t i = 0; i < count && at; i++) {
        double x = uniform(from, 2 * (uint64_t)i), y = uniform(from, 2 * (uint64_t)i + 1);

        at[i] = (float)(normal ? low + high * sqrt(-2 * log(x)) * cos(2 * acos(-1) * y)
                               : low + (high - low) * x);
    }
    return made;
}

/* The shape is that of an input, or an attribute. */
static void draw_output(opevo_i_net_builder *self, bool normal)
{
    const opevo_array *like = opevo_i_net_build_array(self, opevo_i_net_build_input(self, 0));
    const Onnx__Attribute *shape = opevo_i_net_build_attribute(self, "shape");
    int64_t extent[OPEVO_NETWORK_DIMS] = {0}, type = 1;
    int dims = like ? like->dims : shape ? (int)shape->n_ints : 0;

    if (dims > OPEVO_NETWORK_DIMS) {
        opevo_i_net_build_fail(self, "It has too many dimensions.");
        return;
    }
    for (int d = 0; d < dims; d++)
        extent[d] = like ? like->extent[d] : shape->ints[d];
    type = opevo_i_net_build_int(self, "dtype", like ? (int64_t)like->type : 1);
    if (opevo_i_net_check_extents("The result", dims, extent, NULL) != OPEVO_OK)
        opevo_i_net_build_fail(self, "Its result is too large.");
    if (self->status == OPEVO_OK)
        cast_output(self, drawn(self, dims, extent, normal), type);
}

static void build_normal_numbers(opevo_i_net_builder *self)
{
    draw_output(self, true);
}

static void build_uniform_numbers(opevo_i_net_builder *self)
{
    draw_output(self, false);
}

/* 1 where a number that is drawn is below the input. */
static void build_bernoulli(opevo_i_net_builder *self)
{
    const opevo_array *in = opevo_i_net_build_array(self, self->in[0]);
    int64_t type = opevo_i_net_build_int(self, "dtype", in ? (int64_t)in->type : 1);
    int64_t extent[OPEVO_NETWORK_DIMS] = {0};
    int made = 0;

    if (!in)
        return;
    memcpy(extent, in->extent, sizeof extent);
    made = drawn(self, in->dims, extent, false);
    made = opevo_i_net_build_two(self, "Less", NULL, made,
                                 opevo_i_net_build_one(self, "Cast", "to=1", self->in[0]));
    cast_output(self, made, type);
}

/* ---- Dropout -------------------------------------------------------------------------------- */

/* What is kept: all, and while it trains the elements at which a number that is drawn is not below
 * the ratio. */
static int kept(opevo_i_net_builder *self, double ratio)
{
    const opevo_array *in = opevo_i_net_build_array(self, self->in[0]);
    int64_t extent[OPEVO_NETWORK_DIMS] = {0};
    int dims = in ? in->dims : 0, made = OPEVO_I_NET_OMITTED;

    if (in)
        memcpy(extent, in->extent, sizeof extent);
    if (ratio == 0) {
        made = opevo_i_net_build_bool(self, true);
        return opevo_i_net_build_two(self, "Expand", NULL, made,
                                     opevo_i_net_build_wholes(self, dims, extent));
    }
    made = drawn(self, dims, extent, false);
    return opevo_i_net_build_two(self, "GreaterOrEqual", NULL, made,
                                 opevo_i_net_build_number(self, ratio));
}

/* The ratio while it trains, otherwise 0. */
static double ratio_of(opevo_i_net_builder *self)
{
    const opevo_array *ratio = opevo_i_net_build_array(self, opevo_i_net_build_input(self, 1));
    double out = .5;

    if (opevo_i_net_build_input(self, 2) == OPEVO_I_NET_OMITTED ||
        !opevo_i_net_build_known(self, self->in[2], "training_mode"))
        return 0;
    if (ratio && (!ratio->data || opevo_array_elements(ratio) != 1))
        opevo_i_net_build_fail(self, "Its ratio must be one constant number.");
    else if (ratio)
        out = opevo_array_number(ratio, 0);
    if (!(out >= 0 && out < 1))
        opevo_i_net_build_fail(self, "Its ratio must be at least 0 and below 1.");
    return out;
}

static void build_dropout(opevo_i_net_builder *self)
{
    double ratio = ratio_of(self);
    int made = self->in[0], mask = OPEVO_I_NET_OMITTED;

    if (ratio > 0) {
        mask = kept(self, ratio);
        made = opevo_i_net_build_two(self, "Mul", NULL, made,
                                     opevo_i_net_build_two(self, "CastLike", NULL, mask, made));
        made = opevo_i_net_build_two(
            self, "Div", NULL, made,
            opevo_i_net_build_two(self, "CastLike", NULL, opevo_i_net_build_number(self, 1 - ratio),
                                  self->in[0]));
    }
    opevo_i_net_build_output(self, 0, made);
    if (self->outs > 1 && *self->source->output[1])
        opevo_i_net_build_output(self, 1, mask >= 0 ? mask : kept(self, 0));
}

const opevo_i_net_form opevo_i_net_composed[] = {
    {"LpNormalization", 1, 1, 1, build_normal},
    {"GlobalLpPool", 1, 1, 1, build_global_norm},
    {"LpPool", 1, 1, 1, build_pool},
    {"EyeLike", 1, 1, 1, build_eye},
    {"ReverseSequence", 2, 2, 1, build_reverse},
    {"MaxUnpool", 2, 3, 1, build_unpool},
    {"Scatter", 3, 3, 1, build_scatter},
    {"CenterCropPad", 2, 2, 1, build_middle},
    {"AffineGrid", 2, 2, 1, build_grid},
    {"RandomNormal", 0, 0, 1, build_normal_numbers},
    {"RandomNormalLike", 1, 1, 1, build_normal_numbers},
    {"RandomUniform", 0, 0, 1, build_uniform_numbers},
    {"RandomUniformLike", 1, 1, 1, build_uniform_numbers},
    {"Bernoulli", 1, 1, 1, build_bernoulli},
    {"Dropout", 1, 3, 2, build_dropout},
    {NULL, 0, 0, 0, NULL},
};
