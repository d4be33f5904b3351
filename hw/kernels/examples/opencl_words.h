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
#define clamp(a, low, high) min(max(a, low), high)
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

#endif
