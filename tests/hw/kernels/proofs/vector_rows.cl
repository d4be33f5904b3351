// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:n, k:m]; X[k]; B[i]; Y[i] = sum(k) A[i, k]*X[k]; Z[i] = min(max(Y[i] + B[i], 0), 1)
//@ harness {"buffers": {"A": {"type": "f32", "count": "n*m", "fill": "zero"}, "X": {"type": "f32", "count": "m", "fill": "zero"},
//@ harness  "B": {"type": "f32", "count": "n", "fill": "zero"}, "Z": {"type": "f32", "count": "n"}},
//@ harness  "steps": [{"launch": "f", "grid": "n", "block": 8, "arguments": ["A", "X", "B", "Z", {"i32": "m"}, {"local": "4*8"}]}],
//@ harness  "outputs": {"Z": {"absolute": 0}}, "tune": {"sizes": {"n": 4, "m": 64}}}
//@ 0 proved
//@ 1 proved
//@ 2 proved
//@ 3 refuted another thread
//@ 4 refuted Z[
//@ 5 refuted shared
//@ 6 refuted nothing defined
//@ 7 refuted buffer A
//@ 8 refuted Z[
//@ 9 refuted Z[
//@ fault 3 missing barrier
//@ fault 4 lost term
//@ fault 5 guard
//@ fault 6 uninitialised read
//@ fault 7 tail
//@ fault 8 wrong constant
//@ fault 9 swapped operand

// A product of a matrix and a vector: vectors of four, local memory that is an argument, and sums of
// a work group by halves.
__kernel void f(__global const float *A, __global const float *X, __global const float *B, __global float *Z, int m,
                __local float *sums)
{
    const int i = get_group_id(0), t = get_local_id(0);
    float s = 0;

#if CASE == 1
    for (int k = t; k < m / 8; k += 8) {
        float8 a = vload8(k, A + i * m), x = vload8(k, X);
        float4 p = fma(a.lo, x.lo, a.hi * x.hi);

        s += p.x + p.y + p.z + p.w;
    }
#elif CASE == 2
    float4 p = (float4)(0);

    for (int k = t; k < m / 4; k += 8)
        p = mad(vload4(k, A + i * m), vload4(k, X), p);
    s = dot(p, (float4)(1));
#else
    for (int k = t; k < m / 4 + (CASE == 7); k += 8) {
        float4 a = vload4(k, A + i * m), x = vload4(k % (m / 4), X);

        s += dot(CASE == 9 ? a.yxzw : a, x);
    }
#endif
    if (CASE != 6 || t != 7)
        sums[CASE == 5 ? t + 1 : t] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = CASE == 4 ? 2 : 4; d > 0; d /= 2) {
        if (t < d)
            sums[t] += sums[t + d];
#if CASE != 3
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    if (t == 0)
        Z[i] = clamp(sums[0] + B[i], 0.0f, CASE == 8 ? 2.0f : 1.0f);
}
