/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The words of CUDA that kernels use most, for clang without NVIDIA's headers: -x cuda -include
 * cuda_words.h -nocudainc -nocudalib. Functions of the C library are LLVM's intrinsics or calls,
 * which the interpreter and code for CPUs know; for most there is no PTX without NVIDIA's
 * libdevice. */

#ifndef OPEVO_CUDA_WORDS_H
#define OPEVO_CUDA_WORDS_H

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are CUDA's */
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* NOLINTEND(bugprone-reserved-identifier) */

struct uint3;
struct dim3 {
    unsigned x, y, z;
};

/* Without debug information: messages name the line of the call. */
#define OPEVO_CUDA static __device__ __forceinline__ __attribute__((nodebug))

/* Short vectors, those of two and four elements aligned to their size, at most 16 bytes. */
#define OPEVO_CUDA_VECTORS(name, type)                                                             \
    struct __align__(2 * sizeof(type)) name##2                                                     \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __align__(sizeof(type) > 4 ? 16 : 4 * sizeof(type)) name##4                             \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    OPEVO_CUDA name##2 make_##name##2(type x, type y)                                              \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    OPEVO_CUDA name##3 make_##name##3(type x, type y, type z)                                      \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    OPEVO_CUDA name##4 make_##name##4(type x, type y, type z, type w)                              \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
OPEVO_CUDA_VECTORS(char, signed char)
OPEVO_CUDA_VECTORS(uchar, unsigned char)
OPEVO_CUDA_VECTORS(short, short)
OPEVO_CUDA_VECTORS(ushort, unsigned short)
OPEVO_CUDA_VECTORS(int, int)
OPEVO_CUDA_VECTORS(uint, unsigned)
OPEVO_CUDA_VECTORS(float, float)
OPEVO_CUDA_VECTORS(double, double)

#include <__clang_cuda_builtin_vars.h>

/* ---- Atomics on global and shared memory; the old value ---- */

#define OPEVO_CUDA_ATOMIC(name, builtin, type)                                                     \
    OPEVO_CUDA type name(type *at, type value)                                                     \
    {                                                                                              \
        return builtin(at, value, __ATOMIC_RELAXED);                                               \
    }
#define OPEVO_CUDA_ATOMIC_OF(name, builtin, type)                                                  \
    OPEVO_CUDA type name(type *at, type value)                                                     \
    {                                                                                              \
        return builtin(at, value);                                                                 \
    }
#define OPEVO_CUDA_ATOMICS(type)                                                                   \
    OPEVO_CUDA_ATOMIC(atomicMin, __atomic_fetch_min, type)                                         \
    OPEVO_CUDA_ATOMIC(atomicMax, __atomic_fetch_max, type)                                         \
    OPEVO_CUDA_ATOMIC(atomicAnd, __atomic_fetch_and, type)                                         \
    OPEVO_CUDA_ATOMIC(atomicOr, __atomic_fetch_or, type)                                           \
    OPEVO_CUDA_ATOMIC(atomicXor, __atomic_fetch_xor, type)
OPEVO_CUDA_ATOMICS(int)
OPEVO_CUDA_ATOMICS(unsigned)
OPEVO_CUDA_ATOMICS(long long)
OPEVO_CUDA_ATOMICS(unsigned long long)
OPEVO_CUDA_ATOMIC(atomicSub, __atomic_fetch_sub, int)
OPEVO_CUDA_ATOMIC(atomicSub, __atomic_fetch_sub, unsigned)
#define OPEVO_CUDA_EXCHANGES(type)                                                                 \
    OPEVO_CUDA_ATOMIC(atomicAdd, __atomic_fetch_add, type)                                         \
    OPEVO_CUDA_ATOMIC(atomicExch, __atomic_exchange_n, type)                                       \
    OPEVO_CUDA type atomicCAS(type *at, type expected, type value)                                 \
    {                                                                                              \
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED,                 \
                                    __ATOMIC_RELAXED);                                             \
        return expected;                                                                           \
    }
OPEVO_CUDA_EXCHANGES(int)
OPEVO_CUDA_EXCHANGES(unsigned)
OPEVO_CUDA_EXCHANGES(unsigned long long)
OPEVO_CUDA_ATOMIC_OF(atomicAdd, __nvvm_atom_add_gen_f, float)
OPEVO_CUDA_ATOMIC_OF(atomicAdd, __nvvm_atom_add_gen_d, double)
/* Counters that begin again: `next` of the old value. */
#define OPEVO_CUDA_COUNTER(name, next)                                                             \
    OPEVO_CUDA unsigned name(unsigned *at, unsigned value)                                         \
    {                                                                                              \
        unsigned old = __atomic_load_n(at, __ATOMIC_RELAXED);                                      \
                                                                                                   \
        while (!__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_RELAXED,               \
                                            __ATOMIC_RELAXED)) {                                   \
        }                                                                                          \
        return old;                                                                                \
    }
OPEVO_CUDA_COUNTER(atomicInc, old >= value ? 0 : old + 1)
OPEVO_CUDA_COUNTER(atomicDec, !old || old > value ? value : old - 1)
OPEVO_CUDA float atomicExch(float *at, float value)
{
    return __builtin_bit_cast(float,
                              atomicExch((unsigned *)at, __builtin_bit_cast(unsigned, value)));
}

