// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[g:2, c:3, h:n, w:n]; W[g, o:2, c, r:3, s:3]; B[g, o];
//@ computes  Y[g, o, i:n-2, j:n-2] = sum(c, r, s) X[g, c, i + r, j + s]*W[g, o, c, r, s];
//@ computes  Z[g, o, i, j] = max(Y[g, o, i, j] + B[g, o], 0)
//@ harness {"buffers": {"X": {"type": "f32", "count": "6*n*n", "fill": "zero"},
//@ harness  "W": {"type": "f32", "count": 108, "fill": "zero"}, "B": {"type": "f32", "count": 4,
//@ harness  "fill": "zero"},
//@ harness  "patches": {"type": "f32", "count": "27*(n-2)*(n-2)"},
//@ harness  "Z": {"type": "f32", "count": "4*(n-2)*(n-2)"}},
//@ harness  "steps": [{"call": "f", "arguments": ["X", "W", "B", "patches", "Z", {"i32": "n"}]}],
//@ harness  "outputs": {"Z": {"absolute": 0}}, "tune": {"sizes": {"n": 5}}}
//@ 0 proved
//@ 1 proved
//@ 2 refuted Z[
//@ 3 refuted Z[
//@ 4 refuted Z[
//@ 5 refuted nothing defined
//@ 6 refuted Z[
//@ 7 refuted Z[
//@ fault 2 swapped operand
//@ fault 3 lost term
//@ fault 4 stale accumulator
//@ fault 5 uninitialised read
//@ fault 6 doubled term
//@ fault 7 wrong constant

// A convolution in groups of channels with a bias and a ReLU: direct, and by a matrix of patches.
void f(const float *X, const float *W, const float *B, float *patches, float *Z, int n)
{
    int m = n - 2;
    float s = 0;

    for (int g = 0; g < 2; g++) {
#if CASE != 0
        for (int k = CASE == 5; k < 27; k++)
            for (int p = 0; p < m * m; p++)
                patches[k * m * m + p] =
                    X[((g * 3 + k / 9) * n + p / m + k / 3 % 3) * n + p % m + k % 3];
#endif
        for (int o = 0; o < 2; o++)
            for (int p = 0; p < m * m; p++) {
                s = CASE == 4 ? s : 0;
#if CASE == 0
                for (int c = 0; c < 3; c++)
                    for (int r = 0; r < 3; r++)
                        for (int t = 0; t < 3; t++)
                            s += X[((g * 3 + c) * n + p / m + r) * n + p % m + t] *
                                 W[(((g * 2 + o) * 3 + c) * 3 + r) * 3 + t];
#else
                for (int k = 0; k < 27 - (CASE == 3); k++)
                    s += patches[k * m * m + p] * W[(CASE == 2 ? o * 2 + g : g * 2 + o) * 27 + k];
#endif
                s += CASE == 6 ? 2 * B[g * 2 + o] : B[g * 2 + o];
                Z[(g * 2 + o) * m * m + p] = s > 0 ? s : CASE == 7 ? .01F * s : 0;
            }
    }
}
