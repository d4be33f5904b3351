// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[r:2, i:n]; Y[r, j:n] = sum(i) select(i <= j, X[r, i], 0)
//@ harness {"buffers": {"X": {"type": "f32", "count": "2*n", "fill": "zero"}, "Y": {"type": "f32", "count": "2*n"}},
//@ harness  "steps": [{"launch": "f", "grid": 2, "block": "n", "arguments": ["X", "Y", {"i32": "n"}]}],
//@ harness  "outputs": {"Y": {"absolute": 0}}, "tune": {"sizes": {"n": 64}}}
//@ 0 proved
//@ 1 proved
//@ 2 refuted another thread
//@ 3 refuted another thread
//@ 4 refuted Y[
//@ 5 refuted Y[
//@ 6 proved
//@ 7 refuted barrier
//@ fault 2 missing barrier
//@ fault 3 missing barrier
//@ fault 4 lost term
//@ fault 5 doubled term
//@ fault 7 divergent barrier

// Sums of beginnings: by Hillis and Steele's steps, Blelloch's tree, and warps.
__global__ void f(const float *X, float *Y, int n)
{
    __shared__ float t[2][64];
    int i = threadIdx.x;
    const float *x = X + blockIdx.x * n;
    float *y = Y + blockIdx.x * n;

#if CASE == 1 || CASE == 3
    t[0][i] = x[i];
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        if ((i + 1) % (2 * d) == 0)
            t[0][i] += t[0][i - d];
        __syncthreads();
    }
    if (i == 0)
        t[0][n - 1] = 0;
    __syncthreads();
    for (int d = n / 2; d > 0; d /= 2) {
        if ((i + 1) % (2 * d) == 0) {
            float left = t[0][i - d];

            t[0][i - d] = t[0][i];
            t[0][i] += left;
        }
#if CASE != 3
        __syncthreads();
#endif
    }
    y[i] = t[0][i] + x[i];
#elif CASE == 6 || CASE == 7
    float v = x[i];

    for (int d = 1; d < 32; d *= 2) {
        float left = __shfl_up_sync(0xffffffff, v, d);

        if (i % 32 >= d)
            v += left;
    }
    if (i % 32 == 31)
        t[0][i / 32] = v;
#if CASE == 7
    if (i < 48)
        __syncthreads();
#else
    __syncthreads();
#endif
    y[i] = v + (i >= 32 ? t[0][0] : 0);
#else
    int now = 0;

    t[0][i] = x[i];
    __syncthreads();
    for (int d = 1; d < n; d *= CASE == 4 ? 4 : 2) {
        t[!now][i] = t[now][i] + (i >= d ? t[now][i - d] : 0);
        now = !now;
#if CASE != 2
        __syncthreads();
#endif
    }
    y[i] = t[now][i] + (CASE == 5 && i == n - 1 ? x[i] : 0);
#endif
}
