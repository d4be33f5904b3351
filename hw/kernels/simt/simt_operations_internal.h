/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The functions of all operations and their table OPEVO_I_SIMT_TABLE, for the processor that the
 * including file is compiled for. Every loop is over all lanes, so that compilers make vectors of
 * it; lanes that do not run compute something that nobody reads. */

#include "simt_internal.h"
#include "simt_operations.def"

#include <math.h>
#include <string.h>

__extension__ typedef _Float16 opevo_i_simt_half;

/* NOLINTBEGIN(bugprone-macro-parentheses): types and names of functions */
#ifdef OPEVO_I_SIMT_ONE_LANE
#define LANES for (int i = 0; i < 1; i++)
#else
#define LANES for (int i = 0; i < OPEVO_I_SIMT_LANES; i++)
#endif
#define OPERATION(name)                                                                            \
    static void name(void *restrict to, const void *at_a, const void *at_b, const void *at_c,      \
                     int64_t number)
/* Operands that an operation does not use. */
#define UNUSED ((void)at_a, (void)at_b, (void)at_c, (void)number)

static const uint32_t lane_bit[OPEVO_I_SIMT_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

static inline uint64_t opevo_i_simt_reverse(uint64_t x)
{
    x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
    x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
    x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
    return __builtin_bswap64(x);
}

/* ---- Integers ---- */

/* An operation of one width on a, b and c of type T, with results of type R. */
#define MAP_3(function, T, R, value)                                                               \
    OPERATION(function)                                                                            \
    {                                                                                              \
        const T *p = at_a, *q = at_b, *r = at_c;                                                   \
        R *o = to;                                                                                 \
                                                                                                   \
        UNUSED;                                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            const T a = p[i], b = q[i], c = r[i];                                                  \
                                                                                                   \
            (void)c;                                                                               \
            o[i] = (R)(value);                                                                     \
        }                                                                                          \
    }
#define MAP_2(function, T, R, value)                                                               \
    OPERATION(function)                                                                            \
    {                                                                                              \
        const T *p = at_a, *q = at_b;                                                              \
        R *o = to;                                                                                 \
                                                                                                   \
        UNUSED;                                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            const T a = p[i], b = q[i];                                                            \
                                                                                                   \
            o[i] = (R)(value);                                                                     \
        }                                                                                          \
    }
#define MAP_1(function, T, R, value)                                                               \
    OPERATION(function)                                                                            \
    {                                                                                              \
        const T *p = at_a;                                                                         \
        R *o = to;                                                                                 \
                                                                                                   \
        UNUSED;                                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            const T a = p[i];                                                                      \
                                                                                                   \
            o[i] = (R)(value);                                                                     \
        }                                                                                          \
    }
/* A comparison, whose results are bits. */
#define TEST_2(function, T, value)                                                                 \
    OPERATION(function)                                                                            \
    {                                                                                              \
        const T *p = at_a, *q = at_b;                                                              \
        uint32_t bits = 0;                                                                         \
                                                                                                   \
        UNUSED;                                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            const T a = p[i], b = q[i];                                                            \
                                                                                                   \
            bits |= (value) ? lane_bit[i] : 0;                                                     \
        }                                                                                          \
        memcpy(to, &bits, sizeof bits);                                                            \
    }

#define U uint8_t
#define S int8_t
#define WIDTH(name) name##_8
#include "simt_operations_width.def"
#define U uint16_t
#define S int16_t
#define WIDTH(name) name##_16
#include "simt_operations_width.def"
#define U uint32_t
#define S int32_t
#define WIDTH(name) name##_32
#include "simt_operations_width.def"
#define U uint64_t
#define S int64_t
#define WIDTH(name) name##_64
#include "simt_operations_width.def"

/* The products of addresses are of 64 bits. */
OPERATION(op_OFFSET)
{
    const uint64_t *p = at_a;
    uint64_t *o = to;

    UNUSED;
    LANES o[i] = p[i] + (uint64_t)number;
}

#define BITS(name, value)                                                                          \
    OPERATION(op_##name)                                                                           \
    {                                                                                              \
        const uint32_t a = *(const uint32_t *)at_a, b = *(const uint32_t *)at_b;                   \
                                                                                                   \
        UNUSED;                                                                                    \
        (void)b;                                                                                   \
        *(uint32_t *)to = (value);                                                                 \
    }
OPEVO_I_SIMT_BITS_2(BITS)

OPERATION(op_BIT_CHOOSE)
{
    const uint32_t a = *(const uint32_t *)at_a;

    UNUSED;
    *(uint32_t *)to = (a & *(const uint32_t *)at_b) | (~a & *(const uint32_t *)at_c);
}

/* ---- Floats ---- */

#define FUNCTION(name, x) name##f(x)
#define FUNCTION_2(name, x, y) name##f(x, y)
#define F16_2(name, value) MAP_2_AS(op_##name##_F16, opevo_i_simt_half, float, value)
#define MAP_2_AS(function, T, F, value)                                                            \
    OPERATION(function)                                                                            \
    {                                                                                              \
        const T *p = at_a, *q = at_b;                                                              \
        T *o = to;                                                                                 \
                                                                                                   \
        UNUSED;                                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            const F a = (F)p[i], b = (F)q[i];                                                      \
                                                                                                   \
            (void)b;                                                                               \
            o[i] = (T)(value);                                                                     \
        }                                                                                          \
    }
