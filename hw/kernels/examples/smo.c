/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A step of sequential minimal optimisation: training of a support vector machine with a linear
 * kernel. smo_select, one block of a power of two of at most WIDE work items, finds the pair that
 * violates the optimality conditions most and solves for its two multipliers; smo_update corrects
 * the gradient of all `count` points. step[0] and step[1] are the changes of the multipliers times
 * the labels, pair[0] and pair[1] the points. Source: Platt, 1998; Keerthi et al., Neural
 * Computation 13 (2001). */

#include "kernel_dialect.h"

enum { WIDE = 128 };

KERNEL smo_select(const GLOBAL float *points, const GLOBAL float *label,
                  const GLOBAL float *gradient, GLOBAL float *multiplier, GLOBAL int *pair,
                  GLOBAL float *step, int count, int features, float bound)
{
    SHARED float high[WIDE];
    SHARED float low[WIDE];
    SHARED int high_at[WIDE];
    SHARED int low_at[WIDE];
    const int x = THREAD(0);
    float highest = -1e30f, lowest = 1e30f;
    int highest_at = 0, lowest_at = 0;

    for (int i = x; i < count; i += BLOCK_SIZE(0)) {
        const float value = -label[i] * gradient[i];
        const float a = multiplier[i];

        if ((label[i] > 0 ? a < bound : a > 0) && value > highest) {
            highest = value;
            highest_at = i;
        }
        if ((label[i] > 0 ? a > 0 : a < bound) && value < lowest) {
            lowest = value;
            lowest_at = i;
        }
    }
    high[x] = highest;
    high_at[x] = highest_at;
    low[x] = lowest;
    low_at[x] = lowest_at;
    BARRIER();
    for (int reach = BLOCK_SIZE(0) / 2; reach > 0; reach /= 2) {
        if (x < reach) {
            if (high[x + reach] > high[x]) {
                high[x] = high[x + reach];
                high_at[x] = high_at[x + reach];
            }
            if (low[x + reach] < low[x]) {
                low[x] = low[x + reach];
                low_at[x] = low_at[x + reach];
            }
        }
        BARRIER();
    }
    if (x > 0)
        return;

    const int i = high_at[0], j = low_at[0];
    float curvature = 0;

    for (int feature = 0; feature < features; feature++) {
        const float difference = points[feature * count + i] - points[feature * count + j];

        curvature += difference * difference;
    }

    const float room_i = label[i] > 0 ? bound - multiplier[i] : multiplier[i];
    const float room_j = label[j] > 0 ? multiplier[j] : bound - multiplier[j];
    float change = (high[0] - low[0]) / (curvature > 1e-6f ? curvature : 1e-6f);

    if (change > room_i)
        change = room_i;
    if (change > room_j)
        change = room_j;
    if (change < 0)
        change = 0;
    multiplier[i] += label[i] * change;
    multiplier[j] -= label[j] * change;
    pair[0] = i;
    pair[1] = j;
    step[0] = change;
    step[1] = -change;
}

KERNEL smo_update(const GLOBAL float *points, const GLOBAL float *label, GLOBAL float *gradient,
                  const GLOBAL int *pair, const GLOBAL float *step, int count, int features)
{
    const int point = BLOCK(0) * BLOCK_SIZE(0) + THREAD(0);
    float first = 0, second = 0;

    if (point >= count)
        return;
    for (int feature = 0; feature < features; feature++) {
        const float value = points[feature * count + point];

        first += points[feature * count + pair[0]] * value;
        second += points[feature * count + pair[1]] * value;
    }
    gradient[point] += label[point] * (step[0] * first + step[1] * second);
}
