// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:n]; C[i] = exp(A[i])
//@ harness {"buffers": {"A": {"type": "f32", "count": "n", "fill": "zero"},
//@ harness  "C": {"type": "f32", "count": "n"}},
//@ harness  "steps": [{"call": "f", "arguments": ["A", "C", {"i64": "n"}]}],
//@ harness  "outputs": {"C": {"absolute": 0}}, "tune": {"sizes": {"n": 6}}}
//@ 0 proved
//@ 1 undecided bits that depend on data
//@ 2 undecided depend on data
//@ 3 proved
//@ 4 undecided run before kernels
//@ 5 undecided inline assembly
//@ 6 proved
//@ 7 refuted C[
//@ 8 proved
//@ 9 undecided an address for a number
//@ 10 undecided where in memory two variables are
//@ 11 proved
//@ 12 undecided assembly outside of functions
//@ 13 undecided in sections of their own
//@ 14 undecided chosen when it is loaded

// What a launch finds is not only its arguments, and names do not say what is meant by them.
#include <math.h>

static float added;
float factor = 1;
static float table[6];
static volatile float given = 1;

#if CASE == 4
__attribute__((constructor)) static void give(void)
{
    given = 2;
}
#elif CASE == 7
__attribute__((noinline)) float expf(float x)
{
    return x + 1;
}
#elif CASE == 8
__attribute__((noinline)) float tanhf(float x)
{
    return expf(x);
}
#elif CASE == 12 // the C library's function, or so it looks
__asm__(".globl expf\nexpf: ret");
#elif CASE == 13
static void change(void)
{
    volatile float *at = (volatile float *)(unsigned long)&given;

    *at = 2;
}
__attribute__((section(".init_array"), used)) static void (*const starts)(void) = change;
#elif CASE == 14
static float twice(float x)
{
    return 2 * x;
}
static float (*choose(void))(float)
{
    return twice;
}
float chosen(float x) __attribute__((ifunc("choose")));
#endif

void f(const float *A, float *C, long n)
{
#if CASE == 9 // of the buffers as they were put this time
    factor = (unsigned long)C >> 6 & 1 ? 2 : 1;
#elif CASE == 10
    factor = C < A ? 2 : 1;
#elif CASE == 11
    factor = (unsigned long)C & 15 ? 2 : 1;
#endif
    for (long i = 0; i < n; i++) {
#if CASE == 1 // right once
        C[i] = expf(A[i]) + added;
#elif CASE == 2
        C[i] = expf(A[i]) * factor;
#elif CASE == 3 // each launch writes what it reads
        table[i] = A[i];
        C[n - 1 - i] = i < n / 2 ? 0 : expf(table[n - 1 - i]);
        C[i] = expf(table[i]);
#elif CASE == 4
        C[i] = expf(A[i]) * given;
#elif CASE == 5 // in a register of its own, which holds what it held
        float x;
        __asm__("" : "=x"(x) : "x"(A[i]));
        C[i] = expf(x);
#elif CASE == 6
        float x = A[i];
        __asm__("" : "+x"(x));
        C[i] = expf(x);
#elif CASE == 8
        C[i] = tanhf(A[i]);
#elif CASE == 14
        C[i] = chosen(expf(A[i]));
#else
        C[i] = expf(A[i]) * factor;
#endif
    }
#if CASE == 1
    added = 1;
#elif CASE == 2
    factor = 3;
#endif
}
