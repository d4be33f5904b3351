// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[k:n, i:m]; B[j:m, k]; C[i, j] = sum(k) A[k, i]*B[j, k]
//@ harness {"buffers": {"A": {"type": "f32", "count": "n*m", "fill": "zero"}, "B": {"type": "f32", "count": "n*m", "fill": "zero"},
//@ harness  "C": {"type": "f32", "count": "m*m"}},
//@ harness  "steps": [{"launch": "f", "grid": ["ceil(m, 8)", "ceil(m, 8)"], "block": [8, 8], "arguments": ["A", "B", "C", {"i32": "n"}, {"i32": "m"}]}],
//@ harness  "outputs": {"C": {"absolute": 0}}, "tune": {"sizes": {"n": 20, "m": 12}}}
//@ 0 proved
//@ 1 proved
//@ 2 refuted C[
//@ 3 refuted buffer
//@ 4 refuted another thread
//@ 5 refuted another thread
//@ 6 refuted C[
//@ 7 refuted C[
//@ 8 refuted buffer C
//@ 9 refuted C[
//@ 10 proved
//@ fault 2 swapped operand
//@ fault 3 guard
//@ fault 4 missing barrier
//@ fault 5 race with the right result
//@ fault 6 tail
//@ fault 7 doubled term
//@ fault 8 guard
//@ fault 9 lost term

// A product of two matrices that are both transposed, by tiles; case 1 reads float4, and in case
// 10 a product of what is left in a tile is one with 0.
__global__ void f(const float *A, const float *B, float *C, int n, int m)
{
    __shared__ float a[8][8], b[8][8];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 8 + y, j = blockIdx.x * 8 + x;
    float s = 0;

#if CASE == 1
    if (i < m && j < m) {
        for (int k = 0; k < n; k += 4) {
            float4 v = *(const float4 *)(B + j * n + k);

            s += A[k * m + i] * v.x + A[(k + 1) * m + i] * v.y;
            s += A[(k + 2) * m + i] * v.z + A[(k + 3) * m + i] * v.w;
        }
        C[i * m + j] = s;
    }
#else
    for (int k = 0; k < (CASE == 6 ? n / 8 * 8 : n); k += 8) {
        int p = blockIdx.y * 8 + x, q = blockIdx.x * 8 + y;

        if (CASE != 10 || k + y < n)
            a[y][x] = (CASE == 3 || k + y < n) && p < m ? A[(k + y) * m + p] : 0;
        b[y][x] = q < m && k + x < n ? B[(CASE == 2 ? (k + x) % m * n + q : q * n + k + x)] : 0;
        if (CASE == 5)
            a[y][0] = k + y < n && blockIdx.y * 8 < m ? A[(k + y) * m + blockIdx.y * 8] : 0;
        if (CASE != 4)
            __syncthreads();
        for (int l = CASE == 9; l < 8; l++)
            s += a[l][y] * b[x][l];
        if (CASE == 7 && k == 8)
            s += a[0][y] * b[x][0];
        __syncthreads();
    }
    if (CASE == 8 ? i <= m && j < m : i < m && j < m)
        C[i * m + j] = s;
#endif
}
