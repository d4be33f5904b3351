// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:n, k:n]; B[k, j:n]; C[i, j] = sum(k) A[i, k]*B[k, j]
//@ harness {"buffers": {"A": {"type": "f32", "count": "n*n", "fill": "zero"},
//@ harness  "B": {"type": "f32", "count": "n*n", "fill": "zero"},
//@ harness  "C": {"type": "f32", "count": "n*n"}},
//@ harness  "steps": [{"launch": "f", "grid": ["ceil(n, 4)", "ceil(n, 4)"], "block": [4, 4],
//@ harness  "arguments": ["A", "B", "C", {"i32": "n"}]}],
//@ harness  "outputs": {"C": {"absolute": 0}}, "tune": {"sizes": {"n": 10}}}
//@ 0 proved
//@ 1 refuted buffer
//@ 2 refuted thread
//@ 3 refuted C[
//@ 4 proved
//@ 5 refuted barrier
//@ fault 1 guard
//@ fault 2 missing barrier
//@ fault 5 divergent barrier

// A product of matrices in OpenCL C, by tiles in local memory.
__kernel void f(__global const float *restrict A, __global const float *restrict B,
                __global float *restrict C, const int n)
{
    const int i = get_global_id(1), j = get_global_id(0);
    float s = 0.0f;

#if CASE == 4 // without tiles
    if (i < n && j < n) {
        for (int k = 0; k < n; k++)
            s = fma(A[i * n + k], B[k * n + j], s);
        C[i * n + j] = s;
    }
#else
    __local float a[4][4], b[4][4];
    const int y = get_local_id(1), x = get_local_id(0);

    for (int k = 0; k < n; k += 4) {
        a[y][x] = i < n && k + x < n ? A[i * n + k + x] : 0.0f;
        b[y][x] = k + y < n && j < n ? B[(k + y) * n + j] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int t = 0; t < (CASE == 3 ? 3 : 4); t++)
            s = mad(a[y][t], b[t][x], s);
#if CASE != 2
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
#if CASE == 5
    if (i < n)
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (i < n && (CASE == 1 || j < n))
        C[i * n + j] = s;
#endif
}
