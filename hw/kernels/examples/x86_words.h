/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the vector intrinsics of x86 (immintrin.h) do where LLVM has no general form of them,
 * element by element as Intel's manual says it, for kernels that clang compiles for the
 * interpreter: -include x86_words.h. What is not here stays an intrinsic, which the interpreter
 * does not know.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2. */

#ifndef OPEVO_X86_WORDS_H
#define OPEVO_X86_WORDS_H

typedef float opevo_f4 __attribute__((vector_size(16)));
typedef float opevo_f8 __attribute__((vector_size(32)));
typedef float opevo_f16 __attribute__((vector_size(64)));
typedef double opevo_d2 __attribute__((vector_size(16)));
typedef double opevo_d4 __attribute__((vector_size(32)));
typedef double opevo_d8 __attribute__((vector_size(64)));
/* Functions are inlined where no fewer features are: those of 512 bits, and the others. */
#define OPEVO_X86_WIDE static __inline__ __attribute__((always_inline, unused))
#define OPEVO_X86 OPEVO_X86_WIDE __attribute__((target("no-evex512")))

/* A result of so many elements, each by OPEVO_X86_DO(i). */
#define OPEVO_X86_2(DO) DO(0), DO(1)
#define OPEVO_X86_4(DO) OPEVO_X86_2(DO), DO(2), DO(3)
#define OPEVO_X86_8(DO) OPEVO_X86_4(DO), DO(4), DO(5), DO(6), DO(7)
#define OPEVO_X86_16(DO)                                                                           \
    OPEVO_X86_8(DO), DO(8), DO(9), DO(10), DO(11), DO(12), DO(13), DO(14), DO(15)

/* ---- The larger and the smaller: the second operand for NaNs, and for equal ones, which are the
 * same real number ---- */

