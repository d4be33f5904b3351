/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Machines from IR in text, and launches of one kernel on a few buffers. */

#ifndef OPEVO_SIMT_FIXTURE_H
#define OPEVO_SIMT_FIXTURE_H

#include "check.h"

#include <opevo/simt.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include <stdlib.h>
#include <string.h>

/* What every module begins with. */
#define SIMT_HEAD                                                                                  \
    "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"                          \
    "target triple = \"nvptx64-nvidia-cuda\"\n"                                                    \
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"                                               \
    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"                                             \
    "declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"                                              \
    "declare void @llvm.nvvm.barrier0()\n"

typedef struct simt_setting {
    opevo_simt_costs *costs;
    opevo_simt *machine;
} simt_setting;

/* A machine for a buffer of text, which LLVM takes over. */
static inline simt_setting simt_open_memory(LLVMMemoryBufferRef memory,
                                            const opevo_simt_options *options)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = NULL;
    char *message = NULL;
    simt_setting self = {0};

    if (LLVMParseIRInContext(context, memory, &module, &message))
        fail_msg("%s", message);
    CHECK_OK(opevo_simt_costs_load(NULL, &self.costs, &err));
    CHECK_OK(opevo_simt_create(module, self.costs, options, &self.machine, &err));
    LLVMDisposeModule(module); /* the machine has decoded it */
    LLVMContextDispose(context);
    return self;
}

static inline simt_setting simt_open(const char *text, const opevo_simt_options *options)
{
    return simt_open_memory(
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test.ll"), options);
}

static inline void simt_close(simt_setting *self)
{
    opevo_simt_destroy(self->machine);
    opevo_simt_costs_destroy(self->costs);
}

/* Launch on buffers, the first of which are initialised, and scalars behind them. */
typedef struct simt_call {
    const char *kernel;
    uint32_t grid, block;
    opevo_simt_buffer buffers[6];
    size_t buffer_count;
    uint64_t scalars[4];
    size_t scalar_count;
} simt_call;

static inline opevo_simt_result simt_launch(const simt_setting *self, const simt_call *call)
{
    opevo_simt_argument arguments[10] = {{0}};
    opevo_simt_launch launch = {.kernel = call->kernel,
                                .grid = {call->grid, 1, 1},
                                .block = {call->block, 1, 1},
                                .arguments = arguments,
                                .argument_count = call->buffer_count + call->scalar_count};
    opevo_simt_result result;

    CHECK_OK(opevo_simt_reset(self->machine, &err));
    for (size_t i = 0; i < call->buffer_count; i++) {
        arguments[i].is_buffer = true;
        CHECK_OK(
            opevo_simt_add_buffer(self->machine, &call->buffers[i], &arguments[i].buffer, &err));
    }
    for (size_t i = 0; i < call->scalar_count; i++)
        arguments[call->buffer_count + i].bits = call->scalars[i];
    CHECK_OK(opevo_simt_run(self->machine, &launch, &result, &err));
    return result;
}

#endif
