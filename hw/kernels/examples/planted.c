/* SPDX-License-Identifier: GPL-3.0-or-later */

/* c = a b for n x n matrices by tiles, n a multiple of TILE, with defects whose removal is the
 * known optimum. Each has a switch:
 *
 *   PLANT_STORE    the sum so far is stored in every step of the inner loop
 *   PLANT_TEST     a test in the inner loop that always holds
 *   PLANT_BARRIER  every barrier is doubled
 *   PLANT_REPEAT   the whole product is computed `passes` times
 *
 * PLANT_ALL sets all of them. */

#include "kernel_dialect.h"

#ifdef PLANT_ALL
#define PLANT_STORE
#define PLANT_TEST
#define PLANT_BARRIER
#define PLANT_REPEAT
#endif

enum { TILE = 8 };

KERNEL planted(const GLOBAL float *a, const GLOBAL float *b, GLOBAL float *c, int n, int passes)
{
    SHARED float tile_a[TILE][TILE];
    SHARED float tile_b[TILE][TILE];
    const int x = THREAD(0), y = THREAD(1);
    const int column = BLOCK(0) * TILE + x, row = BLOCK(1) * TILE + y;

#ifndef PLANT_REPEAT
    passes = 1;
#endif
    for (int pass = 0; pass < passes; pass++) {
        float sum = 0;

        for (int start = 0; start < n; start += TILE) {
            tile_a[y][x] = a[row * n + start + x];
            tile_b[y][x] = b[(start + y) * n + column];
            BARRIER();
#ifdef PLANT_BARRIER
            BARRIER();
#endif
#pragma clang loop unroll(disable)
            for (int k = 0; k < TILE; k++) {
#ifdef PLANT_TEST
                if (start + k < n)
#endif
                    sum += tile_a[y][k] * tile_b[k][x];
#ifdef PLANT_STORE
                c[row * n + column] = sum;
#endif
            }
            BARRIER();
#ifdef PLANT_BARRIER
            BARRIER();
#endif
        }
        c[row * n + column] = sum;
    }
}
