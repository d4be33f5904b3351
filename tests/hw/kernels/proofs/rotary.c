// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[t:n, h:2, d:8]; C[t, k:4]; S[t, k]; W[d];
//@ computes  R[t, h, d] = select(d < 4, X[t, h, d]*C[t, d%4] - X[t, h, d%4 + 4]*S[t, d%4], X[t, h,
//@ computes  d]*C[t, d%4] + X[t, h, d%4]*S[t, d%4]);
//@ computes  Q[t, h] = sum(d) R[t, h, d]*R[t, h, d]/8; Y[t, h, d] = R[t, h, d]/sqrt(Q[t, h] +
//@ computes  0.000001)*W[d]
//@ harness {"buffers": {"X": {"type": "f32", "count": "16*n", "fill": "zero"}, "C": {"type":
//@ harness  "f32", "count": "4*n", "fill": "zero"},
//@ harness  "S": {"type": "f32", "count": "4*n", "fill": "zero"}, "W": {"type": "f32", "count": 8,
//@ harness  "fill": "zero"},
//@ harness  "Y": {"type": "f32", "count": "16*n"}},
//@ harness  "steps": [{"call": "f", "arguments": ["X", "C", "S", "W", "Y", {"i32": "n"}]}],
//@ harness  "outputs": {"Y": {"absolute": 0}}, "tune": {"sizes": {"n": 3}}}
//@ 0 proved
//@ 1 proved
//@ 2 refuted Y[
//@ 3 refuted Y[
//@ 4 refuted Y[
//@ 5 refuted Y[
//@ 6 proved
//@ fault 2 swapped operand
//@ fault 3 stale accumulator
//@ fault 4 wrong constant
//@ fault 5 lost term

// Rotary positions and the root mean square of each head; case 2 rotates neighbours, case 3 uses
// the half that is rotated already; case 6 sums squares as it rotates.
#include <math.h>

void f(const float *X, const float *C, const float *S, const float *W, float *Y, int n)
{
    for (int t = 0; t < n; t++)
        for (int h = 0; h < 2; h++) {
            const float *x = X + (t * 2 + h) * 8, *c = C + 4 * t, *s = S + 4 * t;
            float r[8], squares = 0, scale;

            for (int k = 0; k < 4; k++) {
                int a = CASE == 2 ? 2 * k : k, b = CASE == 2 ? 2 * k + 1 : k + 4;

                r[a] = x[a] * c[k] - x[b] * s[k];
                r[b] = x[b] * c[k] + (CASE == 3 ? r[a] : x[a]) * s[k];
                if (CASE == 6)
                    squares += r[a] * r[a] + r[b] * r[b];
            }
            for (int d = CASE == 5; CASE != 6 && d < 8; d++)
                squares += r[d] * r[d];
            scale = CASE == 1 ? 1 / sqrtf(squares * .125F + 1e-6F)
                              : 1 / sqrtf(squares / 8 + (CASE == 4 ? 1e-3F : 1e-6F));
            for (int d = 0; d < 8; d++)
                Y[(t * 2 + h) * 8 + d] = r[d] * scale * W[d];
        }
}
