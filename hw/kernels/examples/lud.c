/* SPDX-License-Identifier: GPL-3.0-or-later */

/* LU decomposition without pivoting, in place, of an n x n matrix in tiles of TILE x TILE. A round
 * decomposes the tile on the diagonal, then those in its row and column, and subtracts their
 * products from the rest. */

#include "kernel_dialect.h"

enum { TILE = 16 };

/* One block of TILE work items. */
KERNEL lud_diagonal(GLOBAL float *matrix, int n, int start)
{
    SHARED float tile[TILE][TILE];
    const int x = THREAD(0);

    for (int y = 0; y < TILE; y++)
        tile[y][x] = matrix[(start + y) * n + start + x];
    BARRIER();
#pragma clang loop unroll(disable)
    for (int k = 0; k < TILE - 1; k++) {
        if (x > k)
            tile[x][k] /= tile[k][k];
        BARRIER();
        if (x > k) {
#pragma clang loop unroll(disable)
            for (int j = k + 1; j < TILE; j++)
                tile[x][j] -= tile[x][k] * tile[k][j];
        }
        BARRIER();
    }
    for (int y = 0; y < TILE; y++)
        matrix[(start + y) * n + start + x] = tile[y][x];
}

/* A block of 2 TILE work items for each tile behind the diagonal one: the first half solves for a
 * column of the tile in the row, the second for a row of the tile in the column. */
KERNEL lud_perimeter(GLOBAL float *matrix, int n, int start)
{
    SHARED float tile[TILE][TILE];
    SHARED float in_row[TILE][TILE];
    SHARED float in_column[TILE][TILE];
    const int upper = THREAD(0) < TILE, x = upper ? THREAD(0) : THREAD(0) - TILE;
    const int other = start + (BLOCK(0) + 1) * TILE;

    for (int y = 0; y < TILE; y++) {
        if (upper) {
            tile[y][x] = matrix[(start + y) * n + start + x];
            in_row[y][x] = matrix[(start + y) * n + other + x];
        } else {
            in_column[y][x] = matrix[(other + y) * n + start + x];
        }
    }
    BARRIER();
    if (upper) {
#pragma clang loop unroll(disable)
        for (int y = 1; y < TILE; y++) {
            float value = in_row[y][x];

#pragma clang loop unroll(disable)
            for (int k = 0; k < y; k++)
                value -= tile[y][k] * in_row[k][x];
            in_row[y][x] = value;
        }
    } else {
#pragma clang loop unroll(disable)
        for (int y = 0; y < TILE; y++) {
            float value = in_column[x][y];

#pragma clang loop unroll(disable)
            for (int k = 0; k < y; k++)
                value -= in_column[x][k] * tile[k][y];
            in_column[x][y] = value / tile[y][y];
        }
    }
    BARRIER();
    for (int y = 0; y < TILE; y++) {
        if (upper)
            matrix[(start + y) * n + other + x] = in_row[y][x];
        else
            matrix[(other + y) * n + start + x] = in_column[y][x];
    }
}

/* A block of TILE x TILE work items for each tile that is left. */
KERNEL lud_internal(GLOBAL float *matrix, int n, int start)
{
    SHARED float in_row[TILE][TILE];
    SHARED float in_column[TILE][TILE];
    const int x = THREAD(0), y = THREAD(1);
    const int row = start + (BLOCK(1) + 1) * TILE + y, column = start + (BLOCK(0) + 1) * TILE + x;
    float sum = 0;

    in_row[y][x] = matrix[(start + y) * n + column];
    in_column[y][x] = matrix[row * n + start + x];
    BARRIER();
#pragma clang loop unroll(disable)
    for (int k = 0; k < TILE; k++)
        sum += in_column[y][k] * in_row[k][x];
    matrix[row * n + column] -= sum;
}
