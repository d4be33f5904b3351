/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums of two vectors: `items` vectors of `width` elements for each work item, next to each other or a group apart. */

#define JOIN(a, b) a##b
#define LOAD(width) JOIN(vload, width)
#define STORE(width) JOIN(vstore, width)

__kernel void vadd(__global const float *a, __global const float *b, __global float *c, int n)
{
    int first = get_group_id(0) * block * items + get_local_id(0) * (apart ? 1 : items);

    for (int k = 0; k < items; k++) {
        int i = (first + k * (apart ? block : 1)) * width;

#if width > 1
        if (i + width <= n) {
            STORE(width)(LOAD(width)(0, a + i) + LOAD(width)(0, b + i), 0, c + i);
            continue;
        }
#endif
        for (int last = min(i + width, n); i < last; i++)
            c[i] = a[i] + b[i];
    }
}
