/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lowering to AMD's GPUs. Sizes of blocks and grids are read from the dispatch packet (HSA runtime
 * specification, kernel dispatch packet: workgroup sizes from byte 4, grid sizes in work items from
 * byte 12). A barrier also orders memory, as NVIDIA's does. */

#include "edit_lower_internal.h"

#include <llvm-c/IRReader.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KERNEL = 91, CONSTANT = 4, WORKGROUP_AT = 4, GRID_AT = 12 };

typedef struct machine {
    LLVMModuleRef pattern;
    LLVMValueRef release,
        acquire; /* fences of a workgroup, to clone: LLVM-C 19 cannot build them */
} machine;

static LLVMValueRef call(opevo_i_edit_lowering *self, const char *name, LLVMTypeRef result)
{
    LLVMTypeRef type = LLVMFunctionType(result, NULL, 0, false);

    return LLVMBuildCall2(self->builder, type, opevo_i_edit_declare(self->llvm, name, type), NULL,
                          0, "");
}

/* A field of the dispatch packet as i32. */
static LLVMValueRef packet(opevo_i_edit_lowering *self, unsigned at, LLVMTypeRef type)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(self->context);
    LLVMValueRef offset = LLVMConstInt(i32, at, false);
    LLVMValueRef base =
        call(self, "llvm.amdgcn.dispatch.ptr", LLVMPointerTypeInContext(self->context, CONSTANT));
    LLVMValueRef place =
        LLVMBuildGEP2(self->builder, LLVMInt8TypeInContext(self->context), base, &offset, 1, "");
    return LLVMBuildZExt(self->builder, LLVMBuildLoad2(self->builder, type, place, ""), i32, "");
}

static LLVMValueRef block_size(opevo_i_edit_lowering *self, unsigned axis)
{
    return packet(self, WORKGROUP_AT + 2 * axis, LLVMInt16TypeInContext(self->context));
}

static LLVMValueRef read_register(opevo_i_edit_lowering *self, opevo_i_edit_register which,
                                  unsigned axis)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(self->context);
    char name[40];

    switch (which) {
    case OPEVO_I_THREAD:
    case OPEVO_I_BLOCK:
        snprintf(name, sizeof name, "llvm.amdgcn.work%s.id.%c",
                 which == OPEVO_I_THREAD ? "item" : "group", (int)('x' + axis));
        return call(self, name, i32);
    case OPEVO_I_BLOCK_SIZE:
        return block_size(self, axis);
    case OPEVO_I_GRID_SIZE:
        break;
    }
    return LLVMBuildUDiv(self->builder, packet(self, GRID_AT + 4 * axis, i32),
                         block_size(self, axis), "");
}

static void barrier(opevo_i_edit_lowering *self)
{
    const machine *amd = self->machine;

    LLVMInsertIntoBuilder(self->builder, LLVMInstructionClone(amd->release));
    (void)call(self, "llvm.amdgcn.s.barrier", LLVMVoidTypeInContext(self->context));
    LLVMInsertIntoBuilder(self->builder, LLVMInstructionClone(amd->acquire));
}

static opevo_status open_pattern(LLVMContextRef context, machine *amd, opevo_error *err)
{
    static const char text[] = "define void @fences() {\n"
                               "  fence syncscope(\"workgroup\") release\n"
                               "  fence syncscope(\"workgroup\") acquire\n"
                               "  ret void\n}\n";
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(text, sizeof text - 1, "fences", true);
    LLVMBool discards = LLVMContextShouldDiscardValueNames(context), failed;
    char *message = NULL;

    LLVMContextSetDiscardValueNames(context, false); /* text is refused otherwise */
    failed = LLVMParseIRInContext(context, buffer, &amd->pattern, &message);
    LLVMContextSetDiscardValueNames(context, discards);
    if (failed) {
        LLVMDisposeMessage(message);
        return OPEVO_FAIL(err, OPEVO_INVALID, "This LLVM has no fences of a workgroup.");
    }
    amd->release =
        LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(LLVMGetFirstFunction(amd->pattern)));
    amd->acquire = LLVMGetNextInstruction(amd->release);
    return OPEVO_OK;
}

static opevo_status check_allocas(LLVMModuleRef llvm, opevo_error *err)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(llvm); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAAllocaInst(i))
                    return OPEVO_FAIL(err, OPEVO_INVALID,
                                      "Arrays of one work item (alloca) are in another address "
                                      "space on AMD's GPUs; compile the kernel for amdgcn.");
    return OPEVO_OK;
}

static void lower_kernel(LLVMValueRef function, const char *gpu, unsigned most)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    char range[24];

    snprintf(range, sizeof range, "1,%u", most);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, "amdgpu-flat-work-group-size", 27,
                                                      range, (unsigned)strlen(range)));
    LLVMAddAttributeAtIndex(
        function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(context, "target-cpu", 10, gpu, (unsigned)strlen(gpu)));
}

opevo_status opevo_i_edit_lower_amdgcn(const opevo_module *base, LLVMModuleRef llvm,
                                       const char *gpu, unsigned most, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    machine amd = {0};
    opevo_i_edit_lowering self = {
        .llvm = llvm, .read = read_register, .barrier = barrier, .machine = &amd};

    OPEVO_TRY(check_allocas(llvm, err));
    OPEVO_TRY(open_pattern(LLVMGetModuleContext(llvm), &amd, err));
    OPEVO_TRY(opevo_i_edit_lower_calls(&self, err));
    for (LLVMValueRef f = LLVMGetFirstFunction(llvm); f; f = LLVMGetNextFunction(f))
        opevo_i_edit_lower_function(f, LLVMCCallConv);
    for (size_t k = 0; k < base->kernel_count; k++) {
        LLVMValueRef kernel = LLVMGetNamedFunction(llvm, base->kernels[k]);

        LLVMSetFunctionCallConv(kernel, KERNEL);
        LLVMSetVisibility(kernel, LLVMProtectedVisibility); /* what the runtime looks for */
        lower_kernel(kernel, gpu, most);
    }
cleanup:
    if (amd.pattern)
        LLVMDisposeModule(amd.pattern);
    return status;
}
