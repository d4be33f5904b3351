/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operations of registers: one row for each, with its value. For integers, a and b are of the
 * unsigned type U, and S is the signed type; for floats all are of type F. Each row makes one
 * operation for each width, in ascending order. */

#ifndef OPEVO_SIMT_OPERATIONS_LIST_INTERNAL_H
#define OPEVO_SIMT_OPERATIONS_LIST_INTERNAL_H

/* 8, 16, 32 and 64 bits. The factor 1u keeps products of short types from being signed. A quotient
 * that does not exist is 0 here, where it is of a lane that does not run. */
#define OPEVO_I_SIMT_INTEGER_2(X)                                                                  \
    X(ADD, a + b)                                                                                  \
    X(SUB, a - b)                                                                                  \
    X(MUL, 1u * a * b)                                                                             \
    X(AND, a &b)                                                                                   \
    X(OR, a | b)                                                                                   \
    X(XOR, a ^ b)                                                                                  \
    X(SHL, 1u * a << (b & (8 * sizeof(U) - 1)))                                                    \
    X(LSHR, a >> (b & (8 * sizeof(U) - 1)))                                                        \
    X(ASHR, (S)a >> (b & (8 * sizeof(U) - 1)))                                                     \
    X(UMIN, a < b ? a : b)                                                                         \
    X(UMAX, a > b ? a : b)                                                                         \
    X(SMIN, (S)a < (S)b ? a : b)                                                                   \
    X(SMAX, (S)a > (S)b ? a : b)                                                                   \
    X(UDIV, b ? a / b : 0)                                                                         \
    X(UREM, b ? a % b : 0)                                                                         \
    X(SDIV, b == 0 ? 0 : b == (U)-1 ? (U)(0u - a) : (U)((S)a / (S)b))                              \
    X(SREM, b == 0 || b == (U)-1 ? 0 : (U)((S)a % (S)b))

#define OPEVO_I_SIMT_INTEGER_1(X)                                                                  \
    X(ABS, (S)a < 0 ? 0u - a : a)                                                                  \
    X(CTPOP, __builtin_popcountll(a))                                                              \
    X(CTLZ, a ? __builtin_clzll(a) - (64 - 8 * (int)sizeof(U)) : 8 * (int)sizeof(U))               \
    X(CTTZ, a ? __builtin_ctzll(a) : 8 * (int)sizeof(U))                                           \
    X(BITREVERSE, opevo_i_simt_reverse(a) >> (64 - 8 * sizeof(U)))                                 \
    X(BSWAP, __builtin_bswap64(a) >> (64 - 8 * sizeof(U)))                                         \
    X(MOVE, a)

/* Of a, b and c; the masks keep a distance of 0 from shifting by the whole width. */
#define OPEVO_I_SIMT_INTEGER_3(X)                                                                  \
    X(FSHL, (c & (8 * sizeof(U) - 1)) ? 1u * a << (c & (8 * sizeof(U) - 1)) |                      \
                                            b >> (8 * sizeof(U) - (c & (8 * sizeof(U) - 1)))       \
                                      : a)                                                         \
    X(FSHR, (c & (8 * sizeof(U) - 1)) ? 1u * a << (8 * sizeof(U) - (c & (8 * sizeof(U) - 1))) |    \
                                            b >> (c & (8 * sizeof(U) - 1))                         \
                                      : b)

#define OPEVO_I_SIMT_INTEGER_COMPARE(X)                                                            \
    X(EQ, a == b)                                                                                  \
    X(NE, a != b)                                                                                  \
    X(ULT, a < b)                                                                                  \
    X(ULE, a <= b)                                                                                 \
    X(SLT, (S)a < (S)b)                                                                            \
    X(SLE, (S)a <= (S)b)

/* 16, 32 and 64 bits; FUNCTION(name, x) is the C library's for the type. 16 bits are computed in
 * 32, which rounds the four basic operations and the square root correctly. */
