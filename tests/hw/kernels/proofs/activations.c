// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:8]; Y[i] = X[i]*sigmoid(X[i]); Z[i] = max(X[i], 0)
//@ harness {"buffers": {"X": {"type": "f32", "count": 8, "fill": "zero"},
//@ harness  "Y": {"type": "f32", "count": 8}, "Z": {"type": "f32", "count": 8}},
//@ harness  "steps": [{"call": "f", "arguments": ["X", "Y", "Z"]}],
//@ harness  "outputs": {"Y": {"absolute": 0}, "Z": {"absolute": 0}}, "tune": {"sizes": {}}}
//@ 0 proved
//@ 1 proved
//@ 2 proved
//@ 3 undecided No input of floats
//@ 4 refuted Z[
//@ 5 refuted Y[
//@ 6 undecided depend on data

// Activations by other words for the same function, and by others.
#include <math.h>
#include <string.h>

void f(const float *X, float *Y, float *Z)
{
    for (int i = 0; i < 8; i++) {
        float x = X[i];

#if CASE == 0
        Y[i] = x / (1 + expf(-x));
        Z[i] = fmaxf(x, 0);
#elif CASE == 1 // sigmoid(x) = (1 + tanh(x/2))/2
        Y[i] = 0.5f * x * (1 + tanhf(0.5f * x));
        Z[i] = x > 0 ? x : 0;
#elif CASE == 2 // without an overflow
        Y[i] = x * expf(x) / (expf(x) + 1);
        Z[i] = x < 0 ? 0 : x;
#elif CASE == 3 // max(x, 0) = (x + |x|)/2 is a law that the field lacks
        Y[i] = x / (1 + expf(-x));
        Z[i] = 0.5f * (x + fabsf(x));
#elif CASE == 4 // leaks
        Y[i] = x / (1 + expf(-x));
        Z[i] = x > 0 ? x : 0.01f * x;
#elif CASE == 5 // an approximation
        Y[i] = x / (1 + expf(-1.702f * x));
        Z[i] = fmaxf(x, 0);
#else           // the sign, as bits
        int bits;

        memcpy(&bits, &x, sizeof bits);
        Y[i] = x / (1 + expf(-x));
        bits &= ~(bits >> 31);
        memcpy(&Z[i], &bits, sizeof bits);
#endif
    }
}
