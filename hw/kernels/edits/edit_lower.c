/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lowering: what all machines share. */

#include "edit_lower_internal.h"

#include <opevo/memory.h>

#include <string.h>

LLVMValueRef opevo_i_edit_declare(LLVMModuleRef llvm, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(llvm, name);

    return function ? function : LLVMAddFunction(llvm, name, type);
}

void opevo_i_edit_lower_function(LLVMValueRef function, unsigned convention)
{
    static const char *const machine[] = {"target-cpu", "target-features", "tune-cpu",
                                          "uniform-work-group-size"};

    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
        LLVMRemoveStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                         machine[i], (unsigned)strlen(machine[i]));
    LLVMSetFunctionCallConv(function, convention);
}

/* ---- Names of NVVM ---- */

static const char *const registers[] = {"tid.", "ctaid.", "ntid.", "nctaid."};
static const char *const barriers[] = {"llvm.nvvm.barrier0",
                                       "llvm.nvvm.barrier.sync",
                                       "llvm.nvvm.bar.sync",
                                       "llvm.nvvm.barrier.n",
                                       "llvm.nvvm.barrier.cta.sync.all",
                                       "llvm.nvvm.barrier.cta.sync.aligned.all"};
/* The generic intrinsics that compute the same, or more exactly where NVIDIA's approximates. */
static const char *const generic[][2] = {
    {"llvm.nvvm.fma.rn.f", "llvm.fma.f32"},      {"llvm.nvvm.fma.rn.d", "llvm.fma.f64"},
    {"llvm.nvvm.sqrt.rn.f", "llvm.sqrt.f32"},    {"llvm.nvvm.sqrt.rn.d", "llvm.sqrt.f64"},
    {"llvm.nvvm.sqrt.f", "llvm.sqrt.f32"},       {"llvm.nvvm.sqrt.approx.f", "llvm.sqrt.f32"},
    {"llvm.nvvm.fabs.f", "llvm.fabs.f32"},       {"llvm.nvvm.fabs.d", "llvm.fabs.f64"},
    {"llvm.nvvm.fmin.f", "llvm.minnum.f32"},     {"llvm.nvvm.fmin.d", "llvm.minnum.f64"},
    {"llvm.nvvm.fmax.f", "llvm.maxnum.f32"},     {"llvm.nvvm.fmax.d", "llvm.maxnum.f64"},
    {"llvm.nvvm.floor.f", "llvm.floor.f32"},     {"llvm.nvvm.floor.d", "llvm.floor.f64"},
    {"llvm.nvvm.ceil.f", "llvm.ceil.f32"},       {"llvm.nvvm.ceil.d", "llvm.ceil.f64"},
    {"llvm.nvvm.ex2.approx.f", "llvm.exp2.f32"}, {"llvm.nvvm.lg2.approx.f", "llvm.log2.f32"},
    {"llvm.nvvm.sin.approx.f", "llvm.sin.f32"},  {"llvm.nvvm.cos.approx.f", "llvm.cos.f32"},
};

/* "llvm.nvvm.read.ptx.sreg.tid.x" */
static bool is_register(const char *name, opevo_i_edit_register *which, unsigned *axis)
{
    static const char prefix[] = "llvm.nvvm.read.ptx.sreg.";

    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    name += sizeof prefix - 1;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        size_t length = strlen(registers[i]);

        if (strncmp(name, registers[i], length) == 0 && name[length] >= 'x' &&
            name[length] <= 'z' && name[length + 1] == '\0') {
            *which = (opevo_i_edit_register)i;
            *axis = (unsigned)(name[length] - 'x');
            return true;
        }
    }
    return false;
}

static bool is_barrier(const char *name)
{
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++)
        if (strcmp(name, barriers[i]) == 0)
            return true;
    return false;
}

/* The name under which the machine has a function that only has another name; NULL if none. */
static const char *renamed(const opevo_i_edit_lowering *self, const char *name)
{
    for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
        if (strcmp(name, generic[i][0]) == 0)
            return generic[i][1];
    if (self->libm && strncmp(name, "__nv_fast_", 10) == 0)
        return name + 10;
    if (self->libm && strncmp(name, "__nv_", 5) == 0)
        return name + 5;
    return NULL;
}

/* ---- Calls ---- */

static void lower_call(opevo_i_edit_lowering *self, LLVMValueRef call, const char *name)
{
    opevo_i_edit_register which;
    unsigned axis;
    LLVMValueRef result = NULL;

    LLVMPositionBuilderBefore(self->builder, call);
    if (is_register(name, &which, &axis))
        result = self->read(self, which, axis);
    else if (strcmp(name, "llvm.nvvm.read.ptx.sreg.warpsize") == 0)
        result = LLVMConstInt(LLVMTypeOf(call), 32, false);
    else if (is_barrier(name))
        self->barrier(self);
    else /* a fence of memory */
        LLVMBuildFence(self->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
    if (result)
        LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
}

static bool is_known(const char *name)
{
    opevo_i_edit_register which;
    unsigned axis;

    return is_register(name, &which, &axis) || is_barrier(name) ||
           strncmp(name, "llvm.nvvm.membar.", 17) == 0 ||
           strcmp(name, "llvm.nvvm.read.ptx.sreg.warpsize") == 0;
}

static opevo_status lower_callee(opevo_i_edit_lowering *self, LLVMValueRef callee, opevo_error *err)
{
    size_t length = 0;
    const char *name = LLVMGetValueName2(callee, &length);
    const char *other = renamed(self, name);
    bool nvidia = strncmp(name, "llvm.nvvm.", 10) == 0 || strncmp(name, "__nv_", 5) == 0;

    if (!nvidia || !LLVMGetFirstUse(callee))
        return OPEVO_OK;
    if (other) {
        LLVMReplaceAllUsesWith(
            callee, opevo_i_edit_declare(self->llvm, other, LLVMGlobalGetValueType(callee)));
        return OPEVO_OK;
    }
    if (!is_known(name))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no counterpart on this machine.", name);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(callee)) != NULL;) {
        LLVMValueRef call = LLVMGetUser(use);

        if (!LLVMIsACallInst(call))
            return OPEVO_FAIL(err, OPEVO_INVALID, "The address of %s is taken.", name);
        lower_call(self, call, name);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_edit_lower_calls(opevo_i_edit_lowering *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->context = LLVMGetModuleContext(self->llvm);
    self->builder = LLVMCreateBuilderInContext(self->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(self->llvm), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!LLVMIsDeclaration(f))
            continue;
        OPEVO_TRY(lower_callee(self, f, err));
        if (!LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
cleanup:
    LLVMDisposeBuilder(self->builder);
    return status;
}
