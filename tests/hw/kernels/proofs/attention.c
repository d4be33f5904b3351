// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes Q[i:n, d:4]; K[j:n, d]; V[j, e:3]; P[i, j] = sum(d) Q[i, d]*K[j, d]/2;
//@ computes  M[i] = max(j) P[i, j]; E[i, j] = exp(P[i, j] - M[i]); S[i] = sum(j) E[i, j];
//@ computes  T[i, e] = sum(j) E[i, j]*V[j, e]; O[i, e] = T[i, e]/S[i]
//@ harness {"buffers": {"Q": {"type": "f32", "count": "n*4", "fill": "zero"},
//@ harness  "K": {"type": "f32", "count": "n*4", "fill": "zero"},
//@ harness  "V": {"type": "f32", "count": "n*3", "fill": "zero"},
//@ harness  "O": {"type": "f32", "count": "n*3"}},
//@ harness  "steps": [{"call": "f", "arguments": ["Q", "K", "V", "O", {"i32": "n"}]}],
//@ harness  "outputs": {"O": {"absolute": 0}}, "tune": {"sizes": {"n": 6}}}
//@ 0 proved
//@ 1 proved
//@ 2 refuted O[
//@ 3 refuted O[
//@ 4 proved

// Attention: with the whole row of scores, and key by key.
#include <math.h>

static float score(const float *q, const float *k)
{
    float s = 0;

    for (int d = 0; d < 4; d++)
        s += q[d] * k[d];
    return s * 0.5f;
}

void f(const float *Q, const float *K, const float *V, float *O, int n)
{
#if CASE == 4 // each row by a thread
#pragma omp parallel for
#endif
    for (int i = 0; i < n; i++) {
        float most = -INFINITY, sum = 0, out[3] = {0};

#if CASE == 0 || CASE == 3 || CASE == 4 // with 3 without the scale, which the definition has
        float p[16];

        for (int j = 0; j < n; j++) {
            p[j] = score(Q + 4 * i, K + 4 * j) * (CASE == 3 ? 2 : 1);
            most = fmaxf(most, p[j]);
        }
        for (int j = 0; j < n; j++) {
            float e = expf(p[j] - most);

            sum += e;
            for (int c = 0; c < 3; c++)
                out[c] += e * V[3 * j + c];
        }
#else // with 2 what was summed is not brought to the new maximum
        for (int j = 0; j < n; j++) {
            float p = score(Q + 4 * i, K + 4 * j), next = fmaxf(most, p);
            float old = expf(most - next), e = expf(p - next);

            sum = sum * old + e;
            for (int c = 0; c < 3; c++)
                out[c] = out[c] * (CASE == 1 ? old : 1) + e * V[3 * j + c];
            most = next;
        }
#endif
        for (int c = 0; c < 3; c++)
            O[3 * i + c] = out[c] / sum;
    }
}
