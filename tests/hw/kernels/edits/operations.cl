/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels with what edits meet: operations on integers of all sizes and on floats, conversions,
 * control flow, tables, vectors, structs, local memory and atomics. Compiled into operations.ll by
 *
 *   clang-19 -x cl -cl-std=CL1.2 -include ../../../../hw/kernels/examples/opencl_words.h -O1 \
 *     -fno-slp-vectorize -fno-vectorize -ffp-contract=off --target=nvptx64-nvidia-cuda -march=sm_70 \
 *     -nogpulib -fno-ident -S -emit-llvm -o operations.ll operations.cl */

#define PUT(value) out[(size_t)count * (at++) + x] = (value)
#define PUT_REAL(value) reals[(size_t)count * (at++) + x] = (value)

typedef struct box {
    int low;
    uchar small;
    float scale;
    long wide;
} box;

__kernel void integers(__global const int *in, __global ulong *out, int count)
{
    int x = get_global_id(0), at = 0;
    int a = in[2 * x], b = in[2 * x + 1];
    uint u = a, v = b;
    uchar c = a, d = b;
    ushort s = a, t = b;
    ulong w = (ulong)a * 0x9e3779b97f4a7c15ul, z = (ulong)b << 21;

    if (x >= count)
        return;
    PUT((uint)(a + b) ^ (u - v));
    PUT(u * v);
    PUT((uint)(a / (b | 1)));
    PUT((uint)(a % (b | 1)));
    PUT(u / (v | 1));
    PUT(u % (v | 1));
    PUT((uint)(a >> (b & 31)));
    PUT(u >> (v & 31));
    PUT(u << (v & 31));
    PUT((uchar)(c + d));
    PUT((uchar)(c * d));
    PUT((ushort)(s * t));
    PUT((ushort)((short)s / (short)(t | 1)));
    PUT((ushort)((short)s >> (t & 15)));
    PUT(w * z + (w >> 7));
    PUT((ulong)((long)w / (long)(z | 1)));
    PUT((ulong)((long)w % (long)(z | 1)));
    PUT((ulong)((long)w >> (v & 63)));
    PUT((ulong)(long)(char)c);
    PUT((ulong)(long)(short)s);
    PUT((ulong)(long)a);
    PUT((uint)max(a, b));
    PUT(min(u, v));
    PUT((uint)__builtin_ctz(u | 256));
    PUT((uint)__builtin_clz(u | 1));
    PUT((uint)__builtin_popcount(u));
    PUT(__builtin_rotateleft32(u, v));
    PUT(__builtin_rotateleft64(w, z));
    PUT(__builtin_rotateright32(u, v | 1));
    PUT((uint)__builtin_abs(a));
    PUT((a < b) + 2 * (u < v) + 4 * (a == b) + 8 * ((long)w <= (long)z) + 16 * (c >= d));
    PUT((a < b) ^ (u < v));
}

__kernel void floats(__global const float *in, __global float *reals, __global double *wide,
                     int count)
{
    int x = get_global_id(0), at = 0;
    float a = in[2 * x], b = in[2 * x + 1];
    double c = a, d = b;

    if (x >= count)
        return;
    PUT_REAL(a + b);
    PUT_REAL(a - b);
    PUT_REAL(a * b);
    PUT_REAL(a / (b == 0 ? 1 : b));
    PUT_REAL(-a);
    PUT_REAL(fma(a, b, 0.1f));
    PUT_REAL(sqrt(fabs(a)));
    PUT_REAL(floor(8 * a) + ceil(4 * b));
    PUT_REAL(fmax(a, b) - fmin(a, 0.3f));
    PUT_REAL((a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b));
    PUT_REAL(!(a < b) + 2 * !(a >= b) + 4 * (a < 0.f / b || b < a));
    PUT_REAL((int)(a * 1000) + (uint)fabs(b * 77));
    PUT_REAL((float)(long)(c * 1e12) + (float)(ulong)(uint)(int)(b * 100));
    PUT_REAL(as_float((as_uint(a) & 0x807fffffu) | 0x3f000000u));
    PUT_REAL((float)(c * d + 1e-9));
    wide[x] = c / (d + 3) - (double)(int)(b * 9);
}

__constant int table[] = {3, -1, 4, 1, -5, 9, 2, 6};
__constant struct {
    char name[3];
    float at;
    double wide[2];
} rows[] = {{"ab", 0.25f, {1.5, -2}}, {"cd", -3, {1e-3, 7}}};

__kernel void memory(__global const int *in, __global int *out, box given, int count)
{
    __local int part[64];
    __local float4 wide[64];
    int x = get_global_id(0), i = get_local_id(0), at = 0, sum = 0;
    int own[6], pick[3] = {5, 7, 11};
    float4 v = (float4)(in[x], i, in[x] >> 3, 1) + (float4)(0.5f, -1, given.scale, 0.25f);

    part[i] = in[x];
    wide[i] = v;
    for (int k = 0; k < 6; k++)
        own[(in[x] + k) % 6u] = in[x] * k;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < 64; k *= 2)
        sum += part[(i + k) % 64];
    v = v * wide[63 - i].wzyx + wide[(i + 1) % 64];
    PUT(sum);
    PUT(own[in[x] % 6u] + own[3] + pick[i % 3]);
    PUT(table[in[x] % 8u] + rows[i % 2].name[i % 3] + (int)(rows[i % 2].at * 4));
    PUT((int)(v.x + 2 * v.y - v.z + v.w));
    PUT((int)(given.low + given.small + given.scale * 2 + given.wide));
    switch (in[x] % 7u) {
    case 0:
    case 3:
        PUT(10 + i);
        break;
    case 1:
        PUT(given.small);
        break;
    case 5:
        PUT(sum * 3);
        break;
    default:
        PUT(-1);
    }
}

__kernel void atomics(__global const int *in, __global int *out, __global float *sum)
{
    __local int least, most;
    int x = get_global_id(0), a = in[x], old = 0, seen = 0;

    if (get_local_id(0) == 0)
        least = 1 << 30, most = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __atomic_fetch_min(&least, a, __ATOMIC_RELAXED);
    __atomic_fetch_max(&most, a, __ATOMIC_RELAXED);
    __atomic_fetch_add(&out[0], a, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&out[1], a, __ATOMIC_RELAXED);
    __atomic_fetch_or(&out[2], a, __ATOMIC_RELAXED);
    __atomic_fetch_and(&out[3], a | 0x70000000, __ATOMIC_RELAXED);
    __atomic_fetch_add(sum, (float)(a % 8u), __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&out[4], &old, 7, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[5 + get_group_id(0)] = most - least;
}
