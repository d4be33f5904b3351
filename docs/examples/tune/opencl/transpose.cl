/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A transposition of tiles, through local memory, with a column more against conflicts of banks or without, or not. */

__kernel void transpose(__global const float *in, __global float *out, int height, int width)
{
    int top = get_group_id(1) * tile, left = get_group_id(0) * tile;
    int x = get_local_id(0);

#if use_local
    __local float part[tile][tile + pad];

    for (int y = get_local_id(1); y < tile; y += rows)
        if (top + y < height && left + x < width)
            part[y][x] = in[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = get_local_id(1); y < tile; y += rows)
        if (left + y < width && top + x < height)
            out[(left + y) * height + top + x] = part[x][y];
#else
    for (int y = get_local_id(1); y < tile; y += rows)
        if (left + y < width && top + x < height)
            out[(left + y) * height + top + x] = in[(top + x) * width + left + y];
#endif
}
