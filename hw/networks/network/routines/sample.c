/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Samples of images at places of a grid, and of regions. Source: ONNX operator schemas,
 * GridSample-16 and RoiAlign-16.
 *
 * whole: mode, padding, align_corners. A place from -1 to 1 is one from edge to edge of the image,
 * or with align_corners from the middle of the first element to that of the last. */

#include "routines.h"

enum { SAMPLE_MODE, SAMPLE_PADDING, SAMPLE_ALIGNED };

/* x mirrored at both ends until it is inside. */
static double reflected(double x, double low, double high)
{
    double range = high - low, beyond = x < low ? low - x : x > high ? x - high : 0, turns = 0;

    if (beyond == 0 || !(range > 0) || !isfinite(x))
        return x;
    turns = floor(beyond / range);
    beyond -= turns * range;
    return (x < low) == (fmod(turns, 2) == 0) ? low + beyond : high - beyond;
}

/* Where the grid points to along an axis. */
static double sampled_place(const routine_call *call, double x, int64_t extent)
{
    bool aligned = call->whole[SAMPLE_ALIGNED] != 0;
    double n = (double)extent, low = aligned ? 0 : -.5, high = aligned ? n - 1 : n - .5;

    x = aligned ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2;
    x = call->whole[SAMPLE_MODE] == ROUTINE_NEAREST ? rint(x) : x;
    if (x >= low && x <= high)
        return x;
    if (call->whole[SAMPLE_PADDING] == ROUTINE_BORDER)
        return fmin(fmax(x, 0), n - 1);
    return call->whole[SAMPLE_PADDING] == ROUTINE_REFLECTION ? reflected(x, low, high) : x;
}

/* The index that is read in the place of one; -1: a zero. */
static int64_t sampled_index(const routine_call *call, double at, int64_t extent)
{
    bool aligned = call->whole[SAMPLE_ALIGNED] != 0;
    double n = (double)extent;

    if (call->whole[SAMPLE_PADDING] == ROUTINE_BORDER)
        at = fmin(fmax(at, 0), n - 1);
    else if (call->whole[SAMPLE_PADDING] == ROUTINE_REFLECTION)
        at = trunc(reflected(at, aligned ? 0 : -.5, aligned ? n - 1 : n - .5));
    return at >= 0 && at < n ? (int64_t)at : -1;
}

/* Weights of `taps` elements from floor(x) + 1 - taps / 2 on; returns the first. */
static double sample_weights(const routine_call *call, double x, int taps, double *weight)
{
    const double a = -.75;
    int before = taps / 2 - 1;
    double first = floor(x) - before;

    if (call->whole[SAMPLE_MODE] == ROUTINE_NEAREST) {
        weight[0] = 1;
        return rint(x);
    }
    for (int t = 0; t < taps; t++) {
        double d = fabs(first + t - x);

        weight[t] = taps == 2 ? 1 - d
                    : d <= 1  ? ((a + 2) * d - (a + 3)) * d * d + 1
                              : ((d - 5) * d + 8) * d * a - 4 * a;
    }
    return first;
}

const char *routine_grid_sample(const routine_call *call)
{
    static const int taps_of[] = {[ROUTINE_NEAREST] = 1, [ROUTINE_LINEAR] = 2, [ROUTINE_CUBIC] = 4};
    const routine_tensor *x = call->in, *grid = &call->in[1], *out = call->out;
    int64_t channels = x->extent[1], high = x->extent[2], wide = x->extent[3];
    int64_t cells = out->extent[2] * out->extent[3];
    int taps = taps_of[call->whole[SAMPLE_MODE]];

    for (int64_t i = 0; i < x->extent[0] * cells; i++) {
        double across[4] = {0}, down[4] = {0};
        double left = sample_weights(call, sampled_place(call, routine_number(grid, 2 * i), wide),
                                     taps, across);
        double top = sample_weights(
            call, sampled_place(call, routine_number(grid, 2 * i + 1), high), taps, down);

        for (int64_t c = 0; c < channels; c++) {
            int64_t plane = i / cells * channels + c;
            double sum = 0;

            for (int k = 0; k < taps * taps; k++) {
                int y = k / taps, z = k % taps;
                int64_t row = sampled_index(call, top + y, high);
                int64_t column = sampled_index(call, left + z, wide);

                if (row >= 0 && column >= 0)
                    sum += down[y] * across[z] *
                           routine_number(x, (plane * high + row) * wide + column);
            }
            routine_set_number(out, plane * cells + i % cells, sum);
        }
    }
    return NULL;
}

