/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the attributes of a function say of denormals: "denormal-fp-math-f32", else
 * "denormal-fp-math", each "OUTPUT,INPUT" or one word for both. As LLVM's NVPTX back end has no
 * other instructions, either both are flushed to zeros that keep the sign, or neither. */

#include "simt_decode_internal.h"

#include <string.h>

/* A string attribute of a function; NULL: it has none. */
static const char *attribute(LLVMValueRef function, const char *name, unsigned *length)
{
    LLVMAttributeRef found = LLVMGetStringAttributeAtIndex(
        function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));

    return found ? LLVMGetStringAttributeValue(found, length) : NULL;
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

opevo_i_simt_denormals opevo_i_simt_denormals_of(LLVMValueRef function)
{
    unsigned length = 0;
    const char *mode = attribute(function, "denormal-fp-math-f32", &length), *comma, *input;
    size_t output_length, input_length;

    if (!mode)
        mode = attribute(function, "denormal-fp-math", &length);
    if (!mode || length == 0)
        return OPEVO_I_SIMT_DENORMALS_KEPT;
    comma = memchr(mode, ',', length);
    output_length = comma ? (size_t)(comma - mode) : length;
    input = comma ? comma + 1 : mode;
    input_length = comma ? length - output_length - 1 : length;
    if (is_word(mode, output_length, "ieee") && is_word(input, input_length, "ieee"))
        return OPEVO_I_SIMT_DENORMALS_KEPT;
    if (is_word(mode, output_length, "preserve-sign") &&
        is_word(input, input_length, "preserve-sign"))
        return OPEVO_I_SIMT_DENORMALS_FLUSHED;
    return OPEVO_I_SIMT_DENORMALS_OPEN;
}

static bool is_narrow_float(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMFloatTypeKind || LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

bool opevo_i_simt_computes_floats(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFNeg:
    case LLVMFPTrunc:
    case LLVMAtomicRMW:
        return is_narrow_float(LLVMTypeOf(instruction));
    case LLVMFCmp:
    case LLVMFPExt:
        return is_narrow_float(LLVMTypeOf(LLVMGetOperand(instruction, 0)));
    case LLVMCall:
        return is_narrow_float(LLVMTypeOf(instruction)) &&
               LLVMIsAFunction(LLVMGetCalledValue(instruction)) &&
               LLVMIsDeclaration(LLVMGetCalledValue(instruction));
    default:
        return false;
    }
}
