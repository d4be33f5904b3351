/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Calls in OpenCL C: where a work item is and barriers, which the lowering to a CPU gives names of
 * its own; functions of LLVM and of the C library that OpenCL C has; functions of the module. */

#include "variant_opencl_internal.h"

#include <string.h>

/* By the name of LLVM without its type, or of the C library without the letter of floats. */
static const struct row {
    const char *name, *words;
    unsigned count; /* arguments that are passed on */
    bool is_signed;
} rows[] = {
    {"gk_thread", "get_local_id", 1, false},
    {"gk_block", "get_group_id", 1, false},
    {"gk_block_size", "get_local_size", 1, false},
    {"gk_grid_size", "get_num_groups", 1, false},
    {"llvm.fma", "fma", 3, false},
    {"llvm.fmuladd", "fma", 3, false},
    {"llvm.sqrt", "sqrt", 1, false},
    {"llvm.fabs", "fabs", 1, false},
    {"llvm.floor", "floor", 1, false},
    {"llvm.ceil", "ceil", 1, false},
    {"llvm.trunc", "trunc", 1, false},
    {"llvm.rint", "rint", 1, false},
    {"llvm.nearbyint", "rint", 1, false},
    {"llvm.roundeven", "rint", 1, false},
    {"llvm.round", "round", 1, false},
    {"llvm.minnum", "fmin", 2, false},
    {"llvm.maxnum", "fmax", 2, false},
    {"llvm.copysign", "copysign", 2, false},
    {"llvm.exp", "exp", 1, false},
    {"llvm.exp2", "exp2", 1, false},
    {"llvm.log", "log", 1, false},
    {"llvm.log2", "log2", 1, false},
    {"llvm.log10", "log10", 1, false},
    {"llvm.sin", "sin", 1, false},
    {"llvm.cos", "cos", 1, false},
    {"llvm.tanh", "tanh", 1, false},
    {"llvm.pow", "pow", 2, false},
    {"llvm.smax", "max", 2, true},
    {"llvm.smin", "min", 2, true},
    {"llvm.umax", "max", 2, false},
    {"llvm.umin", "min", 2, false},
    {"llvm.sadd.sat", "add_sat", 2, true},
    {"llvm.ssub.sat", "sub_sat", 2, true},
    {"llvm.uadd.sat", "add_sat", 2, false},
    {"llvm.usub.sat", "sub_sat", 2, false},
    {"llvm.abs", "abs", 1, true},
    {"llvm.ctpop", "popcount", 1, false},
    {"llvm.ctlz", "clz", 1, false},
    {"acos", "acos", 1, false},
    {"acosh", "acosh", 1, false},
    {"asin", "asin", 1, false},
    {"asinh", "asinh", 1, false},
    {"atan", "atan", 1, false},
    {"atan2", "atan2", 2, false},
    {"atanh", "atanh", 1, false},
    {"cbrt", "cbrt", 1, false},
    {"cos", "cos", 1, false},
    {"cosh", "cosh", 1, false},
    {"erf", "erf", 1, false},
    {"erfc", "erfc", 1, false},
    {"exp", "exp", 1, false},
    {"exp10", "exp10", 1, false},
    {"exp2", "exp2", 1, false},
    {"expm1", "expm1", 1, false},
    {"fabs", "fabs", 1, false},
    {"fdim", "fdim", 2, false},
    {"fmax", "fmax", 2, false},
    {"fmin", "fmin", 2, false},
    {"fmod", "fmod", 2, false},
    {"hypot", "hypot", 2, false},
    {"lgamma", "lgamma", 1, false},
    {"log", "log", 1, false},
    {"log10", "log10", 1, false},
    {"log1p", "log1p", 1, false},
    {"log2", "log2", 1, false},
    {"pow", "pow", 2, false},
    {"remainder", "remainder", 2, false},
    {"rsqrt", "rsqrt", 1, false},
    {"sin", "sin", 1, false},
    {"sinh", "sinh", 1, false},
    {"sqrt", "sqrt", 1, false},
    {"tan", "tan", 1, false},
    {"tanh", "tanh", 1, false},
    {"tgamma", "tgamma", 1, false},
    {"mulhi", "mul_hi", 2, true},
    {"umulhi", "mul_hi", 2, false},
    {"popc", "popcount", 1, false},
    {"clz", "clz", 1, false},
};

