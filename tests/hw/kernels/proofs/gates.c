// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:n]; B[i]; G[i] = 0.5*A[i]*(1 + tanh(0.79788456*(A[i] + 0.044715*A[i]*A[i]*A[i])));
//@ computes  S[i] = A[i]*sigmoid(A[i])*B[i]; H[i] = A[i]*max(min(A[i] + 3, 6), 0)/6;
//@ computes  E[i] = log(1 + exp(A[i]))
//@ harness {"buffers": {"A": {"type": "f32", "count": "n", "fill": "zero"}, "B": {"type": "f32",
//@ harness  "count": "n", "fill": "zero"},
//@ harness  "G": {"type": "f32", "count": "n"}, "S": {"type": "f32", "count": "n"},
//@ harness  "H": {"type": "f32", "count": "n"}, "E": {"type": "f32", "count": "n"}},
//@ harness  "steps": [{"call": "f", "arguments": ["A", "B", "G", "S", "H", "E", {"i32": "n"}]}],
//@ harness  "outputs": {"G": {"absolute": 0}, "S": {"absolute": 0}, "H": {"absolute": 0}, "E":
//@ harness  {"absolute": 0}},
//@ harness  "tune": {"sizes": {"n": 21}}}
//@ 0 proved
//@ 1 proved
//@ 2 undecided No input of floats
//@ 3 refuted G[
//@ 4 refuted S[
//@ 5 refuted H[
//@ 6 refuted No work item wrote
//@ 7 refuted buffer A
//@ 8 refuted nothing defined
//@ fault 3 wrong constant
//@ fault 4 swapped operand
//@ fault 5 wrong constant
//@ fault 6 tail
//@ fault 7 tail
//@ fault 8 uninitialised read

// Gates: GELU by tanh and by a sigmoid, SwiGLU, hard swish, and softplus, in blocks of 8.
#include <math.h>

void f(const float *A, const float *B, float *G, float *S, float *H, float *E, int n)
{
    int end = CASE == 6 ? n / 8 * 8 : CASE == 7 ? (n + 7) / 8 * 8 : n;
    float t[8];

    for (int i = 0; i < end; i += 8) {
        int m = CASE == 7 || i + 8 < end ? 8 : end - i;

        for (int k = CASE == 8 && i == 0; k < m; k++)
            t[k] = A[i + k];
        for (int k = 0; k < m; k++) {
            float a = t[k];
            float u = .79788456F * (a + (CASE == 3 ? .044751F : .044715F) * a * a * a);
#if CASE == 1
            G[i + k] = a / (1 + expf(-2 * u));
            S[i + k] = B[i + k] * a * expf(a) / (1 + expf(a));
            E[i + k] = logf(1 + expf(a));
#else
            G[i + k] = .5F * a * (1 + tanhf(u));
            S[i + k] = a / (1 + expf(CASE == 4 ? -B[i + k] : -a)) * B[i + k];
            E[i + k] = CASE == 2 ? a + logf(1 + expf(-a)) : logf(1 + expf(a));
#endif
            H[i + k] = a * fmaxf(fminf(a + 3, CASE == 5 ? 3 : 6), 0) / 6;
        }
    }
}
