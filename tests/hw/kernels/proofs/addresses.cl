// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:8]; C[i] = 2*A[i]
//@ harness {"buffers": {"A": {"type": "f32", "count": 8, "fill": "zero"},
//@ harness  "C": {"type": "f32", "count": 8}},
//@ harness  "steps": [{"launch": "f", "grid": 1, "block": 8, "arguments": ["A", "C"]}],
//@ harness  "outputs": {"C": {"absolute": 0}}, "tune": {"sizes": {}}}
//@ 0 proved
//@ 1 undecided takes an address for a number
//@ 2 undecided is not supported
//@ 3 undecided takes an address for a number
//@ 4 refuted C[

// An address that is a number for a moment: of the same memory, of memory without a name, of local
// memory, moved on as a number, and of the same memory for another element.
__kernel void f(__global const float *A, __global float *C)
{
    __local float row[8];
    const int i = get_local_id(0);

    row[i] = A[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#if CASE == 0
    C[i] = 2 * ((__global const float *)(unsigned long)A)[i];
#elif CASE == 1
    C[i] = 2 * ((const float *)(unsigned long)A)[i];
#elif CASE == 2
    C[i] = 2 * ((const float *)(unsigned long)row)[i];
#elif CASE == 3
    C[i] = 2 * *(__global const float *)((unsigned long)A + 4 * i);
#else
    C[i] = 2 * ((__global const float *)(unsigned long)A)[i ^ 1];
#endif
}
