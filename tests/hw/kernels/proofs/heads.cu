// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes Q[i:8, d:4]; K[j:n, d]; V[j, d]; S[i, j] = sum(d) Q[i, d]*K[j, d]*0.5; M[i] = max(j) S[i, j];
//@ computes  E[i, j] = exp(S[i, j] - M[i]); Z[i] = sum(j) E[i, j]; O[i, d] = sum(j) E[i, j]*V[j, d]/Z[i]
//@ harness {"buffers": {"Q": {"type": "f32", "count": 32, "fill": "zero"}, "K": {"type": "f32", "count": "4*n", "fill": "zero"},
//@ harness  "V": {"type": "f32", "count": "4*n", "fill": "zero"}, "O": {"type": "f32", "count": 32}},
//@ harness  "steps": [{"launch": "f", "grid": 1, "block": 8, "arguments": ["Q", "K", "V", "O", {"i32": "n"}]}],
//@ harness  "outputs": {"O": {"absolute": 0}}, "tune": {"sizes": {"n": 10}}}
//@ 0 proved
//@ 1 refuted O[
//@ 2 refuted O[
//@ 3 refuted another thread
//@ 4 refuted O[
//@ 5 refuted nothing defined
//@ 6 refuted O[
//@ 7 refuted O[
//@ 8 proved
//@ fault 1 exponent without the maximum
//@ fault 2 stale accumulator
//@ fault 3 missing barrier
//@ fault 4 wrong constant
//@ fault 5 uninitialised read
//@ fault 6 tail
//@ fault 7 exponent without the maximum

// Attention of a head with a running maximum over tiles of 4 keys in shared memory; 8 shifts by the
// first score in the place of the largest one.
__global__ void f(const float *Q, const float *K, const float *V, float *O, int n)
{
    __shared__ float k[4][4], v[4][4];
    int t = threadIdx.x;
    float most = CASE == 8 ? 0 : -3.402823466e38F, sum = 0, out[4] = {0, 0, 0, 0};

    for (int j = 0; j < (CASE == 6 ? n / 4 * 4 : n); j += 4) {
        int keys = n - j < 4 ? n - j : 4;

        for (int e = t; e < (CASE == 5 ? 12 : 16); e += 8)
            if (j + e / 4 < n) {
                k[e / 4][e % 4] = K[j * 4 + e];
                v[e / 4][e % 4] = V[j * 4 + e];
            }
        if (CASE != 3)
            __syncthreads();
        for (int l = 0; l < keys; l++) {
            float s = 0, next, scale, e;

            for (int d = 0; d < 4; d++)
                s += Q[t * 4 + d] * k[l][d];
            s *= CASE == 4 ? .25F : .5F;
            if (CASE == 8 && j + l == 0)
                most = s;
            next = CASE == 8 ? most : fmaxf(most, s);
            scale = CASE == 1 ? 1 : expf(most - next);
            e = CASE == 7 && l == 3 ? expf(s) : expf(s - next);
            sum = sum * scale + e;
            for (int d = 0; d < 4; d++)
                out[d] = out[d] * (CASE == 2 ? 1 : scale) + e * v[l][d];
            most = next;
        }
        __syncthreads();
    }
    for (int d = 0; d < 4; d++)
        O[t * 4 + d] = out[d] / sum;
}