/* ---- Warps ---- */

/* What a lane gets from another one of its part of a warp; `limit` is that of PTX's shfl. */
#define OPEVO_CUDA_SHUFFLE(name, builtin, type, bits, limit)                                       \
    OPEVO_CUDA type name(unsigned mask, type value, int lane, int width = 32)                      \
    {                                                                                              \
        return __builtin_bit_cast(type, builtin(mask, __builtin_bit_cast(bits, value), lane,       \
                                                ((32 - width) << 8) | (limit)));                   \
    }
#define OPEVO_CUDA_SHUFFLES(type)                                                                  \
    OPEVO_CUDA_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, type, int, 31)                       \
    OPEVO_CUDA_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, type, int, 31)                 \
    OPEVO_CUDA_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, type, int, 0)                      \
    OPEVO_CUDA_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, type, int, 31)
OPEVO_CUDA_SHUFFLES(int)
OPEVO_CUDA_SHUFFLES(unsigned)
/* Not by their bits, which proofs know nothing of. */
#define OPEVO_CUDA_SHUFFLE_FLOAT(name, builtin, limit)                                             \
    OPEVO_CUDA float name(unsigned mask, float value, int lane, int width = 32)                    \
    {                                                                                              \
        return builtin(mask, value, lane, ((32 - width) << 8) | (limit));                          \
    }
OPEVO_CUDA_SHUFFLE_FLOAT(__shfl_sync, __nvvm_shfl_sync_idx_f32, 31)
OPEVO_CUDA_SHUFFLE_FLOAT(__shfl_down_sync, __nvvm_shfl_sync_down_f32, 31)
OPEVO_CUDA_SHUFFLE_FLOAT(__shfl_up_sync, __nvvm_shfl_sync_up_f32, 0)
OPEVO_CUDA_SHUFFLE_FLOAT(__shfl_xor_sync, __nvvm_shfl_sync_bfly_f32, 31)
/* Of 64 bits, by their halves. */
#define OPEVO_CUDA_SHUFFLE_WIDE(name, type)                                                        \
    OPEVO_CUDA type name(unsigned mask, type value, int lane, int width = 32)                      \
    {                                                                                              \
        unsigned long long bits = __builtin_bit_cast(unsigned long long, value);                   \
        unsigned low = name(mask, (unsigned)bits, lane, width);                                    \
        unsigned high = name(mask, (unsigned)(bits >> 32), lane, width);                           \
        return __builtin_bit_cast(type, (unsigned long long)high << 32 | low);                     \
    }
#define OPEVO_CUDA_SHUFFLES_WIDE(type)                                                             \
    OPEVO_CUDA_SHUFFLE_WIDE(__shfl_sync, type)                                                     \
    OPEVO_CUDA_SHUFFLE_WIDE(__shfl_down_sync, type)                                                \
    OPEVO_CUDA_SHUFFLE_WIDE(__shfl_up_sync, type)                                                  \
    OPEVO_CUDA_SHUFFLE_WIDE(__shfl_xor_sync, type)
OPEVO_CUDA_SHUFFLES_WIDE(double)
OPEVO_CUDA_SHUFFLES_WIDE(long)
OPEVO_CUDA_SHUFFLES_WIDE(unsigned long)
OPEVO_CUDA_SHUFFLES_WIDE(long long)
OPEVO_CUDA_SHUFFLES_WIDE(unsigned long long)
OPEVO_CUDA void __threadfence()
{
    __nvvm_membar_gl();
}
OPEVO_CUDA void __threadfence_block()
{
    __nvvm_membar_cta();
}
OPEVO_CUDA void __syncwarp(unsigned mask = 0xffffffffu)
{
    __nvvm_bar_warp_sync(mask);
}
OPEVO_CUDA unsigned __ballot_sync(unsigned mask, int condition)
{
    return __nvvm_vote_ballot_sync(mask, condition);
}
OPEVO_CUDA int __any_sync(unsigned mask, int condition)
{
    return __nvvm_vote_any_sync(mask, condition);
}
OPEVO_CUDA int __all_sync(unsigned mask, int condition)
{
    return __nvvm_vote_all_sync(mask, condition);
}

/* ---- Numbers ---- */

#define OPEVO_CUDA_PAIR(name, type, condition)                                                     \
    OPEVO_CUDA type name(type a, type b)                                                           \
    {                                                                                              \
        return (condition) ? a : b;                                                                \
    }
OPEVO_CUDA_PAIR(min, int, a < b)
OPEVO_CUDA_PAIR(min, unsigned, a < b)
OPEVO_CUDA_PAIR(max, int, a > b)
OPEVO_CUDA_PAIR(max, unsigned, a > b)
OPEVO_CUDA_PAIR(min, long long, a < b)
OPEVO_CUDA_PAIR(max, long long, a > b)
OPEVO_CUDA_PAIR(min, unsigned long long, a < b)
OPEVO_CUDA_PAIR(max, unsigned long long, a > b)
OPEVO_CUDA int abs(int a)
{
    return a < 0 ? -a : a;
}

#include "cuda_math.h"

#endif
