/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A step of back propagation through one layer of `hidden` units, a multiple of EDGE, above
 * `inputs` units, a multiple of EDGE. backprop_forward computes the products of EDGE inputs by a
 * tree in shared memory, backprop_activate adds them up and squashes by x / (1 + |x|),
 * backprop_adjust moves the weights with momentum. */

#include "kernel_dialect.h"

enum { EDGE = 16 };

KERNEL backprop_forward(const GLOBAL float *input, const GLOBAL float *weight,
                        GLOBAL float *partial, int hidden)
{
    SHARED float value[EDGE];
    SHARED float product[EDGE][EDGE];
    const int x = THREAD(0), y = THREAD(1);
    const int unit = BLOCK(0) * EDGE + x, source = BLOCK(1) * EDGE + y;

    if (x == 0)
        value[y] = input[source];
    BARRIER();
    product[y][x] = weight[source * hidden + unit] * value[y];
    BARRIER();
    for (int reach = EDGE / 2; reach > 0; reach /= 2) {
        if (y < reach)
            product[y][x] += product[y + reach][x];
        BARRIER();
    }
    if (y == 0)
        partial[BLOCK(1) * hidden + unit] = product[0][x];
}

KERNEL backprop_activate(const GLOBAL float *partial, const GLOBAL float *target,
                         GLOBAL float *output, GLOBAL float *delta, int parts, int hidden)
{
    const int unit = BLOCK(0) * BLOCK_SIZE(0) + THREAD(0);
    float sum = 0;

    if (unit >= hidden)
        return;
    for (int part = 0; part < parts; part++)
        sum += partial[part * hidden + unit];

    const float scale = 1 + (sum < 0 ? -sum : sum);

    output[unit] = sum / scale;
    delta[unit] = (target[unit] - sum / scale) / (scale * scale);
}

KERNEL backprop_adjust(const GLOBAL float *input, const GLOBAL float *delta, GLOBAL float *weight,
                       GLOBAL float *change, int hidden, float rate, float momentum)
{
    const int unit = BLOCK(0) * EDGE + THREAD(0), source = BLOCK(1) * EDGE + THREAD(1);
    const int at = source * hidden + unit;
    const float step = rate * delta[unit] * input[source] + momentum * change[at];

    weight[at] += step;
    change[at] = step;
}
