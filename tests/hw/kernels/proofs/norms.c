// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:n, j:8]; G[j]; M[i] = sum(j) X[i, j]/8; D[i, j] = X[i, j] - M[i];
//@ computes  V[i] = sum(j) D[i, j]*D[i, j]/8; Y[i, j] = D[i, j]/sqrt(V[i] + 0.00001)*G[j]
//@ harness {"buffers": {"X": {"type": "f32", "count": "n*8", "fill": "zero"},
//@ harness  "G": {"type": "f32", "count": 8, "fill": "zero"},
//@ harness  "Y": {"type": "f32", "count": "n*8"}},
//@ harness  "steps": [{"call": "f", "arguments": ["X", "G", "Y", {"i32": "n"}]}],
//@ harness  "outputs": {"Y": {"absolute": 0}}, "tune": {"sizes": {"n": 3}}}
//@ 0 proved
//@ 1 proved
//@ 2 proved
//@ 3 refuted Y[
//@ 4 refuted Y[
//@ 5 proved

// Norms of layers: the variance of the second pass, of the mean of squares, and by Welford's steps.
#include <math.h>

void f(const float *X, const float *G, float *Y, int n)
{
    for (int i = 0; i < n; i++) {
        const float *x = X + 8 * i;
        float mean = 0, squares = 0, scale;

#if CASE == 0 || CASE == 3 || CASE == 4 || CASE == 5
        for (int j = 0; j < 8; j++)
            mean += x[j];
        mean /= CASE == 4 ? 7 : 8;
        for (int j = 0; j < 8; j++)
            squares += (x[j] - mean) * (x[j] - mean);
        squares /= CASE == 3 ? 7 : 8; // that of a sample
#elif CASE == 1
        for (int j = 0; j < 8; j++) {
            mean += x[j];
            squares += x[j] * x[j];
        }
        mean *= 0.125f;
        squares = squares * 0.125f - mean * mean;
#else
        for (int j = 0; j < 8; j++) {
            float apart = x[j] - mean;

            mean += apart / (float)(j + 1);
            squares += apart * (x[j] - mean);
        }
        squares /= 8;
#endif
        scale = CASE == 5 ? 1 / sqrtf(squares + 1e-5f) : 0;
        for (int j = 0; j < 8; j++)
            Y[8 * i + j] = CASE == 5 ? (x[j] - mean) * scale * G[j]
                                     : (x[j] - mean) / sqrtf(squares + 1e-5f) * G[j];
    }
}
