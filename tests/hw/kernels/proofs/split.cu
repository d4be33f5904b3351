// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:6, k:n]; B[k, j:5]; C[i, j] = sum(k) A[i, k]*B[k, j]
//@ harness {"buffers": {"A": {"type": "f32", "count": "6*n", "fill": "zero"}, "B": {"type": "f32", "count": "5*n", "fill": "zero"},
//@ harness  "parts": {"type": "f32", "count": 120}, "C": {"type": "f32", "count": 30}},
//@ harness  "steps": [{"launch": "parts", "grid": [1, 4], "block": [5, 6], "arguments": ["A", "B", "parts", {"i32": "n"}]},
//@ harness  {"launch": "join", "grid": 1, "block": 32, "arguments": ["parts", "C"]}],
//@ harness  "outputs": {"C": {"absolute": 0}}, "tune": {"sizes": {"n": 30}}}
//@ 0 proved
//@ 1 refuted C[
//@ 2 refuted C[
//@ 3 refuted C[
//@ 4 refuted buffer C
//@ 5 refuted nothing defined
//@ 6 refuted another thread
//@ 7 refuted C[
//@ fault 1 tail
//@ fault 2 doubled term
//@ fault 3 lost term
//@ fault 4 guard
//@ fault 5 uninitialised read
//@ fault 6 race with the right result
//@ fault 7 swapped operand

// A product whose sum is divided among four blocks, and joined by a second kernel.
__global__ void parts(const float *A, const float *B, float *parts, int n)
{
    int i = threadIdx.y, j = threadIdx.x, size = CASE == 1 ? n / 4 : (n + 3) / 4;
    int from = blockIdx.y * size, to = from + size + (CASE == 2);
    float s = 0;

    for (int k = from; k < to && k < n; k++)
        s += A[i * n + k] * B[k * 5 + j];
    if (CASE != 5 || blockIdx.y != 3)
        parts[(blockIdx.y * 6 + i) * 5 + j] = s;
    if (CASE == 6)
        parts[0] = 0 * s;
}

__global__ void join(const float *parts, float *C)
{
    int t = threadIdx.x;
    float s = 0;

    for (int p = CASE == 3; p < 4; p++)
        s += parts[p * 30 + (CASE == 7 ? t % 6 * 5 + t / 6 % 5 : t % 30)];
    if (CASE == 4 || t < 30)
        C[t] = s;
}
