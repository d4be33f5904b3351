// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:n, j:m]; Y[j, i] = X[i, j]
//@ harness {"buffers": {"X": {"type": "f32", "count": "n*m", "fill": "zero"},
//@ harness  "Y": {"type": "f32", "count": "n*m"}},
//@ harness  "steps": [{"launch": "f", "grid": ["ceil(m, 8)", "ceil(n, 8)"], "block": [8, 4],
//@ harness  "arguments": ["X", "Y", {"i32": "n"}, {"i32": "m"}]}],
//@ harness  "outputs": {"Y": {"absolute": 0}}, "tune": {"sizes": {"n": 13, "m": 18}}}
//@ 0 proved
//@ 1 refuted nothing defined
//@ 2 refuted thread
//@ 3 refuted buffer
//@ fault 1 uninitialised read
//@ fault 2 missing barrier
//@ fault 3 guard

// A transpose by tiles, four rows of eight at a time.
extern "C" __global__ void f(const float *X, float *Y, int n, int m)
{
    __shared__ float tile[8][9];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;

    for (int k = 0; k < 8; k += 4)
        if (CASE == 3 || (x < m && y + k < n))
            tile[threadIdx.y + k][threadIdx.x] = X[(y + k) * m + x];
#if CASE != 2
    __syncthreads();
#endif
    x = blockIdx.y * 8 + threadIdx.x;
    y = blockIdx.x * 8 + threadIdx.y;
    for (int k = 0; k < 8; k += 4)
        if (x < n && y + k < m)
#if CASE == 1
            Y[(y + k) * n + x] = tile[threadIdx.y + k][threadIdx.x];
#else
            Y[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
#endif
}
