/* SPDX-License-Identifier: GPL-3.0-or-later */

/* c = a b for a of m x k and b of k x n, by tiles in shared memory, any sizes. */

#include "kernel_dialect.h"

enum { TILE = 8 };

KERNEL matmul(const GLOBAL float *a, const GLOBAL float *b, GLOBAL float *c, int m, int n, int k)
{
    SHARED float tile_a[TILE][TILE];
    SHARED float tile_b[TILE][TILE];
    const int x = THREAD(0), y = THREAD(1);
    const int column = BLOCK(0) * TILE + x, row = BLOCK(1) * TILE + y;
    float sum = 0;

    for (int start = 0; start < k; start += TILE) {
        tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0;
        tile_b[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0;
        BARRIER();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x];
        BARRIER();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
