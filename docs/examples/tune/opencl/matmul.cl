/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A product of matrices: a group computes a tile of (block_y * work_y) x (block_x * work_x), a work item work_y rows
 * of it block_y apart and work_x columns next to each other. Parts of tile_k columns and rows are in local memory. */

#define TILE_N (block_y * work_y)
#define TILE_M (block_x * work_x)
#define ITEMS (block_x * block_y)

__kernel __attribute__((reqd_work_group_size(block_x, block_y, 1))) void
matmul(__global const float *a, __global const float *b, __global float *c, int n, int m, int k)
{
    __local float as[TILE_N][tile_k];
    __local float bs[tile_k][TILE_M];
    float sums[work_y][work_x] = {{0}};
    int x = get_local_id(0), y = get_local_id(1), item = y * block_x + x;
    int row = get_group_id(1) * TILE_N, column = get_group_id(0) * TILE_M;

    for (int l0 = 0; l0 < k; l0 += tile_k) {
        for (int i = item; i < TILE_N * tile_k; i += ITEMS) {
            int r = row + i / tile_k, l = l0 + i % tile_k;

            as[i / tile_k][i % tile_k] = r < n && l < k ? a[r * k + l] : 0;
        }
        for (int i = item; i < tile_k * TILE_M; i += ITEMS) {
            int l = l0 + i / TILE_M, s = column + i % TILE_M;

            bs[i / TILE_M][i % TILE_M] = l < k && s < m ? b[l * m + s] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int l = 0; l < tile_k; l++)
            for (int i = 0; i < work_y; i++) {
                float left = as[y + i * block_y][l];

                for (int j = 0; j < work_x; j++)
                    sums[i][j] = mad(left, bs[l][x * work_x + j], sums[i][j]);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < work_y; i++)
        for (int j = 0; j < work_x; j++) {
            int r = row + y + i * block_y, s = column + x * work_x + j;

            if (r < n && s < m)
                c[r * m + s] = sums[i][j];
        }
}
