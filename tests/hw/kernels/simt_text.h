/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Small kernels in IR that write one number for each thread. */

#ifndef OPEVO_SIMT_TEXT_H
#define OPEVO_SIMT_TEXT_H

#include "simt_fixture.h"

enum { BLOCK = 64, BLOCKS = 3, THREADS = BLOCK * BLOCKS };

/* Shared memory of a block, and the index of the thread; %t in the block, %i in the grid. */
#define BEGIN(name, parameters)                                                                    \
    "define void @" name "(" parameters ") {\n"                                                    \
    " %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"                                            \
    " %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"                                          \
    " %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"                                           \
    " %cn = mul i32 %c, %n\n %i = add i32 %cn, %t\n"
#define END " ret void\n}\n"
#define SHARED "@s = internal addrspace(3) global [64 x i32] undef\n"

static _Alignas(16) int32_t out[THREADS + 64];

static inline simt_call call_of(const char *kernel)
{
    return (simt_call){.kernel = kernel,
                       .grid = BLOCKS,
                       .block = BLOCK,
                       .buffers = {{.data = out, .size_bytes = THREADS * sizeof *out}},
                       .buffer_count = 1};
}

/* A module of one kernel `f` on the output, with the default checks. */
static inline opevo_simt_result run_text(const char *text)
{
    simt_setting machine = simt_open(text, NULL);
    simt_call call = call_of("f");
    opevo_simt_result result = simt_launch(&machine, &call);

    simt_close(&machine);
    return result;
}

/* s[t] = t; barrier; out[i] = s[63 - t], with what `between` and `store` are. */
#define REVERSE(between, index)                                                                    \
    SIMT_HEAD SHARED BEGIN(                                                                        \
        "f", "ptr %out") " %ps = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %t\n"   \
                         " store i32 %t, ptr addrspace(3) %ps\n" between " %r = sub i32 63, %t\n"  \
                         " %pr = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %r\n"   \
                         " %v = load i32, ptr addrspace(3) %pr\n"                                  \
                         " %p = getelementptr i32, ptr %out, i32 " index                           \
                         "\n store i32 %v, ptr %p\n" END
#define BARRIER " call void @llvm.nvvm.barrier0()\n"

#endif
