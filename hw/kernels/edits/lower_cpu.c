/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lowering to a CPU: a kernel is a C function of one work item, which asks the launcher where it
 * is. Address spaces other than 0 are plain memory on x86 and ARM. */

#include "edit_lower_internal.h"

#include <llvm-c/Target.h>

enum { SHARED = 3, SHARED_ALIGNMENT = 64 };

static LLVMValueRef read_hook(opevo_i_edit_lowering *self, opevo_i_edit_register which,
                              unsigned axis)
{
    static const char *const names[] = {"gk_thread", "gk_block", "gk_block_size", "gk_grid_size"};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(self->context);
    LLVMTypeRef type = LLVMFunctionType(i32, &i32, 1, false);
    LLVMValueRef argument = LLVMConstInt(i32, axis, false);

    return LLVMBuildCall2(self->builder, type, opevo_i_edit_declare(self->llvm, names[which], type),
                          &argument, 1, "");
}

static void call_barrier(opevo_i_edit_lowering *self)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(self->context), NULL, 0, false);

    LLVMBuildCall2(self->builder, type, opevo_i_edit_declare(self->llvm, "gk_barrier", type), NULL,
                   0, "");
}

static bool is_shared(LLVMValueRef global)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == SHARED;
}

/* Offsets of shared variables in one array, from the data layout of the base. */
static uint64_t place(LLVMModuleRef llvm, LLVMValueRef global, uint64_t *end)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(llvm);
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    uint64_t alignment = LLVMGetAlignment(global);
    uint64_t at;

    if (alignment < LLVMABIAlignmentOfType(layout, type))
        alignment = LLVMABIAlignmentOfType(layout, type);
    at = (*end + alignment - 1) / alignment * alignment;
    *end = at + LLVMABISizeOfType(layout, type);
    return at;
}

static opevo_status lower_shared(LLVMModuleRef llvm, opevo_error *err)
{
    LLVMContextRef context = LLVMGetModuleContext(llvm);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
    uint64_t size = 0, end = 0;

    for (LLVMValueRef g = LLVMGetFirstGlobal(llvm); g; g = LLVMGetNextGlobal(g)) {
        if (is_shared(g) && LLVMIsDeclaration(g))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s is shared memory of a size that the launch decides, which a CPU "
                              "lacks; declare its size.",
                              LLVMGetValueName2(g, &(size_t){0}));
        if (is_shared(g))
            (void)place(llvm, g, &size);
    }
    LLVMTypeRef type = LLVMArrayType2(i8, size ? size : 1);
    LLVMValueRef array = LLVMAddGlobalInAddressSpace(llvm, type, "gk_shared", SHARED);
    LLVMSetInitializer(array, LLVMConstNull(type));
    LLVMSetAlignment(array, SHARED_ALIGNMENT);
    for (LLVMValueRef g = LLVMGetFirstGlobal(llvm), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (g == array || !is_shared(g))
            continue;
        LLVMValueRef at = LLVMConstInt(i64, place(llvm, g, &end), false);
        LLVMReplaceAllUsesWith(g, LLVMConstGEP2(i8, array, &at, 1));
        LLVMDeleteGlobal(g);
    }
    LLVMValueRef bytes = LLVMAddGlobal(llvm, i64, "gk_shared_size");
    LLVMSetInitializer(bytes, LLVMConstInt(i64, size, false));
    LLVMSetGlobalConstant(bytes, true);
    return OPEVO_OK;
}

opevo_status opevo_i_edit_lower_names(LLVMModuleRef llvm, opevo_error *err)
{
    opevo_i_edit_lowering self = {
        .llvm = llvm, .read = read_hook, .barrier = call_barrier, .libm = true};

    return opevo_i_edit_lower_calls(&self, err);
}

/* A struct by value is the address of the work item's copy: where the machine's convention has it
 * is not what a launcher knows. */
static void lower_structs(LLVMValueRef function)
{
    static const char name[] = "byval";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);

    for (unsigned i = 1; i <= LLVMCountParams(function); i++)
        LLVMRemoveEnumAttributeAtIndex(function, i, kind);
}

opevo_status opevo_i_edit_lower_cpu(LLVMModuleRef llvm, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_edit_lower_names(llvm, err));
    for (LLVMValueRef f = LLVMGetFirstFunction(llvm); f; f = LLVMGetNextFunction(f)) {
        opevo_i_edit_lower_function(f, LLVMCCallConv);
        lower_structs(f);
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
            if (LLVMIsACallInst(LLVMGetUser(use)))
                LLVMSetInstructionCallConv(LLVMGetUser(use), LLVMCCallConv);
    }
    OPEVO_TRY(lower_shared(llvm, err));
cleanup:
    return status;
}
