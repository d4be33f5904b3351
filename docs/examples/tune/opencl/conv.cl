/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A convolution: a group computes (block_y * tile_y) x (block_x * tile_x) elements. Its part of the image is in the
 * local memory that it gets as an argument, or not; the filter is in constant or in global memory. */

#define TILE_H (block_y * tile_y)
#define TILE_W (block_x * tile_x)
#define SIZE filter_size
#define PART_W (TILE_W + SIZE - 1)
#if use_constant
#define FILTER __constant
#else
#define FILTER __global const
#endif

__kernel void conv(__global const float *in, FILTER float *filter, __global float *out, __local float *part,
                   int height, int width)
{
    int stride = width + SIZE - 1;
    int top = get_group_id(1) * TILE_H, left = get_group_id(0) * TILE_W;
    int y0 = get_local_id(1), x0 = get_local_id(0);

#if use_local
    for (int y = y0; y < TILE_H + SIZE - 1; y += block_y)
        for (int x = x0; x < PART_W; x += block_x)
            part[y * PART_W + x] =
                top + y < height + SIZE - 1 && left + x < stride ? in[(top + y) * stride + left + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int i = 0; i < tile_y; i++)
        for (int j = 0; j < tile_x; j++) {
            int h = y0 + i * block_y, w = x0 + j * block_x;
            float sum = 0;

            if (top + h >= height || left + w >= width)
                continue;
            for (int y = 0; y < SIZE; y++)
                for (int x = 0; x < SIZE; x++)
#if use_local
                    sum = mad(part[(h + y) * PART_W + w + x], filter[y * SIZE + x], sum);
#else
                    sum = mad(in[(top + h + y) * stride + left + w + x], filter[y * SIZE + x], sum);
#endif
            out[(top + h) * width + left + w] = sum;
        }
}
