/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels in one source for NVIDIA's and AMD's GPUs, for OpenCL C and for a CPU, where the launcher
 * defines the gk_ functions. Shared arrays are declared in the kernel itself, by SHARED. */

#ifndef OPEVO_KERNEL_DIALECT_H
#define OPEVO_KERNEL_DIALECT_H

#if defined __OPENCL_C_VERSION__
#define KERNEL __kernel void
#define GLOBAL __global
#define SHARED __local
#elif defined __NVPTX__
#define KERNEL __attribute__((nvptx_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define SHARED static __attribute__((address_space(3), loader_uninitialized))
#elif defined __AMDGPU__
#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define SHARED static __attribute__((address_space(3), loader_uninitialized))
#else
#ifdef __clang__ /* as the dialects above, kernels have no prototypes */
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#endif
#define KERNEL void
#define GLOBAL
#define SHARED static
#endif

#if defined __OPENCL_C_VERSION__
#define THREAD(axis) ((int)get_local_id(axis))
#define BLOCK(axis) ((int)get_group_id(axis))
#define BLOCK_SIZE(axis) ((int)get_local_size(axis))
#define GRID_SIZE(axis) ((int)get_num_groups(axis))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#elif defined __NVPTX__
#define AXIS(name, axis)                                                                           \
    ((int)((axis) == 0   ? __nvvm_read_ptx_sreg_##name##_x()                                       \
           : (axis) == 1 ? __nvvm_read_ptx_sreg_##name##_y()                                       \
                         : __nvvm_read_ptx_sreg_##name##_z()))
#define THREAD(axis) AXIS(tid, axis)
#define BLOCK(axis) AXIS(ctaid, axis)
#define BLOCK_SIZE(axis) AXIS(ntid, axis)
#define GRID_SIZE(axis) AXIS(nctaid, axis)
#define BARRIER() __syncthreads()
#elif defined __AMDGPU__
#define AXIS(name, axis)                                                                           \
    ((int)((axis) == 0   ? __builtin_amdgcn_##name##_x()                                           \
           : (axis) == 1 ? __builtin_amdgcn_##name##_y()                                           \
                         : __builtin_amdgcn_##name##_z()))
#define THREAD(axis) AXIS(workitem_id, axis)
#define BLOCK(axis) AXIS(workgroup_id, axis)
#define BLOCK_SIZE(axis) AXIS(workgroup_size, axis)
#define GRID_SIZE(axis) (AXIS(grid_size, axis) / BLOCK_SIZE(axis))
#define BARRIER()                                                                                  \
    do {                                                                                           \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                     \
        __builtin_amdgcn_s_barrier();                                                              \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                     \
    } while (0)
#else
int gk_thread(int axis), gk_block(int axis), gk_block_size(int axis), gk_grid_size(int axis);
void gk_barrier(void);
#define THREAD(axis) gk_thread(axis)
#define BLOCK(axis) gk_block(axis)
#define BLOCK_SIZE(axis) gk_block_size(axis)
#define GRID_SIZE(axis) gk_grid_size(axis)
#define BARRIER() gk_barrier()
#endif

#endif
