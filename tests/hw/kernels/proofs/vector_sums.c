// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:n]; B[i]; C[o:1] = sum(i) A[i]*B[i]; M[o] = max(i) A[i]
//@ harness {"buffers": {"A": {"type": "f32", "count": "n", "fill": "zero"}, "B": {"type": "f32",
//@ harness  "count": "n", "fill": "zero"},
//@ harness  "C": {"type": "f32", "count": 1}, "M": {"type": "f32", "count": 1}},
//@ harness  "steps": [{"call": "f", "arguments": ["A", "B", "C", "M", {"i32": "n"}]}],
//@ harness  "outputs": {"C": {"absolute": 0}, "M": {"absolute": 0}}, "tune": {"sizes": {"n": 37}}}
//@ 0 proved
//@ 1 proved
//@ 2 proved
//@ 3 refuted C[
//@ 4 refuted M[
//@ 5 refuted buffer
//@ 6 proved
//@ 7 refuted C[
//@ fault 3 doubled term
//@ fault 4 lost term
//@ fault 5 guard
//@ fault 7 swapped operand

// A product of vectors and the largest element, by the vectors of the processor: of SSE, AVX and
// AVX-512, with masks for the rest, and shuffles in the place of horizontal sums (6).
#include <immintrin.h>
#include <math.h>

void f(const float *A, const float *B, float *C, float *M, int n)
{
    float s = 0, most = -INFINITY;
    int i = 0;

#if CASE == 0
    __m128 t = _mm_setzero_ps(), m = _mm_set1_ps(-INFINITY);

    for (; i + 4 <= n; i += 4) {
        __m128 a = _mm_loadu_ps(A + i);

        t = _mm_add_ps(t, _mm_mul_ps(a, _mm_loadu_ps(B + i)));
        m = _mm_max_ps(m, a);
    }
    t = _mm_hadd_ps(t, t);
    t = _mm_hadd_ps(t, t);
    s = _mm_cvtss_f32(t);
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    m = _mm_max_ss(m, _mm_shuffle_ps(m, m, 1));
    most = _mm_cvtss_f32(m);
#elif CASE == 1 || CASE == 3 || CASE == 4 || CASE == 5
    __m512 t = _mm512_setzero_ps(), m = _mm512_set1_ps(-INFINITY);

    for (; i < n; i += 16) {
        __mmask16 on = n - i >= 16 ? 0xffff : (1 << (n - i)) - 1;
        __m512 a = CASE == 5 ? _mm512_loadu_ps(A + i) : _mm512_maskz_loadu_ps(on, A + i);

        t = _mm512_fmadd_ps(a, _mm512_maskz_loadu_ps(on, B + i), t);
        if (CASE == 3 && i == 16)
            t = _mm512_fmadd_ps(a, _mm512_loadu_ps(B + i), t);
        m = _mm512_mask_max_ps(m, CASE == 4 ? on & 0x7fff : on, m, a);
    }
    s = _mm512_reduce_add_ps(t);
    most = _mm512_reduce_max_ps(m);
#elif CASE == 2
    __m256 t = _mm256_setzero_ps(), m = _mm256_set1_ps(-INFINITY);
    __m128 h;

    for (; i + 8 <= n; i += 8) {
        __m256 a = _mm256_loadu_ps(A + i);

        t = _mm256_fmadd_ps(a, _mm256_loadu_ps(B + i), t);
        m = _mm256_max_ps(m, a);
    }
    h = _mm_add_ps(_mm256_castps256_ps128(t), _mm256_extractf128_ps(t, 1));
    h = _mm_hadd_ps(h, h);
    h = _mm_hadd_ps(h, h);
    s = _mm_cvtss_f32(h);
    h = _mm_max_ps(_mm256_castps256_ps128(m), _mm256_extractf128_ps(m, 1));
    h = _mm_max_ps(h, _mm_permute_ps(h, 0x4e));
    h = _mm_max_ps(h, _mm_permute_ps(h, 0xb1));
    most = _mm_cvtss_f32(h);
#else
    __m256 t = _mm256_setzero_ps(), m = _mm256_set1_ps(-INFINITY), h;

    for (; i + 8 <= n; i += 8) {
        __m256 a = _mm256_loadu_ps(A + i), b = _mm256_loadu_ps(B + i);

        if (CASE == 7)
            b = _mm256_permute_ps(b, 0xb1);
        t = _mm256_fmadd_ps(a, b, t);
        m = _mm256_blendv_ps(m, a, _mm256_cmp_ps(a, m, _CMP_GT_OQ));
    }
    h = _mm256_permute2f128_ps(t, t, 1);
    t = _mm256_add_ps(t, h);
    t = _mm256_add_ps(t, _mm256_permute_ps(t, 0x4e));
    t = _mm256_add_ps(t, _mm256_permute_ps(t, 0xb1));
    s = _mm256_cvtss_f32(t);
    m = _mm256_max_ps(m, _mm256_permute2f128_ps(m, m, 1));
    m = _mm256_max_ps(m, _mm256_permute_ps(m, 0x4e));
    m = _mm256_max_ps(m, _mm256_permute_ps(m, 0xb1));
    most = _mm256_cvtss_f32(m);
#endif
    for (; i < n; i++) {
        s += A[i] * B[i];
        most = fmaxf(most, A[i]);
    }
    C[0] = s;
    M[0] = most;
}