#define F16_TEST(name, value)                                                                      \
    OPERATION(op_##name##_F16)                                                                     \
    {                                                                                              \
        const opevo_i_simt_half *p = at_a, *q = at_b;                                              \
        uint32_t bits = 0;                                                                         \
                                                                                                   \
        UNUSED;                                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            const float a = (float)p[i], b = (float)q[i];                                          \
                                                                                                   \
            bits |= (value) ? lane_bit[i] : 0;                                                     \
        }                                                                                          \
        memcpy(to, &bits, sizeof bits);                                                            \
    }
OPEVO_I_SIMT_FLOAT_2(F16_2)
OPEVO_I_SIMT_FLOAT_1(F16_2)
OPEVO_I_SIMT_FLOAT_COMPARE(F16_TEST)
#define F32_2(name, value) MAP_2_AS(op_##name##_F32, float, float, value)
#define F32_TEST(name, value) TEST_2(op_##name##_F32, float, value)
OPEVO_I_SIMT_FLOAT_2(F32_2)
OPEVO_I_SIMT_FLOAT_1(F32_2)
OPEVO_I_SIMT_FUNCTION_1(F32_2)
OPEVO_I_SIMT_FUNCTION_2(F32_2)
OPEVO_I_SIMT_FLOAT_COMPARE(F32_TEST)
MAP_3(op_FMA_F32, float, float, fmaf(a, b, c))
#undef FUNCTION
#undef FUNCTION_2
#define FUNCTION(name, x) name(x)
#define FUNCTION_2(name, x, y) name(x, y)
#define F64_2(name, value) MAP_2_AS(op_##name##_F64, double, double, value)
#define F64_TEST(name, value) TEST_2(op_##name##_F64, double, value)
OPEVO_I_SIMT_FLOAT_2(F64_2)
OPEVO_I_SIMT_FLOAT_1(F64_2)
OPEVO_I_SIMT_FUNCTION_1(F64_2)
OPEVO_I_SIMT_FUNCTION_2(F64_2)
OPEVO_I_SIMT_FLOAT_COMPARE(F64_TEST)
MAP_3(op_FMA_F64, double, double, fma(a, b, c))

/* Signs are bits: these also change NaNs. */
#define SIGNS(bits)                                                                                \
    MAP_1(op_FNEG_F##bits, uint##bits##_t, uint##bits##_t, a ^ UINT64_C(1) << (bits - 1))          \
    MAP_1(op_FABS_F##bits, uint##bits##_t, uint##bits##_t, a & ~(UINT64_C(1) << (bits - 1)))       \
    MAP_2(op_COPYSIGN_F##bits, uint##bits##_t, uint##bits##_t,                                     \
          (a & ~(UINT64_C(1) << (bits - 1))) | (b & UINT64_C(1) << (bits - 1)))
SIGNS(16)
SIGNS(32)
SIGNS(64)

#define FLUSH(bits, exponent)                                                                      \
    MAP_1(op_FLUSH_F##bits, uint##bits##_t, uint##bits##_t,                                        \
          a &(exponent) ? a : a &UINT64_C(1) << (bits - 1))
FLUSH(16, 0x7c00)
FLUSH(32, 0x7f800000)
FLUSH(64, UINT64_C(0x7ff0000000000000))

#define EXTEND(name, T, R) MAP_1(op_##name, T, R, a)
OPEVO_I_SIMT_EXTEND(EXTEND)
OPEVO_I_SIMT_TO_FLOAT(EXTEND)

/* Lanes without a result: what x86 gives. */
#define TO_INTEGER(name, T, R, low, high)                                                          \
    OPERATION(op_##name)                                                                           \
    {                                                                                              \
        const T *p = at_a;                                                                         \
        R *o = to;                                                                                 \
                                                                                                   \
        UNUSED;                                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            const double a = (double)p[i];                                                         \
                                                                                                   \
            o[i] = a > (low) && a < (high) ? (R)a : (R)(UINT64_C(1) << (8 * sizeof(R) - 1));       \
        }                                                                                          \
    }
OPEVO_I_SIMT_TO_INTEGER(TO_INTEGER)

/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- The table ---- */

#define ENTRY_4(name, ...) op_##name##_8, op_##name##_16, op_##name##_32, op_##name##_64,
#define ENTRY_3(name, ...) op_##name##_F16, op_##name##_F32, op_##name##_F64,
#define ENTRY_2(name, ...) op_##name##_F32, op_##name##_F64,
#define ENTRY_1(name, ...) op_##name,

opevo_i_simt_operation *const OPEVO_I_SIMT_TABLE[OPEVO_I_SIMT_OPERATION_COUNT] = {
    OPEVO_I_SIMT_ALL(ENTRY_4, ENTRY_3, ENTRY_2, ENTRY_1)};
