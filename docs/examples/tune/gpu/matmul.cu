/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A product of matrices: a block computes a tile of (block_y * work_y) x (block_x * work_x), and keeps parts of
 * tile_k columns and rows in shared memory. */

#define TILE_N (block_y * work_y)
#define TILE_M (block_x * work_x)
#define ITEMS (block_x * block_y)

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n, int m, int k)
{
    __shared__ float as[TILE_N][tile_k];
    __shared__ float bs[tile_k][TILE_M];
    float sums[work_y][work_x] = {{0}};
    int item = threadIdx.y * block_x + threadIdx.x;
    int row = blockIdx.y * TILE_N, column = blockIdx.x * TILE_M;

    for (int l0 = 0; l0 < k; l0 += tile_k) {
        for (int i = item; i < TILE_N * tile_k; i += ITEMS) {
            int r = row + i / tile_k, l = l0 + i % tile_k;

            as[i / tile_k][i % tile_k] = r < n && l < k ? a[r * k + l] : 0;
        }
        for (int i = item; i < tile_k * TILE_M; i += ITEMS) {
            int l = l0 + i / TILE_M, s = column + i % TILE_M;

            bs[i / TILE_M][i % TILE_M] = l < k && s < m ? b[l * m + s] : 0;
        }
        __syncthreads();
        for (int l = 0; l < tile_k; l++)
            for (int y = 0; y < work_y; y++)
                for (int x = 0; x < work_x; x++)
                    sums[y][x] += as[threadIdx.y + y * block_y][l] * bs[l][threadIdx.x + x * block_x];
        __syncthreads();
    }
    for (int y = 0; y < work_y; y++)
        for (int x = 0; x < work_x; x++) {
            int r = row + threadIdx.y + y * block_y, s = column + threadIdx.x + x * block_x;

            if (r < n && s < m)
                c[r * m + s] = sums[y][x];
        }
}