/* A name without what says its type: "llvm.smax.i32", "expf" of a float. */
static size_t stem(const char *name, size_t length, LLVMTypeRef result)
{
    size_t end = length;

    if (strncmp(name, "llvm.", 5) == 0) {
        while (end > 0 && name[end - 1] != '.')
            end--;
        return end > 5 ? end - 1 : length;
    }
    return LLVMGetTypeKind(result) == LLVMFloatTypeKind && length > 1 && name[length - 1] == 'f' &&
                   !(length == 3 && strncmp(name, "erf", 3) == 0)
               ? length - 1
               : length;
}

static void add_argument(opevo_i_edit_cl *self, LLVMValueRef call, unsigned i, bool is_signed)
{
    LLVMValueRef argument = LLVMGetOperand(call, i);

    if (is_signed)
        opevo_text_printf(self->out, "(%s)", opevo_i_edit_cl_signed(LLVMTypeOf(argument)));
    opevo_i_edit_cl_operand(self, argument, OPEVO_I_CL_GLOBAL);
}

static void add_known(opevo_i_edit_cl *self, LLVMValueRef call, const struct row *row)
{
    opevo_text_printf(self->out, "v%u = (%s)%s(", opevo_i_edit_cl_number(self, call),
                      opevo_i_edit_cl_type(self, LLVMTypeOf(call)), row->words);
    for (unsigned i = 0; i < row->count; i++) {
        opevo_text_add(self->out, i ? ", " : "");
        add_argument(self, call, i, row->is_signed);
    }
    opevo_text_add(self->out, ")");
}

/* Zeros at the end: the ones below the lowest one. */
static void add_trailing_zeros(opevo_i_edit_cl *self, LLVMValueRef call)
{
    const char *type = opevo_i_edit_cl_type(self, LLVMTypeOf(call));

    opevo_text_printf(self->out, "v%u = popcount((%s)(~", opevo_i_edit_cl_number(self, call), type);
    add_argument(self, call, 0, false);
    opevo_text_add(self->out, " & (");
    add_argument(self, call, 0, false);
    opevo_text_add(self->out, " - 1)))");
}

/* Bits of two values behind each other, shifted: to the left the upper half, else the lower one. A
 * shift by all bits would be undefined. */
static void add_funnel(opevo_i_edit_cl *self, LLVMValueRef call, bool left)
{
    const char *type = opevo_i_edit_cl_type(self, LLVMTypeOf(call));
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(call));

    opevo_text_printf(self->out, "v%u = (%s)((", opevo_i_edit_cl_number(self, call), type);
    add_argument(self, call, 0, false);
    opevo_text_add(self->out, left ? " << (" : " << 1 << (~");
    add_argument(self, call, 2, false);
    opevo_text_printf(self->out, " & %u)) | (", bits - 1);
    add_argument(self, call, 1, false);
    opevo_text_add(self->out, left ? " >> 1 >> (~" : " >> (");
    add_argument(self, call, 2, false);
    opevo_text_printf(self->out, " & %u)))", bits - 1);
}

