// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:n]; C[i] = A[i]
//@ harness {"buffers": {"A": {"type": "f32", "count": "n", "fill": "zero"},
//@ harness  "C": {"type": "f32", "count": "n"}},
//@ harness  "steps": [{"call": "f", "arguments": ["A", "C", {"i64": "n"}]}],
//@ harness  "outputs": {"C": {"absolute": 0}}, "tune": {"sizes": {"n": 16}}}
//@ 0 proved
//@ 1 refuted
//@ 2 proved
//@ 3 undecided
//@ 4 proved
//@ 5 refuted not a multiple of 32
//@ 6 refuted
//@ 7 proved
//@ 8 proved
//@ 9 refuted C[1]
//@ 10 refuted C[0]

// Two floats at once: calls pass them as a double, and compilers load and store them so.
typedef float V2 __attribute__((vector_size(8), aligned(4)));
typedef float V8 __attribute__((vector_size(32), aligned(4)));

__attribute__((noinline)) V2 same(V2 x)
{
    return x;
}

__attribute__((noinline)) V2 turned(V2 x)
{
    return (V2){x[1], x[0]};
}

__attribute__((noinline)) V2 sum(V2 x, V2 y)
{
    return x + y;
}

void f(const float *A, float *C, long n)
{
#if CASE == 0
    for (long i = 0; i < n; i += 2)
        *(V2 *)&C[i] = same(*(const V2 *)&A[i]);
#elif CASE == 1
    for (long i = 0; i < n; i += 2)
        *(V2 *)&C[i] = turned(*(const V2 *)&A[i]);
#elif CASE == 2
    for (long i = 0; i < n; i += 2)
        *(V2 *)&C[i] = i == 2 ? turned((V2){A[3], A[2]}) : same(*(const V2 *)&A[i]);
#elif CASE == 3 // a number, for once
    for (long i = 0; i < n; i += 2)
        *(double *)&C[i] = *(const double *)&A[i] * 1.0000000001;
#elif CASE == 4 // past the caches
    for (long i = 0; i < n; i += 8)
        __asm__("vmovntps %1, %0" : "=m"(*(V8 *)&C[i]) : "x"(*(const V8 *)&A[i]));
    __asm__ volatile("sfence" : : : "memory");
#elif CASE == 5
    for (long i = 4; i + 8 <= n; i += 8)
        __asm__("vmovntps %1, %0" : "=m"(*(V8 *)&C[i]) : "x"(*(const V8 *)&A[i]));
#elif CASE == 6
    for (long i = 0; i < n; i += 8)
        __asm__("vmovntps %1, %0" : "=m"(*(V8 *)&C[i]) : "x"(*(const V8 *)&A[8 - i]));
#elif CASE >= 8 // two constants at once
    static const V2 constants[] = {{1, 2}, {1, 3}, {2, 2}};

    for (long i = 0; i < n; i += 2) {
        __builtin_prefetch(&A[i + 64]);
        *(V2 *)&C[i] = sum(constants[CASE - 8], *(const V2 *)&A[i]) - (V2){1, 2};
    }
#else
    for (long i = 0; i < n; i += 2)
        *(double *)&C[i] = *(const double *)&A[i];
#endif
}
