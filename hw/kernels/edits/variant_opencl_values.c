/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Values in OpenCL C: types, constants, addresses. Integers are unsigned, so that all of them wrap;
 * floats are written as their bits. */

#include "variant_opencl_internal.h"

#include <inttypes.h>
#include <string.h>

unsigned opevo_i_edit_cl_number(opevo_i_edit_cl *self, const void *what)
{
    opevo_index key = (opevo_index)(uintptr_t)what;
    uint64_t number = 0;

    if (opevo_index_map_get(self->numbers, key, &number))
        return (unsigned)number;
    number = opevo_index_map_count(self->numbers) + 1;
    if (!opevo_index_map_put(self->numbers, key, number))
        opevo_i_edit_cl_no_memory(self);
    return (unsigned)number;
}

/* ---- Types ---- */

bool opevo_i_edit_cl_is_pointer(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

bool opevo_i_edit_cl_is_bit(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
}

const char *opevo_i_edit_cl_type(opevo_i_edit_cl *self, LLVMTypeRef type)
{
    char *name = NULL;

    switch (LLVMGetTypeKind(type)) {
    case LLVMFloatTypeKind:
        return "float";
    case LLVMDoubleTypeKind:
        return "double";
    case LLVMVoidTypeKind:
        return "void";
    case LLVMIntegerTypeKind:
        switch (LLVMGetIntTypeWidth(type)) {
        case 1:
            return "bool";
        case 8:
            return "uchar";
        case 16:
            return "ushort";
        case 32:
            return "uint";
        case 64:
            return "ulong";
        default:
            break;
        }
        break;
    default:
        break;
    }
    name = LLVMPrintTypeToString(type);
    opevo_i_edit_cl_fail(self, "Values of the type %.100s cannot be written in OpenCL C.", name);
    LLVMDisposeMessage(name);
    return "void";
}

const char *opevo_i_edit_cl_signed(LLVMTypeRef type)
{
    unsigned width = LLVMGetIntTypeWidth(type);

    return width <= 8 ? "char" : width == 16 ? "short" : width == 32 ? "int" : "long";
}

static const char *space_name(unsigned space)
{
    return space == OPEVO_I_CL_LOCAL      ? "__local"
           : space == OPEVO_I_CL_CONSTANT ? "__constant"
           : space == OPEVO_I_CL_PRIVATE  ? "__private"
                                          : "__global";
}

const char *opevo_i_edit_cl_pointer(unsigned space)
{
    return space == OPEVO_I_CL_LOCAL      ? "__local uchar *"
           : space == OPEVO_I_CL_CONSTANT ? "__constant uchar *"
           : space == OPEVO_I_CL_PRIVATE  ? "__private uchar *"
                                          : "__global uchar *";
}

void opevo_i_edit_cl_declare(opevo_i_edit_cl *self, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    if (opevo_i_edit_cl_is_pointer(type))
        opevo_text_add(self->out, opevo_i_edit_cl_pointer(opevo_i_edit_cl_space(self, value)));
    else
        opevo_text_printf(self->out, "%s ", opevo_i_edit_cl_type(self, type));
}

void opevo_i_edit_cl_access(opevo_i_edit_cl *self, LLVMTypeRef type, LLVMValueRef pointer,
                            unsigned alignment, bool is_volatile)
{
    unsigned space = opevo_i_edit_cl_space(self, pointer);
    unsigned natural = LLVMABIAlignmentOfType(self->layout, type);
    const char *name = opevo_i_edit_cl_is_bit(type) ? "uchar" : opevo_i_edit_cl_type(self, type);

    opevo_text_printf(self->out, "*(%s%s %s_m", is_volatile ? "volatile " : "", space_name(space),
                      name);
    if (alignment < natural)
        opevo_text_printf(self->out, "%u", alignment);
    opevo_text_add(self->out, " *)");
    opevo_i_edit_cl_operand(self, pointer, space);
}

/* ---- Constants ---- */

static void add_integer(opevo_i_edit_cl *self, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    uint64_t bits = LLVMIsAConstantInt(value) ? LLVMConstIntGetZExtValue(value) : 0;

    if (opevo_i_edit_cl_is_bit(type))
        opevo_text_printf(self->out, "(bool)%" PRIu64, bits);
    else
        opevo_text_printf(self->out, "(%s)%" PRIu64 "UL", opevo_i_edit_cl_type(self, type), bits);
}

static void add_float(opevo_i_edit_cl *self, LLVMValueRef value)
{
    LLVMBool loses = false;
    double number = LLVMIsAConstantFP(value) ? LLVMConstRealGetDouble(value, &loses) : 0;
    float narrow = (float)number;
    uint64_t wide_bits = 0;
    uint32_t bits = 0;

    memcpy(&wide_bits, &number, sizeof wide_bits);
    memcpy(&bits, &narrow, sizeof bits);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMDoubleTypeKind)
        opevo_text_printf(self->out, "as_double(0x%016" PRIx64 "UL)", wide_bits);
    else
        opevo_text_printf(self->out, "as_float(0x%08" PRIx32 "u)", bits);
}