/* Byte by byte; to higher addresses of the same memory from the end. */
static void add_copy(opevo_i_edit_cl *self, LLVMValueRef call, bool overlaps)
{
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
    unsigned source = opevo_i_edit_cl_space(self, from);
    unsigned target = opevo_i_edit_cl_space(self, to);

    opevo_text_printf(self->out, "for (ulong i = 0, n = ");
    add_argument(self, call, 2, false);
    opevo_text_printf(self->out, ", back = ");
    if (overlaps && source == target) {
        opevo_text_add(self->out, "(ulong)");
        opevo_i_edit_cl_operand(self, from, source);
        opevo_text_add(self->out, " < (ulong)");
        opevo_i_edit_cl_operand(self, to, target);
    } else {
        opevo_text_add(self->out, "0");
    }
    opevo_text_add(self->out, "; i < n; i++) { ulong at = back ? n - 1 - i : i; ");
    opevo_i_edit_cl_operand(self, to, target);
    opevo_text_add(self->out, "[at] = ");
    opevo_i_edit_cl_operand(self, from, source);
    opevo_text_add(self->out, "[at]; }");
}

static void add_set(opevo_i_edit_cl *self, LLVMValueRef call)
{
    LLVMValueRef to = LLVMGetOperand(call, 0);

    opevo_text_add(self->out, "for (ulong i = 0, n = ");
    add_argument(self, call, 2, false);
    opevo_text_add(self->out, "; i < n; i++) ");
    opevo_i_edit_cl_operand(self, to, opevo_i_edit_cl_space(self, to));
    opevo_text_add(self->out, "[i] = ");
    add_argument(self, call, 1, false);
}

static void call_own(opevo_i_edit_cl *self, LLVMValueRef call, LLVMValueRef callee)
{
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
        opevo_text_printf(self->out, "v%u = ", opevo_i_edit_cl_number(self, call));
    opevo_text_printf(self->out, "f%u(", opevo_i_edit_cl_number(self, callee));
    for (unsigned i = 0; i < LLVMCountParams(callee); i++) {
        LLVMValueRef parameter = LLVMGetParam(callee, i);
        bool is_address = opevo_i_edit_cl_is_pointer(LLVMTypeOf(parameter));

        opevo_text_add(self->out, i ? ", " : "");
        opevo_i_edit_cl_operand(self, LLVMGetOperand(call, i),
                                is_address ? opevo_i_edit_cl_space(self, parameter) : 0);
    }
    opevo_text_add(self->out, ")");
}

/* Those of opencl_words.h order the memory that they name. */
static bool add_barrier(opevo_i_edit_cl *self, const char *name)
{
    static const char *const barriers[][2] = {
        {"gk_barrier", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"},
        {"opevo_barrier_of_local", "CLK_LOCAL_MEM_FENCE"},
        {"opevo_barrier_of_global", "CLK_GLOBAL_MEM_FENCE"},
        {"opevo_barrier_of_nothing", "0"}};

    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++) {
        if (strcmp(name, barriers[i][0]) == 0) {
            opevo_text_printf(self->out, "barrier(%s)", barriers[i][1]);
            return true;
        }
    }
    return false;
}

/* False for other functions. */
static bool add_special(opevo_i_edit_cl *self, LLVMValueRef call, const char *name)
{
    if (add_barrier(self, name))
        return true;
    if (strncmp(name, "llvm.memcpy.", 12) == 0 || strncmp(name, "llvm.memmove.", 13) == 0)
        add_copy(self, call, name[8] == 'o');
    else if (strncmp(name, "llvm.memset.", 12) == 0)
        add_set(self, call);
    else if (strncmp(name, "llvm.cttz.", 10) == 0)
        add_trailing_zeros(self, call);
    else if (strncmp(name, "llvm.fshl.", 10) == 0 || strncmp(name, "llvm.fshr.", 10) == 0)
        add_funnel(self, call, name[8] == 'l');
    else
        return false;
    return true;
}

void opevo_i_edit_cl_call(opevo_i_edit_cl *self, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length = 0;
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "a pointer";
    size_t end = stem(name, length, LLVMTypeOf(call));

    if (LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee)) {
        call_own(self, call, callee);
        return;
    }
    if (add_special(self, call, name))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) == end && strncmp(rows[i].name, name, end) == 0) {
            add_known(self, call, &rows[i]);
            return;
        }
    }
    opevo_i_edit_cl_fail(self, "%.100s has no counterpart in OpenCL C.", name);
}
