/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A histogram by atomics, in shared memory first or at once in global memory. */

#define BINS bin_count

extern "C" __global__ void histogram(const int *in, int *out, int n)
{
    int first = blockIdx.x * block * items + threadIdx.x;

#if use_shared
    __shared__ int counts[BINS];

    for (int b = threadIdx.x; b < BINS; b += block)
        counts[b] = 0;
    __syncthreads();
#endif
    for (int k = 0; k < items; k++) {
        int i = first + k * block;

        if (i < n)
#if use_shared
            atomicAdd(&counts[in[i]], 1);
#else
            atomicAdd(&out[in[i]], 1);
#endif
    }
#if use_shared
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += block)
        atomicAdd(&out[b], counts[b]);
#endif
}
