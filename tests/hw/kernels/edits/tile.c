/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Two kernels for tests of edits, compiled into tile.ll by
 *
 *   clang-19 -O2 -gline-tables-only -fno-slp-vectorize -fno-vectorize -fdebug-prefix-map=$PWD=. \
 *     --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -S -emit-llvm -o tile.ll tile.c */

#define KERNEL __attribute__((nvptx_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define SHARED static __attribute__((address_space(3), loader_uninitialized))
#define TILE 8

SHARED float tile_a[TILE][TILE], tile_b[TILE][TILE];

/* c = a b, squares of n x n, in tiles. */
KERNEL tile_product(const GLOBAL float *a, const GLOBAL float *b, GLOBAL float *c, int n)
{
    int x = __nvvm_read_ptx_sreg_tid_x(), y = __nvvm_read_ptx_sreg_tid_y();
    int column = __nvvm_read_ptx_sreg_ctaid_x() * TILE + x;
    int row = __nvvm_read_ptx_sreg_ctaid_y() * TILE + y;
    float sum = 0;

    for (int k = 0; k < n; k += TILE) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
        c[row * n + column] = sum;
    }
}

/* Mean of three neighbours, with branches, a switch and integers of two sizes. */
KERNEL smooth(const GLOBAL float *in, GLOBAL float *out, int n, int mode)
{
    int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
            __nvvm_read_ptx_sreg_tid_x();
    float left, right;

    if (i >= n)
        return;
    left = i > 0 ? in[i - 1] : in[i];
    right = i < n - 1 ? in[i + 1] : in[i];
    switch (mode) {
    case 0:
        out[i] = (left + in[i] + right) / 3;
        break;
    case 1:
    case 5:
        out[i] = left * 0.25f + right * 0.25f + in[i] * 0.5f;
        break;
    case 2:
        out[i] = __builtin_fmaf(left, right, in[i]);
        break;
    default:
        out[i] = in[i];
        break;
    }
}
