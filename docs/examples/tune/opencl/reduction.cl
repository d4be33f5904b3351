/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A sum: groups give parts of it, and a last group their sum. Each work item sums vectors of `width` elements; within
 * a group their sums are added by a tree in local memory, or by its first work item. */

#define JOIN(a, b) a##b
#define VECTOR(width) JOIN(float, width)
#define LOAD(width) JOIN(vload, width)
#define STORE(width) JOIN(vstore, width)

void sum_group(float sum, __local float *part, __global float *out)
{
    int x = get_local_id(0);

    part[x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
#if tree
    for (int distance = block / 2; distance; distance /= 2) {
        if (x < distance)
            part[x] += part[x + distance];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    for (int i = 1; x == 0 && i < block; i++)
        part[0] += part[i];
#endif
    if (x == 0)
        *out = part[0];
}

__kernel void reduce(__global const float *in, __global float *parts, int n)
{
    __local float part[block];
    float sum = 0;
    int i = get_global_id(0);

#if width > 1
    VECTOR(width) sums = 0;
    float lanes[width];

    for (; (i + 1) * width <= n; i += blocks * block)
        sums += LOAD(width)(i, in);
    STORE(width)(sums, 0, lanes);
    for (int k = 0; k < width; k++)
        sum += lanes[k];
    if (i * width < n) /* the last elements, fewer than a vector */
        for (int k = i * width; k < n; k++)
            sum += in[k];
#else
    for (; i < n; i += blocks * block)
        sum += in[i];
#endif
    sum_group(sum, part, &parts[get_group_id(0)]);
}

__kernel void finish(__global const float *parts, __global float *out)
{
    __local float part[block];
    float sum = 0;

    for (int i = get_local_id(0); i < blocks; i += block)
        sum += parts[i];
    sum_group(sum, part, out);
}
