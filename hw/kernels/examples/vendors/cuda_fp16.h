/* SPDX-License-Identifier: GPL-3.0-or-later */

/* In the place of the vendor's header: halves by clang's type, and pairs of them. Functions compute
 * in float or double and round once, but for sums that double does not hold. */

#ifndef OPEVO_CUDA_FP16_H
#define OPEVO_CUDA_FP16_H

typedef _Float16 __half;
typedef _Float16 half;

struct __align__(4) __half2
{
    __half x, y;
};
typedef __half2 half2;

#define OPEVO_CUDA_TO(name, from, to)                                                              \
    OPEVO_CUDA to name(from x)                                                                     \
    {                                                                                              \
        return (to)x;                                                                              \
    }
OPEVO_CUDA_TO(__half2float, __half, float)
OPEVO_CUDA_TO(__float2half, float, __half)
OPEVO_CUDA_TO(__float2half_rn, float, __half)
OPEVO_CUDA_TO(__double2half, double, __half)
OPEVO_CUDA_TO(__int2half_rn, int, __half)
OPEVO_CUDA_TO(__half2int_rz, __half, int)
OPEVO_CUDA_SAME(__half_as_ushort, unsigned short, (__half x), __builtin_bit_cast(unsigned short, x))
OPEVO_CUDA_SAME(__ushort_as_half, __half, (unsigned short x), __builtin_bit_cast(__half, x))

#define OPEVO_CUDA_HALF(name, parameters, value) OPEVO_CUDA_SAME(name, __half, parameters, value)
OPEVO_CUDA_HALF(__hadd, (__half a, __half b), a + b)
OPEVO_CUDA_HALF(__hsub, (__half a, __half b), a - b)
OPEVO_CUDA_HALF(__hmul, (__half a, __half b), a *b)
OPEVO_CUDA_HALF(__hdiv, (__half a, __half b), a / b)
OPEVO_CUDA_HALF(__hneg, (__half a), -a)
OPEVO_CUDA_HALF(__habs, (__half a), (__half)fabsf((float)a))
OPEVO_CUDA_HALF(__hfma, (__half a, __half b, __half c),
                (__half)__builtin_fma((double)a, (double)b, (double)c))
OPEVO_CUDA_HALF(__hmin, (__half a, __half b), (__half)fminf((float)a, (float)b))
OPEVO_CUDA_HALF(__hmax, (__half a, __half b), (__half)fmaxf((float)a, (float)b))
OPEVO_CUDA_HALF(hsqrt, (__half a), (__half)sqrtf((float)a))
OPEVO_CUDA_HALF(hrsqrt, (__half a), (__half)rsqrtf((float)a))
OPEVO_CUDA_HALF(hexp, (__half a), (__half)expf((float)a))
OPEVO_CUDA_HALF(hlog, (__half a), (__half)logf((float)a))
#define OPEVO_CUDA_ORDER(name, operator)                                                           \
    OPEVO_CUDA bool name(__half a, __half b)                                                       \
    {                                                                                              \
        return a operator b;                                                                       \
    }
OPEVO_CUDA_ORDER(__heq, ==)
OPEVO_CUDA_ORDER(__hne, !=)
OPEVO_CUDA_ORDER(__hlt, <)
OPEVO_CUDA_ORDER(__hle, <=)
OPEVO_CUDA_ORDER(__hgt, >)
OPEVO_CUDA_ORDER(__hge, >=)

/* ---- Pairs ---- */

#define OPEVO_CUDA_PAIR_OF(name, parameters, first, second)                                        \
    OPEVO_CUDA __half2 name parameters                                                             \
    {                                                                                              \
        return {first, second};                                                                    \
    }
OPEVO_CUDA_PAIR_OF(make_half2, (__half a, __half b), a, b)
OPEVO_CUDA_PAIR_OF(__halves2half2, (__half a, __half b), a, b)
OPEVO_CUDA_PAIR_OF(__half2half2, (__half a), a, a)
OPEVO_CUDA_PAIR_OF(__float2half2_rn, (float a), (__half)a, (__half)a)
OPEVO_CUDA_PAIR_OF(__floats2half2_rn, (float a, float b), (__half)a, (__half)b)
OPEVO_CUDA_PAIR_OF(__float22half2_rn, (float2 a), (__half)a.x, (__half)a.y)
OPEVO_CUDA_PAIR_OF(__hadd2, (__half2 a, __half2 b), a.x + b.x, a.y + b.y)
OPEVO_CUDA_PAIR_OF(__hsub2, (__half2 a, __half2 b), a.x - b.x, a.y - b.y)
OPEVO_CUDA_PAIR_OF(__hmul2, (__half2 a, __half2 b), a.x *b.x, a.y *b.y)
OPEVO_CUDA_PAIR_OF(__h2div, (__half2 a, __half2 b), a.x / b.x, a.y / b.y)
OPEVO_CUDA_PAIR_OF(__hneg2, (__half2 a), -a.x, -a.y)
OPEVO_CUDA_PAIR_OF(__hfma2, (__half2 a, __half2 b, __half2 c), __hfma(a.x, b.x, c.x),
                   __hfma(a.y, b.y, c.y))
OPEVO_CUDA_PAIR_OF(__hmin2, (__half2 a, __half2 b), __hmin(a.x, b.x), __hmin(a.y, b.y))
OPEVO_CUDA_PAIR_OF(__hmax2, (__half2 a, __half2 b), __hmax(a.x, b.x), __hmax(a.y, b.y))
OPEVO_CUDA_PAIR_OF(operator+, (__half2 a, __half2 b), a.x + b.x, a.y + b.y)
OPEVO_CUDA_PAIR_OF(operator-, (__half2 a, __half2 b), a.x - b.x, a.y - b.y)
OPEVO_CUDA_PAIR_OF(operator*, (__half2 a, __half2 b), a.x *b.x, a.y *b.y)
OPEVO_CUDA_PAIR_OF(operator/, (__half2 a, __half2 b), a.x / b.x, a.y / b.y)
OPEVO_CUDA_SAME(__low2half, __half, (__half2 a), a.x)
OPEVO_CUDA_SAME(__high2half, __half, (__half2 a), a.y)
OPEVO_CUDA_SAME(__low2float, float, (__half2 a), (float)a.x)
OPEVO_CUDA_SAME(__high2float, float, (__half2 a), (float)a.y)
OPEVO_CUDA float2 __half22float2(__half2 a)
{
    return {(float)a.x, (float)a.y};
}

#endif
