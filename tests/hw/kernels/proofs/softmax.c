// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:n, j:m]; M[i] = max(j) X[i, j]; E[i, j] = exp(X[i, j] - M[i]);
//@ computes  S[i] = sum(j) E[i, j]; Y[i, j] = E[i, j]/S[i]
//@ harness {"buffers": {"X": {"type": "f32", "count": "n*m", "fill": "zero"},
//@ harness  "Y": {"type": "f32", "count": "n*m"}},
//@ harness  "steps": [{"call": "f", "arguments": ["X", "Y", {"i32": "n"}, {"i32": "m"}]}],
//@ harness  "outputs": {"Y": {"absolute": 0}}, "tune": {"sizes": {"n": 2, "m": 9}}}
//@ 0 proved
//@ 1 proved
//@ 2 proved
//@ 3 undecided No input of floats
//@ 4 proved
//@ 5 refuted Y[
//@ 6 refuted Y[
//@ 7 proved
//@ fault 5 exponent without the maximum
//@ fault 6 stale accumulator

// Softmax of rows: in two passes, in one, in parts, and not quite.
#include <math.h>

void f(const float *X, float *Y, int n, int m)
{
    for (int i = 0; i < n; i++) {
        const float *x = X + i * m;
        float *y = Y + i * m, most = -INFINITY, sum = 0;

#if CASE == 0
        for (int j = 0; j < m; j++)
            most = fmaxf(most, x[j]);
        for (int j = 0; j < m; j++)
            sum += y[j] = expf(x[j] - most);
        for (int j = 0; j < m; j++)
            y[j] *= 1 / sum;
#elif CASE == 1 || CASE == 6 // in one pass; with 6 the sum is not brought to the new maximum
        for (int j = 0; j < m; j++) {
            float next = x[j] > most ? x[j] : most;

            sum = sum * (CASE == 1 ? expf(most - next) : 1) + expf(x[j] - next);
            most = next;
        }
        for (int j = 0; j < m; j++)
            y[j] = expf(x[j] - most) / sum;
#elif CASE == 2              // two halves, then both
        float part[2] = {-INFINITY, -INFINITY}, sums[2] = {0};

        for (int h = 0; h < 2; h++) {
            for (int j = h * m / 2; j < (h + 1) * m / 2; j++)
                part[h] = fmaxf(part[h], x[j]);
            for (int j = h * m / 2; j < (h + 1) * m / 2; j++)
                sums[h] += expf(x[j] - part[h]);
        }
        most = fmaxf(part[0], part[1]);
        sum = sums[0] * expf(part[0] - most) + sums[1] * expf(part[1] - most);
        for (int j = 0; j < m; j++)
            y[j] = expf(x[j] - most) / sum;
#elif CASE == 3              // exp(log(s)) = s is a law that the field lacks
        for (int j = 0; j < m; j++)
            most = fmaxf(most, x[j]);
        for (int j = 0; j < m; j++)
            sum += expf(x[j] - most);
        sum = most + logf(sum);
        for (int j = 0; j < m; j++)
            y[j] = expf(x[j] - sum);
#elif CASE == 4              // the same function of real numbers, though floats may overflow
        for (int j = 0; j < m; j++)
            sum += expf(x[j]);
        for (int j = 0; j < m; j++)
            y[j] = expf(x[j]) / sum;
#elif CASE == 5              // a maximum for the sum, none for the result
        for (int j = 0; j < m; j++)
            most = fmaxf(most, x[j]);
        for (int j = 0; j < m; j++)
            sum += expf(x[j] - most);
        for (int j = 0; j < m; j++)
            y[j] = expf(x[j]) / sum;
#elif CASE == 7              // powers of 2
        for (int j = 0; j < m; j++)
            most = fmaxf(most, x[j]);
        for (int j = 0; j < m; j++)
            sum += y[j] = exp2f((x[j] - most) * 1.44269504f);
        for (int j = 0; j < m; j++)
            y[j] = y[j] / sum;
#endif
    }
}