#define OPEVO_I_SIMT_FLOAT_2(X)                                                                    \
    X(FADD, a + b)                                                                                 \
    X(FSUB, a - b)                                                                                 \
    X(FMUL, a *b)                                                                                  \
    X(FDIV, a / b)                                                                                 \
    X(MINNUM, b != b || a < b ? a : b)                                                             \
    X(MAXNUM, b != b || a > b ? a : b)                                                             \
    X(MINIMUM, a != a || (a < b || (a == b && signbit(a))) ? a : b)                                \
    X(MAXIMUM, a != a || (a > b || (a == b && !signbit(a))) ? a : b)

#define OPEVO_I_SIMT_FLOAT_1(X)                                                                    \
    X(SQRT, FUNCTION(sqrt, a))                                                                     \
    X(RECIPROCAL, 1 / a)                                                                           \
    X(FLOOR, FUNCTION(floor, a))                                                                   \
    X(CEIL, FUNCTION(ceil, a))                                                                     \
    X(TRUNC, FUNCTION(trunc, a))                                                                   \
    X(RINT, FUNCTION(rint, a))                                                                     \
    X(ROUND, FUNCTION(round, a))

#define OPEVO_I_SIMT_FLOAT_COMPARE(X)                                                              \
    X(OEQ, a == b)                                                                                 \
    X(OLT, a < b)                                                                                  \
    X(OLE, a <= b)                                                                                 \
    X(ONE, a<b || a> b)                                                                            \
    X(ORD, a == a && b == b)                                                                       \
    X(UEQ, !(a < b || a > b))                                                                      \
    X(FULT, !(a >= b))                                                                             \
    X(FULE, !(a > b))                                                                              \
    X(UNE, a != b)                                                                                 \
    X(UNO, a != a || b != b)

/* 32 and 64 bits. */
#define OPEVO_I_SIMT_FUNCTION_1(X)                                                                 \
    X(RSQRT, 1 / FUNCTION(sqrt, a))                                                                \
    X(ROUNDEVEN, FUNCTION(rint, a))                                                                \
    X(EXP, FUNCTION(exp, a))                                                                       \
    X(EXP2, FUNCTION(exp2, a))                                                                     \
    X(LOG, FUNCTION(log, a))                                                                       \
    X(LOG2, FUNCTION(log2, a))                                                                     \
    X(LOG10, FUNCTION(log10, a))                                                                   \
    X(SIN, FUNCTION(sin, a))                                                                       \
    X(COS, FUNCTION(cos, a))                                                                       \
    X(TAN, FUNCTION(tan, a))                                                                       \
    X(TANH, FUNCTION(tanh, a))

#define OPEVO_I_SIMT_FUNCTION_2(X)                                                                 \
    X(FREM, FUNCTION_2(fmod, a, b))                                                                \
    X(POW, FUNCTION_2(pow, a, b))

/* Of i1: 32 at once. */
#define OPEVO_I_SIMT_BITS_2(X)                                                                     \
    X(BIT_AND, a &b)                                                                               \
    X(BIT_OR, a | b)                                                                               \
    X(BIT_XOR, a ^ b)                                                                              \
    X(BIT_EQ, ~(a ^ b))                                                                            \
    X(BIT_ULT, ~a &b)                                                                              \
    X(BIT_ULE, ~a | b)                                                                             \
    X(BIT_MOVE, a)

