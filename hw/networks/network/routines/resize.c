/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Resampling along axes. Source: ONNX operator schemas, Resize-19.
 *
 * Output coordinate x of an axis is at place p of the input. With b = ceil(p) - 1 and r = p - b in
 * (0, 1], the taps are b + first ... and tap t weighs kernel((t - r) s), where s is 1, or with
 * antialias the scale where that is below 1; weights are divided by their sum. */

#include "routines.h"

/* Places and weights of the outputs along one axis. */
typedef struct resize_axis {
    int taps;
    int64_t *place; /* of each tap of each output; -1: the result is the extrapolation value */
    double *weight;
} resize_axis;

/* whole: mode, coordinates, nearest, exclude_outside, antialias. number: the coefficient of cubic,
 * the extrapolation value, then of each dimension the scale, and start and end of its region. */
enum { RESIZE_MODE, RESIZE_COORDINATES, RESIZE_NEAREST, RESIZE_EXCLUDES, RESIZE_ANTIALIAS };
enum { RESIZE_CUBIC, RESIZE_OUTSIDE, RESIZE_DIMS };

static double resized_place(const routine_call *call, int d, int64_t x)
{
    const double *of = call->number + RESIZE_DIMS + 3 * d;
    double in = (double)call->in->extent[d], scale = of[0], out = scale * in;

    /* The standard scales by an extent that need not be whole; a whole one is exact here. */
    out = fabs(out - rint(out)) < 1e-6 * out ? rint(out) : out;
    switch (call->whole[RESIZE_COORDINATES]) {
    case ROUTINE_HALF_PIXEL:
        return ((double)x + .5) / scale - .5;
    case ROUTINE_HALF_PIXEL_SYMMETRIC:
        return in / 2 * (1 - (double)call->out->extent[d] / out) + ((double)x + .5) / scale - .5;
    case ROUTINE_PYTORCH_HALF_PIXEL:
        return out > 1 ? ((double)x + .5) / scale - .5 : 0;
    case ROUTINE_ASYMMETRIC:
        return (double)x / scale;
    case ROUTINE_ALIGN_CORNERS:
        return out > 1 ? (double)x * (in - 1) / (out - 1) : 0;
    case ROUTINE_HALF_PIXEL_NEAREST:
        return ((double)x + .5) / scale;
    default: /* crop and resize */
        return out > 1 ? of[1] * (in - 1) + (double)x * (of[2] - of[1]) * (in - 1) / (out - 1)
                       : .5 * (of[1] + of[2]) * (in - 1);
    }
}

static double resize_kernel(const routine_call *call, double x)
{
    double a = call->number[RESIZE_CUBIC];

    x = fabs(x);
    if (call->whole[RESIZE_MODE] == ROUTINE_LINEAR)
        return x < 1 ? 1 - x : 0;
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}

static double nearest_place(const routine_call *call, double p)
{
    switch (call->whole[RESIZE_NEAREST]) {
    case ROUTINE_PREFER_FLOOR:
        return ceil(p - .5);
    case ROUTINE_PREFER_CEIL:
        return floor(p + .5);
    case ROUTINE_NEAREST_FLOOR:
        return floor(p);
    default:
        return ceil(p);
    }
}

/* The nearest element; a place may be far outside. */
static int64_t inside(double at, int64_t extent)
{
    return !(at >= 0) ? 0 : at >= (double)extent ? extent - 1 : (int64_t)at;
}

static void weigh(const routine_call *call, int d, double p, double scale, int taps, int64_t *place,
                  double *weight)
{
    double base = ceil(p) - 1, sum = 0;
    int first = 1 - taps / 2;

    for (int t = 0; t < taps; t++) {
        double at = base + first + t;
        bool excluded =
            call->whole[RESIZE_EXCLUDES] && !(at >= 0 && at < (double)call->in->extent[d]);

        place[t] = inside(at, call->in->extent[d]);
        weight[t] = excluded ? 0 : resize_kernel(call, (at - p) * scale);
        sum += weight[t];
    }
    for (int t = 0; t < taps; t++)
        weight[t] /= sum;
}

/* How far apart taps are, in places of the input. */
static double tap_scale(const routine_call *call, int d)
{
    double scale = call->number[RESIZE_DIMS + 3 * d];

    return call->whole[RESIZE_ANTIALIAS] && scale < 1 ? scale : 1;
}

