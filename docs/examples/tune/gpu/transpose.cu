/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A transposition of tiles in shared memory, with a column more against conflicts of banks or without. */

extern "C" __global__ void transpose(const float *in, float *out, int height, int width)
{
    __shared__ float part[tile][tile + pad];
    int top = blockIdx.y * tile, left = blockIdx.x * tile;

    for (int y = threadIdx.y; y < tile; y += rows)
        if (top + y < height && left + threadIdx.x < width)
            part[y][threadIdx.x] = in[(top + y) * width + left + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < tile; y += rows)
        if (left + y < width && top + threadIdx.x < height)
            out[(left + y) * height + top + threadIdx.x] = part[threadIdx.x][y];
}
