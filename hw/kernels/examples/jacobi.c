/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Damped Jacobi iteration for systems of n linear equations with one matrix, stored by columns, and
 * a right side for each block: x += weight D^-1 (b - A x) until no element changes by `tolerance`
 * or more, at most `most` times. A block is a power of two of at most WIDE work items, at least n:
 * one for each equation. */

#include "kernel_dialect.h"

enum { WIDE = 128 };

KERNEL jacobi(const GLOBAL float *matrix, const GLOBAL float *right, GLOBAL float *solution, int n,
              int most, float weight, float tolerance)
{
    SHARED float value[WIDE];
    SHARED float change[WIDE];
    const int x = THREAD(0);
    const int at = BLOCK(0) * n + x;

    value[x] = 0;
    BARRIER();
    for (int sweep = 0; sweep < most; sweep++) {
        float step = 0;

        if (x < n) {
            step = right[at];
            for (int column = 0; column < n; column++)
                step -= matrix[column * n + x] * value[column];
            step *= weight / matrix[x * n + x];
        }
        change[x] = step < 0 ? -step : step;
        BARRIER();
        value[x] += step;
        for (int reach = BLOCK_SIZE(0) / 2; reach > 0; reach /= 2) {
            if (x < reach && change[x + reach] > change[x])
                change[x] = change[x + reach];
            BARRIER();
        }
        if (change[0] < tolerance)
            break;
        BARRIER();
    }
    if (x < n)
        solution[at] = value[x];
}
