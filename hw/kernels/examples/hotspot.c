/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `steps` explicit steps of heat conduction on a chip, n x n cells with power sources. A block of
 * EDGE x EDGE work items holds its cells and a border of `steps` cells in shared memory, and writes
 * the (EDGE - 2 steps)^2 inner ones. No heat flows across the edge of the chip. */

#include "kernel_dialect.h"

enum { EDGE = 16 };

KERNEL hotspot(const GLOBAL float *power, const GLOBAL float *before, GLOBAL float *after, int n,
               int steps, float conductance, float loss, float ambient)
{
    SHARED float cell[EDGE][EDGE];
    SHARED float source[EDGE][EDGE];
    const int x = THREAD(0), y = THREAD(1);
    const int inner = EDGE - 2 * steps;
    const int column = BLOCK(0) * inner - steps + x, row = BLOCK(1) * inner - steps + y;
    const int inside = row >= 0 && row < n && column >= 0 && column < n;

    cell[y][x] = inside ? before[row * n + column] : 0;
    source[y][x] = inside ? power[row * n + column] : 0;
    BARRIER();
    for (int step = 1; step <= steps; step++) {
        const int valid = inside && x >= step && x < EDGE - step && y >= step && y < EDGE - step;
        float next = 0;

        if (valid) {
            const float here = cell[y][x];
            const float north = row > 0 ? cell[y - 1][x] : here;
            const float south = row < n - 1 ? cell[y + 1][x] : here;
            const float west = column > 0 ? cell[y][x - 1] : here;
            const float east = column < n - 1 ? cell[y][x + 1] : here;

            next = here + conductance * (north + south + west + east - 4 * here) + source[y][x] +
                   loss * (ambient - here);
        }
        BARRIER();
        if (valid)
            cell[y][x] = next;
        BARRIER();
    }
    if (inside && x >= steps && x < EDGE - steps && y >= steps && y < EDGE - steps)
        after[row * n + column] = cell[y][x];
}
