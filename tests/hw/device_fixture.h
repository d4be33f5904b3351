/* SPDX-License-Identifier: GPL-3.0-or-later */

/* CUDA and HIP text compiled for a device by clang, which needs neither the headers of the vendors
 * nor their compilers: types, address spaces and kernels are checked as on a device. */

#ifndef OPEVO_TESTS_DEVICE_FIXTURE_H
#define OPEVO_TESTS_DEVICE_FIXTURE_H

#include "check.h"

#include "build_source.h"

#include <opevo/kernel.h>
#include <opevo/text.h>

/* What the headers of the vendors declare. Functions of the library of mathematics stay calls. */
static const char device_words[] =
    "#define __global__ __attribute__((global))\n"
    "#define __device__ __attribute__((device))\n"
    "#define __shared__ __attribute__((shared))\n"
    "#define __launch_bounds__(n) __attribute__((launch_bounds(n)))\n"
    "#define __align__(n) __attribute__((aligned(n)))\n"
    "#define INFINITY __builtin_inff()\n"
    "#ifdef __HIP__\n"
    "#define AXIS(what, d) what##_HIP(d)\n"
    "#define thread_HIP(d) __builtin_amdgcn_workitem_id_##d()\n"
    "#define block_HIP(d) __builtin_amdgcn_workgroup_id_##d()\n"
    "#define __syncthreads() __builtin_amdgcn_s_barrier()\n"
    "#else\n"
    "#define AXIS(what, d) what##_CUDA(d)\n"
    "#define thread_CUDA(d) __nvvm_read_ptx_sreg_tid_##d()\n"
    "#define block_CUDA(d) __nvvm_read_ptx_sreg_ctaid_##d()\n"
    "#define __syncthreads() __nvvm_bar_sync(0)\n"
    "#endif\n"
    "struct dim { unsigned x, y, z; };\n"
    "#define threadIdx (dim{(unsigned)AXIS(thread, x), (unsigned)AXIS(thread, y), "
    "(unsigned)AXIS(thread, z)})\n"
    "#define blockIdx (dim{(unsigned)AXIS(block, x), (unsigned)AXIS(block, y), "
    "(unsigned)AXIS(block, z)})\n"
    "struct __align__(8) int2 { int x, y; };\nstruct __align__(16) int4 { int x, y, z, w; };\n"
    "struct __align__(4) ushort2 { unsigned short x, y; };\n"
    "struct __align__(8) ushort4 { unsigned short x, y, z, w; };\n"
    "struct __align__(2) char2 { signed char x, y; };\n"
    "struct __align__(4) char4 { signed char x, y, z, w; };\n"
    "struct __align__(8) float2 { float x, y; };\n"
    "struct __align__(16) float4 { float x, y, z, w; };\n"
    "extern \"C\" {\n"
    "__device__ float expf(float); __device__ float sqrtf(float); __device__ float tanhf(float);\n"
    "__device__ float erff(float); __device__ float logf(float); __device__ float fmaxf(float, "
    "float);\n"
    "__device__ float fminf(float, float); __device__ float fmaf(float, float, float);\n"
    "__device__ float fabsf(float);\n"
    "}\n"
    "__device__ inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); "
    "}\n";

static const char *const device_cuda[] = {"clang",
                                          "-x",
                                          "cuda",
                                          "--cuda-device-only",
                                          "--cuda-gpu-arch=sm_70",
                                          "-nocudainc",
                                          "-nocudalib",
                                          "-Wall",
                                          "-Werror",
                                          "-Wno-unknown-cuda-version",
                                          "-Wno-pass-failed",
                                          "-Wno-unused-variable",
                                          "-S",
                                          "-o",
                                          "/dev/null",
                                          NULL};
static const char *const device_hip[] = {"clang",
                                         "-x",
                                         "hip",
                                         "--cuda-device-only",
                                         "--cuda-gpu-arch=gfx90a",
                                         "-nogpuinc",
                                         "-nogpulib",
                                         "-Wall",
                                         "-Werror",
                                         "-Wno-pass-failed",
                                         "-Wno-unused-variable",
                                         "-S",
                                         "-o",
                                         "/dev/null",
                                         NULL};

static inline bool device_builds(opevo_kernel_dialect dialect, const char *source)
{
    opevo_text all = {0};
    bool built = false;

    opevo_text_add(&all, device_words);
    opevo_text_add(&all, source);
    built = source_build(dialect == OPEVO_KERNEL_HIP ? device_hip : device_cuda,
                         opevo_text_string(&all), NULL);
    opevo_text_free(&all);
    return built;
}

/* Whether there is a clang that compiles for devices of the dialect. */
static inline bool has_device_compiler(opevo_kernel_dialect dialect)
{
    return device_builds(dialect,
                         "extern \"C\" __global__ void kernel(float *a)\n"
                         "{\n    __shared__ float s[32];\n"
                         "    s[threadIdx.x] = expf(a[blockIdx.x]);\n"
                         "    __syncthreads();\n    a[0] = s[1] + __int_as_float(0);\n}\n");
}

static inline void device_check(opevo_kernel_dialect dialect, const opevo_text *source,
                                const char *what)
{
    if (!device_builds(dialect, opevo_text_string(source)))
        fail_msg("%s does not compile for a device:\n%s\n%s", what, program_output,
                 opevo_text_string(source));
}

#endif