/* From U to V: the sign is extended or zeros are, or high bits are dropped. */
#define OPEVO_I_SIMT_EXTEND(X)                                                                     \
    X(ZEXT_8_16, uint8_t, uint16_t)                                                                \
    X(ZEXT_8_32, uint8_t, uint32_t)                                                                \
    X(ZEXT_8_64, uint8_t, uint64_t)                                                                \
    X(ZEXT_16_32, uint16_t, uint32_t)                                                              \
    X(ZEXT_16_64, uint16_t, uint64_t)                                                              \
    X(ZEXT_32_64, uint32_t, uint64_t)                                                              \
    X(SEXT_8_16, int8_t, int16_t)                                                                  \
    X(SEXT_8_32, int8_t, int32_t)                                                                  \
    X(SEXT_8_64, int8_t, int64_t)                                                                  \
    X(SEXT_16_32, int16_t, int32_t)                                                                \
    X(SEXT_16_64, int16_t, int64_t)                                                                \
    X(SEXT_32_64, int32_t, int64_t)                                                                \
    X(TRUNC_16_8, uint16_t, uint8_t)                                                               \
    X(TRUNC_32_8, uint32_t, uint8_t)                                                               \
    X(TRUNC_32_16, uint32_t, uint16_t)                                                             \
    X(TRUNC_64_8, uint64_t, uint8_t)                                                               \
    X(TRUNC_64_16, uint64_t, uint16_t)                                                             \
    X(TRUNC_64_32, uint64_t, uint32_t)                                                             \
    X(FPEXT_16_32, opevo_i_half, float)                                                            \
    X(FPEXT_16_64, opevo_i_half, double)                                                           \
    X(FPEXT_32_64, float, double)                                                                  \
    X(FPTRUNC_32_16, float, opevo_i_half)                                                          \
    X(FPTRUNC_64_16, double, opevo_i_half)                                                         \
    X(FPTRUNC_64_32, double, float)

/* Integers to floats, one for each pair of widths 8, 16, 32, 64 and 32, 64. */
#define OPEVO_I_SIMT_TO_FLOAT(X)                                                                   \
    X(SITOFP_8_32, int8_t, float)                                                                  \
    X(SITOFP_8_64, int8_t, double)                                                                 \
    X(SITOFP_16_32, int16_t, float)                                                                \
    X(SITOFP_16_64, int16_t, double)                                                               \
    X(SITOFP_32_32, int32_t, float)                                                                \
    X(SITOFP_32_64, int32_t, double)                                                               \
    X(SITOFP_64_32, int64_t, float)                                                                \
    X(SITOFP_64_64, int64_t, double)                                                               \
    X(UITOFP_8_32, uint8_t, float)                                                                 \
    X(UITOFP_8_64, uint8_t, double)                                                                \
    X(UITOFP_16_32, uint16_t, float)                                                               \
    X(UITOFP_16_64, uint16_t, double)                                                              \
    X(UITOFP_32_32, uint32_t, float)                                                               \
    X(UITOFP_32_64, uint32_t, double)                                                              \
    X(UITOFP_64_32, uint64_t, float)                                                               \
    X(UITOFP_64_64, uint64_t, double)

/* Floats to integers, one for each pair of widths 32, 64 and 8, 16, 32, 64: the open interval of
 * floats whose integral part the type holds. */
#define OPEVO_I_SIMT_TO_INTEGER(X)                                                                 \
    X(FPTOSI_32_8, float, int8_t, -129., 128.)                                                     \
    X(FPTOSI_32_16, float, int16_t, -32769., 32768.)                                               \
    X(FPTOSI_32_32, float, int32_t, -2147483649., 2147483648.)                                     \
    X(FPTOSI_32_64, float, int64_t, -0x1.0000000000001p63, 0x1p63)                                 \
    X(FPTOSI_64_8, double, int8_t, -129., 128.)                                                    \
    X(FPTOSI_64_16, double, int16_t, -32769., 32768.)                                              \
    X(FPTOSI_64_32, double, int32_t, -2147483649., 2147483648.)                                    \
    X(FPTOSI_64_64, double, int64_t, -0x1.0000000000001p63, 0x1p63)                                \
    X(FPTOUI_32_8, float, uint8_t, -1., 256.)                                                      \
    X(FPTOUI_32_16, float, uint16_t, -1., 65536.)                                                  \
    X(FPTOUI_32_32, float, uint32_t, -1., 4294967296.)                                             \
    X(FPTOUI_32_64, float, uint64_t, -1., 0x1p64)                                                  \
    X(FPTOUI_64_8, double, uint8_t, -1., 256.)                                                     \
    X(FPTOUI_64_16, double, uint16_t, -1., 65536.)                                                 \
    X(FPTOUI_64_32, double, uint32_t, -1., 4294967296.)                                            \
    X(FPTOUI_64_64, double, uint64_t, -1., 0x1p64)

