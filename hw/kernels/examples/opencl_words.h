/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Work items and functions of OpenCL C 1.2 for kernels that clang compiles for the interpreter: -x
 * cl --target=nvptx64-nvidia-cuda -include opencl_words.h. What is not here stays a call, which the
 * interpreter does not know. */

#ifndef OPEVO_OPENCL_WORDS_H
#define OPEVO_OPENCL_WORDS_H

/* ---- Work items ---- */

#define OPEVO_OPENCL_AXIS(name, d)                                                                 \
    ((d) == 0   ? (size_t)__nvvm_read_ptx_sreg_##name##_x()                                        \
     : (d) == 1 ? (size_t)__nvvm_read_ptx_sreg_##name##_y()                                        \
                : (size_t)__nvvm_read_ptx_sreg_##name##_z())
#define get_local_id(d) OPEVO_OPENCL_AXIS(tid, d)
#define get_group_id(d) OPEVO_OPENCL_AXIS(ctaid, d)
#define get_local_size(d) OPEVO_OPENCL_AXIS(ntid, d)
#define get_num_groups(d) OPEVO_OPENCL_AXIS(nctaid, d)
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))
#define get_global_size(d) (get_num_groups(d) * get_local_size(d))
#define get_global_offset(d) ((size_t)0)

/* A barrier orders accesses to the memory that it names alone. */
void opevo_barrier_of_local(void) __attribute__((convergent));
void opevo_barrier_of_global(void) __attribute__((convergent));
void opevo_barrier_of_nothing(void) __attribute__((convergent));
#define barrier(flags)                                                                             \
    (((flags)&3) == 3   ? __syncthreads()                                                          \
     : ((flags)&3) == 1 ? opevo_barrier_of_local()                                                 \
     : ((flags)&3) == 2 ? opevo_barrier_of_global()                                                \
                        : opevo_barrier_of_nothing())

/* ---- Functions ---- */

#define fma(a, b, c) __builtin_elementwise_fma(a, b, c)
/* What each device computes in its own way: with OPEVO_TELL_APART by a function that nobody has. */
#ifdef OPEVO_TELL_APART
float opevo_rough(float value);
#define OPEVO_ROUGH(value) opevo_rough(value)
#else
#define OPEVO_ROUGH(value) (value)
#endif
#define mad(a, b, c) OPEVO_ROUGH((a) * (b) + (c))
#define max(a, b) __builtin_elementwise_max(a, b)
#define min(a, b) __builtin_elementwise_min(a, b)
#define fmax(a, b) __builtin_elementwise_max(a, b)
#define fmin(a, b) __builtin_elementwise_min(a, b)
/* Bounds of a vector may be numbers. */
#define clamp(a, low, high)                                                                        \
    min(max(a, (__typeof__((a) + (low)))(low)), (__typeof__((a) + (high)))(high))
#define fabs(a) __builtin_elementwise_abs(a)
#define floor(a) __builtin_elementwise_floor(a)
#define ceil(a) __builtin_elementwise_ceil(a)
#define sqrt(a) __builtin_elementwise_sqrt(a)
#define rsqrt(a) OPEVO_ROUGH(1 / __builtin_elementwise_sqrt(a))
#define exp(a) __builtin_elementwise_exp(a)
#define exp2(a) __builtin_elementwise_exp2(a)
#define log(a) __builtin_elementwise_log(a)
#define log2(a) __builtin_elementwise_log2(a)
#define sin(a) __builtin_elementwise_sin(a)
#define cos(a) __builtin_elementwise_cos(a)
#define tanh(a) __builtin_elementwise_tanh(a)
#define pow(a, b) __builtin_elementwise_pow(a, b)
#define erf(a) __builtin_erff(a)
#define native_exp(a) OPEVO_ROUGH(exp(a))
#define native_exp2(a) OPEVO_ROUGH(exp2(a))
#define native_log(a) OPEVO_ROUGH(log(a))
#define native_log2(a) OPEVO_ROUGH(log2(a))
#define native_sqrt(a) OPEVO_ROUGH(sqrt(a))
#define native_rsqrt(a) OPEVO_ROUGH(rsqrt(a))
#define native_sin(a) OPEVO_ROUGH(sin(a))
#define native_cos(a) OPEVO_ROUGH(cos(a))
#define native_divide(a, b) OPEVO_ROUGH((a) / (b))
#define native_recip(a) OPEVO_ROUGH(1 / (a))
#define half_exp(a) OPEVO_ROUGH(exp(a))
#define half_sqrt(a) OPEVO_ROUGH(sqrt(a))
#define trunc(a) __builtin_elementwise_trunc(a)
#define rint(a) __builtin_elementwise_rint(a)
#define fmod(a, b) __builtin_fmodf(a, b)
#define mix(a, b, t) ((a) + ((b) - (a)) * (t))
#define mul24(a, b) ((a) * (b))
#define mad24(a, b, c) ((a) * (b) + (c))

