/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What pointers point to. Those of clang for CUDA are generic; where each comes from is followed
 * through the module until nothing changes, which is soon: a pointer changes at most twice. */

#include "variant_opencl_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void opevo_i_edit_cl_fail(opevo_i_edit_cl *self, const char *format, ...)
{
    char sentence[400];
    va_list arguments;

    if (self->status != OPEVO_OK)
        return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    self->status = OPEVO_FAIL(self->err, OPEVO_INVALID, "%s", sentence);
}

void opevo_i_edit_cl_no_memory(opevo_i_edit_cl *self)
{
    if (self->status == OPEVO_OK)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory to write a module.");
}

bool opevo_i_edit_cl_is_kernel(const opevo_i_edit_cl *self, LLVMValueRef function)
{
    size_t length = 0;
    const char *name = LLVMGetValueName2(function, &length);

    for (size_t i = 0; i < self->base->kernel_count; i++) {
        if (strcmp(self->base->kernels[i], name) == 0)
            return true;
    }
    return false;
}

LLVMTypeRef opevo_i_edit_cl_struct(LLVMValueRef function, unsigned argument)
{
    static const char name[] = "byval";
    LLVMAttributeRef found = LLVMGetEnumAttributeAtIndex(
        function, argument + 1, LLVMGetEnumAttributeKindForName(name, sizeof name - 1));

    return found ? LLVMGetTypeAttributeValue(found) : NULL;
}

static opevo_index key_of(const void *what)
{
    return (opevo_index)(uintptr_t)what;
}

static bool is_generic(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
           LLVMGetPointerAddressSpace(type) == OPEVO_I_CL_GENERIC;
}

/* What is known so far. */
static unsigned known(const opevo_i_edit_cl *self, LLVMValueRef pointer)
{
    uint64_t space = OPEVO_I_CL_GENERIC;

    if (!is_generic(pointer))
        return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    if (LLVMIsAConstantExpr(pointer))
        return LLVMGetConstOpcode(pointer) == LLVMIntToPtr
                   ? OPEVO_I_CL_GLOBAL
                   : known(self, LLVMGetOperand(pointer, 0));
    if (LLVMIsAGlobalVariable(pointer))
        return LLVMIsGlobalConstant(pointer) ? OPEVO_I_CL_CONSTANT : OPEVO_I_CL_GLOBAL;
    (void)opevo_index_map_get(self->spaces, key_of(pointer), &space);
    return (unsigned)space;
}

unsigned opevo_i_edit_cl_space(opevo_i_edit_cl *self, LLVMValueRef pointer)
{
    unsigned space = known(self, pointer);

    if (space == OPEVO_I_CL_SEVERAL)
        opevo_i_edit_cl_fail(self, "A pointer is to memory of two address spaces, which OpenCL C "
                                   "1.2 cannot say.");
    return space == OPEVO_I_CL_GENERIC || space == OPEVO_I_CL_SEVERAL ? OPEVO_I_CL_GLOBAL : space;
}

static unsigned join(unsigned a, unsigned b)
{
    if (a == OPEVO_I_CL_GENERIC || a == b)
        return b;
    return b == OPEVO_I_CL_GENERIC ? a : OPEVO_I_CL_SEVERAL;
}

/* Of what a function returns. */
static unsigned returned(const opevo_i_edit_cl *self, LLVMValueRef function)
{
    unsigned space = OPEVO_I_CL_GENERIC;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);

        if (LLVMGetInstructionOpcode(last) == LLVMRet && LLVMGetNumOperands(last) == 1)
            space = join(space, known(self, LLVMGetOperand(last, 0)));
    }
    return space;
}

static unsigned space_of_instruction(const opevo_i_edit_cl *self, LLVMValueRef instruction)
{
    unsigned space = OPEVO_I_CL_GENERIC;

    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAlloca:
        return OPEVO_I_CL_PRIVATE;
    case LLVMLoad:
    case LLVMIntToPtr:
        return OPEVO_I_CL_GLOBAL;
    case LLVMGetElementPtr:
    case LLVMAddrSpaceCast:
    case LLVMBitCast:
    case LLVMFreeze:
        return known(self, LLVMGetOperand(instruction, 0));
    case LLVMSelect:
        return join(known(self, LLVMGetOperand(instruction, 1)),
                    known(self, LLVMGetOperand(instruction, 2)));
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(instruction); i++)
            space = join(space, known(self, LLVMGetIncomingValue(instruction, i)));
        return space;
    case LLVMCall:
        return returned(self, LLVMGetCalledValue(instruction));
    default:
        return space;
    }
}

/* Whether that is news. */
static bool note(opevo_i_edit_cl *self, LLVMValueRef pointer, unsigned space)
{
    unsigned before = known(self, pointer);

    space = join(before, space);
    if (space == before)
        return false;
    if (!opevo_index_map_put(self->spaces, key_of(pointer), space))
        opevo_i_edit_cl_no_memory(self);
    return self->status == OPEVO_OK;
}

/* What a call passes to a function of the module. */
static bool note_arguments(opevo_i_edit_cl *self, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    bool news = false;

    if (!LLVMIsAFunction(callee) || LLVMIsDeclaration(callee))
        return false;
    for (unsigned i = 0; i < LLVMCountParams(callee); i++) {
        LLVMValueRef parameter = LLVMGetParam(callee, i);

        if (is_generic(parameter) && !opevo_i_edit_cl_struct(callee, i))
            news |= note(self, parameter, known(self, LLVMGetOperand(call, i)));
    }
    return news;
}

static bool pass(opevo_i_edit_cl *self, LLVMValueRef function)
{
    bool news = false;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (is_generic(i))
                news |= note(self, i, space_of_instruction(self, i));
            if (LLVMIsACallInst(i))
                news |= note_arguments(self, i);
        }
    return news;
}

void opevo_i_edit_cl_find_spaces(opevo_i_edit_cl *self)
{
    bool news = true;

    for (LLVMValueRef f = LLVMGetFirstFunction(self->llvm); f; f = LLVMGetNextFunction(f))
        for (unsigned i = 0; i < LLVMCountParams(f); i++) {
            if (!is_generic(LLVMGetParam(f, i)))
                continue;
            if (opevo_i_edit_cl_struct(f, i))
                note(self, LLVMGetParam(f, i), OPEVO_I_CL_PRIVATE);
            else if (opevo_i_edit_cl_is_kernel(self, f))
                note(self, LLVMGetParam(f, i), OPEVO_I_CL_GLOBAL);
        }
    while (news && self->status == OPEVO_OK) {
        news = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(self->llvm); f; f = LLVMGetNextFunction(f))
            news |= pass(self, f);
    }
}
