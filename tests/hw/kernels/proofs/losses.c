// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:n, c:7]; T[i, c]; M[i] = max(c) X[i, c]; S[i] = sum(c) exp(X[i, c] - M[i]);
//@ computes  L[i] = sum(c) T[i, c]*(log(S[i]) + M[i] - X[i, c])
//@ harness {"buffers": {"X": {"type": "f32", "count": "n*7", "fill": "zero"},
//@ harness  "T": {"type": "f32", "count": "n*7", "fill": "zero"}, "L": {"type": "f32", "count":
//@ harness  "n"}},
//@ harness  "steps": [{"call": "f", "arguments": ["X", "T", "L", {"i32": "n"}]}],
//@ harness  "outputs": {"L": {"absolute": 0}}, "tune": {"sizes": {"n": 3}}}
//@ 0 proved
//@ 1 proved
//@ 2 undecided No input of floats
//@ 3 refuted L[
//@ 4 refuted L[
//@ 5 refuted L[
//@ 6 refuted L[
//@ 7 refuted L[
//@ fault 3 exponent without the maximum
//@ fault 4 lost term
//@ fault 5 stale accumulator
//@ fault 6 swapped operand
//@ fault 7 wrong constant

// Cross entropy with soft targets: in two passes, with a running maximum, and without a maximum,
// which is the same by a law of logarithms that the field does not know.
#include <math.h>

void f(const float *X, const float *T, float *L, int n)
{
    float sum = 0;

    for (int i = 0; i < n; i++) {
        const float *x = X + 7 * i, *t = T + 7 * i;
        float most = -INFINITY, loss = 0;

        sum = CASE == 5 ? sum : 0;
#if CASE == 1
        for (int c = 0; c < 7; c++) {
            float old = most;

            most = fmaxf(most, x[c]);
            sum = sum * expf(old - most) + expf(x[c] - most);
        }
#elif CASE == 2
        most = 0;
        for (int c = 0; c < 7; c++)
            sum += expf(x[c]);
#else
        for (int c = 0; c < 7; c++)
            most = fmaxf(most, x[c]);
        for (int c = CASE == 4; c < 7; c++)
            sum += expf(CASE == 3 ? x[c] : x[c] - most);
#endif
        for (int c = 0; c < 7; c++)
            loss += (CASE == 6 ? x[c] : t[c]) *
                    ((CASE == 7 ? 1.4426950408889634F : 1) * logf(sum) + most -
                     (CASE == 6 ? t[c] : x[c]));
        L[i] = loss;
    }
}