/* ---- Vectors ---- */

/* Elements in a row, aligned as one of them is. */
#define OPEVO_OPENCL_ROWS(space, type, count)                                                      \
    static inline type##count __attribute__((overloadable, always_inline))                         \
    opevo_vload##count(size_t i, const space type *from)                                           \
    {                                                                                              \
        type##count to;                                                                            \
                                                                                                   \
        for (int k = 0; k < count; k++)                                                            \
            to[k] = from[count * i + k];                                                           \
        return to;                                                                                 \
    }                                                                                              \
    static inline void __attribute__((overloadable, always_inline))                                \
    opevo_vstore##count(type##count value, size_t i, space type *to)                               \
    {                                                                                              \
        for (int k = 0; k < count; k++)                                                            \
            to[count * i + k] = value[k];                                                          \
    }
#define OPEVO_OPENCL_COUNTS(space, type)                                                           \
    OPEVO_OPENCL_ROWS(space, type, 2)                                                              \
    OPEVO_OPENCL_ROWS(space, type, 3)                                                              \
    OPEVO_OPENCL_ROWS(space, type, 4)                                                              \
    OPEVO_OPENCL_ROWS(space, type, 8)                                                              \
    OPEVO_OPENCL_ROWS(space, type, 16)
OPEVO_OPENCL_COUNTS(__global, float)
OPEVO_OPENCL_COUNTS(__local, float)
OPEVO_OPENCL_COUNTS(__private, float)
OPEVO_OPENCL_COUNTS(__global, int)
OPEVO_OPENCL_COUNTS(__local, int)
OPEVO_OPENCL_COUNTS(__private, int)
#define vload2(i, from) opevo_vload2(i, from)
#define vload3(i, from) opevo_vload3(i, from)
#define vload4(i, from) opevo_vload4(i, from)
#define vload8(i, from) opevo_vload8(i, from)
#define vload16(i, from) opevo_vload16(i, from)
#define vstore2(value, i, to) opevo_vstore2(value, i, to)
#define vstore3(value, i, to) opevo_vstore3(value, i, to)
#define vstore4(value, i, to) opevo_vstore4(value, i, to)
#define vstore8(value, i, to) opevo_vstore8(value, i, to)
#define vstore16(value, i, to) opevo_vstore16(value, i, to)

/* A device may add the products of a dot in any order, and fuse them. */
static inline float __attribute__((overloadable, always_inline)) opevo_dot(float a, float b)
{
    return a * b;
}
static inline float __attribute__((overloadable, always_inline)) opevo_dot(float2 a, float2 b)
{
    return a.x * b.x + a.y * b.y;
}
static inline float __attribute__((overloadable, always_inline)) opevo_dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline float __attribute__((overloadable, always_inline)) opevo_dot(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
#define dot(a, b) OPEVO_ROUGH(opevo_dot(a, b))
#define length(a) OPEVO_ROUGH(sqrt(opevo_dot(a, a)))
#define convert_float(a) ((float)(a))
#define convert_int(a) ((int)(a))
#define convert_float2(a) __builtin_convertvector(a, float2)
#define convert_float3(a) __builtin_convertvector(a, float3)
#define convert_float4(a) __builtin_convertvector(a, float4)
#define convert_float8(a) __builtin_convertvector(a, float8)
#define convert_float16(a) __builtin_convertvector(a, float16)
#define convert_int2(a) __builtin_convertvector(a, int2)
#define convert_int3(a) __builtin_convertvector(a, int3)
#define convert_int4(a) __builtin_convertvector(a, int4)
#define convert_int8(a) __builtin_convertvector(a, int8)
#define convert_int16(a) __builtin_convertvector(a, int16)

#endif
