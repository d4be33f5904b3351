/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `steps` rows of the cheapest path through a grid of `width` columns: each cell adds its cost to
 * the least of the three cells before it. A block of WIDE work items holds `steps` more cells on
 * either side in shared memory. */

#include "kernel_dialect.h"

enum { WIDE = 64 };

KERNEL pathfinder(const GLOBAL int *wall, const GLOBAL int *before, GLOBAL int *after, int width,
                  int first_row, int steps)
{
    SHARED int last[WIDE];
    SHARED int next[WIDE];
    const int x = THREAD(0);
    const int column = BLOCK(0) * (WIDE - 2 * steps) - steps + x;
    const int inside = column >= 0 && column < width;

    if (inside)
        last[x] = before[column];
    BARRIER();
    for (int step = 1; step <= steps; step++) {
        const int valid = inside && x >= step && x < WIDE - step;

        if (valid) {
            int least = last[x];

            if (column > 0 && last[x - 1] < least)
                least = last[x - 1];
            if (column < width - 1 && last[x + 1] < least)
                least = last[x + 1];
            next[x] = least + wall[(first_row + step - 1) * width + column];
        }
        BARRIER();
        if (valid)
            last[x] = next[x];
        BARRIER();
    }
    if (inside && x >= steps && x < WIDE - steps)
        after[column] = last[x];
}
