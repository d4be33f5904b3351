// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:n, j:64]; S[i] = sum(j) X[i, j]
//@ harness {"buffers": {"X": {"type": "f32", "count": "n*64", "fill": "zero"},
//@ harness  "S": {"type": "f32", "count": "n"}},
//@ harness  "steps": [{"launch": "f", "grid": "n", "block": 64, "arguments": ["X", "S"]}],
//@ harness  "outputs": {"S": {"absolute": 0}}, "tune": {"sizes": {"n": 3}}}
//@ 0 proved
//@ 1 proved
//@ 2 refuted thread
//@ 3 refuted thread
//@ 4 undecided
//@ 5 proved
//@ 6 refuted S[
//@ 7 undecided other lanes than its mask names
//@ 8 undecided other lanes than its mask names
//@ 9 undecided not a power of two
//@ 10 proved
//@ 11 undecided other lanes than its mask names

// Sums of rows by the threads of a block.
extern "C" __global__ void f(const float *X, float *S)
{
    __shared__ float part[64];
    int t = threadIdx.x, row = blockIdx.x;
    float s = X[row * 64 + t];

#if CASE == 0 || CASE == 2 // halving; with 2 without a barrier between the steps
    part[t] = s;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
#if CASE == 0
        __syncthreads();
#endif
    }
    if (t == 0)
        S[row] = part[0];
#elif CASE == 1 || CASE == 6 // within warps, then between them; with 6 the second warp is forgotten
    for (int half = 16; half > 0; half /= 2)
        s += __shfl_down_sync(0xffffffffu, s, half);
    if (t % 32 == 0)
        part[t / 32] = s;
    __syncthreads();
    if (t == 0)
        S[row] = part[0] + (CASE == 1 ? part[1] : 0);
#elif CASE == 3 // as if a warp still ran in step
    volatile float *v = part;

    part[t] = s;
    __syncthreads();
    if (t < 32) {
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0)
        S[row] = v[0];
#elif CASE == 4 // the order of atomic additions is that of threads
    if (t == 0)
        S[row] = 0;
    __syncthreads();
    atomicAdd(&S[row], s);
#elif CASE == 7 || CASE == 8 || CASE == 10 // one warp adds for all
    part[t] = s;
    __syncthreads();
    if (t < 16) {
        s = part[t] + part[t + 16] + part[t + 32] + part[t + 48];
        for (int half = 8; half > 0; half /= 2)
            s += __shfl_xor_sync(CASE == 7 ? 0xffu : CASE == 8 ? 0xffffffffu : 0xffffu, s, half);
        if (t == 0)
            S[row] = s;
    }
#elif CASE == 9 // of twelve lanes
    part[t] = __shfl_sync(0xffffffffu, s, t, 12);
    __syncthreads();
    if (t == 0) {
        S[row] = 0;
        for (int i = 0; i < 64; i++)
            S[row] += part[i];
    }
#elif CASE == 11
    part[t] = s * (__ballot_sync(0x3u, t % 32 < 4) == 15u);
    __syncthreads();
    if (t == 0) {
        S[row] = 0;
        for (int i = 0; i < 64; i++)
            S[row] += part[i];
    }
#else // all lanes have the sum
    for (int half = 16; half > 0; half /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, half);
    part[t] = s;
    __syncthreads();
    if (t == 63)
        S[row] = part[0] + part[32];
#endif
}
