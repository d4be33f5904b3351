/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A sum: blocks give parts of it, and a last block their sum. Within a block by a tree in shared memory; its last
 * 32 work items may exchange their values by shuffles. */

#ifdef __HIP_PLATFORM_AMD__
#define FROM_BELOW(x, distance) __shfl_down(x, distance, 32)
#else
#define FROM_BELOW(x, distance) __shfl_down_sync(0xffffffffu, x, distance, 32)
#endif

__device__ void sum_block(float sum, float *out)
{
    __shared__ float part[block];
    int x = threadIdx.x;

    part[x] = sum;
    __syncthreads();
    for (int half = block / 2; half >= (shuffle ? 32 : 1); half /= 2) {
        if (x < half)
            part[x] += part[x + half];
        __syncthreads();
    }
#if shuffle
    if (x < 32) {
        sum = part[x];
        for (int half = 16; half; half /= 2)
            sum += FROM_BELOW(sum, half);
    }
    if (x == 0)
        *out = sum;
#else
    if (x == 0)
        *out = part[0];
#endif
}

extern "C" __global__ void reduce(const float *in, float *parts, int n)
{
    float sum = 0;

    for (int i = blockIdx.x * block + threadIdx.x; i < n; i += blocks * block)
        sum += in[i];
    sum_block(sum, &parts[blockIdx.x]);
}

extern "C" __global__ void finish(const float *parts, float *out)
{
    float sum = 0;

    for (int i = threadIdx.x; i < blocks; i += block)
        sum += parts[i];
    sum_block(sum, out);
}