static double taps_of(const routine_call *call, int d)
{
    int64_t in = call->in->extent[d], out = call->out->extent[d];
    double reach = call->whole[RESIZE_MODE] == ROUTINE_CUBIC ? -2 : -1;

    if (call->whole[RESIZE_MODE] == ROUTINE_NEAREST || out == 0 ||
        (in == out && call->number[RESIZE_DIMS + 3 * d] == 1 &&
         call->whole[RESIZE_COORDINATES] != ROUTINE_CROP))
        return 1;
    return 2 - 2 * (floor(reach / tap_scale(call, d)) + 1);
}

static void make_axis(const routine_call *call, int d, resize_axis *self)
{
    int64_t in = call->in->extent[d], out = call->out->extent[d];
    bool nearest = call->whole[RESIZE_MODE] == ROUTINE_NEAREST;

    for (int64_t x = 0; x < out; x++) {
        double p = resized_place(call, d, x);
        int64_t *place = self->place + x * self->taps;
        double *weight = self->weight + x * self->taps;

        if (self->taps == 1) {
            *place = nearest ? inside(nearest_place(call, p), in) : x;
            *weight = 1;
        } else {
            weigh(call, d, p, tap_scale(call, d), self->taps, place, weight);
        }
        if (call->whole[RESIZE_COORDINATES] == ROUTINE_CROP && (p < 0 || p > (double)(in - 1)))
            *place = -1;
    }
}

/* The sum over the taps of dimensions from d on. */
static double resample(const routine_call *call, const resize_axis *axis, const int64_t *x, int d,
                       int64_t from)
{
    const routine_tensor *in = call->in;
    const resize_axis *one = &axis[d];
    double sum = 0;

    if (d == in->dims)
        return routine_number(in, from);
    for (int t = 0; t < one->taps; t++) {
        int64_t at = from * in->extent[d] + one->place[x[d] * one->taps + t];
        double weight = one->weight[x[d] * one->taps + t];

        if (one->taps == 1)
            return resample(call, axis, x, d + 1, at);
        sum += weight * resample(call, axis, x, d + 1, at);
    }
    return sum;
}

/* Whether the result is made of rows that are resampled along the last axis first, and kept while
 * rows of the result read them: in float32, where only the last two axes have several taps. */
static bool has_rows(const routine_call *call)
{
    const routine_tensor *out = call->out;
    bool rows = !call->scarce && out->dims >= 2 && out->type == ROUTINE_FLOAT32 &&
                call->in->type == ROUTINE_FLOAT32 &&
                call->whole[RESIZE_COORDINATES] != ROUTINE_CROP;

    for (int d = 0; d + 2 < out->dims; d++)
        rows = rows && taps_of(call, d) == 1;
    return rows;
}

double routine_resize_need(const routine_call *call)
{
    const int last = call->out->dims - 1;
    double bytes = 0;

    for (int d = 0; d < call->out->dims; d++) {
        double taps = taps_of(call, d);

        if (!(taps < 0x1p28)) /* more than there is memory for */
            return INFINITY;
        bytes += (double)call->out->extent[d] * taps * (double)(sizeof(int64_t) + sizeof(double));
    }
    if (has_rows(call))
        bytes += taps_of(call, last - 1) *
                 ((double)call->out->extent[last] * (double)sizeof(double) + sizeof(int64_t));
    return bytes;
}

/* What is behind them in memory. */
static char *make_axes(const routine_call *call, resize_axis *axis)
{
    char *memory = call->memory;

    for (int d = 0; d < call->out->dims; d++) {
        size_t taps = 0;

        axis[d].taps = (int)taps_of(call, d);
        taps = (size_t)call->out->extent[d] * (size_t)axis[d].taps;
        axis[d].place = (int64_t *)memory;
        memory += taps * sizeof *axis[d].place;
        axis[d].weight = (double *)memory;
        memory += taps * sizeof *axis[d].weight;
        make_axis(call, d, &axis[d]);
    }
    return memory;
}

/* Rows that are kept: row r of the plane at slot r % slots, the taps of a row of the result. */
typedef struct resize_rows {
    int slots;
    int64_t *held; /* row of the input in all of its planes; -1: none */
    double *row;   /* [slots][width] */
    int64_t width;
} resize_rows;

