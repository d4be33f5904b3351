/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums of two vectors: `items` elements for each work item, next to each other or a block apart. */

extern "C" __global__ void vadd(const float *a, const float *b, float *c, int n)
{
    int first = blockIdx.x * block * items + threadIdx.x * (apart ? 1 : items);

    for (int k = 0; k < items; k++) {
        int i = first + k * (apart ? block : 1);

        if (i < n)
            c[i] = a[i] + b[i];
    }
}
