/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A histogram by atomics, in local memory first or at once in global memory. A work item reads `items` elements, next
 * to each other or a group apart. */

#define BINS bin_count

__kernel void histogram(__global const int *in, volatile __global int *out, int n)
{
    int x = get_local_id(0);
    int first = get_group_id(0) * block * items + x * (apart ? 1 : items);

#if use_local
    volatile __local int counts[BINS];

    for (int b = x; b < BINS; b += block)
        counts[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int k = 0; k < items; k++) {
        int i = first + k * (apart ? block : 1);

        if (i < n)
#if use_local
            atomic_inc(&counts[in[i]]);
#else
            atomic_inc(&out[in[i]]);
#endif
    }
#if use_local
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = x; b < BINS; b += block)
        atomic_add(&out[b], counts[b]);
#endif
}