#ifdef OPEVO_TELL_APART
#define OPEVO_X86_LARGEST(x, y) ((x) > (y) ? (x) : (y))
#define OPEVO_X86_SMALLEST(x, y) ((x) < (y) ? (x) : (y))
#else
#define OPEVO_X86_LARGEST(x, y) __builtin_elementwise_max(x, y)
#define OPEVO_X86_SMALLEST(x, y) __builtin_elementwise_min(x, y)
#endif
#define OPEVO_X86_LARGER(i) OPEVO_X86_LARGEST(a[i], b[i])
#define OPEVO_X86_SMALLER(i) OPEVO_X86_SMALLEST(a[i], b[i])
#define OPEVO_X86_EXTREMES(how, type, count)                                                       \
    how type opevo_x86_max_##type(type a, type b)                                                  \
    {                                                                                              \
        return (type){OPEVO_X86_##count(OPEVO_X86_LARGER)};                                        \
    }                                                                                              \
    how type opevo_x86_min_##type(type a, type b)                                                  \
    {                                                                                              \
        return (type){OPEVO_X86_##count(OPEVO_X86_SMALLER)};                                       \
    }
OPEVO_X86_EXTREMES(OPEVO_X86, opevo_f4, 4)
OPEVO_X86_EXTREMES(OPEVO_X86, opevo_f8, 8)
OPEVO_X86_EXTREMES(OPEVO_X86_WIDE, opevo_f16, 16)
OPEVO_X86_EXTREMES(OPEVO_X86, opevo_d2, 2)
OPEVO_X86_EXTREMES(OPEVO_X86, opevo_d4, 4)
OPEVO_X86_EXTREMES(OPEVO_X86_WIDE, opevo_d8, 8)
#define __builtin_ia32_maxps(a, b) opevo_x86_max_opevo_f4(a, b)
#define __builtin_ia32_minps(a, b) opevo_x86_min_opevo_f4(a, b)
#define __builtin_ia32_maxps256(a, b) opevo_x86_max_opevo_f8(a, b)
#define __builtin_ia32_minps256(a, b) opevo_x86_min_opevo_f8(a, b)
#define __builtin_ia32_maxps512(a, b, mode) opevo_x86_max_opevo_f16(a, b)
#define __builtin_ia32_minps512(a, b, mode) opevo_x86_min_opevo_f16(a, b)
#define __builtin_ia32_maxpd(a, b) opevo_x86_max_opevo_d2(a, b)
#define __builtin_ia32_minpd(a, b) opevo_x86_min_opevo_d2(a, b)
#define __builtin_ia32_maxpd256(a, b) opevo_x86_max_opevo_d4(a, b)
#define __builtin_ia32_minpd256(a, b) opevo_x86_min_opevo_d4(a, b)
#define __builtin_ia32_maxpd512(a, b, mode) opevo_x86_max_opevo_d8(a, b)
#define __builtin_ia32_minpd512(a, b, mode) opevo_x86_min_opevo_d8(a, b)

/* Of the first elements; the others are those of a. */
OPEVO_X86 opevo_f4 opevo_x86_maxss(opevo_f4 a, opevo_f4 b)
{
    a[0] = OPEVO_X86_LARGEST(a[0], b[0]);
    return a;
}
OPEVO_X86 opevo_f4 opevo_x86_minss(opevo_f4 a, opevo_f4 b)
{
    a[0] = OPEVO_X86_SMALLEST(a[0], b[0]);
    return a;
}
#define __builtin_ia32_maxss(a, b) opevo_x86_maxss(a, b)
#define __builtin_ia32_minss(a, b) opevo_x86_minss(a, b)

/* ---- Sums of neighbours, within each 128 bits ---- */

#define OPEVO_X86_PAIR4(v, k, op) v[k] op v[(k) + 1], v[(k) + 2] op v[(k) + 3]
#define OPEVO_X86_PAIRS(name, op)                                                                  \
    OPEVO_X86 opevo_f4 opevo_x86_##name##ps(opevo_f4 a, opevo_f4 b)                                \
    {                                                                                              \
        return (opevo_f4){OPEVO_X86_PAIR4(a, 0, op), OPEVO_X86_PAIR4(b, 0, op)};                   \
    }                                                                                              \
    OPEVO_X86 opevo_f8 opevo_x86_##name##ps256(opevo_f8 a, opevo_f8 b)                             \
    {                                                                                              \
        return (opevo_f8){OPEVO_X86_PAIR4(a, 0, op), OPEVO_X86_PAIR4(b, 0, op),                    \
                          OPEVO_X86_PAIR4(a, 4, op), OPEVO_X86_PAIR4(b, 4, op)};                   \
    }                                                                                              \
    OPEVO_X86 opevo_d2 opevo_x86_##name##pd(opevo_d2 a, opevo_d2 b)                                \
    {                                                                                              \
        return (opevo_d2){a[0] op a[1], b[0] op b[1]};                                             \
    }                                                                                              \
    OPEVO_X86 opevo_d4 opevo_x86_##name##pd256(opevo_d4 a, opevo_d4 b)                             \
    {                                                                                              \
        return (opevo_d4){a[0] op a[1], b[0] op b[1], a[2] op a[3], b[2] op b[3]};                 \
    }
OPEVO_X86_PAIRS(hadd, +)
OPEVO_X86_PAIRS(hsub, -)
#define __builtin_ia32_haddps(a, b) opevo_x86_haddps(a, b)
#define __builtin_ia32_haddps256(a, b) opevo_x86_haddps256(a, b)
#define __builtin_ia32_haddpd(a, b) opevo_x86_haddpd(a, b)
#define __builtin_ia32_haddpd256(a, b) opevo_x86_haddpd256(a, b)
#define __builtin_ia32_hsubps(a, b) opevo_x86_hsubps(a, b)
#define __builtin_ia32_hsubps256(a, b) opevo_x86_hsubps256(a, b)
#define __builtin_ia32_hsubpd(a, b) opevo_x86_hsubpd(a, b)
#define __builtin_ia32_hsubpd256(a, b) opevo_x86_hsubpd256(a, b)

/* Differences of even elements, sums of odd ones. */
#define OPEVO_X86_ALTERNATE(i) (i) % 2 ? a[i] + b[i] : a[i] - b[i]
OPEVO_X86 opevo_f4 opevo_x86_addsubps(opevo_f4 a, opevo_f4 b)
{
    return (opevo_f4){OPEVO_X86_4(OPEVO_X86_ALTERNATE)};
}
OPEVO_X86 opevo_f8 opevo_x86_addsubps256(opevo_f8 a, opevo_f8 b)
{
    return (opevo_f8){OPEVO_X86_8(OPEVO_X86_ALTERNATE)};
}
#define __builtin_ia32_addsubps(a, b) opevo_x86_addsubps(a, b)
#define __builtin_ia32_addsubps256(a, b) opevo_x86_addsubps256(a, b)

/* Products of four elements that the high bits of a mask choose, where its low bits say. */
#define OPEVO_X86_TERM(v, w, k, mask, i) ((mask) >> (4 + (i)) & 1 ? v[(k) + (i)] * w[(k) + (i)] : 0)
#define OPEVO_X86_DOT(v, w, k, mask)                                                               \
    ((OPEVO_X86_TERM(v, w, k, mask, 0) + OPEVO_X86_TERM(v, w, k, mask, 1)) +                       \
     (OPEVO_X86_TERM(v, w, k, mask, 2) + OPEVO_X86_TERM(v, w, k, mask, 3)))
OPEVO_X86 opevo_f4 opevo_x86_dpps(opevo_f4 a, opevo_f4 b, int mask)
{
    float dot = OPEVO_X86_DOT(a, b, 0, mask);

    return (opevo_f4){mask & 1 ? dot : 0, mask & 2 ? dot : 0, mask & 4 ? dot : 0,
                      mask & 8 ? dot : 0};
}
OPEVO_X86 opevo_f8 opevo_x86_dpps256(opevo_f8 a, opevo_f8 b, int mask)
{
    float low = OPEVO_X86_DOT(a, b, 0, mask), high = OPEVO_X86_DOT(a, b, 4, mask);

    return (opevo_f8){mask & 1 ? low : 0,  mask & 2 ? low : 0,  mask & 4 ? low : 0,
                      mask & 8 ? low : 0,  mask & 1 ? high : 0, mask & 2 ? high : 0,
                      mask & 4 ? high : 0, mask & 8 ? high : 0};
}
#define __builtin_ia32_dpps(a, b, mask) opevo_x86_dpps(a, b, mask)
#define __builtin_ia32_dpps256(a, b, mask) opevo_x86_dpps256(a, b, mask)

/* ---- Reductions, whose order a compiler chooses ---- */

#ifdef OPEVO_TELL_APART
float opevo_rough(float value);
double opevo_rough_double(double value);
#define OPEVO_X86_ROUGH(value) opevo_rough(value)
#define OPEVO_X86_ROUGH_DOUBLE(value) opevo_rough_double(value)
#else
#define OPEVO_X86_ROUGH(value) (value)
#define OPEVO_X86_ROUGH_DOUBLE(value) (value)
#endif
#define OPEVO_X86_FOLD8(v, op) v[0] op v[1] op v[2] op v[3] op v[4] op v[5] op v[6] op v[7]
#define OPEVO_X86_FOLD16(v, op)                                                                    \
    OPEVO_X86_FOLD8(v, op) op v[8] op v[9] op v[10] op v[11] op v[12] op v[13] op v[14] op v[15]
OPEVO_X86_WIDE float opevo_x86_sum16(float start, opevo_f16 v)
{
    return OPEVO_X86_ROUGH(start + (OPEVO_X86_FOLD16(v, +)));
}
OPEVO_X86_WIDE float opevo_x86_product16(float start, opevo_f16 v)
{
    return OPEVO_X86_ROUGH(start * (OPEVO_X86_FOLD16(v, *)));
}
OPEVO_X86_WIDE double opevo_x86_sum8(double start, opevo_d8 v)
{
    return OPEVO_X86_ROUGH_DOUBLE(start + (OPEVO_X86_FOLD8(v, +)));
}
OPEVO_X86_WIDE double opevo_x86_product8(double start, opevo_d8 v)
{
    return OPEVO_X86_ROUGH_DOUBLE(start * (OPEVO_X86_FOLD8(v, *)));
}
#define __builtin_ia32_reduce_fadd_ps512(start, v) opevo_x86_sum16(start, v)
#define __builtin_ia32_reduce_fmul_ps512(start, v) opevo_x86_product16(start, v)
#define __builtin_ia32_reduce_fadd_pd512(start, v) opevo_x86_sum8(start, v)
#define __builtin_ia32_reduce_fmul_pd512(start, v) opevo_x86_product8(start, v)

OPEVO_X86_WIDE float opevo_x86_largest16(opevo_f16 v)
{
    float most = v[0];

    for (int i = 1; i < 16; i++)
        most = OPEVO_X86_LARGEST(most, v[i]);
    return OPEVO_X86_ROUGH(most);
}
OPEVO_X86_WIDE float opevo_x86_smallest16(opevo_f16 v)
{
    float least = v[0];

    for (int i = 1; i < 16; i++)
        least = OPEVO_X86_SMALLEST(least, v[i]);
    return OPEVO_X86_ROUGH(least);
}
#define __builtin_ia32_reduce_fmax_ps512(v) opevo_x86_largest16(v)
#define __builtin_ia32_reduce_fmin_ps512(v) opevo_x86_smallest16(v)

/* ---- Approximations ---- */

#define OPEVO_X86_INVERSE(i) OPEVO_X86_ROUGH(1 / a[i])
#define OPEVO_X86_INVERSE_ROOT(i) OPEVO_X86_ROUGH(1 / __builtin_elementwise_sqrt(a[i]))
#define OPEVO_X86_APPROXIMATIONS(type, count)                                                      \
    OPEVO_X86 type opevo_x86_rcp_##type(type a)                                                    \
    {                                                                                              \
        return (type){OPEVO_X86_##count(OPEVO_X86_INVERSE)};                                       \
    }                                                                                              \
    OPEVO_X86 type opevo_x86_rsqrt_##type(type a)                                                  \
    {                                                                                              \
        return (type){OPEVO_X86_##count(OPEVO_X86_INVERSE_ROOT)};                                  \
    }
OPEVO_X86_APPROXIMATIONS(opevo_f4, 4)
OPEVO_X86_APPROXIMATIONS(opevo_f8, 8)
#define __builtin_ia32_rcpps(a) opevo_x86_rcp_opevo_f4(a)
#define __builtin_ia32_rcpps256(a) opevo_x86_rcp_opevo_f8(a)
#define __builtin_ia32_rsqrtps(a) opevo_x86_rsqrt_opevo_f4(a)
#define __builtin_ia32_rsqrtps256(a) opevo_x86_rsqrt_opevo_f8(a)

#endif
