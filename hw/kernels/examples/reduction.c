/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums of blocks by a tree in shared memory; launched again on the sums, it gives the sum of all.
 * The size of a block is a power of two, at most WIDE. */

#include "kernel_dialect.h"

enum { WIDE = 256 };

KERNEL reduction(const GLOBAL float *in, GLOBAL float *sums, int count)
{
    SHARED float sum[WIDE];
    const int x = THREAD(0);
    float own = 0;

    for (int i = BLOCK(0) * BLOCK_SIZE(0) + x; i < count; i += GRID_SIZE(0) * BLOCK_SIZE(0))
        own += in[i];
    sum[x] = own;
    BARRIER();
    for (int reach = BLOCK_SIZE(0) / 2; reach > 0; reach /= 2) {
        if (x < reach)
            sum[x] += sum[x + reach];
        BARRIER();
    }
    if (x == 0)
        sums[BLOCK(0)] = sum[0];
}
