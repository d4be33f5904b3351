// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes Ar[i:n]; Ai[i]; Br[i]; Bi[i]; Cr[i] = Ar[i]*Br[i] - Ai[i]*Bi[i]; Ci[i] = Ar[i]*Bi[i] +
//@ computes  Ai[i]*Br[i];
//@ computes  D[o:1] = sum(i) Cr[i]*Cr[i] + Ci[i]*Ci[i]
//@ harness {"buffers": {"Ar": {"type": "f32", "count": "n", "fill": "zero"}, "Ai": {"type": "f32",
//@ harness  "count": "n", "fill": "zero"},
//@ harness  "Br": {"type": "f32", "count": "n", "fill": "zero"}, "Bi": {"type": "f32", "count":
//@ harness  "n", "fill": "zero"},
//@ harness  "D": {"type": "f32", "count": 1}},
//@ harness  "steps": [{"call": "f", "arguments": ["Ar", "Ai", "Br", "Bi", "D", {"i32": "n"}]}],
//@ harness  "outputs": {"D": {"absolute": 0}}, "tune": {"sizes": {"n": 19}}}
//@ 0 proved
//@ 1 proved
//@ 2 proved
//@ 3 refuted D[
//@ 4 refuted D[
//@ 5 refuted D[
//@ 6 refuted D[
//@ 7 proved
//@ 8 refuted buffer A
//@ fault 3 wrong constant
//@ fault 4 tail
//@ fault 5 doubled term
//@ fault 6 lost term
//@ fault 8 guard

// Squares of complex products: by four products, by Karatsuba's three, by |a| |b|, in vectors of
// the processor (7), and with a tail that is wrong.
#include <immintrin.h>

static float one(float a, float b, float c, float d)
{
#if CASE == 1 || CASE == 3
    float p = a * c, q = b * d, r = (a + b) * (c + d) - p - (CASE == 3 ? 0 : q);

    return (p - q) * (p - q) + r * r;
#elif CASE == 2
    return (a * a + b * b) * (c * c + d * d);
#else
    return (a * c - b * d) * (a * c - b * d) + (a * d + b * c) * (a * d + b * c);
#endif
}

void f(const float *Ar, const float *Ai, const float *Br, const float *Bi, float *D, int n)
{
    float s = 0;
    int i = 0;
#if CASE >= 7
    __m256 t = _mm256_setzero_ps();
    float u[8];

    for (; i + 8 <= (CASE == 8 ? n + 7 : n); i += 8) {
        __m256 a = _mm256_loadu_ps(Ar + i), b = _mm256_loadu_ps(Ai + i);
        __m256 c = _mm256_loadu_ps(Br + i), d = _mm256_loadu_ps(Bi + i);
        __m256 re = _mm256_fmsub_ps(a, c, _mm256_mul_ps(b, d));
        __m256 im = _mm256_fmadd_ps(a, d, _mm256_mul_ps(b, c));

        t = _mm256_fmadd_ps(re, re, t);
        t = _mm256_add_ps(t, _mm256_mul_ps(im, im));
    }
    t = _mm256_hadd_ps(t, t);
    t = _mm256_hadd_ps(t, t);
    _mm256_storeu_ps(u, t);
    s = u[0] + u[4];
#endif
    for (; i < (CASE == 4 ? n / 4 * 4 : n); i++)
        s += one(Ar[i], Ai[i], Br[i], Bi[i]);
    if (CASE == 5)
        s += one(Ar[n - 1], Ai[n - 1], Br[n - 1], Bi[n - 1]);
    if (CASE == 6)
        s -= Ar[0] * Ar[0] * Br[0] * Br[0];
    D[0] = s;
}