static const double *resampled_row(const resize_rows *self, const resize_axis *axis,
                                   const float *from, int64_t row, int64_t number)
{
    const int slot = (int)(row % self->slots), taps = axis->taps;
    double *to = self->row + slot * self->width;

    if (self->held[slot] == number)
        return to;
    self->held[slot] = number;
    for (int64_t x = 0; x < self->width && taps == 1; x++)
        to[x] = (double)from[axis->place[x]];
    for (int64_t x = 0; x < self->width && taps == 2; x++)
        to[x] = 0 + axis->weight[2 * x] * (double)from[axis->place[2 * x]] +
                axis->weight[2 * x + 1] * (double)from[axis->place[2 * x + 1]];
    for (int64_t x = 0; x < self->width && taps > 2; x++) {
        double sum = 0;

        for (int t = 0; t < taps; t++)
            sum += axis->weight[x * taps + t] * (double)from[axis->place[x * taps + t]];
        to[x] = sum;
    }
    return to;
}

/* Row y of the result from the plane of the input that begins with row `first` of all. */
static void resample_row(const routine_call *call, const resize_axis *axis, resize_rows *rows,
                         int64_t first, int64_t y, float *to)
{
    enum { PART = 64 };
    const resize_axis *down = &axis[call->in->dims - 2], *along = down + 1;
    const int64_t width = call->in->extent[call->in->dims - 1];

    for (int t = 0; t < down->taps; t++) {
        const int64_t row = down->place[y * down->taps + t];

        resampled_row(rows, along, (const float *)call->in->data + (first + row) * width, row,
                      first + row);
    }
    for (int64_t start = 0; start < rows->width; start += PART) {
        const int64_t left = rows->width - start, count = left < PART ? left : PART;
        double sum[PART] = {0};

        for (int t = 0; t < down->taps; t++) {
            const int64_t row = down->place[y * down->taps + t];
            const double *from = rows->row + row % rows->slots * rows->width + start;
            const double weight = down->weight[y * down->taps + t];

            for (int64_t x = 0; x < count && down->taps == 1; x++)
                sum[x] = from[x];
            for (int64_t x = 0; x < count && down->taps != 1; x++)
                sum[x] += weight * from[x];
        }
        for (int64_t x = 0; x < count; x++)
            to[start + x] = (float)sum[x];
    }
}

static void resample_planes(const routine_call *call, const resize_axis *axis, char *memory)
{
    const routine_tensor *in = call->in, *out = call->out;
    const int last = out->dims - 1;
    const int64_t high = out->extent[last - 1], planes = routine_product(out, 0, last - 1);
    resize_rows rows = {.slots = axis[last - 1].taps, .width = out->extent[last]};
    int64_t x[ROUTINE_DIMS] = {0};
    float *to = out->data;

    rows.held = (int64_t *)memory;
    rows.row = (double *)(rows.held + rows.slots);
    for (int i = 0; i < rows.slots; i++)
        rows.held[i] = -1;
    for (int64_t p = 0; p < planes && rows.width > 0; p++) {
        int64_t from = 0;

        for (int d = 0; d < last - 1; d++)
            from = from * in->extent[d] + axis[d].place[x[d]];
        for (int64_t y = 0; y < high; y++, to += rows.width)
            resample_row(call, axis, &rows, from * in->extent[last - 1], y, to);
        for (int d = last - 2; d >= 0 && ++x[d] == out->extent[d]; d--)
            x[d] = 0;
    }
}

const char *routine_resize(const routine_call *call)
{
    const routine_tensor *out = call->out;
    resize_axis axis[ROUTINE_DIMS] = {{0, NULL, NULL}};
    int64_t x[ROUTINE_DIMS] = {0};
    char *rest = make_axes(call, axis);

    if (has_rows(call)) {
        resample_planes(call, axis, rest);
        return NULL;
    }
    for (int64_t i = 0, count = routine_elements(out); i < count; i++) {
        bool outside = false;

        for (int d = 0; d < out->dims; d++)
            outside |= axis[d].place[x[d] * axis[d].taps] < 0;
        if (outside)
            routine_set_number(out, i, call->number[RESIZE_OUTSIDE]);
        else if (routine_is_whole(out) && call->whole[RESIZE_MODE] != ROUTINE_NEAREST)
            routine_set_number(out, i, rint(resample(call, axis, x, 0, 0)));
        else
            routine_set_number(out, i, resample(call, axis, x, 0, 0));
        for (int d = out->dims - 1; d >= 0 && ++x[d] == out->extent[d]; d--)
            x[d] = 0;
    }
    return NULL;
}
