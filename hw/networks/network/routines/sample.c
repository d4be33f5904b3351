/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Samples of images at places of a grid. Source: ONNX operator schemas, GridSample-16.
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
