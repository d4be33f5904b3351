/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Needleman-Wunsch: scores of the best alignments of all beginnings of two sequences, a table of
 * (n + 1) x (n + 1) whose first row and column are set. A launch computes the tiles of TILE x TILE
 * scores on one diagonal of tiles, a block of TILE work items each. */

#include "kernel_dialect.h"

enum { TILE = 16 };

KERNEL nw(GLOBAL int *score, const GLOBAL int *similarity, int n, int diagonal, int penalty)
{
    SHARED int tile[TILE + 1][TILE + 1];
    SHARED int gain[TILE][TILE];
    const int x = THREAD(0);
    const int tiles = n / TILE;
    const int first = diagonal < tiles ? 0 : diagonal - tiles + 1;
    const int left = (first + BLOCK(0)) * TILE, top = (diagonal - first - BLOCK(0)) * TILE;
    const int pitch = n + 1;

    for (int y = 0; y < TILE; y++)
        gain[y][x] = similarity[(top + y) * n + left + x];
    if (x == 0)
        tile[0][0] = score[top * pitch + left];
    tile[0][x + 1] = score[top * pitch + left + x + 1];
    tile[x + 1][0] = score[(top + x + 1) * pitch + left];
    BARRIER();
#pragma clang loop unroll(disable)
    for (int wave = 0; wave < 2 * TILE - 1; wave++) {
        const int y = wave - x;

        if (y >= 0 && y < TILE) {
            const int both = tile[y][x] + gain[y][x];
            const int up = tile[y][x + 1] - penalty, side = tile[y + 1][x] - penalty;
            const int one = up > side ? up : side;

            tile[y + 1][x + 1] = both > one ? both : one;
        }
        BARRIER();
    }
    for (int y = 0; y < TILE; y++)
        score[(top + y + 1) * pitch + left + x + 1] = tile[y + 1][x + 1];
}