/* ---- Regions ---- */

/* whole of RoiAlign: whether the largest sample counts; samples of a cell along an axis, 0 for as
 * many as it has elements; whether places are those of corners, half an element before middles.
 * number: what coordinates are multiplied by. */
enum { REGION_MAX, REGION_SAMPLES, REGION_HALF };
enum { SAMPLES_MOST = 4096 }; /* of a cell along an axis, so that a run ends */

/* Where a cell lies along an axis. */
typedef struct region_axis {
    double start, cell; /* of the region; length of a cell */
    int64_t samples;
} region_axis;

static region_axis region_along(const routine_call *call, double from, double to, int64_t cells)
{
    bool half = call->whole[REGION_HALF] != 0;
    double scale = call->number[0], length = 0;
    region_axis out = {.start = from * scale - (half ? .5 : 0)};

    length = to * scale - (half ? .5 : 0) - out.start;
    length = half ? length : fmax(length, 1);
    out.cell = length / (double)cells;
    out.samples = call->whole[REGION_SAMPLES];
    if (out.samples <= 0)
        out.samples = (int64_t)fmin(fmax(ceil(out.cell), 0), SAMPLES_MOST + 1);
    return out;
}

/* Two elements and the weight of the second; false outside of the image. */
static bool region_place(double at, int64_t extent, int64_t *low, double *weight)
{
    if (!(at >= -1 && at <= (double)extent))
        return false;
    at = fmin(fmax(at, 0), (double)(extent - 1));
    *low = (int64_t)at < extent - 1 ? (int64_t)at : extent > 1 ? extent - 2 : 0;
    *weight = at - (double)*low;
    return true;
}

/* The mean of the samples of a cell, or the largest of their weighted elements. */
static double region_cell(const routine_call *call, const routine_tensor *x, int64_t plane,
                          const region_axis *down, const region_axis *across, int64_t row,
                          int64_t column)
{
    int64_t high = x->extent[2], wide = x->extent[3], first = plane * high * wide, top = 0,
            left = 0;
    double sum = 0, most = -INFINITY, v = 0, h = 0, count = 0;

    for (int64_t i = 0; i < down->samples * across->samples; i++) {
        int64_t line = i / across->samples, place = i % across->samples;
        double y =
            down->start + down->cell * ((double)row + ((double)line + .5) / (double)down->samples);
        double z = across->start +
                   across->cell * ((double)column + ((double)place + .5) / (double)across->samples);
        bool inside = region_place(y, high, &top, &v) && region_place(z, wide, &left, &h);

        count++;
        for (int k = 0; k < 4; k++) {
            double weight = (k / 2 ? v : 1 - v) * (k % 2 ? h : 1 - h), part = 0;

            /* A weight of 0 is behind the image, where it has one row or column. */
            if (inside && weight > 0)
                part = weight * routine_number(x, first + (top + k / 2) * wide + left + k % 2);
            sum += part;
            most = fmax(most, part);
        }
    }
    if (call->whole[REGION_MAX])
        return count > 0 ? most : 0;
    return count > 0 ? sum / count : 0;
}

/* Inputs: images, regions with two corners each, and the image of each. */
const char *routine_regions(const routine_call *call)
{
    const routine_tensor *x = call->in, *region = &call->in[1], *image = &call->in[2];
    const routine_tensor *out = call->out;
    int64_t channels = out->extent[1], rows = out->extent[2], columns = out->extent[3];

    for (int64_t r = 0; r < out->extent[0]; r++) {
        int64_t batch = routine_whole(image, r);
        region_axis across = region_along(call, routine_number(region, 4 * r),
                                          routine_number(region, 4 * r + 2), columns);
        region_axis down = region_along(call, routine_number(region, 4 * r + 1),
                                        routine_number(region, 4 * r + 3), rows);

        if (down.samples > SAMPLES_MOST || across.samples > SAMPLES_MOST)
            return routine_fail(call, "A cell of region %lld has more than %d samples.",
                                (long long)r, SAMPLES_MOST);
        if (batch < 0 || batch >= x->extent[0])
            return routine_fail(call, "The image of region %lld is outside of the batch.",
                                (long long)r);
        for (int64_t i = 0; i < channels * rows * columns; i++)
            routine_set_number(out, r * channels * rows * columns + i,
                               region_cell(call, x, batch * channels + i / columns / rows, &down,
                                           &across, i / columns % rows, i % columns));
    }
    return NULL;
}