static void add_expression(opevo_i_edit_cl *self, LLVMValueRef value, unsigned space)
{
    LLVMValueRef first = LLVMGetOperand(value, 0);
    char *text = NULL;

    switch (LLVMGetConstOpcode(value)) {
    case LLVMGetElementPtr:
        opevo_i_edit_cl_address(self, value);
        return;
    case LLVMAddrSpaceCast:
    case LLVMBitCast:
        opevo_i_edit_cl_operand(self, first, space);
        return;
    case LLVMPtrToInt:
        opevo_text_printf(self->out, "(%s)(ulong)", opevo_i_edit_cl_type(self, LLVMTypeOf(value)));
        opevo_i_edit_cl_operand(self, first, space);
        return;
    case LLVMIntToPtr:
        opevo_text_printf(self->out, "(%s)", opevo_i_edit_cl_pointer(space));
        opevo_i_edit_cl_operand(self, first, space);
        return;
    default:
        text = LLVMPrintValueToString(value);
        opevo_i_edit_cl_fail(self, "The constant %.100s cannot be written in OpenCL C.", text);
        LLVMDisposeMessage(text);
    }
}

/* What stands for no value, and for one that LLVM leaves open, is 0. */
static void add_constant(opevo_i_edit_cl *self, LLVMValueRef value, unsigned space)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    if (LLVMIsAConstantExpr(value))
        add_expression(self, value, space);
    else if (opevo_i_edit_cl_is_pointer(type))
        opevo_text_printf(self->out, "(%s)0", opevo_i_edit_cl_pointer(space));
    else if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        add_integer(self, value);
    else if (*opevo_i_edit_cl_type(self, type) != 'v')
        add_float(self, value);
}

void opevo_i_edit_cl_operand(opevo_i_edit_cl *self, LLVMValueRef value, unsigned space)
{
    opevo_text_add(self->out, "(");
    if (LLVMIsAGlobalVariable(value) && LLVMIsDeclaration(value))
        opevo_text_add(self->out, "dynamic");
    else if (LLVMIsAGlobalVariable(value))
        opevo_text_printf(self->out, "g%u", opevo_i_edit_cl_number(self, value));
    else if (LLVMIsConstant(value))
        add_constant(self, value, space);
    else
        opevo_text_printf(self->out, "v%u", opevo_i_edit_cl_number(self, value));
    opevo_text_add(self->out, ")");
}

/* ---- Addresses ---- */

/* A term of an address: an index times the bytes of a step, or the bytes of a constant one. */
static void add_term(opevo_i_edit_cl *self, LLVMValueRef index, uint64_t step, uint64_t *bytes)
{
    LLVMTypeRef type = LLVMTypeOf(index);

    if (LLVMIsAConstantInt(index)) {
        *bytes += (uint64_t)LLVMConstIntGetSExtValue(index) * step;
        return;
    }
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
        opevo_i_edit_cl_fail(self, "An address with an index that is not a number cannot be "
                                   "written in OpenCL C.");
        return;
    }
    opevo_text_printf(self->out, "(ulong)(long)(%s)", opevo_i_edit_cl_signed(type));
    opevo_i_edit_cl_operand(self, index, OPEVO_I_CL_GLOBAL);
    opevo_text_printf(self->out, " * %" PRIu64 "UL + ", step);
}

void opevo_i_edit_cl_address(opevo_i_edit_cl *self, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
    LLVMValueRef base = LLVMGetOperand(value, 0);
    unsigned count = (unsigned)LLVMGetNumOperands(value);
    uint64_t bytes = 0;

    opevo_i_edit_cl_operand(self, base, opevo_i_edit_cl_space(self, value));
    opevo_text_add(self->out, " + (long)(");
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(value, i);
        LLVMTypeKind kind = LLVMGetTypeKind(type);

        if (i > 1 && kind == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);

            bytes += LLVMOffsetOfElement(self->layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        add_term(self, index, LLVMABISizeOfType(self->layout, type), &bytes);
    }
    opevo_text_printf(self->out, "%" PRIu64 "UL)", bytes);
}