/* Operations with a function written out. */
#define OPEVO_I_SIMT_WRITTEN_4(X)                                                                  \
    X(CHOOSE, "select")                                                                            \
    X(WIDEN, "i1 to 0 or 1")                                                                       \
    X(SPREAD, "i1 to 0 or -1")                                                                     \
    X(NARROW, "to i1")                                                                             \
    X(INDEX, "a + sext(b) * number")
#define OPEVO_I_SIMT_WRITTEN_3(X)                                                                  \
    X(FNEG, "sign inverted")                                                                       \
    X(FABS, "sign cleared")                                                                        \
    X(FLUSH, "0 with the sign of a, where a is denormal")                                          \
    X(COPYSIGN, "a with the sign of b")
#define OPEVO_I_SIMT_WRITTEN_2(X) X(FMA, "a b + c, rounded once")
#define OPEVO_I_SIMT_WRITTEN_1(X)                                                                  \
    X(OFFSET, "a + number")                                                                        \
    X(BIT_CHOOSE, "select of i1")

/* All lists, in the order of the table, with the number of widths. */
#define OPEVO_I_SIMT_ALL(E4, E3, E2, E1)                                                           \
    OPEVO_I_SIMT_INTEGER_2(E4)                                                                     \
    OPEVO_I_SIMT_INTEGER_1(E4)                                                                     \
    OPEVO_I_SIMT_INTEGER_3(E4)                                                                     \
    OPEVO_I_SIMT_INTEGER_COMPARE(E4)                                                               \
    OPEVO_I_SIMT_WRITTEN_4(E4)                                                                     \
    OPEVO_I_SIMT_FLOAT_2(E3)                                                                       \
    OPEVO_I_SIMT_FLOAT_1(E3)                                                                       \
    OPEVO_I_SIMT_FLOAT_COMPARE(E3)                                                                 \
    OPEVO_I_SIMT_WRITTEN_3(E3)                                                                     \
    OPEVO_I_SIMT_FUNCTION_1(E2)                                                                    \
    OPEVO_I_SIMT_FUNCTION_2(E2)                                                                    \
    OPEVO_I_SIMT_WRITTEN_2(E2)                                                                     \
    OPEVO_I_SIMT_WRITTEN_1(E1)                                                                     \
    OPEVO_I_SIMT_BITS_2(E1)                                                                        \
    OPEVO_I_SIMT_EXTEND(E1)                                                                        \
    OPEVO_I_SIMT_TO_FLOAT(E1)                                                                      \
    OPEVO_I_SIMT_TO_INTEGER(E1)

/* The number of an operation; widths follow one another. */
typedef enum opevo_i_simt_number {
#define OPEVO_I_SIMT_4(name, ...)                                                                  \
    OPEVO_I_SIMT_##name, OPEVO_I_SIMT_##name##_LAST = OPEVO_I_SIMT_##name + 3,
#define OPEVO_I_SIMT_3(name, ...)                                                                  \
    OPEVO_I_SIMT_##name, OPEVO_I_SIMT_##name##_LAST = OPEVO_I_SIMT_##name + 2,
#define OPEVO_I_SIMT_2(name, ...)                                                                  \
    OPEVO_I_SIMT_##name, OPEVO_I_SIMT_##name##_LAST = OPEVO_I_SIMT_##name + 1,
#define OPEVO_I_SIMT_1(name, ...) OPEVO_I_SIMT_##name,
    OPEVO_I_SIMT_ALL(OPEVO_I_SIMT_4, OPEVO_I_SIMT_3, OPEVO_I_SIMT_2, OPEVO_I_SIMT_1)
        OPEVO_I_SIMT_OPERATION_COUNT
#undef OPEVO_I_SIMT_4
#undef OPEVO_I_SIMT_3
#undef OPEVO_I_SIMT_2
#undef OPEVO_I_SIMT_1
} opevo_i_simt_number;

#endif
