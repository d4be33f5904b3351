/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Doubles that are only carried about. */

#include "simt_decode_internal.h"

static bool is_double(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

static bool is_vector_of_doubles(LLVMValueRef value)
{
    return is_double(value) && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

/* Functions with a body carry them on; what others do with them is not known. */
static bool only_carries(LLVMValueRef instruction)
{
    LLVMValueRef called;

    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
    case LLVMStore:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMBitCast:
    case LLVMFreeze:
    case LLVMRet:
        return true;
    case LLVMCall:
        called = LLVMGetCalledValue(instruction);
        return LLVMIsAFunction(called) && !LLVMIsDeclaration(called);
    default:
        return false;
    }
}

static bool is_carried(LLVMValueRef instruction)
{
    bool has_double = is_double(instruction), has_vector = is_vector_of_doubles(instruction);
    int count = LLVMGetNumOperands(instruction);

    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);

        has_double |= is_double(operand);
        has_vector |= is_vector_of_doubles(operand);
    }
    return !has_vector && (!has_double || only_carries(instruction));
}

bool opevo_i_simt_has_pairs(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef instruction = LLVMGetFirstInstruction(block); instruction;
                 instruction = LLVMGetNextInstruction(instruction))
                if (!is_carried(instruction))
                    return false;
    return true;
}
