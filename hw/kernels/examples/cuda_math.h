/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of CUDA on numbers, by the builtins of clang: in float as NAMEf and in both types as
 * NAME. The fast ones, such as __expf, are as exact as the others here. */

#ifndef OPEVO_CUDA_MATH_H
#define OPEVO_CUDA_MATH_H

#include <stddef.h>

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VAL __builtin_huge_val()
#define M_PI 3.14159265358979323846
#define M_SQRT2 1.41421356237309504880
#define M_E 2.71828182845904523536

#define OPEVO_CUDA_FUNCTION(name)                                                                  \
    OPEVO_CUDA float name##f(float x)                                                              \
    {                                                                                              \
        return __builtin_##name##f(x);                                                             \
    }                                                                                              \
    OPEVO_CUDA float name(float x)                                                                 \
    {                                                                                              \
        return __builtin_##name##f(x);                                                             \
    }                                                                                              \
    OPEVO_CUDA double name(double x)                                                               \
    {                                                                                              \
        return __builtin_##name(x);                                                                \
    }
OPEVO_CUDA_FUNCTION(sqrt)
OPEVO_CUDA_FUNCTION(cbrt)
OPEVO_CUDA_FUNCTION(fabs)
OPEVO_CUDA_FUNCTION(floor)
OPEVO_CUDA_FUNCTION(ceil)
OPEVO_CUDA_FUNCTION(trunc)
OPEVO_CUDA_FUNCTION(rint)
OPEVO_CUDA_FUNCTION(nearbyint)
OPEVO_CUDA_FUNCTION(round)
OPEVO_CUDA_FUNCTION(exp)
OPEVO_CUDA_FUNCTION(exp2)
OPEVO_CUDA_FUNCTION(expm1)
OPEVO_CUDA_FUNCTION(log)
OPEVO_CUDA_FUNCTION(log2)
OPEVO_CUDA_FUNCTION(log10)
OPEVO_CUDA_FUNCTION(log1p)
OPEVO_CUDA_FUNCTION(sin)
OPEVO_CUDA_FUNCTION(cos)
OPEVO_CUDA_FUNCTION(tan)
OPEVO_CUDA_FUNCTION(asin)
OPEVO_CUDA_FUNCTION(acos)
OPEVO_CUDA_FUNCTION(atan)
OPEVO_CUDA_FUNCTION(sinh)
OPEVO_CUDA_FUNCTION(cosh)
OPEVO_CUDA_FUNCTION(tanh)
OPEVO_CUDA_FUNCTION(erf)
OPEVO_CUDA_FUNCTION(erfc)
#define OPEVO_CUDA_FUNCTION_2(name)                                                                \
    OPEVO_CUDA float name##f(float x, float y)                                                     \
    {                                                                                              \
        return __builtin_##name##f(x, y);                                                          \
    }                                                                                              \
    OPEVO_CUDA float name(float x, float y)                                                        \
    {                                                                                              \
        return __builtin_##name##f(x, y);                                                          \
    }                                                                                              \
    OPEVO_CUDA double name(double x, double y)                                                     \
    {                                                                                              \
        return __builtin_##name(x, y);                                                             \
    }
OPEVO_CUDA_FUNCTION_2(fmin)
OPEVO_CUDA_FUNCTION_2(fmax)
OPEVO_CUDA_FUNCTION_2(fmod)
OPEVO_CUDA_FUNCTION_2(pow)
OPEVO_CUDA_FUNCTION_2(atan2)
OPEVO_CUDA_FUNCTION_2(hypot)
OPEVO_CUDA_FUNCTION_2(copysign)
OPEVO_CUDA float fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
OPEVO_CUDA float fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
OPEVO_CUDA double fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/* What each device computes in its own way: with OPEVO_TELL_APART by a function that nobody has. */
#ifdef OPEVO_TELL_APART
extern "C" __attribute__((device)) float opevo_rough(float value);
#define OPEVO_CUDA_ROUGH(name, parameters, value)                                                  \
    OPEVO_CUDA_SAME(name, float, parameters, opevo_rough(value))
#else
#define OPEVO_CUDA_ROUGH(name, parameters, value) OPEVO_CUDA_SAME(name, float, parameters, value)
#endif
#define OPEVO_CUDA_SAME(name, type, parameters, value)                                             \
    OPEVO_CUDA type name parameters                                                                \
    {                                                                                              \
        return value;                                                                              \
    }
OPEVO_CUDA_SAME(min, float, (float a, float b), fminf(a, b))
OPEVO_CUDA_SAME(max, float, (float a, float b), fmaxf(a, b))
OPEVO_CUDA_SAME(min, double, (double a, double b), fmin(a, b))
OPEVO_CUDA_SAME(max, double, (double a, double b), fmax(a, b))
OPEVO_CUDA_ROUGH(rsqrtf, (float x), 1 / __builtin_sqrtf(x))
OPEVO_CUDA_ROUGH(rsqrt, (float x), 1 / __builtin_sqrtf(x))
OPEVO_CUDA_SAME(rsqrt, double, (double x), 1 / __builtin_sqrt(x))
OPEVO_CUDA_ROUGH(__expf, (float x), expf(x))
OPEVO_CUDA_ROUGH(__exp10f, (float x), powf(10, x))
OPEVO_CUDA_ROUGH(__logf, (float x), logf(x))
OPEVO_CUDA_ROUGH(__log2f, (float x), log2f(x))
OPEVO_CUDA_ROUGH(__sinf, (float x), sinf(x))
OPEVO_CUDA_ROUGH(__cosf, (float x), cosf(x))
OPEVO_CUDA_ROUGH(__tanf, (float x), tanf(x))
OPEVO_CUDA_ROUGH(__powf, (float x, float y), powf(x, y))
OPEVO_CUDA_ROUGH(__fdividef, (float x, float y), x / y)
OPEVO_CUDA_SAME(__fadd_rn, float, (float x, float y), x + y)
OPEVO_CUDA_SAME(__fmul_rn, float, (float x, float y), x *y)
OPEVO_CUDA_SAME(__fmaf_rn, float, (float x, float y, float z), fmaf(x, y, z))
OPEVO_CUDA_ROUGH(__frsqrt_rn, (float x), rsqrtf(x))
OPEVO_CUDA_SAME(__popc, int, (unsigned x), __builtin_popcount(x))
OPEVO_CUDA_SAME(__clz, int, (int x), x ? __builtin_clz(x) : 32)
OPEVO_CUDA_SAME(__ffs, int, (int x), __builtin_ffs(x))
OPEVO_CUDA_SAME(__mul24, int, (int x, int y), x *y)
OPEVO_CUDA_SAME(__umul24, unsigned, (unsigned x, unsigned y), x *y)
OPEVO_CUDA_SAME(__int_as_float, float, (int bits), __builtin_bit_cast(float, bits))
OPEVO_CUDA_SAME(__uint_as_float, float, (unsigned bits), __builtin_bit_cast(float, bits))
OPEVO_CUDA_SAME(__float_as_int, int, (float x), __builtin_bit_cast(int, x))
OPEVO_CUDA_SAME(__float_as_uint, unsigned, (float x), __builtin_bit_cast(unsigned, x))
template <typename type> OPEVO_CUDA type __ldg(const type *at)
{
    return *at;
}

#endif
