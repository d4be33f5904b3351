/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A convolution: a block computes (block_y * tile_y) x (block_x * tile_x) elements, from shared memory or not. */

#define TILE_H (block_y * tile_y)
#define TILE_W (block_x * tile_x)
#define SIZE filter_size

extern "C" __global__ void conv(const float *in, const float *filter, float *out, int height, int width)
{
    int stride = width + SIZE - 1;
    int top = blockIdx.y * TILE_H, left = blockIdx.x * TILE_W;

#if use_shared
    __shared__ float part[TILE_H + SIZE - 1][TILE_W + SIZE - 1];

    for (int y = threadIdx.y; y < TILE_H + SIZE - 1; y += block_y)
        for (int x = threadIdx.x; x < TILE_W + SIZE - 1; x += block_x)
            part[y][x] = top + y < height + SIZE - 1 && left + x < stride ? in[(top + y) * stride + left + x] : 0;
    __syncthreads();
#endif
    for (int i = 0; i < tile_y; i++)
        for (int j = 0; j < tile_x; j++) {
            int h = threadIdx.y + i * block_y, w = threadIdx.x + j * block_x;
            float sum = 0;

            if (top + h >= height || left + w >= width)
                continue;
            for (int y = 0; y < SIZE; y++)
                for (int x = 0; x < SIZE; x++)
#if use_shared
                    sum += part[h + y][w + x] * filter[y * SIZE + x];
#else
                    sum += in[(top + h + y) * stride + left + w + x] * filter[y * SIZE + x];
#endif
            out[(top + h) * width + left + w] = sum;
        }
}
