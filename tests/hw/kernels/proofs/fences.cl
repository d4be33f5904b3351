// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:8]; Y[i] = X[7 - i]
//@ harness {"buffers": {"X": {"type": "f32", "count": 8, "fill": "zero"}, "T": {"type": "f32", "count": 8},
//@ harness  "Y": {"type": "f32", "count": 8}},
//@ harness  "steps": [{"launch": "f", "grid": 1, "block": 8, "arguments": ["X", "T", "Y"]}],
//@ harness  "outputs": {"Y": {"absolute": 0}}, "tune": {"sizes": {}}}
//@ 0 proved
//@ 1 refuted thread
//@ 2 proved
//@ 3 proved
//@ 4 refuted thread
//@ 5 refuted thread
//@ fault 1 missing barrier
//@ fault 4 missing barrier
//@ fault 5 missing barrier

// A barrier orders accesses to the memory that it names, and to no other.
__kernel void f(__global const float *X, __global float *T, __global float *Y)
{
    __local float part[8];
    const int t = get_local_id(0);

#if CASE < 3
    T[t] = X[t];
    barrier(CASE == 0 ? CLK_GLOBAL_MEM_FENCE : CASE == 1 ? CLK_LOCAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    Y[t] = T[7 - t];
#else
    part[t] = X[t];
    barrier(CASE == 3 ? CLK_LOCAL_MEM_FENCE : CASE == 4 ? CLK_GLOBAL_MEM_FENCE : 0);
    Y[t] = part[7 - t];
#endif
}
